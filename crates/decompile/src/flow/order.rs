//! The reverse postorder of a graph.

use smallvec::{SmallVec, smallvec};

use super::BlockId;

/// No block.
const NOWHERE: BlockId = BlockId::MAX;

/// Where control may go from the end of a block: in two ordinary ways at most, in their order. It is asked for more
/// often than anything else of a graph, and costs as little as two numbers do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successors {
    /// [`NOWHERE`] where there is none, or none is left.
    first: BlockId,
    second: BlockId,
}

impl Successors {
    /// Nowhere.
    pub(crate) const NONE: Self = Self { first: NOWHERE, second: NOWHERE };

    /// To one block.
    #[inline]
    pub(crate) fn one(block: BlockId) -> Self {
        Self { first: block, second: NOWHERE }
    }

    /// To one of two blocks.
    #[inline]
    pub(crate) fn two(first: BlockId, second: BlockId) -> Self {
        Self { first, second }
    }

    /// To one block more, where there is one and not more than one so far.
    #[inline]
    pub(crate) fn and(self, block: Option<BlockId>) -> Self {
        match (self.first, self.second, block) {
            (NOWHERE, _, Some(block)) => Self::one(block),
            (first, NOWHERE, Some(block)) => Self::two(first, block),
            _ => self,
        }
    }

    /// Takes the last one.
    #[inline]
    fn pop(&mut self) -> BlockId {
        let last = if self.second == NOWHERE { &mut self.first } else { &mut self.second };
        std::mem::replace(last, NOWHERE)
    }
}

impl Default for Successors {
    fn default() -> Self {
        Self::NONE
    }
}

impl Iterator for Successors {
    type Item = BlockId;

    #[inline]
    fn next(&mut self) -> Option<BlockId> {
        let next = self.first;
        self.first = std::mem::replace(&mut self.second, NOWHERE);
        (next != NOWHERE).then_some(next)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.first != NOWHERE) + usize::from(self.second != NOWHERE);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Successors {}

/// Where control may go from a block: in two ordinary ways at most, and to the handler that protects it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ways {
    ordinary: Successors,
    handler: Option<BlockId>,
}

impl Ways {
    /// The ordinary ways in their order, and the handler.
    #[inline]
    pub(crate) fn of(ordinary: Successors, handler: Option<BlockId>) -> Self {
        Self { ordinary, handler }
    }

    /// The ways in their order.
    pub(crate) fn iter(self) -> impl Iterator<Item = BlockId> {
        self.ordinary.chain(self.handler)
    }
}

/// Most graphs are no deeper than this.
const USUAL_DEPTH: usize = 24;
/// Most graphs have no more blocks than this.
const USUAL_COUNT: usize = 64;

/// A graph of so many blocks does not lie in the fast memory of a processor.
const LARGE: usize = 1 << 13;

/// The blocks of a graph of `count` that a path from block 0 reaches, in reverse postorder.
///
/// A handler counts as a successor of every block that it protects. Successors are visited last first, so that of
/// two independent blocks the one that the bytecode names first comes first.
pub(crate) fn reverse_postorder(count: usize, ways: impl Fn(BlockId) -> Ways) -> Vec<BlockId> {
    if count < LARGE {
        return walk(count, ways);
    }
    // Where a walk goes next, the block at hand must tell, so that it waits for each of them. Read in a row they come
    // ahead of time, and their ways alone lie close to each other.
    let numbers = |ways: Ways| {
        let [first, second] = [ways.ordinary.first, ways.ordinary.second];
        [first, second, ways.handler.unwrap_or(NOWHERE)].map(|to| u32::try_from(to).unwrap_or(u32::MAX))
    };
    let table: Vec<[u32; 3]> = (0..count).map(|block| numbers(ways(block))).collect();
    walk(count, |block| {
        let [first, second, handler] =
            table[block].map(|to| if to == u32::MAX { NOWHERE } else { to as BlockId });
        Ways::of(Successors { first, second }, Some(handler).filter(|&to| to != NOWHERE))
    })
}

fn walk(count: usize, ways: impl Fn(BlockId) -> Ways) -> Vec<BlockId> {
    let mut left = ways(0);
    if left.iter().next().is_none() {
        return vec![0];
    }
    // Filled from the end.
    let mut order = vec![0; count];
    let mut done = count;
    // Both are done with at the end of the walk: on the stack they lie in the processor's cache.
    let mut seen: SmallVec<[bool; USUAL_COUNT]> = smallvec![false; count];
    let seen = &mut seen[..];
    // The blocks whose successors are being visited, with the ordinary ways that are left to go.
    let mut open: SmallVec<[(BlockId, Successors); USUAL_DEPTH]> = SmallVec::new();
    let mut block = 0;
    loop {
        seen[block] = true;
        let mut next = left.handler.unwrap_or_else(|| left.ordinary.pop());
        if next == NOWHERE {
            done -= 1;
            order[done] = block;
        } else {
            open.push((block, left.ordinary));
        }
        // Back to where an unvisited way leads from.
        while next == NOWHERE || seen[next] {
            let Some((last, left)) = open.last_mut() else {
                order.drain(..done);
                return order;
            };
            next = left.pop();
            if next == NOWHERE {
                done -= 1;
                order[done] = *last;
                open.pop();
            }
        }
        block = next;
        left = ways(block);
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE, Successors, Ways, reverse_postorder, walk};

    #[test]
    fn large_graphs_have_the_order_of_the_walk() {
        let count = LARGE + 5;
        // Each block goes on, every third one also three blocks back, and a handler protects every second one.
        let ways = |block: usize| {
            let next = Some(block + 1).filter(|&next| next < count);
            let ordinary =
                Successors::NONE.and(next).and(block.checked_sub(3).filter(|_| block.is_multiple_of(3)));
            Ways::of(ordinary, block.is_multiple_of(2).then_some((block + 7) % count))
        };
        assert_eq!(reverse_postorder(count, ways), walk(count, ways));
    }
}
