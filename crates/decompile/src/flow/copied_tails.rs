//! The copy of an end is a block of its own; the original may have become the tail of what falls into it.
//!
//! `for i in a: if i: break`, `else: y = i`, `return a.h()`: the jump that the `break` was got a copy of the `return`, so
//! only the `else` leads to the original, and both are one block.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use depyf_bytecode::{ConstId, Function, Op};

use super::copied_ends::stands_alone;
use super::places::{line_of, place_of};
use super::{Block, BlockId, BlockSet, Graph, RegionId, Step, StepKind, Terminator};
use crate::hash::{HashMap, RandomState};

/// What the ends share that are equal: the place and the line of what ends them.
type Ending = (Option<RegionId>, (bool, u32), Option<u32>);

/// No copy has more steps in front of its end: the compiler copies a few instructions only.
const MOST_STEPS: usize = 16;

/// Which blocks are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Those that are not among the ends.
    Others,
    /// All.
    All,
}

/// Cuts the blocks whose tail is one of the given ends in front of that tail: the ends are whole blocks that end the
/// function, and so are those that `ending` has a key for. Whether there are such blocks that are not cut.
///
/// The tail has the operations of the end, on the same lines.
pub(super) fn cut_equal_tails(
    graph: &mut Graph,
    ends: &[BlockId],
    ending: impl Fn(Terminator) -> Option<(bool, u32)>,
    function: &Function,
    which: Cut,
) -> bool {
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
        return false;
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
    let mut waits = false;
    let mut is_end = BlockSet::default();
    ends.iter().for_each(|&end| is_end.insert(end));
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
        if which == Cut::Others && is_end.contains(block) {
            waits = true;
            continue;
        }
        let at = found.steps.len() - count;
        cut(graph, block, at);
    }
    waits
}

/// Cuts those of the given blocks that make one function in front of what they have in common: its code was compiled once,
/// so the statement was written once. `is_end` tells whether steps, and the way they end, are an end of the function.
pub(super) fn cut_copied_definitions(
    graph: &mut Graph,
    ends: &[BlockId],
    is_end: impl Fn(&[Step], Terminator) -> bool,
    function: &Function,
) {
    let mut made: Vec<(ConstId, BlockId)> = Vec::new();
    for &end in ends {
        if let Some(code) = last_made(&graph.blocks[end].steps) {
            made.push((code, end));
        }
    }
    made.sort_unstable();
    for copies in made.chunk_by(|a, b| a.0 == b.0).filter(|copies| copies.len() > 1) {
        let first = &graph.blocks[copies[0].1];
        let same = |block: &Block| {
            let pairs = first.steps.iter().rev().zip(block.steps.iter().rev());
            let line = |step: &Step| line_of(function, step.offset);
            pairs.take_while(|(a, b)| a.same(b) && line(a) == line(b)).count()
        };
        let others = || copies[1..].iter().map(|&(_, block)| &graph.blocks[block]);
        if others().any(|other| other.end != first.end || other.region != first.region) {
            continue;
        }
        let most = others().map(same).min().unwrap_or(0);
        let tail = |count: &usize| &first.steps[first.steps.len() - count..];
        let defines = |count: &usize| last_made(tail(count)).is_some() && is_end(tail(count), first.end);
        let Some(count) = (1..=most).rev().find(defines) else { continue };
        for &(_, block) in copies {
            if let Some(at @ 1..) = graph.blocks[block].steps.len().checked_sub(count) {
                cut(graph, block, at);
            }
        }
    }
}

/// The code of the last function that steps make.
fn last_made(steps: &[Step]) -> Option<ConstId> {
    let at = steps.iter().rposition(|step| matches!(step.kind, StepKind::Op(Op::MakeFunction(_))))?;
    match steps[..at].last()?.kind {
        StepKind::Op(Op::Const(code)) => Some(code),
        _ => None,
    }
}

/// Joins the copies of the statements that lie in front of ends, copies of which have become one: what the compiler copied is a
/// block of its own, of which the end of the function may be only what stands in a `try`.
pub(super) fn join_copies_in_front(graph: &mut Graph, mut ends: Vec<BlockId>, function: &Function) {
    // Where columns tell a copy from another statement, the end may be a `break`, too.
    let has_columns = function.instructions.iter().any(|found| found.column.is_some());
    ends.retain(|&end| has_columns || graph.blocks[end].region.is_some());
    if ends.is_empty() {
        return;
    }
    let predecessors = graph.predecessors();
    let handlers = graph.handler_heads();
    for end in ends {
        let region = graph.blocks[end].region;
        let falls = |&&block: &&BlockId| {
            let found = &graph.blocks[block];
            found.end == Terminator::Jump(end) && !found.jumps && (has_columns || found.region != region)
        };
        let ways: Vec<BlockId> = predecessors[end].iter().filter(falls).copied().collect();
        let Some((&first, others)) = ways.split_first() else { continue };
        let others = others.iter().filter(|&&other| graph.blocks[other].region == graph.blocks[first].region);
        let copies: Vec<(BlockId, usize)> = others
            .map(|&other| (other, same_statements(graph, first, other, end, function)))
            .filter(|&(_, count)| count > 0)
            .collect();
        let Some(count) = copies.iter().map(|&(_, count)| count).min() else { continue };
        let at = graph.blocks[first].steps.len() - count;
        let kept = if at == 0 && !handlers.contains(first) { first } else { cut(graph, first, at) };
        for (copy, _) in copies {
            let tail = graph.blocks[copy].steps.len() - count;
            graph.copies.note_steps(&graph.blocks[copy].steps[tail..], &graph.blocks[kept].steps);
            let block = &mut graph.blocks[copy];
            block.steps.truncate(tail);
            block.end_offset = block.steps.last().map_or(block.start, |step| step.offset);
            block.end = Terminator::Jump(kept);
        }
    }
}

/// How many of the last steps of two blocks are the same statements, which stand in one place.
fn same_statements(graph: &Graph, one: BlockId, other: BlockId, end: BlockId, function: &Function) -> usize {
    let [one, other] = [one, other].map(|block| &graph.blocks[block].steps);
    let place = |step: &Step| place_of(function, step.offset);
    let pairs = one.iter().rev().zip(other.iter().rev());
    let same = pairs.take(MOST_STEPS).take_while(|(a, b)| a.same(b) && place(a) == place(b)).count();
    let is_whole = |count: &usize| {
        let tail = &one[one.len() - count..];
        stands_alone(tail, Terminator::Jump(end), Some(end), &function.features)
    };
    (1..=same).rev().find(is_whole).unwrap_or(0)
}

/// Lets a block end in front of one of its steps, or behind all, and go on in a new one, which it gives.
pub(super) fn cut(graph: &mut Graph, block: BlockId, at: usize) -> BlockId {
    let new = graph.blocks.len();
    let steps = graph.blocks[block].steps.split_off(at);
    let start = steps.first().map_or(graph.blocks[block].end_offset, |step| step.offset);
    let rest = Block { start, steps, ..graph.blocks[block] };
    graph.blocks.push(rest);
    graph.blocks[block].end = Terminator::Jump(new);
    new
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
