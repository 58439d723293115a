//! Where exceptions go on both sides.

use depyf_bytecode::{Op, Region};

use super::stack::{Slot, Stack};
use super::{Lockstep, Place};

/// Cleanup handlers that an exception may pass, one after the other.
const MOST_CLEANUPS: usize = 32;

impl Lockstep<'_, '_> {
    /// Both sides let the same exception out of an instruction: it must go to handlers that are the same.
    #[inline]
    pub(super) fn raise(&mut self, original: u32, source: u32, stack: Stack) -> Option<()> {
        // Most functions handle no exception.
        if self.original.regions.is_empty() && self.source.regions.is_empty() {
            return (!self.wrapped).then_some(());
        }
        self.raise_to_handler(original, source, stack)
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
        let met = self.memory.met.get(place.original as usize);
        if met != Some(&place) && self.memory.work.last() != Some(&place) {
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
