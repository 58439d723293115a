//! Pass: a test for None is written without a `not`.
//!
//! From 3.11 on one jump tests for None, or for anything else (`POP_JUMP_IF_NONE`), whichever of `is` and `is not` was
//! written. So both `not (a is None and b is None)` and `a is not None or b is not None` may have been; the latter is
//! what people write.
//!
//! Needs: all tests are spelled, and the comparisons that the compiler turns are. Establishes: in what decides where
//! control goes on, no `not` stands in front of a comparison with None, or of such comparisons and negations alone.
//!
//! Example: `if a and not (b is None and c is None)` becomes `if a and (b is not None or c is not None)`.

use depyf_syntax::ast::{Block, BoolOp, CompareOp, Expr, ExprKind, Literal, StmtKind, UnaryOp};

use super::visit::{each_block, walk};
use crate::names::negated;

/// See the module.
pub(crate) fn spell_none_tests(block: &mut Block) {
    walk(block, &mut |expr| match &mut expr.kind {
        ExprKind::IfExp { test, .. } => spell(test),
        ExprKind::Comprehension { clauses, .. } => {
            clauses.iter_mut().flat_map(|clause| &mut clause.conditions).for_each(spell);
        }
        _ => {}
    });
    spell_statements(block);
}

fn spell_statements(block: &mut Block) {
    for statement in block {
        match &mut statement.kind {
            StmtKind::If { test, .. } | StmtKind::While { test, .. } | StmtKind::Assert { test, .. } => {
                spell(test);
            }
            StmtKind::Match { cases, .. } => {
                cases.iter_mut().filter_map(|case| case.guard.as_mut()).for_each(spell);
            }
            _ => {}
        }
        each_block(statement, spell_statements);
    }
}

/// Spells a test, and those that it is made of.
fn spell(test: &mut Expr) {
    match &mut test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => {
            if tests_for_none(operand) && loses_its_not(operand) {
                let operand = std::mem::replace(&mut **operand, Expr::name("_"));
                *test = turned(operand);
            } else {
                spell(operand);
            }
        }
        ExprKind::Bool { values, .. } => values.iter_mut().for_each(spell),
        _ => {}
    }
}

/// Whether a comparison with None is a part of a test.
fn tests_for_none(test: &Expr) -> bool {
    match &test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => tests_for_none(operand),
        ExprKind::Bool { values, .. } => values.iter().any(tests_for_none),
        ExprKind::Compare { rest, .. } => match &rest[..] {
            [(op, right)] => {
                matches!(op, CompareOp::Is | CompareOp::IsNot)
                    && right.kind == ExprKind::Literal(Literal::None)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether the negation of a test needs no `not` that the test has not.
fn loses_its_not(test: &Expr) -> bool {
    match &test.kind {
        ExprKind::Unary { op: UnaryOp::Not, .. } => true,
        ExprKind::Bool { values, .. } => values.iter().all(loses_its_not),
        _ => tests_for_none(test),
    }
}

/// The negation of what [`loses_its_not`].
fn turned(test: Expr) -> Expr {
    match test.kind {
        ExprKind::Bool { op, values } => {
            let op = if op == BoolOp::And { BoolOp::Or } else { BoolOp::And };
            Expr::new(test.origin, ExprKind::Bool { op, values: values.into_iter().map(turned).collect() })
        }
        _ => negated(test),
    }
}
