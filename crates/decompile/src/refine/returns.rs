//! Pass: jumps that falling off the end makes anyway are dropped.
//!
//! Needs: the structured tree. Establishes: no `return` of None at the end of the function, no `continue` at
//! the end of a loop's body.

use depyf_syntax::ast::{Block, Stmt, StmtKind};

/// See the module.
pub(crate) fn drop_implied(body: &mut Block) {
    trim(body, &|kind| matches!(kind, StmtKind::Return(None)));
    loops(body);
}

/// Pass: a module or class body says what follows an early `return` in an `else`.
///
/// Needs: `drop_implied`. Establishes: no `return` where falling off the end does the same; one inside a loop
/// stays, and makes the body an error ([`returns`]).
///
/// Example: `if a: x(); return` and then `y()` becomes `if a: x() else: y()`; behind a `try` whose handlers all
/// return, `y()` is its `else`.
pub(crate) fn spell_without_return(block: &mut Block) {
    if block.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_))) {
        block.pop();
    }
    let early = block.iter().position(|statement| match &statement.kind {
        StmtKind::If { body, orelse, .. } => orelse.is_empty() && never_falls_through(body),
        // What follows is reached from the end of the `else` only, so it may stand there.
        StmtKind::Try(inner) => {
            let mut handlers = inner.handlers.iter();
            inner.finalbody.is_empty()
                && !inner.handlers.is_empty()
                && handlers.all(|handler| never_falls_through(&handler.body))
        }
        _ => false,
    });
    if let Some(at) = early
        && at + 1 < block.len()
    {
        let rest = block.split_off(at + 1);
        match block.last_mut().map(|last| &mut last.kind) {
            Some(StmtKind::If { orelse, .. }) => *orelse = rest,
            Some(StmtKind::Try(inner)) => inner.orelse.extend(rest),
            _ => {}
        }
    }
    match block.last_mut() {
        Some(Stmt { kind: StmtKind::If { body, orelse, .. }, .. }) => {
            spell_without_return(body);
            spell_without_return(orelse);
        }
        Some(Stmt { kind: StmtKind::With { body, .. }, .. }) => spell_without_return(body),
        Some(Stmt { kind: StmtKind::Try(inner), .. }) => {
            if inner.orelse.is_empty() {
                spell_without_return(&mut inner.body);
            }
            spell_without_return(&mut inner.orelse);
            inner.handlers.iter_mut().for_each(|handler| spell_without_return(&mut handler.body));
        }
        _ => {}
    }
}

/// Whether control never falls off the end of the statements.
fn never_falls_through(block: &[Stmt]) -> bool {
    match block.last().map(|last| &last.kind) {
        Some(StmtKind::Return(_)) => true,
        Some(StmtKind::If { body, orelse, .. }) => never_falls_through(body) && never_falls_through(orelse),
        // The manager may swallow what is raised.
        Some(StmtKind::With { body, .. }) => {
            body.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_)))
        }
        Some(StmtKind::Raise { .. }) => true,
        _ => false,
    }
}

/// Whether a `return` stands anywhere in the statements, nested functions excluded.
pub(crate) fn returns(block: &mut Block) -> bool {
    block.iter_mut().any(|statement| {
        matches!(statement.kind, StmtKind::Return(_))
            || super::visit::blocks_mut(statement).into_iter().any(returns)
    })
}

fn loops(block: &mut Block) {
    for statement in block {
        if let StmtKind::While { body, .. } | StmtKind::For { body, .. } = &mut statement.kind {
            trim(body, &|kind| matches!(kind, StmtKind::Continue));
        }
        for inner in super::visit::blocks_mut(statement) {
            loops(inner);
        }
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
