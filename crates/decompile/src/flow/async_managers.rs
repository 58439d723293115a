//! Pass: `async with` gets the shape of `with`.
//!
//! `async with` awaits what the enter and exit functions return; nothing else differs.
//!
//! Needs: `fold_delegation`. Establishes: neither what an asynchronous manager enters nor the result of its exit
//! function in the handler is awaited by steps of its own: `BeforeWith` says that the statement is `async`.
//! The normal call of the exit function keeps its `await` for `find_with_statements`, which knows where it is.
//!
//! Example: `BeforeWith(async), GetAwaitable, None, YieldFrom` becomes `BeforeWith(async)`.

use depyf_bytecode::Op;

use super::{BlockId, Graph, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn erase_manager_awaits(graph: &mut Graph) {
    for block in 0..graph.blocks.len() {
        // What is entered is awaited in the next block, which no other way leads to.
        let enters =
            matches!(op_at(&graph.blocks[block].steps, -1), Some(Op::BeforeWith { is_async: true, .. }));
        if let (true, Terminator::Jump(next)) = (enters, graph.blocks[block].end) {
            erase_await(graph, next, 0);
        }
        let handles = graph.blocks[block]
            .steps
            .iter()
            .position(|step| matches!(step.kind, StepKind::Op(Op::WithExceptStart)));
        if let Some(start) = handles {
            erase_await(graph, block, start + 1);
        }
    }
}

fn erase_await(graph: &mut Graph, block: BlockId, at: usize) {
    if let Some(length) = graph.blocks[block].steps.get(at..).and_then(await_length) {
        graph.blocks[block].steps.drain(at..at + length);
    }
}

/// How many steps at the head await the value on the stack. 3.15 keeps an empty slot for SEND.
pub(super) fn await_length(steps: &[Step]) -> Option<usize> {
    let awaitable = usize::from(op_at(steps, 0) == Some(Op::GetAwaitable));
    let slot = usize::from(op_at(steps, awaitable as isize) == Some(Op::PushNull));
    let start = awaitable + slot;
    let sends = matches!(op_at(steps, start as isize), Some(Op::Const(_) | Op::Common(_)))
        && op_at(steps, start as isize + 1) == Some(Op::YieldFrom);
    sends.then_some(start + 2)
}

/// The operation at an index; a negative one counts from the end.
fn op_at(steps: &[Step], at: isize) -> Option<Op> {
    let at = if at < 0 { steps.len().checked_sub(at.unsigned_abs())? } else { at.unsigned_abs() };
    steps.get(at)?.op()
}
