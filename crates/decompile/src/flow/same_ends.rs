//! Which blocks that leave the function do the same.
//!
//! CPython 3.10 and later copies a small block that returns or raises to where it is jumped to (`Python/flowgraph.c`,
//! `inline_small_or_no_lineno_blocks`), so two ways that the source leads to one place may end in two blocks.
//! The copies stay in the graph, because which of them the user wrote is for the structure to find out;
//! passes that ask whether two ways go to the same place ask here. The end of a `with` statement that nothing but such a
//! block follows was a part of it: each copy calls the exit function.

use std::hash::{BuildHasher, Hash, Hasher};

use crate::hash::{HashMap, RandomState};

use super::step::are_same;
use super::{Block, BlockId, Graph, Step, StepKind, Terminator};

/// For each block, the first block that does the same and leaves the function, or nothing but a `with`; itself where
/// there is none.
pub(super) fn same_ends(graph: &Graph) -> Vec<BlockId> {
    let mut first: Vec<BlockId> = (0..graph.blocks.len()).collect();
    let mut known: HashMap<u64, Vec<BlockId>> = HashMap::default();
    let state = RandomState::default();
    for (id, block) in graph.blocks.iter().enumerate() {
        if !leaves(block) && !only_leaves_with(block) {
            continue;
        }
        let alike = known.entry(digest(block, &state)).or_default();
        match alike.iter().find(|&&other| is_same(&block.steps, block, &graph.blocks[other])) {
            Some(&other) => first[id] = other,
            None => alike.push(id),
        }
    }
    first
}

/// Whether `steps` and then the end of `block` do what the whole of `other` does, which leaves the function.
pub(super) fn does_the_same(steps: &[Step], block: &Block, other: &Block) -> bool {
    leaves(other) && is_same(steps, block, other)
}

/// Whether two ways come to one block, or to copies of one end of the function; each may leave the same `with` statements
/// before.
pub(super) fn leads_to_the_same(graph: &Graph, mut a: BlockId, mut b: BlockId) -> bool {
    for _ in 0..=MOST_NESTED {
        let (one, other) = (&graph.blocks[a], &graph.blocks[b]);
        if a == b || does_the_same(&one.steps, one, other) {
            return true;
        }
        match (one.end, other.end) {
            (Terminator::Jump(next), Terminator::Jump(next_of_other))
                if only_leaves_with(one) && only_leaves_with(other) && one.region == other.region =>
            {
                (a, b) = (next, next_of_other);
            }
            _ => return false,
        }
    }
    false
}

/// How deep statements that take a block may be nested (`CO_MAXBLOCKS`).
pub(super) const MOST_NESTED: usize = 20;

fn is_same(steps: &[Step], block: &Block, other: &Block) -> bool {
    block.end == other.end && block.region == other.region && are_same(steps, &other.steps)
}

/// Whether nothing comes behind the block, and something ends there.
fn leaves(block: &Block) -> bool {
    block.end != Terminator::Nowhere && block.end.successors().next().is_none()
}

/// Whether the block calls the exit function of a `with` and goes on behind it.
pub(super) fn only_leaves_with(block: &Block) -> bool {
    matches!(block.end, Terminator::Jump(_))
        && matches!(block.steps[..], [Step { kind: StepKind::WithExit, .. }])
}

/// Equal for blocks that do the same.
fn digest(block: &Block, state: &RandomState) -> u64 {
    let mut hasher = state.build_hasher();
    (block.region, block.steps.len()).hash(&mut hasher);
    for step in &block.steps {
        if let StepKind::Op(op) = step.kind {
            op.hash(&mut hasher);
        }
    }
    hasher.finish()
}
