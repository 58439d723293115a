//! Pass: `assert`.
//!
//! Needs: the structured tree, in which the constant AssertionError that only `assert` loads is a temporary of
//! its own. Establishes: `if not x: raise <it>(y)` is `assert x, y`, and the temporary is gone. Where the table has the
//! `raise` below the test, it is an `assert False, y` in the arm: no statement begins below what it tests. So `if a and
//! not x: raise <it>` with `a` on a line above is `if a: assert x`, and the guard of a case is parted in the same way.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, BoolOp, Expr, ExprKind, Literal, MatchCase, Origin, Stmt, StmtKind, UnaryOp};

use super::nested_tests::split_bool;
use crate::flow::line_of;
use crate::lift::ASSERTION_ERROR;
use crate::visit::{blocks_mut, visit_origins, walk};

/// See the module.
pub(crate) fn restore_asserts(block: &mut Block, function: &Function) {
    restore(block, function);
    walk(block, &mut |expr| {
        if expr.kind == ExprKind::Temp(ASSERTION_ERROR) {
            expr.kind = ExprKind::Name("AssertionError".into());
        }
    });
}

fn restore(block: &mut Block, function: &Function) {
    let mut done = Block::with_capacity(block.len());
    for mut statement in std::mem::take(block) {
        match &mut statement.kind {
            StmtKind::If { test, body, orelse } => {
                if let Some(message) = failed_assertion(body)
                    && !is_below(body, test, function)
                {
                    if let Some(outer) = outer_test(body, test, function) {
                        let inner = crate::names::negated(std::mem::replace(test, outer));
                        let assert = StmtKind::Assert { test: inner, message };
                        *body = vec![Stmt::new(statement.origin, assert)];
                        restore(orelse, function);
                        done.push(statement);
                        continue;
                    }
                    let test = crate::names::negated(std::mem::replace(test, Expr::name("_")));
                    let mut behind = std::mem::take(orelse);
                    restore(&mut behind, function);
                    done.push(Stmt::new(statement.origin, StmtKind::Assert { test, message }));
                    done.extend(behind);
                    continue;
                }
                if let Some(message) = failed_assertion(orelse)
                    && !is_below(orelse, test, function)
                {
                    let test = std::mem::replace(test, Expr::name("_"));
                    let mut behind = std::mem::take(body);
                    restore(&mut behind, function);
                    done.push(Stmt::new(statement.origin, StmtKind::Assert { test, message }));
                    done.extend(behind);
                    continue;
                }
            }
            StmtKind::Match { cases, .. } => {
                cases.iter_mut().for_each(|case| restore_in_case(case, function))
            }
            // The test was a constant that never holds: the compiler left it out.
            StmtKind::Raise { .. } => {
                if let Some(message) = failed_assertion(std::slice::from_ref(&statement)) {
                    let test = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(false)));
                    statement.kind = StmtKind::Assert { test, message };
                }
            }
            _ => {}
        }
        for inner in blocks_mut(&mut statement) {
            restore(inner, function);
        }
        done.push(statement);
    }
    *block = done;
}

/// Makes an `assert` of what in a guard does not stand above it: in the last case of a `match` both lead on to the same place.
fn restore_in_case(case: &mut MatchCase, function: &Function) {
    let Some(message) = failed_assertion(&case.body) else { return };
    let Some(mut guard) = case.guard.take() else { return };
    if is_below(&case.body, &mut guard, function) {
        case.guard = Some(guard);
        return;
    }
    case.guard = outer_test(&case.body, &mut guard, function);
    case.body[0].kind = StmtKind::Assert { test: crate::names::negated(guard), message };
}

/// Whether the table has the only statement of a block below all that a test is made of.
fn is_below(block: &[Stmt], test: &mut Expr, function: &Function) -> bool {
    let mut last: Option<u32> = None;
    visit_origins(test, &mut |origin| last = last.max(line_of(function, origin.0)));
    let own = block.first().and_then(|raise| line_of(function, raise.origin.0));
    last.is_some() && own > last
}

/// What a test takes that stands above the only statement of a block, if the rest does not: it is the test of an `if` around an
/// `assert`, and leaves the rest as what failed.
fn outer_test(block: &[Stmt], test: &mut Expr, function: &Function) -> Option<Expr> {
    let first_inside = |values: &mut Vec<Expr>| {
        values.iter_mut().position(|value| !is_below(block, value, function)).filter(|&at| at > 0)
    };
    match &mut test.kind {
        ExprKind::Bool { op: BoolOp::And, values } => {
            let inner = first_inside(values).and_then(|at| split_bool(test, BoolOp::And, at))?;
            Some(std::mem::replace(test, inner))
        }
        // None of them holds: as many `not`s that `and` joins.
        ExprKind::Unary { op: UnaryOp::Not, operand } if function.features.places_assertions => {
            let ExprKind::Bool { op: BoolOp::Or, values } = &mut operand.kind else { return None };
            let inner = first_inside(values).and_then(|at| split_bool(operand, BoolOp::Or, at))?;
            Some(crate::names::negated(std::mem::replace(&mut **operand, inner)))
        }
        _ => None,
    }
}

/// The message with which the statements say that an assertion failed.
#[allow(clippy::option_option, reason = "whether there is an assertion, and whether it has a message")]
fn failed_assertion(block: &[Stmt]) -> Option<Option<Expr>> {
    let [Stmt { kind: StmtKind::Raise { exc: Some(exc), cause: None }, .. }] = block else { return None };
    match &exc.kind {
        ExprKind::Temp(ASSERTION_ERROR) => Some(None),
        ExprKind::Call(call) if call.func.kind == ExprKind::Temp(ASSERTION_ERROR) => {
            match (&call.args[..], &call.keywords[..]) {
                ([message], []) if !matches!(message.kind, ExprKind::Starred(_)) => {
                    Some(Some(message.clone()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
