//! Which ends of a function were written, though their place is that of a statement around them.

use depyf_bytecode::{Function, Op};

use super::places::instructions_before;
use super::same_ends::only_leaves_with;
use super::{BlockId, Graph, Lists, RegionKind, Terminator};

/// How a `return` of None may be spelled.
const RETURNS: [&str; 2] = ["return", "return None"];

/// So many blocks lie at most between the handler of a `with` and what is behind it, that do nothing but take its values off the
/// stack.
const MOST_UNWINDING: usize = 16;

/// The line of a `return` that leaves `with` statements. The calls of their exit functions have the places of these, and so
/// has what lies behind the calls; in front of them is an instruction that does nothing, as wide as the statement. Where the
/// function ends behind the outermost `with` anyway, all its ends are one.
pub(super) fn return_through_with(
    graph: &Graph,
    id: BlockId,
    predecessors: &Lists,
    function: &Function,
) -> Option<u32> {
    let call = |block: BlockId| match predecessors[block][..] {
        [before] if only_leaves_with(&graph.blocks[before]) => Some(before),
        _ => None,
    };
    let outermost = call(id)?;
    if !goes_on_behind(graph, outermost) {
        return None;
    }
    let calls = std::iter::successors(Some(outermost), |&block| call(block)).take(graph.blocks.len());
    let start = graph.blocks[calls.last()?].start;
    let word = instructions_before(function, start).checked_sub(1).map(|at| &function.instructions[at])?;
    let is_return = RETURNS.iter().any(|text| text.len() == usize::from(word.width));
    word.line.filter(|_| word.op == Op::Nop && is_return)
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
