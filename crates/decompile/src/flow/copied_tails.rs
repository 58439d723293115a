//! The copy of an end is a block of its own; the original may have become the tail of what falls into it.
//!
//! `for i in a: if i: break`, `else: y = i`, `return a.h()`: the jump that the `break` was got a copy of the `return`, so
//! only the `else` leads to the original, and both are one block.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use depyf_bytecode::{Function, Op};

use super::places::line_of;
use super::{Block, BlockId, Graph, RegionId, Step, StepKind, Terminator};
use crate::hash::{HashMap, RandomState};

/// What the ends share that are equal: the place and the line of what ends them.
type Ending = (Option<RegionId>, (bool, u32), Option<u32>);

/// Cuts the blocks whose tail is one of the given ends in front of that tail: the ends are whole blocks that end the
/// function, and so are those that `ending` has a key for.
///
/// The tail has the operations of the end, on the same lines.
pub(super) fn cut_equal_tails(
    graph: &mut Graph,
    ends: &[BlockId],
    ending: impl Fn(Terminator) -> Option<(bool, u32)>,
    function: &Function,
) {
    let key = |block: &Block| -> Option<Ending> {
        Some((block.region, ending(block.end)?, line_of(function, block.end_offset)))
    };
    // How long the ends are that one operation is the last of: mostly no other block ends with it.
    let last = |block: &Block| match block.steps.last()?.kind {
        StepKind::Op(op) => Some((block.region, op)),
        _ => None,
    };
    let mut lengths: HashMap<(Option<RegionId>, Op), RangeInclusive<usize>> = HashMap::default();
    for block in ends.iter().map(|&end| &graph.blocks[end]) {
        let Some(last) = last(block) else { continue };
        let length = block.steps.len();
        let known = lengths.entry(last).or_insert(length..=length);
        *known = length.min(*known.start())..=length.max(*known.end());
    }
    // A tail is a part of its block.
    let may_be_longer = |block: BlockId| {
        let block = &graph.blocks[block];
        ending(block.end)?;
        let lengths = lengths.get(&last(block)?)?;
        (*lengths.start() < block.steps.len()).then_some(*lengths.end())
    };
    let longer = |block: BlockId| Some((block, may_be_longer(block)?));
    let longer: Vec<(BlockId, usize)> = (0..graph.blocks.len()).filter_map(longer).collect();
    if longer.is_empty() {
        return;
    }
    let state = RandomState::default();
    let mut known: HashMap<(Ending, u64), BlockId> = HashMap::default();
    for &end in ends {
        let block = &graph.blocks[end];
        let whole = prints(&block.steps, function, &state).last();
        if let (Some(ending), Some(print)) = (key(block), whole) {
            known.insert((ending, print), end);
        }
    }
    for (block, longest) in longer {
        let found = &graph.blocks[block];
        let Some(ending) = key(found) else { continue };
        // The longest such tail: a shorter one is the tail of a copy, too.
        let tail = prints(&found.steps, function, &state)
            .zip(1..found.steps.len())
            .take(longest)
            .filter_map(|(print, count)| Some((*known.get(&(ending, print))?, count)))
            .filter(|&(end, count)| {
                equal(&graph.blocks[end].steps, &found.steps[found.steps.len() - count..])
            })
            .last();
        let Some((_, count)) = tail else { continue };
        let at = found.steps.len() - count;
        let new = graph.blocks.len();
        let steps = graph.blocks[block].steps.split_off(at);
        graph.blocks.push(Block { start: steps[0].offset, steps, ..graph.blocks[block] });
        graph.blocks[block].end = Terminator::Jump(new);
    }
}

/// A number for each tail of the steps, the shortest first, up to what is no operation.
fn prints(steps: &[Step], function: &Function, state: &RandomState) -> impl Iterator<Item = u64> {
    let mut hasher = state.build_hasher();
    steps.iter().rev().map_while(move |step| {
        let StepKind::Op(op) = step.kind else { return None };
        (op, line_of(function, step.offset)).hash(&mut hasher);
        Some(hasher.finish())
    })
}

/// Whether two runs of steps are the same operations.
fn equal(one: &[Step], other: &[Step]) -> bool {
    let ops = |steps: &[Step]| -> Vec<_> {
        steps.iter().map(|step| if let StepKind::Op(op) = step.kind { Some(op) } else { None }).collect()
    };
    ops(one) == ops(other)
}
