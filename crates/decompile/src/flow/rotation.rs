//! Pass: loops whose test stands both before and behind the body get one test.
//!
//! CPython 3.10 to 3.13 compile `while test: body` to `if test: do body while test` (`Python/compile.c`,
//! `compiler_while`).
//!
//! Needs: `reduce`, so that each test is one run of steps. Establishes: where a block that jumps back ends in
//! the same test, with the same outcomes, as the block before the loop, both go to one block that tests.
//! The outcome behind the loop may be a copy of a block that leaves the function. The test before the loop falls
//! into the body where the condition holds, the one behind it jumps there, so the reductions may have found one of
//! them as the negation of the other.
//!
//! Both are on one line, where lines are known.
//!
//! Example: `g: x, c -> Branch(h, e); h: .. c -> Branch(h, e)` becomes `g: x -> n; n: c -> Branch(h, e);
//! h: .. -> n`. Equal tests before equal ends that are no loop were written twice, and stay two.

use depyf_syntax::ast::Expr;

use crate::hash::HashMap;

use super::conditions::same_condition;
use super::copies::origins;
use super::places::line_of;
use super::reduce::effect;
use super::same_ends::{only_leaves_with, same_ends};
use super::{Block, BlockId, BlockSet, Dominators, Graph, Lists, Step, Terminator};
use crate::lift::{Context, Lifter, Temporaries};

/// See the module.
pub(crate) fn join_rotated_tests(graph: &mut Graph, context: &Context<'_>, temporaries: &mut Temporaries) {
    if !context.function.features.tests_loops_twice || !may_be_rotated(graph) {
        return;
    }
    let ends = same_ends(graph);
    let mut tests: HashMap<(BlockId, BlockId), Vec<BlockId>> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate() {
        if let Terminator::Branch { yes, no } = block.end {
            let (yes, no) = (ends[yes], ends[no]);
            tests.entry((yes.min(no), yes.max(no))).or_default().push(id);
        }
    }
    let mut rotated: Vec<((BlockId, BlockId), Vec<BlockId>)> =
        tests.into_iter().filter(|(_, blocks)| blocks.len() > 1).collect();
    if rotated.is_empty() {
        return;
    }
    rotated.sort_unstable();
    // A handler is entered from every block that it protects.
    let predecessors = graph.all_predecessors();
    let dominators = Dominators::compute(&graph.reverse_postorder(), &predecessors);
    // The copies of a `finally` body are left behind where they were joined; their ends test, too.
    for (_, blocks) in &mut rotated {
        blocks.retain(|&block| dominators.dominates(0, block));
    }
    rotated.retain(|(_, blocks)| blocks.len() > 1);
    let count = graph.blocks.len();
    // The head of a loop around dominates the upper test, too.
    let body_of = |graph: &Graph, first: BlockId, block: BlockId| {
        let mut ways = graph.blocks[block].end.successors().filter(|&next| next < count);
        ways.find(|&next| dominators.dominates(next, block) && !dominators.dominates(next, first))
    };
    let mut budget = 64 * count;
    for ((one, other), mut blocks) in rotated {
        blocks.sort_unstable_by_key(|&block| graph.blocks[block].start);
        let head = graph.blocks[one].start.min(graph.blocks[other].start);
        let yes_of = |graph: &Graph, block: BlockId| match graph.blocks[block].end {
            Terminator::Branch { yes, .. } => ends[yes],
            _ => block,
        };
        let first = blocks.remove(0);
        for bottom in blocks {
            if graph.blocks[bottom].start >= head
                && graph.blocks[bottom].region == graph.blocks[first].region
                && let Some(body) = body_of(graph, first, bottom)
            {
                let is_turned = yes_of(graph, first) != yes_of(graph, bottom);
                let mut back: Vec<BlockId> = predecessors[first].to_vec();
                back.retain(|&before| dominators.dominates(first, before));
                let all = back.len();
                if all > 0 {
                    let leads = leads_back(&back, first, &predecessors, &mut budget);
                    // What was joined before is made of blocks that the lists do not know.
                    let inside = |block: BlockId| block >= count || leads.contains(block);
                    let around = ways_around(graph, (first, bottom), body, inside);
                    back.retain(|&before| !around.contains(before));
                }
                let continues = (back.len() < all).then_some(&back[..]);
                join(graph, context, temporaries, (first, bottom), is_turned, continues);
            }
        }
    }
}

/// Whether two tests lead to the same places, if all places where the function or a `with` is left count as one.
fn may_be_rotated(graph: &Graph) -> bool {
    // A loop has a way to a block that is not behind.
    let leads_back = |(id, block): (BlockId, &Block)| block.end.successors().any(|next| next <= id);
    if !graph.blocks.iter().enumerate().any(leads_back) {
        return false;
    }
    let goes_on = |block: &Block| block.end.successors().next().is_some() && !only_leaves_with(block);
    let place = |to: BlockId| Some(to).filter(|&to| goes_on(&graph.blocks[to]));
    let outcomes = |block: &Block| match block.end {
        Terminator::Branch { yes, no } => {
            let (yes, no) = (place(yes), place(no));
            Some((yes.min(no), yes.max(no)))
        }
        _ => None,
    };
    let mut known: Vec<_> = graph.blocks.iter().filter_map(outcomes).collect();
    known.sort_unstable();
    known.windows(2).any(|pair| pair[0] == pair[1])
}

/// The blocks that lead to one of these, without passing a test: those of the natural loop, if the test dominates them.
fn leads_back(to: &[BlockId], test: BlockId, predecessors: &Lists, budget: &mut usize) -> BlockSet {
    let mut found = BlockSet::default();
    found.insert(test);
    let mut work = to.to_vec();
    while let (Some(block), Some(left)) = (work.pop(), budget.checked_sub(1)) {
        *budget = left;
        if !found.put(block) {
            work.extend(&predecessors[block]);
        }
    }
    found
}

/// The blocks behind a loop that lead back to its upper test: that is where the loop around this one starts, too. So do those
/// in handlers of what is around the test. A `continue` of the loop lies in the body. All that leads there lies `inside`.
fn ways_around(
    graph: &Graph,
    (top, bottom): (BlockId, BlockId),
    body: BlockId,
    inside: impl Fn(BlockId) -> bool,
) -> BlockSet {
    let mut seen = BlockSet::default();
    seen.insert(top);
    let mut work: Vec<BlockId> = graph.blocks[bottom].end.successors().filter(|&next| next != body).collect();
    work.extend(graph.regions_around(top).into_iter().map(|region| graph.regions[region].handler));
    let mut found = BlockSet::default();
    while let Some(block) = work.pop() {
        if !inside(block) || seen.put(block) {
            continue;
        }
        let Block { end, region, .. } = graph.blocks[block];
        if end.successors().any(|next| next == top) {
            found.insert(block);
        }
        work.extend(end.successors().chain(region.map(|region| graph.regions[region].handler)));
    }
    found
}

/// Makes both blocks, the one above the body and the one below it, end in a jump to one test, if they end in the same,
/// or in its negation (`is_turned`). Where the one above is the start of another loop as well, it stays a block of its own:
/// of the ways back to it only those that the blocks `continues` end in are ways of this loop.
fn join(
    graph: &mut Graph,
    context: &Context<'_>,
    temporaries: &mut Temporaries,
    (top, bottom): (BlockId, BlockId),
    is_turned: bool,
    continues: Option<&[BlockId]>,
) {
    // Equal tests on two lines were written twice.
    let line = |block: BlockId| line_of(context.function, graph.blocks[block].end_offset);
    if line(top) != line(bottom) {
        return;
    }
    // Nearly all tests differ in their last step; but one of two equal compound tests may have been read as a negation.
    let last = |block: BlockId| graph.blocks[block].steps.last();
    let is_compound = |step: &Step| step.kind.as_piece().is_some();
    let may_be_same = match (last(top), last(bottom)) {
        (Some(above), Some(below)) => {
            is_turned || above.same(below) || is_compound(above) && is_compound(below)
        }
        _ => false,
    };
    if !may_be_same {
        return;
    }
    let above = condition(&graph.blocks[top].steps, context, temporaries);
    let below = condition(&graph.blocks[bottom].steps, context, temporaries);
    let (Some((above, length)), Some((below, erased))) = (above, below) else { return };
    let Some(pairs) = same_condition((&above, false), (&below, is_turned)) else { return };
    for (above, below) in pairs {
        let (kept, erased) = (origins(above), origins(below));
        erased.into_iter().zip(kept).for_each(|(erased, kept)| graph.copies.note(erased, kept));
    }
    let test = if graph.blocks[top].steps.len() == length && continues.is_none() {
        top
    } else {
        let at = graph.blocks[top].steps.len() - length;
        let mut block = graph.blocks[top].clone();
        block.steps = graph.blocks[top].steps.split_off(at);
        block.start = block.steps.first().map_or(block.start, |step| step.offset);
        // What jumps back in front of it is in the loop around.
        block.dead.back = None;
        let new = graph.blocks.len();
        graph.blocks.push(block);
        graph.blocks[top].end = Terminator::Jump(new);
        if at == 0 {
            for &block in continues.unwrap_or_default() {
                graph.blocks[block].end.retarget(|to| if to == top { new } else { to });
            }
        }
        new
    };
    let kept = graph.blocks[bottom].steps.len() - erased;
    graph.blocks[bottom].steps.truncate(kept);
    graph.copies.note(graph.blocks[bottom].end_offset, graph.blocks[test].end_offset);
    graph.blocks[bottom].end = Terminator::Jump(test);
    graph.blocks[test].layout.is_rotated = true;
}

/// The condition that a block ends with, and how many steps it is.
fn condition(steps: &[Step], context: &Context<'_>, temporaries: &mut Temporaries) -> Option<(Expr, usize)> {
    let mut missing = 1;
    let mut starts = steps.iter().enumerate().rev().filter_map(|(at, step)| {
        missing -= effect(step, &context.function.features);
        (missing == 0).then_some(at)
    });
    // What needs no value from before it may still be a part of an expression, as a copy is.
    starts.by_ref().take(2).find_map(|at| {
        let folded = Lifter::fold(context, temporaries, &steps[at..])?;
        Some((folded.expr, steps.len() - at))
    })
}
