//! Which ends of a function were written, though their place is that of a statement around them.

use depyf_bytecode::{Function, Instruction, Op};

use super::places::instructions_before;
use super::same_ends::only_leaves_with;
use super::{BlockId, Graph, Lists, RegionKind, Terminator};

/// How a `return` of None may be spelled.
const RETURNS: [&str; 2] = ["return", "return None"];

/// So many blocks lie at most between the handler of a `with` and what is behind it, that do nothing but take its values off the
/// stack.
const MOST_UNWINDING: usize = 16;

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
    let is_return = RETURNS.iter().any(|text| text.len() == usize::from(word.width));
    word.line.filter(|_| is_return)
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
