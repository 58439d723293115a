//! Pass: a way leads to what was written behind a statement that nothing leads out of.
//!
//! To 3.9 the compiler compiles all code, and keeps it unless it lies behind a `return`: the `else` of a `try` whose body
//! raises, or what follows one whose body and handlers all leave (CPython `Python/compile.c`, `compiler_try_except`).
//! Control never comes there, but what prints the function must. So a test that never holds stands at the head of the
//! statement's body, and leads out of it as the end of the body would.
//!
//! In 3.8 what stands behind a `finally` body that always leaves was written, too, be it behind its end or behind a call of
//! it. So the test stands at the head of that body, and leads to its end. The compiler's own jumps count as well: a `break`
//! behind the statement is nothing else.
//!
//! So was the `else` of a conditional expression whose test is a constant: what is computed in its place ends with a jump
//! past it. A constant in front of that makes a test of it.
//!
//! Needs: the blocks in the order of the bytecode. Establishes: such code is reached, by [`StepKind::Never`], which
//! `refine/unreached_code.rs` takes out of the tree.
//!
//! Example: `try: raise a` `except b: c()` `else: d()` has its `else`.

use depyf_bytecode::{CommonConst, Function, Instruction, Op, Unreached};

use super::expression_ends::effect;
use super::finally_subroutines::is_finally_body;
use super::{Block, BlockId, Contents, Graph, Step, StepKind, Terminator};
use crate::hash::HashMap;
use crate::lift::Context;

/// See the module.
pub(crate) fn reach_unreached_code(graph: &mut Graph, context: &Context<'_>) {
    let function = context.function;
    if !context.unreached.is_empty() {
        end_function(graph, function);
    }
    let starts: Vec<u32> = graph.blocks.iter().map(|block| block.start).collect();
    // The first blocks of `finally` bodies that a test has taken the place of, and where they are now.
    let mut moved: HashMap<BlockId, BlockId> = HashMap::default();
    for &Unreached { setup, start, is_end } in context.unreached {
        if let Some(Instruction { op: Op::Raise(_), offset, .. }) = function.instructions.get(setup as usize)
        {
            go_on_behind_raise(graph, block_at(&starts, *offset), *offset);
            continue;
        }
        if let Some(Instruction { op: Op::Jump(_), offset, .. }) = function.instructions.get(setup as usize) {
            if let Some(arm) = block_of(&starts, function, start) {
                test_in_front_of_value(graph, block_at(&starts, *offset), arm, function);
            }
            continue;
        }
        if is_end {
            if let Some(Instruction { op: Op::SetupBlock(body), .. }) =
                function.instructions.get(setup as usize)
                && let (Some(end), Some(body)) =
                    (block_of(&starts, function, start), block_of(&starts, function, *body))
            {
                moved.insert(body, lead_past(graph, body, end));
            }
            continue;
        }
        test_in_front_of_body(graph, &starts, (setup, start), function);
    }
    if moved.is_empty() {
        return;
    }
    // A way back to the first block is one of a loop that the body begins with.
    let enters =
        |block: &Block| matches!(block.steps.last(), Some(Step { kind: StepKind::Op(Op::BeginFinally), .. }));
    for block in graph.blocks.iter_mut().filter(|block| !enters(block)) {
        block.end.retarget(|to| moved.get(&to).copied().unwrap_or(to));
    }
    graph.contents.add(Contents::JUMPS.and(Contents::TESTS));
}

/// Lets a test in front of the body of a `try`, which `setup` enters, lead to what nothing reaches at `start`.
fn test_in_front_of_body(graph: &mut Graph, starts: &[u32], (setup, start): (u32, u32), function: &Function) {
    let place = |instruction: u32| block_of(starts, function, instruction);
    let (Some(before), Some(body), Some(mut behind)) = (place(setup), place(setup + 1), place(start)) else {
        return;
    };
    let Some(region) = graph.blocks[body].region else { return };
    // No instruction starts there.
    let offset = graph.blocks[body].start.saturating_sub(1);
    let handler = graph.regions[region].handler;
    if is_finally_body(&graph.blocks[handler]) {
        // It runs first.
        let around = graph.blocks[handler].region;
        let enters = Step { offset, kind: StepKind::Op(Op::BeginFinally) };
        let end = Terminator::Jump(handler);
        graph.blocks.push(Block { steps: vec![enters], ..Block::empty(offset, end, around) });
        behind = graph.blocks.len() - 1;
    }
    let never = Step { offset, kind: StepKind::Never };
    let end = Terminator::Branch { yes: behind, no: body };
    graph.blocks.push(Block { steps: vec![never], ..Block::empty(offset, end, Some(region)) });
    let test = graph.blocks.len() - 1;
    graph.blocks[before].end.retarget(|to| if to == body { test } else { to });
    graph.contents.add(Contents::JUMPS.and(Contents::TESTS));
}

/// Makes a `return` of the end of the bytecode, if what nothing reaches runs off it: the compiler has put none there where
/// all else returns.
fn end_function(graph: &mut Graph, function: &Function) {
    let (Some(last), Some(end)) = (function.instructions.last(), graph.blocks.len().checked_sub(1)) else {
        return;
    };
    let block = &mut graph.blocks[end];
    if last.op == Op::Nop || block.end != Terminator::Nowhere {
        return;
    }
    block.steps = vec![Step { offset: last.offset, kind: StepKind::Op(Op::Common(CommonConst::None)) }];
    (block.end, block.end_offset) = (Terminator::Return, last.offset);
    if let Some(before) = end.checked_sub(1).filter(|&before| graph.blocks[before].end == Terminator::Nowhere)
    {
        graph.blocks[before].end = Terminator::Jump(end);
    }
}

/// Makes a test that never holds lead past the body of a `finally` to its end. The test takes the place of the body's
/// first block, where the body is entered. Gives the block that this one is now.
fn lead_past(graph: &mut Graph, body: BlockId, end: BlockId) -> BlockId {
    let moved = graph.blocks.len();
    let entered = &mut graph.blocks[body];
    let offset = entered.start;
    let test = Block {
        steps: vec![Step { offset, kind: StepKind::Never }],
        ..Block::empty(offset, Terminator::Branch { yes: end, no: moved }, entered.region)
    };
    let first = std::mem::replace(entered, test);
    graph.blocks.push(first);
    moved
}

/// Makes the `raise` that ends a block a step behind which the next block comes.
fn go_on_behind_raise(graph: &mut Graph, at: BlockId, offset: u32) {
    let block = &mut graph.blocks[at];
    if let Terminator::Raise(operands) = block.end
        && block.end_offset == offset
    {
        block.steps.push(Step { offset, kind: StepKind::Op(Op::Raise(operands)) });
        block.end = Terminator::Jump(at + 1);
    }
}

/// Makes the value that a block leaves on the stack one of two: a constant tells that the other one is not computed.
fn test_in_front_of_value(graph: &mut Graph, at: BlockId, arm: BlockId, function: &Function) {
    let moved = graph.blocks.len();
    let block = &mut graph.blocks[at];
    let Terminator::Jump(_) = block.end else { return };
    let mut height = 0;
    let first = block.steps.iter().rposition(|step| {
        height += effect(step, function).unwrap_or(i64::MIN / 2);
        height == 1
    });
    let Some(first) = first else { return };
    let value = block.steps.split_off(first);
    let offset = value[0].offset;
    let test = StepKind::Op(Op::Common(CommonConst::True));
    block.steps.push(Step { offset, kind: test });
    let (end, region) = (block.end, block.region);
    block.end = Terminator::Branch { yes: moved, no: arm };
    let end_offset = std::mem::replace(&mut block.end_offset, offset);
    graph.blocks.push(Block { steps: value, end_offset, ..Block::empty(offset, end, region) });
    graph.contents.add(Contents::JUMPS.and(Contents::TESTS));
}

/// The block that an instruction is in, if another one lies behind it.
fn block_of(starts: &[u32], function: &Function, at: u32) -> Option<BlockId> {
    let block = block_at(starts, function.instructions.get(at as usize)?.offset);
    (block + 1 < starts.len()).then_some(block)
}

/// The block that an offset is in: they lie in the order of the bytecode.
fn block_at(starts: &[u32], offset: u32) -> BlockId {
    starts.partition_point(|&start| start <= offset).saturating_sub(1)
}
