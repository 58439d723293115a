//! Which arm of a statement is open: what stands at its end could stand behind the statement as well; and what is
//! known of statements that do.

use depyf_syntax::ast::{Block, BoolOp, CompareOp, Expr, ExprKind, MatchCase, Pattern, Stmt, StmtKind};

use crate::structure::leaves;
use crate::visit::{blocks, breaks, holds_blocks};

/// What prints as `elif` if it is all that an `else` holds.
pub(super) fn elif(arm: &[Stmt]) -> Option<&Stmt> {
    match arm {
        [stmt @ Stmt { kind: StmtKind::If { .. }, .. }] => Some(stmt),
        _ => None,
    }
}

/// Whether what stands behind a statement could stand in it as well, or in an `elif` of it.
pub(super) fn may_change(stmt: &mut Stmt) -> bool {
    if !holds_blocks(stmt) {
        return false;
    }
    let is_handled = match &stmt.kind {
        StmtKind::Try(parts) => !parts.handlers.is_empty(),
        StmtKind::Match { .. } => true,
        _ => false,
    };
    let has_elif = blocks(stmt).any(|arm| elif(arm).is_some())
        || matches!(&stmt.kind, StmtKind::If { orelse, .. } if orelse.first().is_some_and(is_if));
    is_handled || has_elif || open_arm(stmt).is_some()
}

pub(super) fn is_if(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::If { .. })
}

/// Whether a statement may be an `if` in an `if`: its test is an `and`.
pub(super) fn may_be_two(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::If { test, .. } if matches!(test.kind, ExprKind::Bool { op: BoolOp::And, .. }))
}

/// Whether a statement is an `if` whose test the compiler may have turned: `not a in b` is `a not in b`.
pub(super) fn is_turned(stmt: &Stmt) -> bool {
    let StmtKind::If { test, .. } = &stmt.kind else { return false };
    matches!(&test.kind, ExprKind::Compare { rest, .. } if matches!(rest[..], [(CompareOp::NotIn | CompareOp::IsNot, _)]))
}

/// The arm at the end of which a statement means what it means behind the whole: all others leave.
pub(super) fn open_arm(stmt: &mut Stmt) -> Option<&mut Block> {
    match &mut stmt.kind {
        StmtKind::If { body, orelse, .. } => {
            if leaves(body) {
                Some(orelse)
            } else if leaves(orelse) {
                Some(body)
            } else {
                None
            }
        }
        // Behind an `except*` control goes on, whatever its bodies do: what they raise is collected.
        StmtKind::Try(parts) if parts.is_star => None,
        StmtKind::Try(parts) if !parts.handlers.is_empty() && parts.finalbody.is_empty() => {
            let last = if parts.orelse.is_empty() { &parts.body } else { &parts.orelse };
            if !leaves(last) {
                return parts
                    .handlers
                    .iter()
                    .all(|handler| leaves(&handler.body))
                    .then_some(&mut parts.orelse);
            }
            let is_only = parts.handlers.len() == 1;
            let mut open = parts.handlers.iter_mut().filter(|handler| is_only || !leaves(&handler.body));
            match (open.next(), open.next()) {
                (Some(handler), None) => Some(&mut handler.body),
                _ => None,
            }
        }
        StmtKind::For { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
            (!body.iter().any(breaks)).then_some(orelse)
        }
        StmtKind::Match { cases, .. } => {
            let last = cases.iter().rposition(MatchCase::always_matches)?;
            let mut goes_on = (0..=last).filter(|&case| !leaves(&cases[case].body));
            let open = goes_on.next().unwrap_or(last);
            goes_on.next().is_none().then_some(&mut cases[open].body)
        }
        _ => None,
    }
}

/// The arms of a statement that leave, if all do: each of them may end behind it.
pub(super) fn leaving_arms(stmt: &mut Stmt) -> Vec<&mut Block> {
    let arms: Vec<&mut Block> = match &mut stmt.kind {
        StmtKind::If { body, orelse, .. } => vec![body, orelse],
        StmtKind::Match { cases, .. } if cases.last().is_some_and(MatchCase::always_matches) => {
            cases.iter_mut().map(|case| &mut case.body).collect()
        }
        _ => Vec::new(),
    };
    if arms.iter().all(|arm| leaves(arm)) { arms } else { Vec::new() }
}

/// Whether what is open of a statement is a handler: behind it no exception is handled any more.
pub(super) fn holds_handled(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Try(parts) => leaves(if parts.orelse.is_empty() { &parts.body } else { &parts.orelse }),
        _ => false,
    }
}

/// Gives a `match` whose cases all leave a last one, which may hold what comes next.
pub(super) fn offer_default(stmt: &mut Stmt) {
    let StmtKind::Match { cases, .. } = &mut stmt.kind else { return };
    if cases.iter().all(|case| leaves(&case.body) && !case.always_matches()) {
        cases.push(MatchCase { pattern: Pattern::WILDCARD, guard: None, body: Block::new() });
    }
}

/// Takes the last case away again if it holds nothing.
pub(super) fn drop_empty_default(stmt: &mut Stmt) {
    if let StmtKind::Match { cases, .. } = &mut stmt.kind {
        cases.pop_if(|last| last.is_default() && last.body.is_empty());
    }
}

/// Whether a statement only leaves, with a constant at most: in a handler it ends that first.
pub(super) fn leaves_at_once(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(value) => {
            value.as_ref().is_none_or(|value| matches!(value.kind, ExprKind::Literal(_)))
        }
        StmtKind::Break | StmtKind::Continue => true,
        _ => false,
    }
}

/// Whether control does not go on behind a statement that holds no others.
pub(super) fn leaves_itself(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_)) || leaves_by_word(stmt)
}

/// The same of one whose place is known to be that of its word.
pub(super) fn leaves_by_word(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Raise { .. } | StmtKind::Break | StmtKind::Continue)
}

/// Whether a statement begins with a name, or with a word that has a place of its own: no parenthesis hides its column.
pub(super) fn begins_at_its_column(stmt: &Stmt) -> bool {
    let is_name = |target: &Expr| matches!(target.kind, ExprKind::Name(_));
    match &stmt.kind {
        StmtKind::Assign { targets, .. } => targets.first().is_some_and(is_name),
        StmtKind::AugAssign { target, .. } => is_name(target),
        _ => leaves_by_word(stmt),
    }
}
