//! A `continue` belongs to the innermost region in which all ways to it begin.
//!
//! It leaves the handlers around it, so the compiler leaves it out of the region. What ways meet there, as those behind an `if`
//! or a loop, would leave the `try` each by itself. One that lies behind the handlers stands in the `else`.
//!
//! Needs: the regions of statements, after `find_with_statements` and `join_finally_bodies`. Establishes: no block that leaves
//! handlers for the head of a loop, in front of the handler of a region that all ways to it come from, lies outside of that.
//!
//! Example: `region: x -> a, y -> a; a: PopExcept, Jump(head)` has `a` in the region.

use depyf_bytecode::Op;

use super::{BlockId, Graph, RegionId, Terminator};

/// More blocks than this do not lie empty between what leaves a handler and the jump.
const MOST_EMPTY: usize = 4;

/// See the module.
pub(crate) fn continue_inside_regions(graph: &mut Graph) {
    let found: Vec<BlockId> = (0..graph.blocks.len()).filter(|&block| continues(graph, block)).collect();
    if found.is_empty() {
        return;
    }
    let predecessors = graph.predecessors();
    for block in found {
        if let Some(region) = region_of_all(graph, block, &predecessors[block]) {
            graph.blocks[block].region = Some(region);
        }
    }
}

/// Whether a block only leaves handlers, for the head of a loop around.
fn continues(graph: &Graph, block: BlockId) -> bool {
    let found = &graph.blocks[block];
    if found.steps.is_empty() || found.steps.iter().any(|step| step.op() != Some(Op::PopExcept)) {
        return false;
    }
    let mut end = found.end;
    for _ in 0..MOST_EMPTY {
        match end {
            Terminator::Jump(next) if graph.blocks[next].start <= found.start => return true,
            Terminator::Jump(next) if graph.blocks[next].steps.is_empty() => end = graph.blocks[next].end,
            _ => return false,
        }
    }
    false
}

/// The innermost region that all ways to a block come from, if the block lies outside of it and in front of its handler.
fn region_of_all(graph: &Graph, block: BlockId, ways: &[BlockId]) -> Option<RegionId> {
    let (first, rest) = ways.split_first()?;
    let around = graph.regions_around(block);
    let around_rest: Vec<_> = rest.iter().map(|&way| graph.regions_around(way)).collect();
    let mut all = graph.regions_around(*first).into_iter();
    let start = |block: BlockId| graph.blocks[block].start;
    all.find(|region| around_rest.iter().all(|regions| regions.contains(region)))
        .filter(|region| !around.contains(region))
        .filter(|&region| start(block) < start(graph.regions[region].handler))
}
