//! Pass: what leaves a statement knows the jump behind it that nothing reaches.
//!
//! To 3.9 the compiler keeps the jumps that it puts behind a body, even where the body ends in `raise`, `break` or
//! `continue` (CPython `Python/compile.c`; `Python/peephole.c` erases only what lies behind a `return`). Such a jump
//! tells where the statement around ends: behind the body of an `if` it skips the `else`, behind that of a loop it
//! goes to the head, behind a handler it goes to the end of the `try`. Where there is none behind a `raise`, the
//! statement around it goes on with what lies there.
//!
//! Needs: the blocks in the order of the bytecode. Establishes: `Block::dead`. Later versions erase all that is not
//! reached, and little becomes known.
//!
//! Example: `a: Raise; (Jump(c)); b: x -> c` has `a` leave in front of a jump to `c`, and `b` start behind it.

use std::cell::OnceCell;

use depyf_bytecode::{Function, Op};
use fixedbitset::FixedBitSet;

use crate::hash::HashMap;

use super::behind::closings;
use super::places::{instructions_at, instructions_before};
use super::{Block, BlockId, Graph, Landing, Terminator, Ways, reverse_postorder};

/// See the module.
pub(crate) fn note_dead_jumps(graph: &mut Graph, function: &Function) {
    let count = graph.blocks.len();
    let goes_on = subroutines_that_go_on(graph, function);
    let ways = |block: BlockId| {
        let found = &graph.blocks[block];
        let behind = if goes_on[block] { block_behind(graph, block) } else { None };
        let handler = found.region.map(|region| graph.regions[region].handler);
        Ways::of(found.end.successors().and(behind), handler)
    };
    let mut reached = vec![false; count];
    reverse_postorder(count, ways).into_iter().for_each(|block| reached[block] = true);
    note_loop_ends(graph, function);
    let handlers = graph.handler_heads();
    let ways_in = graph.ways_in((0..count).filter(|&block| reached[block]));
    let mut landings: Vec<Option<Landing>> = vec![None; count];
    let bodies = FinallyBodies { function, ends: OnceCell::new() };
    let loop_ends = OnceCell::new();
    for block in (0..count.saturating_sub(1)).filter(|&block| reached[block]) {
        let leaves = match graph.blocks[block].end {
            Terminator::Jump(to) => {
                graph.blocks[block].jumps
                    && !ends_endless_loop(graph, function, block, to)
                    && !ends_last_handler(graph, &reached, block)
            }
            Terminator::Return | Terminator::Raise(_) | Terminator::Reraise => true,
            Terminator::EndFinally => !goes_on[block],
            _ => false,
        };
        if !leaves {
            continue;
        }
        let Some(at) = first_dead_jump(graph, &reached, &handlers, block + 1) else {
            if !function.features.jump_statements_stay && has_own_line(graph, function, &ways_in, block) {
                let loop_end = loop_ends.get_or_init(|| loop_ends_around(graph))[block];
                if leaves_round(graph, block, loop_end) {
                    graph.blocks[block].dead.behind = Some(Landing::Written);
                    continue;
                }
            }
            // A jump would skip an `else`, or lead on behind a handler: what lies right behind a `raise` follows it.
            // Later versions erase the jump.
            let next = &graph.blocks[block + 1];
            if !function.features.copies_implicit_end
                && matches!(graph.blocks[block].end, Terminator::Raise(_))
                && reached[block + 1]
                && !ends_body(next)
                && !handlers.contains(block + 1)
            {
                graph.blocks[block].dead.behind = Some(Landing::At(next.start));
            }
            continue;
        };
        graph.blocks[block].dead.behind = landing(graph, &reached, &mut landings, &bodies, at);
    }
    for block in 1..count {
        let before = &graph.blocks[block - 1];
        if reached[block] && !reached[block - 1] && before.jumps && !ends_loop(graph, before) {
            graph.blocks[block].dead.in_front = landing(graph, &reached, &mut landings, &bodies, block - 1);
        }
    }
}

/// Whether a block ends with the last jump back to the head of a loop.
fn ends_loop(graph: &Graph, block: &Block) -> bool {
    matches!(block.end, Terminator::Jump(to) if graph.blocks[to].dead.back == Some(block.end_offset))
}

/// Whether the jump that a block ends with begins a line: it is a `break` or `continue`. What the compiler puts behind a
/// body has the line of that.
fn has_own_line(graph: &Graph, function: &Function, ways_in: &[usize], block: BlockId) -> bool {
    let found = &graph.blocks[block];
    let at = instructions_before(function, found.end_offset);
    let pair = at.checked_sub(1).and_then(|before| function.instructions.get(before..=at));
    // A `pass` that is all of the body of a loop or of an `if` gives its line to the jump. Several ways meet in front of a
    // `break` alone.
    let leaves = || matches!(found.end, Terminator::Jump(to) if to > block) && ways_in[block] > 1;
    found.jumps
        && !ends_loop(graph, found)
        && (!found.steps.is_empty() || leaves())
        && pair.is_some_and(|pair| matches!(pair[1].op, Op::Jump(_)) && pair[0].line < pair[1].line)
}

/// Whether the jump behind a block leads where a `break` or `continue` would: back, or out of the innermost loop around it,
/// of which this is the end. A `pass` at the end of a body gives its line to the jump behind that, too.
fn leaves_round(graph: &Graph, block: BlockId, loop_end: Option<u32>) -> bool {
    match graph.blocks[block].end {
        Terminator::Jump(to) => to <= block || loop_end.is_some_and(|end| graph.blocks[to].start > end),
        _ => false,
    }
}

/// For each block, the last place in the innermost loop around it.
fn loop_ends_around(graph: &Graph) -> Vec<Option<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let blocks = graph.blocks.iter();
    let found = blocks.map(|block| {
        while open.pop_if(|end| *end < block.start).is_some() {}
        // The jump back behind a `return` is erased.
        let end = block.dead.back.or_else(|| match block.end {
            Terminator::ForIter { exhausted, .. } => graph.blocks[exhausted].start.checked_sub(1),
            _ => None,
        });
        open.extend(end);
        open.last().copied()
    });
    found.collect()
}

/// Whether the jump behind a block is the last one back to the head of a loop without a test: it ends the loop, and what
/// lies behind belongs to what is around it. Behind one with a test lies what that leads to.
fn ends_endless_loop(graph: &Graph, function: &Function, block: BlockId, head: BlockId) -> bool {
    let (at, head) = (graph.blocks[block].end_offset, &graph.blocks[head]);
    if head.dead.back != Some(at) {
        return false;
    }
    // What leaves a body or a handler on the way was written in it: the jump at the end of the loop is erased there.
    let before = instructions_before(function, at).checked_sub(1);
    if before.is_some_and(|at| matches!(function.instructions[at].op, Op::PopBlock | Op::PopExcept)) {
        return false;
    }
    match head.end {
        Terminator::ForIter { .. } => false,
        Terminator::Branch { yes, no } => [yes, no].iter().all(|&way| graph.blocks[way].start <= at),
        _ => true,
    }
}

/// Whether the jump behind a block ends an `except:`, which takes all that is left: what would raise that again lies right
/// behind, unreached. A `break` or `continue` at the end of it would have another jump there.
fn ends_last_handler(graph: &Graph, reached: &[bool], block: BlockId) -> bool {
    let is_end = |next: &Block| matches!(next.end, Terminator::EndFinally | Terminator::Reraise);
    !reached[block + 1] && graph.blocks[block + 1].steps.is_empty() && is_end(&graph.blocks[block + 1])
}

/// Where the last jump back to each block stands. To 3.9 each loop ends with one, even where all of its body leaves.
fn note_loop_ends(graph: &mut Graph, function: &Function) {
    let mut starts: HashMap<u32, BlockId> = HashMap::default();
    for instruction in &function.instructions {
        let Op::Jump(to) = instruction.op else { continue };
        let Some(target) = function.instructions.get(to as usize) else { continue };
        if target.offset > instruction.offset {
            continue;
        }
        if starts.is_empty() {
            starts = graph.blocks.iter().enumerate().map(|(id, block)| (block.start, id)).collect();
        }
        if let Some(&block) = starts.get(&target.offset) {
            let back = &mut graph.blocks[block].dead.back;
            *back = (*back).max(Some(instruction.offset));
        }
    }
}

/// The first jump among the unreachable blocks from one on.
///
/// What unbinds the name of an `except .. as name` is a `finally` subroutine in 3.8: reached by exceptions, but not
/// from the unreachable end of the handler's body in front of it, which leads on behind it.
fn first_dead_jump(
    graph: &Graph,
    reached: &[bool],
    handlers: &FixedBitSet,
    from: BlockId,
) -> Option<BlockId> {
    let mut at = from;
    loop {
        let found = graph.blocks.get(at)?;
        if reached[at] {
            let falls_in = at > from && !reached[at - 1] && !graph.blocks[at - 1].jumps;
            let ends = matches!(found.end, Terminator::Reraise | Terminator::EndFinally);
            let is_cleanup = ends && found.steps.len() == 3;
            if !(falls_in && is_cleanup && handlers.contains(at)) {
                return None;
            }
        } else if found.jumps {
            return Some(at);
        }
        at += 1;
    }
}

/// Which blocks end a `finally` subroutine of 3.8 that control falls into: it goes on behind it.
fn subroutines_that_go_on(graph: &Graph, function: &Function) -> Vec<bool> {
    let goes_on = |block: &Block| {
        block.end == Terminator::EndFinally
            && instructions_at(function, block.end_offset)
                .any(|last| last.op == Op::EndFinally { falls: true })
    };
    graph.blocks.iter().map(goes_on).collect()
}

/// The block that lies behind another in the bytecode. A block that was cut for what is not reached has the rest among the last.
fn block_behind(graph: &Graph, block: BlockId) -> Option<BlockId> {
    let start = |block: BlockId| graph.blocks[block].start;
    let end = graph.blocks[block].end_offset;
    if block + 1 < graph.blocks.len() && start(block + 1) > end {
        return Some(block + 1);
    }
    (0..graph.blocks.len()).filter(|&other| start(other) > end).min_by_key(|&other| start(other))
}

/// Whether a block is the end of a `finally` body (3.8), which leads elsewhere in each copy of that.
fn ends_body(block: &Block) -> bool {
    block.end == Terminator::EndFinally && block.steps.is_empty()
}

/// Where the `finally` bodies of 3.8 end, which are subroutines.
struct FinallyBodies<'a> {
    function: &'a Function,
    /// The offset of the last instruction of each, by that of its first; seldom asked for.
    ends: OnceCell<HashMap<u32, u32>>,
}

impl FinallyBodies<'_> {
    /// What lies behind the body that a block begins.
    fn behind(&self, graph: &Graph, block: BlockId) -> Option<BlockId> {
        if !self.function.features.finally_subroutines {
            return None;
        }
        let ends = self.ends.get_or_init(|| closings(self.function));
        let end = *ends.get(&graph.blocks[block].start)?;
        let behind = graph.blocks.partition_point(|found| found.start <= end);
        (behind < graph.blocks.len()).then_some(behind)
    }
}

/// Where an unreachable block leads.
fn landing(
    graph: &Graph,
    reached: &[bool],
    known: &mut [Option<Landing>],
    bodies: &FinallyBodies<'_>,
    first: BlockId,
) -> Option<Landing> {
    let mut way = Vec::new();
    let (mut at, mut jumps) = (first, true);
    let found = loop {
        match (reached.get(at), graph.blocks[at].end) {
            // Other code that is not reached may lie in front of a handler, and does not lead there, but to what lies
            // behind a `finally` body.
            (Some(true), _) if !jumps => match bodies.behind(graph, at) {
                Some(behind) => (at, jumps) = (behind, true),
                None => break Some(Landing::Unreached),
            },
            (Some(true), _) if ends_body(&graph.blocks[at]) => break None,
            (Some(true), _) => break Some(Landing::At(graph.blocks[at].start)),
            _ if known[at].is_some() => break known[at],
            // A circle of unreachable jumps leads nowhere.
            (_, Terminator::Jump(to)) if way.len() < graph.blocks.len() => {
                way.push(at);
                (at, jumps) = (to, graph.blocks[at].jumps);
            }
            (_, Terminator::Nowhere) => break Some(Landing::End),
            _ => break None,
        }
    };
    way.into_iter().for_each(|block| known[block] = found);
    found
}
