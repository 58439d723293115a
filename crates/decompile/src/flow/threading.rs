//! Pass: jumps to jumps go to the end of the chain.
//!
//! Needs: the plain graph. Establishes: no edge leads to a block that does nothing but go on, unless it lies in front
//! of an unreachable jump, which tells where it stands, is the head of a loop that starts with another, be it in a region
//! of its own, or is a `break` or `continue` that more than tests lead to. The exception
//! table leaves such blocks out of their region, since a jump cannot raise; with them gone, a protected
//! region has no holes.
//!
//! Where such a block was left out though the edge starts and ends inside the region, the region notes it: the
//! jump that closes a loop around a `try` is not protected, one inside of it is.
//!
//! Example: `a -> Jump(b); b: -> Jump(c)` becomes `a -> Jump(c)`.

use depyf_bytecode::{Features, Function};
use fixedbitset::FixedBitSet;

use crate::hash::HashMap;

use super::places::line_of;
use super::{Block, BlockId, BlockSet, DeadJumps, Dominators, Graph, Landing, RegionId, Terminator};

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
    let heads = outer_heads(graph, function);
    let mut ends: Vec<Option<BlockId>> = vec![None; count];
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
                        && !heads.contains(last) =>
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
    for block in graph.blocks.iter_mut() {
        block.end.retarget(end_of);
    }
    for region in &mut graph.regions {
        region.behind.retarget(end_of);
        // A handler whose first statement is a `try` starts in front of the inner region.
        if graph.blocks[end_of(region.handler)].region == graph.blocks[region.handler].region {
            region.handler = end_of(region.handler);
        }
    }
    move_landings(graph, end_of);
}

/// Whether a block does nothing but go on to the next one. It tells more if it ends the body of a `try`, if it lies in
/// front of an unreachable jump, or if both are heads of loops: of one around a `try`, and of one that the `try` starts
/// with. Where a loop is tested once more below its body, one loop has two heads, see [`outer_heads`].
fn only_jumps(graph: &Graph, block: BlockId, next: BlockId, features: &Features) -> bool {
    let (found, next) = (&graph.blocks[block], &graph.blocks[next]);
    let heads = !features.tests_loops_twice
        && found.dead.back.is_some()
        && next.dead.back.is_some()
        && (found.region != next.region || !features.copies_implicit_end && !found.jumps);
    found.steps.is_empty() && found.dead.behind.is_none() && !heads && !found.pops_block
}

/// The blocks that are nothing but a `break` or `continue`, unless only tests lead to them that fall into them, which know
/// the jump.
fn statements(graph: &Graph) -> BlockSet {
    let mut found = BlockSet::default();
    let is_alone =
        |block: BlockId| graph.blocks[block].written.is_some() && graph.blocks[block].steps.is_empty();
    for block in graph.blocks.iter() {
        match block.end {
            Terminator::Jump(to) if is_alone(to) => found.insert(to),
            Terminator::Branch { yes, no } => {
                let over = block.layout.falls.map(|truth| if truth { no } else { yes });
                over.into_iter().filter(|&over| is_alone(over)).for_each(|over| found.insert(over));
            }
            _ => {}
        }
    }
    found
}

/// The heads of loops that start with another loop: an instruction that does nothing, such as that of `while True`,
/// which one jump leads back to while another leads back to what is behind it, be it in a `try`. Where a loop is tested
/// once more below its body, the end of an endless one leads there without its head, which a `continue` leads to: only a
/// `try` around the inner loop, whose handlers go on with the outer one, tells that there are two, or the line of a jump,
/// which is that of the loop that it ends. The exception table may leave heads out of the region that they are in.
fn outer_heads(graph: &mut Graph, function: &Function) -> FixedBitSet {
    let features = &function.features;
    let mut heads = FixedBitSet::with_capacity(graph.blocks.len());
    for block in graph.blocks.iter() {
        let back = block.end.successors().filter(|&to| graph.blocks[to].start <= block.start);
        back.for_each(|to| heads.insert(to));
    }
    // The head of the loop that a block starts with, if it does nothing else.
    let inner = |head: BlockId| {
        let mut at = head;
        for _ in 0..graph.blocks.len() {
            match graph.blocks[at].end {
                Terminator::Jump(next) if graph.blocks[at].steps.is_empty() && !graph.blocks[at].jumps => {
                    at = next
                }
                _ => return None,
            }
            if heads.contains(at) {
                return Some(at).filter(|&at| at != head);
            }
        }
        None
    };
    let candidates: Vec<BlockId> = heads.ones().filter(|&head| inner(head).is_some()).collect();
    if candidates.is_empty() {
        return FixedBitSet::new();
    }
    let order = graph.reverse_postorder();
    let predecessors = graph.all_predecessors();
    let dominators = Dominators::compute(&order, &predecessors);
    let (dominators, predecessors) = (&dominators, &predecessors);
    let own_line = |head: BlockId| line_of(function, graph.blocks[head].start);
    // What leads back to a head from its loop, with the line of that; what leads back from handlers at the end of the code
    // to their place is in none.
    let latches = |head: BlockId| {
        let inside = predecessors[head].iter().filter(move |&&latch| dominators.dominates(head, latch));
        inside.map(|&latch| (latch, line_of(function, graph.blocks[latch].end_offset)))
    };
    let is_loop = |head: BlockId| latches(head).next().is_some();
    let is_ended_above = |head: BlockId| {
        let own = own_line(head);
        own.is_some()
            && latches(head).any(|(latch, line)| graph.blocks[latch].jumps && line.is_some() && line < own)
    };
    // Handlers of real code hardly overlap; those of damaged code must not take quadratic time.
    let mut budget = 64 * graph.blocks.len();
    let mut is_outer = |head: BlockId| {
        let Some(inner) = inner(head).filter(|&inner| is_loop(head) && is_loop(inner)) else { return false };
        let around = graph.regions_around(head);
        let mut between = graph.regions_around(inner).into_iter().filter(|region| !around.contains(region));
        !features.tests_loops_twice
            || is_ended_above(head)
            || between.any(|region| leads_to(graph, graph.regions[region].handler, head, &mut budget))
    };
    let found: Vec<BlockId> = candidates.into_iter().filter(|&head| is_outer(head)).collect();
    // The head that the end of an outer loop leads to is that of the inner one, to which a `continue` leads.
    let mut continues: Vec<(BlockId, BlockId, BlockId)> = Vec::new();
    for &head in found.iter().filter(|&&head| features.tests_loops_twice && is_ended_above(head)) {
        let own = own_line(head);
        let inner = inner(head).unwrap_or(head);
        continues
            .extend(latches(head).filter(|&(_, line)| line > own).map(|(latch, _)| (latch, head, inner)));
    }
    // Where no such table is, each is known to be where it was found.
    for &head in found.iter().filter(|_| features.copies_implicit_end) {
        let enters = |&&before: &&BlockId| !dominators.dominates(head, before);
        let entered = predecessors[head].iter().filter(enters);
        let entered: Vec<RegionId> = entered.flat_map(|&before| graph.regions_around(before)).collect();
        let inside = graph.blocks[head].end.successors().flat_map(|next| graph.regions_around(next));
        let around = inside.into_iter().find(|region| entered.contains(region));
        graph.blocks[head].region = around.or(graph.blocks[head].region);
    }
    for (latch, head, inner) in continues {
        graph.blocks[latch].end.retarget(|to| if to == head { inner } else { to });
    }
    found.into_iter().collect()
}

/// Whether a way leads from one block to another, as far as the budget of blocks goes.
fn leads_to(graph: &Graph, from: BlockId, to: BlockId, budget: &mut usize) -> bool {
    let mut seen = BlockSet::default();
    let mut work = vec![from];
    while let (Some(block), 1..) = (work.pop(), *budget) {
        if block == to {
            return true;
        }
        if !seen.put(block) {
            *budget -= 1;
            work.extend(graph.blocks[block].end.successors());
        }
    }
    false
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
    let mut again: Vec<(RegionId, BlockId)> = Vec::new();
    for (from, block) in graph.blocks.iter().enumerate() {
        let Some(region) = block.region else { continue };
        for next in block.end.successors() {
            let end = end_of(next);
            let goes_back = match block.end {
                Terminator::Jump(_) => graph.blocks[next].start > graph.blocks[end].start,
                // The way back of a test was split off it: only what it leads to tells where the loop starts.
                _ => passes_in_front(graph, next, end),
            };
            if end != next && goes_back && graph.blocks[next].region != Some(region) {
                let (mut around, between) = (graph.regions_around(from), graph.regions_around(next));
                let entered = graph.regions_around(end);
                around.retain(|region| entered.contains(region) && !between.contains(region));
                again.extend(around.into_iter().map(|region| (region, end)));
            }
        }
    }
    if again.is_empty() {
        return;
    }
    let mut starts: Vec<u32> = vec![u32::MAX; graph.regions.len()];
    for (block, found) in graph.blocks.iter().enumerate().filter(|(_, found)| !found.steps.is_empty()) {
        for region in graph.regions_around(block) {
            starts[region] = starts[region].min(found.start);
        }
    }
    for (region, end) in again {
        graph.regions[region].entered_again |= graph.blocks[end].start == starts[region];
    }
}
