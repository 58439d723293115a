//! Constants that a block passes on to one that drops them.
//!
//! Dynamo has templates for what enters and leaves a context manager, compiled from functions of its own: each `return` of
//! theirs has become `LOAD_CONST None` and a jump to `POP_TOP` (`torch/_dynamo/resume_execution.py`,
//! `torch/_dynamo/bytecode_transformation.py`, `bytecode_from_template`).
//!
//! Needs: code that Dynamo wrote; the blocks as they were. Establishes: no block drops a constant that all ways to it put on
//! the stack last. What only passes such a constant on does nothing, then.
//!
//! Example: `a: .., None, Jump(c); b: .., None, Jump(c); c: Pop, ..` becomes `a: .., Jump(c); b: .., Jump(c); c: ..`.

use super::{Graph, Step, Terminator};
use crate::lift::Context;

/// See the module.
pub(crate) fn erase_passed_constants(graph: &mut Graph, context: &Context<'_>) {
    if !context.packs_values {
        return;
    }
    let predecessors = graph.predecessors();
    let handlers = graph.handler_heads();
    for block in 0..graph.blocks.len() {
        let ways = &predecessors[block];
        if block == 0 || ways.is_empty() || handlers.contains(block) {
            continue;
        }
        let passes = |graph: &Graph, from: usize| {
            let from = &graph.blocks[from];
            from.end == Terminator::Jump(block) && from.steps.last().is_some_and(Step::is_constant)
        };
        while graph.blocks[block].steps.first().is_some_and(Step::drops)
            && ways.iter().all(|&from| from != block && passes(graph, from))
        {
            graph.blocks[block].steps.remove(0);
            for &from in ways {
                graph.blocks[from].steps.pop();
            }
        }
    }
}
