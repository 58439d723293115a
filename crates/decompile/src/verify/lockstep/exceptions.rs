//! Where exceptions go on both sides.

use depyf_bytecode::{Op, Region};

use super::super::program::Near;
use super::stack::{Slot, Stack};
use super::{Lockstep, Place};

/// Cleanup handlers that an exception may pass, one after the other.
const MOST_CLEANUPS: usize = 32;

/// An exception that both sides handle in the same way: that of the instructions that were looked at last, on a
/// stack that holds no exception which was handled before.
#[derive(Clone, Copy)]
pub(super) struct Raised {
    /// How much of the stack the handler of the original keeps.
    depth: u32,
    /// The hidden slots among these.
    hidden: u64,
}

impl Raised {
    /// Whether what held for that exception holds for another one: the same regions protect the instructions, and the
    /// stack is the same as far as any handler can see.
    #[inline]
    fn holds(self, near: &[Near; 2], (original, source): (u32, u32), stack: Stack) -> bool {
        near[0].protects(original)
            && near[1].protects(source)
            && stack.height() >= self.depth
            && stack.lowest_previous(0).is_none()
            && stack.hidden_below(self.depth) == self.hidden
    }
}

impl Lockstep<'_, '_> {
    /// Both sides let the same exception out of an instruction: it must go to handlers that are the same.
    #[inline]
    pub(super) fn raise(&mut self, original: u32, source: u32, stack: Stack) -> Option<()> {
        // Most functions handle no exception.
        if self.lets_out { Some(()) } else { self.raise_protected(original, source, stack) }
    }

    #[inline(never)]
    fn raise_protected(&mut self, original: u32, source: u32, stack: Stack) -> Option<()> {
        // Most exceptions go where that of the instruction before went.
        if self.raised.is_some_and(|raised| raised.holds(&self.near, (original, source), stack)) {
            return Some(());
        }
        self.raise_to_handler(original, source, stack)?;
        let depth = self.near[0].region().map_or(0, |region| region.depth);
        self.raised =
            stack.lowest_previous(0).is_none().then(|| Raised { depth, hidden: stack.hidden_below(depth) });
        Some(())
    }

    fn raise_to_handler(&mut self, original: u32, source: u32, stack: Stack) -> Option<()> {
        let first = self.original.region_near(original, &mut self.near[0]);
        let second = self.source.region_near(source, &mut self.near[1]);
        if first.is_none() && second.is_none() {
            // Behind the wrapper of a generator the source's exception would be another.
            return (!self.wrapped).then_some(());
        }
        if self.features.six_value_handlers {
            return None;
        }
        let (first, restored) = self.behind_cleanups(first?, stack)?;
        match (first, second) {
            (None, None) => (!self.wrapped).then_some(()),
            (Some(first), None) => {
                let is_wrapper = self.wrapped
                    && self.original.op(first.handler) != Some(Op::Nop)
                    && self.original.wraps_stop_iteration(first.handler);
                is_wrapper.then_some(())
            }
            (None, Some(_)) => None,
            (Some(first), Some(second)) => {
                let mut kept = stack.kept(first.depth)?;
                // The source restores by itself what was handled before the handlers that it leaves.
                if kept.values() != second.depth || restored != stack.lowest_previous(first.depth) {
                    return None;
                }
                if first.lasti {
                    kept.push(Slot::Hidden)?;
                }
                kept.push(Slot::Value)?;
                let place = Place { original: first.handler, source: second.handler, stack: kept };
                self.meet_later(place);
                Some(())
            }
        }
    }

    /// Handlers are entered from many instructions, but looked at once.
    pub(super) fn meet_later(&mut self, place: Place) {
        let comparison = self.memory.comparison;
        let is_met = self.memory.met.get(place.original as usize).is_some_and(|met| {
            met.comparison == comparison && met.source == place.source && met.stack == place.stack
        });
        if !is_met && self.memory.work.last() != Some(&place) {
            self.memory.work.push(place);
        }
    }

    /// The region whose handler an exception comes to behind those that only restore what was handled before
    /// (`COPY 3; POP_EXCEPT; RERAISE`), and the slot that the last of these restores it from.
    fn behind_cleanups(&self, region: Region, mut stack: Stack) -> Option<(Option<Region>, Option<u32>)> {
        let mut region = Some(region);
        let mut restored = None;
        for _ in 0..MOST_CLEANUPS {
            let Some(found) = region else { return Some((None, restored)) };
            stack = stack.kept(found.depth)?;
            let at = found.handler;
            let restores = self.original.op(at) == Some(Op::Copy(3))
                && self.original.op(at + 1) == Some(Op::PopExcept)
                && matches!(self.original.op(at + 2), Some(Op::Reraise(_)))
                && found.lasti
                && stack.top() == Some(Slot::Previous);
            if !restores {
                return Some((region, restored));
            }
            restored = Some(found.depth - 1);
            region = self.original.region(at + 2);
        }
        None
    }
}
