//! Pass: `assert`.
//!
//! Needs: the structured tree, in which the constant AssertionError that only `assert` loads is a temporary of
//! its own. Establishes: `if not x: raise <it>(y)` is `assert x, y`, and the temporary is gone.

use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::visit::{blocks_mut, walk};
use crate::lift::ASSERTION_ERROR;

/// See the module.
pub(crate) fn restore_asserts(block: &mut Block) {
    restore(block);
    walk(block, &mut |expr| {
        if expr.kind == ExprKind::Temp(ASSERTION_ERROR) {
            expr.kind = ExprKind::Name("AssertionError".into());
        }
    });
}

fn restore(block: &mut Block) {
    let mut done = Block::with_capacity(block.len());
    for mut statement in std::mem::take(block) {
        match &mut statement.kind {
            StmtKind::If { test, body, orelse } => {
                if let Some(message) = failed_assertion(body) {
                    let test = crate::names::negated(std::mem::replace(test, Expr::name("_")));
                    let mut behind = std::mem::take(orelse);
                    restore(&mut behind);
                    done.push(Stmt::new(statement.origin, StmtKind::Assert { test, message }));
                    done.extend(behind);
                    continue;
                }
                if let Some(message) = failed_assertion(orelse) {
                    let test = std::mem::replace(test, Expr::name("_"));
                    let mut behind = std::mem::take(body);
                    restore(&mut behind);
                    done.push(Stmt::new(statement.origin, StmtKind::Assert { test, message }));
                    done.extend(behind);
                    continue;
                }
            }
            // The test was a constant that never holds: the compiler left it out.
            StmtKind::Raise { .. } => {
                if let Some(message) = failed_assertion(std::slice::from_ref(&statement)) {
                    let test = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(false)));
                    statement.kind = StmtKind::Assert { test, message };
                }
            }
            _ => {}
        }
        for inner in blocks_mut(&mut statement) {
            restore(inner);
        }
        done.push(statement);
    }
    *block = done;
}

/// The message with which the statements say that an assertion failed.
#[allow(clippy::option_option, reason = "whether there is an assertion, and whether it has a message")]
fn failed_assertion(block: &[Stmt]) -> Option<Option<Expr>> {
    let [Stmt { kind: StmtKind::Raise { exc: Some(exc), cause: None }, .. }] = block else { return None };
    match &exc.kind {
        ExprKind::Temp(ASSERTION_ERROR) => Some(None),
        ExprKind::Call(call) if call.func.kind == ExprKind::Temp(ASSERTION_ERROR) => {
            match (&call.args[..], &call.keywords[..]) {
                ([message], []) if !matches!(message.kind, ExprKind::Starred(_)) => {
                    Some(Some(message.clone()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
