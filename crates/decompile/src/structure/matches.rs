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

/// Whether statements are one word at most, which says where control goes on: nothing tells where that stands.
fn is_word(body: &[Stmt]) -> bool {
    match body {
        [] => true,
        [only] => match &only.kind {
            StmtKind::Return(value) => value.as_ref().is_none_or(is_none),
            StmtKind::Break | StmtKind::Continue => true,
            _ => false,
        },
        _ => false,
    }
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

/// Where a case goes that does not match, which is none that tests.
struct Otherwise {
    /// Whether it is the first case of another statement, all the same.
    is_case: bool,
    /// Whether it is the body of `case _`, as far as that is known.
    is_default: Option<bool>,
    /// What says that control goes on behind the statement.
    way_on: Option<StmtKind>,
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

    /// Adds what is done where `last` does not match: `case _`, or what follows the statement, see [`Otherwise`]. Where another
    /// case should be, though none is led to, it was left out.
    fn otherwise(&mut self, last: &LiftedCase, mut body: Body, otherwise: Otherwise) {
        if last.has_next && !otherwise.is_case {
            self.printed.push(MatchCase { pattern: Pattern::WILDCARD, guard: Some(truth()), body });
            self.printed.push(left_out_case());
            return;
        }
        // Of `case _ if guard` as the last case the compiler would make what it makes of `case _`.
        let needs_default = self.printed.len() > 1 && last.pattern.is_wildcard();
        if needs_default && body.is_empty() {
            body.push(Stmt::new(Origin::NONE, StmtKind::Pass));
        }
        let is_behind = otherwise.is_default == Some(false) && self.joins.is_empty();
        if !needs_default && is_behind && !self.all_leave && !is_word(&body) {
            self.leave(otherwise.way_on);
        }
        if self.all_leave && !needs_default && (otherwise.is_default != Some(true) || is_word(&body)) {
            self.rest = body;
        } else if !body.is_empty() {
            self.printed.push(MatchCase { pattern: Pattern::WILDCARD, guard: None, body });
        }
    }

    /// Makes all cases leave, if there is a word for where they go on.
    fn leave(&mut self, way_on: Option<StmtKind>) {
        let Some(way_on) = way_on else { return };
        // The cases before leave the loop's round, or the function, what is later goes on behind the statement.
        for case in self.printed.iter_mut().filter(|case: &&mut MatchCase| !leaves(&case.body)) {
            case.body.push(Stmt::new(Origin::NONE, way_on.clone()));
        }
        self.all_leave = true;
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
        let mut on_one_line = false;
        while let LiftedEnd::Case { case, yes, no } = &graph.blocks[at].end {
            let mut body = Body::new();
            self.goto(*yes, &inner, &mut body)?;
            cases.all_leave &= leaves(&body);
            on_one_line |= self.is_on_one_line(at, *yes);
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
            let otherwise = Otherwise {
                is_case: matches!(graph.blocks[no].end, LiftedEnd::Case { .. }),
                // The body of `case _` begins with an instruction that does nothing, unless it is on the same line (CPython
                // `codegen_match`).
                is_default: graph
                    .evidence
                    .begins_default(&graph.blocks[no])
                    .filter(|begins| *begins || !on_one_line),
                way_on: self.way_on(scope),
            };
            cases.otherwise(case, body, otherwise);
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
            cases.leave(self.way_on(scope));
            if !cases.all_leave {
                return false;
            }
        }
        joins.iter().for_each(|&join| self.claim(join));
        cases.joins.splice(0..0, joins);
        inner.follow = cases.joins.first().copied().or(scope.follow);
        self.nodes[next].is_printed = true;
        true
    }

    /// Whether the case at a block, which goes on at `yes` if it matches, has its body on its own line.
    fn is_on_one_line(&self, case: BlockId, yes: BlockId) -> bool {
        let (evidence, blocks) = (&self.graph.evidence, &self.graph.blocks);
        let case = evidence.line_at(blocks[case].end_offset);
        case.is_some() && case == evidence.line_of_case(&blocks[yes])
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
