//! Which blocks stand in the body of a loop: those of the natural loop, and what leaves the loop for good but was
//! written in it. The graph tells of some of them, where they lie and their lines and columns of the others.

use std::cell::{LazyCell, OnceCell};
use std::ops::Range;

use super::returns::is_none;
use super::settling::passed;
use super::{Scope, Structurer};
use crate::flow::{Behind, BlockId, BlockSet, LARGEST_COPY};
use crate::lift::LiftedEnd;

/// A natural loop, and what tells which other blocks stand in its body.
struct NaturalLoop<'a> {
    header: BlockId,
    is_for: bool,
    scope: &'a Scope,
    /// Whether what may be a copy of an end of the function stands in it.
    with_copies: bool,
    /// The regions that are entered in it.
    entered: BlockSet,
    /// What a `while` jumps over where its test fails.
    over: Option<BlockId>,
    /// Where what was written in it lies.
    written: Range<u32>,
    /// The last line of the natural loop, once it has been asked for.
    last_line: OnceCell<Option<u32>>,
    /// How deep the statements of the natural loop are indented, once it has been asked for.
    indentation: OnceCell<Option<u32>>,
}

impl Structurer<'_> {
    /// The blocks that stand in the body of a loop: those of the natural loop, and what leaves the loop for
    /// good but is still inside one of its `try` statements or handlers, or has the iterator of a `for` on the
    /// stack.
    pub(super) fn body_of(&self, header: BlockId, scope: &Scope, with_copies: bool) -> BlockSet {
        let graph = self.graph;
        let mut natural = self.natural_loop(header, scope, with_copies);
        let mut body = self.loops[&header].clone();
        let mut tail = BlockSet::default();
        let mut work: Vec<BlockId> = body.ones().collect();
        while let Some(block) = work.pop() {
            let handler = graph.blocks[block].region.filter(|&region| natural.entered.contains(region));
            let handler = handler.map(|region| graph.regions[region].handler);
            for next in graph.blocks[block].end.successors().chain(handler) {
                if body.contains(next) || block == header && self.is_exhausted(next, header) {
                    continue;
                }
                let mut inside = self.stands_inside(block, next, &natural);
                if !inside
                    && (self.places.are_ordered(header, next) && self.follows_statement(next, &natural)
                        || tail.contains(block) && self.goes_on_in_order(block, next))
                {
                    tail.insert(next);
                    inside = true;
                }
                if inside {
                    body.insert(next);
                    work.push(next);
                    self.enter(next, scope, &mut natural.entered);
                }
            }
        }
        body
    }

    /// What is known of a natural loop before its body is.
    fn natural_loop<'a>(&self, header: BlockId, scope: &'a Scope, with_copies: bool) -> NaturalLoop<'a> {
        let head = &self.graph.blocks[header];
        let over = self.jumped_over(header, scope);
        let start = over.map(|over| self.graph.blocks[over].start).filter(|&start| start != u32::MAX);
        let last = self.last_start(header, &self.loops[&header]).max(start).max(head.dead.back);
        NaturalLoop {
            header,
            is_for: self.is_for(header),
            scope,
            with_copies,
            entered: self.entered_in(header, scope),
            over,
            written: head.start..last.unwrap_or(0),
            last_line: OnceCell::new(),
            indentation: OnceCell::new(),
        }
    }

    /// Where the last of a loop's blocks starts: what lies in front of the last way back was written in the loop.
    pub(super) fn last_start(&self, header: BlockId, body: &BlockSet) -> Option<u32> {
        let ordered = body.ones().filter(|&block| self.places.are_ordered(header, block));
        ordered.map(|block| self.graph.blocks[block].start).max()
    }

    /// The regions that are entered in a loop. One that starts with the header stands in the loop, unless it has been
    /// entered before.
    fn entered_in(&self, header: BlockId, scope: &Scope) -> BlockSet {
        let mut entered = BlockSet::default();
        self.loops[&header].ones().for_each(|block| self.enter(block, scope, &mut entered));
        entered
    }

    /// Notes the regions around a block that have not been entered before the loop.
    fn enter(&self, block: BlockId, scope: &Scope, entered: &mut BlockSet) {
        let outer = scope.region.map(|region| self.graph.regions[region].handler);
        let is_outer = |region| {
            scope.region == Some(region)
                || outer.is_some_and(|handler| self.around(handler).contains(&region))
        };
        self.around(block)
            .iter()
            .filter(|&&region| !is_outer(region))
            .for_each(|&region| entered.insert(region));
    }

    /// What a `while` jumps over where its test fails: that was written in the loop.
    fn jumped_over(&self, header: BlockId, scope: &Scope) -> Option<BlockId> {
        let graph = self.graph;
        let head = &graph.blocks[header];
        let LiftedEnd::Branch { yes, no, .. } = head.end else { return None };
        // From 3.10 on the end that no `return` was written for lies where one of the ways to it ends.
        let over = head.layout.falls.map(|falls| if falls { no } else { yes })?;
        let is_last = !graph.features.copies_implicit_end || graph.end != Some(over);
        // A `break` in its `else` is what the test jumps to, behind the loop around.
        let leaves = || self.is_jump(self.settle(over, scope), scope);
        Some(over).filter(|&over| self.places.are_ordered(header, over) && is_last && !leaves())
    }

    /// Whether a `for` leads to a block when there is no item left.
    fn is_exhausted(&self, block: BlockId, header: BlockId) -> bool {
        matches!(self.graph.blocks[header].end, LiftedEnd::For { exhausted, .. } if exhausted == block)
    }

    /// Whether what a block of the body leads to stands in the body, too. What follows a statement that ends the body is told by
    /// [`Self::follows_statement`].
    fn stands_inside(&self, block: BlockId, next: BlockId, natural: &NaturalLoop) -> bool {
        self.is_deeper(next, natural)
            || self.lies_in_front_of_way_back(block, next, natural)
            || self.is_body(block, next)
            || !natural.is_for && natural.over != Some(next) && self.is_indented_in(next, natural)
            || self.around(next).iter().any(|&region| natural.entered.contains(region))
    }

    /// Whether the stack shows that a block stands in a loop: it has the iterator of this loop, or of a `for` inside of it, or
    /// the exception of a handler that is entered in the loop.
    fn is_deeper(&self, block: BlockId, natural: &NaturalLoop) -> bool {
        let (head, found) = (&self.graph.blocks[natural.header], &self.graph.blocks[block]);
        let deep = head.depth + usize::from(!natural.is_for);
        found.depth >= deep && found.handling >= head.handling || found.handling > head.handling
    }

    /// Whether what a block leads to lies in front of the last way back, and is no end of the function that was copied there.
    fn lies_in_front_of_way_back(&self, block: BlockId, next: BlockId, natural: &NaturalLoop) -> bool {
        let found = &self.graph.blocks[next];
        natural.over != Some(next)
            && natural.written.contains(&found.start)
            // The end of a `finally` body stands behind all of it.
            && !matches!(found.end, LiftedEnd::Done)
            && self.places.are_ordered(natural.header, next)
            && !self.is_copied_end(block, next, natural)
    }

    /// Whether what a block leads to is an end of the function that stands behind the loop, and was copied into it.
    fn is_copied_end(&self, before: BlockId, block: BlockId, natural: &NaturalLoop) -> bool {
        self.is_end(block)
            && !self.is_end_behind_body(before, block)
            && match (
                self.graph.evidence.line_behind_break(&self.graph.blocks[block]),
                self.last_line_of(natural),
            ) {
                (Some(line), Some(last)) => line > last,
                _ => !natural.with_copies && self.may_be_copy(block),
            }
    }

    /// The blocks of a natural loop that keep the order of the source.
    fn ordered_in(&self, header: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.loops[&header].ones().filter(move |&block| self.places.are_ordered(header, block))
    }

    /// The last line of a natural loop.
    fn last_line_of(&self, natural: &NaturalLoop) -> Option<u32> {
        let line = |block: BlockId| self.graph.evidence.greatest_line(&self.graph.blocks[block]);
        *natural.last_line.get_or_init(|| self.ordered_in(natural.header).filter_map(line).max())
    }

    /// How deep the statements of a natural loop are indented. A `try` stands where its handlers do, also if it is all that
    /// the loop holds.
    fn indentation_of(&self, natural: &NaturalLoop) -> Option<u32> {
        let graph = self.graph;
        *natural.indentation.get_or_init(|| {
            let handlers = natural.entered.ones().map(|region| graph.regions[region].handler);
            let others =
                self.ordered_in(natural.header).filter(|&block| block != natural.header).chain(handlers);
            let first = &graph.blocks[natural.header];
            graph.evidence.indentation_in_loop(first, others.map(|block| &graph.blocks[block]))
        })
    }

    /// Whether a block lies right behind a statement that ends the body: there to 3.9 a jump back to the head does, and
    /// what else lies there follows it.
    fn follows_statement(&self, block: BlockId, natural: &NaturalLoop) -> bool {
        let graph = self.graph;
        let is_right_behind = |block: BlockId| {
            natural.entered.ones().any(|region| graph.regions[region].behind == Behind::Block(block))
        };
        let settled = LazyCell::new(|| self.settle(block, natural.scope));
        !graph.features.copies_implicit_end
            && !natural.entered.is_empty()
            && passed(graph, block, *settled).chain([*settled]).any(is_right_behind)
    }

    /// Whether the way from one block to another is no jump that was written: that of a test, but not to a `break`.
    fn goes_on_in_order(&self, block: BlockId, next: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        match found.end {
            LiftedEnd::Branch { yes, no, .. } => {
                let skipped = found.layout.falls.map(|falls| if falls { yes } else { no });
                found.layout.jump.is_none() || skipped != Some(next)
            }
            _ => false,
        }
    }

    /// Whether a block is the body of an `if` that a block ends with, or returns what was made there: it lies right behind
    /// the test, where a `break` would have left a jump. Where blocks are moved, only that of an `assert` tells.
    fn is_body(&self, before: BlockId, block: BlockId) -> bool {
        let found = &self.graph.blocks[before];
        if !self.graph.features.source_order || !self.graph.features.jump_statements_stay {
            return self.fails_assertion(before, block);
        }
        match (&found.end, found.layout.falls) {
            (LiftedEnd::Branch { yes, no, .. }, Some(truth)) => {
                let (next, other) = if truth { (*yes, *no) } else { (*no, *yes) };
                found.layout.jump.is_none()
                    && block == next
                    && !self.is_transparent(block)
                    && !self.begins_with_break(block)
                    && !self.is_test_below(before, other)
            }
            (LiftedEnd::Jump(_), _) => self.nodes[block].ways_in == 1 && self.is_carried(block),
            _ => false,
        }
    }

    /// Whether a block is an end of the function that was copied to a `break`, of which an instruction is left.
    fn begins_with_break(&self, block: BlockId) -> bool {
        let (evidence, found) = (&self.graph.evidence, &self.graph.blocks[block]);
        self.is_end(block) && evidence.first_line(found) != evidence.line_behind_break(found)
    }

    /// Whether a block ends with the test of a `while` as it is compiled below the body: it jumps back to where the body
    /// starts, on a line behind its own. Right behind it the loop is over.
    fn is_test_below(&self, block: BlockId, body: BlockId) -> bool {
        let (graph, evidence) = (self.graph, &self.graph.evidence);
        match (evidence.last_line(&graph.blocks[block]), evidence.first_line(&graph.blocks[body])) {
            (Some(test), Some(first)) => test < first && self.dominators.dominates(body, block),
            _ => false,
        }
    }

    /// Whether a block ends the function where the body of a `try` was left by running off its end, and says so with a
    /// value: the compiler writes that there only for an `else`. A `break` has a line of its own.
    fn is_end_behind_body(&self, before: BlockId, block: BlockId) -> bool {
        let evidence = &self.graph.evidence;
        let (before, block) = (&self.graph.blocks[before], &self.graph.blocks[block]);
        let says_so = match &block.end {
            LiftedEnd::Return(value) => !is_none(value),
            LiftedEnd::Raise { .. } => true,
            _ => false,
        };
        says_so && evidence.runs_off_body(before) && !evidence.begins_with_nop(block)
    }

    /// Whether the block may be a copy of an end of the function that stands elsewhere: the compiler copies those of at
    /// most [`LARGEST_COPY`] instructions.
    fn may_be_copy(&self, block: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        // Instructions of two bytes each.
        let length = found.end_offset.saturating_sub(found.start) as usize / 2 + 1;
        self.is_end(block) && length <= LARGEST_COPY
    }

    /// Whether a block that ends the function is indented as the statements of a loop are, or deeper, and in no `try`
    /// of its own, which would indent it, too.
    ///
    /// The end that no `return` was written for has the place of what leads there, but not what is done before it.
    fn is_indented_in(&self, block: BlockId, natural: &NaturalLoop) -> bool {
        let around = self.around(natural.header);
        if !self.around(block).iter().all(|region| around.contains(region)) {
            return false;
        }
        if self.nodes[block].length > 0
            && self.is_end(block)
            && let indentation @ Some(_) = self.indentation_of(natural)
            && self.graph.evidence.indentation(std::iter::once(&self.graph.blocks[block])) >= indentation
        {
            return true;
        }
        let ends = match &self.graph.blocks[block].end {
            LiftedEnd::Return(_) => self.graph.end != Some(block),
            LiftedEnd::Raise { .. } => true,
            _ => false,
        };
        ends && self.indentation_of(natural).is_some_and(|indentation| {
            self.graph.evidence.last_column(&self.graph.blocks[block]) >= Some(indentation)
        })
    }

    /// Whether the function ends in the block, and the compiler may copy it. The end that no `return` was written for has
    /// a block of its own.
    fn is_end(&self, block: BlockId) -> bool {
        let ends = match self.graph.blocks[block].end {
            LiftedEnd::Return(_) | LiftedEnd::Raise { .. } => true,
            LiftedEnd::Jump(to) => self.graph.end == Some(to),
            _ => false,
        };
        self.graph.features.copies_ends && ends
    }
}
