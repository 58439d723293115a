//! A `for` of one round: no way leads from its body back to its head.

use depyf_syntax::ast::{Block as Body, Origin, Stmt};

use super::finally_exits::is_dropped_return;
use super::loops::for_statement;
use super::settling::passed;
use super::{LoopScope, Scope, Structurer};
use crate::flow::{BlockId, BlockSet};
use crate::lift::{LiftResult, LiftedEnd};

impl Structurer<'_> {
    /// A FOR_ITER that no edge leads back to: the body runs at most once.
    pub(super) fn emit_single_for(
        &mut self,
        header: BlockId,
        scope: &Scope,
        out: &mut Body,
    ) -> LiftResult<()> {
        self.has_loops = true;
        let graph = self.graph;
        let LiftedEnd::For { iter, item, slots, body, exhausted, is_async } = &graph.blocks[header].end
        else {
            return self.error(header, "no loop");
        };
        let origin = Origin(graph.blocks[header].end_offset);
        let mut content = Body::new();
        // Leaving the body by its end would take another item.
        let dropped_to = self.dropped_to(*body, *slots as usize);
        let broken_to = dropped_to
            .as_ref()
            .and_then(|found| self.single_exit(*body, found, *exhausted, scope))
            .filter(|&exit| !is_dropped_return(self.settle(exit, scope), scope));
        // Both ways may meet in a `continue`, or in what else does not follow by itself. A loop around that begins in the body, as
        // those that Dynamo goes on in do, comes back to the head.
        let meets = |(next, seen): &(BlockId, BlockSet)| {
            !seen.contains(header) && self.passed(*next) == self.passed(*exhausted)
        };
        let meets = dropped_to.as_ref().is_some_and(meets);
        let left_to = dropped_to.map(|(next, _)| next);
        let behind = self.behind_drop(*exhausted, *body, left_to);
        // A `continue` that was written there stands behind the loop.
        let follows = |follow: BlockId| {
            let leads_there =
                self.passed(follow) == self.passed(behind) || self.settle(behind, scope) == follow;
            leads_there && !self.passes_written_jump(behind, follow, scope)
        };
        let follow = scope.follow.filter(|&follow| !meets || follows(follow));
        // Where the body leaves a statement around the loop for itself, it returns: the exhausted loop goes on in that statement.
        let returns = |next: BlockId| {
            let mut passed = passed(graph, next, self.end_of_chain(next));
            self.passed(behind) != self.passed(next) && passed.any(|at| self.returns_alone(at, header))
        };
        let follow = follow.filter(|_| !left_to.is_some_and(returns));
        let exit = broken_to.or(follow).or(Some(behind));
        let inner = LoopScope { header, exit, repeats: false };
        let inner = Scope { follow: None, inner: Some(inner), depth: scope.depth + 1, ..*scope };
        let exit = exit.filter(|&exit| Some(exit) != scope.follow);
        exit.iter().for_each(|&exit| self.claim(exit));
        self.goto(*body, &inner, &mut content)?;
        let mut orelse = Body::new();
        if exit.is_none() || broken_to.is_some() {
            let follow = broken_to.or(scope.follow);
            self.goto(*exhausted, &Scope { follow, depth: scope.depth + 1, ..*scope }, &mut orelse)?;
        }
        exit.iter().for_each(|&exit| self.release(exit));
        let kind = for_statement(*item, iter, content, orelse, *is_async);
        out.push(Stmt::new(origin, kind));
        if let Some(exit) = exit {
            self.next = Some((exit, *scope));
        }
        Ok(())
    }

    /// Where the body of a `for` of one round goes when it has dropped the iterator, if to one place, be it besides places
    /// that only return; and its blocks.
    fn dropped_to(&self, body: BlockId, slots: usize) -> Option<(BlockId, BlockSet)> {
        let graph = self.graph;
        // The body begins with an item above the iterator, whose slots may be dropped one by one.
        let below = graph.blocks[body].depth.saturating_sub(1 + slots);
        let mut seen = BlockSet::default();
        let mut work = vec![body];
        let mut found: Vec<BlockId> = Vec::new();
        while let Some(block) = work.pop() {
            if seen.put(block) {
                continue;
            }
            // The handler of what is around the loop is no part of it.
            let inner = graph.blocks[block].region.filter(|region| !self.around(body).contains(region));
            let handler = inner.map(|region| graph.regions[region].handler);
            for next in graph.blocks[block].end.successors().chain(handler) {
                if graph.blocks[next].depth > below {
                    work.push(next);
                } else if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        if found.len() > 1 {
            found.retain(|&next| self.plain_return(next).is_none());
        }
        match found[..] {
            [only] => Some((only, seen)),
            _ => None,
        }
    }

    /// The block where an exhausted `for` meets what has dropped its iterator, if it does nothing but to drop it, too
    /// (3.14 on); else the one that it leads to.
    fn behind_drop(&self, exhausted: BlockId, body: BlockId, dropped_to: Option<BlockId>) -> BlockId {
        // A `break` may be a jump by itself, where the drop is in a `try`.
        let meets = |next: BlockId| dropped_to.is_some_and(|to| self.passed(to) == self.passed(next));
        // What is empty in a region of its own is the body of a `try`.
        let is_beside = || self.around(exhausted).iter().all(|region| self.around(body).contains(region));
        match self.graph.blocks[exhausted].end {
            LiftedEnd::Jump(next)
                if dropped_to != Some(exhausted)
                    && self.is_empty(exhausted)
                    && is_beside()
                    && meets(next) =>
            {
                next
            }
            _ => exhausted,
        }
    }

    /// Whether a way that leaves the `for` of a header was written as `break` where the next statement breaks the loop around
    /// it: a `return` would drop both iterators in one place, and ends where they are dropped (3.8, 3.9).
    pub(super) fn breaks_in_front_of_another(
        &self,
        block: BlockId,
        next: BlockId,
        header: BlockId,
        scope: &Scope,
    ) -> bool {
        let is_written = || {
            self.graph.blocks[block].written.is_some()
                || !self.graph.features.copies_implicit_end && self.ends_without_iterator(block, header)
        };
        self.drops_iterator(next, scope) && is_written()
    }

    /// Where the body of a `for` without a second round goes when it has dropped the iterator, if the exhausted loop
    /// goes elsewhere: there `break` goes, and the loop has an `else`.
    fn single_exit(
        &self,
        body: BlockId,
        (found, seen): &(BlockId, BlockSet),
        exhausted: BlockId,
        scope: &Scope,
    ) -> Option<BlockId> {
        let (graph, found) = (self.graph, *found);
        let exit = self.settle(found, scope);
        // What ends the function may be a `return` in the body, which drops the iterator as well.
        if self.passed(found) == self.passed(exhausted)
            || exit == self.settle(exhausted, scope)
            || scope.follow == Some(exit)
            || self.may_be_return(exit)
        {
            return None;
        }
        // What follows the loop may itself be a `break` or `continue`.
        if self.is_jump(exit, scope) {
            return Some(found);
        }
        let (first, last) = (&graph.blocks[body], &graph.blocks[exit]);
        // Nothing else than a `break` drops the iterator in front of a statement, unless it runs a `finally` body.
        let stays = self.around(body).iter().all(|region| self.around(exit).contains(region));
        let is_behind = stays && last.handling == first.handling;
        let follows =
            self.dominators.dominates(body, exit) && (is_behind || self.goes_on(exit, seen, None, scope));
        follows.then_some(exit)
    }

    /// The block behind all that do nothing, whatever they stand for.
    fn passed(&self, mut block: BlockId) -> BlockId {
        for _ in 0..self.graph.blocks.len() {
            match self.graph.blocks[block].end {
                LiftedEnd::Jump(next) if self.is_empty(block) => block = next,
                _ => break,
            }
        }
        block
    }
}
