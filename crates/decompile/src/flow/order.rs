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
