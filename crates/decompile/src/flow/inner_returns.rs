//! Pass: a `return` belongs to the innermost region in which its value was computed.
//!
//! The instruction itself cannot raise, so the compiler leaves it out of the region; printed where it lies, the
//! value would need a name to carry it out of the `try`. So would it where the exits of `with` statements around
//! the region are called between both: the `return` calls them, wherever it stands.
//!
//! Needs: `find_with_statements` and `join_finally_bodies`, whose exits stand between a value and its return.
//! Establishes: no region is left only to return. The ways of one region to one `return` still meet there.
//!
//! Example: `try: t = f()`, then `return t` becomes `try: return f()`.

use crate::hash::HashMap;

use super::{Block, BlockId, Graph, RegionId, Step, Terminator};

/// More exits than this are not called by one `return`: CPython nests 20 blocks.
const MOST_EXITS: usize = 40;

/// See the module.
pub(crate) fn return_inside_regions(graph: &mut Graph) {
    let mut inside: HashMap<(RegionId, BlockId), BlockId> = HashMap::default();
    for block in 0..graph.blocks.len() {
        let Some(region) = graph.blocks[block].region else { continue };
        for next in graph.blocks[block].end.successors() {
            let Some(chain) = way_to_return(graph, next) else { continue };
            if chain.iter().all(|&block| graph.blocks[block].region == Some(region)) {
                continue;
            }
            let own = *inside.entry((region, next)).or_insert_with(|| copy_into(graph, region, &chain));
            graph.blocks[block].end.retarget(|to| if to == next { own } else { to });
        }
    }
}

/// The blocks from one on to a `return` of what was computed before, if they only call exits of `with` statements.
fn way_to_return(graph: &Graph, start: BlockId) -> Option<Vec<BlockId>> {
    let mut chain = Vec::new();
    let mut at = start;
    loop {
        let block = &graph.blocks[at];
        match block.end {
            Terminator::Return if block.steps.is_empty() => {
                chain.push(at);
                return Some(chain);
            }
            Terminator::Jump(next) if chain.len() + 1 < MOST_EXITS => {
                if !block.steps.iter().all(Step::carries_return) {
                    return None;
                }
                chain.push(at);
                at = next;
            }
            _ => return None,
        }
    }
}

/// Copies blocks that follow each other into a region; gives the first copy.
fn copy_into(graph: &mut Graph, region: RegionId, chain: &[BlockId]) -> BlockId {
    let first = graph.blocks.len();
    for (at, &block) in chain.iter().enumerate() {
        let mut copy = Block { region: Some(region), ..graph.blocks[block].clone() };
        copy.end.retarget(|_| first + at + 1);
        graph.blocks.push(copy);
    }
    first
}
