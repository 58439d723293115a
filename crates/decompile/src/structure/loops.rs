//! Loops: natural loops, their exits, `for`, `while` and their `else`.

use std::cell::LazyCell;

use crate::hash::HashMap;

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::returns::is_none;
use super::settling::{jump_to, passed};
use super::{LoopScope, Scope, Structurer};
use crate::flow::{Behind, BlockId, BlockSet, LARGEST_COPY, Lists};
use crate::lift::{LiftResult, LiftedEnd};

/// Where the ways out of a loop lead.
struct Exits {
    /// Behind the loop: where `break` goes.
    exit: Option<BlockId>,
    /// What the test of a `while` leads to, where that is not behind the loop.
    orelse: Option<BlockId>,
}

/// The natural loop of each header: the blocks that reach a back edge to it without passing it. A handler is
/// entered from the blocks of its region, which are among its predecessors.
pub(super) fn natural_loops(
    back_edges: &[(BlockId, BlockId)],
    predecessors: &Lists,
) -> HashMap<BlockId, BlockSet> {
    let mut loops: HashMap<BlockId, BlockSet> = HashMap::default();
    for &(latch, header) in back_edges {
        let body = loops.entry(header).or_insert_with(|| {
            let mut body = BlockSet::default();
            body.insert(header);
            body
        });
        let mut work = vec![latch];
        while let Some(next) = work.pop() {
            if !body.put(next) {
                work.extend(&predecessors[next]);
            }
        }
    }
    loops
}

/// A `for` whose items a temporary gets.
pub(super) fn for_statement(item: u32, iter: &Expr, body: Body, orelse: Body, is_async: bool) -> StmtKind {
    let target = Box::new(Expr::new(Origin::NONE, ExprKind::Temp(item)));
    StmtKind::For { target, iter: Box::new(iter.clone()), body, orelse, is_async }
}

impl Structurer<'_> {
    /// Prints the loop whose header is `header`, and goes on behind it.
    pub(super) fn emit_loop(&mut self, header: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        self.has_loops = true;
        let graph = self.graph;
        let origin = Origin(graph.blocks[header].end_offset);
        let Exits { exit, orelse } = self.loop_exits(header, scope);
        if let Some(exit) = exit {
            self.claim(exit);
        }
        self.open_loops.push(header);
        let inner = Scope {
            follow: Some(header),
            inner: Some(LoopScope { header, exit, repeats: true }),
            depth: scope.depth + 1,
            ..*scope
        };
        match &graph.blocks[header].end {
            LiftedEnd::For { iter, item, body, exhausted, is_async } if self.is_for(header) => {
                self.nodes[header].is_printed = true;
                let mut content = Body::new();
                self.goto(*body, &inner, &mut content)?;
                let mut orelse = Body::new();
                let after = Scope { follow: exit, depth: scope.depth + 1, ..*scope };
                self.goto(*exhausted, &after, &mut orelse)?;
                let kind = for_statement(*item, iter, content, orelse, *is_async);
                out.push(Stmt::new(origin, kind));
            }
            LiftedEnd::Branch { yes, no, .. } if orelse.is_some() => {
                self.nodes[header].is_printed = true;
                let stays = if orelse == Some(*no) { *yes } else { *no };
                let test = self.test(header)?;
                let test = if stays == *yes { test } else { crate::names::negated(test) };
                let mut body = Body::new();
                self.goto(stays, &inner, &mut body)?;
                let after = Scope { follow: exit, depth: scope.depth + 1, ..*scope };
                let mut otherwise = Body::new();
                if let Some(to) = orelse {
                    self.goto(to, &after, &mut otherwise)?;
                }
                out.push(Stmt::new(origin, StmtKind::While { test, body, orelse: otherwise }));
            }
            _ => {
                let mut content = Body::new();
                self.emit(header, &inner, &mut content)?;
                let test = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(true)));
                // What the header's last instruction tests is printed inside. Only `while True` leaves an instruction of its own.
                let written = graph.evidence.head_of_endless_loop(&graph.blocks[header]);
                out.push(Stmt::new(
                    written.map_or(Origin::NONE, Origin),
                    StmtKind::While { test, body: content, orelse: Body::new() },
                ));
            }
        }
        self.open_loops.pop();
        if let Some(exit) = exit {
            self.release(exit);
            self.next = Some((exit, *scope));
        }
        Ok(())
    }

    /// Whether a block is the head of a loop that is being printed and does nothing but to lead to that of a loop in it,
    /// or to what is printed next: then it may be passed once more.
    pub(super) fn leads_on(&self, block: BlockId, scope: &Scope) -> bool {
        let mut at = block;
        for _ in &self.open_loops {
            match self.graph.blocks[at].end {
                LiftedEnd::Jump(to) if self.open_loops.contains(&at) && self.is_transparent(at) => {
                    if scope.follow == Some(to) || jump_to(to, scope).is_some() {
                        return true;
                    }
                    at = to;
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether the block takes the items of an iterator that it does not make itself.
    fn is_for(&self, header: BlockId) -> bool {
        let found = &self.graph.blocks[header];
        matches!(found.end, LiftedEnd::For { .. }) && self.is_transparent(header)
    }

    /// The blocks that stand in the body of a loop: those of the natural loop, and what leaves the loop for
    /// good but is still inside one of its `try` statements or handlers, or has the iterator of a `for` on the
    /// stack.
    fn body_of(&self, header: BlockId, scope: &Scope, with_copies: bool) -> BlockSet {
        let graph = self.graph;
        let head = &graph.blocks[header];
        let is_for = self.is_for(header);
        let mut body = self.loops[&header].clone();
        // A region that starts with the header stands in the loop, unless it has been entered before.
        let mut entered = BlockSet::default();
        for block in body.ones() {
            self.around(block).iter().for_each(|&region| entered.insert(region));
        }
        if let Some(region) = scope.region {
            let around = self.around(graph.regions[region].handler);
            around.iter().chain([&region]).for_each(|&region| entered.remove(region));
        }
        // What is deeper has the iterator of this loop, or of a `for` inside of it, on the stack.
        let deep = head.depth + usize::from(!is_for);
        // What lies in front of the last way back was written in the loop.
        let ordered = |block: BlockId| self.places.are_ordered(header, block);
        let last = body.ones().filter(|&block| ordered(block)).map(|block| graph.blocks[block].start).max();
        // So was what a `while` jumps over where its test fails.
        let over = match head.end {
            LiftedEnd::Branch { yes, no, .. } => {
                // From 3.10 on the end that no `return` was written for lies where one of the ways to it ends.
                let over = head.layout.falls.map(|falls| if falls { no } else { yes });
                let is_last = |over| !graph.features.copies_implicit_end || graph.end != Some(over);
                // A `break` in its `else` is what the test jumps to, behind the loop around.
                let leaves = |over| self.is_jump(self.settle(over, scope), scope);
                over.filter(|&over| ordered(over) && is_last(over) && !leaves(over))
            }
            _ => None,
        };
        let last = last.max(over.map(|over| graph.blocks[over].start).filter(|&start| start != u32::MAX));
        let last = last.max(head.dead.back);
        let written = head.start..last.unwrap_or(0);
        // Lines and columns are seldom asked for.
        let inside = body.ones().filter(|&block| ordered(block)).collect::<Vec<BlockId>>();
        let blocks = || inside.iter().map(|&block| &graph.blocks[block]);
        let last_line =
            LazyCell::new(|| blocks().filter_map(|block| graph.evidence.greatest_line(block)).max());
        // A `try` stands where its handlers do, also if it is all that the loop holds.
        let handlers = entered.ones().map(|region| graph.regions[region].handler);
        let handlers = handlers.collect::<Vec<BlockId>>();
        let indentation = LazyCell::new(|| {
            let handlers = handlers.iter().map(|&block| &graph.blocks[block]);
            graph.evidence.indentation(blocks().chain(handlers))
        });
        // To 3.9 a jump back to the head lies behind a statement that ends the body. What else lies there follows it.
        let is_right_behind = |block: BlockId| {
            entered.ones().any(|region| graph.regions[region].behind == Behind::Block(block))
        };
        let follows_statement = |block: BlockId| {
            let settled = LazyCell::new(|| self.settle(block, scope));
            !graph.features.copies_implicit_end
                && !entered.is_empty()
                && passed(graph, block, *settled).chain([*settled]).any(is_right_behind)
        };
        let mut tail = BlockSet::default();
        let is_copy = |before: BlockId, block: BlockId| {
            self.is_end(block)
                && !self.is_end_behind_body(before, block)
                && match (graph.evidence.line_behind_break(&graph.blocks[block]), *last_line) {
                    (Some(line), Some(last)) => line > last,
                    _ => !with_copies && self.may_be_copy(block),
                }
        };
        let mut work: Vec<BlockId> = body.ones().collect();
        while let Some(block) = work.pop() {
            let handler = graph.blocks[block].region.filter(|&region| entered.contains(region));
            let handler = handler.map(|region| graph.regions[region].handler);
            for next in graph.blocks[block].end.successors().chain(handler) {
                if body.contains(next) {
                    continue;
                }
                let found = &graph.blocks[next];
                let exhausted = matches!(head.end, LiftedEnd::For { exhausted, .. } if block == header && next == exhausted);
                let inside = found.depth >= deep && found.handling >= head.handling
                    || found.handling > head.handling
                    || Some(next) != over
                        && written.contains(&found.start)
                        // The end of a `finally` body stands behind all of it.
                        && !matches!(found.end, LiftedEnd::Done)
                        && ordered(next)
                        && !is_copy(block, next)
                    || self.is_body(block, next)
                    || !is_for
                        && Some(next) != over
                        && ordered(next)
                        && self.is_indented_in(|| *indentation, header, next)
                    || self.around(next).iter().any(|&region| entered.contains(region));
                let is_tail = !inside
                    && (ordered(next) && follows_statement(next)
                        || tail.contains(block) && self.goes_on_in_order(block, next));
                if is_tail {
                    tail.insert(next);
                }
                let inside = inside || is_tail;
                if inside && !exhausted {
                    body.insert(next);
                    work.push(next);
                }
            }
        }
        body
    }

    /// Whether the way from one block to another is no jump that was written: that of a test, but not to a `break`.
    fn goes_on_in_order(&self, block: BlockId, next: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        match found.end {
            LiftedEnd::Branch { yes, no, .. } => {
                let skipped = found.layout.falls.map(|falls| if falls { yes } else { no });
                found.layout.jump.is_none() || skipped != Some(next)
            }
            _ => false,
        }
    }

    /// Whether a block is the body of an `if` that a block ends with, or returns what was made there: it lies right behind
    /// the test, where a `break` would have left a jump. Where blocks are moved, only that of an `assert` tells.
    fn is_body(&self, before: BlockId, block: BlockId) -> bool {
        let found = &self.graph.blocks[before];
        if !self.graph.features.source_order || !self.graph.features.jump_statements_stay {
            return self.fails_assertion(before, block);
        }
        match (&found.end, found.layout.falls) {
            (LiftedEnd::Branch { yes, no, .. }, Some(truth)) => {
                let (next, other) = if truth { (*yes, *no) } else { (*no, *yes) };
                found.layout.jump.is_none()
                    && block == next
                    && !self.is_transparent(block)
                    && !self.begins_with_break(block)
                    && !self.is_test_below(before, other)
            }
            (LiftedEnd::Jump(_), _) => self.nodes[block].ways_in == 1 && self.is_carried(block),
            _ => false,
        }
    }

    /// Whether a block is an end of the function that was copied to a `break`, of which an instruction is left.
    fn begins_with_break(&self, block: BlockId) -> bool {
        let (evidence, found) = (&self.graph.evidence, &self.graph.blocks[block]);
        self.is_end(block) && evidence.first_line(found) != evidence.line_behind_break(found)
    }

    /// Whether a block ends with the test of a `while` as it is compiled below the body: it jumps back to where the body
    /// starts, on a line behind its own. Right behind it the loop is over.
    fn is_test_below(&self, block: BlockId, body: BlockId) -> bool {
        let (graph, evidence) = (self.graph, &self.graph.evidence);
        match (evidence.last_line(&graph.blocks[block]), evidence.first_line(&graph.blocks[body])) {
            (Some(test), Some(first)) => test < first && self.dominators.dominates(body, block),
            _ => false,
        }
    }

    /// Where the ways out of the loop lead.
    ///
    /// What the test of a `while` leads to stands in its `else`, if `break` goes elsewhere: it goes on around the loop, or
    /// the bytecode shows that the test is that of a `while`.
    fn loop_exits(&self, header: BlockId, scope: &Scope) -> Exits {
        let mut body = self.body_of(header, scope, true);
        if self.graph.features.copies_ends && !self.is_left(&body) {
            body = self.body_of(header, scope, false);
        }
        let ends = self.graph.blocks[header].end.successors().filter(|&next| !body.contains(next));
        let end = ends.last().filter(|_| self.is_tested(header, &body));
        let exit = self.loop_exit(header, &body, end, scope);
        let orelse = end.filter(|&end| {
            let settled = self.settle(end, scope);
            exit.is_some_and(|exit| exit != settled)
                && (self.graph.blocks[header].layout.is_rotated
                    || self.is_behind_loop(end, header)
                    || self.begins_with_test(header)
                    || self.goes_on(settled, &body, exit, scope))
        });
        Exits { exit, orelse }
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

    /// Whether a block ends the function where the body of a `try` was left by running off its end, and says so with a
    /// value: the compiler writes that there only for an `else`. A `break` has a line of its own.
    fn is_end_behind_body(&self, before: BlockId, block: BlockId) -> bool {
        let evidence = &self.graph.evidence;
        let (before, block) = (&self.graph.blocks[before], &self.graph.blocks[block]);
        let says_so = match &block.end {
            LiftedEnd::Return(value) => !is_none(value),
            LiftedEnd::Raise { .. } => true,
            _ => false,
        };
        says_so && evidence.runs_off_body(before) && !evidence.begins_with_nop(block)
    }

    /// Whether the block may be a copy of an end of the function that stands elsewhere: the compiler copies those of at
    /// most [`LARGEST_COPY`] instructions.
    fn may_be_copy(&self, block: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        // Instructions of two bytes each.
        let length = found.end_offset.saturating_sub(found.start) as usize / 2 + 1;
        self.is_end(block) && length <= LARGEST_COPY
    }

    /// Whether a block that ends the function is indented as the statements of a loop are, or deeper, and in no `try`
    /// of its own, which would indent it, too.
    ///
    /// The end that no `return` was written for has the place of what leads there, but not what is done before it.
    fn is_indented_in(&self, indentation: impl Fn() -> Option<u32>, header: BlockId, block: BlockId) -> bool {
        let around = self.around(header);
        if !self.around(block).iter().all(|region| around.contains(region)) {
            return false;
        }
        if self.nodes[block].length > 0
            && self.is_end(block)
            && let indentation @ Some(_) = indentation()
            && self.graph.evidence.indentation(std::iter::once(&self.graph.blocks[block])) >= indentation
        {
            return true;
        }
        let ends = match &self.graph.blocks[block].end {
            LiftedEnd::Return(_) => self.graph.end != Some(block),
            LiftedEnd::Raise { .. } => true,
            _ => false,
        };
        ends && indentation().is_some_and(|indentation| {
            self.graph.evidence.last_column(&self.graph.blocks[block]) >= Some(indentation)
        })
    }

    /// Whether the function ends in the block, and the compiler may copy it. The end that no `return` was written for has
    /// a block of its own.
    fn is_end(&self, block: BlockId) -> bool {
        let ends = match self.graph.blocks[block].end {
            LiftedEnd::Return(_) | LiftedEnd::Raise { .. } => true,
            LiftedEnd::Jump(to) => self.graph.end == Some(to),
            _ => false,
        };
        self.graph.features.copies_ends && ends
    }

    /// The block behind the loop: where `break` goes.
    ///
    /// An exit that has no other spelling must be it: one that leaves a `for`, or a `try` or handler in the
    /// loop, or goes on outside of what is around the loop. Otherwise it is the first block, in reverse
    /// postorder, that at least two exits lead to; with a single exit it is that exit. Exits that lead nowhere
    /// else (`return`) are printed inside the loop.
    fn loop_exit(
        &self,
        header: BlockId,
        body: &BlockSet,
        tested: Option<BlockId>,
        scope: &Scope,
    ) -> Option<BlockId> {
        let graph = self.graph;
        let is_for = self.is_for(header);
        // What lies in front of the last way back was written in the loop.
        let last = LazyCell::new(|| {
            let ordered = body.ones().filter(|&block| self.places.are_ordered(header, block));
            ordered.map(|block| graph.blocks[block].start).max()
        });
        let is_inside =
            |exit: BlockId| self.places.are_ordered(header, exit) && Some(graph.blocks[exit].start) < *last;
        let shows_words = !graph.features.source_order && !graph.features.tests_loops_twice;
        let mut exhausted = None;
        let (mut exits, mut forced) = (Vec::new(), Vec::new());
        let (mut known, mut known_forced) = (BlockSet::default(), BlockSet::default());
        for block in body.ones().filter(|&block| !self.returns_alone(block, header)) {
            let leaves = |&next: &BlockId| !body.contains(next) && !self.runs_into_finally(block, next);
            for next in graph.blocks[block].end.successors().filter(leaves) {
                let is_break = is_for && self.breaks_in_front_of_another(block, next, header, scope);
                let exit = if is_break { next } else { self.settle_from(next, Some(header), scope) };
                if self.returns_alone(exit, header) && is_inside(exit) {
                    continue;
                }
                if is_for && block == header {
                    exhausted = Some(exit);
                } else {
                    // To 3.10 the jump of a `break` lies behind the end of the region.
                    let leaves = |from: BlockId| {
                        self.around(from).iter().any(|region| !self.around(next).contains(region))
                    };
                    let inner = leaves(block)
                        || self.is_transparent(block)
                            && self.predecessors[block].iter().any(|&before| leaves(before));
                    let is_jump = self.is_jump(exit, scope);
                    let only_break = is_for
                        || inner
                        || graph.blocks[block].handling > graph.blocks[next].handling
                        || scope.follow == Some(exit)
                        || self.nodes[exit].is_claimed()
                        || is_jump;
                    // The `else` of a test may be a word of the loop around, which leaves a jump of its own (3.14 on).
                    let is_else = !is_for
                        && block == header
                        && tested.is_some()
                        && is_jump
                        && (!shows_words || next != exit);
                    let may_be_return = || self.may_be_return(exit) && !self.jumps_to_end(block, next);
                    let only_break = is_break || only_break && !is_else && !may_be_return();
                    if only_break && !known_forced.put(exit) {
                        forced.push(exit);
                    }
                }
                if !known.put(exit) {
                    exits.push(exit);
                }
            }
        }
        exits.sort_by_key(|&exit| self.dominators.position(exit));
        if let [only] = exits[..] {
            // What is returned was made in the loop, and so was the `return` written there.
            return Some(only).filter(|&only| is_for || !self.is_carried(only));
        }
        // No word in this loop goes on with the one around, or leaves that: only the `else` of this one may say so.
        let mut jumps = forced.iter().copied().filter(|&exit| !is_for && self.is_jump(exit, scope));
        if let (Some(jump), None) = (jumps.next(), jumps.next()) {
            return Some(jump);
        }
        // Where the test fails and others lead, too, is no `else`, and stands behind all of the loop.
        if let Some(end) = tested.filter(|&end| forced.is_empty() && self.is_shared_exit(end, header, body)) {
            return Some(self.settle(end, scope));
        }
        let mut candidates = forced.clone();
        if forced.is_empty() {
            // An exit that ends the function may stand in the loop. One that goes on behind the loop may not.
            let goes_on = |&exit: &BlockId| self.goes_on(exit, body, None, scope);
            candidates = exits.iter().copied().filter(goes_on).collect();
            // So may the end that all fall off to, unless it is what follows here.
            let stays_inside =
                |&exit: &BlockId| scope.follow != Some(exit) && self.plain_return(exit).is_some();
            if !candidates.iter().all(stays_inside) {
                candidates.retain(|exit| !stays_inside(exit));
            }
            if candidates.is_empty() {
                candidates.clone_from(&exits);
            }
        }
        // The loop around may be left by the `else` of this one: what goes on in it lies behind this one.
        if let Some(end) = tested.map(|end| self.settle(end, scope)) {
            let meeting = match candidates[..] {
                [only] => Some(only),
                _ => self.meeting(&candidates, body, scope),
            };
            let is_left = |&join: &BlockId| scope.follow != Some(join) && self.is_jump(join, scope);
            if let Some(join) = meeting.filter(is_left) {
                let goes_on = |&exit: &BlockId| exit != end && self.goes_on(exit, body, Some(join), scope);
                let others: Vec<BlockId> = exits.iter().copied().filter(goes_on).collect();
                if !others.is_empty() {
                    candidates = others;
                }
            }
        }
        if let [only] = candidates[..] {
            // A `try` that goes on to another exit from its handler stands in the loop, and leaves it there by `break`.
            let region = graph.blocks[only].region.filter(|region| !self.around(header).contains(region));
            let handler = region.map(|region| graph.regions[region].handler);
            let leads_on = |&other: &BlockId| {
                let is_handled = |&before: &BlockId| {
                    handler.is_some_and(|handler| self.dominators.dominates(handler, before))
                };
                other != only && self.predecessors[other].iter().any(is_handled)
            };
            let others = exits.iter().copied();
            let mut others = others.filter(|other| !is_for && graph.features.source_order && leads_on(other));
            return Some(others.next_back().unwrap_or(only));
        }
        // What a `break` leads to lies behind each `return` in the loop.
        if candidates.iter().all(|&exit| self.returns_alone(exit, header)) {
            return candidates.into_iter().max_by_key(|&exit| graph.blocks[exit].start);
        }
        // A test that fails may lead to a `break` or `continue` in `else`, which is no place behind the loop.
        if let Some(end) = tested.map(|end| self.settle(end, scope)).filter(|&end| self.is_jump(end, scope)) {
            let mut others = candidates.iter().filter(|&&exit| exit != end);
            if let (Some(&only), None) = (others.next(), others.next()) {
                return Some(only);
            }
        }
        if let Some(join) = self.meeting(&candidates, body, scope) {
            return Some(join);
        }
        // No two exits meet again. The way out of a tested header may stand in `else`, where others need `break`.
        if let Some(end) = tested.filter(|_| !forced.is_empty()) {
            let end = self.settle(end, scope);
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
        let ends = graph.blocks[header].end.successors().map(|next| self.settle(next, scope));
        exhausted
            .filter(|_| forced.is_empty())
            .or_else(|| {
                ends.into_iter().find(|next| candidates.contains(next) && !self.is_jump(*next, scope))
            })
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

    /// Whether a block that does something is where a loop is left by its test and by another way as well.
    fn is_shared_exit(&self, block: BlockId, header: BlockId, body: &BlockSet) -> bool {
        let is_other = |&before: &BlockId| before != header && body.contains(before);
        !self.is_empty(block) && !self.is_short_end(block) && self.predecessors[block].iter().any(is_other)
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
