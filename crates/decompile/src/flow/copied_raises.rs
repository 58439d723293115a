//! Pass: behind an inner handler, a copy of what raises the exception of the outer one again becomes the one
//! in the outer handler.
//!
//! The compiler copies a RERAISE or a bare `raise` to the jumps that lead to it, as it copies other ends.
//!
//! Needs: `erase_cleanup_regions`. Establishes: behind POP_EXCEPT a handler goes on in the RERAISE that the
//! handler around it leads to directly, if there is an equal one.

use depyf_bytecode::{Function, Op};

use super::handling::{Handling, HandlingId};
use super::places::line_of;
use super::{Block, BlockId, BlockSet, Contents, Graph, StepKind, Terminator};
use crate::hash::{HashMap, HashSet};

/// See the module.
pub(crate) fn join_copied_raises(graph: &mut Graph, function: &Function) {
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
    graph.contents.add(Contents::MOVED_ENDS);
    let handling = Handling::of(graph, &function.features);
    // The place of each copy among all of them; none for other blocks.
    let mut places = vec![None; graph.blocks.len()];
    let order = graph.reverse_postorder();
    let copies = order.iter().filter(|&&block| leaves(graph, block));
    copies.enumerate().for_each(|(place, &block)| places[block] = Some(place));
    let mut joined = HashMap::default();
    for region in 0..graph.regions.len() {
        let handler = graph.regions[region].handler;
        let Some(around) = handling.at(handler) else { continue };
        let all = reach(graph, &handling, handler, around, true);
        let mut copies: Vec<(usize, BlockId)> =
            all.iter().filter_map(|&block| Some((places[block]?, block))).collect();
        if copies.is_empty() {
            continue;
        }
        copies.sort_unstable();
        let direct = reach(graph, &handling, handler, around, false);
        let shared: Vec<BlockId> = direct.iter().copied().filter(|&block| raises(graph, block)).collect();
        let direct: HashSet<BlockId> = direct.into_iter().collect();
        for (_, copy) in copies {
            let Terminator::Jump(raise) = graph.blocks[copy].end else { continue };
            // What leaves this handler too raises the exception of one around.
            if direct.contains(&copy) || handling.at(raise).is_some_and(|handled| handled != around) {
                continue;
            }
            // A `raise` that was written has a line, and each of its copies that line.
            let line = |block: BlockId| {
                let Block { end, end_offset, .. } = graph.blocks[block];
                line_of(function, end_offset).filter(|_| matches!(end, Terminator::Raise(_)))
            };
            let shared = shared.iter().copied().find(|&block| {
                graph.blocks[block].end == graph.blocks[raise].end
                    && line(block) == line(raise)
                    && graph.blocks[block].region == graph.blocks[raise].region
            });
            if let Some(shared) = shared {
                graph.copies.note(graph.blocks[raise].end_offset, graph.blocks[shared].end_offset);
                graph.blocks[copy].end = Terminator::Jump(shared);
                joined.insert(raise, shared);
            }
        }
    }
    // What an `except*` went on with at its copy it goes on with where that is joined.
    for region in graph.regions.iter_mut().filter(|_| !joined.is_empty()) {
        region.retarget(|block| joined.get(&block).copied().unwrap_or(block));
    }
}

/// The blocks of a handler, those of inner handlers too if asked for. `around` are the handlers that run in it.
fn reach(
    graph: &Graph,
    handling: &Handling,
    handler: BlockId,
    around: HandlingId,
    through_handlers: bool,
) -> Vec<BlockId> {
    let outside = graph.blocks[handler].region;
    let mut met = BlockSet::default();
    met.insert(handler);
    let mut seen = vec![handler];
    let mut at = 0;
    while let Some(&block) = seen.get(at) {
        at += 1;
        let inner = graph.blocks[block].region.filter(|&region| through_handlers && Some(region) != outside);
        let handler = inner.map(|region| graph.regions[region].handler);
        for next in graph.blocks[block].end.successors().chain(handler) {
            let is_within = handling.at(next).is_some_and(|stack| handling.is_within(stack, around));
            if is_within && !met.put(next) {
                seen.push(next);
            }
        }
    }
    seen
}
