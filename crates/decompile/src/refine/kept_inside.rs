//! Code objects that no instruction loads, in the middle of an expression: a part of [`keep_nested_code`](super::keep_nested_code).
//!
//! The compiler drops the operands that a constant decides, but in 3.10 and 3.11 keeps their code objects: `a and () and [..]`.
//! Where such a one is called as another one of the expression in front of it, it stands right behind that:
//! `x if True else kept` is as much as `x`.

use depyf_syntax::ast::{BoolOp, Expr, ExprKind, Literal, Stmt, StmtKind};

use crate::never_run::choose;
use crate::visit::{each_child, each_default, each_expr};

/// Puts what never runs behind the expression that loads the code object in front of the last `followed` ones of a
/// statement; says whether there is one.
pub(super) fn keep_inside(statement: &mut Stmt, followed: usize, kept: Vec<Expr>) -> bool {
    let Some(mut left) = count(statement).checked_sub(followed) else { return false };
    let mut kept = Some(kept).filter(|_| left > 0);
    each_head(statement, |expr| keep_behind(expr, &mut left, &mut kept));
    kept.is_none()
}

/// The same behind the code object of a number in the head of a statement, if others follow there.
pub(super) fn keep_in_head(statement: &mut Stmt, mut number: usize, kept: &[Expr]) -> bool {
    if number == 0 || number >= count(statement) {
        return false;
    }
    let mut kept = Some(kept.to_vec());
    each_head(statement, |expr| keep_behind(expr, &mut number, &mut kept));
    kept.is_none()
}

/// How many code objects the expressions load that a statement begins with.
fn count(statement: &mut Stmt) -> usize {
    let mut count = 0;
    each_head(statement, |expr| {
        each_loading(expr, &mut |_| {
            count += 1;
            false
        });
    });
    count
}

/// The same behind the code object of a number, counted from 1, which is left where that comes later.
pub(super) fn keep_behind(expr: &mut Expr, number: &mut usize, kept: &mut Option<Vec<Expr>>) {
    each_loading(expr, &mut |loading| {
        *number = number.wrapping_sub(1);
        if *number == 0
            && let Some(kept) = kept.take()
        {
            choose(loading, kept);
        }
        *number == 0
    });
}

/// Puts what never runs into the value of a lambda, in front of it or behind the code object in front of the last `followed`
/// ones.
pub(super) fn keep_in_lambda(statement: &mut Stmt, kept: Vec<Expr>, is_first: bool, followed: usize) {
    if !is_first && keep_inside(statement, followed, kept.clone()) {
        return;
    }
    let StmtKind::Return(Some(value)) = &mut statement.kind else { return };
    choose(value, kept);
    // The arm that is never chosen comes first behind another test.
    if is_first && let ExprKind::IfExp { test, body, orelse } = &mut value.kind {
        test.kind = ExprKind::Literal(Literal::Bool(false));
        std::mem::swap(body, orelse);
    }
}

/// Puts what never runs beside the value of a statement that has one. A constant alone would be none that runs, either.
pub(super) fn keep_beside(statement: &mut Stmt, kept: &mut Option<Vec<Expr>>) {
    let value = match &mut statement.kind {
        StmtKind::Expr(value) if matches!(value.kind, ExprKind::Literal(_)) => return,
        StmtKind::Expr(value) | StmtKind::Assign { value, .. } | StmtKind::Return(Some(value)) => value,
        _ => return,
    };
    if let Some(kept) = kept.take() {
        choose(value, kept);
    }
}

/// The expressions that a statement begins with.
fn each_head(statement: &mut Stmt, mut visit: impl FnMut(&mut Expr)) {
    match &mut statement.kind {
        StmtKind::For { iter, .. } => visit(iter),
        StmtKind::Match { subject, .. } => visit(subject),
        StmtKind::Function(_) | StmtKind::Class(_) | StmtKind::Try(_) | StmtKind::With { .. } => {}
        _ => each_expr(statement, visit),
    }
}

/// Calls `visit` for the expressions that load a code object of this function, in their order, until it says that it is done.
fn each_loading(expr: &mut Expr, visit: &mut impl FnMut(&mut Expr) -> bool) -> bool {
    if matches!(expr.kind, ExprKind::Comprehension { .. }) && visit(expr) {
        return true;
    }
    let is_true = |test: &Expr| test.kind == ExprKind::Literal(Literal::Bool(true));
    match &mut expr.kind {
        ExprKind::Comprehension { clauses, .. } => {
            clauses.first_mut().is_some_and(|first| each_loading(&mut first.iter, visit))
        }
        ExprKind::Lambda { params, .. } => {
            let mut is_done = false;
            each_default(params, |value| is_done = is_done || each_loading(value, visit));
            is_done || visit(expr)
        }
        // What is never computed.
        ExprKind::IfExp { test, body, .. } if is_true(test) => each_loading(body, visit),
        ExprKind::Bool { op: BoolOp::Or, values } if values.first().is_some_and(is_true) => false,
        _ => {
            let mut is_done = false;
            each_child(expr, |child| is_done = is_done || each_loading(child, visit));
            is_done
        }
    }
}
