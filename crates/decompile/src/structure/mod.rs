//! Pass: the graph becomes nested statements.
//!
//! Needs: lifted blocks of a reducible graph. Establishes: a tree that runs the same statements on every
//! path; a place that needs a jump across the tree is an error.
//!
//! The recursion follows the dominator tree. A block is printed where the only way to it lies; a block
//! where several ways *join* is printed behind the statement that dominates it, and is that statement's
//! *follow*: a way that ends there just falls through. Loops and protected regions are entered at their
//! first block, see `loops.rs` and `tries.rs`.

mod branches;
mod contents;
mod finally_exits;
mod gotos;
mod group_words;
mod layout;
mod loop_body;
mod loop_exits;
mod loops;
mod matches;
mod nodes;
mod reach;
mod returns;
mod settling;
mod single_rounds;
mod tries;
mod try_exits;
mod ways;

pub(crate) use group_words::word_out_of_group;
pub(crate) use returns::is_none;
pub(crate) use tries::with_finally;

use std::cell::{LazyCell, OnceCell, RefCell};

use crate::hash::HashMap;

use depyf_syntax::ast::{Block as Body, ExprKind, Literal, MatchCase, Origin, Stmt, StmtKind};
use fixedbitset::FixedBitSet;

use crate::flow::{BlockId, BlockSet, Contents, Dominators, Lists, Protection, RegionId, RegionList};
use crate::lift::{LiftError, LiftResult, Lifted, LiftedEnd, Reached};
use crate::visit::breaks;
use contents::{Content, last_statement, straight};
use finally_exits::Left;
use layout::Places;
use nodes::Node;
use reach::Answers;
use settling::{jump_to, passed};
use ways::{DeadWays, nest, ways};

/// What surrounds the place that is being printed.
#[derive(Clone, Copy, Debug)]
struct Scope {
    /// Where falling off the end goes.
    follow: Option<BlockId>,
    /// The innermost loop.
    inner: Option<LoopScope>,
    /// Where the ways go that leave the `try` of a `finally` body which leaves by itself.
    left: Option<Left>,
    /// The innermost region that has been entered.
    region: Option<RegionId>,
    /// The innermost handler around this place: what a bare `raise` raises again.
    handler: Option<BlockId>,
    /// How much of the stack belongs to exceptions here, see [`LiftedBlock::handling`](crate::lift::LiftedBlock::handling).
    handling: usize,
    /// Whether this place is in the handler of an `except*`, where no `return` may be written.
    is_star: bool,
    /// Statements around this place; bounds the recursion, with `arms`.
    depth: u32,
    /// How many `else` are around this place.
    arms: u32,
}

/// A loop around the place that is being printed.
#[derive(Clone, Copy, Debug)]
struct LoopScope {
    /// Where `continue` goes.
    header: BlockId,
    /// Where `break` goes.
    exit: Option<BlockId>,
    /// Whether there may be a second round: else there is no `continue`, and what goes to the header goes round a loop
    /// around this one, which starts there, too.
    repeats: bool,
}

/// More nested statements than this are refused: CPython allows 100 levels of indentation.
pub(crate) const DEEPEST: u32 = 200;
/// What is said of them.
pub(crate) const TOO_DEEP: &str = "the statements are nested too deeply";
/// Longer chains of `elif` are refused: no compiler takes as many, each being nested in the one before.
const MOST_ARMS: u32 = 4_000;

struct Structurer<'a> {
    graph: &'a Lifted<'a>,
    /// Unreachable jumps.
    dead: DeadWays,
    /// Where the blocks lie.
    places: Places,
    dominators: Dominators,
    /// Blocks that each block dominates immediately, in reverse postorder.
    children: Lists,
    /// The blocks of each loop, by header.
    loops: HashMap<BlockId, BlockSet>,
    /// Each region and those around it, innermost first.
    nests: Vec<RegionList>,
    /// The blocks in each region, those of regions inside of it included, in order.
    members: Lists,
    /// What is known of each block.
    nodes: Vec<Node>,
    /// A number for all blocks that enclosing sequences will print at this time.
    claimed: u64,
    /// What is known about the ways behind loops.
    answers: RefCell<Answers>,
    /// Where ways into each block come from.
    predecessors: &'a Lists,
    /// What each block prints; it moves to the tree when the block is printed.
    contents: Vec<Content>,
    /// What leads to the end of the function, once it has been asked for.
    before_end: OnceCell<Vec<BlockId>>,
    /// By where it leads, the blocks behind which an unreachable jump is known, in the order of the dominator tree.
    leaving: OnceCell<HashMap<BlockId, Vec<BlockId>>>,
    /// Loops and regions that are being printed, so that their first block is not taken as a start again.
    open_loops: Vec<BlockId>,
    /// Whether a jump that crosses the tree was printed.
    has_gotos: bool,
    /// Whether a temporary says how a `with` statement was left.
    remembers: bool,
    /// The next number that such a temporary may have, if no block has it.
    free: usize,
    /// Whether a loop was printed.
    has_loops: bool,
    /// Whether a jump that crosses the tree leads to the nearest place behind, though that does nothing but lead on.
    jumps_near: bool,
    /// Whether ends that make nested code may stand in several places: in each of them it is another code object.
    copies_code: bool,
    /// What is printed next, behind the statements at hand and in the same list. What comes behind a statement
    /// is not printed inside of the call that prints it: a long function would need a deep stack.
    next: Option<(BlockId, Scope)>,
    /// The block that leads there by a jump, where one does.
    came_from: Option<BlockId>,
}

/// See the module. Takes the statements and tests out of the blocks; adds to what the function holds.
pub(crate) fn structure(graph: &mut Lifted, holds: &mut Contents) -> LiftResult<Body> {
    if let Some(body) = straight(graph) {
        return Ok(body);
    }
    let dead = DeadWays::of(graph);
    let contents: Vec<Content> = graph.blocks.iter_mut().map(Content::of).collect();
    if dead.any()
        && let Ok(body) = arrange(graph, contents.clone(), dead, holds)
    {
        return Ok(body);
    }
    // Code that was rewritten may have unreachable jumps that tell nothing.
    arrange(graph, contents, DeadWays::unknown(), holds)
}

/// One attempt.
fn arrange(
    graph: &Lifted,
    mut contents: Vec<Content>,
    dead: DeadWays,
    holds: &mut Contents,
) -> LiftResult<Body> {
    let count = graph.blocks.len();
    let own;
    let reached = match &graph.reached {
        Some(known) if !dead.any() => known,
        _ => {
            own = Reached::by(count, |block| ways(graph, &dead, block));
            &own
        }
    };
    let (order, predecessors) = (reached.order.as_slice(), &*reached.predecessors);
    let dominators = Dominators::compute(order, predecessors);
    let above = |&block: &BlockId| dominators.immediate(block).map(|above| (above, block));
    let children = Lists::of(count, || order.iter().filter_map(above));
    let mut nodes: Vec<Node> = contents.iter().map(|content| Node::of(content.statements.len())).collect();
    let back_edges = nodes::note_ways(graph, &dead, order, &dominators, &mut nodes);
    let loops = loops::natural_loops(&back_edges, predecessors);
    let nests: Vec<RegionList> = (0..graph.regions.len()).map(|region| nest(graph, region)).collect();
    let inside = |block: BlockId| {
        let around = graph.blocks[block].region.map_or(&[][..], |region| &nests[region]);
        around.iter().map(move |&region| (region, block))
    };
    // Half of the functions that come here have no region.
    let blocks = if nests.is_empty() { 0..0 } else { 0..count };
    let members = Lists::of(nests.len(), || blocks.clone().flat_map(inside));
    graph.regions.iter().for_each(|region| nodes[region.handler].is_handler = true);
    contents::mark_hollow(graph, &members, &mut nodes);
    contents::mark_exits(graph, &members, &mut nodes);
    let mut places = Places::of(graph);
    places.find_behind(graph, reached, &dominators, &loops);
    let mut structurer = Structurer {
        graph,
        dead,
        places,
        dominators,
        children,
        nodes,
        claimed: 0,
        loops,
        nests,
        members,
        answers: RefCell::default(),
        predecessors,
        contents: Vec::new(),
        before_end: OnceCell::new(),
        leaving: OnceCell::new(),
        open_loops: Vec::new(),
        has_gotos: false,
        remembers: false,
        free: graph.blocks.len(),
        has_loops: false,
        jumps_near: false,
        copies_code: false,
        next: None,
        came_from: None,
    };
    let likely = structurer.places.any_behind().then(|| structurer.attempt(&mut contents, order)).flatten();
    let body = match likely {
        Some(body) => body,
        None => {
            structurer.places.forget_behind();
            structurer.emit_once(contents, order)?
        }
    };
    // What is left by jumps is a loop of one round.
    if structurer.has_loops || structurer.has_gotos {
        holds.add(Contents::LOOPS);
    }
    if structurer.remembers {
        holds.add(Contents::TEMPORARIES);
    }
    Ok(body)
}

impl Structurer<'_> {
    /// Prints the function.
    fn emit_all(&mut self, contents: Vec<Content>, order: &[BlockId]) -> LiftResult<Body> {
        self.nodes.iter_mut().for_each(|node| *node = node.unprinted());
        self.claimed = 0;
        self.answers = RefCell::default();
        self.open_loops.clear();
        self.has_gotos = false;
        self.remembers = false;
        self.free = self.graph.blocks.len();
        self.next = None;
        self.contents = contents;
        let mut body = Body::new();
        // Falling off the end goes to the end that no `return` was written for.
        let follow = self.graph.end;
        if let Some(end) = follow {
            self.claim(end);
            self.nodes[end].is_printed = true;
        }
        let scope = Scope {
            follow,
            inner: None,
            left: None,
            region: None,
            handler: None,
            handling: 0,
            is_star: false,
            depth: 0,
            arms: 0,
        };
        self.emit(0, &scope, &mut body)?;
        if self.has_gotos {
            if let Some(end) = follow {
                gotos::close_end(&mut body, end)?;
            }
            gotos::refuse_gotos(&body)?;
        }
        let is_with = |region: &&Protection| region.kind.is_with();
        let with_heads = LazyCell::new(|| -> FixedBitSet {
            self.graph.regions.iter().filter(is_with).map(|region| region.handler).collect()
        });
        for &block in order {
            if !self.nodes[block].is_printed
                && !self.is_silent(block, &with_heads)
                && self.graph.blocks[block].start != u32::MAX
            {
                return self.error(block, "a part of the code has no place in the source");
            }
        }
        Ok(body)
    }

    /// The regions around a block, innermost first.
    fn around(&self, block: BlockId) -> &[RegionId] {
        self.graph.blocks[block].region.map_or(&[], |region| &self.nests[region])
    }

    #[cold]
    fn error<T>(&self, block: BlockId, message: &str) -> LiftResult<T> {
        let found = &self.graph.blocks[block];
        let offset = if found.start == u32::MAX { found.end_offset } else { found.start };
        Err(Box::new(LiftError { message: message.to_owned(), offset, nested: None }))
    }

    /// Whether a block that was never printed is not missed: one that does nothing, or the head of a `with`
    /// statement's handler, which is the statement's own.
    fn is_silent(&self, block: BlockId, with_heads: &FixedBitSet) -> bool {
        let found = &self.graph.blocks[block];
        self.is_empty(block)
            && (matches!(
                found.end,
                LiftedEnd::Reraise(_)
                    | LiftedEnd::Jump(_)
                    | LiftedEnd::Done
                    | LiftedEnd::Nowhere
                    | LiftedEnd::ExceptMatch { .. }
            ) || with_heads.contains(block))
    }

    /// Prints a block and all that it dominates.
    fn emit(&mut self, block: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        self.begin(block, scope, out)?;
        self.finish(out)
    }

    /// Prints all that is left to be printed next.
    fn finish(&mut self, out: &mut Body) -> LiftResult<()> {
        while let Some((to, scope)) = self.next.take() {
            self.step(to, &scope, out)?;
        }
        Ok(())
    }

    /// Prints a statement that starts at a block, and leaves what is behind it for [`Self::finish`].
    fn begin(&mut self, block: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        if scope.depth > DEEPEST || scope.arms > MOST_ARMS {
            return self.error(block, TOO_DEEP);
        }
        if self.nodes[block].is_printed && !self.leads_on(block, scope) {
            return self.error(block, "a block would be printed twice");
        }
        let entered = self.entered_region(block, scope);
        let is_loop = self.nodes[block].is_header && !self.open_loops.contains(&block);
        match (is_loop, entered) {
            (true, Some(region)) if !self.is_inside(block, region) => self.emit_loop(block, scope, out),
            (_, Some(region)) => self.emit_try(block, region, scope, out),
            (true, None) => self.emit_loop(block, scope, out),
            (false, None) => self.emit_sequence(block, scope, out),
        }
    }

    /// The outermost region around a block that has not been entered yet.
    fn entered_region(&self, block: BlockId, scope: &Scope) -> Option<RegionId> {
        let around = self.around(block);
        let known = match scope.region {
            Some(region) => around.iter().position(|&other| other == region)?,
            None => around.len(),
        };
        known.checked_sub(1).map(|at| around[at])
    }

    /// Prints a block and, one behind the other, the joins that it dominates.
    fn emit_sequence(&mut self, block: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        let joins = self.joins(block, scope);
        for &join in &joins {
            self.claim(join);
        }
        let first = Scope { follow: joins.first().copied().or(scope.follow), ..*scope };
        let start = out.len();
        self.emit_node(block, &first, out)?;
        for (at, &join) in joins.iter().enumerate() {
            self.finish(out)?;
            self.release(join);
            let follow = joins.get(at + 1).copied().or(scope.follow);
            self.close_label(out, start, join)?;
            self.next = Some((join, Scope { follow, ..*scope }));
        }
        Ok(())
    }

    /// The blocks that are printed behind a block because several of the ways from it meet there.
    fn joins(&self, block: BlockId, scope: &Scope) -> Vec<BlockId> {
        let behind = self.places.behind(block);
        let wanted = |&child: &BlockId| {
            (self.nodes[child].ways_in > 1 || behind.contains(&child))
                && !self.nodes[child].is_claimed()
                && !self.nodes[child].is_printed
                && scope.follow != Some(child)
                && scope.inner.is_none_or(|inner| inner.header != child && inner.exit != Some(child))
                && !self.leaves(child, scope)
                && !self.nodes[child].is_handler
                && !(self.may_be_copied(child, scope)
                    && (self.only_jumps_meet(child, scope)
                        || !self.stands_once(child, scope) && self.is_passed_by(block, child, scope)))
        };
        let mut joins: Vec<BlockId> =
            self.children[block].iter().chain(behind).copied().filter(wanted).collect();
        if !behind.is_empty() {
            joins.sort_unstable_by_key(|&join| self.dominators.position(join));
        }
        joins
    }

    /// Whether a block may as well stand wherever a way leads to it: nothing, be it a jump or on the way to what is
    /// printed next, or a short end.
    fn may_be_copied(&self, block: BlockId, scope: &Scope) -> bool {
        let settled = self.settle(block, scope);
        self.is_jump(settled, scope)
            || scope.follow == Some(settled)
            || self.is_short_end(block) && self.entered_region(block, scope).is_none()
            || self.plain_return(block).is_some()
    }

    /// Whether a block is a `break` or `continue` that was written, for the compiler joins no two of them.
    pub(super) fn stands_once(&self, block: BlockId, scope: &Scope) -> bool {
        self.drops_iterator(block, scope) || self.passes_written_jump(block, self.end_of_chain(block), scope)
    }

    /// Resolves the jumps to a block that stands at the end of `out`, see [`gotos::close_label`].
    fn close_label(&self, out: &mut Body, start: usize, label: BlockId) -> LiftResult<()> {
        if self.has_gotos { gotos::close_label(out, start, label) } else { Ok(()) }
    }

    /// Prints the statements of one block and what its end leads to.
    fn emit_node(&mut self, block: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        self.nodes[block].is_printed = true;
        let graph = self.graph;
        let found = &graph.blocks[block];
        if self.is_short_end(block) {
            out.extend(self.contents[block].statements.iter().cloned());
        } else if out.is_empty() {
            *out = std::mem::take(&mut self.contents[block].statements);
        } else {
            out.append(&mut self.contents[block].statements);
        }
        let origin = Origin(found.end_offset);
        match &found.end {
            LiftedEnd::Jump(to) => {
                match self.written_jump(block, scope) {
                    Some(jump) => out.push(jump),
                    None => {
                        self.next = Some((*to, *scope));
                        self.came_from = Some(block);
                    }
                }
                Ok(())
            }
            LiftedEnd::Branch { yes, no, .. } => self.emit_if(*yes, *no, block, scope, out),
            LiftedEnd::Case { .. } => self.emit_match(block, scope, out),
            LiftedEnd::Return(value) => {
                out.push(self.returning(value, found.end_offset));
                Ok(())
            }
            LiftedEnd::Raise { .. } => {
                out.extend(last_statement(found.end.clone(), found.end_offset));
                Ok(())
            }
            LiftedEnd::Done => Ok(()),
            LiftedEnd::Reraise(raised) if *raised != scope.handler => {
                self.error(block, "a handler raises another exception than its own again")
            }
            LiftedEnd::Reraise(_) => {
                out.push(Stmt::new(origin, StmtKind::Raise { exc: None, cause: None }));
                Ok(())
            }
            LiftedEnd::For { .. } => self.emit_single_for(block, scope, out),
            LiftedEnd::ExceptMatch { .. } => {
                self.error(block, "an exception is matched outside of a handler")
            }
            LiftedEnd::Nowhere => self.error(block, "the code runs off its end"),
        }
    }

    /// Prints what going to a block takes at this place: nothing, a jump statement, or the block itself.
    fn goto(&mut self, to: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        self.step(to, scope, out)?;
        self.finish(out)
    }

    /// The first step of [`Self::goto`], which leaves the others for [`Self::finish`].
    fn step(&mut self, to: BlockId, scope: &Scope, out: &mut Body) -> LiftResult<()> {
        let from = self.came_from.take();
        if scope.follow == Some(to) {
            return Ok(());
        }
        if let Some(jump) = jump_to(to, scope) {
            out.push(Stmt::new(self.idle_word(from, &jump, scope), jump));
            return Ok(());
        }
        // A jump that stands alone: `break` or `continue`.
        if self.is_transparent(to)
            && let Some(jump) = self.written_jump(to, scope)
        {
            self.nodes[to].is_printed = true;
            out.push(jump);
            return Ok(());
        }
        // Nothing is done on the way to what follows, or to what a jump leads to.
        let settled = self.settle(to, scope);
        let falls = scope.follow == Some(settled);
        let jump = jump_to(settled, scope).filter(|_| !falls);
        if (falls || jump.is_some()) && !self.passes_written_jump(to, settled, scope) {
            passed(self.graph, to, settled).for_each(|block| self.nodes[block].is_printed = true);
            out.extend(jump.map(|jump| Stmt::new(self.dropped_at(to, settled, scope), jump)));
            return Ok(());
        }
        let leaves = self.leaves(to, scope);
        let returns_alone = scope.inner.is_some_and(|inner| self.returns_alone(to, inner.header));
        if (leaves || self.nodes[to].is_claimed() || self.nodes[to].is_printed || returns_alone)
            && let Some(value) = self.plain_return(to)
            && !self.passes_written_jump(to, self.end_of_chain(to), scope)
        {
            let returned = self.returning(value, self.written_at(to, from));
            self.mark_empty(to);
            out.push(returned);
            return Ok(());
        }
        if let (LiftedEnd::Jump(next), true) = (&self.graph.blocks[to].end, self.is_transparent(to))
            && !self.nodes[to].is_header
            && (leaves || self.entered_region(to, scope).is_none())
            && !(self.jumps_near && self.is_jump_across(to, *next, scope))
        {
            let next = *next;
            self.nodes[to].is_printed = true;
            self.next = Some((next, *scope));
            self.came_from = Some(to);
            return Ok(());
        }
        if !leaves
            && (self.nodes[to].is_claimed() || self.nodes[to].is_printed)
            && self.is_short_end(to)
            && self.entered_region(to, scope).is_none()
        {
            return self.emit_node(to, scope, out);
        }
        if self.nodes[to].is_claimed() {
            if !self.follow_leads_to(to, scope) {
                self.has_gotos = true;
                out.push(Stmt::new(Origin::NONE, StmtKind::Goto(to as u32)));
            }
            return Ok(());
        }
        if leaves {
            if let Some(value) = self.quiet_return(to) {
                let returned = self.returning(value, self.written_at(to, from));
                self.mark_empty(to);
                out.push(returned);
                return Ok(());
            }
            return self.error(to, "a `try` statement is left to a place that has no spelling");
        }
        self.begin(to, scope, out)
    }

    /// Whether a block does not belong into the protected region or the handler around this place.
    fn leaves(&self, block: BlockId, scope: &Scope) -> bool {
        scope.region.is_some_and(|region| !self.around(block).contains(&region))
            || self.graph.blocks[block].handling < scope.handling
    }
}

/// Whether control never reaches the end of the statements.
pub(crate) fn leaves(body: &[Stmt]) -> bool {
    match body.last().map(|statement| &statement.kind) {
        Some(
            StmtKind::Return(_)
            | StmtKind::Raise { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_),
        ) => true,
        Some(StmtKind::If { body, orelse, .. }) => !orelse.is_empty() && leaves(body) && leaves(orelse),
        Some(StmtKind::Try(inner)) => {
            let last = if inner.orelse.is_empty() { &inner.body } else { &inner.orelse };
            let handled = || inner.handlers.iter().all(|handler| leaves(&handler.body));
            leaves(&inner.finalbody) || !inner.is_star && leaves(last) && handled()
        }
        Some(StmtKind::Match { cases, .. }) => {
            cases.last().is_some_and(MatchCase::always_matches) && cases.iter().all(|case| leaves(&case.body))
        }
        Some(StmtKind::While { test, body, orelse }) => {
            let is_endless = matches!(test.kind, ExprKind::Literal(Literal::Bool(true)));
            (is_endless || leaves(orelse)) && !body.iter().any(breaks)
        }
        Some(StmtKind::For { body, orelse, .. }) => leaves(orelse) && !body.iter().any(breaks),
        _ => false,
    }
}
