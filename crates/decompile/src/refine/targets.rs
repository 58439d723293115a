//! Pass: targets of `for`, `with` and unpacking get the names that their items are stored to.
//!
//! Needs: the structured tree. Establishes: `for t in x: a = t; ..` is `for a in x: ..`, likewise for `with`,
//! and `t1, t2 = x; a = t1; b = t2` is `a, b = x`.

use std::collections::HashMap;

use depyf_syntax::ast::{Block, Expr, ExprKind, Stmt, StmtKind};

use super::visit::{blocks_mut, walk};

/// See the module.
pub(crate) fn restore_targets(block: &mut Block) {
    let mut mentions = HashMap::new();
    walk(block, &mut |expr| {
        if let ExprKind::Temp(temporary) = expr.kind {
            *mentions.entry(temporary).or_insert(0) += 1;
        }
    });
    restore(block, &mentions);
}

fn restore(block: &mut Block, mentions: &HashMap<u32, u32>) {
    for statement in block.iter_mut() {
        for inner in blocks_mut(statement) {
            restore(inner, mentions);
        }
        match &mut statement.kind {
            StmtKind::For { target, body, .. } => {
                if let ExprKind::Temp(temporary) = target.kind
                    && mentions.get(&temporary) == Some(&2)
                    && let Some(stored) = stored(body.first(), temporary)
                {
                    *target = stored;
                    body.remove(0);
                }
            }
            StmtKind::With { items, body, .. } => {
                let temporary = crate::lift::entered_temporary(statement.origin.0);
                let Some(item) = items.last_mut().filter(|item| item.target.is_none()) else { continue };
                match (mentions.get(&temporary), stored(body.first(), temporary)) {
                    (None, _) => {}
                    (Some(1), Some(stored)) => {
                        item.target = Some(stored);
                        body.remove(0);
                    }
                    _ => item.target = Some(Expr::new(statement.origin, ExprKind::Temp(temporary))),
                }
            }
            _ => {}
        }
    }
    let mut at = 0;
    while at < block.len() {
        unpacked(block, at, mentions);
        at += 1;
    }
}

/// Replaces the temporaries of an unpacking at `at` by the targets that the next statements store them to.
fn unpacked(block: &mut Block, at: usize, mentions: &HashMap<u32, u32>) {
    let StmtKind::Assign { targets, .. } = &block[at].kind else { return };
    let [Expr { kind: ExprKind::Tuple(items), .. }] = &targets[..] else { return };
    let mut names = Vec::with_capacity(items.len());
    for item in items {
        let inner = match &item.kind {
            ExprKind::Starred(inner) => inner,
            _ => item,
        };
        match inner.kind {
            ExprKind::Temp(temporary) if mentions.get(&temporary) == Some(&2) => names.push(temporary),
            _ => return,
        }
    }
    // Nested unpackings come first, so that their own temporaries are gone.
    let mut stores = Vec::with_capacity(names.len());
    for (offset, &temporary) in names.iter().enumerate() {
        let next = at + 1 + offset;
        if next < block.len() {
            unpacked(block, next, mentions);
        }
        match stored(block.get(next), temporary) {
            Some(target) => stores.push(target),
            None => return,
        }
    }
    block.drain(at + 1..at + 1 + names.len());
    let StmtKind::Assign { targets, .. } = &mut block[at].kind else { return };
    let Some(Expr { kind: ExprKind::Tuple(items), .. }) = targets.first_mut() else { return };
    for (item, target) in items.iter_mut().zip(stores) {
        match &mut item.kind {
            ExprKind::Starred(inner) => **inner = target,
            _ => *item = target,
        }
    }
}

/// The target of `target = temporary`.
fn stored(statement: Option<&Stmt>, temporary: u32) -> Option<Expr> {
    match &statement?.kind {
        StmtKind::Assign { targets, value } if value.kind == ExprKind::Temp(temporary) => {
            match &targets[..] {
                [target] => Some(target.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}
