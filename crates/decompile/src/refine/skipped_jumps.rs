//! Pass: a `break` or `continue` behind an `if` is one statement, though the test does not lead to it.
//!
//! To 3.9 a jump that would lead to such a statement leads to where that goes (CPython `Python/peephole.c`), so only what
//! lies right in front of it runs into it, which is the body of the `if`, or of its `else`. The other ways seem to go on by
//! themselves.
//!
//! Needs: the structured tree, `continue` only where it is not implied. Establishes: such a statement, of which one
//! instruction was made, stands behind the `if` from which all ways lead there; it needs no `else` behind it where no jump
//! skips one.
//!
//! Example: `if a: b; break` and a `break` without an instruction become `if a: b`, `break`.

use depyf_bytecode::{Function, Op};
use depyf_syntax::ast::{Block, ExprKind, Origin, Stmt, StmtKind};

use crate::flow::{instructions_before, origins};
use crate::structure::leaves;
use crate::visit::{each_block, holds_blocks};

/// See the module.
pub(crate) fn join_skipped_jumps(block: &mut Block, function: &Function) {
    if !function.features.jump_statements_stay {
        Jumps { function }.join(block, false);
    }
}

/// So many instructions behind the last operand of a test are looked at for its jump.
const NEAREST: usize = 8;

struct Jumps<'a> {
    function: &'a Function,
}

impl Jumps<'_> {
    fn join(&self, block: &mut Block, in_loop: bool) {
        for at in (0..block.len()).rev() {
            if !holds_blocks(&block[at]) {
                continue;
            }
            match &mut block[at].kind {
                StmtKind::For { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
                    self.join(body, true);
                    self.join(orelse, in_loop);
                }
                _ => each_block(&mut block[at], |inner| self.join(inner, in_loop)),
            }
            let test = self.last_test(&block[at]);
            let StmtKind::If { body, orelse, .. } = &mut block[at].kind else { continue };
            if in_loop && !orelse.is_empty() {
                self.restore_continue(body);
            }
            if !orelse.is_empty() && !orelse.iter().all(is_skipped) && self.skips_nothing(test, body) {
                let rest = std::mem::take(orelse);
                block.splice(at + 1..=at, rest);
            } else if at + 2 >= block.len()
                && let (before, next) = block.split_at_mut(at + 1)
                && let Some(jump) = self.take_out(&mut before[at], next.first())
            {
                block.truncate(at + 1);
                block.push(jump);
            }
        }
    }

    /// In front of an `else` a jump skips that, and no way leads back to the head of a loop: one that does is that of a
    /// `continue`.
    fn restore_continue(&self, body: &mut Block) {
        let Some(last) = body.last() else { return };
        if let Some(at) = self.way_out(last)
            && let Some(Op::JumpIf(_, to) | Op::Jump(to)) = self.op(at)
            && to as usize <= at
        {
            body.push(Stmt::new(Origin(self.function.instructions[at].offset), StmtKind::Continue));
        }
    }

    /// The jump by which a statement goes on without having done all that is in it.
    fn way_out(&self, statement: &Stmt) -> Option<usize> {
        match &statement.kind {
            StmtKind::If { body, orelse, .. } => {
                let test = self.last_test(statement);
                let Op::JumpIf(_, other) = self.op(test)? else { return None };
                if orelse.is_empty() {
                    return Some(test).filter(|_| !body.last().is_some_and(is_jump));
                }
                // The test leads to where a skipped jump goes, and not to the `else`.
                let skip =
                    (other as usize).checked_sub(1).filter(|_| !orelse.first().is_some_and(is_skipped))?;
                Some(skip).filter(|_| matches!(self.op(skip), Some(Op::Jump(_))) && !leaves(body))
            }
            StmtKind::Try(inner) if inner.orelse.is_empty() && inner.finalbody.is_empty() => {
                let last =
                    inner.body.last().filter(|last| !holds_blocks(last) && last.origin != Origin::NONE)?;
                let mut at = self.index_of(last.origin) + 1;
                while matches!(self.op(at), Some(Op::Pop | Op::PopBlock)) {
                    at += 1;
                }
                Some(at).filter(|&at| matches!(self.op(at), Some(Op::Jump(_))) && !leaves(&inner.body))
            }
            _ => None,
        }
    }

    /// Whether nothing skips what a test leads to behind a body, which ends in a `continue` or `break`: it is no `else`.
    fn skips_nothing(&self, test: usize, body: &[Stmt]) -> bool {
        let Some(Op::JumpIf(_, other)) = self.op(test) else { return false };
        let in_front = |distance: usize| {
            (other as usize).checked_sub(distance).is_some_and(|at| matches!(self.op(at), Some(Op::Jump(_))))
        };
        body.last().is_some_and(|last| is_jump(last) && last.origin != Origin::NONE)
            && !(in_front(1) && in_front(2))
    }

    /// Takes the jump at the end of an `if` out of it, if all ways out of it lead where that does: by themselves, or by a
    /// jump without an instruction, which is the `else` or stands behind.
    fn take_out(&self, statement: &mut Stmt, next: Option<&Stmt>) -> Option<Stmt> {
        let test = self.last_test(statement);
        let StmtKind::If { body, orelse, .. } = &mut statement.kind else { return None };
        let ends_as = |body: &Block, other: &Stmt| {
            is_skipped(other) && body.last().is_some_and(|last| last.kind == other.kind)
        };
        let last = match (&orelse[..], next) {
            ([], _) => &*body,
            ([only], None) if ends_as(body, only) => &*body,
            (_, None) => &*orelse,
            _ => return None,
        };
        let to = self.jump_at_end(last).filter(|_| last.len() > 1)?;
        let all_lead_there = match (&orelse[..], next, self.op(test)) {
            ([], Some(next), _) => ends_as(body, next),
            ([only], None, _) if ends_as(body, only) => {
                orelse.clear();
                true
            }
            ([], None, Some(Op::JumpIf(_, other))) => other == to,
            // The jump that skips the `else`.
            (_, None, Some(Op::JumpIf(_, other))) => self.jump_in_front(other) == Some(to),
            _ => false,
        };
        let last = if orelse.is_empty() { body } else { orelse };
        if all_lead_there { last.pop() } else { None }
    }

    /// Where the jump leads that lies in front of an instruction.
    fn jump_in_front(&self, of: u32) -> Option<u32> {
        match self.op((of as usize).checked_sub(1)?)? {
            Op::Jump(to) => Some(to),
            _ => None,
        }
    }

    /// Where the `break` or `continue` leads that is the last statement of a block and an instruction. Behind that may lie
    /// another one that is skipped: the same jump.
    fn jump_at_end(&self, block: &[Stmt]) -> Option<u32> {
        let last = block.last().filter(|last| is_jump(last) && last.origin != Origin::NONE)?;
        let at = self.index_of(last.origin);
        match self.op(at)? {
            Op::Jump(to) if self.op(at + 1) != Some(Op::Jump(to)) => Some(to),
            _ => None,
        }
    }

    /// The last jump of the test of an `if`, behind which its body lies.
    fn last_test(&self, statement: &Stmt) -> usize {
        let first = self.index_of(statement.origin);
        let StmtKind::If { test, .. } = &statement.kind else { return first };
        if !matches!(test.kind, ExprKind::Bool { .. } | ExprKind::Unary { .. } | ExprKind::Compare { .. }) {
            return first;
        }
        let last = origins(test).into_iter().max().map_or(0, |last| instructions_before(self.function, last));
        let behind = self.function.instructions.iter().enumerate().skip(last.max(first)).take(NEAREST);
        let mut tests = behind.take_while(|(_, found)| !matches!(found.op, Op::Jump(_)));
        tests.find(|(_, found)| matches!(found.op, Op::JumpIf(..))).map_or(first, |(at, _)| at)
    }

    fn index_of(&self, origin: Origin) -> usize {
        instructions_before(self.function, origin.0)
    }

    fn op(&self, at: usize) -> Option<Op> {
        self.function.instructions.get(at).map(|found| found.op)
    }
}

fn is_jump(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Break | StmtKind::Continue)
}

/// Whether a statement is a jump that has no instruction.
fn is_skipped(statement: &Stmt) -> bool {
    is_jump(statement) && statement.origin == Origin::NONE
}
