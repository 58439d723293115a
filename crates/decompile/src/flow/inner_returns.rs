//! Pass: a `return` belongs to the innermost region in which its value was computed.
//!
//! The instruction itself cannot raise, so the compiler leaves it out of the region; printed where it lies, the
//! value would need a name to carry it out of the `try`.
//!
//! Needs: `find_with_statements` and `join_finally_bodies`, whose exits stand between a value and its return.
//! Establishes: no region is left only to return.
//!
//! Example: `try: t = f()`, then `return t` becomes `try: return f()`.

use super::{Graph, Terminator};

/// See the module.
pub(crate) fn return_inside_regions(graph: &mut Graph) {
    for block in 0..graph.blocks.len() {
        let (Terminator::Jump(next), Some(region)) = (graph.blocks[block].end, graph.blocks[block].region)
        else {
            continue;
        };
        let (bare, outside) = (&graph.blocks[next], graph.blocks[next].region != Some(region));
        if outside && bare.end == Terminator::Return && bare.steps.is_empty() {
            let end_offset = bare.end_offset;
            graph.blocks[block].end = Terminator::Return;
            graph.blocks[block].end_offset = end_offset;
        }
    }
}
