//! Pass: the function ends in an `else` if the bytecode has an end that nothing reaches.
//!
//! To 3.9 the compiler puts `return None` behind a function unless its last statement is a `return` (CPython
//! `Python/compile.c`, `assemble`), and erases no block. Where both arms of an `if` return, the end is not reached;
//! without the `else` it would not be there. That is all that tells them apart: behind a `return` the jump over the
//! `else` is erased. So any `if` that returns may have it; the last one gets it.
//!
//! Needs: implied ends are dropped. Establishes: recompiling gives the same end.
//!
//! Example: `if a: return b` and `return c` become `if a: return b`, `else: return c`.

use depyf_bytecode::{Function, Op};
use depyf_syntax::ast::{Block, Stmt, StmtKind};

use super::visit::blocks_mut;

/// See the module.
pub(crate) fn restore_last_else(block: &mut Block, function: &Function) {
    let has_end = function.instructions.last().is_some_and(|last| last.op == Op::Nop);
    let returns = |body: &[Stmt]| matches!(body.last(), Some(Stmt { kind: StmtKind::Return(_), .. }));
    if !function.features.source_order || !has_end || !returns(block) {
        return;
    }
    let takes_else = |statement: &mut Stmt, is_last: bool| match &mut statement.kind {
        StmtKind::If { body, orelse, .. } => orelse.is_empty() && returns(body),
        StmtKind::For { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
            is_last && orelse.is_empty() && !body.iter_mut().any(breaks)
        }
        _ => false,
    };
    let before = block.len() - 1;
    let found = (0..before).rev().find(|&at| takes_else(&mut block[at], at + 1 == before));
    let Some(at) = found else { return };
    let rest = block.split_off(at + 1);
    if let StmtKind::If { orelse, .. } | StmtKind::For { orelse, .. } | StmtKind::While { orelse, .. } =
        &mut block[at].kind
    {
        *orelse = rest;
    }
}

/// Whether a `break` leaves the loop around the statement.
pub(super) fn breaks(statement: &mut Stmt) -> bool {
    match &mut statement.kind {
        StmtKind::Break => true,
        StmtKind::For { orelse, .. } | StmtKind::While { orelse, .. } => orelse.iter_mut().any(breaks),
        _ => blocks_mut(statement).flatten().any(breaks),
    }
}
