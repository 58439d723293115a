//! Pass: `with a, b:` is one statement.
//!
//! It is compiled as `with a:` around `with b:`. But a compound statement stands on a line of its own, so two heads on
//! one line are one.
//!
//! On several lines (3.13 on, where a head has the place of its item) columns tell: a statement is as much deeper than the one
//! that it is in as its body is deeper than it.
//!
//! Needs: the structured tree; lines, without which nothing changes. Establishes: no `with` whose body is another `with`
//! of its line, or of the lines that its head is on.
//!
//! Example: `with a as x: with b as y: f()`, both on line 3, becomes `with a as x, b as y: f()`.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, Origin, Stmt, StmtKind, WithItem};

use super::indentation::Columns;
use super::left_edges::STEPS;
use crate::flow::line_of;
use crate::visit::each_block;

/// By how much a statement that stands in another may seem to be deeper than that, and than its body, by different numbers:
/// each of both may have a parenthesis.
const PARENTHESES: u32 = 1;

/// By how much people indent blocks at most where they use spaces, nearly always.
const WIDEST_STEP: u32 = 4;

/// See the module.
pub(crate) fn join_with_items(block: &mut Block, function: &Function) {
    join(block, function, Columns::of(function).as_ref());
}

fn join(block: &mut Block, function: &Function, columns: Option<&Columns<'_>>) {
    for statement in block {
        while let StmtKind::With { items, body, is_async } = &mut statement.kind
            && let [Stmt { kind: StmtKind::With { is_async: inner_async, .. }, .. }] = &body[..]
            && inner_async == is_async
            && (is_on_line(statement.origin, body[0].origin, function)
                || columns.is_some_and(|columns| is_item(columns, statement.origin, items, &body[0])))
            && let Some(Stmt { kind: StmtKind::With { items: inner, body: content, .. }, .. }) = body.pop()
        {
            items.extend(inner);
            *body = content;
        }
        each_block(statement, |inner| join(inner, function, columns));
    }
}

/// Whether a `with` stands on the line of the one around it.
fn is_on_line(around: Origin, own: Origin, function: &Function) -> bool {
    let line = line_of(function, around.0);
    line.is_some() && line_of(function, own.0) == line
}

/// Whether a `with` is an item of the one around it: it does not stand where a statement in that would.
fn is_item(columns: &Columns<'_>, around: Origin, items: &[WithItem], stmt: &Stmt) -> bool {
    let StmtKind::With { items: inner, body, .. } = &stmt.kind else { return false };
    let places =
        |items: &[WithItem], origin| Some((columns.start(&items.first()?.context)?, columns.place(origin)?));
    let (Some((first, whole)), Some((second, place))) = (places(items, around), places(inner, stmt.origin))
    else {
        return false;
    };
    // A head that has a place of its own stands on its own line.
    if first != whole || second != place || first.0 >= second.0 {
        return false;
    }
    // Both stand behind the same words.
    let Some(deeper) = second.1.checked_sub(first.1).filter(|&deeper| deeper > 0) else { return true };
    let own = columns.of_statement(stmt);
    // What stands on its line is an item as well.
    let mut body = body;
    while let [Stmt { kind: StmtKind::With { body: inner, .. }, origin }] = &body[..]
        && is_on_line(stmt.origin, *origin, columns.function)
    {
        body = inner;
    }
    // What returns has the place of the `with` that it leaves first, and another item may look deeper.
    let tells =
        !matches!(body.first().map(|first| &first.kind), Some(StmtKind::Return(_) | StmtKind::With { .. }));
    match columns.of_block(body).zip(own) {
        Some((inner, own)) if inner > own => {
            let is_one_step = inner + deeper <= own + WIDEST_STEP;
            is_one_step && (inner - own).abs_diff(deeper) > PARENTHESES
        }
        Some(_) if tells => true,
        _ => !STEPS.contains(&deeper),
    }
}
