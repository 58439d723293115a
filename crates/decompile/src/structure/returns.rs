//! Blocks that only return: what they return, and where such a `return` may stand.

use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::Structurer;
use super::settling::passed;
use crate::flow::{BlockId, BlockSet, RegionId};
use crate::lift::{LiftedEnd, without_late_spelling};

impl Structurer<'_> {
    /// Whether the function ends in a block that is short enough to stand in several places: the compiler
    /// itself copies such ends, and what ends does not care where it stands.
    pub(super) fn is_short_end(&self, block: BlockId) -> bool {
        self.ends_short(block)
            && (self.copies_code || !self.makes_functions(block))
            && !self.graph.evidence.inlines_loop(&self.graph.blocks[block])
    }

    pub(super) fn ends_short(&self, block: BlockId) -> bool {
        let ends = |end: &LiftedEnd| {
            matches!(end, LiftedEnd::Return(_) | LiftedEnd::Raise { .. } | LiftedEnd::Reraise(_))
        };
        self.nodes[block].length <= 1 && ends(&self.graph.blocks[block].end)
    }

    /// Whether a `return` was written for the instruction at an offset, as far as is known.
    pub(super) fn says_return(&self, value: &Expr, offset: u32) -> bool {
        !is_none(value) || self.graph.evidence.is_written_return(offset)
    }

    /// `return value`, which the instruction at an offset does. None is named where that matters: at the end of a
    /// function, where a `return` without a value would be left out.
    pub(super) fn returning(&self, value: &Expr, offset: u32) -> Stmt {
        let named = self.says_return(value, offset).then(|| value.clone());
        Stmt::new(Origin(offset), StmtKind::Return(named))
    }

    /// What a block returns, if it does nothing else, and the value is a constant or was made before: such a
    /// `return` may stand in several places and inside a `try` or `with` statement. The exits of `with`
    /// statements on the way are empty blocks here, and the `return` runs them too.
    pub(super) fn plain_return(&self, block: BlockId) -> Option<&Expr> {
        self.returned(block).filter(|&(value, carried)| carried || is_constant(value)).map(|(value, _)| value)
    }

    /// Whether a jump to a block may have been a plain `return`. To 3.9 each of those has instructions of its own, and what
    /// leads to the end of the function was written as something else.
    pub(super) fn may_be_return(&self, block: BlockId) -> bool {
        let has_own = !self.graph.features.copies_implicit_end;
        self.plain_return(block).is_some() && !(has_own && self.graph.end == Some(self.end_of_chain(block)))
    }

    /// The same, of a block behind a region: whether such a `return` may stand in the region. What the compiler folds
    /// behind the tree is made in the region there, as any other value is.
    pub(super) fn return_inside(&self, block: BlockId) -> Option<&Expr> {
        let folds = self.graph.folds_on_tree;
        let stays = |value| is_constant(value) && (folds || !is_folded(value));
        self.returned(block).filter(|&(value, carried)| carried || stays(value)).map(|(value, _)| value)
    }

    /// The same, where the value is one that cannot fail; reading it elsewhere does no harm.
    pub(super) fn quiet_return(&self, block: BlockId) -> Option<&Expr> {
        self.returned(block).map(|(value, _)| value).filter(|value| cannot_fail(value))
    }

    /// Whether a block only returns what was made before it.
    pub(super) fn is_carried(&self, block: BlockId) -> bool {
        self.returned(block).is_some_and(|(_, carried)| carried)
    }

    /// What a chain of blocks that do nothing returns, and whether the value was made before them.
    fn returned(&self, mut block: BlockId) -> Option<(&Expr, bool)> {
        let mut carried = true;
        for _ in 0..self.graph.blocks.len() {
            if !self.is_empty(block) || self.nodes[block].is_hollow {
                return None;
            }
            carried &= self.graph.blocks[block].carries;
            match &self.graph.blocks[block].end {
                LiftedEnd::Jump(next) => block = *next,
                LiftedEnd::Return(value) => {
                    let carried = carried && was_made(value);
                    return Some((value, carried));
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether a block is the end of the function, and a handler that does something falls through to it: no `return` was
    /// written there. Of one that does nothing else, it is not known, and matters where the compiler moves handlers.
    pub(super) fn falls_to_end(&self, block: BlockId, region: RegionId) -> bool {
        if self.graph.end != Some(block) {
            return false;
        }
        let before_end = self.before_end.get_or_init(|| self.blocks_before(block));
        let handler = self.graph.regions[region].handler;
        let mut met = BlockSet::default();
        self.dominators.below(handler, before_end).iter().any(|&last| self.does_something(last, &mut met))
    }

    /// The blocks that lead to another, with nothing between but the ways out of `finally` statements; in the order of the
    /// dominator tree.
    fn blocks_before(&self, block: BlockId) -> Vec<BlockId> {
        let (mut seen, mut work) = (BlockSet::default(), self.predecessors[block].to_vec());
        let mut found = Vec::new();
        while let Some(before) = work.pop() {
            if !seen.put(before) {
                found.push(before);
                if self.is_transparent(before) {
                    work.extend(&self.predecessors[before]);
                }
            }
        }
        self.dominators.sort(&mut found);
        found
    }

    /// Whether what leads to the end of a block in a handler does anything; `met` has the blocks that were looked at.
    fn does_something(&self, block: BlockId, met: &mut BlockSet) -> bool {
        let mut work = vec![block];
        while let Some(at) = work.pop() {
            let tests = matches!(self.graph.blocks[at].end, LiftedEnd::ExceptMatch { .. });
            if self.graph.features.source_order || !self.is_empty(at) {
                return true;
            }
            // The ways of a statement in the handler meet where it ends.
            if !tests && !self.nodes[at].is_handler && !met.put(at) {
                work.extend(&self.predecessors[at]);
            }
        }
        false
    }

    /// Where the `return` stands that a block leads to, behind blocks that do nothing.
    pub(super) fn returns_at(&self, block: BlockId) -> u32 {
        self.graph.blocks[self.end_of_chain(block)].end_offset
    }

    /// The same on the way from a block: each way to the end of the function has a copy of that, in the place of what was
    /// written.
    pub(super) fn written_at(&self, block: BlockId, from: Option<BlockId>) -> u32 {
        let end = self.end_of_chain(block);
        let last = passed(self.graph, block, end).last().or(from).filter(|_| self.graph.end == Some(end));
        self.graph.blocks[last.unwrap_or(end)].end_offset
    }

    /// The same, where what is done for this `return` alone tells.
    pub(super) fn leaves_at(&self, block: BlockId) -> u32 {
        let mut passed = passed(self.graph, block, self.end_of_chain(block));
        let own = passed.find(|&block| self.nodes[block].has_own_exit);
        own.map_or_else(|| self.returns_at(block), |own| self.graph.blocks[own].end_offset)
    }

    /// Marks a chain of empty blocks as printed.
    pub(super) fn mark_empty(&mut self, mut block: BlockId) {
        while !self.nodes[block].is_printed && self.is_empty(block) && !self.nodes[block].is_hollow {
            self.nodes[block].is_printed = true;
            match self.graph.blocks[block].end {
                LiftedEnd::Jump(next) => block = next,
                _ => break,
            }
        }
    }
}

/// Whether the expression is one constant.
pub(super) fn is_constant(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Tuple(items) => items.iter().all(is_constant),
        _ => false,
    }
}

/// Whether a constant is none of those that source spells with one token: an operation was folded to it.
fn is_folded(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Literal(Literal::Int(value)) => value.is_negative(),
        ExprKind::Literal(Literal::Float(value)) => value.is_sign_negative(),
        ExprKind::Literal(Literal::Complex { real, imag }) => real.to_bits() != 0 || imag.is_sign_negative(),
        ExprKind::Literal(Literal::Tuple(_) | Literal::FrozenSet(_)) | ExprKind::Tuple(_) => true,
        _ => false,
    }
}

/// As [`cannot_fail`], of a value that was made before: what it unpacks was unpacked, and its keys were hashed.
fn was_made(value: &Expr) -> bool {
    let item = |item: &Expr| match &item.kind {
        ExprKind::Starred(list) => matches!(list.kind, ExprKind::Temp(_)),
        _ => was_made(item),
    };
    match &value.kind {
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => items.iter().all(item),
        ExprKind::Dict(items) => {
            items.iter().all(|(key, value)| key.as_ref().is_none_or(was_made) && was_made(value))
        }
        _ => is_constant(&without_late_spelling(value)) || cannot_fail(value),
    }
}

/// Whether evaluating the expression runs no user code: names here are locals, others have been read before.
fn cannot_fail(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Literal(_) | ExprKind::Temp(_) | ExprKind::Name(_) => true,
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().all(cannot_fail),
        // A literal can be hashed; other keys may be asked to.
        ExprKind::Dict(items) => items.iter().all(|(key, value)| {
            key.as_ref().is_some_and(|key| matches!(key.kind, ExprKind::Literal(_))) && cannot_fail(value)
        }),
        _ => false,
    }
}

/// Whether the expression is None.
pub(crate) fn is_none(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Literal(Literal::None))
}
