//! How tightly expressions bind, and so where parentheses are needed.

use crate::ast::{BinaryOp, BoolOp, Expr, ExprKind, Literal, UnaryOp};

/// Binding strength, loosest first. A context names the loosest level that it takes bare.
///
/// `:=` is [`Level::Named`], looser than all: the few contexts that take it bare ask for it by
/// `Printer::named`, since those take no bare `yield`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Named,
    Yield,
    /// `lambda` and `a if b else c`.
    Test,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Term,
    Unary,
    Power,
    Await,
    Atom,
}

impl Level {
    /// The level of a left-associative operator's right operand.
    pub(crate) fn tighter(self) -> Self {
        match self {
            Self::BitOr => Self::BitXor,
            Self::BitXor => Self::BitAnd,
            Self::BitAnd => Self::Shift,
            Self::Shift => Self::Sum,
            Self::Sum => Self::Term,
            Self::Term => Self::Unary,
            other => other,
        }
    }
}

/// The level of a binary operator.
pub(crate) fn of_binary(op: BinaryOp) -> Level {
    match op {
        BinaryOp::Or => Level::BitOr,
        BinaryOp::Xor => Level::BitXor,
        BinaryOp::And => Level::BitAnd,
        BinaryOp::LeftShift | BinaryOp::RightShift => Level::Shift,
        BinaryOp::Add | BinaryOp::Subtract => Level::Sum,
        BinaryOp::Multiply
        | BinaryOp::MatrixMultiply
        | BinaryOp::TrueDivide
        | BinaryOp::FloorDivide
        | BinaryOp::Remainder => Level::Term,
        BinaryOp::Power => Level::Power,
    }
}

/// The level of an expression as the printer spells it.
pub(crate) fn of(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Named { .. } => Level::Named,
        ExprKind::Yield(_) | ExprKind::YieldFrom(_) => Level::Yield,
        ExprKind::Lambda { .. } | ExprKind::IfExp { .. } => Level::Test,
        ExprKind::Bool { op: BoolOp::Or, .. } => Level::Or,
        ExprKind::Bool { op: BoolOp::And, .. } => Level::And,
        ExprKind::Unary { op: UnaryOp::Not, .. } => Level::Not,
        ExprKind::Unary { .. } => Level::Unary,
        ExprKind::Compare { .. } => Level::Compare,
        ExprKind::Binary { op, .. } => of_binary(*op),
        ExprKind::Await(_) => Level::Await,
        ExprKind::Literal(literal) => of_literal(literal),
        // The compiler wrote the text so that it can stand where an annotation does.
        ExprKind::Verbatim(_) => Level::Test,
        ExprKind::Name(_)
        | ExprKind::Temp(_)
        | ExprKind::Attribute { .. }
        | ExprKind::Subscript { .. }
        | ExprKind::Slice { .. }
        | ExprKind::Call(_)
        // Printed with parentheses; where none are wanted, the context asks for that by name.
        | ExprKind::Tuple(_)
        // Never takes any: where a star may not stand, they would not help.
        | ExprKind::Starred(_)
        | ExprKind::List(_)
        | ExprKind::Set(_)
        | ExprKind::Dict(_)
        | ExprKind::Comprehension { .. }
        | ExprKind::Joined(_)
        | ExprKind::Template(_) => Level::Atom,
    }
}

/// The level of a literal: a sign makes it a unary expression.
pub(crate) fn of_literal(literal: &Literal) -> Level {
    match literal {
        Literal::Int(value) if value.is_negative() => Level::Unary,
        // NaN has no sign: it prints as an expression in parentheses.
        Literal::Float(value) if value.is_sign_negative() && !value.is_nan() => Level::Unary,
        _ => Level::Atom,
    }
}
