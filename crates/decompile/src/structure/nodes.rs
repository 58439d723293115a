//! What is known of each block while the function is printed.

use super::Structurer;
use super::ways::DeadWays;
use crate::flow::{BlockId, Dominators};
use crate::lift::Lifted;

/// What is known of a block, in one place: it is asked for at every step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// Ordinary edges into it that are no back edges.
    pub(super) ways_in: u32,
    /// How many statements it has.
    pub(super) length: u32,
    /// How many enclosing sequences will print it.
    claims: u32,
    /// Whether it was printed.
    pub(super) is_printed: bool,
    /// Whether it is the first of a handler.
    pub(super) is_handler: bool,
    /// Whether a loop starts with it.
    pub(super) is_header: bool,
    /// Whether it is in a region in which nothing is done; what is passed with it is a statement.
    pub(super) is_hollow: bool,
    /// Whether nothing is done on the only way to it, which leaves a `with`, or a `try` with a `finally`, behind it.
    pub(super) has_own_exit: bool,
    /// Whether several ways to it leave such a statement there.
    pub(super) has_shared_exit: bool,
}

impl Node {
    /// A block of so many statements.
    pub(super) fn of(statements: usize) -> Self {
        Self { length: statements as u32, ..Self::default() }
    }

    /// Whether a sequence will print the block.
    pub(super) fn is_claimed(&self) -> bool {
        self.claims > 0
    }

    /// The same before anything was printed.
    pub(super) fn unprinted(self) -> Self {
        Self { claims: 0, is_printed: false, ..self }
    }
}

impl Structurer<'_> {
    /// Notes that one sequence more will print a block.
    pub(super) fn claim(&mut self, block: BlockId) {
        let claims = &mut self.nodes[block].claims;
        *claims += 1;
        if *claims == 1 {
            self.claimed ^= spread(block);
        }
    }

    /// Notes that one sequence less will.
    pub(super) fn release(&mut self, block: BlockId) {
        let claims = &mut self.nodes[block].claims;
        *claims -= 1;
        if *claims == 0 {
            self.claimed ^= spread(block);
        }
    }
}

/// Notes which blocks are headers of loops, and how many other ways lead into each. Gives the ways back to headers.
pub(super) fn note_ways(
    graph: &Lifted,
    dead: &DeadWays,
    order: &[BlockId],
    dominators: &Dominators,
    nodes: &mut [Node],
) -> Vec<(BlockId, BlockId)> {
    let mut back_edges = Vec::new();
    for &block in order {
        for next in graph.blocks[block].end.successors().and(dead.from(block)) {
            if dominators.dominates(next, block) {
                back_edges.push((block, next));
                nodes[next].is_header = true;
            } else {
                nodes[next].ways_in += 1;
            }
        }
    }
    back_edges
}

/// A number for a block of which sums tell sets apart (the finalizer of SplitMix64).
fn spread(block: BlockId) -> u64 {
    let value = (block as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
