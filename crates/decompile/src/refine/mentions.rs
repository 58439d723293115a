//! How often temporaries are mentioned: assigned and read, together.

use crate::hash::HashMap;

use depyf_syntax::ast::{Block, ExprKind};

use crate::lift::target_temporary;
use crate::visit::walk;

/// The mentions of each temporary of a tree.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Those that are handed out one after the other, by number from `base` on.
    first: Vec<u32>,
    /// The least number in the tree: a part of a function mentions few of its temporaries, which have numbers near
    /// each other.
    base: u32,
    /// The others: what has a number of its own, see `lift`.
    others: HashMap<u32, u32>,
    /// Whether an assignment expression stores a temporary; that is no mention.
    stored: bool,
}

/// So many temporaries behind the base are counted by number.
const FIRST: u32 = 1 << 16;

impl Mentions {
    /// Counts the mentions in the statements, nested functions excluded.
    pub(super) fn of(block: &mut Block) -> Self {
        let mut stored = false;
        let mut mentioned = Vec::new();
        walk(block, &mut |expr| match &expr.kind {
            ExprKind::Temp(temporary) => mentioned.push(*temporary),
            ExprKind::Named { target, .. } => stored |= target_temporary(target).is_some(),
            _ => {}
        });
        let base = mentioned.iter().min().copied().unwrap_or(0);
        let mut found = Self { base, stored, ..Self::default() };
        mentioned.into_iter().for_each(|temporary| *found.count(temporary) += 1);
        found
    }

    fn count(&mut self, temporary: u32) -> &mut u32 {
        let at = temporary.wrapping_sub(self.base);
        if at >= FIRST {
            return self.others.entry(temporary).or_default();
        }
        let at = at as usize;
        if at >= self.first.len() {
            self.first.resize(at + 1, 0);
        }
        &mut self.first[at]
    }

    /// How often a temporary is mentioned.
    pub(super) fn get(&self, temporary: u32) -> u32 {
        let at = temporary.wrapping_sub(self.base);
        let known = if at < FIRST { self.first.get(at as usize) } else { self.others.get(&temporary) };
        known.copied().unwrap_or(0)
    }

    /// Whether the tree holds more of temporaries than so many mentions.
    pub(super) fn exceed(&self, count: u32) -> bool {
        self.stored || self.first.iter().chain(self.others.values()).sum::<u32>() > count
    }

    /// Whether no temporary is mentioned.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty() && self.others.is_empty()
    }

    /// Notes that a temporary is mentioned once less.
    pub(super) fn take_one(&mut self, temporary: u32) {
        let count = self.count(temporary);
        *count = count.saturating_sub(1);
    }
}
