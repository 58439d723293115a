//! A set of some of a function's blocks.

/// A set of blocks, or of regions, that takes room for those it holds and not for all that there are: a long
/// function has as many loops as blocks, and a set for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockSet {
    /// The numbers by 64s, in order: which 64, and which of them. Those of one loop lie close together.
    words: Vec<(usize, u64)>,
}

impl BlockSet {
    const BITS: usize = u64::BITS as usize;

    fn word(&self, number: usize) -> Result<usize, usize> {
        self.words.binary_search_by_key(&(number / Self::BITS), |&(word, _)| word)
    }

    /// Whether the set holds a number.
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.word(number).is_ok_and(|at| self.words[at].1 >> (number % Self::BITS) & 1 != 0)
    }

    /// Adds a number; says whether the set held it already.
    pub(crate) fn put(&mut self, number: usize) -> bool {
        let bit = 1 << (number % Self::BITS);
        match self.word(number) {
            Ok(at) => {
                let held = self.words[at].1 & bit != 0;
                self.words[at].1 |= bit;
                held
            }
            Err(at) => {
                self.words.insert(at, (number / Self::BITS, bit));
                false
            }
        }
    }

    /// Whether nothing was ever put in.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a number.
    pub(crate) fn insert(&mut self, number: usize) {
        self.put(number);
    }

    /// The numbers, in order.
    pub(crate) fn ones(&self) -> Ones<'_> {
        Ones { words: self.words.iter(), first: 0, bits: 0 }
    }
}

/// See [`BlockSet::ones`].
#[derive(Clone)]
pub(crate) struct Ones<'a> {
    words: std::slice::Iter<'a, (usize, u64)>,
    /// The first number of the word at hand, and which of its numbers are left.
    first: usize,
    bits: u64,
}

impl Iterator for Ones<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            let &(word, bits) = self.words.next()?;
            (self.first, self.bits) = (word * BlockSet::BITS, bits);
        }
        let number = self.first + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(number)
    }
}

impl Extend<usize> for BlockSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|number| self.insert(number));
    }
}

#[cfg(test)]
mod tests {
    use super::BlockSet;

    #[test]
    fn holds_what_was_put_in() {
        let mut set = BlockSet::default();
        assert!(!set.put(700) && !set.put(3) && set.put(3));
        set.extend([64, 1_000_000]);
        assert_eq!(set.ones().collect::<Vec<_>>(), [3, 64, 700, 1_000_000]);
        assert!(set.contains(64) && !set.contains(63) && !set.contains(65));
    }
}
