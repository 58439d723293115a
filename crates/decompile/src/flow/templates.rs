//! What Dynamo's templates leave in its code.
//!
//! What enters and leaves a context manager is compiled from functions of Dynamo's own (`torch/_dynamo/resume_execution.py`;
//! `bytecode_from_template` of `torch/_dynamo/bytecode_transformation.py`):
//!
//! - Each `return` of theirs has become `LOAD_CONST None` and a jump to `POP_TOP`.
//! - Locals that the code gets no value for, as they have none at the break, are unbound once more: `PUSH_NULL; STORE_FAST` (3.12
//!   on, where the variables of comprehensions are locals).
//! - Where code goes on inside of a `with` statement, what stands in front of it has the handler of that, but not always the
//!   depth of the stack (3.14): it counts one value too many.
//!
//! Needs: code that Dynamo wrote; the blocks as they were. Establishes: no block drops a constant that all ways to it put on
//! the stack last; no local that is unbound is unbound again; regions with one handler are one.
//!
//! Example: `a: .., None, Jump(c); b: .., None, Jump(c); c: Pop, ..` becomes `a: .., Jump(c); b: .., Jump(c); c: ..`.

use depyf_bytecode::Op;

use super::{Block, BlockId, Graph, RegionId, Step, Terminator};
use crate::hash::HashMap;
use crate::lift::Context;

/// See the module.
pub(crate) fn undo_templates(graph: &mut Graph, context: &Context<'_>) {
    if context.packs_values {
        erase_passed_constants(graph);
        erase_unbound_stores(graph, context.code.argcount);
        join_regions(graph, context.code.argcount);
    }
}

fn erase_passed_constants(graph: &mut Graph) {
    let predecessors = graph.predecessors();
    let handlers = graph.handler_heads();
    for block in 0..graph.blocks.len() {
        let ways = &predecessors[block];
        if block == 0 || ways.is_empty() || handlers.contains(block) {
            continue;
        }
        let passes = |graph: &Graph, from: BlockId| {
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

/// Erases what unbinds locals that are no parameters, which have no value yet where code goes on.
fn erase_unbound_stores(graph: &mut Graph, parameters: u32) {
    let is_null = |step: &Step| step.op() == Some(Op::PushNull);
    let is_store =
        |step: &Step| matches!(step.op(), Some(Op::StoreLocal(variable)) if variable >= parameters);
    for block in 0..graph.blocks.len() {
        let steps = &mut graph.blocks[block].steps;
        if !steps.windows(2).any(|pair| is_null(&pair[0]) && is_store(&pair[1])) {
            continue;
        }
        let mut kept: Vec<Step> = Vec::with_capacity(steps.len());
        for step in std::mem::take(steps) {
            if !(is_store(&step) && kept.pop_if(|last| is_null(last)).is_some()) {
                kept.push(step);
            }
        }
        *steps = kept;
    }
}

/// Makes one region of those that have the same handler. The first `parameters` locals have a value.
fn join_regions(graph: &mut Graph, parameters: u32) {
    let mut first: HashMap<BlockId, RegionId> = HashMap::default();
    for (region, found) in graph.regions.iter().enumerate() {
        first.entry(found.handler).or_insert(region);
    }
    if first.len() == graph.regions.len() {
        return;
    }
    let mut raises = vec![false; graph.regions.len()];
    for block in graph.blocks.iter() {
        if let Some(region) = block.region {
            raises[region] |= !never_raises(block, parameters);
        }
    }
    // The one of those with a handler that raises; of several, the one that leaves the least on the stack: what is written for
    // the depth of another has that where it raises.
    let mut real: HashMap<BlockId, RegionId> = HashMap::default();
    for region in (0..graph.regions.len()).filter(|&region| raises[region]) {
        let known = real.entry(graph.regions[region].handler).or_insert(region);
        if graph.regions[region].depth < graph.regions[*known].depth {
            *known = region;
        }
    }
    for block in 0..graph.blocks.len() {
        if let Some(region) = graph.blocks[block].region {
            graph.blocks[block].region = first.get(&graph.regions[region].handler).copied();
        }
    }
    for region in 0..graph.regions.len() {
        let handler = graph.regions[region].handler;
        if let (Some(&first), Some(&real)) = (first.get(&handler), real.get(&handler))
            && first == region
        {
            graph.regions[region] = graph.regions[real];
        }
    }
}

fn never_raises(block: &Block, parameters: u32) -> bool {
    let is_quiet = |step: &Step| match step.op() {
        Some(Op::LoadLocal(variable)) => variable < parameters,
        Some(Op::StoreLocal(_) | Op::Pop | Op::PushNull | Op::Swap(_) | Op::Copy(_)) => true,
        Some(op) => op.is_constant(),
        None => false,
    };
    matches!(block.end, Terminator::Jump(_)) && block.steps.iter().all(is_quiet)
}
