//! What statements and expressions begin with.

use depyf_syntax::ast::{Expr, ExprKind, Stmt, StmtKind, UnaryOp};

use super::indentation::Columns;

impl Columns<'_> {
    /// Whether the second of the names that a statement assigns stands where it does if the first stands at a column: where one
    /// instruction stores both, it may have the place of the second.
    pub(super) fn begins_targets(&self, stmt: &Stmt, column: u32) -> bool {
        let StmtKind::Assign { targets, .. } = &stmt.kind else { return false };
        let Some(ExprKind::Tuple(items)) = targets.first().map(|first| &first.kind) else { return false };
        let [Expr { kind: ExprKind::Name(first), .. }, second, ..] = &items[..] else { return false };
        let second = self.place(second.origin).and_then(|(_, second)| second.checked_sub(column));
        second.is_some_and(|second| second as usize == first.as_wtf8().len() + ", ".len())
    }
}

/// What the targets of an assignment begin with: without parentheses a tuple of them begins where its first item does, unless an
/// instruction stores another one as well and has the place of that.
pub(super) fn first_target(target: &Expr) -> Option<&Expr> {
    match &target.kind {
        ExprKind::Tuple(items) => {
            let (first, others) = items.split_first()?;
            let is_alone = others.iter().all(|other| other.origin != first.origin);
            is_alone.then(|| first_target(first)).flatten()
        }
        _ => Some(target),
    }
}

/// What an expression begins with, if that is an expression as well.
pub(super) fn left_operand(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Attribute { value: first, .. }
        | ExprKind::Subscript { value: first, .. }
        | ExprKind::Binary { left: first, .. }
        | ExprKind::Compare { left: first, .. }
        | ExprKind::IfExp { body: first, .. } => Some(first),
        ExprKind::Call(call) => Some(&call.func),
        ExprKind::Bool { values, .. } => values.first(),
        _ => None,
    }
}

/// What the `not` that a test begins with negates.
pub(super) fn not_in_front(test: &Expr) -> Option<&Expr> {
    let mut edge = std::iter::successors(Some(test), |expr| left_operand(expr));
    edge.find_map(|expr| match &expr.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => Some(&**operand),
        _ => None,
    })
}
