//! Pass: the ways out of the body of a `try` to one place are one.
//!
//! What leaves the body (`POP_BLOCK`, 3.8 to 3.10) has no line where a test leads out, and CPython copies what leaves
//! the function without a line to each jump that leads there (`Python/compile.c`, `duplicate_exits_without_lineno`).
//!
//! Needs: the copies of what the ways lead to are joined. Establishes: no two blocks of a region only leave its body and
//! go to the same place, unless one tells more. The last one stays.
//!
//! Example: `a -> b, c; b: Jump(d); c: Jump(d)` becomes `a -> c, c; c: Jump(d)`.

use crate::hash::HashMap;

use super::{BlockId, DeadJumps, Graph, RegionId, Terminator};

/// See the module.
pub(crate) fn join_body_exits(graph: &mut Graph) {
    let mut last: HashMap<(RegionId, BlockId), BlockId> = HashMap::default();
    let exit = |graph: &Graph, block: BlockId| {
        let found = &graph.blocks[block];
        let is_plain =
            found.steps.is_empty() && found.written.is_none() && found.dead == DeadJumps::default();
        match (found.end, found.region) {
            (Terminator::Jump(to), Some(region)) if found.pops_block && is_plain => Some((region, to)),
            _ => None,
        }
    };
    for block in 0..graph.blocks.len() {
        if let Some(key) = exit(graph, block) {
            let known = last.entry(key).or_insert(block);
            if graph.blocks[*known].start < graph.blocks[block].start {
                *known = block;
            }
        }
    }
    let count = graph.blocks.len();
    let kept: Vec<BlockId> =
        (0..count).map(|block| exit(graph, block).map_or(block, |key| last[&key])).collect();
    for block in &mut graph.blocks {
        block.end.retarget(|to| kept[to]);
    }
}
