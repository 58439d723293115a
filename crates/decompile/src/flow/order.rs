//! The reverse postorder of a graph.

use super::BlockId;

/// Where control may go from a block: in two ordinary ways at most, and to the handler that protects it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ways {
    blocks: [BlockId; 3],
    count: u8,
}

impl Ways {
    /// The ordinary ways in their order, and the handler.
    pub(crate) fn of(ordinary: impl Iterator<Item = BlockId>, handler: Option<BlockId>) -> Self {
        let mut found = Self::default();
        for block in ordinary.chain(handler).take(3) {
            found.blocks[usize::from(found.count)] = block;
            found.count += 1;
        }
        found
    }
}

/// The blocks of a graph of `count` that a path from block 0 reaches, in reverse postorder.
///
/// A handler counts as a successor of every block that it protects. Successors are visited last first, so that of
/// two independent blocks the one that the bytecode names first comes first.
pub(crate) fn reverse_postorder(count: usize, ways: impl Fn(BlockId) -> Ways) -> Vec<BlockId> {
    // The blocks whose successors are being visited grow from the front, those that are done from the back.
    let mut order = vec![0; count];
    let (mut open, mut done) = (1_usize, count);
    // One more than the ways out of each block that are left to visit; none is known of a block not seen yet.
    let mut left = vec![0_u8; count];
    left[0] = ways(0).count + 1;
    while let Some(at) = open.checked_sub(1) {
        let block = order[at];
        left[block] -= 1;
        if left[block] == 0 {
            // A block that is done still counts as seen.
            left[block] = u8::MAX;
            (open, done) = (at, done - 1);
            order[done] = block;
            continue;
        }
        let next = ways(block).blocks[usize::from(left[block]) - 1];
        if left[next] == 0 {
            left[next] = ways(next).count + 1;
            order[open] = next;
            open += 1;
        }
    }
    order.drain(..done);
    order
}
