//! Pass: no `not` stands in front of a constant in a test.
//!
//! The compiler makes another constant of `not 1` on the tree, so a jump that tests a constant the other way round was
//! written under a `not` around several conditions.
//!
//! Needs: all tests are spelled, and no `not` that reads better elsewhere is moved any more. Establishes: where a `not`
//! around conditions does as well, none is in front of a constant.
//!
//! Example: `if not a and not 1` becomes `if not (a or 1)`.

use depyf_syntax::ast::{Block, Expr, ExprKind, UnaryOp};

use super::negated_tests::each_test;
use crate::flow::Contents;
use crate::names::{compares_with_none, negated, unary};

/// More than all comparisons of a test that the compiler turns.
const CONSTANT: usize = 1 << 16;

/// See the module.
pub(crate) fn spell_negated_constants(block: &mut Block, contents: Contents) {
    each_test(block, contents, &|test| {
        if negates_constant(test) {
            let found = std::mem::replace(test, Expr::name("_"));
            *test = spelled(found, false);
        }
    });
}

/// Whether a `not` is in front of a constant.
fn negates_constant(test: &Expr) -> bool {
    match &test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => {
            matches!(operand.kind, ExprKind::Literal(_)) || negates_constant(operand)
        }
        ExprKind::Bool { values, .. } => values.iter().any(negates_constant),
        _ => false,
    }
}

/// What the compiler would turn in a test, or in its negation, in the best of its spellings.
fn turned(test: &Expr, is_negated: bool) -> usize {
    match &test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => turned(operand, !is_negated),
        ExprKind::Bool { values, .. } => [is_negated, !is_negated]
            .map(|is_negated| all_turned(values, is_negated))
            .into_iter()
            .min()
            .unwrap_or(0),
        ExprKind::Literal(_) if is_negated => CONSTANT,
        _ => usize::from(is_negated && compares_with_none(test).is_some()),
    }
}

fn all_turned(values: &[Expr], is_negated: bool) -> usize {
    values.iter().map(|value| turned(value, is_negated)).fold(0, usize::saturating_add)
}

/// The best spelling of a test, or of its negation.
fn spelled(test: Expr, is_negated: bool) -> Expr {
    match test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => spelled(*operand, !is_negated),
        ExprKind::Bool { op, values } => {
            let is_around = all_turned(&values, !is_negated) < all_turned(&values, is_negated);
            let inner = is_negated != is_around;
            let op = if inner { op.other() } else { op };
            let values = values.into_iter().map(|value| spelled(value, inner)).collect();
            let whole = Expr::new(test.origin, ExprKind::Bool { op, values });
            if is_around { Expr::new(test.origin, unary(UnaryOp::Not, whole)) } else { whole }
        }
        _ if is_negated => negated(test),
        _ => test,
    }
}
