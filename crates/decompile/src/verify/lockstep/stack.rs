//! Which slots of the original's stack the source has too.

/// Slots that a stack may have here.
const MOST_SLOTS: u32 = 64;

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
}

/// The original's stack. Without the hidden slots it is the source's stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stack {
    height: u32,
    /// A bit for each slot, that of the lowest being the lowest.
    hidden: u64,
    previous: u64,
}

impl Stack {
    pub(super) fn height(self) -> u32 {
        self.height
    }

    pub(super) fn push(&mut self, slot: Slot) -> Option<()> {
        if self.height == MOST_SLOTS {
            return None;
        }
        self.set(self.height, slot);
        self.height += 1;
        Some(())
    }

    pub(super) fn push_values(&mut self, count: u32) -> Option<()> {
        // The bits above the top are those of values.
        self.height = self.height.checked_add(count).filter(|&height| height <= MOST_SLOTS)?;
        Some(())
    }

    pub(super) fn pop(&mut self) -> Option<Slot> {
        let top = self.top()?;
        self.height -= 1;
        self.set(self.height, Slot::Value);
        Some(top)
    }

    /// Pops values that lie on both stacks.
    pub(super) fn pop_values(&mut self, count: u32) -> Option<()> {
        let kept = self.height.checked_sub(count)?;
        // Most stacks hold plain values only.
        if self.hidden | self.previous != 0 {
            if count > 0 && self.hidden >> kept != 0 {
                return None;
            }
            *self = self.kept(kept)?;
        }
        self.height = kept;
        Some(())
    }

    /// Index of the slot at a depth, the top being 1.
    fn index(self, depth: u32) -> Option<u32> {
        self.height.checked_sub(depth).filter(|_| depth > 0)
    }

    fn at(self, index: u32) -> Slot {
        match (self.hidden >> index & 1, self.previous >> index & 1) {
            (1, _) => Slot::Hidden,
            (_, 1) => Slot::Previous,
            _ => Slot::Value,
        }
    }

    fn set(&mut self, index: u32, slot: Slot) {
        let bit = 1_u64 << index;
        self.hidden = self.hidden & !bit | if slot == Slot::Hidden { bit } else { 0 };
        self.previous = self.previous & !bit | if slot == Slot::Previous { bit } else { 0 };
    }

    pub(super) fn peek(self, depth: u32) -> Option<Slot> {
        self.index(depth).map(|index| self.at(index))
    }

    pub(super) fn top(self) -> Option<Slot> {
        self.peek(1)
    }

    /// The stack without what lies above the lowest `height` slots.
    pub(super) fn kept(self, height: u32) -> Option<Self> {
        if height > self.height {
            return None;
        }
        Some(Self { height, hidden: self.hidden & mask(height), previous: self.previous & mask(height) })
    }

    /// Whether the original has a slot that the source has not.
    pub(super) fn hides_any(self) -> bool {
        self.hidden != 0
    }

    /// Which of the lowest slots only the original has.
    pub(super) fn hidden_below(self, height: u32) -> u64 {
        self.hidden & mask(height)
    }

    /// How many slots the source's stack has.
    pub(super) fn values(self) -> u32 {
        self.height - self.hidden.count_ones()
    }

    /// The depth on the source's stack of the value at a depth.
    pub(super) fn source_depth(self, depth: u32) -> Option<u32> {
        let index = self.index(depth)?;
        (self.at(index) != Slot::Hidden).then(|| depth - (self.hidden >> index).count_ones())
    }

    /// Where the lowest of the exceptions lies that were handled before, from `height` on.
    pub(super) fn lowest_previous(self, height: u32) -> Option<u32> {
        let above = if height < MOST_SLOTS { self.previous >> height } else { 0 };
        (above != 0).then(|| height + above.trailing_zeros())
    }

    pub(super) fn copy(&mut self, depth: u32) -> Option<()> {
        self.push(self.peek(depth)?)
    }

    pub(super) fn swap(&mut self, depth: u32) -> Option<()> {
        let (top, other) = (self.index(1)?, self.index(depth)?);
        let (upper, lower) = (self.at(top), self.at(other));
        self.set(top, lower);
        self.set(other, upper);
        Some(())
    }

    pub(super) fn rotate(&mut self, depth: u32) -> Option<()> {
        let (top, lowest) = (self.index(1)?, self.index(depth)?);
        let moved = self.at(top);
        for at in (lowest..top).rev() {
            self.set(at + 1, self.at(at));
        }
        self.set(lowest, moved);
        Some(())
    }

    /// Makes a slot one that only the original has.
    pub(super) fn hide(&mut self, depth: u32) -> Option<()> {
        let index = self.index(depth)?;
        self.set(index, Slot::Hidden);
        Some(())
    }

    /// Values strictly between the top and the slot at a depth.
    fn values_between(self, depth: u32) -> Option<u32> {
        let (top, other) = (self.index(1)?, self.index(depth)?);
        let between = (other + 1..top).filter(|&at| self.at(at) != Slot::Hidden);
        Some(between.count() as u32)
    }

    /// Whether exchanging the top with the slot at a depth leaves the source's stack as it is.
    pub(super) fn swaps_silently(self, depth: u32) -> bool {
        let slots = (self.top(), self.peek(depth));
        match slots {
            (Some(Slot::Hidden), Some(Slot::Hidden)) => true,
            (Some(Slot::Hidden), Some(_)) | (Some(_), Some(Slot::Hidden)) => {
                self.values_between(depth) == Some(0)
            }
            _ => false,
        }
    }

    /// Whether putting the top at a depth leaves the source's stack as it is.
    pub(super) fn rotates_silently(self, depth: u32) -> bool {
        let lowest_is_hidden = self.peek(depth) == Some(Slot::Hidden);
        self.top() == Some(Slot::Hidden) || lowest_is_hidden && self.values_between(depth) == Some(0)
    }
}

/// The bits of the lowest slots.
fn mask(height: u32) -> u64 {
    if height < MOST_SLOTS { (1 << height) - 1 } else { u64::MAX }
}
