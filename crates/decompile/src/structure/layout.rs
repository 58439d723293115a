//! What the place of blocks in the bytecode tells about the source.

use std::cell::OnceCell;
use std::cmp::Ordering;

use depyf_syntax::ast::{Block as Body, ExprKind, Origin, Stmt, StmtKind};
use fixedbitset::FixedBitSet;

use super::Structurer;
use crate::flow::{BlockId, BlockSet, Dominators, Lists, RegionId};
use crate::hash::HashMap;
use crate::lift::{Lifted, LiftedBlock, LiftedEnd, Reached};
use crate::visit::blocks;

/// So many blocks behind a `try`, and of its handlers, are looked at.
const FURTHEST: usize = 64;

/// Where the blocks lie.
///
/// The compiler keeps the order of the source among the blocks that are reached without an exception, and among the
/// others; from 3.12 on it moves the others to the end of the function (CPython `Python/flowgraph.c`,
/// `push_cold_blocks_to_end`).
pub(super) struct Places {
    /// The blocks that are reached without an exception; `None` for all of them, as where the compiler moves none. What an
    /// `async for` or an asynchronous comprehension leads to when there are no more items is reached by one.
    warm: Option<FixedBitSet>,
    /// Blocks that lie behind a statement, though one of its arms alone leads there: the other one, which lies between,
    /// leaves. By the block that ends in the statement's test.
    behind: HashMap<BlockId, Vec<BlockId>>,
}

impl Places {
    /// Nothing but what is warm.
    pub(super) fn of(graph: &Lifted) -> Self {
        let may_raise = |block: &LiftedBlock| {
            block.region.is_some()
                || matches!(block.end, LiftedEnd::For { is_async: true, .. })
                || graph.evidence.becomes_cold(block)
        };
        let has_cold = !graph.features.source_order && graph.blocks.iter().any(may_raise);
        Self { warm: has_cold.then(|| warm_blocks(graph)), behind: HashMap::default() }
    }

    /// Whether two blocks lie among those that keep the order of the source.
    pub(super) fn are_ordered(&self, a: BlockId, b: BlockId) -> bool {
        self.warm.as_ref().is_none_or(|warm| warm.contains(a) == warm.contains(b))
    }

    /// The blocks that lie behind the statement that a block ends in.
    pub(super) fn behind(&self, block: BlockId) -> &[BlockId] {
        self.behind.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Whether any block lies behind a statement.
    pub(super) fn any_behind(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Forgets the blocks that lie behind a statement.
    pub(super) fn forget_behind(&mut self) {
        self.behind.clear();
    }

    /// Finds the blocks that lie behind a statement, one arm of which leaves.
    ///
    /// Example: `if a: b` `else: raise` and `c`. The bytecode has `b`, a jump to `c`, the `raise`, `c`; without the
    /// `else` it has `c` right behind `b`.
    pub(super) fn find_behind(
        &mut self,
        graph: &Lifted,
        Reached { order, predecessors }: &Reached,
        dominators: &Dominators,
        loops: &HashMap<BlockId, BlockSet>,
    ) {
        // A test, its two arms and what lies behind.
        if order.len() < 4 {
            return;
        }
        let search = Search { graph, order, predecessors, dominators, loops, innermost: OnceCell::new() };
        let may_lie_behind = |&&block: &&BlockId| search.may_lie_behind(block);
        if !order.iter().any(|block| may_lie_behind(&block)) {
            return;
        }
        let lying = search.lying();
        let mut place = vec![usize::MAX; graph.blocks.len()];
        for (at, &id) in lying.iter().enumerate() {
            place[id] = at;
        }
        // Ranges of real code hardly overlap; those of damaged code must not take quadratic time.
        let mut budget = 64 * graph.blocks.len();
        for &block in order.iter().filter(may_lie_behind) {
            let Some(from) = search.only_way(block) else { continue };
            if place[block] == usize::MAX || place[from] == usize::MAX || place[from] + 1 >= place[block] {
                continue;
            }
            if graph.blocks[from].end.successors().all(|next| next != block) {
                continue;
            }
            let is_ordered = self.are_ordered(from, block);
            // Behind an asynchronous comprehension lies what only an exception reaches. Lines alone tell what is written between.
            if !is_ordered && !graph.evidence.becomes_cold(&graph.blocks[from]) {
                continue;
            }
            let between = if is_ordered { &lying[place[from] + 1..place[block]] } else { &lying[..] };
            if between.len() > budget {
                return;
            }
            budget -= between.len();
            let line = |block: BlockId| graph.evidence.first_line(&graph.blocks[block]);
            let lines = graph.evidence.last_line(&graph.blocks[from]).zip(line(block));
            let is_written_between = |arm: BlockId| {
                lines.zip(line(arm)).is_some_and(|((from, to), line)| from < line && line < to)
            };
            let lies_between = |&&arm: &&BlockId| {
                if is_ordered { self.are_ordered(arm, block) } else { is_written_between(arm) }
            };
            let arms = between.iter().filter(lies_between);
            let tests = arms.filter_map(|&arm| search.only_way(arm));
            let tests = tests.filter(|&test| search.is_left(test, from, block));
            // The outermost statement that has an arm in between.
            if let Some(test) = tests.min_by_key(|&test| dominators.position(test)) {
                self.behind.entry(test).or_default().push(block);
            }
        }
    }
}

/// What [`Places::find_behind`] looks at.
struct Search<'a> {
    graph: &'a Lifted<'a>,
    /// The blocks that can be reached.
    order: &'a [BlockId],
    predecessors: &'a Lists,
    dominators: &'a Dominators,
    loops: &'a HashMap<BlockId, BlockSet>,
    /// Hardly any function asks for them.
    innermost: OnceCell<InnermostLoops>,
}

/// Loops around blocks, each by its header.
struct InnermostLoops {
    /// The innermost one that each block is in.
    of_blocks: Vec<Option<BlockId>>,
    /// The one around each loop.
    of_headers: HashMap<BlockId, Option<BlockId>>,
}

impl Search<'_> {
    fn start(&self, block: BlockId) -> u32 {
        self.graph.blocks[block].start
    }

    /// Whether the only way to a block comes from one that lies before it, and has a test before it.
    fn may_lie_behind(&self, block: BlockId) -> bool {
        let Some(from) = self.only_way(block) else { return false };
        self.start(block) != u32::MAX
            && self.is_at_its_place(block)
            && self.start(from) <= self.start(block)
            && self.dominators.immediate(from).is_some()
    }

    /// What is left of the copy of a `finally` body starts where that does (3.8).
    fn is_at_its_place(&self, block: BlockId) -> bool {
        let handler = self.graph.blocks[block].region.map(|region| self.graph.regions[region].handler);
        handler.is_none_or(|handler| self.start(block) < self.start(handler))
    }

    /// The blocks that have a place in the bytecode, as they lie there.
    fn lying(&self) -> Vec<BlockId> {
        // Where each block starts, and its position in the order, as one number.
        let lies = |(position, &block): (usize, &BlockId)| {
            let start = self.start(block);
            (start != u32::MAX).then_some(u64::from(start) << u32::BITS | position as u64)
        };
        let mut lying: Vec<u64> = Vec::with_capacity(self.order.len());
        lying.extend(self.order.iter().enumerate().filter_map(lies));
        lying.sort_unstable();
        lying.into_iter().map(|place| self.order[(place & u64::from(u32::MAX)) as usize]).collect()
    }

    /// The only block that leads to another one, but for those of a loop that lead back to its head. Where several ways meet
    /// is no arm.
    fn only_way(&self, block: BlockId) -> Option<BlockId> {
        let before = self.predecessors[block].iter().copied();
        let mut before = before.filter(|&before| !self.dominators.dominates(block, before));
        before.next().filter(|_| before.next().is_none())
    }

    /// Whether a test is that of a statement around a block, which is left from there to the block `to`.
    fn is_left(&self, test: BlockId, from: BlockId, to: BlockId) -> bool {
        let (graph, innermost) = (self.graph, |block: BlockId| self.innermost_loop(block));
        // A loop may lie behind, too.
        let is_around = |other: BlockId| {
            innermost(other) == innermost(test) || other == to && self.loop_around(to) == innermost(test)
        };
        test != from
            && matches!(graph.blocks[test].end, LiftedEnd::Branch { .. })
            && graph.blocks[test].layout.falls.is_some()
            && self.dominators.dominates(test, from)
            && graph.blocks[from].region == graph.blocks[test].region
            && [from, to].iter().all(|&other| {
                graph.blocks[other].handling == graph.blocks[test].handling
                    && (is_around(other)
                        || innermost(test).is_some_and(|header| self.keeps_iterator(other, header)))
            })
    }

    /// Whether a block leads to a `break` alone: it lies in no loop, but the iterator of the `for` around it is there.
    fn keeps_iterator(&self, block: BlockId, header: BlockId) -> bool {
        let depth = |block: BlockId| self.graph.blocks[block].depth;
        let is_around = |around: BlockId| self.loops[&around].contains(header);
        // The body begins with an item above the iterator.
        matches!(self.graph.blocks[header].end, LiftedEnd::For { body, .. } if depth(block) + 1 >= depth(body))
            && self.innermost_loop(block).is_none_or(is_around)
    }

    fn innermost_loop(&self, block: BlockId) -> Option<BlockId> {
        self.loops_around().of_blocks[block]
    }

    /// The header of the loop around a statement that begins with a block, which may be a loop itself.
    fn loop_around(&self, block: BlockId) -> Option<BlockId> {
        let found = self.loops_around();
        *found.of_headers.get(&block).unwrap_or(&found.of_blocks[block])
    }

    fn loops_around(&self) -> &InnermostLoops {
        self.innermost.get_or_init(|| self.innermost_loops())
    }

    fn innermost_loops(&self) -> InnermostLoops {
        let mut found = vec![None; self.graph.blocks.len()];
        let mut of_headers = HashMap::default();
        // The header of an inner loop comes later in the order.
        for &header in self.order {
            if let Some(body) = self.loops.get(&header) {
                of_headers.insert(header, found[header]);
                for block in body.ones() {
                    let known: &mut Option<BlockId> = &mut found[block];
                    let position = |block: BlockId| self.dominators.position(block);
                    if known.is_none_or(|known| position(known) < position(header)) {
                        *known = Some(header);
                    }
                }
            }
        }
        InnermostLoops { of_blocks: found, of_headers }
    }
}

/// The blocks that are reached without an exception.
fn warm_blocks(graph: &Lifted) -> FixedBitSet {
    let mut warm = FixedBitSet::with_capacity(graph.blocks.len());
    let mut work = vec![0];
    while let Some(block) = work.pop() {
        if warm.put(block) {
            continue;
        }
        match graph.blocks[block].end {
            // An exception ends the loop.
            LiftedEnd::For { body, is_async: true, .. } => work.push(body),
            _ if graph.evidence.becomes_cold(&graph.blocks[block]) => {}
            ref end => work.extend(end.successors()),
        }
    }
    warm
}

impl Structurer<'_> {
    /// Whether the loads of locals with which a block starts borrow; `None` where it has none. What a statement skips to
    /// is no start: only the first of the blocks that follow counts.
    pub(super) fn borrows(&self, mut block: BlockId) -> Option<bool> {
        let evidence = &self.graph.evidence;
        if !evidence.has_borrows() {
            return None;
        }
        for _ in 0..self.graph.blocks.len() {
            let found = &self.graph.blocks[block];
            let borrows = evidence.borrows_within(found.start, found.end_offset);
            if borrows.is_some() {
                return borrows;
            }
            let next = found.end.successors().next()?;
            if self.nodes[next].ways_in != 1 || self.graph.blocks[next].start <= found.start {
                return None;
            }
            block = next;
        }
        None
    }

    /// Whether the loads of locals tell that what the body of a `try` leads to is its `else`. The compiler sees what an
    /// instruction jumps to; what the body runs into it sees in the `else` only.
    pub(super) fn is_borrowing_else(&self, exit: BlockId, region: RegionId) -> bool {
        let leads = |&block: &BlockId| self.graph.blocks[block].end.successors().any(|next| next == exit);
        let evidence = &self.graph.evidence;
        let runs = |block: BlockId| {
            let found = &self.graph.blocks[block];
            let jumps = match found.end {
                LiftedEnd::Jump(_) => evidence.jumps(found),
                // A test jumps to where the body ends, not over an arm to a jump.
                _ => found.layout.jump.is_some() || found.layout.to.is_some_and(|to| evidence.is_jump(to)),
            };
            found.region == Some(region) && !jumps
        };
        self.borrows(exit) == Some(true) && self.members[region].iter().copied().filter(leads).all(runs)
    }

    /// Whether a handler that lies before those of a region belongs to what follows the region's body: the compiler
    /// lays handlers down behind the statement that they belong to, so the `else` of a `try` has its own before those of
    /// the `try`. Only where the compiler moves handlers to the end do they tell nothing else.
    pub(super) fn is_before_handlers(&self, exit: BlockId, region: RegionId) -> bool {
        let graph = self.graph;
        let handler = graph.regions[region].handler;
        if graph.features.source_order {
            return false;
        }
        let around = self.around(handler);
        let own = |block: BlockId| self.around(block).iter().rev().find(|inner| !around.contains(inner));
        self.below(exit).find_map(own).is_some_and(|&inner| {
            graph.blocks[graph.regions[inner].handler].start < graph.blocks[handler].start
        })
    }

    /// The first blocks of those that a block dominates, itself among them.
    fn below(&self, top: BlockId) -> impl Iterator<Item = BlockId> {
        let mut work = vec![top];
        let next = move || {
            let block = work.pop()?;
            work.extend(self.children[block].iter().rev());
            Some(block)
        };
        std::iter::from_fn(next).take(FURTHEST)
    }

    /// Which was compiled first: what the body of a `try` goes on with, as its `else` is, or the handlers; `None` where no name
    /// tells.
    pub(super) fn compiled_first(&self, exit: BlockId, region: RegionId) -> Option<Ordering> {
        let below = |top: BlockId| self.below(top).map(|block| &self.graph.blocks[block]);
        self.graph.evidence.compiled_first(below(exit), below(self.graph.regions[region].handler))
    }

    /// Takes what follows a `try` statement out of its `else`, which starts at a block: the compiler missed the loads
    /// behind the statement.
    pub(super) fn split_else(&self, start: BlockId, orelse: &mut Body) -> Body {
        let mut from = self.graph.blocks[start].start;
        let mut split = None;
        for (at, statement) in orelse.iter().enumerate() {
            let end = last_origin(statement).unwrap_or(from);
            match self.graph.evidence.borrows_within(from, end) {
                Some(true) => split = None,
                Some(false) if split.is_none() && at > 0 => split = Some(at),
                _ => {}
            }
            from = from.max(end.saturating_add(1));
        }
        // The statement in front of a `for` makes the iterator that this takes.
        let takes_iterator = |statement: &Stmt| match &statement.kind {
            StmtKind::For { iter, .. } => matches!(iter.kind, ExprKind::Temp(_)),
            _ => false,
        };
        split = split.map(|at| at - usize::from(takes_iterator(&orelse[at])));
        split.filter(|&at| at > 0).map_or_else(Body::new, |at| orelse.split_off(at))
    }
}

/// The offset of the last instruction that a statement names, those in it included.
fn last_origin(statement: &Stmt) -> Option<u32> {
    let own = Some(statement.origin).filter(|&origin| origin != Origin::NONE).map(|origin| origin.0);
    own.max(blocks(statement).flatten().filter_map(last_origin).max())
}
