//! Pass: what is left of the temporaries gets names.
//!
//! Needs: `inline_temporaries`, `restore_targets`. Establishes: no `Temp` is left; names count up in the order
//! of appearance and clash with no name of the function; a handler whose exception is used binds it.

use crate::hash::HashMap;

use depyf_syntax::ast::{Block, Expr, ExprKind, Ident, Stmt, StmtKind};
use depyf_value::PyStr;

use crate::lift::{ASYNC_ITERATOR, EXCEPTIONS, HOLE, target_temporary};
use crate::names::{async_iterator, iterator};
use crate::visit::{each_block, walk};

/// What the names of temporaries begin with unless somebody asks for another prefix.
const PREFIX: &str = "__temp_";

/// See the module. `is_taken` tells the names that the function uses.
pub(crate) fn name_temporaries(block: &mut Block, prefix: &str, is_taken: impl Fn(&PyStr) -> bool) {
    let prefix = if prefix.is_empty() { PREFIX } else { prefix };
    let binds = bind_exceptions(block);
    let mut names: HashMap<u32, Ident> = HashMap::default();
    let mut next = 0;
    let mut name = |temporary: u32| {
        let name = names.entry(temporary).or_insert_with(|| {
            loop {
                let name = Ident::new(&format!("{prefix}{next}"));
                next += 1;
                if !is_taken(&name) {
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
        ExprKind::Call(call) if matches!(call.func.kind, ExprKind::Temp(HOLE)) => {
            if let Some(value) = call.args.pop() {
                *expr = iterator(value);
            }
        }
        ExprKind::Call(call) if matches!(call.func.kind, ExprKind::Temp(ASYNC_ITERATOR)) => {
            if let Some(value) = call.args.pop() {
                *expr = async_iterator(value);
            }
        }
        ExprKind::Temp(temporary) => expr.kind = ExprKind::Name(name(*temporary)),
        _ => {}
    });
    if binds {
        name_handlers(block, &names);
    }
}

/// Marks handlers whose exception is used: the marker is the name `EXCEPTION<temporary>`. Says whether there are any.
fn bind_exceptions(block: &mut Block) -> bool {
    let mut any = false;
    for statement in block {
        if let StmtKind::Try(inner) = &mut statement.kind {
            for handler in &mut inner.handlers {
                let used = exception_used(&mut handler.body);
                if let (None, Some(temporary)) = (&handler.name, used) {
                    any = true;
                    handler.name = Some(marker(temporary));
                    if handler.kind.is_none() {
                        handler.kind = Some(Expr::name("BaseException"));
                    }
                }
            }
        }
        each_block(statement, |inner| any |= bind_exceptions(inner));
    }
    any
}

fn marker(temporary: u32) -> Ident {
    Ident::new(&format!("<exception {temporary}>"))
}

/// The temporary that a handler is marked with.
fn marked(name: &Ident) -> Option<u32> {
    name.as_str()?.strip_prefix("<exception ")?.strip_suffix('>')?.parse().ok()
}

/// The handled exception that the body mentions outside of nested handlers.
fn exception_used(body: &mut [Stmt]) -> Option<u32> {
    let mut found = None;
    walk(body, &mut |expr| {
        if let ExprKind::Temp(temporary) = expr.kind
            && (EXCEPTIONS..ASYNC_ITERATOR).contains(&temporary)
        {
            found = found.or(Some(temporary));
        }
    });
    found
}

fn name_handlers(block: &mut Block, names: &HashMap<u32, Ident>) {
    for statement in block {
        if let StmtKind::Try(inner) = &mut statement.kind {
            for handler in &mut inner.handlers {
                let marked = handler.name.as_ref().and_then(marked);
                if let Some(name) = marked.and_then(|temporary| names.get(&temporary)) {
                    handler.name = Some(name.clone());
                }
            }
        }
        each_block(statement, |inner| name_handlers(inner, names));
    }
}
