//! Pass: targets of `for`, `with` and unpacking get the names that their items are stored to.
//!
//! Needs: the structured tree. Establishes: `for t in x: a = t; ..` is `for a in x: ..`, likewise for `with`,
//! and `t1, t2 = x; a = t1; b = t2` is `a, b = x`. The iterable of a `for` that an iterator was made of right in front, for
//! nothing else, is in the `for`: most functions with loops have no temporaries then.
//! What the compiler dropped gets its name back, see [`dropped_stores`](super::dropped_stores).

use depyf_syntax::ast::{Block, Expr, ExprKind, Ident, Stmt, StmtKind};

use super::dropped_stores::give_back_dropped;
use super::inline::{is_iterator, iterable};
use super::mentions::Mentions;
use crate::visit::{blocks, each_block, holds_blocks};

/// See the module. Says whether temporaries may be left: most functions have no others.
pub(crate) fn restore_targets(block: &mut Block, locals: &[Ident]) -> bool {
    if !takes_items(block) {
        return true;
    }
    let mut known = Known { mentions: Mentions::of(block), locals, gone: 0 };
    restore(block, &mut known);
    known.mentions.exceed(known.gone)
}

/// Whether a statement gives items to targets that may be temporaries, here or further inside.
fn takes_items(block: &[Stmt]) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StmtKind::For { .. } | StmtKind::With { .. } => true,
        _ if holds_blocks(statement) => blocks(statement).any(|inner| takes_items(inner)),
        _ => unpacks(statement),
    })
}

/// What is known about the names of a function.
struct Known<'a> {
    /// How often each temporary is mentioned, its own assignment included.
    mentions: Mentions,
    locals: &'a [Ident],
    /// How many of the mentions are gone.
    gone: u32,
}

fn restore(block: &mut Block, known: &mut Known<'_>) {
    for statement in block.iter_mut() {
        each_block(statement, |inner| restore(inner, known));
        match &mut statement.kind {
            StmtKind::For { target, body, .. } => {
                if let ExprKind::Temp(temporary) = target.kind
                    && known.mentions.get(temporary) == 2
                    && let Some(stored) = stored(body.first(), temporary)
                {
                    **target = stored;
                    body.remove(0);
                    known.gone += 2;
                }
            }
            StmtKind::With { items, body, .. } => {
                let temporary = crate::lift::entered_temporary(statement.origin.0);
                let Some(item) = items.last_mut().filter(|item| item.target.is_none()) else { continue };
                match (known.mentions.get(temporary), stored(body.first(), temporary)) {
                    (0, _) => {}
                    (1, Some(stored)) => {
                        item.target = Some(stored);
                        body.remove(0);
                        known.gone += 1;
                    }
                    // One more than the walk has found, which are not gone.
                    _ => item.target = Some(Expr::new(statement.origin, ExprKind::Temp(temporary))),
                }
            }
            _ => {}
        }
    }
    let mut gone = Vec::new();
    for at in 1..block.len() {
        take_iterable(block, at, known, &mut gone);
    }
    for at in 0..block.len() {
        if unpacks(&block[at]) && !is_gone(&gone, at) {
            unpacked(block, at, known, &mut gone);
        }
    }
    if !gone.is_empty() {
        let mut gone = gone.into_iter();
        block.retain(|_| gone.next() != Some(true));
    }
}

/// Puts the iterable of the iterator that is made in front of a `for`, for that alone, into the `for`. The statement that
/// made it is noted in `gone`.
fn take_iterable(block: &mut Block, at: usize, known: &mut Known<'_>, gone: &mut Vec<bool>) {
    let (before, behind) = block.split_at_mut(at);
    let (Some(before), Some(Stmt { kind: StmtKind::For { iter, .. }, .. })) =
        (before.last_mut(), behind.first_mut())
    else {
        return;
    };
    let (StmtKind::Assign { targets, value }, ExprKind::Temp(temporary)) = (&mut before.kind, &iter.kind)
    else {
        return;
    };
    let is_made = matches!(&targets[..], [target] if target.kind == iter.kind) && is_iterator(value);
    if is_made && known.mentions.get(*temporary) == 2 {
        **iter = iterable(std::mem::replace(value, Expr::name("_")));
        // The marker of an iterator is one as well.
        known.gone += 3;
        gone.resize(behind.len() + at, false);
        gone[at - 1] = true;
    }
}

/// Whether a statement unpacks a value.
fn unpacks(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Assign { targets, .. } => matches!(&targets[..], [Expr { kind: ExprKind::Tuple(_), .. }]),
        _ => false,
    }
}

fn is_gone(gone: &[bool], at: usize) -> bool {
    gone.get(at) == Some(&true)
}

/// Replaces the temporaries of an unpacking at `at` by the targets that the next statements store them to. Those are
/// noted in `gone`, to be taken out all at once.
fn unpacked(block: &mut Block, at: usize, known: &mut Known<'_>, gone: &mut Vec<bool>) {
    let StmtKind::Assign { targets, .. } = &block[at].kind else { return };
    let [Expr { kind: ExprKind::Tuple(items), .. }] = &targets[..] else { return };
    let mut names = Vec::with_capacity(items.len());
    for item in items {
        let inner = match &item.kind {
            ExprKind::Starred(inner) => inner,
            _ => item,
        };
        match inner.kind {
            ExprKind::Temp(temporary) => match known.mentions.get(temporary) {
                2 => names.push(Some(temporary)),
                1 => names.push(None),
                _ => return,
            },
            _ => return,
        }
    }
    // Nested unpackings come first, so that their own temporaries are gone.
    let mut stores: Vec<Option<Expr>> = Vec::with_capacity(names.len());
    let mut next = at + 1;
    for &name in &names {
        let Some(temporary) = name else {
            stores.push(None);
            continue;
        };
        while is_gone(gone, next) {
            next += 1;
        }
        if next < block.len() {
            unpacked(block, next, known, gone);
        }
        match stored(block.get(next), temporary) {
            Some(target) => stores.push(Some(target)),
            None => return,
        }
        next += 1;
    }
    if next > at + 1 {
        gone.resize(block.len(), false);
        gone[at + 1..next].fill(true);
    }
    let StmtKind::Assign { targets, .. } = &mut block[at].kind else { return };
    let Some(Expr { kind: ExprKind::Tuple(items), .. }) = targets.first_mut() else { return };
    for (item, target) in items.iter_mut().zip(stores) {
        let Some(target) = target else { continue };
        known.gone += 2;
        match &mut item.kind {
            // The star is where its target is, not where the value is unpacked.
            ExprKind::Starred(inner) => {
                item.origin = target.origin;
                **inner = target;
            }
            _ => *item = target,
        }
    }
    known.gone += give_back_dropped(items, &known.mentions, known.locals);
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
