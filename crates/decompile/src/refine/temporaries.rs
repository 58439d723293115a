//! Pass: what is left of the temporaries gets names.
//!
//! Needs: `inline_temporaries`, `restore_targets`. Establishes: no `Temp` is left; names count up in the order
//! of appearance and clash with no name of the function; a handler whose exception is used binds it.

use crate::hash::{HashMap, HashSet};

use depyf_syntax::ast::{Block, Expr, ExprKind, Ident, Stmt, StmtKind};
use depyf_value::PyStr;

use super::visit::{blocks_mut, walk, walk_expr};
use crate::lift::{ASYNC_ITERATOR, EXCEPTIONS, HOLE, target_temporary};
use crate::names::{async_iterator, iterator};

/// See the module. `taken` holds the names that the function uses.
pub(crate) fn name_temporaries(block: &mut Block, prefix: &str, taken: &HashSet<PyStr>) {
    bind_exceptions(block);
    let mut names: HashMap<u32, Ident> = HashMap::default();
    let mut next = 0;
    let mut name = |temporary: u32| {
        let name = names.entry(temporary).or_insert_with(|| {
            loop {
                let name = Ident::new(&format!("{prefix}{next}"));
                next += 1;
                if !taken.contains(&name) {
                    break name;
                }
            }
        });
        name.clone()
    };
    walk(block, &mut |expr| match &mut expr.kind {
        ExprKind::Named { target, .. } => {
            if let Some(temporary) = target_temporary(target) {
                *target = name(temporary);
            }
        }
        ExprKind::Call { func, args, .. } if func.kind == ExprKind::Temp(HOLE) => {
            if let Some(value) = args.pop() {
                *expr = iterator(value);
            }
        }
        ExprKind::Call { func, args, .. } if func.kind == ExprKind::Temp(ASYNC_ITERATOR) => {
            if let Some(value) = args.pop() {
                *expr = async_iterator(value);
            }
        }
        ExprKind::Temp(temporary) => expr.kind = ExprKind::Name(name(*temporary)),
        _ => {}
    });
    name_handlers(block, &names);
}

/// Marks handlers whose exception is used: the marker is the name `EXCEPTION<temporary>`.
fn bind_exceptions(block: &mut Block) {
    for statement in block {
        if let StmtKind::Try(inner) = &mut statement.kind {
            for handler in &mut inner.handlers {
                let used = exception_used(&mut handler.body);
                if let (None, Some(temporary)) = (&handler.name, used) {
                    handler.name = Some(marker(temporary));
                    if handler.kind.is_none() {
                        handler.kind = Some(Expr::name("BaseException"));
                    }
                }
            }
        }
        for inner in blocks_mut(statement) {
            bind_exceptions(inner);
        }
    }
}

fn marker(temporary: u32) -> Ident {
    Ident::new(&format!("<exception {temporary}>"))
}

/// The handled exception that the body mentions outside of nested handlers.
fn exception_used(body: &mut [Stmt]) -> Option<u32> {
    let mut found = None;
    walk(body, &mut |expr| {
        walk_expr(expr, &mut |expr| {
            if let ExprKind::Temp(temporary) = expr.kind
                && (EXCEPTIONS..ASYNC_ITERATOR).contains(&temporary)
            {
                found = found.or(Some(temporary));
            }
        });
    });
    found
}

fn name_handlers(block: &mut Block, names: &HashMap<u32, Ident>) {
    for statement in block {
        if let StmtKind::Try(inner) = &mut statement.kind {
            for handler in &mut inner.handlers {
                let bound =
                    names.iter().find(|(temporary, _)| handler.name.as_ref() == Some(&marker(**temporary)));
                if let Some((_, name)) = bound {
                    handler.name = Some(name.clone());
                }
            }
        }
        for inner in blocks_mut(statement) {
            name_handlers(inner, names);
        }
    }
}
