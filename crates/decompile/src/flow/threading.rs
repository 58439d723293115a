//! Pass: jumps to jumps go to the end of the chain.
//!
//! Needs: the plain graph. Establishes: no edge leads to a block that does nothing but go on, unless it lies in front
//! of an unreachable jump, which tells where it stands, is the head of a loop that starts with another, be it in a region
//! of its own, or is a `break` or `continue` that more than tests lead to. The exception
//! table leaves such blocks out of their region, since a jump cannot raise; with them gone, a protected
//! region has no holes.
//!
//! Where such a block was left out though the edge starts and ends inside the region, the region notes it: the
//! jump that closes a loop around a `try` is not protected, one inside of it is. What alone leads to a block, out of a
//! region, is noted there ([`Block::leading`]).
//!
//! Example: `a -> Jump(b); b: -> Jump(c)` becomes `a -> Jump(c)`.

use depyf_bytecode::{Features, Function};
use fixedbitset::FixedBitSet;

use crate::hash::HashMap;

use super::outer_heads::note_outer_heads;
use super::{Block, BlockId, BlockSet, DeadJumps, Graph, Landing, Protection, RegionId, Terminator};

/// See the module.
pub(crate) fn thread_jumps(graph: &mut Graph, function: &Function) {
    let features = &function.features;
    // Most functions have no block that does nothing but go on.
    let goes_on = |block: &Block| block.steps.is_empty() && matches!(block.end, Terminator::Jump(_));
    if !graph.blocks.iter().any(goes_on) {
        return;
    }
    let count = graph.blocks.len();
    let stays = statements(graph);
    note_outer_heads(graph, function);
    // What does anything is its own end.
    let own_end = |(id, block): (BlockId, &Block)| (!goes_on(block)).then_some(id);
    let mut ends: Vec<Option<BlockId>> = graph.blocks.iter().enumerate().map(own_end).collect();
    let mut chain: Vec<BlockId> = Vec::new();
    for start in 0..count {
        if ends[start].is_some() {
            continue;
        }
        // Follow the chain to its end; a chain that bites its tail is an endless loop and stays. What is on the
        // chain is known to lead to itself until its end is known.
        let mut last = start;
        let end = loop {
            if let Some(known) = ends[last] {
                break known;
            }
            chain.push(last);
            ends[last] = Some(last);
            match graph.blocks[last].end {
                Terminator::Jump(next)
                    if only_jumps(graph, last, next, features)
                        && !stays.contains(last)
                        && !graph.blocks[last].is_outer_head =>
                {
                    if ends[next] == Some(next) && chain.contains(&next) {
                        break last;
                    }
                    last = next;
                }
                _ => break last,
            }
        };
        for block in chain.drain(..) {
            ends[block] = Some(end);
        }
    }
    let end_of = |block: BlockId| ends[block].unwrap_or(block);
    let passed = |block: BlockId| match graph.blocks[block].end {
        Terminator::Jump(to) if stays.contains(block) => end_of(to),
        _ => end_of(block),
    };
    if !graph.regions.is_empty() {
        let passed: Vec<BlockId> = (0..count).map(passed).collect();
        note_entered_again(graph, |block| passed[block]);
    }
    let is_moved = |region: &Protection| end_of(region.handler) != region.handler;
    // What protects nothing that is reached has a handler that may lead into what is.
    let reached: FixedBitSet = match graph.regions.iter().any(is_moved) {
        true => graph.reverse_postorder().iter().copied().collect(),
        false => FixedBitSet::new(),
    };
    note_what_lies_in_front(graph, end_of);
    for block in graph.blocks.iter_mut() {
        block.end.retarget(end_of);
    }
    for region in &mut graph.regions {
        region.behind.retarget(end_of);
        // A handler whose first statement is a `try` starts in front of the inner region.
        if reached.contains(region.handler)
            && graph.blocks[end_of(region.handler)].region == graph.blocks[region.handler].region
        {
            region.handler = end_of(region.handler);
        }
    }
    move_landings(graph, end_of);
}

/// Notes the instructions that alone lead to a block, and lie in front of it in another region: they may be what is left of a
/// statement.
fn note_what_lies_in_front(graph: &mut Graph, end_of: impl Fn(BlockId) -> BlockId) {
    let falls = |(id, block): (BlockId, &Block)| match block.end {
        Terminator::Jump(next) if block.steps.is_empty() && !block.jumps && end_of(id) == next => {
            let behind = &graph.blocks[next];
            (behind.start > block.start && behind.region != block.region).then_some((id, next))
        }
        _ => None,
    };
    let mut found: Vec<(BlockId, BlockId)> = graph.blocks.iter().enumerate().filter_map(falls).collect();
    if found.is_empty() {
        return;
    }
    // What starts a `try` lies in front of it, too; nearly always nothing else does.
    let starts = starts(graph);
    found.retain(|&(in_front, block)| {
        graph.blocks[block].region.is_none_or(|region| starts[region] < graph.blocks[in_front].start)
    });
    if found.is_empty() {
        return;
    }
    let predecessors = graph.predecessors();
    for (in_front, block) in found {
        let region = graph.blocks[block].region;
        let is_inside =
            |&before: &BlockId| region.is_none_or(|region| graph.regions_around(before).contains(&region));
        let leaves = !predecessors[in_front].is_empty() && predecessors[in_front].iter().all(is_inside);
        if leaves && predecessors[block].len() == 1 {
            graph.blocks[block].leading = Some(graph.blocks[in_front].start);
        }
    }
}

/// Where each region starts, with those inside of it.
fn starts(graph: &Graph) -> Vec<u32> {
    let mut own = vec![u32::MAX; graph.regions.len()];
    for block in graph.blocks.iter() {
        if let Some(region) = block.region {
            own[region] = own[region].min(block.start);
        }
    }
    let mut starts = own.clone();
    for (region, protection) in graph.regions.iter().enumerate() {
        for around in graph.regions_around(protection.handler) {
            starts[around] = starts[around].min(own[region]);
        }
    }
    starts
}

/// Whether a block does nothing but go on to the next one. It tells more if it ends the body of a `try`, if it lies in
/// front of an unreachable jump, or if both are heads of loops: of one around a `try`, and of one that the `try` starts
/// with. Where a loop is tested once more below its body, one loop has two heads, see [`note_outer_heads`].
fn only_jumps(graph: &Graph, block: BlockId, next: BlockId, features: &Features) -> bool {
    let (found, next) = (&graph.blocks[block], &graph.blocks[next]);
    let heads = !features.tests_loops_twice
        && found.dead.back.is_some()
        && next.dead.back.is_some()
        && (found.region != next.region || !features.copies_implicit_end && !found.jumps);
    found.steps.is_empty() && found.dead.behind.is_none() && !heads && !found.pops_block
}

/// The blocks that are nothing but a `break` or `continue`, behind a loop too, unless only tests lead to them that fall into
/// them, which know the jump.
fn statements(graph: &Graph) -> BlockSet {
    let mut found = BlockSet::default();
    let is_alone =
        |block: BlockId| graph.blocks[block].written.is_some() && graph.blocks[block].steps.is_empty();
    for block in graph.blocks.iter() {
        match block.end {
            Terminator::Jump(to) | Terminator::ForIter { exhausted: to, .. } if is_alone(to) => {
                found.insert(to)
            }
            Terminator::Branch { yes, no } => {
                let over = block.layout.falls.map(|truth| if truth { no } else { yes });
                over.into_iter().filter(|&over| is_alone(over)).for_each(|over| found.insert(over));
            }
            _ => {}
        }
    }
    found
}

/// What an unreachable jump leads to may only jump, too; so may the head of a loop.
fn move_landings(graph: &mut Graph, end_of: impl Fn(BlockId) -> BlockId) {
    if graph.blocks.iter().all(|block| block.dead == DeadJumps::default()) {
        return;
    }
    for block in 0..graph.blocks.len() {
        if let Some(back) = graph.blocks[block].dead.back {
            let header = &mut graph.blocks[end_of(block)].dead.back;
            *header = (*header).max(Some(back));
        }
    }
    // What starts a `try` lies in front of its first block.
    for block in 0..graph.blocks.len() {
        let Some(landing) = graph.blocks[block].dead.in_front else { continue };
        let mut first = block;
        while let (true, false, Terminator::Jump(next)) =
            (first != end_of(block), graph.blocks[first].jumps, graph.blocks[first].end)
        {
            first = next;
        }
        if first == end_of(block) {
            graph.blocks[first].dead.in_front.get_or_insert(landing);
        }
    }
    let blocks = (0..graph.blocks.len()).rev();
    let moved: HashMap<u32, u32> =
        blocks.map(|block| (graph.blocks[block].start, graph.blocks[end_of(block)].start)).collect();
    for block in graph.blocks.iter_mut() {
        for landing in [&mut block.dead.behind, &mut block.dead.in_front].into_iter().flatten() {
            if let Landing::At(start) = landing {
                *start = moved.get(start).copied().unwrap_or(*start);
            }
        }
    }
}

/// Whether a jump alone leads to a block by way of another one that lies in front of it, in fewer regions.
fn passes_in_front(graph: &Graph, jump: BlockId, end: BlockId) -> bool {
    let Terminator::Jump(head) = graph.blocks[jump].end else { return false };
    let (found, end) = (&graph.blocks[head], &graph.blocks[end]);
    graph.blocks[jump].start > end.start && found.start < end.start && found.region != end.region
}

/// Notes the regions that a jump back leaves only to come back to where they start. Jumps from what seldom runs back to
/// its place are not protected either, but lead into the midst of a region; a NOP in front of an inner region is not
/// protected where the compiler gave it no handler, but lies in front of what it leads to.
fn note_entered_again(graph: &mut Graph, end_of: impl Fn(BlockId) -> BlockId) {
    let mut again: Vec<(BlockId, RegionId, BlockId)> = Vec::new();
    for (from, block) in graph.blocks.iter().enumerate() {
        let Some(region) = block.region else { continue };
        for next in block.end.successors() {
            let end = end_of(next);
            let goes_back = match block.end {
                Terminator::Jump(_) | Terminator::EndAsyncFor(_) => {
                    graph.blocks[next].start > graph.blocks[end].start
                }
                // The way back of a test was split off it: only what it leads to tells where the loop starts.
                _ => passes_in_front(graph, next, end),
            };
            if end != next && goes_back && graph.blocks[next].region != Some(region) {
                let (mut around, between) = (graph.regions_around(from), graph.regions_around(next));
                let entered = graph.regions_around(end);
                around.retain(|region| entered.contains(region) && !between.contains(region));
                again.extend(around.into_iter().map(|region| (from, region, end)));
            }
        }
    }
    if again.is_empty() {
        return;
    }
    // What is never reached has lost its instructions, and seems to lead on to anything.
    let reached: FixedBitSet = graph.reverse_postorder().iter().copied().collect();
    again.retain(|&(from, ..)| reached.contains(from));
    let mut starts: Vec<u32> = vec![u32::MAX; graph.regions.len()];
    for (block, found) in graph.blocks.iter().enumerate().filter(|(_, found)| !found.steps.is_empty()) {
        for region in graph.regions_around(block) {
            starts[region] = starts[region].min(found.start);
        }
    }
    for (_, region, end) in again {
        graph.regions[region].entered_again |= graph.blocks[end].start == starts[region];
    }
}
