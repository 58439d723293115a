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

/// See the module.
pub(crate) fn return_inside_regions(graph: &mut Graph) {
    let mut inside: HashMap<(RegionId, BlockId), BlockId> = HashMap::default();
    for block in 0..graph.blocks.len() {
        let Some(region) = graph.blocks[block].region else { continue };
        for next in graph.blocks[block].end.successors().collect::<Vec<_>>() {
            let bare = &graph.blocks[next];
            let is_bare = bare.end == Terminator::Return && bare.steps.is_empty();
            if !is_bare || bare.region == Some(region) {
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
