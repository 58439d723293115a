//! Where the ways out of a `try` with a `finally` body lead, as far as that body tells.

use super::{Scope, Structurer};
use crate::flow::{BlockId, RegionId, RegionKind};
use crate::lift::LiftedEnd;

/// Where the ways go that leave the `try` of a `finally` body which leaves by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub(super) to: BlockId,
    /// The loop whose `continue` goes there, in a module or class; else any `return` does.
    pub(super) continues: Option<BlockId>,
}

/// Whether what leads to a block may be a `return` that a `finally` body takes back. No other word is needed there, and what
/// goes on in the body of the `try` stands behind a loop.
pub(super) fn is_dropped_return(block: BlockId, scope: &Scope) -> bool {
    scope.left.is_some_and(|left| left.to == block && left.continues.is_none())
}

impl Structurer<'_> {
    /// Whether a block is where all ways out of a region lead because its `finally` body leaves by itself, and what leads there:
    /// any `return`, or where there is none, any `continue` of the loop around.
    pub(super) fn left_by_finally(&self, block: BlockId, region: RegionId, scope: &Scope) -> Option<Left> {
        let header = scope.inner.filter(|inner| inner.repeats).map(|inner| inner.header);
        let continues = header.filter(|_| !self.graph.evidence.is_function());
        let has_word = self.graph.evidence.is_function() || continues.is_some();
        (has_word && self.ends_in_finally(block, region)).then_some(Left { to: block, continues })
    }

    /// Whether a block is where all ways out of a region lead because its `finally` body leaves by itself: there is nothing.
    fn ends_in_finally(&self, block: BlockId, region: RegionId) -> bool {
        let is_inside = |&before: &BlockId| self.around(before).contains(&region);
        self.graph.regions[region].kind == RegionKind::Finally
            && matches!(self.graph.blocks[block].end, LiftedEnd::Done)
            && self.graph.end != Some(block)
            // A module or class may end there, unless that is known to be elsewhere.
            && (self.graph.evidence.is_function() || self.graph.end.is_some())
            && !is_inside(&block)
            && self.predecessors[block].iter().all(is_inside)
    }

    /// Whether the way from a block to another one is the end of a body whose `finally` leaves by itself.
    pub(super) fn runs_into_finally(&self, block: BlockId, next: BlockId) -> bool {
        self.around(block).iter().any(|&region| self.ends_in_finally(next, region))
    }

    /// Whether what is done for a `return` alone tells that it was written in the body of a `try` with a `finally`: there is
    /// another way out of that behind it. What runs off the end of the body leaves it last.
    pub(super) fn returns_before_end(
        &self,
        exit: BlockId,
        region: RegionId,
        settled: impl Fn(BlockId) -> BlockId,
    ) -> bool {
        let (mut last, mut last_to_exit) = (0, 0);
        for &block in self.members[region].iter().filter(|_| self.nodes[exit].has_own_exit) {
            let found = &self.graph.blocks[block];
            let ways = self.ways(block, region).filter(|&next| !self.around(next).contains(&region));
            for next in ways.filter(|_| self.places.are_ordered(block, self.members[region][0])) {
                last = last.max(found.end_offset);
                if settled(next) == exit {
                    last_to_exit = last_to_exit.max(found.end_offset);
                }
            }
        }
        last_to_exit < last
    }

    /// Whether a block right behind a region lies on a line below its `finally` body, if that is known. What leaves the body of the
    /// statement by a copy of that, and of those around it, goes on with the line of the last one (CPython
    /// `compiler_unwind_fblock`, 3.10 on).
    pub(super) fn is_below_finally(&self, block: BlockId, offset: u32, region: RegionId) -> Option<bool> {
        let graph = self.graph;
        if graph.regions[region].kind != RegionKind::Finally
            || !graph.features.copies_implicit_end
            || self.around(block) != &self.nests[region][1..]
        {
            return None;
        }
        let line = graph.evidence.line_at(offset)?;
        let mut work = vec![graph.regions[region].handler];
        while let Some(inside) = work.pop() {
            if graph.evidence.greatest_line(&graph.blocks[inside]).is_some_and(|last| last >= line) {
                return Some(false);
            }
            work.extend(&self.children[inside]);
        }
        Some(true)
    }

    /// The same of a block that drops the iterator of the loop around: on the line of the `finally` body it does so for a word that
    /// was written in the body of the `try`.
    pub(super) fn drops_below_finally(
        &self,
        block: BlockId,
        region: RegionId,
        scope: &Scope,
    ) -> Option<bool> {
        let drops = self.drops_iterator(block, scope);
        drops.then(|| self.is_below_finally(block, self.graph.blocks[block].end_offset, region)).flatten()
    }
}
