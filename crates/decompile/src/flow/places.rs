//! Where instructions stand in the source.
//!
//! What the compiler adds between statements has no place of its own: it gets that of the instruction before it (CPython
//! `Python/compile.c` or `Python/flowgraph.c`, `propagate_line_numbers`). A `return`, `break` or `continue` has one.

use std::cmp::Reverse;
use std::ops::Range;

use depyf_bytecode::{CommonConst, Function, Instruction, Intrinsic2, Op};

use super::{BlockId, Graph, Lists, StepKind};

/// Whether what is stored last is the value of a chained comparison that is false: the operand below it was dropped.
fn drops_operand(before: &[Instruction]) -> bool {
    matches!(before, [.., below, drop, _] if drop.op == Op::Pop && matches!(below.op, Op::Swap(_) | Op::Rot(_)))
}

/// Whether the jump or `return` at an instruction of a block has the place of the statement before it, so that it was not
/// written. What leaves a handler or a `for` on its way has the place of what was written too, and tells nothing; `None`
/// where that is all there is of a handler. The predecessors of the blocks are seldom asked for.
pub(super) fn continues<'a>(
    graph: &Graph,
    predecessors: impl FnOnce() -> &'a Lists,
    function: &Function,
    block: BlockId,
    at: usize,
) -> Option<bool> {
    let instructions = &function.instructions;
    let own = &instructions[at];
    let (before, leaves_handler) = before_unwinding(&instructions[..at], own);
    match before {
        [.., head, Instruction { op: Op::Pop | Op::StoreLocal(_) | Op::StoreDeref(_), .. }]
            if leaves_handler
                && matches!(head.op, Op::JumpIf(..) | Op::PushExcInfo | Op::Pop)
                && !drops_operand(before) =>
        {
            return None;
        }
        // What stands behind an `except*` that raised nothing: its last clause gives it a line (3.11).
        [.., prepare, _, _]
            if leaves_handler && prepare.op == Op::Intrinsic2(Intrinsic2::PrepReraiseStar) =>
        {
            return Some(true);
        }
        [.., last] if last.op.falls_through() => {
            return Some(is_same_place(last, own) || is_second_target(before, own));
        }
        _ => {}
    }
    let first = instructions[before.len()].offset;
    // An `await` is a loop that has become one step.
    let ahead = graph.blocks[block].steps.iter().rev().find(|step| step.offset < first);
    if let Some(step) = ahead.filter(|step| matches!(step.kind, StepKind::Op(Op::YieldFrom))) {
        return instruction_at(function, step.offset).map(|found| is_same_place(found, own));
    }
    // Only jumps lead there.
    let predecessors = predecessors();
    let mut block = block;
    for _ in 0..graph.blocks.len() {
        match &predecessors[block] {
            [only] if (first..own.offset).contains(&graph.blocks[*only].start) => block = *only,
            _ => break,
        }
    }
    let has_place =
        |offset: u32| instruction_at(function, offset).is_none_or(|found| is_same_place(found, own));
    // What a test falls into may have been a jump alone.
    let jump_behind = |test: u32| {
        let behind = instructions.get(instructions_before(function, test + 1))?;
        matches!(behind.op, Op::Jump(_)).then_some(behind.offset)
    };
    let leads_on = |&before: &BlockId| {
        let before = &graph.blocks[before];
        has_place(before.end_offset) || jump_behind(before.end_offset).is_some_and(has_place)
    };
    Some(!predecessors[block].is_empty() && predecessors[block].iter().all(leads_on))
}

/// Whether an instruction has the place of a `break`: what drops the iterator of its loop has, and the end of the function
/// that was copied there.
pub(super) fn is_word_of_break(offset: u32, function: &Function) -> bool {
    let found = instruction_at(function, offset);
    found.is_some_and(|found| found.column.is_some() && usize::from(found.width) == "break".len())
}

/// What lies in front of the instructions that leave a handler, by POP_EXCEPT and what unbinds its name, or a `for`, by
/// dropping its iterator; and whether a handler is left.
fn before_unwinding<'a>(instructions: &'a [Instruction], own: &Instruction) -> (&'a [Instruction], bool) {
    let mut before = instructions;
    let mut leaves_handler = false;
    loop {
        before = match before {
            [rest @ .., a, b, c, d]
                if a.op == Op::PopExcept
                    && matches!(b.op, Op::Const(_) | Op::Common(CommonConst::None))
                    && unbinds(c.op, d.op)
                    && is_same_place(a, own) =>
            {
                leaves_handler = true;
                rest
            }
            [rest @ .., a]
                if matches!(a.op, Op::PopExcept | Op::PopBlock | Op::Pop) && is_same_place(a, own) =>
            {
                leaves_handler |= a.op == Op::PopExcept;
                rest
            }
            _ => return (before, leaves_handler),
        };
    }
}

/// Whether a variable is set, to None, and then deleted.
pub(crate) fn unbinds(store: Op, delete: Op) -> bool {
    match (store, delete) {
        (Op::StoreLocal(a), Op::DeleteLocal(b)) => a == b,
        (Op::StoreDeref(a), Op::DeleteDeref(b)) => a == b,
        (Op::StoreGlobal(a), Op::DeleteGlobal(b)) | (Op::StoreName(a), Op::DeleteName(b)) => a == b,
        _ => false,
    }
}

/// Whether an instruction has the place of the second local that the one before it stores: that has the place of the first, if
/// it stores both (3.13 on).
fn is_second_target(before: &[Instruction], own: &Instruction) -> bool {
    let [.., first, second] = before else { return false };
    let stores = |found: &Instruction| matches!(found.op, Op::StoreLocal(_));
    let ends = |found: &Instruction| Some(found.column? + u32::from(found.width));
    first.offset == second.offset
        && stores(first)
        && stores(second)
        && own.line.is_some()
        && own.line == first.line
        && ends(first).is_some_and(|end| own.column > Some(end))
}

/// Whether both stand in one place.
pub(super) fn is_same_place(a: &Instruction, b: &Instruction) -> bool {
    (a.line, a.column) == (b.line, b.column)
}

/// How many instructions lie before an offset.
pub(crate) fn instructions_before(function: &Function, offset: u32) -> usize {
    function.instructions_before(offset)
}

/// The operations that the instruction at an offset was decoded to.
pub(super) fn instructions_at(function: &Function, offset: u32) -> impl Iterator<Item = &Instruction> {
    let behind = &function.instructions[instructions_before(function, offset)..];
    behind.iter().take_while(move |found| found.offset == offset)
}

/// The first of the operations that the instruction at an offset was decoded to.
pub(crate) fn instruction_at(function: &Function, offset: u32) -> Option<&Instruction> {
    instructions_at(function, offset).next()
}

/// The instructions of a graph whose blocks start and end at some offsets: all of them, but for a part of a function,
/// such as a comprehension, which does not start where the function does. A function may have many parts.
pub(crate) fn instructions_of(function: &Function, blocks: impl Iterator<Item = (u32, u32)>) -> Range<usize> {
    match blocks.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) {
        Some((start, end)) if start > 0 => {
            let from = instructions_before(function, start);
            from..instructions_before(function, end.saturating_add(1)).max(from)
        }
        _ => 0..function.instructions.len(),
    }
}

/// Whether what an instruction stands for is as wide as the word `return`.
pub(super) fn is_as_wide_as_return(instruction: &Instruction) -> bool {
    usize::from(instruction.width) == "return".len()
}

/// The line of the instruction at an offset.
pub(crate) fn line_of(function: &Function, offset: u32) -> Option<u32> {
    instruction_at(function, offset)?.line
}

/// Sorts the copies of an end by their offsets so that the original is the first. A copy lies where a jump to the original
/// was: mostly before it, unless that was in what only exceptions reach, from `moved` on.
pub(super) fn original_first(offset: u32, moved: u32) -> (bool, Reverse<u32>) {
    (offset >= moved, Reverse(offset))
}

/// The line of the instruction at an offset, and where on it that stands, from 3.11 on: a copy has both of the original.
pub(super) fn place_of(function: &Function, offset: u32) -> Option<(Option<u32>, Option<u32>)> {
    instruction_at(function, offset).map(|found| (found.line, found.column))
}
