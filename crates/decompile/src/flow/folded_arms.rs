//! What the compiler folded in one arm of a conditional expression, a part of `reduce`.
//!
//! The end of the function is copied to the arms that lead to it, and then each block is folded by itself: an operation
//! whose first operand is the conditional expression is a constant in the arm that falls into its copy, and stays in the
//! one that jumped there.
//!
//! Example: `('1',); Return` and `'2'; BUILD_TUPLE 1; Return` are `'1' if test else '2'; BUILD_TUPLE 1; Return`.

use depyf_bytecode::Op;
use depyf_syntax::ast::{BinaryOp, Expr, ExprKind, Literal};
use depyf_value::PyStr;

use super::{Folded, Step, StepKind};
use crate::lift::without_late_spelling;

/// Takes the operation that one arm does, and the other one was folded with, out of the values of both; gives its steps.
pub(super) fn unfold_arms(arms: [(&[Step], &mut Folded); 2]) -> Vec<Step> {
    let [a, b] = arms;
    let (folded, (steps, whole)) = match (a.0, b.0) {
        ([_], [_, _, ..]) => (a.1, b),
        ([_, _, ..], [_]) => (b.1, a),
        _ => return Vec::new(),
    };
    let ExprKind::Literal(value) = &folded.expr.kind else { return Vec::new() };
    match operands(&whole.expr, value) {
        Some((own, other)) if operation_on_constants(steps) == Some(steps.len()) => {
            whole.expr = own;
            folded.expr.kind = ExprKind::Literal(other);
            steps[1..].to_vec()
        }
        _ => Vec::new(),
    }
}

/// How many steps an operation on constants is that steps begin with. The compiler folds it, unless a way leads to the
/// place behind the first constant.
pub(super) fn operation_on_constants(steps: &[Step]) -> Option<usize> {
    let constants = steps.iter().take_while(|step| step.is_constant()).count();
    let StepKind::Op(operation) = steps.get(constants)?.kind else { return None };
    let takes = match operation {
        Op::BuildTuple(count) => count as usize,
        Op::Binary(_) => 2,
        Op::Unary(_) => 1,
        _ => return None,
    };
    (takes > 0 && takes == constants).then_some(constants + 1)
}

/// The first operand of an operation on constants, and what gives another value in its place.
fn operands(operation: &Expr, value: &Literal) -> Option<(Expr, Literal)> {
    match (&operation.kind, value) {
        (ExprKind::Tuple(items), Literal::Tuple(values)) => {
            let is = |(item, value): (Expr, &Literal)| item.kind == ExprKind::Literal(value.clone());
            let (first, others) = items.split_first()?;
            let (other, rest) = values.split_first()?;
            let others = others.iter().map(without_late_spelling);
            let same = others.len() == rest.len() && others.zip(rest).all(is);
            same.then(|| (without_late_spelling(first), other.clone()))
        }
        (ExprKind::Binary { op: BinaryOp::Add, left, right }, Literal::Str(sum)) => {
            match without_late_spelling(right).kind {
                ExprKind::Literal(Literal::Str(end)) => {
                    let start = sum.as_wtf8().strip_suffix(end.as_wtf8())?;
                    Some(((**left).clone(), Literal::Str(PyStr::from_wtf8(start)?)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
