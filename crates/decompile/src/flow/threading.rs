//! Pass: jumps to jumps go to the end of the chain.
//!
//! Needs: the plain graph. Establishes: no edge leads to a block that does nothing but go on. The exception
//! table leaves such blocks out of their region, since a jump cannot raise; with them gone, a protected
//! region has no holes.
//!
//! Example: `a -> Jump(b); b: -> Jump(c)` becomes `a -> Jump(c)`.

use super::{BlockId, Graph, Terminator};

/// See the module.
pub(crate) fn thread_jumps(graph: &mut Graph) {
    let count = graph.blocks.len();
    let mut ends: Vec<Option<BlockId>> = vec![None; count];
    for start in 0..count {
        if ends[start].is_some() {
            continue;
        }
        // Follow the chain to its end; a chain that bites its tail is an endless loop and stays.
        let mut chain = vec![start];
        let end = loop {
            let last = chain[chain.len() - 1];
            if let Some(known) = ends[last] {
                break known;
            }
            match graph.blocks[last].end {
                Terminator::Jump(next) if graph.blocks[last].steps.is_empty() && !chain.contains(&next) => {
                    chain.push(next);
                }
                _ => break last,
            }
        };
        for block in chain {
            ends[block] = Some(end);
        }
    }
    let end_of = |block: BlockId| ends[block].unwrap_or(block);
    for block in &mut graph.blocks {
        block.end.retarget(end_of);
    }
    for region in &mut graph.regions {
        region.behind.retarget(end_of);
        // A handler whose first statement is a `try` starts in front of the inner region.
        if graph.blocks[end_of(region.handler)].region == graph.blocks[region.handler].region {
            region.handler = end_of(region.handler);
        }
    }
}
