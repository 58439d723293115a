//! Pass: the copies of a statement's end that drop the statement's value are one block again.
//!
//! An expression that stands alone (`x and y()`) ends where its value is dropped. If little follows, the compiler
//! copies that end too: one arm drops its value and goes on by itself (`Python/flowgraph.c`,
//! `inline_small_or_no_lineno_blocks`). As it stands, the arm would be a statement of its own, under an `if`.
//!
//! Needs: copied exits are joined, so that copies end at one place; lines. Establishes: a block that begins by dropping
//! a value is reached by all that drop one on its line and go on as it does. Without a line table nothing changes:
//! only the line tells a copy from a statement that ends alike.
//!
//! Example: `a: y(), Pop, Jump(c)` and `b: Pop, Jump(c)` on one line become `a: y(), Jump(b)`.

use depyf_bytecode::{Function, Op, stack_effect};

use super::handling::Handling;
use super::places::line_of;
use super::{Block, BlockId, Graph, Step, StepKind, Terminator};
use crate::hash::HashMap;

/// A line that so many statements share tells nothing.
const MOST_ON_A_LINE: usize = 16;

/// See the module.
pub(crate) fn join_dropped_values(graph: &mut Graph, function: &Function) {
    let is_end =
        |block: &Block| matches!(block.end, Terminator::Jump(_) | Terminator::Return | Terminator::Raise(_));
    // The blocks that drop a value before they go on somewhere from a line, and those that begin with it.
    let mut dropping: HashMap<(Terminator, u32), Vec<BlockId>> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate().filter(|(_, block)| is_end(block)) {
        let Some(last) = block.steps.last().filter(|_| block.steps.iter().any(is_pop)) else { continue };
        if let Some(line) = line_of(function, last.offset) {
            dropping.entry((block.end, line)).or_default().push(id);
        }
    }
    let starts = |block: &Block| is_end(block) && block.steps.first().is_some_and(is_pop);
    if dropping.is_empty() || !graph.blocks.iter().any(starts) {
        return;
    }
    let mut ways_in = vec![0_usize; graph.blocks.len()];
    for block in &graph.blocks {
        block.end.successors().for_each(|next| ways_in[next] += 1);
    }
    // Nothing but jumps leads to these.
    ways_in[0] += 1;
    graph.regions.iter().for_each(|region| ways_in[region.handler] = 0);
    graph.end.iter().for_each(|&end| ways_in[end] += 1);
    let mut ends: Vec<End> = Vec::new();
    for id in (1..graph.blocks.len()).filter(|&id| ways_in[id] > 0 && starts(&graph.blocks[id])) {
        let end = End::of(graph, id, &ways_in);
        let line = end.steps.last().and_then(|last| line_of(function, last.offset));
        let Some(arms) = line.and_then(|line| dropping.get(&(end.end, line))) else { continue };
        if arms.len() <= MOST_ON_A_LINE
            && arms.iter().any(|&arm| end.begins_in(graph, function, arm).is_some())
        {
            ends.push(end);
        }
    }
    if ends.is_empty() {
        return;
    }
    let handling = Handling::of(graph, &function.features);
    for end in ends {
        let line = end.steps.last().and_then(|last| line_of(function, last.offset));
        for &arm in line.and_then(|line| dropping.get(&(end.end, line))).into_iter().flatten() {
            let Some(from) = end.begins_in(graph, function, arm) else { continue };
            let brought = graph.blocks[arm].steps[..from].iter().map(|step| effect(step, function));
            let height = brought.sum::<Option<i64>>().zip(handling.height(arm));
            let fits = height.map(|(brought, height)| brought + height) == handling.height(end.block)
                && handling.at(arm).is_some()
                && handling.at(arm) == handling.at(end.block);
            if fits {
                graph.copies.note_steps(&graph.blocks[arm].steps[from..], &end.steps);
                graph.copies.note(graph.blocks[arm].end_offset, end.end_offset);
                let block = &mut graph.blocks[arm];
                block.end_offset = block.steps[from].offset;
                block.steps.truncate(from);
                block.end = Terminator::Jump(end.block);
            }
        }
    }
}

/// What is done from a block that begins by dropping a value to where control goes on elsewhere.
struct End {
    block: BlockId,
    steps: Vec<Step>,
    end: Terminator,
    end_offset: u32,
}

impl End {
    /// What lies in one block behind the values that are dropped may have been made a block of its own.
    fn of(graph: &Graph, block: BlockId, ways_in: &[usize]) -> Self {
        let found = &graph.blocks[block];
        let mut end =
            Self { block, steps: found.steps.clone(), end: found.end, end_offset: found.end_offset };
        if let Terminator::Jump(next) = found.end
            && ways_in[next] == 1
            && graph.blocks[next].region == found.region
            && found.steps.iter().all(is_pop)
        {
            let next = &graph.blocks[next];
            end.steps.extend(next.steps.iter().cloned());
            (end.end, end.end_offset) = (next.end, next.end_offset);
        }
        end
    }

    /// Where a copy of it begins in another block, with something in front of it.
    fn begins_in(&self, graph: &Graph, function: &Function, arm: BlockId) -> Option<usize> {
        let found = &graph.blocks[arm];
        let from = found.steps.len().checked_sub(self.steps.len()).filter(|&from| from > 0)?;
        let line = |step: &Step| line_of(function, step.offset);
        let same =
            |(a, b): (&Step, &Step)| matches!(a.kind, StepKind::Op(_)) && a.same(b) && line(a) == line(b);
        let is_copy = arm != self.block
            && found.end == self.end
            && found.region == graph.blocks[self.block].region
            && found.steps[from..].iter().zip(&self.steps).all(same);
        is_copy.then_some(from)
    }
}

fn effect(step: &Step, function: &Function) -> Option<i64> {
    match step.kind {
        StepKind::Op(op) => Some(stack_effect(op, false, &function.features)),
        _ => None,
    }
}

fn is_pop(step: &Step) -> bool {
    matches!(step.kind, StepKind::Op(Op::Pop))
}
