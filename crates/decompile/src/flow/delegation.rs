//! Pass: `yield from` and `await` become one operation again.
//!
//! From 3.11 on both are a loop around SEND and YIELD_VALUE (CPython `Python/codegen.c`, `ADD_YIELD_FROM`).
//!
//! Needs: the plain graph, jumps threaded. Establishes: such a loop is the single step `YieldFrom`, which pops
//! the iterator and the value sent first, as in 3.10.
//!
//! Example: `it, None -> b; b: Send(on c, done d); c: Yield -> b; d: EndSend` becomes `it, None, YieldFrom -> d`.

use depyf_bytecode::Op;

use super::{BlockId, Graph, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn fold_delegation(graph: &mut Graph, send_drops_iterator: bool) {
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors(&order);
    for &send in &order {
        let Terminator::Send { on, done } = graph.blocks[send].end else { continue };
        let yields = |block: BlockId| {
            matches!(&graph.blocks[block].steps[..], [Step { kind: StepKind::Op(Op::Yield), .. }])
                && graph.blocks[block].end == Terminator::Jump(send)
        };
        if !graph.blocks[send].steps.is_empty() || !yields(on) {
            continue;
        }
        let Some(skip) = end_of_send(&graph.blocks[done].steps, send_drops_iterator) else { continue };
        // What closes a suspended generator joins at the end of the loop, and goes with it.
        let throws: Vec<BlockId> = predecessors[done].iter().copied().filter(|&from| from != send).collect();
        let cleanup = |block: BlockId| {
            matches!(&graph.blocks[block].steps[..], [Step { kind: StepKind::Op(Op::CleanupThrow), .. }])
        };
        if !throws.iter().all(|&block| cleanup(block)) {
            continue;
        }
        for block in throws {
            graph.blocks[block].steps.clear();
            graph.blocks[block].end = Terminator::Nowhere;
        }
        let offset = graph.blocks[send].end_offset;
        graph.blocks[send].steps.push(Step { offset, kind: StepKind::Op(Op::YieldFrom) });
        graph.blocks[send].end = Terminator::Jump(done);
        graph.blocks[done].steps.drain(..skip);
    }
}

/// How many steps at the head of a block drop the iterator from under the result.
fn end_of_send(steps: &[Step], send_drops_iterator: bool) -> Option<usize> {
    let op = |at: usize| match steps.get(at).map(|step| &step.kind) {
        Some(StepKind::Op(op)) => Some(*op),
        _ => None,
    };
    match (op(0), op(1), op(2)) {
        _ if send_drops_iterator => Some(0),
        (Some(Op::EndSend), ..) => Some(1),
        (Some(Op::Swap(2)), Some(Op::Pop), Some(Op::EndSend)) => Some(3),
        _ => None,
    }
}
