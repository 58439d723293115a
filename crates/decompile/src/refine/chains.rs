//! Pass: an assignment with several targets is one statement.
//!
//! Needs: targets are restored, so that a store to `a, b` is one statement. Establishes: a temporary that only
//! the next statements store is gone.
//!
//! Example: `t0 = f(); a.x = t0; b, c = t0` becomes `a.x = b, c = f()`. A store to `b` that the compiler dropped in
//! `a, b = b = f()` is there again.

use depyf_syntax::ast::{Block, Expr, ExprKind, Ident, Stmt, StmtKind};

use super::dropped_stores::give_back_dropped;
use super::mentions::Mentions;
use crate::visit::{blocks, each_block, holds_blocks};

/// See the module.
pub(crate) fn join_chained_assignments(block: &mut Block, locals: &[Ident]) {
    if has_chains(block) {
        let mentions = Mentions::of(block);
        join(block, &mentions, locals);
    }
}

/// Whether a temporary is stored right behind its assignment, here or further inside.
fn has_chains(block: &[Stmt]) -> bool {
    let is_chain = |pair: &[Stmt]| named(&pair[0]).is_some_and(|held| target(&pair[1], held).is_some());
    block.windows(2).any(is_chain)
        || block
            .iter()
            .any(|statement| holds_blocks(statement) && blocks(statement).any(|inner| has_chains(inner)))
}

fn join(block: &mut Block, mentions: &Mentions, locals: &[Ident]) {
    for statement in block.iter_mut() {
        each_block(statement, |inner| join(inner, mentions, locals));
    }
    let is_chain = |pair: &[Stmt]| named(&pair[0]).is_some_and(|held| target(&pair[1], held).is_some());
    if !block.windows(2).any(is_chain) {
        return;
    }
    let mut done = Block::with_capacity(block.len());
    let mut rest = std::mem::take(block).into_iter().peekable();
    while let Some(mut statement) = rest.next() {
        if let Some(temporary) = named(&statement) {
            let mut joined = Vec::new();
            while let Some(target) = rest.peek().and_then(|next| target(next, temporary)) {
                joined.push(target.clone());
                rest.next();
            }
            // A use anywhere else needs the temporary.
            let whole = joined.len() > 1 && mentions.get(temporary) as usize == joined.len() + 1;
            if let (true, StmtKind::Assign { targets, .. }) = (whole, &mut statement.kind) {
                give_back_dropped(&mut joined, mentions, locals);
                *targets = joined;
            } else {
                let origin = statement.origin;
                done.push(statement);
                done.extend(joined.into_iter().map(|target| {
                    let value = Expr::new(target.origin, ExprKind::Temp(temporary));
                    Stmt::new(origin, StmtKind::Assign { targets: vec![target], value })
                }));
                continue;
            }
        }
        done.push(statement);
    }
    *block = done;
}

/// The temporary that the statement assigns.
fn named(statement: &Stmt) -> Option<u32> {
    match &statement.kind {
        StmtKind::Assign { targets, .. } => match targets[..] {
            [Expr { kind: ExprKind::Temp(temporary), .. }] => Some(temporary),
            _ => None,
        },
        _ => None,
    }
}

/// The target of `target = temporary`; another temporary is none.
fn target(statement: &Stmt, temporary: u32) -> Option<&Expr> {
    match &statement.kind {
        StmtKind::Assign { targets, value } if value.kind == ExprKind::Temp(temporary) => {
            match &targets[..] {
                [target] if !matches!(target.kind, ExprKind::Temp(_)) => Some(target),
                _ => None,
            }
        }
        _ => None,
    }
}
