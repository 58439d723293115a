//! How a block ends.

use depyf_bytecode::{CommonConst, CompilerFeatures, Op, VarId};
use depyf_syntax::ast::{BoolOp, Expr, ExprKind, Literal, Origin, StmtKind};
use depyf_value::PyInt;

use super::naming::temporary;
use super::{
    Context, ExceptionPart, LiftResult, LiftedBlock, LiftedCase, LiftedEnd, Lifter, Value,
    exception_temporary,
};
use crate::flow::{BlockId, CaseId, Graph, StepKind, Terminator};
use crate::lower::truth;

/// What an edge carries beside the common stack: where to, the value pushed, values dropped.
pub(super) type Edge = (BlockId, Option<Value>, usize);

/// The edges behind a block.
pub(super) type Edges = [Option<Edge>; 2];

/// Where a pattern leads to the next case of its statement though it matches, its guard never holds: the compiler has left
/// the body out.
pub(super) fn spell_guards_that_never_hold(blocks: &mut Vec<LiftedBlock>) {
    for block in 0..blocks.len() {
        let LiftedEnd::Case { case, yes, no: Some(no) } = &blocks[block].end else { continue };
        let is_next = match &blocks[*no].end {
            LiftedEnd::Case { case: next, .. } => {
                next.subject == case.subject && blocks[*no].statements.is_empty()
            }
            _ => false,
        };
        if yes != no || !is_next || case.guard.is_some() {
            continue;
        }
        let left_out = LiftedBlock {
            statements: Vec::new(),
            end: behind_cases(blocks, block).map_or(LiftedEnd::Done, LiftedEnd::Jump),
            carries: false,
            ..blocks[block].clone()
        };
        let body = blocks.len();
        if let LiftedEnd::Case { case, yes, .. } = &mut blocks[block].end {
            case.guard = Some(Expr::new(case.subject.origin, ExprKind::Literal(Literal::Bool(false))));
            *yes = body;
        }
        blocks.push(left_out);
    }
}

/// The block behind a statement without a last case that always matches: the body of a case leads there, or is empty and
/// all that is left of it is the way there.
fn behind_cases(blocks: &[LiftedBlock], first: BlockId) -> Option<BlockId> {
    let LiftedEnd::Case { case, .. } = &blocks[first].end else { return None };
    let subject = &case.subject;
    let mut bodies = Vec::new();
    let mut at = first;
    while let LiftedEnd::Case { case, yes, no } = &blocks[at].end
        && case.subject == *subject
    {
        bodies.push(*yes);
        at = (*no)?;
        // Damaged code may lead back.
        if bodies.len() > blocks.len() {
            return None;
        }
    }
    let leads = |&body: &BlockId| body == at || matches!(blocks[body].end, LiftedEnd::Jump(to) if to == at);
    bodies.iter().any(leads).then_some(at)
}

/// Spells the test of a constant so that it is compiled. To 3.9 one that stands alone is not, and what is left of a longer
/// condition are tests that jump: where the constant is true, in an `or`, and where it is false, in an `and`. The last
/// operand, which never decides, leaves nothing.
#[inline(never)]
pub(super) fn keep_tested_constant(
    graph: &Graph,
    block: BlockId,
    context: &Context<'_>,
    end: &mut LiftedEnd,
) {
    let LiftedEnd::Branch { test, no, .. } = end else { return };
    let ExprKind::Literal(literal) = &test.kind else { return };
    let decides = CompilerFeatures::of(context.code.version).is_none_or(|by| by.decides_constant_jumps);
    let first = graph.blocks[*no].steps.first().map(|step| &step.kind);
    let is_assertion = matches!(first, Some(StepKind::Op(Op::Common(CommonConst::AssertionError))));
    let truth = truth(literal);
    if decides || context.packs_values || is_assertion || graph.blocks[block].layout.falls != Some(!truth) {
        return;
    }
    let last = Expr::new(test.origin, ExprKind::Literal(Literal::Int(PyInt::from(1))));
    let op = if truth { BoolOp::Or } else { BoolOp::And };
    let values = vec![test.clone(), last];
    test.kind = ExprKind::Bool { op, values };
}

impl Lifter<'_> {
    /// Executes the end of a block.
    pub(super) fn end(&mut self, end: Terminator, block: BlockId) -> LiftResult<(LiftedEnd, Edges)> {
        let plain = |to: BlockId| Some((to, None, 0));
        const NONE: Edges = [None, None];
        Ok(match end {
            Terminator::Jump(to) => (LiftedEnd::Jump(to), [plain(to), None]),
            Terminator::Branch { yes, no } => {
                let edges = [plain(yes), plain(no)];
                match self.pop()? {
                    Value::ExceptionMatch(kind) => match self.atoms[kind].take() {
                        Some(kind) => (LiftedEnd::ExceptMatch { kind, yes, no }, edges),
                        None => return self.error("a value is used twice"),
                    },
                    // The result of a `with` statement's exit function, which only the handler tests.
                    Value::Exception(ExceptionPart::Internal) => {
                        let test = self.expr(ExprKind::Temp(exception_temporary(block)));
                        (LiftedEnd::Branch { test, yes, no }, edges)
                    }
                    value => {
                        let (mut test, _) = self.take_one(value)?;
                        self.keep_tested_operations(&mut test);
                        (LiftedEnd::Branch { test, yes, no }, edges)
                    }
                }
            }
            Terminator::OrPop { when, keep, other } => {
                let value = self.pop()?;
                let (value, effects) = self.take_one(value)?;
                self.name_all()?;
                let number = self.temporaries.fresh();
                let temporary = temporary(number);
                let test = if matches!(value.kind, ExprKind::Bool { .. }) {
                    // Each operand is tested once, so the one that is kept is named on the way.
                    name_kept(value, when, &temporary)
                } else {
                    self.print(StmtKind::Assign { targets: vec![temporary.clone()], value }, &effects)?;
                    temporary
                };
                let (yes, no) = if when { (keep, other) } else { (other, keep) };
                let kept = Value::Temp(number, Origin::NONE.0);
                let edges = [Some((keep, Some(kept), 0)), plain(other)];
                (LiftedEnd::Branch { test, yes, no }, edges)
            }
            Terminator::ForIter { .. } | Terminator::AsyncFor { .. } => {
                let (body, exhausted, slots, pops, is_async) = match end {
                    Terminator::ForIter { body, exhausted, slots, pops } => {
                        (body, exhausted, slots, pops, false)
                    }
                    Terminator::AsyncFor { body, exhausted } => (body, exhausted, 1, true, true),
                    _ => return self.error("no loop"),
                };
                let index = self.index(slots)?;
                self.name_all()?;
                let iterator = self.resolve(self.stack[index]);
                self.stack[index] = iterator;
                let iterator = self.duplicate_atom(iterator);
                let (iter, _) = self.take_one(iterator)?;
                let item = self.temporaries.fresh();
                let value = Value::Temp(item, self.offset);
                let dropped = if pops { slots as usize } else { 0 };
                let edges = [Some((body, Some(value), 0)), Some((exhausted, None, dropped))];
                (LiftedEnd::For { iter, item, slots, body, exhausted, is_async }, edges)
            }
            Terminator::Return => {
                let value = self.pop()?;
                let (mut value, _) = self.take_one(value)?;
                self.keep_evaluated(&mut value);
                (LiftedEnd::Return(value), NONE)
            }
            // A bare `raise` raises what the innermost handler got.
            Terminator::Raise(0) if self.handler().is_some() => (LiftedEnd::Reraise(self.handler()), NONE),
            Terminator::Raise(count) => {
                let values = self.pop_many(count as usize)?;
                let (exprs, _) = self.take(&values)?;
                let mut exprs = exprs.into_iter();
                (LiftedEnd::Raise { exc: exprs.next(), cause: exprs.next().map(Box::new) }, NONE)
            }
            Terminator::Reraise => {
                let raised = match self.stack.last() {
                    Some(Value::Exception(ExceptionPart::Raised(handler) | ExceptionPart::Type(handler))) => {
                        Some(*handler)
                    }
                    _ => None,
                };
                (LiftedEnd::Reraise(raised), NONE)
            }
            Terminator::Done => (LiftedEnd::Done, NONE),
            Terminator::Nowhere => (LiftedEnd::Nowhere, NONE),
            Terminator::Send { .. }
            | Terminator::EndAsyncFor(_)
            | Terminator::EndFinally
            | Terminator::Case { .. } => {
                return self.error(format!("{end:?} has no source yet"));
            }
        })
    }
}

impl Lifter<'_> {
    /// Takes the subject of the case that a block ends with off the stack. Where the pattern or the guard store a local
    /// that the stack still holds, it gets a name first.
    #[inline(never)]
    pub(super) fn case(
        &mut self,
        graph: &Graph,
        block: BlockId,
        (case, yes, no): (CaseId, BlockId, Option<BlockId>),
    ) -> LiftResult<(LiftedEnd, Edges)> {
        let last = graph.blocks[block].steps.last();
        let has_next = last.is_some_and(|step| matches!(step.kind, StepKind::Op(Op::Copy(1))));
        // Damaged code may have a `match` inside the loop of a comprehension, which is lifted by itself.
        let Some(case) = graph.cases.get(case) else { return self.error("a case stands in an expression") };
        let guard = case.guard.as_ref();
        let mut stores: Vec<VarId> = case.all_stores().collect();
        // The cases of one statement have one subject.
        if let Some(&Value::Local(local, _)) = self.stack.last()
            && graph.pattern_stores.contains(local as usize)
        {
            stores.extend(later_stores(graph, no, local));
        }
        // A later case compares with what the local held before, so this one does as well.
        let Some(below) = self.stack.len().checked_sub(1) else { return self.error("the stack is empty") };
        for &local in &stores {
            if self.stack[..below]
                .iter()
                .any(|value| matches!(value, Value::Local(held, _) if *held == local))
            {
                self.name_local(local)?;
            }
        }
        let value = self.pop()?;
        let (subject, _) = self.take_one(value)?;
        let edges = [Some(yes), no].map(|to| Some((to?, None, 0)));
        let (pattern, guard) = (case.pattern.clone(), guard.map(|guard| guard.expr.clone()));
        let case = LiftedCase { subject, pattern, guard, has_next };
        Ok((LiftedEnd::Case { case: Box::new(case), yes, no }, edges))
    }

    /// The innermost handler that runs.
    fn handler(&self) -> Option<BlockId> {
        self.stack.iter().rev().find_map(|value| match value {
            Value::Exception(ExceptionPart::Previous(handler)) => Some(*handler),
            _ => None,
        })
    }
}

/// The local, if one of the cases that start at a block stores it.
fn later_stores(graph: &Graph, mut next: Option<BlockId>, local: VarId) -> Option<VarId> {
    for _ in 0..graph.blocks.len() {
        let Terminator::Case { case, no, .. } = graph.blocks[next?].end else { return None };
        if graph.cases[case].all_stores().any(|stored| stored == local) {
            return Some(local);
        }
        next = no;
    }
    None
}

/// Names the operand of `and` and `or` that is the value where the truth of the whole is `when`.
fn name_kept(value: Expr, when: bool, temporary: &Expr) -> Expr {
    let origin = value.origin;
    match value.kind {
        ExprKind::Bool { op, mut values } => {
            // `a and b` is true only with the value of `b`; where it is false, either may be the value.
            let only_last = (op == BoolOp::And) == when;
            let named = if only_last { values.len() - 1.min(values.len()) } else { 0 };
            let values = values
                .drain(..)
                .enumerate()
                .map(|(at, operand)| if at >= named { name_kept(operand, when, temporary) } else { operand });
            Expr::new(origin, ExprKind::Bool { op, values: values.collect() })
        }
        kind => {
            let value = Box::new(Expr::new(origin, kind));
            let target = super::temporary_target(temporary);
            Expr::new(origin, ExprKind::Named { target, value })
        }
    }
}
