//! Passes: endless loops that start or end with a test become `while` loops with a condition (`restore_while`); the others
//! test what the source has (`spell_endless_tests`).
//!
//! Needs: the structured tree. Establishes: `while True: if c: .. else: break` is `while c: ..`. Where the instruction that
//! is left of a constant test is one wide (3.12 on), the loop is `while 1`.

use depyf_bytecode::{Features, Function, Instruction, Op};
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use crate::flow::{Contents, instructions_before};
use crate::visit::{blocks_mut, each_block, walk_exprs};

/// See the module.
pub(crate) fn restore_while(block: &mut Block, features: &Features) {
    for statement in block {
        each_block(statement, |inner| restore_while(inner, features));
        // One with an instruction of its own was written as it is.
        if let StmtKind::While { test, body, orelse } = &mut statement.kind
            && statement.origin == Origin::NONE
            && orelse.is_empty()
            && test.kind == ExprKind::Literal(Literal::Bool(true))
            && let Some((origin, condition)) = leading_test(body, features)
        {
            statement.origin = origin;
            *test = condition;
        }
    }
}

/// See the module.
pub(crate) fn spell_endless_tests(block: &mut Block, function: &Function, contents: Contents) {
    if contents.meets(Contents::NOPS) && function.instructions.iter().any(is_one) {
        spell_ones(block, function);
    }
}

fn spell_ones(block: &mut Block, function: &Function) {
    for statement in block {
        let origin = statement.origin;
        if let StmtKind::While { test, body, .. } = &mut statement.kind
            && test.kind == ExprKind::Literal(Literal::Bool(true))
        {
            // The jump back leads to the instruction (3.13 on), or behind it.
            let start = if origin == Origin::NONE { first_offset(body) } else { Some(origin.0) };
            let at = start.map(|start| instructions_before(function, start));
            let is_test = |at: usize| {
                let before = function.instructions[..at].iter().rev().find(|found| !is_idle(found));
                function.instructions.get(at).is_some_and(is_one) || before.is_some_and(is_one)
            };
            if at.is_some_and(is_test) {
                test.kind = ExprKind::Literal(Literal::Int(1.into()));
            }
        }
        each_block(statement, |inner| spell_ones(inner, function));
    }
}

/// Whether an instruction is all that is left of the constant 1.
fn is_one(found: &Instruction) -> bool {
    found.width == 1 && matches!(found.op, Op::Nop)
}

/// Whether an instruction does nothing, and is no constant: what `try` is compiled to.
fn is_idle(found: &Instruction) -> bool {
    found.width != 1 && matches!(found.op, Op::Nop)
}

/// The offset of the first instruction of a body, as far as its origins tell.
fn first_offset(body: &mut Block) -> Option<u32> {
    let first = body.first_mut()?;
    let mut found = Some(first.origin.0).filter(|_| first.origin != Origin::NONE);
    walk_exprs(first, &mut |expr| {
        let origin = Some(expr.origin.0).filter(|_| expr.origin != Origin::NONE);
        found = [found, origin].into_iter().flatten().min();
    });
    found.or_else(|| blocks_mut(first).next().and_then(first_offset))
}

/// Takes the test that a body starts with: `if c: .. break` first of all, or `if c: .. else: break` alone.
/// Gives the instruction that tests as well.
fn leading_test(body: &mut Block, features: &Features) -> Option<(Origin, Expr)> {
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
        // A `continue` that was written goes to the first test, from 3.10 on, and not to a copy of it below the body.
        let is_implied = |last: &mut Stmt| {
            let is_written = last.origin != Origin::NONE && features.jump_statements_stay;
            matches!(last.kind, StmtKind::Continue) && !is_written
        };
        rest.pop_if(is_implied);
        *body = rest;
        return Some((origin, condition));
    }
    None
}
