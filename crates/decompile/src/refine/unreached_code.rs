//! Pass: code that nothing reaches stands behind the statement that leads past it.
//!
//! Needs: tests that never hold lead there (`flow/unreached_code.rs`). Establishes: there are none; what they led to stands
//! where control would go if it came to the end of what they skip.
//!
//! Example: `if NEVER: a()` `else: return b` becomes `return b`, `a()`.

use depyf_syntax::ast::{Block, Expr, ExprKind, Origin, Stmt, StmtKind, UnaryOp};

use crate::lift::NEVER;
use crate::structure::leaves;
use crate::visit::each_block;

/// See the module.
pub(crate) fn place_unreached_code(block: &mut Block) {
    let mut at = 0;
    while let Some(statement) = block.get_mut(at) {
        each_block(statement, place_unreached_code);
        let skipped = match &mut statement.kind {
            StmtKind::If { test, body, orelse } if is_never(test) => {
                let skipped = std::mem::take(body);
                // What leaves needs no `else` in front of the rest. A jump that was not written is that of an `else`.
                if orelse.is_empty() && leaves(&skipped) {
                    block.remove(at);
                    let is_added = matches!(
                        &skipped[..],
                        [Stmt { kind: StmtKind::Break | StmtKind::Continue, origin: Origin::NONE }]
                    );
                    block.extend(skipped.into_iter().filter(|_| !is_added));
                    continue;
                }
                Some(std::mem::take(orelse).into_iter().chain(skipped).collect::<Block>())
            }
            StmtKind::If { test, body, orelse } if is_always(test) => {
                let skipped = std::mem::take(orelse);
                Some(std::mem::take(body).into_iter().chain(skipped).collect())
            }
            _ => None,
        };
        match skipped {
            Some(statements) => {
                let count = statements.len();
                block.splice(at..=at, statements);
                at += count;
            }
            None => at += 1,
        }
    }
}

fn is_never(test: &Expr) -> bool {
    test.kind == ExprKind::Temp(NEVER)
}

fn is_always(test: &Expr) -> bool {
    matches!(&test.kind, ExprKind::Unary { op: UnaryOp::Not, operand } if is_never(operand))
}
