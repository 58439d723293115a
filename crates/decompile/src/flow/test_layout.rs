//! How tests lie in the bytecode, which tells what stands behind them in the source.

use depyf_bytecode::{Function, Instruction, JumpCondition, Op, Region};

use super::shared_tails::is_short;
use super::written_jumps::may_be_statement;
use super::{LARGEST_COPY, Layout};

/// How the conditional jump lies that is the instruction `at` and jumps to `target`.
pub(super) fn layout(function: &Function, at: usize, condition: JumpCondition, target: u32) -> Layout {
    let jump = |at: usize| {
        let found = function.instructions.get(at)?;
        if let Op::Jump(to) = found.op { Some((found, to as usize)) } else { None }
    };
    let falls = matches!(condition, JumpCondition::False | JumpCondition::NotNone);
    let (test, behind) = (&function.instructions[at], jump(at + 1));
    // The assembler turns a test that would jump back, and puts the jump behind it (`Python/flowgraph.c`,
    // `normalize_jumps_in_block`); a `continue` has a place of its own in the source.
    let is_at_test = |jump: &Instruction| (jump.line, jump.column) == (test.line, test.column);
    let is_turned = function.features.jumps_back_over
        && target as usize == at + 2
        && behind.is_some_and(|(jump, to)| to <= at && is_at_test(jump));
    let body = if is_turned { at + 2 } else { at + 1 };
    // What passes the other arm of a conditional expression has no place but that of the test in front of it. So has what
    // passes the end of a chained comparison, whose last test that is until the chain is folded.
    let ends_chain = function.instructions.get(body + 1).is_some_and(|behind| behind.op == Op::Pop);
    let is_body = |jump: &Instruction| {
        let goes_on = matches!(jump.op, Op::Jump(to) if to as usize > at);
        (jump.column.is_none() || !is_at_test(jump) || ends_chain)
            && (ends_chain || !goes_on || may_be_statement(jump, test) && !is_for_constant(test, jump))
    };
    let jump = jump(body).map(|(jump, _)| jump).filter(|jump| is_body(jump));
    let jump = jump.or_else(|| copied_exit(function, test, body, target));
    let to = if is_turned { behind.map(|(_, to)| to) } else { Some(target as usize) };
    let to = to.and_then(|to| function.instructions.get(to));
    Layout {
        falls: Some(falls != is_turned),
        jump: jump.map(|jump| jump.offset),
        to: to.map(|to| to.offset),
        is_rotated: false,
    }
}

/// Whether a jump behind a test is that of a constant, the next operand of the condition: of its test nothing but the place
/// is left. A body on the line of its test stands nearer to that. (A jump back is kept: without it the test itself would
/// be turned, which is in no region then.)
fn is_for_constant(test: &Instruction, jump: &Instruction) -> bool {
    // A width that is larger than this is not known.
    let is_known = (1..u8::MAX).contains(&test.width);
    let end = test.column.map(|column| column + u32::from(test.width));
    let operator = jump.column.zip(end).and_then(|(jump, end)| jump.checked_sub(end));
    is_known && test.line == jump.line && operator.is_some_and(|width| width as usize >= " or ".len())
}

/// What a `break` leaves where the end of the function, to which it led, has been copied to it: a NOP, which only
/// has its line, or that line at an end that has none of its own.
fn copied_exit<'a>(
    function: &'a Function,
    test: &Instruction,
    at: usize,
    target: u32,
) -> Option<&'a Instruction> {
    let (nop, exit) = (function.instructions.get(at)?, function.instructions.get(at + 1)?);
    let is_end = |op: Op| matches!(op, Op::Return | Op::Reraise(_));
    let ends = |at: usize| function.instructions.get(at).is_some_and(|next| is_end(next.op));
    if is_end(nop.op) && nop.line.is_some() && nop.line != test.line {
        return Some(nop);
    }
    if !matches!(nop.op, Op::Nop) || nop.line.is_none() || nop.line == exit.line {
        return None;
    }
    // In front of a region it is what is left of the word `try`.
    let handler = |at: usize| Region::around(&function.regions, at as u32).map(|region| region.handler);
    if handler(at) != handler(at + 1) {
        return None;
    }
    // What the test leads to as well is no copy: a `pass` lies in front of it.
    let is_exit = ends(at + 1) || ends(at + 2) || target as usize != at + 1 && is_short_end(function, at + 1);
    is_exit.then_some(nop)
}

/// Whether the function ends in so few instructions from one on that the compiler copies them.
fn is_short_end(function: &Function, at: usize) -> bool {
    let behind = &function.instructions[at..];
    let goes_on =
        |op: Op| matches!(op, Op::Jump(_) | Op::JumpIf(..) | Op::JumpIfOrPop(..) | Op::ForIter { .. });
    let is_last = |found: &Instruction| goes_on(found.op) || matches!(found.op, Op::Return | Op::Raise(_));
    let last = behind.iter().take(2 * LARGEST_COPY).position(is_last);
    last.is_some_and(|last| {
        let end = &behind[..=last];
        !goes_on(end[last].op) && is_short(end.iter().map(|found| found.offset))
    })
}
