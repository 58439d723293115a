//! Pass: the copies of what the body of a case begins with are one block again.
//!
//! The body drops the subject first. If it leaves the function in a few instructions, the compiler copies them to the
//! ways through the guard that would jump there (`Python/flowgraph.c`, `inline_small_or_no_lineno_blocks`). No place tells the
//! copies: the drop has none of its own. But a guard drops nothing of what lay on the stack before it, so that whatever
//! drops the subject behind a pattern is the body.
//!
//! Needs: `find_matches`; copied exits are joined, so that copies end at one place. Establishes: no two blocks behind the
//! pattern of a case do the same as its body.
//!
//! Example: `a: Case(b, n); b: x -> Branch(c, d); c: y -> Branch(e, n); d: z -> Branch(f, n)` with `e` and `f` both
//! `Pop, Jump(g)` leads to `e` twice.

use depyf_bytecode::{Function, Op};

use crate::flow::handling::Handling;
use crate::flow::shared_exits::retarget;
use crate::flow::step::are_same;
use crate::flow::{BlockId, BlockSet, Graph, Step, StepKind, Terminator};
use crate::hash::HashMap;

/// See the module.
pub(crate) fn join_case_bodies(graph: &mut Graph, function: &Function) {
    let keeps_subject = |step: &Step| matches!(step.kind, StepKind::Op(Op::Copy(1)));
    let guarded = graph.blocks.iter().filter_map(|block| match block.end {
        Terminator::Case { yes, no: Some(no), .. } if block.steps.last().is_some_and(keeps_subject) => {
            matches!(graph.blocks[yes].end, Terminator::Branch { .. }).then_some((yes, no))
        }
        _ => None,
    });
    let guarded: Vec<(BlockId, BlockId)> = guarded.collect();
    if guarded.is_empty() {
        return;
    }
    let handling = Handling::of(graph, &function.features);
    // A block belongs to one guard.
    let mut seen = BlockSet::default();
    let mut joined: HashMap<BlockId, BlockId> = HashMap::default();
    for (guard, next) in guarded {
        let mut bodies = bodies(graph, &handling, guard, next, &mut seen);
        bodies.sort_unstable_by_key(|&body| graph.blocks[body].start);
        let Some((&first, copies)) = bodies.split_first() else { continue };
        // What the next case does as well may be a copy of that.
        if is_same(graph, first, next) {
            continue;
        }
        for &copy in copies {
            if !is_same(graph, first, copy) {
                continue;
            }
            graph.copies.note_steps(&graph.blocks[copy].steps, &graph.blocks[first].steps);
            graph.copies.note(graph.blocks[copy].end_offset, graph.blocks[first].end_offset);
            joined.insert(copy, first);
        }
    }
    retarget(graph, &joined);
}

/// The blocks behind a pattern that begin with the drop of the subject.
fn bodies(
    graph: &Graph,
    handling: &Handling,
    guard: BlockId,
    next: BlockId,
    seen: &mut BlockSet,
) -> Vec<BlockId> {
    let mut found = Vec::new();
    let height = handling.height(guard);
    let mut work = vec![guard];
    while let Some(block) = work.pop() {
        if block == next || seen.put(block) {
            continue;
        }
        let own = &graph.blocks[block];
        if handling.height(block) == height && own.steps.first().is_some_and(Step::drops) {
            found.push(block);
            continue;
        }
        if let Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::OrPop { .. } = own.end {
            work.extend(own.end.successors());
        }
    }
    found
}

/// Whether two blocks do the same, and go on as one.
fn is_same(graph: &Graph, one: BlockId, other: BlockId) -> bool {
    let [one, other] = [one, other].map(|block| &graph.blocks[block]);
    one.end == other.end && one.region == other.region && are_same(&one.steps, &other.steps)
}
