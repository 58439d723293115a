//! Pass: control flow inside expressions becomes values.
//!
//! Needs: `restore_or_pop`. Establishes: short circuits, conditional expressions, compound conditions and
//! chained comparisons are single steps; a block with one way out to a block with one way in is joined with
//! it. Works to a fixpoint, from the last blocks to the first, so inner expressions fold before outer ones.
//!
//! Example: `a -> Branch(x, y); x: b -> Jump j; y: c -> Jump j` becomes `a, Conditional(b, c) -> Jump j`.
//!
//! A block folds only if lifting it yields one value and no statement ([`Lifter::fold`]), so a reduction
//! never moves an effect.

use depyf_bytecode::{Features, Op, stack_effect};

use super::places::instructions_of;
use super::repeated_tests::repeated_tests;
use super::shared_tails::SharedTail;
use super::{
    Behind, Block, BlockId, Folded, Graph, Landing, Layout, Piece, RegionId, Step, StepKind, Terminator,
    chains,
};
use crate::hash::{HashMap, HashSet};
use crate::lift::{Context, Lifter, Temporaries};

/// What the reductions share: the graph, how many ways lead into each block, what failed to fold.
pub(super) struct Reducer<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) ways_in: Vec<usize>,
    pub(super) context: &'a Context<'a>,
    pub(super) temporaries: &'a mut Temporaries,
    /// The number of steps with which a block was found to be no expression.
    pub(super) unfoldable: Vec<Option<usize>>,
    /// What the reduction at hand shares between two arms.
    pub(super) shared: Vec<SharedTail>,
    /// Whether blocks of many steps are joined, too. Walking from the last block to the first, that would
    /// move the steps of a whole function once for each of its blocks.
    joins_large: bool,
    /// Whether a test of what several ways bring takes operands, and whether one did not: the ways may still come to be
    /// those of one operand, which makes the test itself.
    pub(super) joins_brought: bool,
    pub(super) has_brought: bool,
    /// Offsets that unreachable jumps lead to.
    landings: HashSet<u32>,
    /// The regions that a block lies behind, see [`Behind`].
    behind_regions: HashMap<BlockId, Vec<RegionId>>,
    /// Offsets of tests that the code has twice, see [`repeated_tests`].
    pub(super) repeated: HashSet<u32>,
    /// The blocks behind the patterns of cases, which begin with the guard if there is one.
    pub(super) guards: HashSet<BlockId>,
    /// The graph is that of an expression: no jump in it is a statement.
    pub(super) is_expression: bool,
}

/// More steps than this are moved only from the first block to the last.
const LARGE: usize = 64;

/// See the module.
pub(crate) fn reduce(graph: &mut Graph, context: &Context<'_>, temporaries: &mut Temporaries) {
    let order = graph.reverse_postorder();
    Reducer::new(graph, context, temporaries, &order).run(&order);
}

/// Whether the graph is that of an expression.
fn is_expression(graph: &Graph, context: &Context<'_>) -> bool {
    let name = context.code.name.as_str();
    let entry = graph.blocks[0].steps.first().map(|step| &step.kind);
    name.is_some_and(|name| name.starts_with('<') && name != "<module>")
        || matches!(entry, Some(StepKind::Iterable))
}

/// How many ways lead into each block, so that what may be folded has one: entry and handlers are entered from outside the
/// graph, too, an unreachable jump leads to where a statement ends, and the end of the function, or of a `finally` body, is no
/// part of what leads there.
fn count_ways(graph: &Graph, order: &[BlockId], landings: &HashSet<u32>) -> Vec<usize> {
    let mut ways_in = graph.ways_in(order.iter().copied());
    ways_in[0] += 2;
    graph.end.iter().for_each(|&end| ways_in[end] += 1);
    for &block in order.iter().filter(|&&block| graph.blocks[block].end == Terminator::Done) {
        ways_in[block] += 1;
    }
    for region in &graph.regions {
        ways_in[region.handler] += 2;
    }
    for &block in order {
        ways_in[block] += usize::from(landings.contains(&graph.blocks[block].start));
    }
    ways_in
}

impl<'a> Reducer<'a> {
    fn new(
        graph: &'a mut Graph,
        context: &'a Context<'a>,
        temporaries: &'a mut Temporaries,
        order: &[BlockId],
    ) -> Self {
        let landing = |&block: &BlockId| match graph.blocks[block].dead.behind {
            Some(Landing::At(start)) => Some(start),
            _ => None,
        };
        let landings: HashSet<u32> = order.iter().filter_map(landing).collect();
        let mut behind_regions: HashMap<BlockId, Vec<RegionId>> = HashMap::default();
        for (id, region) in graph.regions.iter().enumerate() {
            if let Behind::Jump(block) | Behind::Block(block) = region.behind {
                behind_regions.entry(block).or_default().push(id);
            }
        }
        let repeated = if context.function.features.tests_loops_twice {
            let span = |&block: &BlockId| (graph.blocks[block].start, graph.blocks[block].end_offset);
            repeated_tests(context.function, instructions_of(context.function, order.iter().map(span)))
        } else {
            HashSet::default()
        };
        let guard = |&block: &BlockId| match graph.blocks[block].end {
            Terminator::Case { yes, .. } => Some(yes),
            _ => None,
        };
        let guards = if graph.cases.is_empty() {
            HashSet::default()
        } else {
            order.iter().filter_map(guard).collect()
        };
        Self {
            ways_in: count_ways(graph, order, &landings),
            context,
            temporaries,
            unfoldable: vec![None; graph.blocks.len()],
            shared: Vec::new(),
            joins_large: false,
            joins_brought: false,
            has_brought: false,
            landings,
            behind_regions,
            repeated,
            guards,
            is_expression: is_expression(graph, context),
            graph,
        }
    }

    /// Applies reductions until none fits.
    fn run(&mut self, order: &[BlockId]) {
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().rev() {
                while self.step(block) {
                    changed = true;
                }
            }
            self.joins_large = true;
            for &block in order {
                while let Terminator::Jump(next) = self.graph.blocks[block].end
                    && self.join(block, next)
                {
                    changed = true;
                }
            }
            self.joins_large = false;
            if !changed && self.has_brought && !self.joins_brought {
                self.joins_brought = true;
                changed = true;
            }
        }
    }
}

impl Reducer<'_> {
    /// Applies one reduction at a block, if any fits.
    fn step(&mut self, id: BlockId) -> bool {
        match self.graph.blocks[id].end {
            Terminator::Jump(next) => self.join(id, next),
            Terminator::Branch { yes, no } => {
                self.attempt(|reducer| chains::fold_chain(reducer, id))
                    || yes == no && self.attempt(|reducer| reducer.idle_test(id, yes, false))
                    || yes == no && self.idle_constant(id)
                    || self.attempt(|reducer| reducer.conditional(id, yes, no))
                    || self.compound(id, yes, no, true)
                    || self.compound(id, yes, no, false)
            }
            Terminator::OrPop { when, keep, other } => {
                self.attempt(|reducer| chains::fold_chain(reducer, id))
                    || self.short_circuit(id, when, keep, other)
            }
            _ => false,
        }
    }

    /// Whether `next` can only be reached from one edge, and runs under the same handler as `id`.
    pub(super) fn follows_only(&self, id: BlockId, next: BlockId) -> bool {
        next != id
            && self.ways_in[next] == 1
            && self.graph.blocks[next].region == self.graph.blocks[id].region
    }

    /// `id -> next` with no other way into `next` becomes one block.
    fn join(&mut self, id: BlockId, next: BlockId) -> bool {
        let ends = |block: &Block| block.dead.behind.is_some() || block.written.is_some();
        if !self.follows_only(id, next)
            || self.borders(id)
            || self.jumps_over(id, next)
            || ends(&self.graph.blocks[id])
        {
            return false;
        }
        if self.graph.blocks[next].steps.len() > LARGE && !self.joins_large {
            return false;
        }
        let steps = std::mem::take(&mut self.graph.blocks[next].steps);
        let Block { end, end_offset, layout, dead, jumps, written, .. } = self.graph.blocks[next];
        self.graph.blocks[next].end = Terminator::Nowhere;
        self.ways_in[next] = 0;
        let next_start = self.graph.blocks[next].start;
        if self.graph.blocks[id].steps.is_empty()
            && let Some(regions) = self.behind_regions.remove(&next)
        {
            for &region in &regions {
                self.graph.regions[region].behind.retarget(|_| id);
            }
            self.behind_regions.entry(id).or_default().extend(regions);
        }
        let block = &mut self.graph.blocks[id];
        if block.steps.is_empty() && !self.landings.contains(&block.start) {
            block.start = next_start;
        }
        // A test asks for the truth itself.
        let asks = matches!(end, Terminator::Branch { .. }) && steps.iter().all(chains::combines);
        if asks && matches!(block.steps.last(), Some(Step { kind: StepKind::Op(Op::ToBool), .. })) {
            block.steps.pop();
        }
        block.steps.extend(steps);
        block.end = end;
        block.end_offset = end_offset;
        block.layout = layout;
        block.jumps = jumps;
        block.dead.behind = dead.behind;
        block.written = written;
        true
    }

    /// The value of a block that does nothing else.
    pub(super) fn fold(&mut self, id: BlockId) -> Option<Folded> {
        let steps = &self.graph.blocks[id].steps;
        if self.unfoldable[id] == Some(steps.len()) {
            return None;
        }
        let folded = Lifter::fold(self.context, self.temporaries, steps);
        if folded.is_none() {
            self.unfoldable[id] = Some(steps.len());
        }
        folded
    }

    /// The values that a block adds to `and` or `or`, the last first. Where the block ends in the same
    /// operator, its own values are moved: a long chain is not copied once for each of its operands.
    pub(super) fn fold_operand(&mut self, id: BlockId, and: bool) -> Option<Vec<Folded>> {
        let same = |step: &mut Step| matches!(step.kind.as_piece(), Some(Piece::Bool { and: other, grouped: false, .. }) if *other == and);
        let Some(mut step) = self.graph.blocks[id].steps.pop_if(same) else {
            return self.fold(id).map(|value| vec![value]);
        };
        if let Some(first) = self.fold(id)
            && let StepKind::Piece(piece) = &mut step.kind
            && let Piece::Bool { values, .. } = &mut **piece
        {
            let mut values = std::mem::take(values);
            values.push(first);
            return Some(values);
        }
        self.graph.blocks[id].steps.push(step);
        None
    }

    /// Adds operands, the last first, behind what a block leaves. Where its jump passes a test of the same kind, a group
    /// ends behind the first of them. What tests the last operand tests the whole from now on.
    pub(super) fn add_operands(&mut self, id: BlockId, and: bool, mut values: Vec<Folded>, tested_at: u32) {
        let jump = self.graph.blocks[id].end_offset;
        if self.graph.threaded.remove(&jump)
            && let Some(first) = values.pop()
        {
            self.push(id, StepKind::piece(Piece::Bool { and, values: vec![first], grouped: true }));
        }
        if !values.is_empty() {
            self.push(id, StepKind::piece(Piece::Bool { and, values, grouped: false }));
        }
        if self.graph.threaded.contains(&tested_at) {
            self.graph.threaded.insert(jump);
        }
    }

    /// Takes a block out of the graph whose steps went into another. The edge into it goes with the end of
    /// the block before it, see [`Reducer::set_end`].
    pub(super) fn remove(&mut self, id: BlockId) {
        for next in self.graph.blocks[id].end.successors() {
            self.ways_in[next] -= 1;
        }
        self.graph.blocks[id].steps.clear();
        self.graph.blocks[id].end = Terminator::Nowhere;
    }

    /// Replaces the end of a block.
    pub(super) fn set_end(&mut self, id: BlockId, end: Terminator) {
        for next in self.graph.blocks[id].end.successors() {
            self.ways_in[next] -= 1;
        }
        for next in end.successors() {
            self.ways_in[next] += 1;
        }
        self.graph.blocks[id].end = end;
        self.graph.blocks[id].layout = Layout::default();
    }

    pub(super) fn push(&mut self, id: BlockId, kind: StepKind) {
        let offset = self.graph.blocks[id].end_offset;
        self.graph.blocks[id].steps.push(Step { offset, kind });
    }

    /// The block that only tests what a block leaves, and how it ends: the same test may be made in each block that
    /// leads there, as the compiler does where it knows the outcome.
    pub(super) fn test_behind(&self, id: BlockId) -> Option<(BlockId, Terminator)> {
        let Terminator::Jump(test) = self.graph.blocks[id].end else { return None };
        let block = &self.graph.blocks[test];
        let tests = matches!(block.end, Terminator::OrPop { .. } | Terminator::Branch { .. })
            && block.steps.is_empty()
            && block.region == self.graph.blocks[id].region;
        tests.then_some((test, block.end))
    }

    /// How the test of what a block leaves is laid out.
    pub(super) fn layout_of_test(&self, id: BlockId) -> Layout {
        self.graph.blocks[self.test_behind(id).map_or(id, |(test, _)| test)].layout
    }

    /// Takes out a block that [`Reducer::test_behind`] found, if nothing leads there any more.
    pub(super) fn drop_test(&mut self, test: Option<BlockId>) {
        if let Some(test) = test.filter(|&test| self.ways_in[test] == 0) {
            self.remove(test);
        }
    }

    /// Where going to a block leads: behind a jump that stands alone, which the compiler's own jumps pass over. (They do
    /// not pass over a `break` that an exit was copied to.)
    pub(super) fn through(&self, block: BlockId) -> BlockId {
        let found = &self.graph.blocks[block];
        let passes_written = !self.context.function.features.jumps_back_over;
        let is_passed =
            found.dead.behind.is_some() || found.written.is_some() && found.jumps && passes_written;
        match found.end {
            Terminator::Jump(next) if found.steps.is_empty() && is_passed => next,
            _ => block,
        }
    }

    /// The end of two blocks that go on in the same way with a value. The compiler copies a bare return to the
    /// jumps that lead to it, so one of them may return what the other one brings to a block that only returns.
    pub(super) fn same_way(&self, a: Terminator, b: Terminator) -> Option<Terminator> {
        let returns = |end: Terminator| match end {
            Terminator::Jump(next) => {
                let next = &self.graph.blocks[next];
                next.end == Terminator::Return && next.steps.is_empty()
            }
            _ => false,
        };
        match (a, b) {
            (Terminator::Jump(x), Terminator::Jump(y)) if x == y => Some(a),
            (Terminator::Return, Terminator::Return) => Some(a),
            (jump @ Terminator::Jump(_), Terminator::Return)
            | (Terminator::Return, jump @ Terminator::Jump(_))
                if returns(jump) =>
            {
                Some(jump)
            }
            _ => None,
        }
    }

    /// `a and b`, `a or b` as a value.
    fn short_circuit(&mut self, id: BlockId, when: bool, keep: BlockId, other: BlockId) -> bool {
        if keep == other || !self.follows_only(id, other) {
            return false;
        }
        if let Terminator::Branch { yes, no } = self.graph.blocks[other].end
            && yes == no
        {
            return self.idle_test(other, yes, true);
        }
        let mut end = self.graph.blocks[other].end;
        if let Some(shared) = self.same_way(end, Terminator::Jump(keep)) {
            end = shared;
        }
        let mut behind = None;
        if end != Terminator::Jump(keep)
            && let Some((test, tested)) = self.test_behind(other)
        {
            (behind, end) = (Some(test), tested);
        }
        let fits = match end {
            Terminator::Jump(join) => join == keep || self.only_adds(join, id, !when, keep),
            Terminator::OrPop { when: again, keep: join, .. } => again == when && join == keep,
            _ => false,
        };
        if !fits {
            return false;
        }
        let Some(values) = self.fold_operand(other, !when) else { return false };
        let tested_at = self.graph.blocks[behind.unwrap_or(other)].end_offset;
        self.remove(other);
        self.drop_test(behind);
        self.add_operands(id, !when, values, tested_at);
        self.set_end(id, end);
        true
    }

    /// Whether all that a block does is to add operands of `and` or `or` to the value that it gets, on the way to
    /// `keep`: a value that decides the expression goes past it.
    fn only_adds(&self, block: BlockId, id: BlockId, and: bool, keep: BlockId) -> bool {
        let block = &self.graph.blocks[block];
        let adds = |step: &Step| matches!(step.kind.as_piece(), Some(Piece::Bool { and: other, .. }) if *other == and);
        block.end == Terminator::Jump(keep)
            && block.region == self.graph.blocks[id].region
            && !block.steps.is_empty()
            && block.steps.iter().all(adds)
    }

    /// By how much a step makes the stack higher.
    pub(super) fn effect(&self, step: &Step) -> i64 {
        effect(step, &self.context.function.features)
    }
}

/// By how much a step makes the stack higher.
pub(super) fn effect(step: &Step, features: &Features) -> i64 {
    match step.kind {
        StepKind::Op(op) => stack_effect(op, false, features),
        StepKind::Piece(ref piece) if matches!(**piece, Piece::Chain { .. }) => -1,
        StepKind::Iterable => 1,
        _ => 0,
    }
}
