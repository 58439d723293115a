//! Pass: a `return` belongs to the innermost region in which its value was computed.
//!
//! The instruction itself cannot raise, so the compiler leaves it out of the region; printed where it lies, the
//! value would need a name to carry it out of the `try`.
//!
//! Needs: `find_with_statements` and `join_finally_bodies`, whose exits stand between a value and its return.
//! Establishes: no region is left only to return. The ways of one region to one `return` still meet there.
//!
//! Example: `try: t = f()`, then `return t` becomes `try: return f()`.

use crate::hash::HashMap;

use super::{Block, BlockId, Graph, RegionId, Terminator};

/// So many empty blocks are passed: no function nests as many statements.
const MOST_EXITS: usize = 100;

/// See the module.
pub(crate) fn return_inside_regions(graph: &mut Graph) {
    let mut inside: HashMap<(RegionId, BlockId), BlockId> = HashMap::default();
    for block in 0..graph.blocks.len() {
        let Some(region) = graph.blocks[block].region else { continue };
        for next in graph.blocks[block].end.successors().collect::<Vec<_>>() {
            let Some(bare) = bare_return(graph, next) else { continue };
            let bare = &graph.blocks[bare];
            if graph.blocks[next].region == Some(region) && bare.region == Some(region) {
                continue;
            }
            let copy = Block { region: Some(region), ..bare.clone() };
            let own = *inside.entry((region, next)).or_insert_with(|| {
                graph.blocks.push(copy);
                graph.blocks.len() - 1
            });
            graph.blocks[block].end.retarget(|to| if to == next { own } else { to });
        }
    }
}

/// The block that only returns which a way leads to. What lies between does nothing: there were the exits of `with`
/// and `finally` statements, which a `return` runs by itself.
fn bare_return(graph: &Graph, mut block: BlockId) -> Option<BlockId> {
    for _ in 0..MOST_EXITS {
        let found = &graph.blocks[block];
        match found.end {
            _ if !found.steps.is_empty() => return None,
            Terminator::Return => return Some(block),
            Terminator::Jump(next) => block = next,
            _ => return None,
        }
    }
    None
}
