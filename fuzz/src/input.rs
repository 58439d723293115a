//! Bytes as a source of choices: small changes of the bytes are small changes of what is made of them.

/// Bytes that are used up from the front; behind their end come zeros.
pub(crate) struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((&first, rest)) => {
                self.rest = rest;
                first
            }
            None => 0,
        }
    }

    pub(crate) fn below(&mut self, bound: u8) -> u8 {
        self.byte() % bound
    }

    pub(crate) fn chance(&mut self, one_in: u8) -> bool {
        !self.is_empty() && self.below(one_in) == 0
    }

    /// A number: mostly a small one, at times one of any size.
    pub(crate) fn number(&mut self) -> u32 {
        match self.byte() {
            255 => u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()]),
            254 => u32::MAX,
            small => u32::from(small),
        }
    }

    /// Up to `most` bytes, whose count comes first.
    pub(crate) fn bytes(&mut self, most: usize) -> &'a [u8] {
        let count = usize::from(self.byte()) | usize::from(self.byte()) << 8;
        let (taken, rest) = self.rest.split_at(count.min(most).min(self.rest.len()));
        self.rest = rest;
        taken
    }
}
