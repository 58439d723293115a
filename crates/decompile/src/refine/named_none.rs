//! Pass: `return None` names None where the source does.
//!
//! The instructions of `return` and `return None` are the same. Their place is that of None, if that was written: as wide
//! as a `pass` that ends the function would be, but it does not begin where statements do.
//!
//! Needs: the structure; columns (3.11 and later), without which nothing changes. Establishes: a `return` of None names it
//! where the source does.
//!
//! Example: where `a()` begins at column 8 and a return of None at 15, 4 wide, it is a `return None`.

use depyf_bytecode::flags;
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Stmt, StmtKind};

use super::indentation::Columns;
use super::words::{Word, Words};
use crate::structure::is_none;
use crate::visit::{blocks, each_block, holds_blocks};

/// What stands in front of the value.
pub(super) const RETURN: u32 = "return ".len() as u32;
/// The widest indentation that cannot be taken for a narrow one with the word behind it.
const WIDEST: u32 = 4;

/// See the module.
pub(crate) fn name_returned_none(block: &mut Block, words: &Words<'_>) {
    // Half of all functions return nothing but a value at their end.
    let may_return_none = |stmt: &Stmt| returns_none(stmt) || holds_blocks(stmt);
    // An asynchronous generator may return no value, not even None.
    if words.code.flags & flags::ASYNC_GENERATOR == 0
        && block.iter().any(may_return_none)
        && words.are_told()
        && let Some(columns) = Columns::of(words.function)
    {
        name(block, None, &columns, words);
    }
}

/// Goes through a block, which stands in a statement whose line and column are `around`.
fn name(block: &mut Block, around: Option<(u32, u32)>, columns: &Columns<'_>, words: &Words<'_>) {
    // Most statements return nothing, and hold nothing that does: their columns are not asked for.
    let may_name = |stmt: &Stmt| returns_none(stmt) && words.at(stmt.origin) == Some(Word::PassOrNone);
    let asks = |stmt: &Stmt| may_name(stmt) || blocks(stmt).any(|inner| inner.iter().any(may_name));
    let column = block
        .iter()
        .any(asks)
        .then(|| block.iter().filter(|stmt| !returns_none(stmt)).find_map(|stmt| columns.of_statement(stmt)))
        .flatten();
    // It may be the last case of a `match` in front, too.
    let is_match = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Match { .. });
    let in_case = column.and_then(|_| block.iter().filter(is_match).find_map(|stmt| columns.inside(stmt)));
    for stmt in block {
        if returns_none(stmt) && words.at(stmt.origin) == Some(Word::Return) {
            stmt.kind = StmtKind::Return(None);
        } else if may_name(stmt) {
            if let Some((line, found)) = columns.place(stmt.origin)
                && (names(line, found, column, around)
                    || in_case.is_some_and(|begin| found == begin + RETURN))
            {
                let none = Expr::new(stmt.origin, ExprKind::Literal(Literal::None));
                stmt.kind = StmtKind::Return(Some(none));
            }
        } else if holds_blocks(stmt) {
            let place = if asks(stmt) {
                columns.line(stmt).zip(column.or_else(|| columns.of_statement(stmt)))
            } else {
                None
            };
            each_block(stmt, |inner| name(inner, place, columns, words));
        }
    }
}

/// Whether what stands at a place stands behind `return `, not where the statements of the block begin: that is `column`, if
/// others tell. A statement `around` the block begins on another line, and in front.
fn names(line: u32, found: u32, column: Option<u32>, around: Option<(u32, u32)>) -> bool {
    let is_deeper = |column: u32| (RETURN + 2..=RETURN + WIDEST).contains(&found.saturating_sub(column));
    match (column, around) {
        // It may be the `else` of a statement in front, as deep as another block.
        (Some(column), _) => found == column + RETURN || is_deeper(column),
        (None, Some((before, column))) if line > before => is_deeper(column),
        // Indented by spaces, statements begin at even columns.
        _ => found > RETURN + 1 && found % 2 == 1,
    }
}

/// Whether a statement returns None, named or not.
pub(super) fn returns_none(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(value) => value.as_ref().is_none_or(is_none),
        _ => false,
    }
}
