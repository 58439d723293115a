//! The heads of loops that start with another loop, a part of `thread_jumps`.

use std::rc::Rc;

use depyf_bytecode::Function;
use fixedbitset::FixedBitSet;

use super::places::line_of;
use super::{BlockId, BlockSet, Dominators, Graph, Lists, RegionId, Terminator};

/// Marks the heads of loops that start with another loop: an instruction that does nothing, such as that of `while True`,
/// which one jump leads back to while another leads back to what is behind it, be it in a `try`. Where a loop is tested
/// once more below its body, the end of an endless one leads there without its head, which a `continue` leads to: only a
/// `try` around the inner loop, whose handlers go on with the outer one, tells that there are two, or the line of a jump,
/// which is that of the loop that it ends. The exception table may leave heads out of the region that they are in.
pub(super) fn note_outer_heads(graph: &mut Graph, function: &Function) {
    let heads = back_to(graph);
    let is_candidate = |&head: &BlockId| inner_head(graph, &heads, head).is_some();
    let candidates: Vec<BlockId> = heads.ones().filter(is_candidate).collect();
    if candidates.is_empty() {
        return;
    }
    let predecessors = graph.all_predecessors();
    let dominators = Dominators::compute(&graph.reverse_postorder(), &predecessors);
    let loops = Loops { function, heads, dominators, predecessors };
    // Handlers of real code hardly overlap; those of damaged code must not take quadratic time.
    let mut budget = 64 * graph.blocks.len();
    let is_outer = |&head: &BlockId| loops.is_outer(graph, head, &mut budget);
    let found: Vec<BlockId> = candidates.into_iter().filter(is_outer).collect();
    let mut continues = Vec::new();
    if function.features.tests_loops_twice {
        found.iter().for_each(|&head| loops.note_continues(graph, head, &mut continues));
    }
    // Where no such table is, each is known to be where it was found.
    for &head in found.iter().filter(|_| function.features.copies_implicit_end) {
        let around = loops.region_entered_before(graph, head);
        graph.blocks[head].region = around.or(graph.blocks[head].region);
    }
    for Continue { latch, head, inner } in continues {
        graph.blocks[latch].end.retarget(|to| if to == head { inner } else { to });
    }
    for head in found {
        graph.blocks[head].is_outer_head = true;
    }
}

/// The blocks that a block which does not lie before them leads to.
fn back_to(graph: &Graph) -> FixedBitSet {
    let mut heads = FixedBitSet::with_capacity(graph.blocks.len());
    for block in graph.blocks.iter() {
        let back = block.end.successors().filter(|&to| graph.blocks[to].start <= block.start);
        back.for_each(|to| heads.insert(to));
    }
    heads
}

/// The head of the loop that a block starts with, if it does nothing else.
fn inner_head(graph: &Graph, heads: &FixedBitSet, head: BlockId) -> Option<BlockId> {
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
}

/// The loops of a graph.
struct Loops<'a> {
    function: &'a Function,
    heads: FixedBitSet,
    dominators: Dominators,
    predecessors: Rc<Lists>,
}

/// The end of an outer loop that leads to its head, as a `continue` of the inner loop does.
struct Continue {
    latch: BlockId,
    head: BlockId,
    /// That of the inner loop.
    inner: BlockId,
}

impl Loops<'_> {
    /// What leads back to a head from its loop, with the line of that; what leads back from handlers at the end of the code
    /// to their place is in none.
    fn latches(&self, graph: &Graph, head: BlockId) -> impl Iterator<Item = (BlockId, Option<u32>)> {
        let inside = self.predecessors[head].iter().copied();
        let inside = inside.filter(move |&latch| self.dominators.dominates(head, latch));
        inside.map(|latch| (latch, line_of(self.function, graph.blocks[latch].end_offset)))
    }

    /// Whether a head is that of a loop which starts with another one.
    fn is_outer(&self, graph: &Graph, head: BlockId, budget: &mut usize) -> bool {
        let is_loop = |head: BlockId| self.latches(graph, head).next().is_some();
        let Some(inner) = inner_head(graph, &self.heads, head) else { return false };
        if !is_loop(head) || !is_loop(inner) {
            return false;
        }
        let around = graph.regions_around(head);
        let mut between = graph.regions_around(inner).into_iter().filter(|region| !around.contains(region));
        !self.function.features.tests_loops_twice
            || self.is_ended_above(graph, head)
            || between.any(|region| leads_to(graph, graph.regions[region].handler, head, budget))
    }

    /// Whether a jump ends the loop that lies above the head.
    fn is_ended_above(&self, graph: &Graph, head: BlockId) -> bool {
        let own = self.own_line(graph, head);
        own.is_some()
            && self
                .latches(graph, head)
                .any(|(latch, line)| graph.blocks[latch].jumps && line.is_some() && line < own)
    }

    fn own_line(&self, graph: &Graph, head: BlockId) -> Option<u32> {
        line_of(self.function, graph.blocks[head].start)
    }

    /// Notes what leads back from below: the head that the end of an outer loop leads to is that of the inner one, to which a
    /// `continue` leads.
    fn note_continues(&self, graph: &Graph, head: BlockId, found: &mut Vec<Continue>) {
        if self.is_ended_above(graph, head) {
            let own = self.own_line(graph, head);
            let inner = inner_head(graph, &self.heads, head).unwrap_or(head);
            let below = self.latches(graph, head).filter(|&(_, line)| line > own);
            found.extend(below.map(|(latch, _)| Continue { latch, head, inner }));
        }
    }

    /// The region around what a head leads to that was entered before it.
    fn region_entered_before(&self, graph: &Graph, head: BlockId) -> Option<RegionId> {
        let enters = |&&before: &&BlockId| !self.dominators.dominates(head, before);
        let entered = self.predecessors[head].iter().filter(enters);
        let entered: Vec<RegionId> = entered.flat_map(|&before| graph.regions_around(before)).collect();
        let mut inside = graph.blocks[head].end.successors().flat_map(|next| graph.regions_around(next));
        inside.find(|region| entered.contains(region))
    }
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
