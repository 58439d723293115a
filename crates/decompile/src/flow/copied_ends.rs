//! Pass: the end of a function that stands behind a handler as a copy.
//!
//! The compiler copies a short end (`return a.h()`) to every jump that leads to it
//! (`Python/flowgraph.c`, `inline_small_or_no_lineno_blocks`), also to those behind POP_EXCEPT. Printed where it
//! lies, the copy would stand inside the handler, where exceptions have a context that they had not.
//!
//! Needs: `erase_cleanup_regions`. Establishes: behind POP_EXCEPT a handler goes on in the end that other ways
//! share, if there is an equal one.

use depyf_bytecode::Op;

use super::{BlockId, Graph, StepKind, Terminator};

/// See the module.
pub(crate) fn join_copied_ends(graph: &mut Graph) {
    let order = graph.reverse_postorder();
    let leaves_handler = |graph: &Graph, block: BlockId| {
        matches!(graph.blocks[block].steps.last().map(|step| &step.kind), Some(StepKind::Op(Op::PopExcept)))
    };
    let copies: Vec<(BlockId, BlockId)> = order
        .iter()
        .filter(|&&block| leaves_handler(graph, block))
        .filter_map(|&block| match graph.blocks[block].end {
            Terminator::Jump(next) if ends(graph, next) => Some((block, next)),
            _ => None,
        })
        .collect();
    join_copied_raises(graph);
    let is_copy = |block: BlockId| copies.iter().any(|&(_, copy)| copy == block);
    for &(from, copy) in &copies {
        let ops = operations(graph, copy);
        if ops.is_none() {
            continue;
        }
        let shared = order.iter().copied().find(|&block| {
            !is_copy(block)
                && ends(graph, block)
                && graph.blocks[block].region == graph.blocks[copy].region
                && operations(graph, block) == ops
                && graph.blocks[block].end == graph.blocks[copy].end
        });
        let first = copies.iter().map(|&(_, other)| other).find(|&other| {
            graph.blocks[other].region == graph.blocks[copy].region
                && graph.blocks[other].end == graph.blocks[copy].end
                && operations(graph, other) == ops
        });
        if let Some(target) = shared.or(first) {
            graph.copies.note_steps(&graph.blocks[copy].steps, &graph.blocks[target].steps);
            graph.copies.note(graph.blocks[copy].end_offset, graph.blocks[target].end_offset);
            graph.blocks[from].end = Terminator::Jump(target);
        }
    }
}

/// The same for RERAISE and a bare `raise`: behind an inner handler a copy of it raises the exception of the outer one.
fn join_copied_raises(graph: &mut Graph) {
    let raises = |graph: &Graph, block: BlockId| {
        matches!(graph.blocks[block].end, Terminator::Reraise | Terminator::Raise(0))
            && graph.blocks[block].steps.is_empty()
    };
    let mut copies: Vec<BlockId> = Vec::new();
    for block in graph.reverse_postorder() {
        let leaves = matches!(
            graph.blocks[block].steps.last().map(|step| &step.kind),
            Some(StepKind::Op(Op::PopExcept))
        );
        if let (Terminator::Jump(next), true) = (graph.blocks[block].end, leaves)
            && raises(graph, next)
        {
            copies.push(block);
        }
    }
    if copies.is_empty() {
        return;
    }
    for region in 0..graph.regions.len() {
        let handler = graph.regions[region].handler;
        let direct = reach(graph, handler, false);
        let all = reach(graph, handler, true);
        for &copy in &copies {
            let Terminator::Jump(raise) = graph.blocks[copy].end else { continue };
            if direct.contains(&copy) || !all.contains(&copy) {
                continue;
            }
            let shared = direct.iter().copied().find(|&block| {
                raises(graph, block)
                    && graph.blocks[block].end == graph.blocks[raise].end
                    && graph.blocks[block].region == graph.blocks[raise].region
            });
            if let Some(shared) = shared {
                graph.copies.note(graph.blocks[raise].end_offset, graph.blocks[shared].end_offset);
                graph.blocks[copy].end = Terminator::Jump(shared);
            }
        }
    }
}

/// The blocks that a handler leads to, through inner handlers too if asked for.
fn reach(graph: &Graph, handler: BlockId, through_handlers: bool) -> Vec<BlockId> {
    let around = graph.blocks[handler].region;
    let mut seen = vec![handler];
    let mut at = 0;
    while let Some(&block) = seen.get(at) {
        at += 1;
        let inner = graph.blocks[block].region.filter(|&region| through_handlers && Some(region) != around);
        let handler = inner.map(|region| graph.regions[region].handler);
        for next in graph.blocks[block].end.successors().chain(handler) {
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
    }
    seen
}

/// Whether the function ends in the block, which does more than return a constant.
fn ends(graph: &Graph, block: BlockId) -> bool {
    let found = &graph.blocks[block];
    matches!(found.end, Terminator::Return | Terminator::Raise(_)) && found.steps.len() > 1
}

fn operations(graph: &Graph, block: BlockId) -> Option<Vec<Op>> {
    let steps = graph.blocks[block].steps.iter();
    steps.map(|step| if let StepKind::Op(op) = step.kind { Some(op) } else { None }).collect()
}
