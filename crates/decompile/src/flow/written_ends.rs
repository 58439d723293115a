//! Which ends of a function belong to a `return` that was written in front of them: those are no copies of others.

use depyf_bytecode::{Features, Function, Instruction, Op, stack_effect};

use super::copied_ends::is_store;
use super::finally_subroutines::is_finally_body;
use super::places::{instruction_at, instructions_before, is_as_wide_as_return, is_same_place, line_of};
use super::same_ends::{MOST_NESTED, only_leaves_with};
use super::{Block, BlockId, Graph, Lists, RegionKind, Step, StepKind, Terminator};

/// So many blocks lie at most between the handler of a `with` and what is behind it, that do nothing but take its values off the
/// stack.
const MOST_UNWINDING: usize = 16;

/// Whether an end lies behind a `return` that was written in a `try` (3.10): what ends the body there has the line of that,
/// and else that of what leads there.
pub(super) fn is_behind_written_return(graph: &Graph, end: BlockId, function: &Function) -> bool {
    let at = instructions_before(function, graph.blocks[end].start);
    let pop = at.checked_sub(1).map(|at| &function.instructions[at]);
    let Some(line) = pop.filter(|pop| pop.op == Op::PopBlock).and_then(|pop| pop.line) else { return false };
    let predecessors = graph.predecessors();
    let [mut block] = predecessors[end][..] else { return false };
    // A `return` may leave several bodies at once.
    for _ in 0..MOST_NESTED {
        match (&graph.blocks[block].steps[..], &predecessors[block][..]) {
            ([], &[before]) if graph.blocks[before].pops_block => block = before,
            ([], ways) => {
                // The jump behind a test may be that of a `break`.
                let leads = |&before: &BlockId| {
                    let Block { end_offset, layout, .. } = graph.blocks[before];
                    let mut offsets = [Some(end_offset), layout.jump].into_iter().flatten();
                    offsets.any(|offset| line_of(function, offset) == Some(line))
                };
                return !ways.is_empty() && !ways.iter().any(leads);
            }
            ([.., last], _) => return line_of(function, last.offset) != Some(line),
        }
    }
    false
}

/// Whether what leads to an end drops a value in the place of a `return`: if that is the iterator of a loop, the end is a copy of
/// the `finally` body of a `try` around the loop. The place is that of the constant that is returned, if there is one, and has
/// another width than a `break`; without columns, what ends the body of the `try` has the line of a `return` (3.10).
pub(super) fn is_behind_return_in_loop(graph: &Graph, end: BlockId, function: &Function) -> bool {
    let predecessors = graph.predecessors();
    let [mut block] = predecessors[end][..] else { return false };
    while let ([], &[before], true) =
        (&graph.blocks[block].steps[..], &predecessors[block][..], graph.blocks[block].pops_block)
    {
        block = before;
    }
    let Block { steps, region, .. } = &graph.blocks[block];
    // Behind a `finally` body the place is that of what it ends with.
    if region.is_none() || *region == graph.blocks[end].region {
        return false;
    }
    let Some(drop) = steps.last().and_then(|last| instruction_at(function, last.offset)) else {
        return false;
    };
    // Where the loop is exhausted, its iterator is dropped as well (3.14).
    let is_exhausted = |&before: &BlockId| match graph.blocks[before].end {
        Terminator::ForIter { exhausted, .. } => exhausted == block,
        _ => false,
    };
    if behind_drops(steps, &function.features) < steps.len() || predecessors[block].iter().any(is_exhausted) {
        return false;
    }
    // A statement may leave several loops. Behind the exit of a `with` statement all has the place of that.
    let before = function.instructions[..instructions_before(function, drop.offset)].iter().rev();
    let mut before = before.skip_while(|before| before.op == Op::Pop && is_same_place(before, drop));
    if before.next().is_some_and(|before| is_same_place(before, drop)) {
        return false;
    }
    if let Some(column) = drop.column {
        // A constant that is as wide as `break` stands behind the `return`, below the first statement of the block.
        let first = instruction_at(function, steps[0].offset).and_then(|first| first.column);
        let is_constant = || first.is_some_and(|first| column == first + "return ".len() as u32);
        return usize::from(drop.width) != "break".len() || is_constant();
    }
    // What ends the body of another `try` has no line of its own, and the copy of it that of a `break`.
    let is_finally =
        region.is_some_and(|region| is_finally_body(&graph.blocks[graph.regions[region].handler]));
    let at = instructions_before(function, graph.blocks[end].start);
    let pop = at.checked_sub(1).map(|at| &function.instructions[at]);
    is_finally && pop.is_some_and(|pop| pop.op == Op::PopBlock && pop.line == drop.line)
}

/// Whether a block begins with a `return` that was written in a `try` (3.12 on): that does nothing, and is as wide as the
/// word.
pub(super) fn begins_with_word(block: &Block, function: &Function) -> bool {
    instruction_at(function, block.start)
        .is_some_and(|word| word.op == Op::Nop && word.column.is_some() && is_as_wide_as_return(word))
}

/// The line of a `return` that leaves `with` statements, which is as wide as the statement. Where the function ends behind the
/// outermost `with` anyway, all its ends are one.
pub(super) fn return_through_with(
    graph: &Graph,
    id: BlockId,
    predecessors: &Lists,
    function: &Function,
) -> Option<u32> {
    let outermost = exit_call(graph, id, predecessors).filter(|&call| goes_on_behind(graph, call))?;
    let word = word_in_front(graph, outermost, predecessors, function)?;
    // The place is that of the value, where that stands on the line of the word.
    let names_none = ["None", "return None"].iter().any(|text| usize::from(word.width) == text.len());
    word.line.filter(|_| names_none || is_as_wide_as_return(word))
}

/// What is left of the word that leaves `with` statements, if a block is what lies behind: the calls of their exit functions
/// have the places of these, and so has what lies behind the calls. In front of them is an instruction that does nothing.
pub(super) fn word_through_with<'a>(
    graph: &Graph,
    id: BlockId,
    predecessors: &Lists,
    function: &'a Function,
) -> Option<&'a Instruction> {
    word_in_front(graph, exit_call(graph, id, predecessors)?, predecessors, function)
}

/// The call of an exit function that alone leads to a block.
fn exit_call(graph: &Graph, id: BlockId, predecessors: &Lists) -> Option<BlockId> {
    match predecessors[id][..] {
        [before] if only_leaves_with(&graph.blocks[before]) => Some(before),
        _ => None,
    }
}

fn word_in_front<'a>(
    graph: &Graph,
    outermost: BlockId,
    predecessors: &Lists,
    function: &'a Function,
) -> Option<&'a Instruction> {
    let calls = std::iter::successors(Some(outermost), |&block| exit_call(graph, block, predecessors));
    let start = graph.blocks[calls.take(graph.blocks.len()).last()?].start;
    let before = &function.instructions[..instructions_before(function, start)];
    // To 3.10 the block of the `with` is left first.
    let word = before.iter().rev().find(|found| found.op != Op::PopBlock)?;
    (word.op == Op::Nop).then_some(word)
}

/// Whether the function goes on behind the `with` that a block leaves: where a swallowed exception leads to.
fn goes_on_behind(graph: &Graph, call: BlockId) -> bool {
    let Some(RegionKind::With { swallowed }) =
        graph.blocks[call].region.map(|region| graph.regions[region].kind)
    else {
        return false;
    };
    let mut at = swallowed;
    for _ in 0..MOST_UNWINDING {
        let block = &graph.blocks[at];
        let mut rest = block.steps.iter().skip_while(|step| step.unwinds());
        match block.end {
            Terminator::Jump(next) if rest.next().is_none() => at = next,
            Terminator::Return => return rest.count() > 1,
            _ => return true,
        }
    }
    true
}

/// How many steps there are to where an end may begin: behind all that only drops, or behind a dropped iterator.
pub(super) fn behind_drops(steps: &[Step], features: &Features) -> usize {
    match leading_pops(steps) {
        0 => behind_dropped_iterator(steps, features),
        leading => leading,
    }
}

/// How many steps there are to the last one that drops what was on the stack before the block; 0, if none does.
pub(super) fn behind_dropped_iterator(steps: &[Step], features: &Features) -> usize {
    if !steps.iter().any(Step::drops) {
        return 0;
    }
    let (mut height, mut dropped) = (0, 0);
    for (at, step) in steps.iter().enumerate() {
        let StepKind::Op(op) = step.kind else { return 0 };
        if op == Op::Pop && height == 0 {
            dropped = at + 1;
            continue;
        }
        let effect = stack_effect(op, false, features);
        // What leaves a value may have taken its operands from below it.
        let leaves_value = i64::from(op != Op::Pop && !is_store(op));
        height = (height + effect).max(leaves_value);
    }
    dropped
}

/// How many steps at the start only drop what lies on the stack.
pub(super) fn leading_pops(steps: &[Step]) -> usize {
    steps.iter().take_while(|step| step.drops()).count()
}
