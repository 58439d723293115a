//! Pass: loops whose test stands both before and behind the body get one test.
//!
//! CPython 3.10 to 3.13 compile `while test: body` to `if test: do body while test` (`Python/compile.c`,
//! `compiler_while`).
//!
//! Needs: `reduce`, so that each test is one run of steps. Establishes: where a block that jumps back ends in
//! the same test, with the same outcomes, as the block before the loop, both go to one block that tests.
//! The outcome behind the loop may be a copy of a block that leaves the function.
//!
//! Example: `g: x, c -> Branch(h, e); h: .. c -> Branch(h, e)` becomes `g: x -> n; n: c -> Branch(h, e);
//! h: .. -> n`. Equal tests before equal ends that are no loop were written twice, and stay two.

use crate::hash::HashMap;

use super::same_ends::same_ends;
use super::{Block, BlockId, Dominators, Graph, Lists, Terminator};
use crate::lift::{Context, Lifter, Temporaries};

/// See the module.
pub(crate) fn join_rotated_tests(graph: &mut Graph, context: &Context<'_>, temporaries: &mut Temporaries) {
    if !may_be_rotated(graph) {
        return;
    }
    let first = same_ends(graph);
    let mut tests: HashMap<(BlockId, BlockId), Vec<BlockId>> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate() {
        if let Terminator::Branch { yes, no } = block.end {
            tests.entry((first[yes], first[no])).or_default().push(id);
        }
    }
    let mut rotated: Vec<((BlockId, BlockId), Vec<BlockId>)> =
        tests.into_iter().filter(|(_, blocks)| blocks.len() > 1).collect();
    if rotated.is_empty() {
        return;
    }
    rotated.sort_unstable();
    let dominators = dominators(graph);
    let jumps_back = |graph: &Graph, block: BlockId| {
        graph.blocks[block].end.successors().any(|next| dominators.dominates(next, block))
    };
    for ((yes, no), mut blocks) in rotated {
        blocks.sort_unstable_by_key(|&block| graph.blocks[block].start);
        let head = graph.blocks[yes].start.min(graph.blocks[no].start);
        let first = blocks.remove(0);
        for bottom in blocks {
            if graph.blocks[bottom].start >= head
                && graph.blocks[bottom].region == graph.blocks[first].region
                && jumps_back(graph, bottom)
            {
                join(graph, context, temporaries, first, bottom);
            }
        }
    }
}

/// Whether two tests lead to the same places, if all places where the function is left count as one.
fn may_be_rotated(graph: &Graph) -> bool {
    let place = |to: BlockId| Some(to).filter(|&to| graph.blocks[to].end.successors().next().is_some());
    let outcomes = |block: &Block| match block.end {
        Terminator::Branch { yes, no } => Some((place(yes), place(no))),
        _ => None,
    };
    let mut known: Vec<_> = graph.blocks.iter().filter_map(outcomes).collect();
    known.sort_unstable();
    known.windows(2).any(|pair| pair[0] == pair[1])
}

/// The dominators of the graph; a handler is entered from every block that it protects.
fn dominators(graph: &Graph) -> Dominators {
    let order = graph.reverse_postorder();
    let ways = |&block: &BlockId| {
        let handler = graph.blocks[block].region.map(|region| graph.regions[region].handler);
        graph.blocks[block].end.successors().chain(handler).map(move |next| (next, block))
    };
    let predecessors = Lists::of(graph.blocks.len(), || order.iter().flat_map(ways));
    Dominators::compute(&order, &predecessors)
}

/// Makes both blocks end in a jump to one test, if they end in the same.
fn join(
    graph: &mut Graph,
    context: &Context<'_>,
    temporaries: &mut Temporaries,
    top: BlockId,
    bottom: BlockId,
) {
    let (above, below) = (&graph.blocks[top].steps, &graph.blocks[bottom].steps);
    let pairs = above.iter().rev().zip(below.iter().rev());
    let common = pairs.take_while(|(a, b)| a.same(b)).count();
    let length = (1..=common).find(|&length| {
        Lifter::fold(context, temporaries, Vec::new(), &above[above.len() - length..]).is_some()
    });
    let Some(length) = length else { return };
    let test = if above.len() == length {
        top
    } else {
        let at = above.len() - length;
        let mut block = graph.blocks[top].clone();
        block.steps = graph.blocks[top].steps.split_off(at);
        block.start = block.steps.first().map_or(block.start, |step| step.offset);
        let new = graph.blocks.len();
        graph.blocks.push(block);
        graph.blocks[top].end = Terminator::Jump(new);
        new
    };
    let kept = graph.blocks[bottom].steps.len() - length;
    let erased = graph.blocks[bottom].steps.split_off(kept);
    graph.copies.note_steps(&erased, &graph.blocks[test].steps);
    graph.copies.note(graph.blocks[bottom].end_offset, graph.blocks[test].end_offset);
    graph.blocks[bottom].end = Terminator::Jump(test);
}
