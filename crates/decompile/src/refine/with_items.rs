//! Pass: `with a, b:` is one statement.
//!
//! It is compiled as `with a:` around `with b:`. But a compound statement stands on a line of its own, so two heads on
//! one line are one.
//!
//! Needs: the structured tree; lines, without which nothing changes. Establishes: no `with` whose body is another `with`
//! of its line.
//!
//! Example: `with a as x: with b as y: f()`, both on line 3, becomes `with a as x, b as y: f()`.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, Stmt, StmtKind};

use crate::flow::line_of;
use crate::visit::each_block;

/// See the module.
pub(crate) fn join_with_items(block: &mut Block, function: &Function) {
    for statement in block {
        while let StmtKind::With { items, body, is_async } = &mut statement.kind
            && let [Stmt { kind: StmtKind::With { is_async: inner_async, .. }, origin }] = &body[..]
            && inner_async == is_async
            && let Some(line) = line_of(function, statement.origin.0)
            && line_of(function, origin.0) == Some(line)
            && let Some(Stmt { kind: StmtKind::With { items: inner, body: content, .. }, .. }) = body.pop()
        {
            items.extend(inner);
            *body = content;
        }
        each_block(statement, |inner| join_with_items(inner, function));
    }
}
