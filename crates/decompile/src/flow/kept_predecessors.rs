//! The ordinary predecessors of each block while the ways between blocks change.

use std::ops::Index;
use std::rc::Rc;

use super::{BlockId, Graph, Lists};
use crate::hash::HashMap;

/// As [`Graph::predecessors`] had them once, and the lists that have changed since then. Most functions have many
/// statements of which each changes a few ways: found anew for each, predecessors would take quadratic time.
///
/// Members of changed lists are in no particular order.
#[derive(Debug)]
pub(super) struct KeptPredecessors {
    known: Rc<Lists>,
    changed: HashMap<BlockId, Vec<BlockId>>,
}

impl KeptPredecessors {
    pub(super) fn of(graph: &Graph) -> Self {
        Self { known: graph.predecessors(), changed: HashMap::default() }
    }

    /// Notes where blocks lead of which nothing was known before.
    pub(super) fn add(&mut self, graph: &Graph, blocks: impl Iterator<Item = BlockId>) {
        for block in blocks {
            graph.blocks[block].end.successors().for_each(|next| self.list(next).push(block));
        }
    }

    /// Notes that a block leads from one to another one now, by as many ways.
    pub(super) fn move_ways(&mut self, block: BlockId, from: BlockId, to: BlockId) {
        let count = self.remove(from, block);
        self.list(to).extend(std::iter::repeat_n(block, count));
    }

    /// Notes that nothing leads to a block any more, and so to what only it led to. Says whether that is all: not
    /// where something still leads to one of them that may itself be reached no more, or a handler is among
    /// them. What `is_behind` holds for is reached by another way.
    pub(super) fn forget(
        &mut self,
        graph: &Graph,
        block: BlockId,
        is_behind: impl Fn(BlockId) -> bool,
    ) -> bool {
        let region = graph.blocks[block].region;
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            if !self[block].is_empty() {
                if is_behind(block) {
                    continue;
                }
                return false;
            }
            if graph.blocks[block].region != region {
                return false;
            }
            // Where none of its ways was kept, nothing changes: in a loop that was never reached none is.
            let successors = graph.blocks[block].end.successors();
            work.extend(successors.filter(|&next| self.remove(next, block) > 0));
        }
        true
    }

    /// Takes a block out of the list of another one; returns how many ways that were.
    fn remove(&mut self, from: BlockId, block: BlockId) -> usize {
        let list = self.list(from);
        let before = list.len();
        list.retain(|&found| found != block);
        before - list.len()
    }

    fn list(&mut self, block: BlockId) -> &mut Vec<BlockId> {
        self.changed.entry(block).or_insert_with(|| known(&self.known, block).to_vec())
    }
}

impl Index<BlockId> for KeptPredecessors {
    type Output = [BlockId];

    fn index(&self, block: BlockId) -> &[BlockId] {
        self.changed.get(&block).map_or_else(|| known(&self.known, block), Vec::as_slice)
    }
}

/// Nothing was known of a block that was made since.
fn known(lists: &Lists, block: BlockId) -> &[BlockId] {
    if block < lists.len() { &lists[block] } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, BlockId, Contents, Graph, Terminator};
    use super::KeptPredecessors;

    /// The predecessors that are kept, block by block, in order.
    fn lists(kept: &KeptPredecessors, graph: &Graph) -> Vec<Vec<BlockId>> {
        let list = |block: BlockId| {
            let mut found = kept[block].to_vec();
            found.sort_unstable();
            found
        };
        (0..graph.blocks.len()).map(list).collect()
    }

    #[test]
    fn what_is_kept_is_what_a_look_at_the_whole_graph_finds() {
        // A block leads to a copy in two blocks, and that to the end.
        let ends = [Terminator::Jump(1), Terminator::Jump(2), Terminator::Jump(3), Terminator::Return];
        let blocks = ends.into_iter().map(|end| Block::empty(0, end, None)).collect();
        let mut graph = Graph::of(blocks, Vec::new(), Contents::NOTHING);
        let mut kept = KeptPredecessors::of(&graph);
        // It leads past the copy by a new one.
        graph.blocks.push(Block::empty(0, Terminator::Jump(3), None));
        graph.blocks[0].end = Terminator::Jump(4);
        kept.move_ways(0, 1, 4);
        kept.add(&graph, std::iter::once(4));
        assert!(kept.forget(&graph, 1, |block| block == 3));
        assert_eq!(lists(&kept, &graph), lists(&KeptPredecessors::of(&graph), &graph));
    }

    #[test]
    fn a_loop_that_nothing_leads_to_is_forgotten_once() {
        // Nothing leads to the loop in the first place, so that none of its ways was kept.
        let ends = [Terminator::Return, Terminator::Jump(2), Terminator::Jump(1)];
        let blocks = ends.into_iter().map(|end| Block::empty(0, end, None)).collect();
        let graph = Graph::of(blocks, Vec::new(), Contents::NOTHING);
        let mut kept = KeptPredecessors::of(&graph);
        assert!(kept.forget(&graph, 1, |_| false));
    }

    #[test]
    fn a_loop_in_a_copy_is_not_forgotten() {
        let ends = [Terminator::Jump(1), Terminator::Jump(1), Terminator::Return];
        let blocks = ends.into_iter().map(|end| Block::empty(0, end, None)).collect();
        let mut graph = Graph::of(blocks, Vec::new(), Contents::NOTHING);
        let mut kept = KeptPredecessors::of(&graph);
        graph.blocks[0].end = Terminator::Jump(2);
        kept.move_ways(0, 1, 2);
        assert!(!kept.forget(&graph, 1, |_| false));
    }
}
