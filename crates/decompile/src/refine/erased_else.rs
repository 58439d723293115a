//! Pass: what stands behind a statement that returns is its `else` if the bytecode goes on there, though nothing does.
//!
//! To 3.9 the compiler erases what lies behind a `return`, as far as no jump leads there (CPython `Python/peephole.c`). The
//! jump over an `else` is erased itself, behind the `return` in front of it, but what it led to stays: instructions right
//! behind another `return`, to which nothing leads. Without the `else` they would not be there. So any statement in
//! front that returns may have it; the last one gets it. At the end of the function that is the `return None` that the
//! compiler puts there (`Python/compile.c`, `assemble`). A function that the compiler left as it came has all its jumps,
//! and that `return None` in any case.
//!
//! Needs: implied ends are dropped. Establishes: recompiling leaves the same instructions behind each `return`.
//!
//! Example: `if a: return b` and `return c` become `if a: return b`, `else: return c`.

use depyf_bytecode::{CodeObject, Function, Op, flags, was_optimized};
use depyf_syntax::ast::{Block, ExprKind, Handler, Stmt, StmtKind};
use fixedbitset::FixedBitSet;

use crate::flow::{instructions_before, origins, target_of};
use crate::structure::leaves;
use crate::visit::{each_block, holds_blocks, never_breaks};

/// See the module.
pub(crate) fn restore_erased_else(block: &mut Block, code: &CodeObject, function: &Function) {
    if code.flags & flags::OPTIMIZED == 0 {
        return;
    }
    if was_optimized(code) {
        let left_over = left_over(function);
        if !left_over.is_clear() {
            let is_wanted = |offset| is_in_front(function, &left_over, offset);
            Restorer { is_wanted, keeps_named: function.features.finally_subroutines }.restore(block, false);
        }
    } else if function.instructions.last().is_some_and(|last| last.op == Op::Nop)
        && returned_at(block).is_some()
    {
        give_else(block, |statement, is_last| {
            returns_early(statement, false) || is_last && never_breaks(statement)
        });
    }
}

/// The instructions right behind a `return` to which nothing leads.
fn left_over(function: &Function) -> FixedBitSet {
    let count = function.instructions.len();
    let mut found = FixedBitSet::with_capacity(count);
    let pairs = function.instructions.windows(2).enumerate();
    found.extend(pairs.filter(|(_, pair)| pair[0].op == Op::Return).map(|(at, _)| at + 1));
    if !found.is_clear() {
        let targets = function.instructions.iter().filter_map(|instruction| target_of(instruction.op));
        for target in targets.chain(function.regions.iter().map(|region| region.handler)) {
            found.set(target as usize, false);
        }
    }
    found
}

/// Whether one of some instructions lies behind the `return` at an offset, or behind what it returns there.
fn is_in_front(function: &Function, instructions: &FixedBitSet, offset: u32) -> bool {
    let at = instructions_before(function, offset);
    let is_return = |at: &usize| function.instructions.get(*at).is_some_and(|found| found.op == Op::Return);
    (at..=at + 1).find(is_return).is_some_and(|at| instructions.contains(at + 1))
}

/// Which statements get an `else`.
struct Restorer<F> {
    /// Whether the bytecode goes on behind the `return` at an offset.
    is_wanted: F,
    /// Whether a handler that unbinds a name keeps the jump behind it, though it returns: what unbinds the name lies between
    /// (3.8).
    keeps_named: bool,
}

impl<F: Fn(u32) -> bool> Restorer<F> {
    /// Gives each list of statements that ends with such a `return` an `else`, unless it is one already.
    fn restore(&self, block: &mut Block, is_else: bool) {
        if !is_else && returned_at(block).is_some_and(&self.is_wanted) {
            give_else(block, |statement, _| returns_early(statement, self.keeps_named));
        }
        for statement in block.iter_mut().filter(|statement| holds_blocks(statement)) {
            match &mut statement.kind {
                StmtKind::If { body, orelse, .. } => {
                    self.restore(body, false);
                    self.restore(orelse, returned_at(body).is_some());
                }
                StmtKind::Try(inner) => {
                    let is_else = inner.handlers.iter().any(|handler| {
                        returned_at(&handler.body).is_some() && !keeps_jump(handler, self.keeps_named)
                    });
                    self.restore(&mut inner.orelse, is_else);
                    self.restore(&mut inner.body, false);
                    self.restore(&mut inner.finalbody, false);
                    inner.handlers.iter_mut().for_each(|handler| self.restore(&mut handler.body, false));
                }
                _ => each_block(statement, |inner| self.restore(inner, false)),
            }
        }
    }
}

/// Makes what stands behind the last statement that may have it its `else`; `may_have` is also told whether one statement
/// alone is left behind it.
fn give_else(block: &mut Block, mut may_have: impl FnMut(&mut Stmt, bool) -> bool) {
    let last = block.len() - 1;
    let Some(at) = (0..last).rev().find(|&at| may_have(&mut block[at], at + 1 == last)) else { return };
    let rest = block.split_off(at + 1);
    match &mut block[at].kind {
        StmtKind::If { orelse, .. } | StmtKind::For { orelse, .. } | StmtKind::While { orelse, .. } => {
            *orelse = rest;
        }
        StmtKind::Try(inner) => inner.orelse = rest,
        _ => {}
    }
}

/// The offset of the `return` that is the last statement, or of what it returns: a conditional expression is returned by
/// two instructions.
fn returned_at(block: &[Stmt]) -> Option<u32> {
    match block.last() {
        Some(Stmt { kind: StmtKind::Return(value), origin }) => match value {
            Some(value) if matches!(value.kind, ExprKind::IfExp { .. }) => {
                origins(value).into_iter().chain([origin.0]).max()
            }
            _ => Some(origin.0),
        },
        _ => None,
    }
}

/// Whether all ways through statements end in a `return`, with no more than tests in front of it.
fn ends_in_return(block: &[Stmt]) -> bool {
    match block.last().map(|last| &last.kind) {
        Some(StmtKind::If { body, orelse, .. }) => ends_in_return(body) && ends_in_return(orelse),
        last => matches!(last, Some(StmtKind::Return(_))),
    }
}

/// Whether a statement without `else` returns where one would be jumped over, and nowhere else goes on behind it. Handlers
/// with names may keep the jump.
fn returns_early(statement: &mut Stmt, keeps_named: bool) -> bool {
    match &statement.kind {
        StmtKind::If { body, orelse, .. } => orelse.is_empty() && ends_in_return(body),
        StmtKind::Try(inner) => {
            inner.orelse.is_empty()
                && inner.finalbody.is_empty()
                && inner.handlers.iter().all(|handler| leaves(&handler.body))
                && (inner.handlers.iter())
                    .any(|handler| ends_in_return(&handler.body) && !keeps_jump(handler, keeps_named))
        }
        _ => false,
    }
}

/// Whether a handler keeps the jump behind it, though it returns: see [`Restorer::keeps_named`].
fn keeps_jump(handler: &Handler, keeps_named: bool) -> bool {
    keeps_named && handler.name.is_some()
}
