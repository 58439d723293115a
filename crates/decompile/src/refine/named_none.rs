//! Pass: `return None` names None where the source does.
//!
//! The instructions of `return` and `return None` are the same. Their column is that of None, if that was written.
//!
//! Needs: the final statements of a function; columns (3.11 and later), without which nothing changes. Establishes: a
//! `return` of None that begins where its block does names none, and one that begins behind `return ` does.
//!
//! Example: where `a()` begins at column 8 and the `return` behind it at 15, it is a `return None`.

use depyf_bytecode::{CodeObject, Function, flags};
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Stmt, StmtKind};

use super::indentation::Columns;
use super::visit::{blocks, each_block, holds_blocks};
use crate::structure::is_none;

/// What stands in front of the value.
const WORD: u32 = "return ".len() as u32;
/// The widest indentation that cannot be taken for a narrow one with the word behind it.
const WIDEST: u32 = 4;

/// See the module.
pub(crate) fn name_returned_none(block: &mut Block, code: &CodeObject, function: &Function) {
    // An asynchronous generator may return no value, not even None.
    if code.flags & flags::ASYNC_GENERATOR == 0 && code.flags & flags::OPTIMIZED != 0 {
        name(block, None, &Columns::of(function));
    }
}

/// Goes through a block, which stands in a statement whose line and column are `around`.
fn name(block: &mut Block, around: Option<(u32, u32)>, columns: &Columns<'_>) {
    // Most statements return nothing, and hold nothing that does: their columns are not asked for.
    let asks = |stmt: &Stmt| returns_none(stmt) || blocks(stmt).any(|inner| inner.iter().any(returns_none));
    let column = block
        .iter()
        .any(asks)
        .then(|| block.iter().filter(|stmt| !returns_none(stmt)).find_map(|stmt| columns.of_statement(stmt)))
        .flatten();
    for stmt in block {
        if returns_none(stmt)
            && let Some((line, found)) = columns.place(stmt.origin)
        {
            let is_named = match (column, around) {
                (Some(column), _) => {
                    (found == column + WORD).then_some(true).or((found == column).then_some(false))
                }
                (None, Some((before, column))) if line > before => match found.saturating_sub(column) {
                    1..=WIDEST => Some(false),
                    indentation if (WORD + 2..=WORD + WIDEST).contains(&indentation) => Some(true),
                    _ => None,
                },
                _ => None,
            };
            if let Some(is_named) = is_named {
                let none = Expr::new(stmt.origin, ExprKind::Literal(Literal::None));
                stmt.kind = StmtKind::Return(is_named.then_some(none));
            }
        } else if holds_blocks(stmt) {
            let place = if asks(stmt) {
                columns.line(stmt).zip(column.or_else(|| columns.of_statement(stmt)))
            } else {
                None
            };
            each_block(stmt, |inner| name(inner, place, columns));
        }
    }
}

/// Whether a statement returns None, named or not.
fn returns_none(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(value) => value.as_ref().is_none_or(is_none),
        _ => false,
    }
}
