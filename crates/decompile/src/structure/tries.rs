//! Protected regions: `try` and `with`.

use std::cmp::Ordering;

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Handler, Literal, Origin, Stmt, StmtKind, Try};

use super::gotos::close_label;
use super::settling::{jump_to, passed};
use super::try_exits::Exits;
use super::{Scope, Structurer, leaves};
use crate::flow::{Behind, BlockId, BlockSet, Landing, RegionId, RegionKind};
use crate::lift::{LiftResult, LiftedEnd, NEVER, exception_temporary, left_temporary};

/// The bytes of POP_EXCEPT, and of a jump with a long argument.
const LONGEST_END: u32 = 6;

/// What is wrong with a `with` statement that has no spelling.
const GOES_ON_TWICE: &str = "a `with` statement goes on in two places";

/// Whether the statement goes to a block.
fn is_goto(statement: &Stmt, to: Option<BlockId>) -> bool {
    matches!(statement.kind, StmtKind::Goto(label) if Some(label as BlockId) == to)
}

/// Notes in a temporary, in the place of jumps to a block that a body ends with, that it has come to them. What a `with`
/// statement ends with has come there only when its exit function has returned: there a temporary of its own tells. The
/// first number without a temporary is `free`. Says whether there was such a jump.
fn note_jumps(body: &mut Body, to: BlockId, noted: u32, free: &mut usize) -> bool {
    match body.last_mut() {
        Some(last) if is_goto(last, Some(to)) => {
            *last = note(noted, true);
            true
        }
        Some(Stmt { kind: StmtKind::If { body, orelse, .. }, .. }) => {
            note_jumps(body, to, noted, free) | note_jumps(orelse, to, noted, free)
        }
        Some(Stmt { kind: StmtKind::With { body: inside, .. }, .. }) => {
            let inner = left_temporary(*free);
            *free += 1;
            if !note_jumps(inside, to, inner, free) {
                return false;
            }
            body.insert(body.len() - 1, note(inner, false));
            let then = vec![note(noted, true)];
            body.push(Stmt::new(Origin::NONE, if_noted(inner, then)));
            true
        }
        _ => false,
    }
}

/// The assignment of a truth value to a temporary.
fn note(temporary: u32, value: bool) -> Stmt {
    let target = Expr::new(Origin::NONE, ExprKind::Temp(temporary));
    let value = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(value)));
    Stmt::new(Origin::NONE, StmtKind::Assign { targets: vec![target], value })
}

fn if_noted(temporary: u32, body: Body) -> StmtKind {
    let test = Expr::new(Origin::NONE, ExprKind::Temp(temporary));
    StmtKind::If { test, body, orelse: Body::new() }
}

/// A `with` statement that is left for two places.
struct TwoWays {
    /// Which of the statements printed so far its head is.
    start: usize,
    body: Body,
    /// What follows where no exception was raised.
    behind: Body,
}

impl Structurer<'_> {
    /// Prints the statement of `region`, which starts at `first`, and goes on behind it.
    pub(super) fn emit_try(
        &mut self,
        first: BlockId,
        region: RegionId,
        scope: &Scope,
        out: &mut Body,
    ) -> LiftResult<()> {
        let kind = self.graph.regions[region].kind;
        let exits = self.exits(first, region, scope);
        // The head of a `with` has been printed.
        let start = out.len().saturating_sub(usize::from(kind.is_with()));
        let all = exits.follow.into_iter().chain(exits.orelse).chain(exits.passed);
        all.filter(|&exit| scope.follow != Some(exit)).for_each(|exit| self.claim(exit));
        let mut body = self.emit_tried(first, region, &exits, scope)?;
        let mut orelse = self.emit_else(&exits, scope)?;
        let handler = self.graph.regions[region].handler;
        let inside = Scope {
            follow: exits.follow.or(scope.follow),
            handler: Some(handler),
            // Whatever handles the exception stands in the handler.
            handling: self.graph.blocks[first].handling + 1,
            depth: scope.depth + 1,
            ..*scope
        };
        let origin = Origin(self.graph.blocks[first].start);
        match kind {
            RegionKind::With { .. } if orelse.is_empty() => {
                body.pop_if(|last| is_goto(last, exits.orelse));
                self.fill_with(first, body, out)?;
            }
            RegionKind::With { .. } => {
                let ways = TwoWays { start, body, behind: orelse };
                return self.leave_with(first, ways, &exits, scope, out);
            }
            RegionKind::Finally if orelse.is_empty() => {
                let mut finalbody = Body::new();
                self.emit(handler, &Scope { follow: None, ..inside }, &mut finalbody)?;
                if finalbody.is_empty() {
                    finalbody.push(Stmt::new(Origin::NONE, StmtKind::Pass));
                }
                out.push(Stmt::new(origin, StmtKind::Try(Box::new(with_finally(body, finalbody)))));
            }
            RegionKind::Finally => return self.error(first, "a `finally` body is left in two ways"),
            RegionKind::Try | RegionKind::TryStar { .. } => {
                let is_star = matches!(kind, RegionKind::TryStar { .. });
                let handlers =
                    self.emit_handlers(handler, &Scope { is_star: is_star || scope.is_star, ..inside })?;
                self.move_jump_to_else(region, scope, exits.follow, &mut body, &mut orelse);
                let behind = match exits {
                    Exits { follow: None, orelse: Some(start), .. }
                        if handlers.iter().all(|handler| leaves(&handler.body)) =>
                    {
                        self.split_else(start, &mut orelse)
                    }
                    _ => Body::new(),
                };
                let statement = Try { body, handlers, orelse, finalbody: Body::new(), is_star };
                out.push(Stmt::new(origin, StmtKind::Try(Box::new(statement))));
                out.extend(behind);
            }
        }
        self.go_on_behind(&exits, start, scope, out)
    }

    /// Prints a `with` statement that goes on in two places: behind its body, and where an exception was swallowed. Dynamo
    /// has such ones in what goes on after a graph break; there a swallowed exception is not expected, and raises another.
    ///
    /// A loop of one round tells the places apart, if neither leads to the other one: `while True: with a: b; break` and then
    /// what follows a swallowed exception. Else a temporary does.
    fn leave_with(
        &mut self,
        first: BlockId,
        ways: TwoWays,
        exits: &Exits,
        scope: &Scope,
        out: &mut Body,
    ) -> LiftResult<()> {
        let (Some(swallowed), Some(label)) = (exits.follow, exits.orelse) else {
            return self.error(first, GOES_ON_TWICE);
        };
        if !leaves(&ways.behind) || scope.follow == Some(swallowed) {
            return self.remember_end(first, ways, exits, scope, out);
        }
        let TwoWays { start, body, behind } = ways;
        self.fill_with(first, body, out)?;
        self.unclaim(swallowed, scope);
        let with = out.len();
        self.goto(swallowed, &Scope { depth: scope.depth + 1, ..*scope }, out)?;
        if !leaves(&out[with..]) {
            return self.error(first, GOES_ON_TWICE);
        }
        close_label(out, start, label)?;
        out.extend(behind);
        Ok(())
    }

    /// Prints such a statement with a temporary, which says whether the body was left by its end.
    fn remember_end(
        &mut self,
        first: BlockId,
        TwoWays { start, mut body, behind }: TwoWays,
        exits: &Exits,
        scope: &Scope,
        out: &mut Body,
    ) -> LiftResult<()> {
        let ended = left_temporary(first);
        if let Some(label) = exits.orelse {
            note_jumps(&mut body, label, ended, &mut self.free);
        }
        self.fill_with(first, body, out)?;
        out.push(Stmt::new(Origin::NONE, if_noted(ended, behind)));
        out.insert(start, note(ended, false));
        self.remembers = true;
        self.go_on_behind(exits, start, scope, out)
    }

    /// Prints the body of a statement.
    fn emit_tried(
        &mut self,
        first: BlockId,
        region: RegionId,
        exits: &Exits,
        scope: &Scope,
    ) -> LiftResult<Body> {
        let mut body = Body::new();
        // A `with` has no `else`: behind its body lies what follows.
        let is_with = self.graph.regions[region].kind.is_with();
        let orelse = exits.orelse.filter(|_| !is_with);
        let follow = orelse.or(exits.follow).or(scope.follow);
        let left = exits.follow.and_then(|follow| self.left_by_finally(follow, region, scope)).or(scope.left);
        let inside = Scope { follow, left, region: Some(region), depth: scope.depth + 1, ..*scope };
        self.emit(first, &inside, &mut body)?;
        Ok(body)
    }

    /// Prints what runs only where no exception was raised.
    fn emit_else(&mut self, exits: &Exits, scope: &Scope) -> LiftResult<Body> {
        let mut orelse = Body::new();
        let Some(start) = exits.orelse else { return Ok(orelse) };
        self.unclaim(start, scope);
        let inside = Scope { follow: exits.follow.or(scope.follow), depth: scope.depth + 1, ..*scope };
        self.goto(start, &inside, &mut orelse)?;
        // The `break` or `continue` at the end stands behind the statement, where the handlers come to it, too.
        let is_last = !self.graph.features.copies_implicit_end && orelse.len() > 1;
        if is_last && exits.follow.is_some_and(|follow| self.is_jump(follow, scope)) {
            orelse.pop_if(|last| matches!(last.kind, StmtKind::Break | StmtKind::Continue));
        }
        Ok(orelse)
    }

    /// Goes on behind a statement, which stands in `out` from `start` on.
    fn go_on_behind(&mut self, exits: &Exits, start: usize, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        let Some(follow) = exits.follow else { return Ok(()) };
        self.unclaim(follow, scope);
        if self.jumps_near {
            self.close_label(out, start, follow)?;
        }
        if let Some(passed) = exits.passed {
            self.goto(follow, &Scope { follow: Some(passed), depth: scope.depth + 1, ..*scope }, out)?;
            self.unclaim(passed, scope);
            self.close_label(out, start, passed)?;
        }
        let next = exits.passed.unwrap_or(follow);
        // What the statement never leads to was printed in it: a `return` in an endless loop.
        if !self.nodes[next].is_printed || !leaves(out) {
            self.next = Some((next, *scope));
        }
        Ok(())
    }

    /// Makes a `break` or `continue` at the end of a body the `else`, if that is where the bytecode has one: right behind the
    /// handlers, which go on elsewhere (to 3.9).
    fn move_jump_to_else(
        &self,
        region: RegionId,
        scope: &Scope,
        follow: Option<BlockId>,
        body: &mut Body,
        orelse: &mut Body,
    ) {
        let Behind::Jump(to) = self.graph.regions[region].behind else { return };
        let Some(jump) = jump_to(self.settle(to, scope), scope) else { return };
        let goes_on = follow.is_some_and(|follow| !self.is_jump(follow, scope));
        if self.graph.features.copies_implicit_end || !goes_on || !orelse.is_empty() {
            return;
        }
        let is_added = |last: &Stmt| last.origin == Origin::NONE && last.kind == jump;
        if body.len() >= 2 {
            orelse.extend(body.pop_if(|last| is_added(last)));
        }
        // Where all of the body leaves, a test that never holds leads there.
        if orelse.is_empty()
            && let Some(StmtKind::If { test, body: skipped, .. }) =
                body.first_mut().map(|first| &mut first.kind)
            && test.kind == ExprKind::Temp(NEVER)
            && let [only] = &skipped[..]
            && is_added(only)
        {
            orelse.append(skipped);
        }
    }

    fn unclaim(&mut self, block: BlockId, scope: &Scope) {
        if scope.follow != Some(block) {
            self.release(block);
        }
    }

    /// Puts the body into the `with` statement that the block before the region printed last.
    fn fill_with(&mut self, first: BlockId, content: Body, out: &mut Body) -> LiftResult<()> {
        match out.last_mut() {
            Some(Stmt { kind: StmtKind::With { body, .. }, .. }) if body.is_empty() => {
                *body = content;
                Ok(())
            }
            _ => self.error(first, "the body of a `with` statement does not follow its head"),
        }
    }

    /// Where the line of the `return` that a block leads to stands with regard to the first one of a region's handlers, if no
    /// `finally` around the region lies between.
    pub(super) fn line_against_handler(&self, block: BlockId, region: RegionId) -> Option<Ordering> {
        let last_line = |block: BlockId| self.graph.evidence.last_line(&self.graph.blocks[block]);
        let handler = self.graph.regions[region].handler;
        let is_beside = self.around(block) == self.around(handler);
        let (head, line) = (last_line(handler)?, last_line(self.end_of_chain(block))?);
        is_beside.then(|| line.cmp(&head))
    }

    /// Whether the `return` that a block leads to was written in a `try` with the `finally` body that a region has, which
    /// runs before it: behind the statement it would have a line of its own, or lie behind that body.
    pub(super) fn returns_inside(&self, block: BlockId, region: RegionId) -> bool {
        let (end, evidence) = (self.end_of_chain(block), &self.graph.evidence);
        let handler = self.graph.regions[region].handler;
        if self.graph.features.source_order && self.graph.blocks[end].start > self.graph.blocks[handler].start
        {
            return false;
        }
        let first_line = |block: BlockId| evidence.first_line(&self.graph.blocks[block]);
        let is_before = match (first_line(end), first_line(handler)) {
            (Some(line), Some(first)) => line < first,
            _ => false,
        };
        self.graph.end != Some(end) && (is_before || evidence.continues_line(&self.graph.blocks[end]))
    }

    /// Whether the body of a region leads to a `break` or `continue` that was written behind the handlers.
    pub(super) fn is_jump_written_behind(&self, region: RegionId, scope: &Scope) -> bool {
        if !self.graph.features.source_order {
            return false;
        }
        let ways = self.members[region].iter().flat_map(|&block| self.graph.blocks[block].end.successors());
        let mut passed = ways.flat_map(|next| passed(self.graph, next, self.settle(next, scope)));
        passed.any(|at| {
            let written = self.graph.blocks[at].written;
            written.is_some_and(|offset| self.lies_behind(at, offset, region))
        })
    }

    /// Whether an instruction of a block, which no handler of a region leads to, lies behind the first of them: the body
    /// lies in front where the bytecode has the order of the source, as it has where the region is in a handler itself.
    pub(super) fn lies_behind(&self, block: BlockId, offset: u32, region: RegionId) -> bool {
        let handler = self.graph.regions[region].handler;
        let is_ordered = |&block: &BlockId| self.places.are_ordered(block, handler);
        is_ordered(&block)
            && self.members[region].first().is_some_and(is_ordered)
            && offset > self.graph.blocks[handler].start
            && !self.dominators.dominates(handler, block)
    }

    /// Whether the way from one block to another is a `break` or `continue` that was written in a statement: no way
    /// out of it.
    pub(super) fn jumps_inside(&self, block: BlockId, next: BlockId, region: RegionId) -> bool {
        [block, next].into_iter().any(|at| {
            self.graph.blocks[at].dead.behind == Some(Landing::Written) && !self.jumps_behind(at, region)
        })
    }

    /// Where a block of a statement leads when it is done: behind a `raise`, `return`, `break` or `continue` that was written
    /// in the statement, an unreachable jump tells. What lies where the handlers end stands in no part of it.
    pub(super) fn ways(&self, block: BlockId, region: RegionId) -> impl Iterator<Item = BlockId> {
        let end = self.graph.regions[region].end;
        let is_written = move |next: BlockId| {
            let is_inside = self.graph.blocks[next].start < end && !self.jumps_behind(next, region);
            is_inside
                && match self.graph.blocks[next].end {
                    LiftedEnd::Jump(_) => self.is_transparent(next),
                    LiftedEnd::Return(_) => true,
                    _ => false,
                }
        };
        let behind = move |next: BlockId| self.dead.from(next).filter(|_| is_written(next)).unwrap_or(next);
        // What lies behind the instruction that closes the handlers is not in the statement.
        let found = &self.graph.blocks[block];
        let dead = self.dead.from(block).filter(|_| found.end_offset < self.graph.regions[region].closes);
        found.end.successors().map(behind).chain(dead)
    }

    /// Where the handler leads to when it is done: blocks that handle less than it does; and those of them that lie
    /// right behind a way out.
    pub(super) fn handler_exits(
        &self,
        first: BlockId,
        region: RegionId,
        scope: &Scope,
        behind: Option<BlockId>,
        ends_in_jump: bool,
    ) -> (Vec<BlockId>, Vec<BlockId>) {
        let graph = self.graph;
        let handling = graph.blocks[first].handling;
        let start = graph.regions[region].handler;
        let (mut found, mut lie_behind) = (Vec::new(), Vec::new());
        let mut seen = BlockSet::default();
        seen.insert(start);
        let mut work = vec![start];
        while let Some(block) = work.pop() {
            // The handler of what is around this statement is no way out of it.
            let inner = graph.blocks[block].region.filter(|region| !self.around(start).contains(region));
            let inner = inner.map(|region| graph.regions[region].handler);
            for next in self.ways(block, region).chain(inner) {
                if graph.blocks[next].handling > handling {
                    if !seen.put(next) {
                        work.push(next);
                    }
                    continue;
                }
                if self.jumps_inside(block, next, region) {
                    continue;
                }
                let exit = self.settle_behind(next, region, scope);
                // An instruction that leaves a handler takes two bytes. A constant that is folded late is made
                // before it.
                if graph.folds_on_tree && graph.blocks[block].end_offset + 2 == graph.blocks[exit].start {
                    lie_behind.push(exit);
                }
                // A handler that goes on in the loop makes an `else` of a `break` behind the statement.
                let falls_through = behind == Some(exit)
                    || self.ends_handler(block, region)
                    || scope.follow == Some(exit) && (graph.regions[region].end != u32::MAX || ends_in_jump);
                if (!self.is_jump(exit, scope) || falls_through) && !found.contains(&exit) {
                    found.push(exit);
                }
            }
        }
        found.sort_by_key(|&block| self.dominators.position(block));
        (found, lie_behind)
    }

    /// Whether a block ends a handler of a region where the compiler ends it, right in front of the next one or of what
    /// closes the statement: a `break` or `continue` there would have that end behind it (to 3.9). Where it leads to is
    /// where the statement does, though the compiler leads jumps to jumps on.
    fn ends_handler(&self, block: BlockId, region: RegionId) -> bool {
        let graph = self.graph;
        let protection = &graph.regions[region];
        if protection.closes == u32::MAX || protection.kind != RegionKind::Try {
            return false;
        }
        let ends_at = |border: u32| {
            border.checked_sub(graph.blocks[block].end_offset).is_some_and(|length| length <= LONGEST_END)
        };
        let mut handler = protection.handler;
        while let LiftedEnd::ExceptMatch { no, .. } = graph.blocks[handler].end {
            if graph.blocks[no].start <= graph.blocks[handler].start {
                break;
            }
            handler = no;
            if ends_at(graph.blocks[no].start) {
                return true;
            }
        }
        ends_at(protection.closes)
    }

    /// Prints the handlers that start at a block: `except T as name:` for each match, then what is left.
    fn emit_handlers(&mut self, start: BlockId, scope: &Scope) -> LiftResult<Vec<Handler>> {
        let graph = self.graph;
        let mut handlers = Vec::new();
        let mut block = start;
        loop {
            let found = &graph.blocks[block];
            let origin = Origin(found.end_offset);
            // Damaged code may lead back into the chain: what was printed is no further handler.
            let is_fresh = self.is_empty(block) && !self.nodes[block].is_printed;
            match &found.end {
                LiftedEnd::ExceptMatch { kind, yes, no } if is_fresh => {
                    self.nodes[block].is_printed = true;
                    let mut body = Body::new();
                    self.goto(*yes, scope, &mut body)?;
                    let name = bound_name(&mut body, start);
                    handlers.push(Handler { origin, kind: Some(kind.clone()), name, body });
                    block = *no;
                }
                // Where `raise` was written, it is the body of a handler for all that is left.
                LiftedEnd::Reraise(_)
                    if self.is_empty(block)
                        && !handlers.is_empty()
                        && !graph.evidence.is_written_raise(found.end_offset) =>
                {
                    self.nodes[block].is_printed = true;
                    return Ok(handlers);
                }
                // An endless loop is a statement, though it may begin with nothing.
                LiftedEnd::Jump(next)
                    if is_fresh
                        && !self.nodes[block].is_header
                        && self.nodes[*next].ways_in == 1
                        && graph.blocks[*next].handling >= scope.handling =>
                {
                    self.nodes[block].is_printed = true;
                    block = *next;
                }
                _ => {
                    let mut body = Body::new();
                    self.emit(block, scope, &mut body)?;
                    let name = bound_name(&mut body, start);
                    handlers.push(Handler { origin, kind: None, name, body });
                    return Ok(handlers);
                }
            }
        }
    }
}

/// `try` with `finally`. A `try` with handlers that is all of its body becomes one statement with it.
pub(crate) fn with_finally(mut body: Body, finalbody: Body) -> Try {
    if matches!(&body[..], [Stmt { kind: StmtKind::Try(inner), .. }] if inner.finalbody.is_empty())
        && let Some(Stmt { kind: StmtKind::Try(inner), .. }) = body.pop()
    {
        return Try { finalbody, ..*inner };
    }
    Try { body, handlers: Vec::new(), orelse: Body::new(), finalbody, is_star: false }
}

/// The name that a handler's body stores the exception under, if that is the first thing it does.
fn bound_name(body: &mut Body, handler: BlockId) -> Option<depyf_syntax::ast::Ident> {
    let Some(Stmt { kind: StmtKind::Assign { targets, value }, .. }) = body.first() else { return None };
    let bound = match (&targets[..], &value.kind) {
        ([target], ExprKind::Temp(temporary)) if *temporary == exception_temporary(handler) => {
            match &target.kind {
                ExprKind::Name(name) => name.clone(),
                _ => return None,
            }
        }
        _ => return None,
    };
    body.remove(0);
    Some(bound)
}
