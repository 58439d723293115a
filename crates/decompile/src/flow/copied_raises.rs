//! Pass: behind an inner handler, a copy of what raises the exception of the outer one again becomes the one
//! in the outer handler.
//!
//! The compiler copies a RERAISE or a bare `raise` to the jumps that lead to it, as it copies other ends.
//!
//! Needs: `erase_cleanup_regions`. Establishes: behind POP_EXCEPT a handler goes on in the RERAISE that the
//! handler around it leads to directly, if there is an equal one.

use depyf_bytecode::Op;

use super::{BlockId, Graph, StepKind, Terminator};

/// See the module.
pub(crate) fn join_copied_raises(graph: &mut Graph) {
    let raises = |graph: &Graph, block: BlockId| {
        matches!(graph.blocks[block].end, Terminator::Reraise | Terminator::Raise(0))
            && graph.blocks[block].steps.is_empty()
    };
    let leaves = |graph: &Graph, block: BlockId| {
        let last = graph.blocks[block].steps.last().map(|step| &step.kind);
        matches!(last, Some(StepKind::Op(Op::PopExcept)))
            && matches!(graph.blocks[block].end, Terminator::Jump(next) if raises(graph, next))
    };
    if !(0..graph.blocks.len()).any(|block| leaves(graph, block)) {
        return;
    }
    let mut copies = graph.reverse_postorder();
    copies.retain(|&block| leaves(graph, block));
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
