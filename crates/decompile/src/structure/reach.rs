//! Where the ways behind a loop lead, and where they meet.
//!
//! A function may have as many loops as blocks, and behind each of them lies the rest of the function. So no question
//! looks at all of that: a way is followed until it has met another one, or until it comes to a block of which the
//! answer is known.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Scope, Structurer};
use crate::flow::{BlockId, BlockSet, RegionId};
use crate::hash::{HashMap, HashSet};
use crate::lift::LiftedEnd;

/// What a way is followed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Goal {
    /// What is around the loop: what follows there, what is claimed, where `break` and `continue` lead.
    Around { follow: Option<BlockId>, claims: u64 },
    /// This block, where `break` or `continue` leads.
    Jump(BlockId),
}

/// What a block was asked, and in which loop.
pub(super) type Question = (Goal, Option<(BlockId, Option<BlockId>)>, Option<BlockId>, BlockId);

/// Answers of [`Structurer::leads_to`].
pub(super) type Answers = HashMap<Question, bool>;

/// As many blocks are looked at to find out whether a way ends soon.
const SOON: usize = 32;

impl Structurer<'_> {
    /// Whether the whole loop runs inside the region. A `return` with an unreachable jump behind it, which goes round the
    /// loop, stands behind the `finally` bodies that it runs.
    pub(super) fn is_inside(&self, header: BlockId, region: RegionId) -> bool {
        let returns = |mut block: BlockId| {
            for _ in 0..self.graph.blocks.len() {
                // A `break` has such a jump behind it, too.
                let leads_on = self.is_empty(block) && self.dead.from(block).is_none();
                match self.graph.blocks[block].end {
                    LiftedEnd::Return(_) => return true,
                    LiftedEnd::Jump(next) if leads_on && next != header => block = next,
                    _ => return false,
                }
            }
            false
        };
        !self.graph.regions[region].entered_again
            && self.loops[&header].ones().all(|block| self.around(block).contains(&region) || returns(block))
    }

    /// Whether a way from a block leads behind what is being printed without passing another that it dominates. A
    /// `continue` does not: behind one an unreachable jump is known, what it leaves out lies behind it in the loop, or it has an
    /// instruction of its own.
    pub(super) fn is_passed_by(&self, from: BlockId, passed: BlockId, scope: &Scope) -> bool {
        let Some(follow) = scope.follow else { return false };
        // What only leads on may stand wherever a way ends.
        let leads_on = self.is_transparent(passed);
        if from == follow && leads_on {
            return true;
        }
        let start = self.graph.blocks[passed].start;
        let is_before = |block: BlockId, at: u32| self.places.are_ordered(block, passed) && at < start;
        let is_behind =
            |block: BlockId| self.places.are_ordered(block, passed) && self.graph.blocks[block].start > start;
        // What a loop leads to when it is done lies behind all that is in it, but for handlers, which lie elsewhere.
        let is_in_handler = !self.places.are_ordered(follow, passed);
        let is_in_loop = scope.inner.is_some_and(|inner| inner.repeats && inner.header == follow)
            && (is_in_handler || self.graph.blocks[follow].end.successors().any(is_behind));
        let continues = |block: BlockId| is_in_loop && is_before(block, self.graph.blocks[block].end_offset);
        let mut seen = BlockSet::default();
        seen.insert(passed);
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            let goes_on = self.dead.from(block).is_none() && self.dominators.dominates(from, block);
            if seen.put(block) || !goes_on {
                continue;
            }
            for next in self.graph.blocks[block].end.successors() {
                if next != follow {
                    work.push(next);
                } else if !continues(block) && (leads_on || !self.is_word(block, next, scope)) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether what leads from a block to the head of its loop is a `continue` that was written.
    fn is_word(&self, block: BlockId, head: BlockId, scope: &Scope) -> bool {
        let found = &self.graph.blocks[block];
        let falls_into = match (&found.end, found.layout.falls) {
            (LiftedEnd::Branch { yes, no, .. }, Some(truth)) => head == if truth { *yes } else { *no },
            _ => false,
        };
        scope.inner.is_some_and(|inner| inner.header == head)
            && (found.written.is_some() || falls_into && found.layout.jump.is_some())
    }

    /// Whether a way from a block leads to what is around the loop, without going back into the loop or passing
    /// `avoided`: it cannot be printed inside.
    pub(super) fn goes_on(
        &self,
        from: BlockId,
        body: &BlockSet,
        avoided: Option<BlockId>,
        scope: &Scope,
    ) -> bool {
        if scope.follow.is_none() && scope.inner.is_none() && self.claimed == 0 {
            return false;
        }
        let goal = Goal::Around { follow: scope.follow, claims: self.claimed };
        self.leads_to(goal, from, body, avoided, scope)
    }

    /// Whether a way from a block leads to another one that is outside of the loop, without going back into the loop.
    pub(super) fn leads_on_to(&self, goal: BlockId, from: BlockId, body: &BlockSet, scope: &Scope) -> bool {
        self.leads_to(Goal::Jump(goal), from, body, None, scope)
    }

    /// Follows the ways from a block. They end at the goal, in the loop, at `avoided`, and where `break` or
    /// `continue` around the loop lead.
    fn leads_to(
        &self,
        goal: Goal,
        from: BlockId,
        body: &BlockSet,
        avoided: Option<BlockId>,
        scope: &Scope,
    ) -> bool {
        let question = |block: BlockId| -> Question {
            (goal, scope.inner.map(|inner| (inner.header, inner.exit)), avoided, block)
        };
        let is_goal = |block: BlockId| match goal {
            Goal::Around { follow, .. } => {
                follow == Some(block) || self.nodes[block].is_claimed() || self.is_jump(block, scope)
            }
            Goal::Jump(wanted) => block == wanted,
        };
        let mut answers = self.answers.borrow_mut();
        // Each block with the one before it on the way.
        let mut before: HashMap<BlockId, BlockId> = HashMap::default();
        let mut work = vec![(from, from)];
        let mut is_whole = true;
        while let Some((block, previous)) = work.pop() {
            if body.contains(block) || avoided == Some(block) {
                // From elsewhere the loop may be passed.
                is_whole &= !body.contains(block);
                continue;
            }
            if before.contains_key(&block) {
                continue;
            }
            before.insert(block, previous);
            let answer = if is_goal(block) { Some(true) } else { answers.get(&question(block)).copied() };
            if answer == Some(true) {
                let mut passed = block;
                loop {
                    answers.insert(question(passed), true);
                    match before.get(&passed) {
                        Some(&next) if next != passed => passed = next,
                        _ => return true,
                    }
                }
            }
            if answer.is_none() && !self.is_jump(block, scope) {
                work.extend(self.graph.blocks[block].end.successors().map(|next| (next, block)));
            }
        }
        if is_whole {
            answers.extend(before.into_keys().map(|block| (question(block), false)));
        }
        false
    }

    /// The first block, in reverse postorder, that ways from at least two of the exits of a loop lead to, without going
    /// back into it. The loop around comes first in the order, but is where the rest of its body ends.
    pub(super) fn meeting(&self, exits: &[BlockId], body: &BlockSet, scope: &Scope) -> Option<BlockId> {
        let all: HashSet<BlockId> = exits.iter().copied().collect();
        let far: Vec<BlockId> =
            exits.iter().copied().filter(|&exit| !self.ends_alone(exit, &all, body)).collect();
        if let Some(found) = self.first_shared(&far, body, scope) {
            return Some(found);
        }
        let inner = scope.inner?;
        let mut jumps: Vec<BlockId> = [Some(inner.header), inner.exit].into_iter().flatten().collect();
        jumps.sort_by_key(|&block| self.dominators.position(block));
        let is_shared = |&jump: &BlockId| {
            let leads = |exit: &&BlockId| self.leads_to(Goal::Jump(jump), **exit, body, None, scope);
            far.iter().filter(leads).nth(1).is_some()
        };
        jumps.into_iter().find(is_shared)
    }

    /// Follows the ways from all exits at once, in reverse postorder, until two of them have met or only one goes on. That one
    /// meets the others where they end, if at all: with what ends the function, which many loops may share, behind all else.
    fn first_shared(&self, exits: &[BlockId], body: &BlockSet, scope: &Scope) -> Option<BlockId> {
        // The exit from which each block was reached.
        let mut labels: HashMap<BlockId, usize> = HashMap::default();
        // How many blocks of each exit lead on, and from how many exits any does.
        let mut pending = vec![0_usize; exits.len()];
        let mut active = 0;
        let mut work = BinaryHeap::new();
        let mut ends: Vec<(usize, BlockId, usize)> = Vec::new();
        let shared: Cell<Option<(usize, BlockId)>> = Cell::new(None);
        let mut reach = |block: BlockId, label: usize, work: &mut BinaryHeap<_>, pending: &mut Vec<usize>| {
            if body.contains(block) || self.is_jump(block, scope) {
                return 0;
            }
            let position = self.dominators.position(block);
            match labels.get(&block) {
                Some(&known) if known != label => {
                    let met = shared.get().unwrap_or((position, block));
                    shared.set(Some(met.min((position, block))));
                }
                Some(_) => {}
                None => {
                    labels.insert(block, label);
                    if self.graph.blocks[block].end.successors().next().is_none() {
                        ends.push((position, block, label));
                    } else {
                        work.push(Reverse((position, block, label)));
                        pending[label] += 1;
                        return usize::from(pending[label] == 1);
                    }
                }
            }
            0
        };
        for (label, &exit) in exits.iter().enumerate() {
            active += reach(exit, label, &mut work, &mut pending);
        }
        while active > 1
            && let Some(Reverse((position, block, label))) = work.pop()
        {
            // What is left lies behind.
            if shared.get().is_some_and(|(first, _)| first <= position) {
                break;
            }
            for next in self.graph.blocks[block].end.successors() {
                active += reach(next, label, &mut work, &mut pending);
            }
            pending[label] -= 1;
            active -= usize::from(pending[label] == 0);
        }
        let shared = shared.get();
        let met = shared.map(|(_, block)| block);
        let Some(&Reverse((position, _, label))) = work.peek() else { return met };
        let lies_ahead = |&(at, _, of): &(usize, BlockId, usize)| {
            of != label && at > position && shared.is_none_or(|(first, _)| at < first)
        };
        ends.retain(lies_ahead);
        ends.sort_unstable();
        let is_met = |&(_, end, _): &(usize, BlockId, usize)| {
            work.iter().any(|&Reverse((_, from, _))| self.leads_to(Goal::Jump(end), from, body, None, scope))
        };
        ends.into_iter().find(is_met).map(|(_, block, _)| block).or(met)
    }

    /// Whether the ways from an exit end soon, and nothing else leads to where they pass: they meet no others.
    fn ends_alone(&self, exit: BlockId, exits: &HashSet<BlockId>, body: &BlockSet) -> bool {
        let mut passed = vec![exit];
        let mut at = 0;
        while let Some(&block) = passed.get(at) {
            at += 1;
            for next in self.graph.blocks[block].end.successors() {
                if body.contains(next) || exits.contains(&next) || passed.len() > SOON {
                    return false;
                }
                if !passed.contains(&next) {
                    passed.push(next);
                }
            }
        }
        let is_own = |before: &BlockId| body.contains(*before) || passed.contains(before);
        passed.iter().all(|&block| self.predecessors[block].iter().all(is_own))
    }
}
