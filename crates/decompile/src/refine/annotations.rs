//! Pass: annotations of names in a module or class body.
//!
//! Needs: names are final. Establishes: `__annotations__["x"] = int` is `x: int`, together with a store to `x`
//! right before it: to 3.13 the compiler writes `x: int = 1` as these two (`compiler_annassign`).

use depyf_bytecode::{Function, Op};
use depyf_syntax::ast::{Block, Expr, ExprKind, Ident, Literal, StmtKind};

use crate::names::Names;
use crate::visit::blocks_mut;

/// See the module.
pub(crate) fn restore_annotations(block: &mut Block, verbatim: bool, function: &Function, names: &Names) {
    if function.instructions.iter().any(|instruction| instruction.op == Op::SetupAnnotations) {
        restore(block, names, verbatim);
    }
}

fn restore(block: &mut Block, names: &Names, verbatim: bool) {
    let mut done = Block::with_capacity(block.len());
    for mut statement in std::mem::take(block) {
        for inner in blocks_mut(&mut statement) {
            restore(inner, names, verbatim);
        }
        if let Some((name, annotation)) = annotated(&statement.kind) {
            let name = names.unmangled(&name);
            let annotation = if verbatim { crate::names::verbatim(annotation) } else { annotation };
            let value = stored(&mut done, &name);
            let target = Expr::name(name);
            let (target, annotation) = (Box::new(target), Box::new(annotation));
            statement.kind = StmtKind::AnnAssign { target, annotation, value, simple: true };
        }
        done.push(statement);
    }
    *block = done;
}

/// The name and annotation of `__annotations__["name"] = annotation`.
fn annotated(kind: &StmtKind) -> Option<(Ident, Expr)> {
    let StmtKind::Assign { targets, value } = kind else { return None };
    let [Expr { kind: ExprKind::Subscript { value: annotations, index }, .. }] = &targets[..] else {
        return None;
    };
    match (&annotations.kind, &index.kind) {
        (ExprKind::Name(annotations), ExprKind::Literal(Literal::Str(name)))
            if *annotations == "__annotations__" && crate::names::is_identifier(name) =>
        {
            Some((name.clone(), value.clone()))
        }
        _ => None,
    }
}

/// Takes the value that the statement before stores under the name.
fn stored(done: &mut Block, name: &Ident) -> Option<Expr> {
    let fits = match done.last().map(|statement| &statement.kind) {
        Some(StmtKind::Assign { targets, .. }) => {
            matches!(&targets[..], [Expr { kind: ExprKind::Name(stored), .. }] if stored == name)
        }
        _ => false,
    };
    match fits.then(|| done.pop()).flatten()?.kind {
        StmtKind::Assign { value, .. } => Some(value),
        _ => None,
    }
}
