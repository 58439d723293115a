//! Pass: endless loops that start or end with a test become `while` loops with a condition.
//!
//! Needs: the structured tree. Establishes: `while True: if c: .. else: break` is `while c: ..`.

use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::visit::each_block;

/// See the module.
pub(crate) fn restore_while(block: &mut Block) {
    for statement in block {
        each_block(statement, restore_while);
        // One with an instruction of its own was written as it is.
        if let StmtKind::While { test, body, orelse } = &mut statement.kind
            && statement.origin == Origin::NONE
            && orelse.is_empty()
            && test.kind == ExprKind::Literal(Literal::Bool(true))
            && let Some((origin, condition)) = leading_test(body)
        {
            statement.origin = origin;
            *test = condition;
        }
    }
}

/// Takes the test that a body starts with: `if c: .. break` first of all, or `if c: .. else: break` alone.
/// Gives the instruction that tests as well.
fn leading_test(body: &mut Block) -> Option<(Origin, Expr)> {
    // A `break` that has an instruction of its own was written.
    let written = |block: &[Stmt]| block.first().is_some_and(|first| first.origin != Origin::NONE);
    let breaks = |block: &[Stmt]| matches!(block, [Stmt { kind: StmtKind::Break, .. }]) && !written(block);
    let alone = body.len() == 1;
    let origin = body.first()?.origin;
    let StmtKind::If { test, body: first, orelse } = &mut body.first_mut()?.kind else { return None };
    if breaks(first) && !alone && orelse.is_empty() || breaks(first) && alone {
        let condition = crate::names::negated(test.clone());
        let rest = std::mem::take(orelse);
        body.splice(0..1, rest);
        return Some((origin, condition));
    }
    if alone && breaks(orelse) {
        let condition = test.clone();
        let rest = std::mem::take(first);
        *body = rest;
        return Some((origin, condition));
    }
    // `if c: .. continue`, or what leaves otherwise, and then `break`.
    let ends = crate::structure::leaves(first);
    if body.len() == 2 && ends && breaks(&body[1..]) {
        let StmtKind::If { test, body: first, .. } = &mut body[0].kind else { return None };
        let condition = test.clone();
        let mut rest = std::mem::take(first);
        rest.pop_if(|last| matches!(last.kind, StmtKind::Continue));
        *body = rest;
        return Some((origin, condition));
    }
    None
}
