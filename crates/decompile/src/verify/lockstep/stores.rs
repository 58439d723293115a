//! Values that are exchanged, stored into locals and dropped, in whatever order.

use depyf_bytecode::{Op, Variable, VariableKind};

use super::super::program::{Operation, Program};
use super::stack::Slot;
use super::steps::agree;
use super::{Lockstep, Place};

/// Operations of one such run, and values that it takes; a longer one is left to the full comparison.
const MOST: usize = 16;

/// What a run of operations does with the values on top of the stack: the topmost is number 0.
struct Run {
    /// Behind it.
    next: u32,
    /// How many values it takes.
    taken: usize,
    /// Locals and the values that they end with.
    stored: Vec<(u32, usize)>,
}

impl Lockstep<'_, '_> {
    /// `a, b = b, c` where one side exchanges the values and the other changes the order of the stores: nobody
    /// can tell the difference.
    pub(super) fn stores(&mut self, place: &mut Place) -> Option<()> {
        let variables = self.variables;
        let has_slot = |variable: &Variable| variable.kind != VariableKind::Free;
        let is_local = |at: u32| variables.get(at as usize).is_some_and(has_slot);
        let lowered = &self.lowered.variables;
        let is_source_local = |at: u32| lowered.get(at as usize).is_some_and(has_slot);
        let (a, b) = (place.original, place.source);
        let pair = || {
            let second = run(self.source, is_source_local, b, None)?;
            Some((run(self.original, is_local, a, Some(second.taken))?, second))
        };
        let turned = || {
            let first = run(self.original, is_local, a, None)?;
            let second = run(self.source, is_source_local, b, Some(first.taken))?;
            Some((first, second))
        };
        let (first, second) = pair().or_else(turned)?;
        agree((1..=first.taken as u32).all(|depth| place.stack.peek(depth) == Some(Slot::Value)))?;
        agree(first.stored.len() == second.stored.len())?;
        for (variable, value) in first.stored {
            let partner =
                second.stored.iter().find(|(other, _)| self.same_variable(variable, *other).is_some());
            let &(other, found) = partner?;
            agree(found == value)?;
            self.local(variable, other)?;
        }
        place.stack.pop_values(first.taken as u32)?;
        (place.original, place.source) = (first.next, second.next);
        Some(())
    }
}

/// Follows operations that only move values, until all that were taken are stored or dropped: the first time,
/// or when that many are.
fn run<I: Operation>(
    program: Program<'_, I>,
    is_local: impl Fn(u32) -> bool,
    at: u32,
    wanted: Option<usize>,
) -> Option<Run> {
    let mut run = Run { next: at, taken: 0, stored: Vec::new() };
    let mut stack: Vec<usize> = Vec::new();
    for _ in 0..MOST {
        let op = program.op(run.next)?;
        run.next += 1;
        let needed = match op {
            Op::Nop => continue,
            Op::Jump(to) => {
                run.next = to;
                continue;
            }
            Op::Pop => 1,
            Op::StoreLocal(variable) if is_local(variable) => 1,
            Op::Swap(depth) | Op::Rot(depth) => depth as usize,
            Op::BuildTuple(count) if program.op(run.next) == Some(Op::Unpack(count)) => {
                run.next += 1;
                count as usize
            }
            _ => return None,
        };
        if needed == 0 || needed > MOST {
            return None;
        }
        while stack.len() < needed {
            stack.insert(0, run.taken);
            run.taken += 1;
        }
        let lowest = stack.len() - needed;
        match op {
            Op::StoreLocal(variable) => {
                let value = stack.pop()?;
                run.stored.retain(|(other, _)| *other != variable);
                run.stored.push((variable, value));
            }
            Op::Pop => drop(stack.pop()),
            Op::Swap(_) => {
                let top = stack.len() - 1;
                stack.swap(top, lowest);
            }
            Op::Rot(_) => stack[lowest..].rotate_right(1),
            _ => stack[lowest..].reverse(),
        }
        if stack.is_empty() && wanted.is_none_or(|wanted| wanted <= run.taken) {
            return wanted.is_none_or(|wanted| wanted == run.taken).then_some(run);
        }
    }
    None
}
