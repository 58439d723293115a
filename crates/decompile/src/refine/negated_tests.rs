//! Pass: a test has no `not` that it can do without.
//!
//! Jumps alone do not tell `not (not a or b)` from `a and not b`: an operand may have been read the wrong way round before
//! it was known what it is an operand of. Nobody writes the former, nor a `not` around what takes no more of them without.
//!
//! Needs: all tests are spelled, and the comparisons that the compiler turns are. Establishes: in what decides where
//! control goes on, no `not` stands in front of several conditions whose negations have no more of them; neither does one
//! that no instruction computes in front of an operand whose value may be that of the whole.
//!
//! Example: `if a or not (not b or not c)` becomes `if a or b and c`.

use depyf_bytecode::{Function, Op, UnaryOp as Negation};
use depyf_syntax::ast::{Block, Expr, ExprKind, StmtKind, UnaryOp};

use crate::flow::{Contents, instruction_at};
use crate::names::{compares_with_none, negated, unary};
use crate::visit::{each_block, walk};

/// See the module.
pub(crate) fn spell_negated_tests(block: &mut Block, function: &Function, contents: Contents) {
    spell_tests(block, false, contents);
    walk(block, &mut |expr| {
        if let ExprKind::Bool { values, .. } = &mut expr.kind {
            let read = values.iter_mut().filter(|value| is_read(value, function));
            read.for_each(|value| lose_not(value, false));
        }
    });
}

/// Whether a `not` is how jumps were read: where a value is negated, an instruction does that, once or twice.
fn is_read(value: &Expr, function: &Function) -> bool {
    let negates = |op: Op| matches!(op, Op::Unary(Negation::Not) | Op::ToBool);
    matches!(value.kind, ExprKind::Unary { op: UnaryOp::Not, .. })
        && instruction_at(function, value.origin.0).is_some_and(|found| !negates(found.op))
}

/// Spells all tests; `none`, if one jump tests for None: then the negation of such a test needs no `not` either.
pub(super) fn spell_tests(block: &mut Block, none: bool, contents: Contents) {
    each_test(block, contents, &|test| spell(test, none));
}

/// Visits what decides where control goes on, in a function that holds something.
pub(super) fn each_test(block: &mut Block, contents: Contents, visit: &impl Fn(&mut Expr)) {
    if contents.meets(Contents::INNER_TESTS) {
        walk(block, &mut |expr| match &mut expr.kind {
            ExprKind::IfExp { test, .. } => visit(test),
            ExprKind::Comprehension { clauses, .. } => {
                clauses.iter_mut().flat_map(|clause| &mut clause.conditions).for_each(visit);
            }
            _ => {}
        });
    }
    each_statement_test(block, visit);
}

fn each_statement_test(block: &mut Block, visit: &impl Fn(&mut Expr)) {
    for statement in block {
        match &mut statement.kind {
            StmtKind::If { test, .. } | StmtKind::While { test, .. } | StmtKind::Assert { test, .. } => {
                visit(test);
            }
            StmtKind::Match { cases, .. } => {
                cases.iter_mut().filter_map(|case| case.guard.as_mut()).for_each(visit);
            }
            _ => {}
        }
        each_block(statement, |block| each_statement_test(block, visit));
    }
}

/// Spells a test, and those that it is made of.
fn spell(test: &mut Expr, none: bool) {
    lose_not(test, none);
    match &mut test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => spell(operand, none),
        ExprKind::Bool { values, .. } => values.iter_mut().for_each(|value| spell(value, none)),
        _ => {}
    }
}

/// Turns what stands behind a `not`, where it reads better without.
fn lose_not(test: &mut Expr, none: bool) {
    if let ExprKind::Unary { op: UnaryOp::Not, operand } = &mut test.kind
        && loses_its_not(operand, none)
    {
        let operand = std::mem::replace(&mut **operand, Expr::name("_"));
        *test = turned(operand, none);
    }
}

/// Whether a test reads better turned than behind a `not`.
fn loses_its_not(test: &Expr, none: bool) -> bool {
    let most = i32::from(matches!(test.kind, ExprKind::Bool { .. }));
    more_negations(test, none).is_some_and(|more| more <= most)
}

/// How many `not`s more than a test its negation takes that has none in front. None if the compiler makes another test
/// of it.
fn more_negations(test: &Expr, none: bool) -> Option<i32> {
    match &test.kind {
        ExprKind::Unary { op: UnaryOp::Not, .. } => Some(-1),
        ExprKind::Bool { values, .. } => values.iter().try_fold(0, |sum, value| {
            let more = more_negations(value, none);
            let one = matches!(value.kind, ExprKind::Bool { .. }).then_some(1);
            Some(sum + more.into_iter().chain(one).min()?)
        }),
        _ => match compares_with_none(test) {
            Some(is_none) => (is_none && none).then_some(0),
            None => Some(1),
        },
    }
}

/// The negation of what [`loses_its_not`].
fn turned(test: Expr, none: bool) -> Expr {
    match test.kind {
        ExprKind::Bool { op, values } => {
            let turned = |value: Expr| match value.kind {
                ExprKind::Bool { .. } if !loses_its_not(&value, none) => {
                    Expr::new(value.origin, unary(UnaryOp::Not, value))
                }
                _ => turned(value, none),
            };
            let values = values.into_iter().map(turned).collect();
            Expr::new(test.origin, ExprKind::Bool { op: op.other(), values })
        }
        _ => negated(test),
    }
}
