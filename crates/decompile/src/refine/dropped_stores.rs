//! Part of the passes on targets: a store that the compiler dropped gets its name back.
//!
//! From 3.13 on the compiler drops what a local is given if the next instruction gives it something else
//! (`Python/flowgraph.c`, which makes a `POP_TOP` of such a `STORE_FAST`): in `t1, t2 = x; a = t2`, where
//! nothing reads `t1`, it belonged to `a` as well. So it does where `a` stands in another tuple, `(b, a), a = x`, or
//! is the next target of a chain, `b, a = a = x`.

use depyf_syntax::ast::{Expr, ExprKind, Ident};

use super::mentions::Mentions;

/// Names the targets among `targets`, which are stored to in this order, that nothing reads. `mentions` counts each
/// temporary. Says how many of its mentions are gone.
pub(super) fn give_back_dropped(targets: &mut [Expr], mentions: &Mentions, locals: &[Ident]) -> u32 {
    let mut dropped = Dropped { mentions, locals, following: None, gone: 0 };
    targets.iter_mut().rev().for_each(|target| dropped.give_back(target));
    dropped.gone
}

struct Dropped<'a> {
    mentions: &'a Mentions,
    locals: &'a [Ident],
    /// The name that is stored to next.
    following: Option<Expr>,
    gone: u32,
}

impl Dropped<'_> {
    /// From the last target to the first. No instruction stores what was dropped: it is of the one that stores the
    /// next, and on its line. Where one does, the printer parts both. Of other names all stores stay.
    fn give_back(&mut self, target: &mut Expr) {
        let is_local = |name: &Ident| self.locals.contains(name);
        let next = self.following.as_ref().and_then(|next| match &next.kind {
            ExprKind::Name(name) => Some((name, next.origin)),
            _ => None,
        });
        match (&mut target.kind, next) {
            (ExprKind::Tuple(items), _) => {
                items.iter_mut().rev().for_each(|item| self.give_back(item));
                return;
            }
            (ExprKind::Starred(inner), _) => {
                self.give_back(inner);
                target.origin = inner.origin;
                return;
            }
            (ExprKind::Temp(temporary), next) if self.mentions.get(*temporary) == 1 => {
                if let Some((name, origin)) = next.filter(|(name, _)| is_local(name)) {
                    *target = Expr::new(origin, ExprKind::Name(name.clone()));
                    self.gone += 1;
                }
                return;
            }
            (ExprKind::Name(name), Some((next, origin))) if name == next && !is_local(name) => {
                target.origin = origin;
            }
            _ => {}
        }
        self.following = matches!(target.kind, ExprKind::Name(_)).then(|| target.clone());
    }
}
