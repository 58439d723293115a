//! Which exits were a `break` that the end of the function was copied to.

use depyf_bytecode::{Function, Instruction, Op};

use super::places::{instruction_at, is_same_place, is_word_of_break};
use super::{Contents, Graph, LARGEST_COPY, Step, Terminator};
use crate::hash::HashSet;

/// Whether a step drops an iterator for a `break`, and the end of the function was copied to that: it has the same place.
pub(super) fn ends_break(drop: Option<&Step>, end: u32, function: &Function) -> bool {
    let Some(drop) = drop.filter(|drop| drop.drops() && is_word_of_break(drop.offset, function)) else {
        return false;
    };
    match [drop.offset, end].map(|offset| instruction_at(function, offset)) {
        [Some(drop), Some(end)] => is_same_place(drop, end),
        _ => false,
    }
}

/// The exits that a jump leads to and that drop an iterator first: a short `return` would have been copied to the jump, so
/// each is a `break` that the end of the function was copied to afterwards. It has one place with what it drops; what a
/// pattern of alternatives drops stands there. Those that leave a `try` or a handler, too, are told by columns where those
/// are known.
pub(super) fn breaks_at_the_end(function: &Function) -> impl Iterator<Item = &Instruction> {
    let all = &function.instructions;
    let leaves = |found: &&Instruction| {
        found.op == Op::Pop
            || matches!(found.op, Op::PopExcept | Op::PopBlock) && function.features.source_order
    };
    let exit = move |(at, found): (usize, &Instruction)| match found.op {
        Op::Jump(to) if at < to as usize && all.get(to as usize)?.op == Op::Pop => {
            let first = all.get(to as usize)?;
            let behind = all.get(to as usize..)?.iter().take(LARGEST_COPY);
            let last = behind.skip_while(leaves).nth(1)?;
            (last.op == Op::Return && is_same_place(first, last)).then_some(first)
        }
        _ => None,
    };
    all.iter().enumerate().filter(|_| function.features.copies_ends).filter_map(exit)
}

/// Notes the blocks that are nothing but such a `break`, and leave the statements around its loop.
pub(super) fn note_breaks_at_the_end(graph: &mut Graph, function: &Function) {
    if !function.features.source_order || !graph.contents.meets(Contents::POPS) {
        return;
    }
    let breaks: HashSet<u32> = breaks_at_the_end(function).map(|drop| drop.offset).collect();
    if breaks.is_empty() {
        return;
    }
    for block in graph.blocks.iter_mut() {
        if let (Some(drop), Terminator::Jump(_)) = (block.steps.first(), block.end)
            && breaks.contains(&drop.offset)
            && block.steps.iter().all(Step::unwinds)
        {
            block.written = Some(drop.offset);
        }
    }
}
