//! Loops: natural loops, their exits, `for`, `while` and their `else`.

use std::collections::HashMap;

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};
use fixedbitset::FixedBitSet;

use super::{LoopScope, Scope, Structurer};
use crate::flow::{BlockId, Dominators};
use crate::lift::{LiftResult, Lifted, LiftedEnd};

/// The natural loop of each header: the blocks that reach a back edge to it without passing it.
pub(super) fn natural_loops(
    graph: &Lifted,
    order: &[BlockId],
    predecessors: &[Vec<BlockId>],
    dominators: &Dominators,
) -> HashMap<BlockId, FixedBitSet> {
    let mut loops: HashMap<BlockId, FixedBitSet> = HashMap::new();
    for &block in order {
        for header in graph.blocks[block].end.successors() {
            if !dominators.dominates(header, block) {
                continue;
            }
            let body = loops.entry(header).or_insert_with(|| {
                let mut body = FixedBitSet::with_capacity(graph.blocks.len());
                body.insert(header);
                body
            });
            let mut work = vec![block];
            while let Some(next) = work.pop() {
                if body.put(next) {
                    continue;
                }
                work.extend(&predecessors[next]);
                // A handler is entered from the blocks of its region.
                for (region, protection) in graph.regions.iter().enumerate() {
                    if protection.handler == next {
                        let inside =
                            order.iter().filter(|&&other| graph.blocks[other].region == Some(region));
                        work.extend(inside);
                    }
                }
            }
        }
    }
    loops
}

impl Structurer<'_> {
    /// Prints the loop whose header is `header`, and goes on behind it.
    pub(super) fn emit_loop(&mut self, header: BlockId, scope: Scope, out: &mut Body) -> LiftResult<()> {
        let graph = self.graph;
        let origin = Origin(graph.blocks[header].end_offset);
        let exit = self.loop_exit(header, scope);
        if let Some(exit) = exit {
            self.claimed[exit] += 1;
        }
        self.open_loops.push(header);
        let inner = Scope {
            follow: Some(header),
            inner: Some(LoopScope { header, exit }),
            depth: scope.depth + 1,
            ..scope
        };
        match &graph.blocks[header].end {
            LiftedEnd::For { iter, item, body, exhausted, is_async } => {
                if !self.is_empty(header) {
                    return self.error(header, "a `for` loop does something before it takes the next item");
                }
                self.printed[header] = true;
                let mut content = Body::new();
                self.goto(*body, inner, &mut content)?;
                let mut orelse = Body::new();
                if exit != Some(*exhausted) {
                    self.goto(
                        *exhausted,
                        Scope { follow: exit, depth: scope.depth + 1, ..scope },
                        &mut orelse,
                    )?;
                }
                let target = Expr::new(Origin::NONE, ExprKind::Temp(*item));
                let kind =
                    StmtKind::For { target, iter: iter.clone(), body: content, orelse, is_async: *is_async };
                out.push(Stmt::new(origin, kind));
            }
            _ => {
                let mut content = Body::new();
                self.emit(header, inner, &mut content)?;
                let test = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(true)));
                out.push(Stmt::new(origin, StmtKind::While { test, body: content, orelse: Body::new() }));
            }
        }
        self.open_loops.pop();
        match exit {
            Some(exit) => {
                self.claimed[exit] -= 1;
                self.goto(exit, scope, out)
            }
            None => Ok(()),
        }
    }

    /// A FOR_ITER that no edge leads back to: the body runs at most once.
    pub(super) fn emit_single_for(
        &mut self,
        header: BlockId,
        scope: Scope,
        out: &mut Body,
    ) -> LiftResult<()> {
        let graph = self.graph;
        let LiftedEnd::For { iter, item, body, exhausted, is_async } = &graph.blocks[header].end else {
            return self.error(header, "no loop");
        };
        let origin = Origin(graph.blocks[header].end_offset);
        let mut content = Body::new();
        // Leaving the body by its end would take another item.
        let exit = scope.follow.or(Some(*exhausted));
        let inner =
            Scope { follow: None, inner: Some(LoopScope { header, exit }), depth: scope.depth + 1, ..scope };
        let exit = exit.filter(|&exit| Some(exit) != scope.follow);
        exit.iter().for_each(|&exit| self.claimed[exit] += 1);
        self.goto(*body, inner, &mut content)?;
        exit.iter().for_each(|&exit| self.claimed[exit] -= 1);
        let mut orelse = Body::new();
        if exit.is_none() {
            self.goto(*exhausted, Scope { depth: scope.depth + 1, ..scope }, &mut orelse)?;
        }
        let target = Expr::new(Origin::NONE, ExprKind::Temp(*item));
        let kind = StmtKind::For { target, iter: iter.clone(), body: content, orelse, is_async: *is_async };
        out.push(Stmt::new(origin, kind));
        match exit {
            Some(exit) => self.goto(exit, scope, out),
            None => Ok(()),
        }
    }

    /// The block behind the loop: where `break` goes.
    ///
    /// It is the first block, in reverse postorder, that at least two of the loop's exits lead to; with a
    /// single exit it is that exit. Exits that lead nowhere else (`return`) are printed inside the loop.
    fn loop_exit(&self, header: BlockId, scope: Scope) -> Option<BlockId> {
        let body = &self.loops[&header];
        let mut exits: Vec<BlockId> = Vec::new();
        for block in body.ones() {
            for next in self.graph.blocks[block].end.successors() {
                // What still handles an exception belongs into the handler, not behind the loop.
                let handles = self.graph.blocks[next].handling > self.graph.blocks[header].handling;
                if !body.contains(next) && !handles && !exits.contains(&next) {
                    exits.push(next);
                }
            }
        }
        exits.sort_by_key(|&exit| self.dominators.position(exit));
        let taken =
            |exit: BlockId| scope.inner.is_some_and(|outer| outer.header == exit || outer.exit == Some(exit));
        let (outer, own): (Vec<BlockId>, Vec<BlockId>) = exits.iter().copied().partition(|&exit| taken(exit));
        match (&own[..], &outer[..]) {
            ([], []) => return None,
            ([only], []) => return Some(*only),
            _ => {}
        }
        let ends = |exit: BlockId| {
            let mut seen = FixedBitSet::with_capacity(self.graph.blocks.len());
            self.reach(exit, header, scope, &mut seen);
            seen
        };
        let reached: Vec<FixedBitSet> = exits.iter().map(|&exit| ends(exit)).collect();
        let mut shared: Vec<BlockId> = (0..self.graph.blocks.len())
            .filter(|&block| reached.iter().filter(|seen| seen.contains(block)).count() > 1)
            .collect();
        // The loop around comes first in the order, but is where the rest of its body ends.
        shared.sort_by_key(|&block| (taken(block), self.dominators.position(block)));
        if let Some(&join) = shared.first() {
            return Some(join);
        }
        // No two exits meet again. The exhausted `for`, or the way out of the header, goes on behind.
        match &self.graph.blocks[header].end {
            LiftedEnd::For { exhausted, .. } if own.contains(exhausted) => Some(*exhausted),
            end => end
                .successors()
                .find(|next| own.contains(next))
                .or_else(|| outer.first().copied())
                .or_else(|| own.iter().copied().max_by_key(|&exit| self.weight(exit))),
        }
    }

    /// All that is reached from a block without going back into the loop or into the loop around it. A loop
    /// around it is reached itself, but not passed.
    fn reach(&self, from: BlockId, header: BlockId, scope: Scope, seen: &mut FixedBitSet) {
        let body = &self.loops[&header];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if body.contains(block) || seen.put(block) {
                continue;
            }
            if scope.inner.is_some_and(|outer| outer.header == block || outer.exit == Some(block)) {
                continue;
            }
            work.extend(self.graph.blocks[block].end.successors());
        }
    }

    /// How many blocks a block dominates: the larger part of a function goes on behind a loop.
    fn weight(&self, block: BlockId) -> usize {
        let mut count = 0;
        let mut work = vec![block];
        while let Some(next) = work.pop() {
            count += 1;
            work.extend(&self.children[next]);
        }
        count
    }
}
