//! Pass: what a body ends with is followed by as many jumps as the source makes there.
//!
//! To 3.9 each `if` with an `else` has a jump behind its body, each `continue` is one, and each loop ends with one. They
//! stay where nothing reaches them, or where they lead to the next instruction (CPython `Python/compile.c`;
//! `Python/peephole.c` erases only what lies behind a `return`). So one jump more than the statements make tells of an
//! `else`, and one less that there is none.
//!
//! Needs: `break` and `continue` stand where they were written, as far as that is known otherwise. Establishes: an `if`
//! whose body leaves has the `else` that is jumped over, be it `pass` or `continue`, and one whose body never ends has
//! none that is not.
//!
//! Example: `if a: b()` with a jump to the next instruction behind `b()` becomes `if a: b()`, `else: pass`.

use depyf_bytecode::{Function, Op};
use depyf_syntax::ast::{Block, Origin, Stmt, StmtKind};
use fixedbitset::FixedBitSet;

use crate::flow::{instructions_before, target_of};
use crate::structure::leaves;
use crate::visit::{each_block, each_expr, visit_origins};

/// So many instructions behind the last one that a statement names are looked at for its end.
const NEAREST: usize = 6;

/// See the module.
pub(crate) fn count_jumps(block: &mut Block, function: &Function) {
    if function.features.jump_statements_stay {
        return;
    }
    let mut targets = FixedBitSet::with_capacity(function.instructions.len());
    for target in function.instructions.iter().filter_map(|found| target_of(found.op)) {
        targets.grow_and_insert(target as usize);
    }
    Counter { function, targets }.list(block, Place::ALONE);
}

/// What is behind the end of a list of statements.
#[derive(Clone, Copy)]
struct Place {
    /// The jumps that the statements around make there.
    jumps: i32,
    /// Whether control goes on with the next round of a loop.
    continues: bool,
    /// Whether a `break` is a jump and nothing else here, and whether a `continue` is: either leaves a `try` or `with` first,
    /// and a `break` drops the iterator of a `for`.
    is_jump: [bool; 2],
}

impl Place {
    /// Behind what is in a statement that is more than jumps, or behind the function.
    const ALONE: Self = Self { jumps: 0, continues: false, is_jump: [false, false] };

    /// Whether a statement is one jump here.
    fn jumps_by(self, statement: &StmtKind) -> bool {
        match statement {
            StmtKind::Break => self.is_jump[0],
            StmtKind::Continue => self.is_jump[1],
            _ => false,
        }
    }
}

/// The jumps behind the end of a list that its statements do not make; less than none, if some are missing.
#[derive(Clone, Copy, Default)]
struct Excess {
    jumps: i32,
    /// The instruction of the first of them, if there are any.
    first: usize,
}

struct Counter<'a> {
    function: &'a Function,
    /// The instructions that jumps lead to.
    targets: FixedBitSet,
}

impl Counter<'_> {
    /// Mends the statements of a list.
    fn list(&self, block: &mut Block, place: Place) -> Excess {
        let mut found = Excess::default();
        let mut jumps = place.jumps;
        for at in (0..block.len()).rev() {
            let is_last = at + 1 == block.len();
            let here = Place { jumps, continues: place.continues && is_last, ..place };
            let excess = self.statement(block, at, here, place.continues);
            if is_last {
                found = excess;
            }
            jumps = match &block[at].kind {
                StmtKind::Pass => jumps,
                kind if place.jumps_by(kind) => jumps + 1,
                _ => 0,
            };
        }
        found
    }

    /// Mends a statement, which may take what stands behind it into its `else`.
    fn statement(&self, block: &mut Block, at: usize, place: Place, list_continues: bool) -> Excess {
        let is_last = at + 1 == block.len();
        match &mut block[at].kind {
            StmtKind::If { body, orelse, .. } if orelse.is_empty() => {
                let excess = self.list(body, place);
                if excess.jumps > 0 { self.add_else(block, at, excess, list_continues) } else { excess }
            }
            StmtKind::If { body, orelse, .. } => {
                let behind = self.list(orelse, place);
                let jumps = 1 + leading(orelse, place);
                let excess = self.list(body, Place { jumps, ..place });
                if excess.jumps == -1 && is_last && leaves(body) {
                    if place.continues && self.is_jumped_over(orelse, excess.first, place) {
                        self.drop_continue(body, excess.first);
                    } else {
                        let rest = std::mem::take(orelse);
                        block.extend(rest);
                    }
                }
                behind
            }
            StmtKind::For { body, orelse, .. } => self.a_loop(body, orelse, place, false),
            StmtKind::While { body, orelse, .. } => self.a_loop(body, orelse, place, true),
            StmtKind::Try(inner) => {
                let behind = if inner.finalbody.is_empty() { place } else { Place::ALONE };
                let excess = self.list(&mut inner.orelse, behind);
                let handlers = inner.handlers.iter_mut().map(|handler| &mut handler.body);
                let others = handlers.chain([&mut inner.body, &mut inner.finalbody]);
                others.for_each(|block| _ = self.list(block, Place::ALONE));
                if inner.finalbody.is_empty() { excess } else { Excess::default() }
            }
            StmtKind::With { .. } | StmtKind::Match { .. } => {
                each_block(&mut block[at], |block| _ = self.list(block, Place::ALONE));
                Excess::default()
            }
            _ if is_last => self.behind(&mut block[at], place).unwrap_or_default(),
            _ => Excess::default(),
        }
    }

    fn a_loop(&self, body: &mut Block, orelse: &mut Block, place: Place, is_while: bool) -> Excess {
        let behind = self.list(orelse, place);
        let jumps = 1 + leading(orelse, place);
        let excess = self.list(body, Place { jumps, continues: true, is_jump: [is_while, true] });
        if orelse.is_empty() { excess } else { behind }
    }

    /// Gives a statement the `else` that jumps tell of.
    fn add_else(&self, block: &mut Block, at: usize, excess: Excess, list_continues: bool) -> Excess {
        let rest = &block[at + 1..];
        let other = match rest {
            [] if excess.jumps > 1 && list_continues => {
                vec![Stmt::new(Origin::NONE, StmtKind::Continue)]
            }
            [] => vec![Stmt::new(Origin::NONE, StmtKind::Pass)],
            [Stmt { kind: StmtKind::Continue, .. }] => block.split_off(at + 1),
            [.., last] if self.is_skipped(excess.first, last, list_continues) => block.split_off(at + 1),
            _ if self.skips_nothing(excess.first) => vec![Stmt::new(Origin::NONE, StmtKind::Pass)],
            _ => return Excess::default(),
        };
        let StmtKind::If { body, orelse, .. } = &mut block[at].kind else { return excess };
        let made =
            1 + i32::from(matches!(other[..], [Stmt { kind: StmtKind::Continue, origin: Origin::NONE }]));
        if other.iter().all(|statement| statement.kind == StmtKind::Pass) || leaves(body) {
            *orelse = other;
            return Excess { jumps: excess.jumps - made, first: excess.first + made as usize };
        }
        block.extend(other);
        excess
    }

    /// Whether a jump leads behind the one that is all of an `else`, at an instruction. None in front of it would, if it
    /// were the statement behind: what ends there leads to it.
    fn is_jumped_over(&self, orelse: &[Stmt], at: usize, place: Place) -> bool {
        matches!(orelse, [alone] if place.jumps_by(&alone.kind))
            && matches!(self.op(at), Some(Op::Jump(_)))
            && self.targets.contains(at + 1)
    }

    /// Drops the `continue` in front of an instruction: the jump is that of the loop.
    fn drop_continue(&self, block: &mut Block, behind: usize) {
        let is_it = |origin| self.index(origin).and_then(|first| self.jump(first)) == behind.checked_sub(1);
        match &mut block[..] {
            [_, .., Stmt { kind: StmtKind::Continue, origin }] if is_it(*origin) => drop(block.pop()),
            [.., last] => each_block(last, |inner| self.drop_continue(inner, behind)),
            [] => {}
        }
    }

    /// Whether a jump skips all up to the end of a statement, behind which the next round begins, if that is said.
    fn is_skipped(&self, jump: usize, last: &Stmt, continues: bool) -> bool {
        let Some(Op::Jump(to)) = self.op(jump) else { return false };
        let to = to as usize;
        if to <= jump {
            return continues;
        }
        last.origin != Origin::NONE && instructions_before(self.function, last.origin.0) < to
    }

    /// Whether a jump leads to the next instruction that is none.
    fn skips_nothing(&self, jump: usize) -> bool {
        let Some(Op::Jump(to)) = self.op(jump) else { return false };
        (jump..to as usize).len() <= NEAREST
            && (jump..to as usize).all(|at| matches!(self.op(at), Some(Op::Jump(_))))
            && to as usize > jump
    }

    /// The jumps behind a simple statement that those around do not make.
    fn behind(&self, statement: &mut Stmt, place: Place) -> Option<Excess> {
        let first = match statement.kind {
            StmtKind::Return(_) => return None,
            // It was made of the jump itself.
            StmtKind::Pass => self.index(statement.origin)?,
            StmtKind::Break | StmtKind::Continue => self.jump(self.index(statement.origin)?)? + 1,
            StmtKind::Raise { .. } => self.index(statement.origin)? + 1,
            _ => self.end(statement)?,
        };
        let count = (first..).take_while(|&at| matches!(self.op(at), Some(Op::Jump(_)))).count();
        let jumps = count as i32 - place.jumps;
        Some(Excess { jumps, first })
    }

    /// The jump of a `break` or `continue` of which the first instruction is known. Behind a chained comparison that lies
    /// behind what drops the operand, and the comparison jumps past it.
    fn jump(&self, first: usize) -> Option<usize> {
        let at = (first..first + NEAREST).find(|&at| matches!(self.op(at), Some(Op::Jump(_))))?;
        let [jump, pop, other, again] = [0, 1, 2, 3].map(|distance| self.op(at + distance));
        let is_chain = pop == Some(Op::Pop) && matches!(other, Some(Op::Jump(_))) && jump == again;
        Some(if is_chain { at + 3 } else { at })
    }

    /// The instruction behind those of a simple statement.
    fn end(&self, statement: &mut Stmt) -> Option<usize> {
        let mut last = self.index(statement.origin);
        each_expr(statement, |expr| visit_origins(expr, &mut |origin| last = last.max(self.index(origin))));
        let last = last?;
        (last + 1..=last + NEAREST).find(|&at| {
            self.targets.contains(at)
                || matches!(
                    self.op(at),
                    None | Some(Op::Jump(_) | Op::PopBlock | Op::PopExcept | Op::SetupBlock(_))
                )
        })
    }

    fn index(&self, origin: Origin) -> Option<usize> {
        (origin != Origin::NONE).then(|| instructions_before(self.function, origin.0))
    }

    fn op(&self, at: usize) -> Option<Op> {
        self.function.instructions.get(at).map(|found| found.op)
    }
}

/// The jumps that a list of statements begins with, and what is behind it, if there is nothing else in it.
fn leading(block: &[Stmt], place: Place) -> i32 {
    let mut count = 0;
    for statement in block {
        match &statement.kind {
            StmtKind::Pass => {}
            kind if place.jumps_by(kind) => count += 1,
            _ => return count,
        }
    }
    count + place.jumps
}
