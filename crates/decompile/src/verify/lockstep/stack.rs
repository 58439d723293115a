//! Which slots of the original's stack the source has too.

/// So many slots at the top may be other than plain values; below them lie the items of a long display or call.
const TOP_SLOTS: u32 = 64;

/// A slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// A value that lies on both stacks.
    Value,
    /// As `Value`; it is the exception that was handled before.
    Previous,
    /// Only the original has it: the NULL of a call, the instruction offset of a handler, an iterator that
    /// `yield from` is done with.
    Hidden,
    /// Only the original has it: what a handler starts with to 3.10 beside two exceptions, see
    /// [`Stack::push_raised`]. No two of these ever change places.
    Part,
}

impl Slot {
    /// Whether only the original has it.
    pub(super) fn hides(self) -> bool {
        matches!(self, Self::Hidden | Self::Part)
    }
}

/// What a handler starts with to 3.10, lowest first: the exception that was handled before, in three slots, then a
/// traceback, the exception and its type.
const RAISED: [Slot; 6] = [Slot::Previous, Slot::Part, Slot::Part, Slot::Part, Slot::Value, Slot::Part];

/// How many of these the end of a handler takes.
const SAVED: usize = 3;

/// The original's stack. Without the hidden slots it is the source's stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stack {
    height: u32,
    /// A bit for each of the top slots, that of the lowest of them being the lowest. All slots below are values.
    hidden: u64,
    previous: u64,
}

impl Stack {
    pub(super) fn height(self) -> u32 {
        self.height
    }

    pub(super) fn push(&mut self, slot: Slot) -> Option<()> {
        self.push_values(1)?;
        // The bits above the top are those of values.
        if slot == Slot::Value { Some(()) } else { self.set(self.height - 1, slot) }
    }

    #[inline]
    pub(super) fn push_values(&mut self, count: u32) -> Option<()> {
        let height = self.height.checked_add(count)?;
        if height > TOP_SLOTS {
            self.sink(height)?;
        }
        self.height = height;
        Some(())
    }

    /// Prepares the bits for a height that is more than there are bits.
    #[inline(never)]
    fn sink(&mut self, height: u32) -> Option<()> {
        let sunk = lowest(height) - lowest(self.height);
        if (self.hidden | self.previous) & mask(sunk) != 0 {
            return None;
        }
        self.hidden = self.hidden.checked_shr(sunk).unwrap_or(0);
        self.previous = self.previous.checked_shr(sunk).unwrap_or(0);
        Some(())
    }

    pub(super) fn pop(&mut self) -> Option<Slot> {
        let top = self.top()?;
        *self = self.kept(self.height - 1)?;
        Some(top)
    }

    /// Pops the top, and what lies below it.
    pub(super) fn pop_two(&mut self) -> Option<(Slot, Slot)> {
        let (upper, lower) = (self.top()?, self.peek(2)?);
        *self = self.kept(self.height - 2)?;
        Some((upper, lower))
    }

    /// Pops values that lie on both stacks.
    #[inline]
    pub(super) fn pop_values(&mut self, count: u32) -> Option<()> {
        let kept = self.height.checked_sub(count)?;
        if !self.is_plain() {
            self.uncover(kept)?;
        }
        self.height = kept;
        Some(())
    }

    /// Forgets the slots from an index on, which must be values of both stacks.
    #[inline]
    fn uncover(&mut self, kept: u32) -> Option<()> {
        if self.height < TOP_SLOTS {
            if self.hidden >> kept != 0 {
                return None;
            }
            self.previous &= (1 << kept) - 1;
            return Some(());
        }
        if kept < self.height && self.from(self.hidden, kept) != 0 {
            return None;
        }
        *self = self.kept(kept)?;
        Some(())
    }

    /// Index of the slot at a depth, the top being 1.
    fn index(self, depth: u32) -> Option<u32> {
        self.height.checked_sub(depth).filter(|_| depth > 0)
    }

    /// The bits of the slots from an index on, that of the lowest of them being the lowest, where all below are values.
    fn from(self, bits: u64, index: u32) -> u64 {
        bits.checked_shr(index.saturating_sub(lowest(self.height))).unwrap_or(0)
    }

    fn at(self, index: u32) -> Slot {
        let Some(bit) = index.checked_sub(lowest(self.height)) else { return Slot::Value };
        match (self.hidden >> bit & 1, self.previous >> bit & 1) {
            (1, 1) => Slot::Part,
            (1, _) => Slot::Hidden,
            (_, 1) => Slot::Previous,
            _ => Slot::Value,
        }
    }

    fn set(&mut self, index: u32, slot: Slot) -> Option<()> {
        let Some(at) = index.checked_sub(lowest(self.height)) else {
            return (slot == Slot::Value).then_some(());
        };
        let bit = 1_u64 << at;
        self.hidden = self.hidden & !bit | if slot.hides() { bit } else { 0 };
        let is_of_exception = matches!(slot, Slot::Previous | Slot::Part);
        self.previous = self.previous & !bit | if is_of_exception { bit } else { 0 };
        Some(())
    }

    pub(super) fn peek(self, depth: u32) -> Option<Slot> {
        self.index(depth).map(|index| self.at(index))
    }

    pub(super) fn top(self) -> Option<Slot> {
        self.peek(1)
    }

    /// Whether it holds plain values only, as most stacks do.
    #[inline]
    pub(super) fn is_plain(self) -> bool {
        self.hidden | self.previous == 0
    }

    /// Whether only the original has the top.
    #[inline]
    pub(super) fn top_hides(self) -> bool {
        self.hides_any() && self.top().is_some_and(Slot::hides)
    }

    /// The stack without what lies above the lowest `height` slots.
    #[inline]
    pub(super) fn kept(self, height: u32) -> Option<Self> {
        if height > self.height {
            return None;
        }
        if self.height < TOP_SLOTS {
            let below = (1 << height) - 1;
            return Some(Self { height, hidden: self.hidden & below, previous: self.previous & below });
        }
        let risen = lowest(self.height) - lowest(height);
        let bits = |bits: u64| bits.checked_shl(risen).unwrap_or(0) & mask(height);
        Some(Self { height, hidden: bits(self.hidden), previous: bits(self.previous) })
    }

    /// As [`Stack::kept`], where that leaves no part of what a handler starts with alone.
    pub(super) fn kept_whole(self, height: u32) -> Option<Self> {
        let is_parted = height < self.height && self.at(height) == Slot::Part;
        self.kept(height).filter(|_| !is_parted)
    }

    /// Whether the original has a slot that the source has not.
    pub(super) fn hides_any(self) -> bool {
        self.hidden != 0
    }

    /// Which of the lowest slots only the original has.
    pub(super) fn hidden_below(self, height: u32) -> u64 {
        self.kept(height).map_or(self.hidden, |kept| kept.hidden)
    }

    /// How many slots the source's stack has.
    pub(super) fn values(self) -> u32 {
        self.height - self.hidden.count_ones()
    }

    /// The depth on the source's stack of the value at a depth.
    pub(super) fn source_depth(self, depth: u32) -> Option<u32> {
        let index = self.index(depth)?;
        (!self.at(index).hides()).then(|| depth - self.from(self.hidden, index).count_ones())
    }

    /// How many of the slots down to a depth the source's stack has too.
    pub(super) fn values_down_to(self, depth: u32) -> Option<u32> {
        let index = self.index(depth)?;
        Some(depth - self.from(self.hidden, index).count_ones())
    }

    /// Puts there what a handler starts with to 3.10; the source has the exception that was handled before, and
    /// this one.
    pub(super) fn push_raised(&mut self) -> Option<()> {
        RAISED.into_iter().try_for_each(|slot| self.push(slot))
    }

    /// Whether that is what lies on top.
    pub(super) fn has_raised(self) -> bool {
        self.hides_any() && self.ends_with(&RAISED)
    }

    /// Pops what the end of a handler takes to 3.10.
    pub(super) fn pop_saved(&mut self) -> Option<()> {
        let saved = &RAISED[..SAVED];
        self.ends_with(saved).then_some(())?;
        saved.iter().try_for_each(|_| self.pop().map(drop))
    }

    fn ends_with(self, slots: &[Slot]) -> bool {
        slots.iter().rev().zip(1..).all(|(slot, depth)| self.peek(depth) == Some(*slot))
    }

    /// Where the lowest of the exceptions lies that were handled before, from `height` on.
    pub(super) fn lowest_previous(self, height: u32) -> Option<u32> {
        let above = self.from(self.previous & !self.hidden, height);
        (above != 0).then(|| height.max(lowest(self.height)) + above.trailing_zeros())
    }

    pub(super) fn copy(&mut self, depth: u32) -> Option<()> {
        self.push(self.peek(depth)?)
    }

    pub(super) fn swap(&mut self, depth: u32) -> Option<()> {
        let (top, other) = (self.index(1)?, self.index(depth)?);
        if self.is_plain() {
            return Some(());
        }
        let lowest = lowest(self.height);
        let Some(other) = other.checked_sub(lowest) else {
            // Below the slots that have bits are values.
            return (self.at(top) == Slot::Value).then_some(());
        };
        let exchange = |bits: &mut u64| {
            let differ = (*bits >> (top - lowest) ^ *bits >> other) & 1;
            *bits ^= differ << (top - lowest) | differ << other;
        };
        exchange(&mut self.hidden);
        exchange(&mut self.previous);
        Some(())
    }

    pub(super) fn rotate(&mut self, depth: u32) -> Option<()> {
        let (top, bottom) = (self.index(1)?, self.index(depth)?);
        if self.is_plain() {
            return Some(());
        }
        if depth > TOP_SLOTS {
            return None;
        }
        let moved = self.at(top);
        for at in (bottom..top).rev() {
            self.set(at + 1, self.at(at))?;
        }
        self.set(bottom, moved)
    }

    /// Makes a slot one that only the original has.
    pub(super) fn hide(&mut self, depth: u32) -> Option<()> {
        let index = self.index(depth)?;
        self.set(index, Slot::Hidden)
    }

    /// Values strictly between the top and the slot at a depth.
    fn values_between(self, depth: u32) -> Option<u32> {
        let (top, other) = (self.index(1)?, self.index(depth)?);
        let hidden = self.from(self.hidden, other + 1).count_ones()
            - self.from(self.hidden, top.max(other + 1)).count_ones();
        Some(top.saturating_sub(other + 1) - hidden)
    }

    /// Whether exchanging the top with the slot at a depth leaves the source's stack as it is.
    pub(super) fn swaps_silently(self, depth: u32) -> bool {
        let slots = (self.top(), self.peek(depth));
        match slots {
            (Some(Slot::Hidden), Some(Slot::Hidden)) => true,
            (Some(Slot::Part), _) | (_, Some(Slot::Part)) => false,
            (Some(Slot::Hidden), Some(_)) | (Some(_), Some(Slot::Hidden)) => {
                depth == 2 || self.values_between(depth) == Some(0)
            }
            _ => false,
        }
    }

    /// Whether putting the top at a depth leaves the source's stack as it is.
    pub(super) fn rotates_silently(self, depth: u32) -> bool {
        let top_is_only_value = || self.values_down_to(depth) == Some(1);
        match self.top() {
            Some(Slot::Hidden) => true,
            Some(Slot::Part) | None => false,
            Some(_) => self.hides_any() && top_is_only_value(),
        }
    }
}

/// Index of the lowest of the top slots.
fn lowest(height: u32) -> u32 {
    height.saturating_sub(TOP_SLOTS)
}

/// So many bits.
fn mask(count: u32) -> u64 {
    if count < TOP_SLOTS { (1 << count) - 1 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::{Slot, Stack, TOP_SLOTS};

    /// A stack with some slots, lowest first: a value, an exception that was handled before, a hidden slot.
    fn stack(slots: &str) -> Stack {
        let mut stack = Stack::default();
        for slot in slots.chars() {
            let slot = match slot {
                'v' => Slot::Value,
                'p' => Slot::Previous,
                _ => Slot::Hidden,
            };
            stack.push(slot).expect("room");
        }
        stack
    }

    fn values(count: u32) -> String {
        "v".repeat(count as usize)
    }

    #[test]
    fn slots_above_many_values_are_told_apart_and_come_back() {
        for below in [0, 1, TOP_SLOTS - 2, TOP_SLOTS - 1, TOP_SLOTS, 3 * TOP_SLOTS] {
            let full = stack(&(values(below) + "hvp"));
            let mut left = full;
            assert_eq!(full.lowest_previous(0), Some(below + 2));
            assert_eq!(full.source_depth(2), Some(2));
            assert_eq!(full.values(), below + 2);
            assert_eq!(left.pop(), Some(Slot::Previous));
            assert_eq!(left, stack(&(values(below) + "hv")));
            assert_eq!(left.values_between(2), Some(0));
            assert_eq!(left.pop_values(2), None);
            assert_eq!((left.pop(), left.pop()), (Some(Slot::Value), Some(Slot::Hidden)));
            assert_eq!(left, stack(&values(below)));
            assert_eq!(full.kept(below), Some(left));
        }
    }

    #[test]
    fn what_a_handler_starts_with_stays_in_one_piece() {
        let mut found = stack("v");
        found.push_raised().expect("room");
        assert!(found.has_raised() && !stack("vphhhvh").has_raised());
        assert_eq!((found.values(), found.lowest_previous(0)), (3, Some(1)));
        assert_eq!(found.kept_whole(2), None);
        assert_eq!(found.kept_whole(1), Some(stack("v")));
        assert!(!found.swaps_silently(2) && !found.rotates_silently(4));
        // A value goes below what is dropped, and below what the end of the handler takes.
        found.push(Slot::Value).expect("room");
        assert_eq!(found.values_down_to(4), Some(2));
        found.rotate(4).expect("slots");
        let dropped = [found.pop(), found.pop(), found.pop()];
        assert_eq!(dropped, [Slot::Part, Slot::Value, Slot::Part].map(Some));
        assert_eq!(found.pop_saved(), None);
        found.rotate(4).expect("slots");
        found.pop_saved().expect("all of it");
        assert_eq!(found, stack("vv"));
    }

    #[test]
    fn values_are_pushed_and_popped_in_any_number() {
        let mut found = stack("vp");
        // The exception would be too deep.
        assert_eq!(found.push_values(TOP_SLOTS), None);
        found.push_values(TOP_SLOTS - 2).expect("room");
        assert_eq!(found.lowest_previous(0), Some(1));
        found.pop_values(TOP_SLOTS - 2).expect("values");
        assert_eq!(found, stack("vp"));
        let mut found = stack("");
        found.push_values(1_000_000).expect("room");
        found.pop_values(999_999).expect("values");
        assert_eq!(found, stack("v"));
        assert_eq!(found.pop_values(2), None);
    }

    #[test]
    fn a_hidden_slot_moves_under_values() {
        let mut found = stack(&(values(TOP_SLOTS) + "vvh"));
        found.rotate(3).expect("all near the top");
        assert_eq!(found, stack(&(values(TOP_SLOTS) + "hvv")));
        assert_eq!(found.values_between(3), Some(1));
        found.swap(3).expect("all near the top");
        assert_eq!(found, stack(&(values(TOP_SLOTS) + "vvh")));
        assert_eq!(found.rotate(TOP_SLOTS + 2), None);
    }
}
