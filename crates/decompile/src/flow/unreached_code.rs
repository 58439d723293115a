//! Pass: a way leads to what was written behind a statement that nothing leads out of.
//!
//! To 3.9 the compiler compiles all code, and keeps it unless it lies behind a `return`: the `else` of a `try` whose body
//! raises, or what follows one whose body and handlers all leave (CPython `Python/compile.c`, `compiler_try_except`).
//! Control never comes there, but what prints the function must. So a test that never holds stands at the head of the
//! statement's body, and leads out of it as the end of the body would.
//!
//! In 3.8 a `finally` body that always leaves may be called in front of a jump or `return`, and what stands behind the call
//! was written. So the test stands at the head of that body, and leads to its end.
//!
//! Needs: the blocks in the order of the bytecode. Establishes: such code is reached, by [`StepKind::Never`], which
//! `refine/unreached_code.rs` takes out of the tree.
//!
//! Example: `try: raise a` `except b: c()` `else: d()` has its `else`.

use depyf_bytecode::{Function, Instruction, Op, Unreached};

use super::finally_subroutines::is_finally_body;
use super::{Block, BlockId, Contents, Graph, Step, StepKind, Terminator};
use crate::lift::Context;

/// See the module.
pub(crate) fn reach_unreached_code(graph: &mut Graph, context: &Context<'_>) {
    let function = context.function;
    let starts: Vec<u32> = graph.blocks.iter().map(|block| block.start).collect();
    for &Unreached { setup, start } in context.unreached {
        if let Some(Instruction { op: Op::Raise(_), offset, .. }) = function.instructions.get(setup as usize)
        {
            go_on_behind_raise(graph, block_at(&starts, *offset), *offset);
            continue;
        }
        if let (
            Some(Instruction { op: Op::EndFinally { .. }, .. }),
            Some(Instruction { op: Op::SetupBlock(body), .. }),
        ) = (function.instructions.get(start as usize), function.instructions.get(setup as usize))
        {
            if let (Some(end), Some(body)) =
                (block_of(&starts, function, start), block_of(&starts, function, *body))
            {
                lead_past(graph, body, end);
            }
            continue;
        }
        let (Some(before), Some(body)) =
            (block_of(&starts, function, setup), block_of(&starts, function, setup + 1))
        else {
            continue;
        };
        let (Some(region), Some(mut behind)) =
            (graph.blocks[body].region, block_of(&starts, function, start))
        else {
            continue;
        };
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
}

/// Makes a test that never holds lead past the body of a `finally` to its end. The test takes the place of the body's
/// first block, where the body is entered.
fn lead_past(graph: &mut Graph, body: BlockId, end: BlockId) {
    let moved = graph.blocks.len();
    let entered = &mut graph.blocks[body];
    let offset = entered.start;
    let test = Block {
        steps: vec![Step { offset, kind: StepKind::Never }],
        ..Block::empty(offset, Terminator::Branch { yes: end, no: moved }, entered.region)
    };
    let first = std::mem::replace(entered, test);
    graph.blocks.push(first);
    graph.contents.add(Contents::JUMPS.and(Contents::TESTS));
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

/// The block that an instruction is in, if another one lies behind it.
fn block_of(starts: &[u32], function: &Function, at: u32) -> Option<BlockId> {
    let block = block_at(starts, function.instructions.get(at as usize)?.offset);
    (block + 1 < starts.len()).then_some(block)
}

/// The block that an offset is in: they lie in the order of the bytecode.
fn block_at(starts: &[u32], offset: u32) -> BlockId {
    starts.partition_point(|&start| start <= offset).saturating_sub(1)
}
