//! Pass: the value of an assignment expression holds operations on constants as they were written.
//!
//! To 3.9 the compiler does not look into that value when it folds constants on the tree (CPython `Python/ast_opt.c`,
//! `astfold_expr`): what is spelled elsewhere such that it is not folded was written without that.
//!
//! Needs: assignment expressions are found. Establishes: nothing in their values is spelled to be folded late.
//!
//! Example: `(a := b[-(1 if 1 else None)])` becomes `(a := b[-1])`.

use depyf_syntax::ast::{Block, Expr, ExprKind};

use crate::lift::without_late_spelling;
use crate::visit::{each_block, each_child, each_expr};

/// See the module.
pub(crate) fn spell_named_values(block: &mut Block) {
    for statement in block {
        each_expr(statement, |expr| spell(expr, false));
        each_block(statement, spell_named_values);
    }
}

/// Spells an expression, which may stand in the value of an assignment expression.
fn spell(expr: &mut Expr, is_inside: bool) {
    match &mut expr.kind {
        ExprKind::Name(_) | ExprKind::Literal(_) => return,
        ExprKind::Unary { operand, .. }
        | ExprKind::Binary { right: operand, .. }
        | ExprKind::Subscript { index: operand, .. }
            if is_inside =>
        {
            **operand = without_late_spelling(operand);
        }
        _ => {}
    }
    let is_inside = is_inside || matches!(expr.kind, ExprKind::Named { .. });
    each_child(expr, |child| spell(child, is_inside));
}
