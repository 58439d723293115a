//! Where exceptions go on both sides.

use depyf_bytecode::{Const, Op, Region};

use super::super::program::Near;
use super::stack::{Slot, Stack};
use super::steps::agree;
use super::{Lockstep, Place};
use crate::lower::{LoweredConst, NO_HANDLER};

/// Cleanup handlers that an exception may pass, one after the other.
const MOST_CLEANUPS: usize = 32;

/// Operations that unbind a name.
const UNBINDING: u32 = 3;

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
    fn holds(&self, near: &[Near; 2], (original, source): (u32, u32), stack: &Stack) -> bool {
        near[0].protects(original)
            && near[1].protects(source)
            && stack.height() >= self.depth
            && match stack.is_plain() {
                true => self.hidden == 0,
                false => stack.lowest_previous(0).is_none() && stack.hidden_below(self.depth) == self.hidden,
            }
    }
}

impl Lockstep<'_, '_> {
    /// Both sides let the same exception out of an instruction: it must go to handlers that are the same.
    #[inline]
    pub(super) fn raise(&mut self, original: u32, source: u32, stack: Stack) -> Option<()> {
        // Most functions handle no exception.
        if self.lets_out { Some(()) } else { self.raise_protected(original, source, &stack) }
    }

    /// As [`Lockstep::raise`], where a side handles exceptions.
    #[inline]
    pub(super) fn raise_protected(&mut self, original: u32, source: u32, stack: &Stack) -> Option<()> {
        // Most exceptions go where that of the instruction before went.
        match &self.raised {
            Some(raised) if raised.holds(&self.near, (original, source), stack) => Some(()),
            _ => self.raise_elsewhere(original, source, *stack),
        }
    }

    #[inline(never)]
    fn raise_elsewhere(&mut self, original: u32, source: u32, stack: Stack) -> Option<()> {
        self.raise_to_handler(original, source, stack)?;
        let depth = self.near[0].region().map_or(0, |region| region.depth);
        self.raised =
            stack.lowest_previous(0).is_none().then(|| Raised { depth, hidden: stack.hidden_below(depth) });
        Some(())
    }

    fn raise_to_handler(&mut self, original: u32, source: u32, stack: Stack) -> Option<()> {
        let first = self.original.region_near(original, &mut self.near[0]);
        let second = self.source.region_near(source, &mut self.near[1]);
        if let Some(Region { handler: NO_HANDLER, .. }) = second {
            return first.is_none().then_some(());
        }
        if first.is_none() && second.is_none() {
            // Behind the wrapper of a generator the source's exception would be another.
            return (!self.wrapped).then_some(());
        }
        if self.features.six_value_handlers {
            return self.raise_to_saving_handler(first?, second?, stack);
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

    /// To 3.10 a handler starts with what was handled before already saved, and what leaves it restores that by itself.
    /// The source saves it in those that handle the exception; the others let it go on.
    fn raise_to_saving_handler(
        &mut self,
        mut first: Region,
        mut second: Region,
        mut stack: Stack,
    ) -> Option<()> {
        for _ in 0..MOST_CLEANUPS {
            stack = stack.kept_whole(first.depth)?;
            agree(stack.values() == second.depth)?;
            let (a, b) = (self.original.skip_nops(first.handler), self.source.skip_nops(second.handler));
            let (a, b) = match (self.original.op(a)?, self.source.op(b)?) {
                (_, Op::PushExcInfo) => {
                    stack.push_raised()?;
                    self.meet_later(Place { original: a, source: b + 1, stack });
                    return Some(());
                }
                (Op::EndAsyncFor, Op::EndAsyncFor) => {
                    let mut behind = stack;
                    behind.pop_values(1)?;
                    self.meet_later(Place { original: a + 1, source: b + 1, stack: behind });
                    (a, b)
                }
                _ => self.unbinding(a, b)?,
            };
            (first, second) = match (self.original.region(a), self.source.region(b)) {
                (None, None) => return Some(()),
                (first, second) => (first?, second?),
            };
        }
        None
    }

    /// Where the exception goes on of a handler that only unbinds the name of an `except .. as name`. Meanwhile it counts
    /// as handled to 3.10, which nobody can tell.
    fn unbinding(&mut self, a: u32, b: u32) -> Option<(u32, u32)> {
        self.unbinds(a, b)?;
        let (a, b) = (a + UNBINDING, b + UNBINDING);
        agree(matches!((self.original.op(a)?, self.source.op(b)?), (Op::Reraise(_), Op::Reraise(_))))?;
        // What a store raises goes where the exception goes.
        let around = (self.original.region(a), self.source.region(b));
        let is_around = |at: u32| (self.original.region(a - at), self.source.region(b - at)) == around;
        agree((1..UNBINDING).all(is_around))?;
        Some((a, b))
    }

    /// In 3.8 the name of an `except .. as name` is unbound in front of the end of its handler, later behind it.
    pub(super) fn unbinds_before_end(&mut self, place: &mut Place) -> Option<()> {
        let (a, b) = (place.original, place.source + 1);
        self.unbinds(a, b)?;
        let mut end = a + UNBINDING;
        while let Op::Jump(to) = self.original.op(end)? {
            self.spend()?;
            end = to;
        }
        agree(self.original.op(end) == Some(Op::PopExcept))?;
        place.stack.pop_saved()?;
        (1..UNBINDING).try_for_each(|at| self.raise(a + at, b + at, place.stack))?;
        (place.original, place.source) = (end + 1, b + UNBINDING);
        Some(())
    }

    /// `name = None; del name` on both sides.
    fn unbinds(&mut self, a: u32, b: u32) -> Option<()> {
        let is_none = match (self.original.op(a)?, self.source.op(b)?) {
            (Op::Const(first), Op::Const(second)) => {
                self.code.consts.get(first as usize) == Some(&Const::None)
                    && matches!(
                        self.lowered.consts.get(second as usize),
                        Some(LoweredConst::Value(Const::None))
                    )
            }
            _ => false,
        };
        agree(is_none)?;
        let first = (self.original.op(a + 1)?, self.original.op(a + 2)?);
        let second = (self.source.op(b + 1)?, self.source.op(b + 2)?);
        agree([first, second].into_iter().all(is_same_name))?;
        match (first.0, second.0) {
            (Op::StoreLocal(x), Op::StoreLocal(y)) => self.local(x, y),
            (Op::StoreDeref(x), Op::StoreDeref(y)) => self.same_variable(x, y),
            (Op::StoreName(x), Op::StoreName(y)) | (Op::StoreGlobal(x), Op::StoreGlobal(y)) => {
                self.name(x, y)
            }
            _ => None,
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

/// Whether one operation deletes what the other stores.
fn is_same_name((stored, deleted): (Op, Op)) -> bool {
    match (stored, deleted) {
        (Op::StoreLocal(stored), Op::DeleteLocal(deleted))
        | (Op::StoreDeref(stored), Op::DeleteDeref(deleted))
        | (Op::StoreName(stored), Op::DeleteName(deleted))
        | (Op::StoreGlobal(stored), Op::DeleteGlobal(deleted)) => stored == deleted,
        _ => false,
    }
}
