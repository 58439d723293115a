//! Pass: `async for` gets the shape of `for`.
//!
//! The next item is awaited inside a region whose handler is END_ASYNC_FOR: it ends the loop where the
//! exception is StopAsyncIteration and raises it again where it is not (CPython `Python/codegen.c`,
//! `codegen_async_for`).
//!
//! Needs: `fold_delegation`. Establishes: the block that awaits the item ends with `AsyncFor`, and the region
//! and its handler are gone.
//!
//! Example: `h: GetAnext, None, YieldFrom -> b` under a handler `EndAsyncFor -> c` becomes
//! `h: AsyncFor(body b, exhausted c)`.

use depyf_bytecode::Op;

use super::async_managers::await_length;
use super::{BlockId, Graph, StepKind, Terminator};

/// See the module.
pub(crate) fn fold_async_loops(graph: &mut Graph) {
    let order = graph.reverse_postorder();
    let mut members: Vec<Vec<BlockId>> = vec![Vec::new(); graph.regions.len()];
    for &block in order.iter() {
        if let Some(region) = graph.blocks[block].region {
            members[region].push(block);
        }
    }
    for (region, members) in members.iter().enumerate() {
        let handler = graph.regions[region].handler;
        let (Terminator::EndAsyncFor(exhausted), true) =
            (graph.blocks[handler].end, graph.blocks[handler].steps.is_empty())
        else {
            continue;
        };
        let [header] = members[..] else { continue };
        let steps = &graph.blocks[header].steps;
        let starts = matches!(steps.first().map(|step| &step.kind), Some(StepKind::Op(Op::GetAnext)));
        let Terminator::Jump(body) = graph.blocks[header].end else { continue };
        if !starts || await_length(&steps[1..]) != Some(steps.len() - 1) {
            continue;
        }
        graph.blocks[header].steps.clear();
        graph.blocks[header].end = Terminator::AsyncFor { body, exhausted };
        graph.blocks[header].region = graph.blocks[handler].region;
        graph.blocks[handler].end = Terminator::Nowhere;
    }
}
