//! The negation of a condition that was read the wrong way round.
//!
//! Jumps alone do not tell `not a and not b` from `not (a or b)`. What follows may: an operand of `and` or `or` whose
//! value is used is negated by an operation of its own, so a condition that would need a `not` there was the other
//! one of the two.

use depyf_bytecode::{Op, UnaryOp};
use depyf_syntax::ast::{self, Expr, ExprKind};

use super::{Folded, Piece, Step, StepKind};
use crate::names::{compares_with_none, negated};

/// The `not` behind the first operand of the condition at the end of `steps`: where the condition is the other one of the
/// two, that operand has none.
pub(super) fn first_not(steps: &[Step]) -> Option<usize> {
    not_before(steps, |_| true)
}

/// The same, if negating the condition takes `not`s away only.
pub(super) fn removable_not(steps: &[Step]) -> Option<usize> {
    not_before(steps, |values| values.iter().all(|value| loses_its_not(&value.expr)))
}

/// The `not` in front of all operands that are added at the end of `steps`, as far as they are `negatable`.
fn not_before(steps: &[Step], negatable: impl Fn(&[Folded]) -> bool) -> Option<usize> {
    let is_added = |step: &&Step| match step.kind.as_piece() {
        Some(Piece::Bool { values, .. }) => negatable(values),
        _ => false,
    };
    let not = steps.len().checked_sub(steps.iter().rev().take_while(is_added).count() + 1)?;
    matches!(steps[not].kind, StepKind::Op(Op::Unary(UnaryOp::Not))).then_some(not)
}

/// Negates a condition by De Morgan's laws, where [`first_not`] found `not`.
///
/// Example: `a, Not, and (not b)` becomes `a, or (b)`.
pub(super) fn negate_condition(steps: &mut Vec<Step>, not: usize) {
    steps.remove(not);
    for step in &mut steps[not..] {
        if let StepKind::Piece(piece) = &mut step.kind
            && let Piece::Bool { and, values, .. } = &mut **piece
        {
            *and = !*and;
            for value in values {
                let Folded { expr, effects } = value.clone();
                *value = Folded { expr: negation(expr), effects };
            }
        }
    }
}

/// Whether the negation of an expression has the `not`s of the expression less.
fn loses_its_not(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary { op: ast::UnaryOp::Not, .. } => true,
        ExprKind::Bool { values, .. } => values.iter().all(loses_its_not),
        _ => false,
    }
}

/// The negation of an expression, which only what is no `and` and no `or` has.
fn negation(expr: Expr) -> Expr {
    let Expr { origin, kind, .. } = expr;
    match kind {
        ExprKind::Bool { op, values } => {
            let values = values.into_iter().map(negation).collect();
            Expr::new(origin, ExprKind::Bool { op: op.other(), values })
        }
        kind => negated(Expr::new(origin, kind)),
    }
}

/// How many `not`s a condition has, or its negation, after De Morgan. What the compiler turns by itself was not negated
/// in the source: it counts more.
pub(super) fn nots(expr: &Expr, negated: bool) -> usize {
    match &expr.kind {
        ExprKind::Unary { op: ast::UnaryOp::Not, operand } => nots(operand, !negated),
        ExprKind::Bool { values, .. } => values.iter().map(|value| nots(value, negated)).sum(),
        ExprKind::IfExp { body, orelse, .. } => nots(body, negated) + nots(orelse, negated),
        ExprKind::Compare { .. } => match compares_with_none(expr) {
            Some(true) => 0,
            Some(false) => 2 * usize::from(negated),
            None => usize::from(negated),
        },
        // So is a constant.
        ExprKind::Literal(_) => 2 * usize::from(negated),
        _ => usize::from(negated),
    }
}
