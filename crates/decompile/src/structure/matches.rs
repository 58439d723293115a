//! `match` statements.

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Literal, MatchCase, Origin, Pattern, Stmt, StmtKind};

use super::returns::is_none;
use super::{Scope, Structurer, leaves};
use crate::flow::BlockId;
use crate::lift::{LiftResult, LiftedCase, LiftedEnd};

/// What a case had for a guard behind which the compiler has left out all others.
fn truth() -> Expr {
    Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(true)))
}

/// Such a case; nothing tells what it compared with.
fn left_out_case() -> MatchCase {
    let pass = Stmt::new(Origin::NONE, StmtKind::Pass);
    MatchCase { pattern: Pattern::Singleton(Literal::None), guard: None, body: vec![pass] }
}

/// The cases of a statement.
struct Cases {
    printed: Vec<MatchCase>,
    /// Whether all of them leave.
    all_leave: bool,
    /// Whether the one before copied the subject: another one follows.
    has_next: bool,
    /// Where the later ones meet, if all cases before leave.
    joins: Vec<BlockId>,
    /// What stands behind the statement, for all of its cases leave.
    rest: Body,
}

impl Cases {
    /// Adds the last case, which has no other way on.
    fn end(&mut self, case: &LiftedCase, body: Body) {
        let (pattern, mut guard) = (case.pattern.clone(), case.guard.clone());
        let is_default = pattern.is_wildcard() && guard.is_none();
        // For a default the case before would not have copied the subject.
        let has_next = case.has_next || is_default && self.has_next;
        if has_next && guard.is_none() {
            guard = Some(truth());
        }
        self.printed.push(MatchCase { pattern, guard, body });
        self.printed.extend(has_next.then(left_out_case));
    }

    /// Adds what is done where `last` does not match: `case _`, or what follows the statement. Where another case should be,
    /// though `leads_to_case` does not hold, it was left out.
    fn otherwise(&mut self, last: &LiftedCase, mut body: Body, leads_to_case: bool) {
        if last.has_next && !leads_to_case {
            self.printed.push(MatchCase { pattern: Pattern::WILDCARD, guard: Some(truth()), body });
            self.printed.push(left_out_case());
            return;
        }
        // Of `case _ if guard` as the last case the compiler would make what it makes of `case _`.
        let needs_default = self.printed.len() > 1 && last.pattern.is_wildcard();
        if needs_default && body.is_empty() {
            body.push(Stmt::new(Origin::NONE, StmtKind::Pass));
        }
        if self.all_leave && !needs_default {
            self.rest = body;
        } else if !body.is_empty() {
            self.printed.push(MatchCase { pattern: Pattern::WILDCARD, guard: None, body });
        }
    }
}

impl Structurer<'_> {
    /// Prints the `match` statement whose first case is at the end of a block. The next case is where a case
    /// goes that does not match; what is there instead of another case is the last one, `_`.
    pub(super) fn emit_match(&mut self, first: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        let graph = self.graph;
        let start = out.len();
        let origin = Origin(graph.blocks[first].end_offset);
        let mut inner = Scope { depth: scope.depth + 1, ..*scope };
        let LiftedEnd::Case { case: first_case, .. } = &graph.blocks[first].end else {
            return self.error(first, "no case");
        };
        let subject = &first_case.subject;
        let mut cases = Cases {
            printed: Vec::new(),
            all_leave: true,
            has_next: false,
            joins: Vec::new(),
            rest: Body::new(),
        };
        let mut at = first;
        while let LiftedEnd::Case { case, yes, no } = &graph.blocks[at].end {
            let mut body = Body::new();
            self.goto(*yes, &inner, &mut body)?;
            cases.all_leave &= leaves(&body);
            self.spell_jump(graph.blocks[at].layout.jump, *yes, &inner, &mut body);
            let Some(no) = *no else {
                cases.end(case, body);
                break;
            };
            let (pattern, guard) = (case.pattern.clone(), case.guard.clone());
            cases.printed.push(MatchCase { pattern, guard, body });
            cases.has_next = case.has_next;
            if self.is_next_case(no, subject, scope)
                && self.go_on_with_case(no, scope, &mut inner, &mut cases)
            {
                at = no;
                continue;
            }
            let mut body = Body::new();
            self.goto(no, &inner, &mut body)?;
            cases.otherwise(case, body, matches!(graph.blocks[no].end, LiftedEnd::Case { .. }));
            break;
        }
        let Cases { printed: cases, joins, rest, .. } = cases;
        out.push(Stmt::new(origin, StmtKind::Match { subject: subject.clone(), cases }));
        out.extend(rest);
        for (at, &join) in joins.iter().enumerate() {
            self.release(join);
            let follow = joins.get(at + 1).copied().or(scope.follow);
            self.close_label(out, start, join)?;
            self.goto(join, &Scope { follow, ..*scope }, out)?;
        }
        Ok(())
    }

    /// Whether the statement goes on with the case at a block: then what several of the ways from there meet at stands behind
    /// the statement, which is possible where none of the cases before leads there.
    fn go_on_with_case(
        &mut self,
        next: BlockId,
        scope: &Scope,
        inner: &mut Scope,
        cases: &mut Cases,
    ) -> bool {
        let mut joins = self.joins(next, inner);
        joins.retain(|&join| !self.falls_through(join, inner));
        if !joins.is_empty() && !cases.all_leave {
            let Some(leaving) = self.way_on(scope) else { return false };
            // The cases before leave the loop's round, or the function, the later ones go on behind the statement.
            for case in cases.printed.iter_mut().filter(|case: &&mut MatchCase| !leaves(&case.body)) {
                case.body.push(Stmt::new(Origin::NONE, leaving.clone()));
            }
            cases.all_leave = true;
        }
        joins.iter().for_each(|&join| self.claim(join));
        cases.joins.splice(0..0, joins);
        inner.follow = cases.joins.first().copied().or(scope.follow);
        self.nodes[next].is_printed = true;
        true
    }

    /// What says as well that control goes on at what follows, the next round of a loop or the end of the function.
    fn way_on(&self, scope: &Scope) -> Option<StmtKind> {
        let follow = scope.follow?;
        if scope.inner.is_some_and(|inner| inner.header == follow) {
            return Some(StmtKind::Continue);
        }
        let is_end = self.graph.end == Some(follow) && self.plain_return(follow).is_some_and(is_none);
        is_end.then_some(StmtKind::Return(None))
    }

    /// Whether nothing is done on the way from a block to what follows.
    fn falls_through(&self, block: BlockId, scope: &Scope) -> bool {
        let settled = self.settle(block, scope);
        scope.follow == Some(settled) && !self.passes_written_jump(block, settled, scope)
    }

    /// Whether a block is the next case of the same statement. That takes the subject which the first case took:
    /// where the same variable was read once more, another statement begins.
    fn is_next_case(&self, block: BlockId, subject: &Expr, scope: &Scope) -> bool {
        let same = match &self.graph.blocks[block].end {
            LiftedEnd::Case { case, .. } => {
                case.subject.kind == subject.kind && case.subject.origin == subject.origin
            }
            _ => false,
        };
        same && self.is_empty(block)
            && self.nodes[block].ways_in == 1
            && !self.nodes[block].is_claimed()
            && !self.nodes[block].is_printed
            && !self.nodes[block].is_header
            && scope.follow != Some(block)
            && self.entered_region(block, scope).is_none()
    }
}
