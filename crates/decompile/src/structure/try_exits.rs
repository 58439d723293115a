//! Where the ways out of a protected region lead.

use std::cell::LazyCell;
use std::cmp::Ordering;

use depyf_syntax::ast::StmtKind;

use super::returns::is_constant;
use super::settling::{jump_to, passed};
use super::{Scope, Structurer};
use crate::flow::{Behind, BlockId, Landing, RegionId, RegionKind};
use crate::lift::LiftedEnd;

/// So many blocks that do nothing may lie between a statement and what is behind the loop of one round around it, or between a
/// handler and what is behind its statement.
const MOST_BETWEEN: usize = 32;

/// The places where a statement goes on.
pub(super) struct Exits {
    /// Behind the whole statement.
    pub(super) follow: Option<BlockId>,
    /// What runs only where no exception was raised: the `else` of a `try`.
    pub(super) orelse: Option<BlockId>,
    /// Behind what follows: ways out of the body lead there at once, as a `break` out of a loop of one round does.
    pub(super) passed: Option<BlockId>,
}

/// The statement whose exits are looked for.
struct Statement<'a> {
    /// Its first block.
    first: BlockId,
    region: RegionId,
    scope: &'a Scope,
}

impl Statement<'_> {
    /// The exits that do not lead behind what is around the statement.
    fn own(&self, exits: &[BlockId]) -> Vec<BlockId> {
        exits.iter().copied().filter(|&exit| self.scope.follow != Some(exit)).collect()
    }
}

/// How the ways out of a body and its handlers meet, before the returns among them are told apart.
struct Meeting {
    /// What is known to lie behind the statement.
    behind: Option<BlockId>,
    /// Whether there is only one way out.
    only: bool,
    /// Where body and handlers lead, if that is one block.
    all: Option<BlockId>,
    /// What the body leads to, if its handlers do so too, or nothing else does.
    of_body: Vec<BlockId>,
    /// What handlers lead to that lies right behind the statement.
    lie_behind: Vec<BlockId>,
}

impl Structurer<'_> {
    /// Finds where the region's normal ways out and those of its handlers lead.
    ///
    /// Ways that `break`, `continue` or `return` spell stand inside. All others lead behind the statement; only
    /// where no exception was raised, they may first lead through its `else`.
    pub(super) fn exits(&self, first: BlockId, region: RegionId, scope: &Scope) -> Exits {
        let behind = self.known_behind(region, scope);
        let normal = self.normal_exits(region, behind, scope);
        let kind = self.graph.regions[region].kind;
        if let RegionKind::With { swallowed: follow } | RegionKind::TryStar { follow } = kind {
            return self.exits_behind_swallowed(first, region, follow, normal, scope);
        }
        let statement = Statement { first, region, scope };
        let (normal, mut handled) = self.exits_left_behind(&statement, behind, normal);
        // Where the body falls to what follows, handlers jump to what stands behind more than that.
        let jumps = |&exit: &BlockId| scope.follow != Some(exit) && self.nodes[exit].is_claimed();
        if scope.follow.is_some_and(|follow| normal[..] == [follow]) && handled.iter().all(jumps) {
            return Exits { follow: None, orelse: None, passed: None };
        }
        let end = self.graph.regions[region].end;
        let has_else_before =
            kind == RegionKind::Try && self.graph.features.else_before_handlers && end != u32::MAX;
        let found = if has_else_before {
            handled.retain(|&exit| Some(exit) != self.graph.end);
            self.exits_around_else(&statement, &normal, &handled)
        } else {
            self.exits_where_all_meet(&statement, &normal, &handled)
        };
        let found = self.past_what_follows(found, &normal, &handled, scope);
        self.past_by_a_handler(first, found, &handled, scope)
    }

    /// What is known to lie behind the statement. Going there is no jump out of it, even where `break` or `continue`
    /// would do the same.
    fn known_behind(&self, region: RegionId, scope: &Scope) -> Option<BlockId> {
        match self.graph.regions[region].behind {
            Behind::Jump(to) => Some(self.settle(to, scope)),
            // The loop around may end with the statement: what lies behind both is where `break` goes.
            Behind::Block(block) => {
                Some(self.settle(block, scope)).filter(|&block| !self.is_jump(block, scope))
            }
            Behind::Nothing | Behind::Unknown => None,
        }
        .filter(|&behind| scope.follow != Some(behind))
    }

    /// Where a way out of the region leads in the end. What lies right behind the handlers is the `else` or follows, even
    /// where it only jumps.
    fn settled_exit(&self, next: BlockId, region: RegionId, scope: &Scope) -> BlockId {
        let exit = self.settle_behind(next, region, scope);
        let stands_behind =
            self.graph.blocks[next].start == self.graph.regions[region].end && scope.follow != Some(exit);
        if stands_behind { next } else { exit }
    }

    /// Where the body of a region leads to, unless a statement in it spells that.
    fn ways_out_of_body(&self, region: RegionId) -> impl Iterator<Item = BlockId> {
        let is_inside = move |block: BlockId| self.around(block).contains(&region);
        self.members[region].iter().flat_map(move |&block| {
            let ways = self.ways(block, region).filter(move |&next| !is_inside(next));
            ways.filter(move |&next| !self.jumps_inside(block, next, region))
        })
    }

    /// Where the ways out of the body lead that no jump spells, in order.
    fn normal_exits(&self, region: RegionId, behind: Option<BlockId>, scope: &Scope) -> Vec<BlockId> {
        let mut normal: Vec<BlockId> = Vec::new();
        for next in self.ways_out_of_body(region) {
            if self.drops_below_finally(next, region, scope) == Some(false) {
                continue;
            }
            let exit = self.settled_exit(next, region, scope);
            if (!self.is_jump(exit, scope) || behind == Some(exit)) && !normal.contains(&exit) {
                normal.push(exit);
            }
        }
        normal.sort_by_key(|&block| self.dominators.position(block));
        normal
    }

    /// Whether the body runs off its end to what follows the statements around, as the next round of a loop: nothing stands
    /// behind the statement.
    fn falls_behind(&self, region: RegionId, scope: &Scope) -> bool {
        self.ways_out_of_body(region).any(|next| scope.follow == Some(self.settled_exit(next, region, scope)))
    }

    /// The exits of a `with` or `try` of `except*`: behind the statement lies what a swallowed exception leads to, whatever
    /// the body does. Where every body of an `except*` raises, no way leads there.
    fn exits_behind_swallowed(
        &self,
        first: BlockId,
        region: RegionId,
        follow: BlockId,
        normal: Vec<BlockId>,
        scope: &Scope,
    ) -> Exits {
        let jump = self.shared_jump(follow, scope);
        let settled = || self.settle_behind(follow, region, scope);
        let follow = jump.or_else(|| self.break_behind(first, follow, region, scope)).unwrap_or_else(settled);
        if self.dominators.position(follow) == usize::MAX {
            return Exits { follow: None, orelse: normal.into_iter().next(), passed: None };
        }
        // A `with` has no `else` for a `break` or `continue`, nor for what a statement around is left to.
        let is_with = self.graph.regions[region].kind.is_with();
        let other = |&block: &BlockId| {
            block != follow
                && scope.left.is_none_or(|left| left.to != block)
                && self.return_inside(block).is_none()
                && !(is_with && (self.is_jump(block, scope) || self.nodes[block].is_claimed()))
        };
        let is_of_body = normal.contains(&follow);
        let others = normal.into_iter().filter(other);
        self.exits_behind(first, (follow, is_of_body), others, scope)
    }

    /// The exits of the body and of the handlers, less the returns that stand inside of them.
    fn exits_left_behind(
        &self,
        statement: &Statement,
        behind: Option<BlockId>,
        mut normal: Vec<BlockId>,
    ) -> (Vec<BlockId>, Vec<BlockId>) {
        let Statement { first, region, scope } = *statement;
        let end = self.graph.regions[region].end;
        let ends_in_jump = behind.is_some_and(|behind| self.is_jump(behind, scope))
            || self.is_jump_written_behind(region, scope);
        let (mut handled, lie_behind) = self.handler_exits(first, region, scope, behind, ends_in_jump);
        // To 3.9 the compiler leads the end of a handler past the jump right behind the statement.
        let jumps_on = |&exit: &BlockId| {
            let stands_behind = self.graph.blocks[exit].start == end && Some(exit) != behind;
            stands_behind && Some(self.settle(exit, scope)) == behind
        };
        if let Some(&jump) = normal.iter().find(|exit| self.dead.any() && jumps_on(exit)) {
            handled.iter_mut().filter(|exit| Some(**exit) == behind).for_each(|exit| *exit = jump);
        }
        // A `break` or `continue` behind the handlers is the `else` where a handler goes on elsewhere.
        let goes_on = |&exit: &BlockId| !self.is_jump(exit, scope) && self.return_inside(exit).is_none();
        if ends_in_jump && handled.iter().any(goes_on) {
            handled.retain(|&exit| !self.is_jump(exit, scope));
        }
        let all = |exit: BlockId| normal[..] == [exit] && handled[..] == [exit];
        let is_inside = |&block: &BlockId| self.around(block).contains(&region);
        let is_of_body =
            |exit: &BlockId| handled.contains(exit) || self.predecessors[*exit].iter().all(is_inside);
        let meeting = Meeting {
            behind,
            only: normal.len() + handled.len() == 1
                && !(normal.is_empty() && self.falls_behind(region, scope)),
            all: normal.first().copied().filter(|&exit| all(exit)),
            of_body: normal.iter().copied().filter(is_of_body).collect(),
            lie_behind,
        };
        let stays = |&exit: &BlockId| self.stands_behind(exit, statement, &meeting);
        let is_finally = self.graph.regions[region].kind == RegionKind::Finally;
        normal.retain(stays);
        if is_finally {
            self.keep_one_way(&mut normal);
        }
        handled.retain(|exit| scope.follow == Some(*exit) && self.falls_to_end(*exit, region) || stays(exit));
        if is_finally && !normal.is_empty() {
            // Behind its end a `finally` goes on where the body does. To all else it leaves the statement.
            handled.retain(|exit| normal.contains(exit));
        }
        (normal, handled)
    }

    /// Whether an exit stands behind the statement. A bare return stands inside, unless all ways lead to it, or it is the only
    /// thing behind the statement.
    fn stands_behind(&self, exit: BlockId, statement: &Statement, meeting: &Meeting) -> bool {
        let Statement { region, scope, .. } = *statement;
        let Meeting { behind, all, .. } = *meeting;
        let Some(value) = self.return_inside(exit) else { return true };
        // A `break` that several ways lead to stands behind the statement, whatever it leads to.
        if self.written_jump(exit, scope).is_some()
            || self.is_dropped_behind(exit, region, scope)
            || self.drops_below_finally(exit, region, scope) == Some(true)
        {
            return true;
        }
        let (end, closes) = (self.graph.regions[region].end, self.graph.regions[region].closes);
        if self.graph.regions[region].kind == RegionKind::Finally {
            // Where ends are not copied, each stands where it was written.
            if closes != u32::MAX {
                return self.returns_at(exit) > closes;
            }
            let settled = |next| self.settled_exit(next, region, scope);
            if self.returns_before_end(exit, region, settled) || self.returns_inside(exit, region) {
                return false;
            }
        }
        if end != u32::MAX && !self.graph.features.copies_ends {
            return self.leaves_at(exit) >= end || behind == Some(exit);
        }
        match self.graph.regions[region].behind {
            // What was made before the way out, or lies right behind it, stands there.
            Behind::Unknown => {
                let written = self.is_carried(exit) || meeting.lie_behind.contains(&exit);
                let line = self.line_against_handler(exit, region);
                // What the body leads to does not stand in a handler: below the head of one it stands behind all.
                let shared = meeting.of_body.contains(&exit) && line == Some(Ordering::Greater);
                let alone = meeting.only && line != Some(Ordering::Less);
                all == Some(exit) || shared || alone && is_constant(value) && !written
            }
            Behind::Nothing | Behind::Jump(_) | Behind::Block(_) => all == Some(exit) || behind == Some(exit),
        }
    }

    /// The exits where the `else` lies in front of the handlers: what lies there is it, all else follows.
    fn exits_around_else(&self, statement: &Statement, normal: &[BlockId], handled: &[BlockId]) -> Exits {
        let Statement { first, region, scope } = *statement;
        let end = self.graph.regions[region].end;
        let (front, mut back): (Vec<BlockId>, Vec<BlockId>) =
            normal.iter().copied().partition(|&exit| self.graph.blocks[exit].start < end);
        // Where the handlers go on elsewhere, the body returns.
        if handled.iter().any(|exit| !back.contains(exit)) {
            back.retain(|&exit| self.return_inside(exit).is_none());
        }
        self.keep_one_way(&mut back);
        let (mut follow, joins) = (statement.own(&back), statement.own(handled));
        // The handlers may come to what the body goes on with later.
        if let [only] = follow[..]
            && let Some(&join) = joins.iter().find(|&&join| join != only && self.comes_to(join, only))
        {
            follow.insert(0, join);
        } else if follow.is_empty() {
            follow = joins;
        }
        let orelse = statement.own(&front).first().copied();
        let [follow, others @ ..] = &follow[..] else {
            return Exits { follow: None, orelse, passed: None };
        };
        let is_of_body = back.contains(follow);
        let exits = self.exits_behind(first, (*follow, is_of_body), others.iter().copied(), scope);
        Exits { orelse, ..exits }
    }

    /// The exits where body, `else` and handlers meet behind the statement, or only one of them gets there.
    fn exits_where_all_meet(&self, statement: &Statement, normal: &[BlockId], handled: &[BlockId]) -> Exits {
        let Statement { first, region, scope } = *statement;
        let (after, joins) = (statement.own(normal), statement.own(handled));
        let join = joins.iter().copied().find(|exit| after.contains(exit)).or(joins.first().copied());
        let is_try = self.graph.regions[region].kind == RegionKind::Try;
        // To 3.10 the `else` is compiled behind the handlers, too.
        let tells = is_try && self.graph.features.else_before_handlers;
        let compiled = LazyCell::new(|| after.first().and_then(|&exit| self.compiled_first(exit, region)));
        let compiled = || if tells { *compiled } else { None };
        match (join, &after[..]) {
            // The handlers return.
            (_, [exit, rest @ ..])
                if !handled.is_empty()
                    && handled
                        .iter()
                        .all(|exit| !after.contains(exit) && self.plain_return(*exit).is_some())
                    && compiled() == Some(Ordering::Greater) =>
            {
                let exits = self.exits_behind(first, (*exit, true), rest.iter().copied(), scope);
                Exits { orelse: None, ..exits }
            }
            (Some(join), _) => {
                let others = after.iter().copied().filter(|&exit| exit != join);
                let is_of_body = after.contains(&join);
                let exits = self.exits_behind(first, (join, is_of_body), others, scope);
                // What the body goes on with at once is no `else` of it, nor is what the handlers lead to later.
                if is_of_body || exits.passed.is_some_and(|passed| self.comes_to(join, passed)) {
                    exits
                } else {
                    Exits { orelse: exits.orelse.or(exits.passed), passed: None, ..exits }
                }
            }
            // The handlers go on behind the statement around this one: what lies before is the `else`.
            (None, [exit, ..]) if joins.len() < handled.len() => {
                Exits { follow: None, orelse: Some(*exit), passed: None }
            }
            (None, [exit, ..])
                if is_try
                    && self.dominators.dominates(first, *exit)
                    && match compiled() {
                        Some(order) => order == Ordering::Less,
                        None => {
                            self.is_borrowing_else(*exit, region) || self.is_before_handlers(*exit, region)
                        }
                    } =>
            {
                Exits { follow: None, orelse: Some(*exit), passed: None }
            }
            (None, [exit, rest @ ..]) => {
                let exits = self.exits_behind(first, (*exit, true), rest.iter().copied(), scope);
                Exits { orelse: None, ..exits }
            }
            (None, []) => Exits { follow: None, orelse: None, passed: None },
        }
    }

    /// The same where the body goes on behind what is around the statement, and so passes what the handlers lead to.
    fn past_what_follows(
        &self,
        exits: Exits,
        normal: &[BlockId],
        handled: &[BlockId],
        scope: &Scope,
    ) -> Exits {
        let Exits { follow: Some(follow), orelse: None, passed: None } = exits else { return exits };
        let is_passed = |around: &BlockId| {
            normal.contains(around) && !normal.contains(&follow) && !handled.contains(around)
        };
        let passed = scope.follow.filter(is_passed).filter(|&around| self.plain_return(around).is_none());
        Exits { passed, ..exits }
    }

    /// The same where a handler alone passes what follows: it breaks a loop of one round, which everything else returns from.
    fn past_by_a_handler(&self, first: BlockId, exits: Exits, handled: &[BlockId], scope: &Scope) -> Exits {
        let Exits { follow: Some(follow), passed: None, .. } = exits else { return exits };
        let is_passed = |&&exit: &&BlockId| {
            exit != follow
                && ![exits.orelse, scope.follow].contains(&Some(exit))
                && !self.nodes[exit].is_claimed()
                && !self.is_jump(exit, scope)
                && self.plain_return(exit).is_none()
                && self.dominators.dominates(first, exit)
        };
        Exits { passed: handled.iter().find(is_passed).copied(), ..exits }
    }

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
        // What a statement around is left to is led to from the body itself.
        let is_around = |&other: &BlockId| {
            self.nodes[other].is_claimed()
                && !self.is_jump(other, scope)
                && self.quiet_return(other).is_none()
        };
        // To 3.9 an `else` lies in front of what follows, and no end is copied to where it is led to.
        let start = |block: BlockId| self.graph.blocks[block].start;
        let returns_behind = |&other: &BlockId| {
            !self.graph.features.copies_implicit_end
                && start(other) > start(follow)
                && self.quiet_return(other).is_some()
        };
        let is_else = |other: &BlockId| !is_around(other) && !returns_behind(other);
        let orelse = other.filter(|other| passed.is_none() && is_else(other));
        Exits { follow: Some(follow), orelse, passed }
    }

    /// Whether a way from one block comes to another, which is reached elsewhere, too. What does nothing may lie between.
    fn comes_to(&self, from: BlockId, block: BlockId) -> bool {
        let leads_on = |before: BlockId| self.dominators.dominates(from, before);
        !leads_on(block) && self.is_led_to(block, leads_on)
    }

    /// Whether any of some blocks leads to a block. What does nothing may lie between.
    fn is_led_to(&self, block: BlockId, leads_on: impl Fn(BlockId) -> bool) -> bool {
        let mut work = self.predecessors[block].to_vec();
        for _ in 0..MOST_BETWEEN {
            match work.pop() {
                Some(before) if leads_on(before) => return true,
                Some(before) if self.is_transparent(before) => work.extend(&self.predecessors[before]),
                Some(_) => {}
                None => break,
            }
        }
        false
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
        let lies_behind = |offset: u32| {
            end != u32::MAX && offset >= end
                || self.lies_behind(block, offset, region)
                || self.is_transparent(block) && self.meets_behind(block, region)
                || self.is_behind_with(block, region)
                || self.is_below_finally(block, offset, region) == Some(true)
        };
        is_written && found.end_offset > self.graph.regions[region].closes
            || found.written.is_some_and(lies_behind)
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

    /// Whether a handler of a region and another part of its statement lead to a block that is in neither: a jump that
    /// was written once stands behind them.
    fn meets_behind(&self, block: BlockId, region: RegionId) -> bool {
        let handler = self.graph.regions[region].handler;
        let handling = self.graph.blocks[block].handling;
        let is_handling = |before: BlockId| {
            self.graph.blocks[before].handling > handling && self.dominators.dominates(handler, before)
        };
        self.nodes[block].ways_in > 1 && self.is_led_to(block, is_handling)
    }

    /// Whether what a `return` drops first was written behind the handlers of a region, where several ways meet.
    pub(super) fn is_dropped_behind(&self, exit: BlockId, region: RegionId, scope: &Scope) -> bool {
        let drops = |&block: &BlockId| {
            let is_written = self.graph.blocks[block].written.is_some() && self.is_transparent(block);
            (is_written || self.drops_iterator(block, scope)) && self.meets_behind(block, region)
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
        let is_with = self.graph.regions[region].kind.is_with();
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
        // Where the iterator of the loop was dropped, a `break` is over (to 3.9, where the drop is a block of its own).
        let is_over = |block: BlockId| {
            !self.graph.features.copies_implicit_end && self.is_without_iterator(block, scope)
        };
        let mut passed = passed(self.graph, block, settled).take_while(|&at| !is_over(at));
        // What a `break` in the statement leads to lies behind the loop.
        let is_written = |&at: &BlockId| self.written_jump(at, scope).is_some();
        // So does what drops its iterator on a line below the statement.
        let is_behind = |at: BlockId| {
            self.jumps_behind(at, region) || self.drops_below_finally(at, region, scope) == Some(true)
        };
        let first = passed.find(|&at| is_behind(at) || is_written(&at));
        first.filter(|&at| is_behind(at)).unwrap_or(settled)
    }

    /// Leaves the ways out of a body that no `return` in it spells, if several are known: a statement goes on in one way.
    pub(super) fn keep_one_way(&self, exits: &mut Vec<BlockId>) {
        let goes_on = |&exit: &BlockId| self.return_inside(exit).is_none();
        if exits.len() > 1 && exits.iter().any(goes_on) {
            exits.retain(goes_on);
        }
    }
}
