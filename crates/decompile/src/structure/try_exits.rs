//! Where the ways out of a protected region lead.

use depyf_syntax::ast::StmtKind;

use super::settling::{jump_to, passed};
use super::{Scope, Structurer};
use crate::flow::{BlockId, Landing, RegionId, RegionKind};
use crate::lift::LiftedEnd;

/// The places where a statement goes on.
pub(super) struct Exits {
    /// Behind the whole statement.
    pub(super) follow: Option<BlockId>,
    /// What runs only where no exception was raised: the `else` of a `try`.
    pub(super) orelse: Option<BlockId>,
    /// Behind what follows: ways out of the body lead there at once, as a `break` out of a loop of one round does.
    pub(super) passed: Option<BlockId>,
}

impl Structurer<'_> {
    /// The exits where a statement goes on with `follow`, and its body with another one as well: the `else`, or what lies
    /// behind `follow`. If the body leads to `follow` at once, the other one is no `else`.
    pub(super) fn exits_behind(
        &self,
        first: BlockId,
        (follow, is_of_body): (BlockId, bool),
        mut others: impl Iterator<Item = BlockId>,
        scope: &Scope,
    ) -> Exits {
        let other = others.next();
        // What ends by itself may come first in the order of the blocks.
        let never_meets = |other: BlockId| {
            let leads_back = |&before: &BlockId| self.dominators.dominates(other, before);
            is_of_body && !self.predecessors[follow].iter().any(leads_back)
        };
        let lies_behind = |&other: &BlockId| {
            (self.dominators.position(other) > self.dominators.position(follow) || never_meets(other))
                && self.dominators.dominates(first, other)
                && self.quiet_return(other).is_none()
                && scope.follow != Some(follow)
        };
        let passed = other.filter(lies_behind);
        Exits { follow: Some(follow), orelse: other.filter(|_| passed.is_none()), passed }
    }

    /// Whether a block is where all ways out of a region lead because its `finally` body leaves by itself: there is nothing.
    pub(super) fn is_left_by_finally(&self, block: BlockId, region: RegionId) -> bool {
        let is_inside = |&before: &BlockId| self.around(before).contains(&region);
        self.graph.regions[region].kind == RegionKind::Finally
            && matches!(self.graph.blocks[block].end, LiftedEnd::Done)
            && self.graph.evidence.is_function()
            && self.predecessors[block].iter().all(is_inside)
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

    /// Whether a block ends with a `break` or `continue` that was written behind a statement.
    pub(super) fn jumps_behind(&self, block: BlockId, region: RegionId) -> bool {
        let found = &self.graph.blocks[block];
        let ends_statement = || {
            let leads_on = |&to: &BlockId| self.graph.blocks[to].start > found.start;
            self.dead.any()
                && self.graph.evidence.jumps(found)
                && self.leaving().contains_key(&block)
                && found.end.successors().any(|to| leads_on(&to))
        };
        let is_written = self.dead.from(block).is_some()
            || found.dead.behind == Some(Landing::Written)
            || ends_statement();
        let end = self.graph.regions[region].end;
        is_written && found.end_offset > self.graph.regions[region].closes
            || end != u32::MAX && found.written.is_some_and(|offset| offset >= end)
            || found.written.is_some_and(|offset| self.lies_behind(block, offset, region))
            || found.written.is_some() && self.is_transparent(block) && self.meets_behind(block, region)
            || found.written.is_some() && self.is_behind_with(block, region)
    }

    /// Whether a block lies right behind a `with` statement: where an exception was swallowed, the statement has ended.
    fn is_behind_with(&self, block: BlockId, region: RegionId) -> bool {
        match self.graph.regions[region].kind {
            RegionKind::With { swallowed } => {
                passed(self.graph, swallowed, self.end_of_chain(swallowed)).any(|at| at == block)
            }
            _ => false,
        }
    }

    /// Whether what a `return` drops first was written behind the handlers of a region, where several ways meet.
    pub(super) fn is_dropped_behind(&self, exit: BlockId, region: RegionId) -> bool {
        let drops = |&block: &BlockId| {
            let is_written = self.graph.blocks[block].written.is_some() && self.is_transparent(block);
            is_written && self.meets_behind(block, region)
        };
        matches!(&self.predecessors[exit][..], [only] if drops(only))
    }

    /// The `break` behind a `with` that a swallowed exception leads to: nothing else than a statement drops the iterator of
    /// a loop there. What other ways lead to as well stands behind what is around the statement.
    pub(super) fn break_behind(
        &self,
        first: BlockId,
        swallowed: BlockId,
        region: RegionId,
        scope: &Scope,
    ) -> Option<BlockId> {
        let settled = self.settle(swallowed, scope);
        let is_with = matches!(self.graph.regions[region].kind, RegionKind::With { .. });
        let breaks = || jump_to(settled, scope) == Some(StmtKind::Break);
        let last = || {
            let last = passed(self.graph, swallowed, settled).last();
            last.filter(|&last| self.drops_iterator(last, scope) && self.dominators.dominates(first, last))
        };
        (is_with && scope.follow != Some(settled) && breaks()).then(last).flatten()
    }

    /// The `break` or `continue` that was written behind a statement: on the way from one of its ends, and on that from
    /// another.
    pub(super) fn shared_jump(&self, end: BlockId, scope: &Scope) -> Option<BlockId> {
        let settled = self.settle(end, scope);
        let mut at = end;
        while let (true, LiftedEnd::Jump(next)) = (at != settled, &self.graph.blocks[at].end) {
            if self.nodes[at].ways_in > 1 && self.written_jump(at, scope).is_some() {
                return Some(at);
            }
            at = *next;
        }
        None
    }

    /// As [`Self::settle`], but not behind a `break` or `continue` that was written behind the statement.
    pub(super) fn settle_behind(&self, block: BlockId, region: RegionId, scope: &Scope) -> BlockId {
        let settled = self.settle(block, scope);
        if !self.is_jump(settled, scope) {
            return settled;
        }
        passed(self.graph, block, settled).find(|&at| self.jumps_behind(at, region)).unwrap_or(settled)
    }

    /// Leaves the ways out of a body that no `return` in it spells, if several are known: a statement goes on in one way.
    pub(super) fn keep_one_way(&self, exits: &mut Vec<BlockId>) {
        let goes_on = |&exit: &BlockId| self.return_inside(exit).is_none();
        if exits.len() > 1 && exits.iter().any(goes_on) {
            exits.retain(goes_on);
        }
    }

    /// Where the `return` stands that a block leads to, behind blocks that do nothing.
    pub(super) fn returns_at(&self, block: BlockId) -> u32 {
        self.graph.blocks[self.end_of_chain(block)].end_offset
    }

    /// The same, where what is done for this `return` alone tells.
    pub(super) fn leaves_at(&self, block: BlockId) -> u32 {
        let mut passed = passed(self.graph, block, self.end_of_chain(block));
        let own = passed.find(|&block| self.nodes[block].has_own_exit);
        own.map_or_else(|| self.returns_at(block), |own| self.graph.blocks[own].end_offset)
    }

    /// The last one of blocks that only lead on.
    pub(super) fn end_of_chain(&self, mut block: BlockId) -> BlockId {
        for _ in 0..self.graph.blocks.len() {
            match self.graph.blocks[block].end {
                LiftedEnd::Jump(next) => block = next,
                _ => break,
            }
        }
        block
    }
}
