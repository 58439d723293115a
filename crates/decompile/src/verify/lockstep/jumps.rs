//! Places that both sides go on at behind a test or a loop's head.

use depyf_bytecode::{Const, JumpCondition, Op};

use super::stack::Slot;
use super::steps::agree;
use super::{Lockstep, Next, Place};
use crate::lower::LoweredConst;

/// Where an instruction goes on if its test holds, and if not.
pub(super) type Ways = (u32, u32);

impl Lockstep<'_, '_> {
    /// Jumps that may be taken or not.
    pub(super) fn jump(
        &mut self,
        place: &mut Place,
        (a, first): (u32, Op),
        (b, second): (u32, Op),
    ) -> Option<Next> {
        let stack = &mut place.stack;
        match first {
            Op::JumpIf(JumpCondition::True | JumpCondition::False, _) => {
                stack.pop_values(1)?;
                self.raise(a, b, place.stack)?;
                self.branch(place, (a, first), (b, second))
            }
            Op::JumpIf(condition, to) => {
                stack.pop_values(1)?;
                let yes = condition == JumpCondition::None;
                let first = if yes { (to, a + 1) } else { (a + 1, to) };
                let second = self.tests_none(b, second)?;
                Some(self.fork(place, first, second))
            }
            Op::JumpIfOrPop(when, to) => {
                // The source copies the value, tests the copy, and drops the value where it goes on.
                let test = self.source.skip_nops(b + 1);
                let (yes, no) = ways(test, self.source.op(test)?)?;
                let (kept, other) = if when { (yes, no) } else { (no, yes) };
                let other = self.source.skip_nops(other);
                agree(second == Op::Copy(1) && self.source.op(other) == Some(Op::Pop))?;
                agree(stack.top() == Some(Slot::Value))?;
                self.raise(a, test, place.stack)?;
                self.meet_later(Place { original: to, source: kept, stack: place.stack });
                place.stack.pop()?;
                (place.original, place.source) = (a + 1, other + 1);
                Some(Next::Lands)
            }
            Op::ForIter { exhausted, slots, pops } => {
                let Op::ForIter { exhausted: end, slots: 1, pops: true } = second else { return None };
                let slots = u32::from(slots);
                agree((1..=2).contains(&slots))?;
                agree(slots == 1 || stack.top() == Some(Slot::Hidden))?;
                agree(stack.peek(slots) == Some(Slot::Value))?;
                self.raise(a, b, place.stack)?;
                let mut exhausted = exhausted;
                for _ in 0..if pops { 0 } else { slots } {
                    exhausted = self.original.skip_nops(exhausted);
                    agree(self.original.op(exhausted) == Some(Op::Pop))?;
                    exhausted += 1;
                }
                let left = place.stack.kept(place.stack.height() - slots)?;
                self.meet_later(Place { original: exhausted, source: end, stack: left });
                place.stack.push(Slot::Value)?;
                (place.original, place.source) = (a + 1, b + 1);
                Some(Next::Falls)
            }
            _ => None,
        }
    }

    /// Both sides jump on the truth of the value that was popped.
    pub(super) fn branch(&mut self, place: &mut Place, first: (u32, Op), second: (u32, Op)) -> Option<Next> {
        let (first, second) = (ways(first.0, first.1)?, ways(second.0, second.1)?);
        Some(self.fork(place, first, second))
    }

    pub(super) fn fork(&mut self, place: &mut Place, first: Ways, second: Ways) -> Next {
        let other = Place { original: first.1, source: second.1, stack: place.stack };
        self.meet_later(other);
        (place.original, place.source) = (first.0, second.0);
        Next::Lands
    }

    /// Where the source goes on that tests whether a value is None.
    fn tests_none(&self, b: u32, second: Op) -> Option<Ways> {
        let Op::Const(index) = second else { return None };
        let none = matches!(self.lowered.consts.get(index as usize), Some(LoweredConst::Value(Const::None)));
        let compares = self.source.skip_nops(b + 1);
        let jumps = self.source.skip_nops(compares + 1);
        let Some(Op::Is { negated }) = self.source.op(compares).filter(|_| none) else { return None };
        let (yes, no) = ways(jumps, self.source.op(jumps)?)?;
        Some(if negated { (no, yes) } else { (yes, no) })
    }
}

/// The ways of a jump on truth.
pub(super) fn ways(at: u32, op: Op) -> Option<Ways> {
    match op {
        Op::JumpIf(JumpCondition::True, to) => Some((to, at + 1)),
        Op::JumpIf(JumpCondition::False, to) => Some((at + 1, to)),
        _ => None,
    }
}
