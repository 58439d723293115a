//! Jumps that cross the tree: a block that runs once is left by `break`.

use depyf_syntax::ast::{Block as Body, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use crate::lift::{LiftError, LiftResult};
use crate::visit::{blocks, leaves_loop};

/// Resolves jumps to `label`, which stands at the end of `out`: the statements from `start` on become a loop
/// that runs once, and the jumps `break` out of it.
pub(super) fn close_label(out: &mut Body, start: usize, label: usize) -> LiftResult<()> {
    if !out[start..].iter().any(|statement| jumps_to(statement, label)) {
        return Ok(());
    }
    // What takes a value from a statement around stays right behind that.
    let taken = out[start..].iter().take_while(|statement| takes_value(statement)).count();
    let mut body: Body = out.drain(start + taken..).collect();
    if body.iter().any(leaves_loop) {
        return Err(unstructured(Some(&body)));
    }
    for statement in &mut body {
        replace(statement, label)?;
    }
    if !super::leaves(&body) {
        body.push(Stmt::new(Origin::NONE, StmtKind::Break));
    }
    let test = Expr::new(Origin::NONE, ExprKind::Literal(Literal::Bool(true)));
    out.push(Stmt::new(Origin::NONE, StmtKind::While { test, body, orelse: Body::new() }));
    Ok(())
}

/// Whether a statement assigns what a `for` or `with` around it has for a target.
pub(super) fn takes_value(statement: &Stmt) -> bool {
    matches!(&statement.kind, StmtKind::Assign { value, .. } if matches!(value.kind, ExprKind::Temp(_)))
}

/// Resolves jumps to the end of a module or class, which no `return` leads to: what follows the first of them is left.
pub(super) fn close_end(body: &mut Body, end: usize) -> LiftResult<()> {
    match body.iter().position(|statement| jumps_to(statement, end)) {
        Some(start) => close_label(body, start, end),
        None => Ok(()),
    }
}

/// Refuses a tree that still holds a jump.
pub(super) fn refuse_gotos(body: &[Stmt]) -> LiftResult<()> {
    for statement in body {
        if matches!(statement.kind, StmtKind::Goto(_)) {
            return Err(unstructured(Some(body)));
        }
        for inner in blocks(statement) {
            refuse_gotos(inner)?;
        }
    }
    Ok(())
}

fn unstructured(near: Option<&[Stmt]>) -> Box<LiftError> {
    let offset =
        near.into_iter().flatten().map(|statement| statement.origin).find(|&origin| origin != Origin::NONE);
    Box::new(LiftError {
        message: "control flow crosses statements in a way that has no spelling yet".to_owned(),
        offset: offset.map_or(0, |origin| origin.0),
        nested: None,
    })
}

fn jumps_to(statement: &Stmt, label: usize) -> bool {
    statement.kind == StmtKind::Goto(label as u32)
        || blocks(statement).flatten().any(|inner| jumps_to(inner, label))
}

/// Replaces jumps to the label by `break`; one inside another loop would leave only that.
fn replace(statement: &mut Stmt, label: usize) -> LiftResult<()> {
    if statement.kind == StmtKind::Goto(label as u32) {
        statement.kind = StmtKind::Break;
        return Ok(());
    }
    if matches!(statement.kind, StmtKind::While { .. } | StmtKind::For { .. }) && jumps_to(statement, label) {
        return Err(unstructured(None));
    }
    let inner: Vec<&mut Body> = match &mut statement.kind {
        StmtKind::If { body, orelse, .. } => vec![body, orelse],
        StmtKind::With { body, .. } => vec![body],
        StmtKind::Match { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        StmtKind::Try(inner) => {
            let mut found = vec![&mut inner.body, &mut inner.orelse, &mut inner.finalbody];
            found.extend(inner.handlers.iter_mut().map(|handler| &mut handler.body));
            found
        }
        _ => Vec::new(),
    };
    for statement in inner.into_iter().flatten() {
        replace(statement, label)?;
    }
    Ok(())
}
