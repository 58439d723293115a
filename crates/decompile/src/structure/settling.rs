//! Where going to a block leads, behind all blocks that do nothing; and whether that is a jump that was written.

use depyf_syntax::ast::{Origin, Stmt, StmtKind};

use super::{Scope, Structurer};
use crate::flow::{BlockId, Landing};
use crate::lift::{Lifted, LiftedEnd};

impl Structurer<'_> {
    /// Whether a `break` or `continue` that was written lies among the blocks that do nothing between two.
    pub(super) fn passes_written_jump(&self, from: BlockId, settled: BlockId, scope: &Scope) -> bool {
        passed(self.graph, from, settled).any(|block| self.written_jump(block, scope).is_some())
    }

    /// The `break` or `continue` that ends a block, if its place or what lies behind it tells that it was written.
    pub(super) fn written_jump(&self, block: BlockId, scope: &Scope) -> Option<Stmt> {
        let found = &self.graph.blocks[block];
        let LiftedEnd::Jump(to) = found.end else { return None };
        let to = if found.written.is_some() { self.settle(to, scope) } else { to };
        let is_written = self.dead.from(block).is_some()
            || found.dead.behind == Some(Landing::Written)
            || found.written.is_some();
        let jump = jump_to(to, scope).filter(|_| is_written)?;
        Some(Stmt::new(Origin(found.end_offset), jump))
    }

    /// Whether all ways but one to a block that only leads to the place of a `break` or `continue` are such statements
    /// themselves, so that it is none. What a single way leads to is one if that was written.
    pub(super) fn only_jumps_meet(&self, block: BlockId, scope: &Scope) -> bool {
        if self.nodes[block].ways_in == 1 && self.stands_once(block, scope) {
            return false;
        }
        let falls = |&&before: &&BlockId| {
            self.graph.blocks[before].written.is_none() || self.written_jump(before, scope).is_none()
        };
        self.is_transparent(block)
            && self.graph.blocks[block].written.is_none()
            && self.is_jump(self.settle(block, scope), scope)
            && self.predecessors[block].iter().filter(falls).nth(1).is_none()
    }

    /// The place of a `break` between two blocks: that of what drops the iterator of the loop.
    pub(super) fn dropped_at(&self, from: BlockId, settled: BlockId, scope: &Scope) -> Origin {
        let dropping =
            passed(self.graph, from, settled).filter(|&block| self.drops_iterator(block, scope)).last();
        dropping.map_or(Origin::NONE, |block| Origin(self.graph.blocks[block].end_offset))
    }

    /// The instruction that is left of the `break` that a block falls into, or that drops the iterator for it.
    pub(super) fn idle_word(&self, from: Option<BlockId>, jump: &StmtKind, scope: &Scope) -> Origin {
        let Some(from) = from.filter(|_| matches!(jump, StmtKind::Break)) else { return Origin::NONE };
        let block = &self.graph.blocks[from];
        let lets_go = |header| self.is_empty(from) && self.lets_iterator_go(from, header);
        let drop = || scope.inner.is_some_and(|inner| lets_go(inner.header)).then_some(block.end_offset);
        block.layout.jump.or_else(drop).map_or(Origin::NONE, Origin)
    }

    /// The block that going to `block` leads to, behind all that do nothing.
    pub(super) fn settle(&self, block: BlockId, scope: &Scope) -> BlockId {
        self.settle_from(block, scope.inner.map(|inner| inner.header), scope)
    }

    /// The same, on a way out of a loop.
    pub(super) fn settle_from(&self, mut block: BlockId, header: Option<BlockId>, scope: &Scope) -> BlockId {
        for _ in 0..self.graph.blocks.len() {
            match self.graph.blocks[block].end {
                LiftedEnd::Jump(next)
                    if self.is_transparent(block)
                        && scope.follow != Some(block)
                        && !self.is_jump(block, scope)
                        && !self.nodes[block].is_claimed()
                        && !self.nodes[block].is_header
                        && !header.is_some_and(|header| self.returns_alone(block, header)) =>
                {
                    block = next;
                }
                _ => break,
            }
        }
        block
    }

    /// Whether what follows a place only leads on, to a block: where nothing is done, that block follows as well.
    pub(super) fn follow_leads_to(&self, block: BlockId, scope: &Scope) -> bool {
        let only_leads_on =
            |at| self.may_be_near(at) && !self.is_jump(at, scope) && !self.nodes[at].is_header;
        scope.follow.is_some_and(|follow| passed(self.graph, follow, block).all(only_leads_on))
    }

    /// The last one of blocks that only lead on.
    pub(super) fn end_of_chain(&self, mut block: BlockId) -> BlockId {
        for _ in 0..self.graph.blocks.len() {
            match self.graph.blocks[block].end {
                LiftedEnd::Jump(next) => block = next,
                _ => break,
            }
        }
        block
    }

    /// Whether a block in a loop is a `return`: it leaves a `with`, or a `try` with a `finally`, around the loop for itself. What
    /// a `break` leads to is in the same statement as the loop, and leaves that in one place with all else that stands there.
    /// A `for` of one round is no natural loop: of that only the header is known.
    pub(super) fn returns_alone(&self, block: BlockId, header: BlockId) -> bool {
        let Some(region) = self.graph.blocks[block].region.filter(|_| self.nodes[block].has_own_exit) else {
            return false;
        };
        let is_inside = |block: BlockId| self.around(block).contains(&region);
        is_inside(header)
            && self.loops.get(&header).is_none_or(|body| body.ones().all(is_inside))
            && self.may_be_return(block)
            && !self.is_where_loop_ends(block, header)
    }

    /// Whether nothing is done between the test of a loop and a block that one way leads to.
    fn is_where_loop_ends(&self, mut block: BlockId, header: BlockId) -> bool {
        for _ in 0..self.graph.blocks.len() {
            match self.predecessors[block][..] {
                [before] if before == header => return self.is_empty(header),
                [before] if self.is_transparent(before) => block = before,
                _ => break,
            }
        }
        false
    }

    /// Whether a block does nothing but drop the iterator of the `for` around it: it is a `break`.
    pub(super) fn drops_iterator(&self, block: BlockId, scope: &Scope) -> bool {
        scope.inner.is_some_and(|inner| self.drops_iterator_of(block, inner.header))
    }

    /// Whether a block jumps to where the iterator of the `for` of a header is on the stack no more.
    pub(super) fn ends_without_iterator(&self, block: BlockId, header: BlockId) -> bool {
        matches!(self.graph.blocks[block].end, LiftedEnd::Jump(to) if self.is_without_iterator_of(to, header))
    }

    /// Whether a block does nothing but drop the iterator of the `for` of a header.
    fn drops_iterator_of(&self, block: BlockId, header: BlockId) -> bool {
        self.is_transparent(block) && self.lets_iterator_go(block, header)
    }

    /// Whether the iterator of the `for` of a header is on the stack where a block begins, and no more where it jumps to.
    fn lets_iterator_go(&self, block: BlockId, header: BlockId) -> bool {
        !self.is_without_iterator_of(block, header) && self.ends_without_iterator(block, header)
    }

    /// Whether a block lies where the iterator of the `for` around a place is on the stack no more.
    pub(super) fn is_without_iterator(&self, block: BlockId, scope: &Scope) -> bool {
        scope.inner.is_some_and(|inner| self.is_without_iterator_of(block, inner.header))
    }

    fn is_without_iterator_of(&self, block: BlockId, header: BlockId) -> bool {
        let LiftedEnd::For { body, slots, .. } = self.graph.blocks[header].end else { return false };
        // The body begins with an item above the iterator.
        self.graph.blocks[block].depth + (slots as usize) < self.graph.blocks[body].depth
    }

    /// Whether a block only leads on: a jump that crosses the tree may lead to it.
    pub(super) fn may_be_near(&self, block: BlockId) -> bool {
        matches!(self.graph.blocks[block].end, LiftedEnd::Jump(_)) && self.is_transparent(block)
    }

    /// Whether going to a block that only leads on takes a jump that crosses the tree, and would where it leads on to as well:
    /// the nearer place is left with less.
    pub(super) fn is_jump_across(&self, block: BlockId, next: BlockId, scope: &Scope) -> bool {
        if !self.nodes[block].is_claimed() {
            return false;
        }
        let settled = self.settle(next, scope);
        self.nodes[settled].is_claimed()
            && scope.follow != Some(settled)
            && !self.is_jump(settled, scope)
            && self.plain_return(settled).is_none()
    }

    /// Whether going to the block is `continue` or `break`.
    pub(super) fn is_jump(&self, block: BlockId, scope: &Scope) -> bool {
        jump_to(block, scope).is_some()
    }

    /// Whether a block does nothing but go on, and puts nothing on the stack either: a value that it puts there
    /// is made where the block stands. Where it is all that a `try` has for a body, passing it would pass the `try`.
    pub(super) fn is_transparent(&self, block: BlockId) -> bool {
        self.is_empty(block) && self.graph.blocks[block].carries && !self.nodes[block].is_hollow
    }

    /// Whether a block prints nothing.
    pub(super) fn is_empty(&self, block: BlockId) -> bool {
        self.nodes[block].length == 0
    }
}

/// The blocks on the way from one to where it settles, which do nothing; the last one excluded.
pub(super) fn passed(graph: &Lifted, from: BlockId, settled: BlockId) -> impl Iterator<Item = BlockId> {
    let next = move |&block: &BlockId| match graph.blocks[block].end {
        LiftedEnd::Jump(next) => Some(next),
        _ => None,
    };
    let chain = std::iter::successors(Some(from), next).take(graph.blocks.len());
    chain.take_while(move |&block| block != settled)
}

/// `continue` or `break`, or a `return` that a `finally` body drops, where that goes to the block.
pub(super) fn jump_to(block: BlockId, scope: &Scope) -> Option<StmtKind> {
    match scope.inner {
        Some(inner) if inner.repeats && inner.header == block => Some(StmtKind::Continue),
        Some(inner) if inner.exit == Some(block) => Some(StmtKind::Break),
        inner => {
            let left = scope.left.filter(|left| left.to == block && scope.follow != Some(block))?;
            match left.continues {
                None => Some(StmtKind::Return(None)),
                header => inner.filter(|inner| Some(inner.header) == header).map(|_| StmtKind::Continue),
            }
        }
    }
}
