//! Pass: `not a in b` is spelled `a not in b`, and `not a is b` so as well.
//!
//! To 3.13 the compiler turns the one into the other on the tree, so a test that jumps where `a in b` holds, and no
//! operation that negates, was written otherwise: under a `not` around several conditions, which is no part of any of
//! them.
//!
//! Needs: all tests are spelled. Establishes: the compiler makes the comparisons and jumps of the bytecode again.
//!
//! Example: `if not a in b and not c` becomes `if not (a in b or c)`, and `if not a in b` alone `if a not in b`.

use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, UnaryOp};

use crate::names::compares_with_none;
use crate::visit::{each_block, each_child, each_expr};

/// See the module. To 3.9 the compiler leaves the values of assignment expressions as they are.
pub(crate) fn turn_comparisons(block: &mut Block, folds_named_values: bool) {
    for statement in block {
        each_expr(statement, |expr| turn(expr, folds_named_values));
        each_block(statement, |inner| turn_comparisons(inner, folds_named_values));
    }
}

/// Turns the comparisons in an expression.
fn turn(expr: &mut Expr, folds_named_values: bool) {
    match &mut expr.kind {
        ExprKind::Name(_) | ExprKind::Literal(_) => return,
        ExprKind::Named { .. } if !folds_named_values => return,
        ExprKind::Bool { op, values } if values.iter().all(may_be_negated) && values.iter().any(is_kept) => {
            *op = op.other();
            values.iter_mut().for_each(negate);
            let inner = std::mem::replace(&mut expr.kind, ExprKind::Literal(Literal::None));
            let operand = Box::new(Expr::new(expr.origin, inner));
            expr.kind = ExprKind::Unary { op: UnaryOp::Not, operand };
        }
        ExprKind::Unary { op: UnaryOp::Not, operand } if compares_with_none(operand).is_some() => {
            negate(operand);
            let inner = std::mem::replace(&mut operand.kind, ExprKind::Literal(Literal::None));
            expr.kind = inner;
        }
        _ => {}
    }
    each_child(expr, |child| turn(child, folds_named_values));
}

/// Whether the expression is a negation that the compiler would have turned.
fn is_kept(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Unary { op: UnaryOp::Not, operand } if compares_with_none(operand).is_some())
}

/// Whether the negation of the expression has the same instructions: a `not` goes, and a comparison with None is
/// tested in one way.
fn may_be_negated(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Unary { op: UnaryOp::Not, .. }) || compares_with_none(expr) == Some(true)
}

/// Negates a `not` or a comparison.
fn negate(expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => {
            let operand = std::mem::replace(&mut **operand, Expr::name("_"));
            *expr = operand;
        }
        ExprKind::Compare { rest, .. } => {
            for (op, _) in rest {
                *op = op.negated().unwrap_or(*op);
            }
        }
        _ => {}
    }
}
