//! The reverse postorder of a graph.

use super::BlockId;

/// Where control may go from the end of a block: in two ordinary ways at most, in their order. It is asked for more
/// often than anything else of a graph, and costs as little as two numbers do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Successors {
    blocks: [BlockId; 2],
    passed: u8,
    count: u8,
}

impl Successors {
    /// Nowhere.
    pub(crate) const NONE: Self = Self { blocks: [0; 2], passed: 0, count: 0 };

    /// To one block.
    #[inline]
    pub(crate) fn one(block: BlockId) -> Self {
        Self { blocks: [block, 0], passed: 0, count: 1 }
    }

    /// To one of two blocks.
    #[inline]
    pub(crate) fn two(first: BlockId, second: BlockId) -> Self {
        Self { blocks: [first, second], passed: 0, count: 2 }
    }

    /// To one block more, where there is one and not more than one so far.
    #[inline]
    pub(crate) fn and(mut self, block: Option<BlockId>) -> Self {
        if let (Some(block), Some(place)) = (block, self.blocks.get_mut(usize::from(self.count))) {
            *place = block;
            self.count += 1;
        }
        self
    }
}

impl Iterator for Successors {
    type Item = BlockId;

    #[inline]
    fn next(&mut self) -> Option<BlockId> {
        let next = *self.blocks[..usize::from(self.count)].get(usize::from(self.passed))?;
        self.passed += 1;
        Some(next)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.count - self.passed);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Successors {}

/// Where control may go from a block: in two ordinary ways at most, and to the handler that protects it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ways {
    blocks: [BlockId; 3],
    count: u8,
}

impl Ways {
    /// The ordinary ways in their order, and the handler.
    #[inline]
    pub(crate) fn of(ordinary: Successors, handler: Option<BlockId>) -> Self {
        let [first, second] = ordinary.blocks;
        let mut found = Self { blocks: [first, second, 0], count: ordinary.count };
        if let Some(handler) = handler {
            found.blocks[usize::from(found.count)] = handler;
            found.count += 1;
        }
        found
    }

    /// The ways in their order.
    pub(crate) fn iter(self) -> impl Iterator<Item = BlockId> {
        self.blocks.into_iter().take(usize::from(self.count))
    }

    /// Takes the last way.
    fn pop(&mut self) -> Option<BlockId> {
        self.count = self.count.checked_sub(1)?;
        Some(self.blocks[usize::from(self.count)])
    }
}

/// Most graphs are no deeper than this.
const USUAL_DEPTH: usize = 24;

/// The blocks of a graph of `count` that a path from block 0 reaches, in reverse postorder.
///
/// A handler counts as a successor of every block that it protects. Successors are visited last first, so that of
/// two independent blocks the one that the bytecode names first comes first.
pub(crate) fn reverse_postorder(count: usize, ways: impl Fn(BlockId) -> Ways) -> Vec<BlockId> {
    let first = ways(0);
    if first.count == 0 {
        return vec![0];
    }
    // Filled from the end.
    let mut order = vec![0; count];
    let mut done = count;
    let mut seen = vec![false; count];
    seen[0] = true;
    // The blocks whose successors are being visited, with the ways that are left to go.
    let mut open = Vec::with_capacity(USUAL_DEPTH);
    open.push((0, first));
    while let Some((block, left)) = open.last_mut() {
        match left.pop() {
            Some(next) if seen[next] => {}
            Some(next) => {
                seen[next] = true;
                open.push((next, ways(next)));
            }
            None => {
                done -= 1;
                order[done] = *block;
                open.pop();
            }
        }
    }
    order.drain(..done);
    order
}
