//! Where the operands of `and` and `or` stand, and how much stands around and between them.
//!
//! Instructions have the columns of what is evaluated; words and parentheses have none.

use depyf_syntax::ast::{BoolOp, Expr, ExprKind, UnaryOp};

use super::indentation::{Columns, NOT, Place};

impl Columns<'_> {
    /// Where an operand begins, without a `not` in front and without the parentheses around it.
    pub(super) fn operand_start(&self, operand: &Expr) -> Option<Place> {
        let operand = inner(operand);
        match &operand.kind {
            ExprKind::Bool { op, values } => self.operand_start_of(*op, values.first()?),
            ExprKind::Named { .. } => self.start(operand).map(|(line, column)| (line, column + 1)),
            _ => self.start(operand),
        }
    }

    /// Where an operand of an operator begins, with a `not` in front and with the parentheses that it needs.
    pub(super) fn operand_start_of(&self, op: BoolOp, operand: &Expr) -> Option<Place> {
        let (line, column) = self.operand_start(operand)?;
        let in_front = parentheses(op, operand, is_not(operand)) + if is_not(operand) { NOT } else { 0 };
        Some((line, column.checked_sub(in_front)?))
    }

    /// Where an operand ends, without the parentheses around it.
    pub(super) fn operand_end(&self, operand: &Expr) -> Option<Place> {
        let operand = inner(operand);
        let ExprKind::Bool { op, values } = &operand.kind else { return self.end(operand) };
        let last = values.last()?;
        let (line, column) = self.operand_end(last)?;
        Some((line, column + parentheses(*op, last, is_not(last))))
    }
}

/// Whether a `not` stands in front of an operand.
pub(super) fn is_not(operand: &Expr) -> bool {
    matches!(operand.kind, ExprKind::Unary { op: UnaryOp::Not, .. })
}

/// An operand without the `not` in front of it.
pub(super) fn inner(operand: &Expr) -> &Expr {
    match &operand.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => operand,
        _ => operand,
    }
}

/// How much stands between two operands, each with whether it has a `not` in front.
pub(super) fn between(op: BoolOp, [(first, is_negated), (second, is_not)]: [(&Expr, bool); 2]) -> u32 {
    let not = if is_not { NOT } else { 0 };
    parentheses(op, first, is_negated) + 1 + word(op) + not + parentheses(op, second, is_not)
}

/// How long the word of an operator is, with the blank behind it.
pub(super) fn word(op: BoolOp) -> u32 {
    let word = if op == BoolOp::And { "and " } else { "or " };
    word.len() as u32
}

/// How many parentheses stand on a side of an operand that has a `not` in front, or has none.
fn parentheses(op: BoolOp, operand: &Expr, is_not: bool) -> u32 {
    match inner(operand).kind {
        // One of the same operator is a part of the same row.
        ExprKind::Bool { op: inner, .. } => u32::from(is_not || op == BoolOp::And && inner == BoolOp::Or),
        ExprKind::Named { .. } => 1,
        _ => 0,
    }
}
