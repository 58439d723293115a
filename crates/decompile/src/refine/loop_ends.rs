//! Pass: what stands deeper than an endless loop stands in it, in front of its only `break` or instead of that.
//!
//! To the bytecode a statement that leaves a loop for good is none of its body: what never runs again may as well stand behind
//! the loop, with a `break` in its place. The column that it begins at tells.
//!
//! Needs: the structure; columns (3.11 and later), without which nothing changes. Establishes: what is right behind a loop that
//! ends by one `break` alone, and stands as deep as that does, stands in front of it, or instead if it leaves.
//!
//! Example: of `while True: if a: break` and `return b`, where the `return` stands deeper than the `if`, the body becomes
//! `if a: return b`.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, ExprKind, Literal, Stmt, StmtKind};

use super::indentation::Columns;
use super::open_arms::leaves_at_once;
use crate::structure::leaves;
use crate::visit::{blocks_mut, breaks, each_block, holds_blocks, leaves_loop};

/// See the module.
pub(crate) fn stand_in_loops(block: &mut Block, function: &Function) {
    if let Some(columns) = Columns::of(function) {
        go_through(block, &columns);
    }
}

fn go_through(block: &mut Block, columns: &Columns<'_>) {
    if !block.iter().any(holds_blocks) {
        return;
    }
    let mut at = 0;
    while at < block.len() {
        if let Some(end) = end_of_loop(block, at, columns) {
            let moved = block.drain(at + 1..end).collect();
            if let StmtKind::While { body, .. } = &mut block[at].kind {
                put_in(body, moved);
            }
        }
        each_block(&mut block[at], |inner| go_through(inner, columns));
        at += 1;
    }
}

/// Up to where statements behind a loop stand in it.
fn end_of_loop(block: &mut Block, at: usize, columns: &Columns<'_>) -> Option<usize> {
    let (first, behind) = block.split_at_mut_checked(at + 1)?;
    let [.., Stmt { kind: StmtKind::While { test, body, orelse }, origin }] = first else { return None };
    let is_endless = matches!(test.kind, ExprKind::Literal(Literal::Bool(true) | Literal::Int(_)));
    if !is_endless || !orelse.is_empty() || behind.is_empty() {
        return None;
    }
    let column = columns.of_endless(test, *origin, body)?.1.checked_sub("while ".len() as u32)?;
    let place = place_of_break(body, Some(column), columns)?;
    let first = columns.of_statement(behind.first()?);
    let column = match place.column {
        Column::Of(column) => column,
        Column::Behind(column) => first.filter(|&first| first > column)?,
    };
    let stands_there = |stmt: &&Stmt| {
        (!place.is_handled || leaves_at_once(stmt))
            && columns.of_statement(stmt) == Some(column)
            && !leaves_loop(stmt)
    };
    let count = behind.iter().take_while(stands_there).count();
    // What was written as a `break` does not leave otherwise.
    let ends = count > 0 && !(place.is_written && leaves(&behind[..count]));
    ends.then_some(at + 1 + count)
}

/// The column of a block.
#[derive(Clone, Copy)]
enum Column {
    Of(u32),
    /// It is deeper than this.
    Behind(u32),
}

/// Where the `break` of a loop stands.
struct Place {
    column: Column,
    /// Whether there is an instruction for it.
    is_written: bool,
    /// Whether an exception is handled there.
    is_handled: bool,
}

/// Where the only `break` of a loop stands, at the end of a block that is in no other statement than tests, or in a handler. The
/// block is in a statement at a column.
fn place_of_break(block: &[Stmt], around: Option<u32>, columns: &Columns<'_>) -> Option<Place> {
    let mut with_breaks = block.iter().filter(|stmt| breaks(stmt));
    let (stmt, None) = (with_breaks.next()?, with_breaks.next()) else { return None };
    let column = columns.of_block(block);
    let (arms, is_handled): (Vec<&Block>, bool) = match &stmt.kind {
        StmtKind::Break if std::ptr::eq(stmt, block.last()?) => {
            let own = columns.of_statement(stmt);
            let column = own.or(column).map(Column::Of).or(around.map(Column::Behind))?;
            return Some(Place { column, is_written: own.is_some(), is_handled: false });
        }
        StmtKind::If { body, orelse, .. } => (vec![body, orelse], false),
        StmtKind::Match { cases, .. } => (cases.iter().map(|case| &case.body).collect(), false),
        StmtKind::Try(parts) if parts.finalbody.is_empty() && !parts.is_star => {
            if parts.body.iter().any(breaks) {
                return None;
            }
            let is_handled = !parts.orelse.iter().any(breaks);
            let handlers = parts.handlers.iter().map(|handler| &handler.body);
            (handlers.chain([&parts.orelse]).collect(), is_handled)
        }
        _ => return None,
    };
    let mut arms = arms.into_iter().filter(|arm| arm.iter().any(breaks));
    let (arm, None) = (arms.next()?, arms.next()) else { return None };
    let place = place_of_break(arm, column.or(around), columns)?;
    Some(Place { is_handled: place.is_handled || is_handled, ..place })
}

/// Puts statements in front of the only `break` in a block, or instead of it if they leave.
fn put_in(block: &mut Block, moved: Block) {
    let Some(at) = block.iter().position(breaks) else { return };
    if matches!(block[at].kind, StmtKind::Break) {
        let end = if leaves(&moved) { at + 1 } else { at };
        block.splice(at..end, moved);
    } else if let Some(arm) = blocks_mut(&mut block[at]).find(|arm| arm.iter().any(breaks)) {
        put_in(arm, moved);
    }
}
