//! Pass: where a function returns values, its other returns name None.
//!
//! The instructions of `return` and `return None` are the same. Where columns do not tell which was written, custom does:
//! PEP 8 wants None named in a function that returns values as well, and of such returns in the files of 83 packages 95 in 100
//! name it.
//!
//! Needs: all that reads `return` is done; implied ends are dropped. Establishes: no function that returns a value has a
//! `return` without one, unless its place is that of the word alone (3.11 and later) or it is a generator.
//!
//! Example: `if a: return`, `return b` becomes `if a: return None`, `return b`.

use depyf_bytecode::flags;
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Stmt, StmtKind};

use super::words::{Word, Words};
use crate::structure::is_none;
use crate::visit::{blocks, each_block};

/// See the module.
pub(crate) fn name_none_beside_values(block: &mut Block, words: &Words<'_>) {
    if words.code.flags & (flags::GENERATOR | flags::ASYNC_GENERATOR) == 0 && block.iter().any(returns_value)
    {
        name(block, words);
    }
}

/// Whether a statement returns a value, or one in it does.
fn returns_value(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(value) => value.as_ref().is_some_and(|value| !is_none(value)),
        _ => blocks(stmt).flatten().any(returns_value),
    }
}

fn name(block: &mut Block, words: &Words<'_>) {
    for stmt in block {
        if matches!(stmt.kind, StmtKind::Return(None)) && words.at(stmt.origin) != Some(Word::Return) {
            let none = Expr::new(stmt.origin, ExprKind::Literal(Literal::None));
            stmt.kind = StmtKind::Return(Some(none));
        } else {
            each_block(stmt, |inner| name(inner, words));
        }
    }
}
