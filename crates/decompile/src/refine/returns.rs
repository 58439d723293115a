//! Pass: jumps that falling off the end makes anyway are dropped.
//!
//! Needs: the structured tree. Establishes: no `return` of None at the end of the function, no `continue` at
//! the end of a loop's body.

use depyf_syntax::ast::{Block, Stmt, StmtKind};

use super::visit::{blocks_mut, each_block};

/// See the module.
pub(crate) fn drop_implied(body: &mut Block) {
    trim(body, &|kind| matches!(kind, StmtKind::Return(None)));
    loops(body);
}

/// Whether a `return` stands anywhere in the statements, nested functions excluded.
pub(crate) fn returns(block: &mut Block) -> bool {
    block
        .iter_mut()
        .any(|statement| matches!(statement.kind, StmtKind::Return(_)) || blocks_mut(statement).any(returns))
}

fn loops(block: &mut Block) {
    for statement in block {
        if let StmtKind::While { body, .. } | StmtKind::For { body, .. } = &mut statement.kind {
            trim(body, &|kind| matches!(kind, StmtKind::Continue));
        }
        each_block(statement, loops);
    }
}

/// Removes the statement from every place whose next step is the end of `block`.
fn trim(block: &mut Block, implied: &impl Fn(&StmtKind) -> bool) {
    if block.last().is_some_and(|last| implied(&last.kind)) {
        block.pop();
    }
    match block.last_mut() {
        Some(Stmt { kind: StmtKind::If { body, orelse, .. }, .. }) => {
            trim(body, implied);
            trim(orelse, implied);
        }
        Some(Stmt { kind: StmtKind::Match { cases, .. }, .. }) => {
            cases.iter_mut().for_each(|case| trim(&mut case.body, implied));
        }
        // Leaving a `with` statement by its end runs the same exit.
        Some(Stmt { kind: StmtKind::With { body, .. }, .. }) => trim(body, implied),
        Some(Stmt { kind: StmtKind::Try(inner), .. }) => {
            // Behind the end of either comes the `finally` body, as behind what is dropped.
            let last = if inner.orelse.is_empty() { &mut inner.body } else { &mut inner.orelse };
            trim(last, implied);
            inner.handlers.iter_mut().for_each(|handler| trim(&mut handler.body, implied));
        }
        _ => {}
    }
}
