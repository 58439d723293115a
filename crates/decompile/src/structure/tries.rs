//! Protected regions: `try` and `with`.

use depyf_syntax::ast::{Block as Body, ExprKind, Handler, Origin, Stmt, StmtKind, Try};

use super::{Scope, Structurer};
use crate::flow::{BlockId, RegionId, RegionKind};
use crate::lift::{LiftResult, LiftedEnd, exception_temporary};

/// Where the ways out of a protected region lead.
struct Exits {
    /// Behind the whole statement.
    follow: Option<BlockId>,
    /// What runs only where no exception was raised: the `else` of a `try`.
    orelse: Option<BlockId>,
}

impl Structurer<'_> {
    /// Prints the statement of `region`, which starts at `first`, and goes on behind it.
    pub(super) fn emit_try(
        &mut self,
        first: BlockId,
        region: RegionId,
        scope: Scope,
        out: &mut Body,
    ) -> LiftResult<()> {
        let handler = self.graph.regions[region].handler;
        let kind = self.graph.regions[region].kind;
        let exits = self.exits(region, scope);
        let claims: Vec<BlockId> =
            exits.follow.into_iter().chain(exits.orelse).filter(|&exit| scope.follow != Some(exit)).collect();
        for &claim in &claims {
            self.claimed[claim] += 1;
        }
        let inner = Scope { depth: scope.depth + 1, ..scope };
        let mut body = Body::new();
        let follow = exits.orelse.or(exits.follow).or(scope.follow);
        self.emit(first, Scope { follow, region: Some(region), ..inner }, &mut body)?;
        let after = Scope { follow: exits.follow.or(scope.follow), ..inner };
        let mut orelse = Body::new();
        if let Some(start) = exits.orelse {
            self.unclaim(start, scope);
            self.goto(start, after, &mut orelse)?;
        }
        match kind {
            RegionKind::With { .. } => {
                if !orelse.is_empty() {
                    return self.error(first, "a `with` statement goes on in two places");
                }
                self.fill_with(first, body, out)?;
            }
            RegionKind::Finally { .. } => {
                if !orelse.is_empty() {
                    return self.error(first, "a `finally` body is left in two ways");
                }
                let mut finalbody = Body::new();
                self.emit(handler, Scope { follow: None, handler: Some(handler), ..inner }, &mut finalbody)?;
                let origin = Origin(self.graph.blocks[first].start);
                out.push(Stmt::new(origin, StmtKind::Try(Box::new(with_finally(body, finalbody)))));
            }
            RegionKind::Try | RegionKind::TryStar { .. } => {
                let mut handlers = Vec::new();
                self.emit_handlers(handler, Scope { handler: Some(handler), ..after }, &mut handlers)?;
                let origin = Origin(self.graph.blocks[first].start);
                let finalbody = Body::new();
                let statement = Try {
                    body,
                    handlers,
                    orelse,
                    finalbody,
                    is_star: matches!(kind, RegionKind::TryStar { .. }),
                };
                out.push(Stmt::new(origin, StmtKind::Try(Box::new(statement))));
            }
        }
        match exits.follow {
            Some(follow) => {
                self.unclaim(follow, scope);
                self.goto(follow, scope, out)
            }
            None => Ok(()),
        }
    }

    fn unclaim(&mut self, block: BlockId, scope: Scope) {
        if scope.follow != Some(block) {
            self.claimed[block] -= 1;
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

    /// Finds where the region's normal ways out and those of its handlers lead.
    fn exits(&self, region: RegionId, scope: Scope) -> Exits {
        let inside = |block: BlockId| self.regions[block].contains(&region);
        let known = |block: BlockId| {
            let end = self.behind_empty(block);
            scope.inner.is_some_and(|outer| outer.header == end || outer.exit == Some(end))
        };
        let mut normal: Vec<BlockId> = Vec::new();
        for block in (0..self.graph.blocks.len()).filter(|&block| inside(block)) {
            for next in self.graph.blocks[block].end.successors() {
                if !inside(next) && !known(next) && !normal.contains(&next) {
                    normal.push(next);
                }
            }
        }
        normal.sort_by_key(|&block| self.dominators.position(block));
        if let RegionKind::With { swallowed: follow } | RegionKind::TryStar { follow } =
            self.graph.regions[region].kind
        {
            // Behind the statement lies what a swallowed exception leads to, whatever the body does.
            let follow = self.behind_empty(follow);
            let other =
                |&block: &BlockId| self.behind_empty(block) != follow && self.plain_return(block).is_none();
            return Exits { follow: Some(follow), orelse: normal.into_iter().find(other) };
        }
        let handled = self.handler_exits(region, &known);
        // A bare return stands inside the region, unless it is the only thing behind it.
        let plain = normal.len() > 1 || handled.first().is_some_and(|exit| !normal.contains(exit));
        let after: Vec<BlockId> =
            normal.iter().copied().filter(|&block| !(plain && self.plain_return(block).is_some())).collect();
        let join = handled.iter().copied().find(|exit| after.contains(exit));
        match (join, &after[..], &handled[..]) {
            (Some(join), _, _) => {
                let orelse = after.iter().copied().find(|&exit| exit != join);
                Exits { follow: Some(join), orelse }
            }
            (None, [], []) => Exits { follow: None, orelse: None },
            (None, [], [exit, ..]) => Exits { follow: Some(*exit), orelse: None },
            (None, [exit, ..], []) => Exits { follow: Some(*exit), orelse: None },
            (None, [exit, ..], [join, ..]) => {
                // The handlers join the normal way later: what lies before is the `else`.
                Exits { follow: Some(*join), orelse: Some(*exit) }
            }
        }
    }

    /// Where the handler's blocks lead to: blocks that it does not dominate, in reverse postorder.
    fn handler_exits(&self, region: RegionId, known: &impl Fn(BlockId) -> bool) -> Vec<BlockId> {
        let start = self.graph.regions[region].handler;
        let mut found = Vec::new();
        let mut seen = vec![start];
        let mut work = vec![start];
        while let Some(block) = work.pop() {
            for next in self.graph.blocks[block].end.successors() {
                if self.dominators.dominates(self.graph.regions[region].handler, next) {
                    if !seen.contains(&next) {
                        seen.push(next);
                        work.push(next);
                    }
                } else if !known(next) && !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        found.sort_by_key(|&block| self.dominators.position(block));
        found
    }

    /// The first block from `block` on that does something.
    pub(super) fn behind_empty(&self, mut block: BlockId) -> BlockId {
        for _ in 0..self.graph.blocks.len() {
            match self.graph.blocks[block].end {
                LiftedEnd::Jump(next) if self.is_empty(block) => block = next,
                _ => break,
            }
        }
        block
    }

    /// Prints the handlers that start at a block: `except T as name:` for each match, then what is left.
    fn emit_handlers(&mut self, start: BlockId, scope: Scope, handlers: &mut Vec<Handler>) -> LiftResult<()> {
        let graph = self.graph;
        let mut block = start;
        loop {
            let found = &graph.blocks[block];
            let origin = Origin(found.end_offset);
            match &found.end {
                LiftedEnd::ExceptMatch { kind, yes, no } if found.statements.is_empty() => {
                    self.printed[block] = true;
                    let mut body = Body::new();
                    self.goto(*yes, scope, &mut body)?;
                    let name = bound_name(&mut body, start);
                    handlers.push(Handler { origin, kind: Some(kind.clone()), name, body });
                    block = *no;
                }
                LiftedEnd::Reraise(_) if found.statements.is_empty() && !handlers.is_empty() => {
                    self.printed[block] = true;
                    return Ok(());
                }
                LiftedEnd::Jump(next) if found.statements.is_empty() && self.ways_in[*next] == 1 => {
                    self.printed[block] = true;
                    block = *next;
                }
                _ => {
                    let mut body = Body::new();
                    self.emit(block, scope, &mut body)?;
                    let name = bound_name(&mut body, start);
                    handlers.push(Handler { origin, kind: None, name, body });
                    return Ok(());
                }
            }
        }
    }
}

/// `try` with `finally`. A `try` with handlers that is all of its body becomes one statement with it.
fn with_finally(mut body: Body, finalbody: Body) -> Try {
    if let [Stmt { kind: StmtKind::Try(inner), .. }] = &mut body[..]
        && inner.finalbody.is_empty()
    {
        inner.finalbody = finalbody;
        return std::mem::replace(
            inner.as_mut(),
            Try {
                body: Body::new(),
                handlers: Vec::new(),
                orelse: Body::new(),
                finalbody: Body::new(),
                is_star: false,
            },
        );
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
