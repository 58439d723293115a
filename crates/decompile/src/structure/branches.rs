//! `if` statements.

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Origin, Stmt, StmtKind};

use super::returns::is_constant;
use super::{Scope, Structurer, leaves};
use crate::flow::{BlockId, Landing, Layout};
use crate::hash::HashMap;
use crate::lift::{ASSERTION_ERROR, LiftResult, LiftedEnd};

/// The arms of the `if` that a block ends with, in the order of the bytecode.
struct Arms {
    first: BlockId,
    second: BlockId,
    layout: Layout,
}

impl Structurer<'_> {
    /// `if test: yes else: no` at the end of block `at`. The arm that the bytecode has first comes first.
    pub(super) fn emit_if(
        &mut self,
        yes: BlockId,
        no: BlockId,
        at: BlockId,
        scope: &Scope,
        out: &mut Body,
    ) -> LiftResult<()> {
        let origin = Origin(self.graph.blocks[at].end_offset);
        let layout = self.graph.blocks[at].layout;
        let test = self.test(at)?;
        if yes == no {
            out.push(tested(test, origin));
            self.next = Some((yes, *scope));
            return Ok(());
        }
        let start = |block: BlockId| self.graph.blocks[block].start;
        let yes_first = layout.falls.unwrap_or_else(|| start(yes) <= start(no));
        let (first, second) = if yes_first { (yes, no) } else { (no, yes) };
        let arms = Arms { first, second, layout };
        let statement = |first_holds: bool, body: Body, orelse: Body| {
            let test = if yes_first == first_holds { test } else { crate::names::negated(test) };
            if body.is_empty() {
                return tested(test, origin);
            }
            Stmt::new(origin, StmtKind::If { test, body, orelse })
        };
        // A body that only jumps does nothing, and what it leads to follows the statement, if it lies behind the `else`.
        if let Some(jump) = layout.jump.filter(|&jump| self.follows_else(jump, first, second, scope)) {
            self.claim(first);
            let mut orelse = Body::new();
            let inner = Scope { follow: Some(first), depth: scope.depth + 1, ..*scope };
            self.goto(second, &inner, &mut orelse)?;
            self.release(first);
            out.push(statement(true, vec![Stmt::new(Origin(jump), StmtKind::Pass)], orelse));
            self.next = Some((first, *scope));
            return Ok(());
        }
        let mut body = self.emit_first_arm(&arms, scope)?;
        // Behind an arm that never falls through, the other one needs no `else`.
        let is_while = scope.inner.is_some_and(|inner| inner.header == at);
        let behind = self.behind_both_arms(&body, second).filter(|_| !is_while);
        let needs_no_else =
            leaves(&body) && !self.is_else(second, scope) && !self.skips(first, second, scope);
        if needs_no_else && behind.is_none() {
            out.push(statement(true, body, Body::new()));
            self.next = Some((second, *scope));
            return Ok(());
        }
        // A chain of `elif` is as deep as it is long, but not indented.
        let mut orelse = Body::new();
        self.goto(second, &Scope { arms: scope.arms + 1, ..*scope }, &mut orelse)?;
        if let Some(behind) = behind
            && (leaves(&orelse) || needs_no_else)
        {
            let mut rest = if leaves(&orelse) { body.split_off(behind) } else { std::mem::take(&mut orelse) };
            out.push(statement(true, body, orelse));
            out.append(&mut rest);
            return Ok(());
        }
        if layout.falls.is_some() && !is_while && !self.graph.features.source_order {
            self.spell_idle_arm(&arms, scope, &mut body, &mut orelse);
        }
        out.push(if body.is_empty() {
            statement(false, orelse, body)
        } else {
            statement(true, body, orelse)
        });
        Ok(())
    }

    /// Prints the first arm of an `if`.
    fn emit_first_arm(&mut self, arms: &Arms, scope: &Scope) -> LiftResult<Body> {
        let &Arms { first, layout: Layout { falls, jump, .. }, .. } = arms;
        let mut body = Body::new();
        self.goto(first, &Scope { depth: scope.depth + 1, ..*scope }, &mut body)?;
        if falls.is_some() && (jump.is_some() || self.graph.features.source_order) {
            self.spell_jump(jump, first, scope, &mut body);
        }
        // What lies right behind a test was written. A body is never empty: it returns, though what comes behind the
        // statement may do the same.
        if let ([], Some(_), None, Some(value)) = (&body[..], falls, jump, self.plain_return(first))
            && is_constant(value)
            && !scope.is_star
        {
            let returned = self.returning(value, self.written_at(first, None));
            body.push(returned);
        }
        Ok(body)
    }

    /// Spells an arm that does nothing beside one that does something: what the test falls into was written, and so was what
    /// has a place of its own.
    fn spell_idle_arm(&self, arms: &Arms, scope: &Scope, body: &mut Body, orelse: &mut Body) {
        let is_arm = |arm: BlockId| scope.follow != Some(arm);
        if body.is_empty() && !orelse.is_empty() && is_arm(arms.first) {
            body.push(self.idle(arms.first, scope));
        } else if orelse.is_empty()
            && !body.is_empty()
            && is_arm(arms.second)
            && self.is_written_pass(arms.second)
        {
            orelse.push(self.idle(arms.second, scope));
        }
    }

    /// Which statements of the first arm the bytecode has behind the other arm, from one on. If that never falls through,
    /// they were written behind both.
    fn behind_both_arms(&self, body: &[Stmt], other: BlockId) -> Option<usize> {
        let start = self.graph.blocks[other].start;
        let lies_behind = |statement: &Stmt| statement.origin != Origin::NONE && statement.origin.0 > start;
        if !self.graph.features.source_order || !body.last().is_some_and(lies_behind) {
            return None;
        }
        let behind = body.iter().rposition(|statement| !lies_behind(statement))? + 1;
        // What only leaves may be the end of several ways, which lies behind all of them.
        body.get(behind).filter(|first| !leaves(std::slice::from_ref(first))).map(|_| behind)
    }

    /// Whether what the body of an `if` jumps to is reached from there alone, and lies behind the other arm. What a statement
    /// around prints does not. A `break` or `continue` does not jump to where it leaves a `with` or a handler, but leaves it
    /// at once.
    fn follows_else(&self, jump: u32, body: BlockId, orelse: BlockId, scope: &Scope) -> bool {
        !self.graph.evidence.is_expression()
            && self.graph.evidence.is_jump(jump)
            && self.graph.blocks[body].start > self.graph.blocks[orelse].start
            && self.nodes[body].ways_in == 1
            && scope.follow != Some(body)
            && !self.nodes[body].is_claimed()
            && ((self.leaves_manager(body) || self.leaves_handler(body)) && self.is_in_loop(body, scope)
                || !self.is_jump(self.settle(body, scope), scope) && self.settle(body, scope) == body)
    }

    /// Whether a block is in the loop around, if there is one.
    fn is_in_loop(&self, block: BlockId, scope: &Scope) -> bool {
        let is_inside = |header| self.loops.get(&header).is_some_and(|body| body.contains(block));
        scope.inner.is_none_or(|inner| is_inside(inner.header))
    }

    /// Whether a block calls the exit of a `with` statement, where all that reaches its end calls it in one place.
    fn leaves_manager(&self, block: BlockId) -> bool {
        !self.graph.features.copies_exits() && self.ends_manager(block)
    }

    /// Whether a block ends a handler, where all that reaches the end of that does so in one place.
    fn leaves_handler(&self, block: BlockId) -> bool {
        let LiftedEnd::Jump(next) = self.graph.blocks[block].end else { return false };
        self.is_empty(block) && self.graph.blocks[block].handling != self.graph.blocks[next].handling
    }

    /// The statement that an arm consists of which does nothing.
    fn idle(&self, to: BlockId, scope: &Scope) -> Stmt {
        let mut block = to;
        for _ in 0..self.graph.blocks.len() {
            match self.graph.blocks[block].end {
                LiftedEnd::Jump(next) if self.is_empty(block) && scope.follow != Some(block) => block = next,
                _ => break,
            }
        }
        let continues = scope.inner.is_some_and(|inner| inner.repeats && inner.header == block);
        let kind = if continues { StmtKind::Continue } else { StmtKind::Pass };
        Stmt::new(Origin(self.graph.blocks[to].start), kind)
    }

    /// Whether the way from a block on begins with an instruction that was written and does nothing.
    fn is_written_pass(&self, block: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        let evidence = &self.graph.evidence;
        let is_pass = !evidence.is_jump(found.end_offset) || evidence.jumps_for_pass(found.end_offset);
        self.is_empty(block) && found.written.is_some() && is_pass
    }

    /// Whether a block raises what the `assert` raises that a block ends with the test of: that begins no line below the
    /// test, as `assert False` behind a loop does.
    pub(super) fn fails_assertion(&self, test: BlockId, block: BlockId) -> bool {
        let LiftedEnd::Raise { exc: Some(exc), cause: None } = &self.graph.blocks[block].end else {
            return false;
        };
        let raised = match &exc.kind {
            ExprKind::Call(call) => &call.func.kind,
            kind => kind,
        };
        let evidence = &self.graph.evidence;
        let lines =
            [evidence.first_line(&self.graph.blocks[block]), evidence.last_line(&self.graph.blocks[test])];
        *raised == ExprKind::Temp(ASSERTION_ERROR) && matches!(lines, [Some(own), Some(test)] if own <= test)
    }

    /// Whether a block, behind an arm that leaves, is an `else` all the same: the jump that skips it was kept.
    fn is_else(&self, block: BlockId, scope: &Scope) -> bool {
        match self.graph.blocks[block].dead.in_front {
            Some(Landing::At(start)) => {
                scope.follow.is_some_and(|follow| self.graph.blocks[follow].start == start)
            }
            Some(Landing::End | Landing::Unreached) => true,
            Some(Landing::Written) | None => false,
        }
    }

    /// Whether an unreachable jump in the first arm of an `if` leads behind the statement, past the other arm, which is an
    /// `else` then.
    fn skips(&self, arm: BlockId, other: BlockId, scope: &Scope) -> bool {
        if !self.dead.any() {
            return false;
        }
        let leaving = self.leaving();
        if leaving.is_empty() {
            return false;
        }
        let repeated = scope.inner.filter(|inner| inner.repeats).map(|inner| inner.header);
        let behind = || scope.follow.into_iter().chain(repeated);
        let to = self.settle(other, scope);
        // What ends the handler around lies behind both arms, though a `return` in one of them passes it (3.8).
        let lies_before =
            |&block: &BlockId| self.graph.blocks[block].end_offset < self.graph.blocks[to].start;
        let leads = |to: BlockId| {
            leaving.get(&to).is_some_and(|blocks| self.dominators.below(arm, blocks).iter().any(lies_before))
        };
        behind().all(|behind| behind != to) && behind().any(leads)
    }

    /// The blocks in front of unreachable jumps, by where those lead.
    pub(super) fn leaving(&self) -> &HashMap<BlockId, Vec<BlockId>> {
        self.leaving.get_or_init(|| {
            let mut found: HashMap<BlockId, Vec<BlockId>> = HashMap::default();
            for block in 0..self.graph.blocks.len() {
                if let Some(to) = self.dead.from(block) {
                    found.entry(to).or_default().push(block);
                }
            }
            found.values_mut().for_each(|blocks| self.dominators.sort(blocks));
            found
        })
    }

    /// The body of an `if` or a case that does nothing is a jump that the bytecode has; a `break` there was written, too, be it
    /// that what it leads to was copied there. A jump to another one is no `continue`, which leads to the head of its loop
    /// itself: to 3.9, where jumps lead further than the compiler wrote them, but by one jump only.
    pub(super) fn spell_jump(&self, jump: Option<u32>, to: BlockId, scope: &Scope, body: &mut Body) {
        match (&mut body[..], jump) {
            ([], Some(jump)) => {
                let evidence = &self.graph.evidence;
                let continues = scope.inner.is_some_and(|inner| scope.follow == Some(inner.header))
                    && !evidence.jump_target(jump).is_some_and(|to| evidence.is_jump(to));
                let kind = if continues { StmtKind::Continue } else { StmtKind::Pass };
                body.push(Stmt::new(Origin(jump), kind));
            }
            ([Stmt { kind: StmtKind::Break | StmtKind::Continue, origin: known }], _) => {
                *known = Origin(jump.unwrap_or(self.graph.blocks[to].start));
            }
            _ => {}
        }
    }
}

/// A test whose outcome does not matter; its truth is still asked for.
fn tested(test: Expr, origin: Origin) -> Stmt {
    let body = vec![Stmt::new(Origin::NONE, StmtKind::Pass)];
    Stmt::new(origin, StmtKind::If { test, body, orelse: Body::new() })
}
