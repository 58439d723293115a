//! Pass: a test has no `not` that it can do without.
//!
//! Jumps alone do not tell `not (not a or not b)` from `a and b`: an operand may have been read the wrong way round before
//! it was known what it is an operand of. Nobody writes the former.
//!
//! Needs: all tests are spelled, and the comparisons that the compiler turns are. Establishes: in what decides where
//! control goes on, no `not` stands in front of negations alone.
//!
//! Example: `if a or not (not b or not c)` becomes `if a or b and c`.

use depyf_syntax::ast::{Block, BoolOp, CompareOp, Expr, ExprKind, Literal, StmtKind, UnaryOp};

use super::visit::{each_block, walk};
use crate::names::negated;

/// See the module.
pub(crate) fn spell_negated_tests(block: &mut Block) {
    spell_tests(block, false);
}

/// Spells all tests; `none`, if one jump tests for None: then the negation of such a test needs no `not` either.
pub(super) fn spell_tests(block: &mut Block, none: bool) {
    let spell = |test: &mut Expr| spell(test, none);
    walk(block, &mut |expr| match &mut expr.kind {
        ExprKind::IfExp { test, .. } => spell(test),
        ExprKind::Comprehension { clauses, .. } => {
            clauses.iter_mut().flat_map(|clause| &mut clause.conditions).for_each(spell);
        }
        _ => {}
    });
    spell_statements(block, &spell);
}

fn spell_statements(block: &mut Block, spell: &impl Fn(&mut Expr)) {
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
        each_block(statement, |block| spell_statements(block, spell));
    }
}

/// Spells a test, and those that it is made of.
fn spell(test: &mut Expr, none: bool) {
    match &mut test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => {
            if loses_its_not(operand, none) {
                let operand = std::mem::replace(&mut **operand, Expr::name("_"));
                *test = turned(operand);
            } else {
                spell(operand, none);
            }
        }
        ExprKind::Bool { values, .. } => values.iter_mut().for_each(|value| spell(value, none)),
        _ => {}
    }
}

/// Whether a test compares with None.
fn tests_for_none(test: &Expr) -> bool {
    match &test.kind {
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
fn loses_its_not(test: &Expr, none: bool) -> bool {
    match &test.kind {
        ExprKind::Unary { op: UnaryOp::Not, .. } => true,
        ExprKind::Bool { values, .. } => values.iter().all(|value| loses_its_not(value, none)),
        _ => none && tests_for_none(test),
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
