//! Where the ways out of a loop lead: behind it, or to its `else`.

use std::cell::LazyCell;

use super::finally_exits::is_dropped_return;
use super::settling::passed;
use super::{Scope, Structurer};
use crate::flow::{BlockId, BlockSet};
use crate::lift::LiftedEnd;

/// The end of a `with` that has swallowed an exception is so many blocks at most.
const LONGEST_EXIT: usize = 8;

/// Where the ways out of a loop lead.
pub(super) struct LoopExits {
    /// Behind the loop: where `break` goes.
    pub(super) exit: Option<BlockId>,
    /// What the test of a `while` leads to, where that is not behind the loop.
    pub(super) orelse: Option<BlockId>,
}

/// A loop whose body is known.
struct KnownLoop<'a> {
    header: BlockId,
    is_for: bool,
    body: &'a BlockSet,
    /// Where its test leads when it fails, if its header is that test alone.
    tested: Option<BlockId>,
    scope: &'a Scope,
}

/// What the ways out of a loop lead to.
#[derive(Default)]
struct WaysOut {
    /// All of it, in reverse postorder.
    all: Vec<BlockId>,
    /// What only a `break` leads to: it has no other spelling.
    forced: Vec<BlockId>,
    /// Where a `for` leads when there is no item left.
    exhausted: Option<BlockId>,
}

impl Structurer<'_> {
    /// Where the ways out of the loop lead.
    ///
    /// What the test of a `while` leads to stands in its `else`, if `break` goes elsewhere: it goes on around the loop, or
    /// the bytecode shows that the test is that of a `while`.
    pub(super) fn loop_exits(&self, header: BlockId, scope: &Scope) -> LoopExits {
        let mut body = self.body_of(header, scope, true);
        if self.graph.features.copies_ends && !self.is_left(&body) {
            body = self.body_of(header, scope, false);
        }
        let ends = self.graph.blocks[header].end.successors().filter(|&next| !body.contains(next));
        let tested = ends.last().filter(|_| self.is_tested(header, &body));
        let exit =
            self.loop_exit(&KnownLoop { header, is_for: self.is_for(header), body: &body, tested, scope });
        let exit = exit.map(|exit| self.written_exit(header, &body, exit, scope).unwrap_or(exit));
        let orelse = tested.filter(|&end| {
            let settled = self.settle(end, scope);
            exit.is_some_and(|exit| exit != settled)
                && (self.graph.blocks[header].layout.is_rotated
                    || self.is_behind_loop(end, header)
                    || self.begins_with_test(header)
                    || self.goes_on(settled, &body, exit, scope))
        });
        LoopExits { exit, orelse }
    }

    /// The `break` or `continue` of the loop around that stands behind a loop, if all ways out of the loop pass it: the one by
    /// which it ends, and so not from its body, or what leaves the handler around both.
    fn written_exit(
        &self,
        header: BlockId,
        body: &BlockSet,
        exit: BlockId,
        scope: &Scope,
    ) -> Option<BlockId> {
        let handling = |block: BlockId| self.graph.blocks[block].handling;
        if !self.is_jump(exit, scope) {
            return None;
        }
        let leaves = handling(exit) < handling(header);
        let ends = |block: BlockId| self.graph.blocks[block].end.successors();
        // The first block of an endless loop may lead out as well, where that is a word in its body.
        let tests = matches!(self.graph.blocks[header].end, LiftedEnd::For { .. } | LiftedEnd::Branch { .. });
        let has_end = tests && ends(header).any(|next| !body.contains(next));
        let mut ways = body.ones().flat_map(ends).filter(|&next| !body.contains(next));
        let written = |block: &BlockId| {
            let is_behind = has_end && self.graph.blocks[*block].region == scope.region;
            (leaves || is_behind) && (self.written_jump(*block, scope).is_some() || self.ends_manager(*block))
        };
        let mut behind =
            passed(self.graph, ways.next()?, exit).take_while(|&block| self.is_transparent(block));
        let first = behind.find(written)?;
        ways.all(|way| passed(self.graph, way, exit).any(|block| block == first)).then_some(first)
    }

    /// Whether a block ends the body of a `with`. Each word that leaves that has an end of its own.
    pub(super) fn ends_manager(&self, block: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        let (Some(region), LiftedEnd::Jump(next)) = (found.region, &found.end) else { return false };
        self.graph.regions[region].kind.is_with() && self.graph.blocks[*next].region != Some(region)
    }

    /// Whether a block lies behind the last jump back to the header of a loop, which was written behind all that is in
    /// the loop: to 3.9 the compiler erases none, and moves nothing.
    fn is_behind_loop(&self, block: BlockId, header: BlockId) -> bool {
        let graph = self.graph;
        !graph.features.copies_implicit_end
            && graph.blocks[header].dead.back.is_some_and(|back| graph.blocks[block].start > back)
    }

    /// Whether the test of a loop's header is that of a `while`, if there is no other: `while True` leaves an instruction
    /// that does nothing in front of its body, unless that is a loop itself (3.14 on; before, the test is compiled twice).
    fn begins_with_test(&self, header: BlockId) -> bool {
        let features = &self.graph.features;
        !features.source_order
            && !features.tests_loops_twice
            && !self.graph.evidence.begins_with_nop(&self.graph.blocks[header])
    }

    /// Whether the loop's header is its test and does nothing else.
    fn is_tested(&self, header: BlockId, body: &BlockSet) -> bool {
        let end = &self.graph.blocks[header].end;
        matches!(end, LiftedEnd::Branch { .. })
            && self.is_empty(header)
            && end.successors().filter(|&next| body.contains(next)).count() == 1
    }

    /// Whether an edge leads out of the blocks.
    fn is_left(&self, body: &BlockSet) -> bool {
        body.ones().any(|block| self.graph.blocks[block].end.successors().any(|next| !body.contains(next)))
    }

    /// The block behind the loop: where `break` goes.
    ///
    /// An exit that has no other spelling must be it: one that leaves a `for`, or a `try` or handler in the
    /// loop, or goes on outside of what is around the loop. Otherwise it is the first block, in reverse
    /// postorder, that at least two exits lead to; with a single exit it is that exit. Exits that lead nowhere
    /// else (`return`) are printed inside the loop.
    fn loop_exit(&self, known: &KnownLoop) -> Option<BlockId> {
        let KnownLoop { header, is_for, body, tested, scope } = *known;
        let ways = self.ways_out(known);
        if let [only] = ways.all[..] {
            // What is returned was made in the loop, and so was the `return` written there.
            return Some(only).filter(|&only| is_for || !self.is_carried(only));
        }
        // No word in this loop goes on with the one around, or leaves that: only the `else` of this one may say so, and does
        // where another way goes on behind this loop.
        let mut jumps = ways.forced.iter().copied().filter(|&exit| !is_for && self.is_jump(exit, scope));
        if let (Some(jump), None) = (jumps.next(), jumps.next())
            && let [exit] = self.exits_going_on(vec![jump], &ways, known)[..]
        {
            return Some(exit);
        }
        // Where the test fails and others lead, too, is no `else`, and stands behind all of the loop.
        if let Some(end) = tested.filter(|&end| self.is_shared_exit(end, &ways, known)) {
            return Some(self.settle(end, scope));
        }
        let candidates = self.exits_going_on(self.candidates(&ways, known), &ways, known);
        if let [only] = candidates[..] {
            return Some(self.left_from_handlers(only, &ways, known).unwrap_or(only));
        }
        // What a `break` leads to lies behind each `return` in the loop.
        if candidates.iter().all(|&exit| self.returns_alone(exit, header)) {
            return candidates.into_iter().max_by_key(|&exit| self.graph.blocks[exit].start);
        }
        self.only_other_than_word(&candidates, known)
            .or_else(|| self.meeting(&candidates, body, scope))
            .or_else(|| self.exit_without_meeting(candidates, &ways, known))
    }

    /// Follows each way out of a loop.
    fn ways_out(&self, known: &KnownLoop) -> WaysOut {
        let KnownLoop { header, is_for, body, scope, .. } = *known;
        let last = LazyCell::new(|| self.last_start(header, body));
        let is_inside = |exit: BlockId| {
            self.places.are_ordered(header, exit) && Some(self.graph.blocks[exit].start) < *last
        };
        let mut ways = WaysOut::default();
        let (mut met, mut met_forced) = (BlockSet::default(), BlockSet::default());
        let mut work: Vec<BlockId> =
            body.ones().filter(|&block| !self.returns_alone(block, header)).collect();
        work.reverse();
        let mut inside = BlockSet::default();
        let mut returned = None;
        while let Some(block) = work.pop() {
            let leaves = |&next: &BlockId| !body.contains(next) && !self.runs_into_finally(block, next);
            for next in self.graph.blocks[block].end.successors().filter(leaves) {
                // What is still in a `try` that begins in the loop stands in the loop.
                if self.is_in_statement_of(block, next, header) {
                    if !inside.put(next) {
                        work.push(next);
                    }
                    continue;
                }
                let is_break = is_for && self.breaks_in_front_of_another(block, next, header, scope);
                let exit = if is_break { next } else { self.settle_from(next, Some(header), scope) };
                if self.returns_alone(exit, header) && is_inside(exit) {
                    continue;
                }
                if block != header && is_dropped_return(exit, scope) {
                    returned = Some(exit);
                    continue;
                }
                if is_for && block == header {
                    ways.exhausted = Some(exit);
                } else if (is_break || self.is_only_break((block, next), exit, known))
                    && !met_forced.put(exit)
                {
                    ways.forced.push(exit);
                }
                if !met.put(exit) {
                    ways.all.push(exit);
                }
            }
        }
        if ways.all.is_empty() {
            ways.all.extend(returned);
        }
        ways.all.sort_by_key(|&exit| self.dominators.position(exit));
        ways
    }

    /// Whether a way from a block of a loop leads to another block of a region that begins in the loop.
    fn is_in_statement_of(&self, block: BlockId, next: BlockId, header: BlockId) -> bool {
        self.graph.blocks[next].region.is_some()
            && self
                .around(next)
                .iter()
                .any(|region| self.around(block).contains(region) && !self.around(header).contains(region))
    }

    /// Whether a way out of a loop, which settles at `exit`, has no other spelling than a `break`.
    fn is_only_break(&self, (block, next): (BlockId, BlockId), exit: BlockId, known: &KnownLoop) -> bool {
        let KnownLoop { header, is_for, body, tested, scope } = *known;
        let features = &self.graph.features;
        let leaves =
            |from: BlockId| self.around(from).iter().any(|region| !self.around(next).contains(region));
        // To 3.10 the jump of a `break` lies behind the end of the region.
        let leaves_region = leaves(block)
            || self.is_transparent(block) && self.predecessors[block].iter().any(|&before| leaves(before));
        let is_jump = self.is_jump(exit, scope);
        // Where the loop ends by itself in front of what follows, no `break` comes to where the function returns.
        let end = match self.graph.blocks[header].end {
            LiftedEnd::For { exhausted, .. } => Some(exhausted),
            _ => tested,
        };
        let is_return = || {
            let ends_in_front = |follow| end.is_some_and(|end| self.settle(end, scope) == follow);
            scope.follow.is_some_and(|follow| follow != exit && ends_in_front(follow))
        };
        // The `else` of a test may be a word of the loop around, which leaves a jump of its own (3.14 on).
        let shows_words = !features.source_order && !features.tests_loops_twice;
        let is_else =
            !is_for && block == header && tested.is_some() && is_jump && (!shows_words || next != exit);
        if tested.is_some() && self.ends_behind_with(block, exit, body) {
            return false;
        }
        (is_for
            || leaves_region
            || self.graph.blocks[block].handling > self.graph.blocks[next].handling
            || scope.follow == Some(exit)
            || self.nodes[exit].is_claimed()
            || is_jump)
            && !is_else
            && (!self.may_be_return(exit)
                || (self.jumps_to_end(block, next)
                    || passed(self.graph, next, exit).any(|at| self.leave_together(at, header)))
                    && !is_return())
    }

    /// Whether the function ends where only a `with` in the loop leads to that has swallowed an exception: that stands behind the
    /// `with`, and so in the loop.
    fn ends_behind_with(&self, mut block: BlockId, exit: BlockId, body: &BlockSet) -> bool {
        let graph = self.graph;
        if !matches!(graph.blocks[exit].end, LiftedEnd::Return(_) | LiftedEnd::Raise { .. })
            || graph.blocks[block].handling <= graph.blocks[exit].handling
            || self.nodes[exit].ways_in > 1
        {
            return false;
        }
        for _ in 0..LONGEST_EXIT {
            match self.predecessors[block][..] {
                [before] if self.is_transparent(block) && body.contains(before) => block = before,
                _ => return false,
            }
            // Nothing else than what handles the exception of a `with` tests a value.
            if let LiftedEnd::Branch { .. } = graph.blocks[block].end {
                return self.nodes[block].is_handler;
            }
        }
        false
    }

    /// Whether several ways out of a loop leave a statement around it in one place: each `return` leaves it for itself.
    fn leave_together(&self, exit: BlockId, header: BlockId) -> bool {
        self.nodes[exit].has_shared_exit
            && self.graph.blocks[exit].region.is_some_and(|region| self.around(header).contains(&region))
    }

    /// The exits that may lie behind a loop: those that have no other spelling, if there are any.
    fn candidates(&self, ways: &WaysOut, known: &KnownLoop) -> Vec<BlockId> {
        let KnownLoop { header, body, scope, .. } = *known;
        // An exit that ends the function may stand in the loop. One that goes on behind the loop may not.
        let goes_on = |&exit: &BlockId| self.goes_on(exit, body, None, scope);
        if !ways.forced.is_empty() {
            let mut forced = ways.forced.clone();
            if forced.iter().any(goes_on) {
                forced.retain(goes_on);
            } else if let Some(only) = self.only_going_on(ways, known, goes_on) {
                // What ends the function behind a statement in the loop stands in the loop, too.
                return vec![only];
            }
            return forced;
        }
        let is_return =
            |exit: BlockId| self.plain_return(exit).is_some() && !self.leave_together(exit, header);
        // Where nothing but `return` is left, the last one stands behind the loop rather than in its `else`.
        let drops = |next: BlockId| self.drops_iterator(next, scope);
        if let Some(end) = ways.exhausted
            && ways.all.iter().all(|&exit| is_return(exit))
            && !self.graph.blocks[header].end.successors().into_iter().any(drops)
        {
            return vec![end];
        }
        // Nor may one that the `else` leads on to, too.
        let end = known.tested.map(|end| self.settle(end, scope));
        let meets_end =
            |&exit: &BlockId| end.is_some_and(|end| end != exit && self.leads_on_to(exit, end, body, scope));
        let stays_behind = |exit: &BlockId| goes_on(exit) || meets_end(exit);
        let mut candidates: Vec<BlockId> = ways.all.iter().copied().filter(stays_behind).collect();
        // So may the end that all fall off to, unless it is what follows here.
        let stays_inside = |&exit: &BlockId| scope.follow != Some(exit) && is_return(exit);
        if !candidates.iter().all(stays_inside) {
            candidates.retain(|exit| !stays_inside(exit));
        }
        if candidates.is_empty() {
            candidates.clone_from(&ways.all);
        }
        candidates
    }

    /// The only way out that goes on behind the loop, other than the one by which the loop ends, which may do so in its `else`.
    fn only_going_on(
        &self,
        ways: &WaysOut,
        known: &KnownLoop,
        goes_on: impl Fn(&BlockId) -> bool,
    ) -> Option<BlockId> {
        let end = known.tested.map(|end| self.settle(end, known.scope)).or(ways.exhausted);
        // Where a `break` leads to the end of the loop, or to what its `else` leads on to, that is where it ends.
        let is_end = |end: BlockId| {
            ways.forced.iter().any(|&exit| self.leads_on_to(exit, end, known.body, known.scope))
        };
        if end.is_some_and(is_end) {
            return None;
        }
        let mut others = ways.all.iter().filter(|&exit| Some(*exit) != end && goes_on(exit));
        others.next().copied().filter(|_| others.next().is_none())
    }

    /// The candidates, less those that leave the loop around by the `else` of this one: what goes on in that loop lies behind
    /// this one.
    fn exits_going_on(&self, candidates: Vec<BlockId>, ways: &WaysOut, known: &KnownLoop) -> Vec<BlockId> {
        let KnownLoop { body, tested, scope, .. } = *known;
        let Some(end) = tested.map(|end| self.settle(end, scope)) else { return candidates };
        let meeting = match candidates[..] {
            [only] => Some(only),
            _ => self.meeting(&candidates, body, scope),
        };
        let is_left = |&join: &BlockId| scope.follow != Some(join) && self.is_jump(join, scope);
        let Some(join) = meeting.filter(is_left) else { return candidates };
        let goes_on = |&exit: &BlockId| exit != end && self.goes_on(exit, body, Some(join), scope);
        let others: Vec<BlockId> = ways.all.iter().copied().filter(goes_on).collect();
        if others.is_empty() { candidates } else { others }
    }

    /// The exit that the handlers of a `try` go on to which starts with the only candidate: that `try` stands in the loop, and
    /// leaves it there by `break`.
    fn left_from_handlers(&self, only: BlockId, ways: &WaysOut, known: &KnownLoop) -> Option<BlockId> {
        let graph = self.graph;
        // What follows the statement around the loop is not in the loop.
        if known.is_for || !graph.features.source_order || known.scope.follow == Some(only) {
            return None;
        }
        let region =
            graph.blocks[only].region.filter(|region| !self.around(known.header).contains(region))?;
        let handler = graph.regions[region].handler;
        let is_handled = |&before: &BlockId| self.dominators.dominates(handler, before);
        let leads_on = |&other: &BlockId| other != only && self.predecessors[other].iter().any(is_handled);
        ways.all.iter().copied().rfind(leads_on)
    }

    /// The only candidate but where a test that fails leads to a `break` or `continue` in `else`, which is no place behind the
    /// loop. From 3.10 on the test leads to the jump that such a word is; where it leads on at once, there is no `else`.
    fn only_other_than_word(&self, candidates: &[BlockId], known: &KnownLoop) -> Option<BlockId> {
        let tested = known.tested?;
        let end = self.settle(tested, known.scope);
        let mut passed = passed(self.graph, tested, end);
        let falls =
            known.scope.follow == Some(end) && !passed.any(|at| self.graph.blocks[at].written.is_some());
        if self.graph.features.jump_statements_stay && falls {
            return None;
        }
        let mut others = candidates.iter().copied().filter(|&exit| exit != end);
        match (others.next(), others.next()) {
            (only, None) if self.is_jump(end, known.scope) => only,
            _ => None,
        }
    }

    /// Which of several exits lies behind the loop, where no two of them meet again.
    fn exit_without_meeting(
        &self,
        mut candidates: Vec<BlockId>,
        ways: &WaysOut,
        known: &KnownLoop,
    ) -> Option<BlockId> {
        let KnownLoop { header, scope, .. } = *known;
        // The way out of a tested header may stand in `else`, where others need `break`, and none of these comes there.
        let end = known.tested.map(|end| self.settle(end, scope));
        if let Some(end) = end.filter(|end| !ways.forced.is_empty() && !ways.forced.contains(end)) {
            candidates.retain(|&exit| exit != end);
        }
        // An exit that several ways lead to would have to stand in several places.
        let several = |&exit: &BlockId| {
            self.nodes[exit].ways_in > 1 && !self.is_short_end(exit) && self.plain_return(exit).is_none()
        };
        if candidates.iter().any(several) {
            candidates.retain(several);
        }
        // The exhausted `for`, or the way out of the header, goes on behind.
        let mut ends = self.graph.blocks[header].end.successors().map(|next| self.settle(next, scope));
        ways.exhausted
            .filter(|_| ways.forced.is_empty())
            .or_else(|| ends.find(|&next| candidates.contains(&next) && !self.is_jump(next, scope)))
            .or_else(|| self.last_exit(header, &candidates))
            .or_else(|| candidates.iter().copied().max_by_key(|&exit| self.dominators.count(exit)))
    }

    /// Whether the way from one block on to another, and to the end of the function behind that, is one that jumps where each
    /// `return` ends its way itself.
    fn jumps_to_end(&self, block: BlockId, next: BlockId) -> bool {
        let graph = self.graph;
        let jumps = |block: BlockId| {
            let found = &graph.blocks[block];
            matches!(found.end, LiftedEnd::Jump(_)) && graph.evidence.jumps(found)
        };
        let mut passed = passed(graph, next, self.end_of_chain(next));
        graph.features.keeps_ends() && (jumps(block) || passed.any(jumps))
    }

    /// Whether a block that does something is where a loop is left by its test and by another way as well, or what each
    /// `break` leads to goes on there: that stands in the loop, in front of the `break`.
    fn is_shared_exit(&self, block: BlockId, ways: &WaysOut, known: &KnownLoop) -> bool {
        let KnownLoop { header, body, scope, .. } = *known;
        let is_other = |&before: &BlockId| before != header && body.contains(before);
        if ways.forced.is_empty() {
            !self.is_empty(block)
                && !self.is_short_end(block)
                && self.predecessors[block].iter().any(is_other)
        } else {
            let end = self.settle(block, scope);
            let position = |block: BlockId| self.dominators.position(block);
            let leads_on =
                |&exit: &BlockId| position(exit) < position(end) && self.leads_on_to(end, exit, body, scope);
            // A word may stand in the `else`, and behind the loop as well.
            let is_word = self.is_jump(end, scope) || self.plain_return(end).is_some();
            !is_word && ways.forced.iter().all(leads_on)
        }
    }

    /// The exit that lies behind all others: those were written in the loop.
    fn last_exit(&self, header: BlockId, candidates: &[BlockId]) -> Option<BlockId> {
        let is_known = |&exit: &BlockId| {
            self.places.are_ordered(header, exit) && self.graph.blocks[exit].start != u32::MAX
        };
        let moves = !self.graph.features.source_order && candidates.iter().all(is_known);
        candidates.iter().copied().filter(|_| moves).max_by_key(|&exit| self.graph.blocks[exit].start)
    }
}
