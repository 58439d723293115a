//! A copy of a case that only takes the subject and ends the function goes on in the original.
//!
//! The compiler copies a short end to every jump that leads to it (`Python/flowgraph.c`,
//! `inline_small_or_no_lineno_blocks`), also to those of alternatives and of chained comparisons in a guard, which drop a
//! value first. What ends in such a copy takes the subject off the stack, so it is none of the ends that stand alone.
//!
//! Example: `case 1 | 2 if a: ..`, `case b: return` has `a: Pop, StoreLocal b, None, Return` for the alternatives and
//! `b: StoreLocal b, None, Return` for the guard; `a` becomes `Pop -> b`.

use depyf_bytecode::Function;

use super::places::line_of;
use super::written_ends::leading_pops;
use super::{Block, BlockId, Graph, Step, Terminator};
use crate::hash::HashMap;

/// See the module.
pub(super) fn join_copied_captures(graph: &mut Graph, function: &Function) {
    let captures = |steps: &[Step]| steps.first().and_then(Step::op).is_some_and(|op| op.stores_variable());
    let returns = |block: &Block| block.end == Terminator::Return;
    let dropped = |block: &Block| {
        let dropped = leading_pops(&block.steps);
        (dropped > 0 && returns(block) && captures(&block.steps[dropped..])).then_some(dropped)
    };
    let copies: Vec<(BlockId, usize)> = (graph.blocks.iter().enumerate())
        .filter_map(|(id, block)| dropped(block).map(|dropped| (id, dropped)))
        .collect();
    if copies.is_empty() {
        return;
    }
    let line = |step: &Step| line_of(function, step.offset);
    let shape =
        |block: &Block, steps: &[Step]| (line_of(function, block.end_offset), steps.len(), block.region);
    let mut originals: HashMap<_, Vec<BlockId>> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate() {
        if returns(block) && captures(&block.steps) {
            originals.entry(shape(block, &block.steps)).or_default().push(id);
        }
    }
    for (copy, dropped) in copies {
        let block = &graph.blocks[copy];
        let steps = &block.steps[dropped..];
        let is_copied = |&&original: &&BlockId| {
            let pairs = graph.blocks[original].steps.iter().zip(steps);
            pairs.into_iter().all(|(a, b)| a.same(b) && line(a) == line(b))
        };
        let found = originals.get(&shape(block, steps)).and_then(|all| all.iter().find(is_copied));
        let Some(&original) = found else { continue };
        graph.copies.note_steps(steps, &graph.blocks[original].steps);
        graph.copies.note(block.end_offset, graph.blocks[original].end_offset);
        let block = &mut graph.blocks[copy];
        block.steps.truncate(dropped);
        block.end = Terminator::Jump(original);
        block.end_offset = block.steps.last().map_or(block.end_offset, |step| step.offset);
    }
}
