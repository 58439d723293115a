//! The reverse postorder of a graph.

use super::BlockId;

/// Where control may go from a block: in two ordinary ways at most, and to the handler that protects it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ways {
    blocks: [BlockId; 3],
    count: usize,
}

impl Ways {
    /// The ordinary ways in their order, and the handler.
    pub(crate) fn of(ordinary: impl Iterator<Item = BlockId>, handler: Option<BlockId>) -> Self {
        let mut found = Self::default();
        for block in ordinary.chain(handler).take(3) {
            found.blocks[found.count] = block;
            found.count += 1;
        }
        found
    }

    /// Takes the last way out.
    fn pop(&mut self) -> Option<BlockId> {
        self.count = self.count.checked_sub(1)?;
        Some(self.blocks[self.count])
    }
}

/// The blocks of a graph of `count` that a path from block 0 reaches, in reverse postorder.
///
/// A handler counts as a successor of every block that it protects. Successors are visited last first, so that of
/// two independent blocks the one that the bytecode names first comes first.
pub(crate) fn reverse_postorder(count: usize, ways: impl Fn(BlockId) -> Ways) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    let mut stack = vec![(0, ways(0))];
    seen[0] = true;
    while let Some((block, left)) = stack.last_mut() {
        match left.pop() {
            Some(next) if seen[next] => {}
            Some(next) => {
                seen[next] = true;
                stack.push((next, ways(next)));
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
