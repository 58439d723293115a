//! Symbolic execution of a whole graph: what each block starts with, and what it becomes.
//!
//! What few blocks need is not inlined where all others would pass over it: lifting a block reads more instructions than the
//! processor's first cache holds.

use crate::hash::HashMap;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use depyf_bytecode::{CompilerFeatures, Op, VarId};
use depyf_syntax::ast::{Expr, ExprKind, Origin};
use fixedbitset::FixedBitSet;

use super::edges::{Assignments, place_assignments};
use super::ends::Edge;
use super::lifted::{Lifted, LiftedBlock, LiftedEnd, Reached};
use super::state::{State, same};
use super::{Context, Effects, Evidence, ExceptionPart, LiftError, LiftResult, Lifter, Temporaries, Value};
use crate::flow::{BlockId, Graph, Lists, Protection, RegionId, RegionKind, Step, StepKind, Terminator};

/// So many of the values that a handler keeps may be missing in a block of its region: those that passes have
/// folded away, as the exit function of `with`. Exception tables that are damaged speak of millions.
const MOST_MISSING: usize = 16;

/// The slots of a block that get a temporary because the ways into it bring different values.
type Joins = BTreeSet<(BlockId, usize)>;

/// The block of a function that is no more than one: half of all functions are.
fn alone(graph: &Graph, order: &[BlockId]) -> Option<BlockId> {
    match *order {
        [only] => {
            let found = &graph.blocks[only];
            (found.region.is_none() && found.end.successors().next().is_none()).then_some(only)
        }
        _ => None,
    }
}

/// Lifts every reachable block.
///
/// Needs: reductions are done. Establishes: no value crosses a border on the stack unless it is an atom, a
/// local, or a fresh container of such; where two ways bring different values into a slot, each assigns the
/// slot's temporary.
pub(crate) fn lift_blocks<'c>(
    context: &'c Context<'c>,
    graph: &Graph,
    temporaries: &mut Temporaries,
) -> LiftResult<Lifted<'c>> {
    let order = graph.reverse_postorder();
    let mut joins = Joins::new();
    loop {
        let mut pass = Pass::new(context, graph, &order, temporaries, &joins);
        let missed = pass.run()?;
        if missed.is_empty() {
            return Ok(pass.finish());
        }
        let before = joins.len();
        joins.extend(missed);
        if joins.len() == before {
            return Err(Box::new(LiftError {
                message: "the values on the stack of a loop do not settle".to_owned(),
                offset: 0,
                nested: None,
            }));
        }
    }
}

/// The number of a state among those that are kept; 0 of one in which nothing lies on the stack, as between statements.
type StateId = u32;

/// What an edge carries.
#[derive(Clone, Copy)]
struct Carried {
    to: BlockId,
    state: StateId,
}

impl Carried {
    /// No edge.
    const NONE: Self = Self { to: BlockId::MAX, state: 0 };
}

/// What is known of a block beside what it becomes.
#[derive(Clone, Copy)]
struct Border {
    /// What it starts with, once that is known. Where nobody asks it is as if nothing lay on the stack.
    entry: Option<StateId>,
    /// What the edges behind it carry, once it is processed.
    edges: [Carried; 2],
    /// Whether a way into it brings anything on the stack.
    brings_values: bool,
    /// The region that it is the handler of.
    handles: Option<u32>,
}

/// One attempt, with the joins known so far.
struct Pass<'a, 'c> {
    context: &'c Context<'c>,
    graph: &'a Graph,
    /// Lifts one block after the other.
    lifter: Lifter<'a>,
    joins: &'a Joins,
    blocks: Vec<LiftedBlock>,
    /// The blocks that are reached, in reverse postorder.
    order: &'a [BlockId],
    /// The ways into each block, once asked for.
    predecessors: OnceCell<Rc<Lists>>,
    /// Empty where there is one block only.
    borders: Vec<Border>,
    /// The states that are kept.
    states: Vec<State>,
    /// A state in which nothing lies on the stack.
    nothing: State,
    /// The handlers of `with` statements: what they test is never printed.
    with_handlers: FixedBitSet,
    /// Assignments that an edge makes: temporary and value.
    assignments: Assignments,
    /// The temporary of a slot that several values meet in.
    slots: HashMap<(BlockId, usize), u32>,
    /// Slots of loop headers that a back edge brings another value to.
    missed: Vec<(BlockId, usize)>,
    back_edges: Vec<(BlockId, BlockId)>,
    stored_in: HashMap<RegionId, BTreeSet<VarId>>,
    /// The blocks in each region, those of regions inside of it included; empty until it is needed.
    members: Vec<Vec<BlockId>>,
}

impl<'a, 'c: 'a> Pass<'a, 'c> {
    fn new(
        context: &'c Context<'c>,
        graph: &'a Graph,
        order: &'a [BlockId],
        temporaries: &'a mut Temporaries,
        joins: &'a Joins,
    ) -> Self {
        let count = graph.blocks.len();
        let is_with = |region: &&Protection| region.kind.is_with();
        Self {
            context,
            graph,
            lifter: Lifter::with_tables(context, temporaries, context.scope.tables()),
            joins,
            blocks: (0..count).map(|_| LiftedBlock::unreached()).collect(),
            order,
            predecessors: OnceCell::new(),
            borders: Vec::new(),
            states: Vec::new(),
            nothing: State::default(),
            with_handlers: graph.regions.iter().filter(is_with).map(|region| region.handler).collect(),
            assignments: BTreeMap::new(),
            slots: HashMap::default(),
            missed: Vec::new(),
            back_edges: Vec::new(),
            stored_in: HashMap::default(),
            members: Vec::new(),
        }
    }

    /// Lifts all blocks. Gives the slots of loop headers that need a temporary after all, for which it takes another attempt.
    fn run(&mut self) -> LiftResult<Joins> {
        let (graph, order) = (self.graph, self.order);
        if let Some(only) = alone(graph, order) {
            self.lift(only)?;
            return Ok(Joins::new());
        }
        let fresh = Border { entry: None, edges: [Carried::NONE; 2], brings_values: false, handles: None };
        self.borders = vec![fresh; graph.blocks.len()];
        for (region, protection) in graph.regions.iter().enumerate() {
            self.borders[protection.handler].handles.get_or_insert(region as u32);
        }
        let innermost = |&block: &BlockId| graph.blocks[block].region.map(|region| (region, block));
        let protected = Lists::of(graph.regions.len(), || order.iter().filter_map(innermost));
        for &block in order {
            self.enter(block, &protected)?;
            self.lift(block)?;
        }
        Ok(if self.missed.is_empty() { Joins::new() } else { self.outermost() })
    }

    /// Begins a block with what lies on the stack there.
    #[inline]
    fn enter(&mut self, block: BlockId, protected: &Lists) -> LiftResult<()> {
        self.lifter.clear();
        let border = self.borders[block];
        if border.handles.is_some() || border.brings_values {
            let state = match border.handles {
                Some(region) => self.handler_state(region as usize, &protected[region as usize])?,
                None => self.entry_state(block)?,
            };
            let is_asked = self.is_asked(block, &state);
            let entry = if is_asked { self.keep(state.clone()) } else { 0 };
            self.borders[block].entry = Some(entry);
            self.lifter.begin(state);
        } else {
            self.borders[block].entry = Some(0);
        }
        Ok(())
    }

    /// Whether something asks what a block starts with: handlers, and back edges, which come from blocks that are yet to
    /// be lifted.
    fn is_asked(&self, block: BlockId, state: &State) -> bool {
        let keeps = |region: RegionId| self.graph.regions[region].depth > 0;
        !state.stack.is_empty()
            && (self.graph.blocks[block].region.is_some_and(keeps)
                || self.predecessors(block).iter().any(|&before| self.borders[before].entry.is_none()))
    }

    fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors.get_or_init(|| self.graph.predecessors())[block]
    }

    /// The slots that get a temporary in the next attempt: for each one missed, that of the outermost loop
    /// that starts with the same value. The loops inside then only pass the temporary through.
    #[inline(never)]
    fn outermost(&self) -> Joins {
        let mut places = vec![usize::MAX; self.borders.len()];
        self.order.iter().enumerate().for_each(|(at, &block)| places[block] = at);
        let mut loops: Vec<(usize, usize, BlockId)> =
            self.back_edges.iter().map(|&(latch, header)| (places[header], places[latch], header)).collect();
        loops.sort_unstable();
        let starts_same = |outer: BlockId, inner: BlockId, slot: usize| {
            let (Some(a), Some(b)) = (self.entry(outer), self.entry(inner)) else { return false };
            match (a.stack.get(slot), b.stack.get(slot)) {
                (Some(&x), Some(&y)) => same(x, a, y, b),
                _ => false,
            }
        };
        let outermost = |&(header, slot): &(BlockId, usize)| {
            let at = places[header];
            let around = loops.iter().take_while(|&&(first, ..)| first < at);
            let mut around =
                around.filter(|&&(_, last, outer)| at <= last && starts_same(outer, header, slot));
            (around.next().map_or(header, |&(.., outer)| outer), slot)
        };
        self.missed.iter().map(outermost).collect()
    }

    #[cold]
    fn error<T>(&self, block: BlockId, message: &str) -> LiftResult<T> {
        let offset = self.graph.blocks[block].start;
        Err(Box::new(LiftError { message: message.to_owned(), offset, nested: None }))
    }

    /// Keeps a state.
    fn keep(&mut self, state: State) -> StateId {
        if state.stack.is_empty() {
            return 0;
        }
        self.states.push(state);
        self.states.len() as StateId
    }

    /// A state that nothing else asks for. Mostly it was kept last: then its place is free for the next one.
    fn take_state(&mut self, id: StateId) -> State {
        match (id as usize).checked_sub(1) {
            None => State::default(),
            Some(at) if at + 1 == self.states.len() => self.states.pop().unwrap_or_default(),
            Some(at) => std::mem::take(&mut self.states[at]),
        }
    }

    fn state(&self, id: StateId) -> &State {
        match id {
            0 => &self.nothing,
            id => &self.states[id as usize - 1],
        }
    }

    /// What a block starts with, if it has been processed.
    fn entry(&self, block: BlockId) -> Option<&State> {
        self.borders[block].entry.map(|id| self.state(id))
    }

    /// What an edge carries, if it has been processed.
    fn edge(&self, from: BlockId, to: BlockId) -> Option<StateId> {
        self.borders[from].edges.iter().find(|edge| edge.to == to).map(|edge| edge.state)
    }

    /// Notes what an edge carries. Where both ways of a block lead to one place, the second counts.
    fn set_edge(&mut self, from: BlockId, to: BlockId, state: StateId) {
        let [first, second] = &mut self.borders[from].edges;
        let slot = if first.to == Carried::NONE.to || first.to == to { first } else { second };
        *slot = Carried { to, state };
        self.borders[to].brings_values |= state != 0;
    }

    /// What a block starts with: what all ways into it bring, if any of them brings anything.
    fn entry_state(&mut self, block: BlockId) -> LiftResult<State> {
        if let ([only], true) = (self.predecessors(block), self.joins.is_empty()) {
            let Some(id) = self.edge(*only, block) else { return Ok(State::default()) };
            return Ok(self.take_state(id));
        }
        self.joined_state(block)
    }

    /// The same where several ways may bring values.
    #[inline(never)]
    fn joined_state(&mut self, block: BlockId) -> LiftResult<State> {
        let is_processed = |from: &BlockId| self.edge(*from, block).is_some();
        let mut ways: Vec<BlockId> = self.predecessors(block).iter().copied().filter(is_processed).collect();
        ways.dedup();
        let Some(first) = ways.first().and_then(|&first| self.edge(first, block)) else {
            return Ok(State::default());
        };
        let mut state = self.state(first).clone();
        for slot in 0..state.stack.len() {
            let mut differ = self.joins.contains(&(block, slot));
            for &way in &ways {
                let Some(other) = self.edge(way, block) else { continue };
                let other = self.state(other);
                if other.stack.len() != state.stack.len() {
                    return self.error(block, "two ways reach the same place with stacks of different depth");
                }
                differ |= !same(state.stack[slot], &state, other.stack[slot], other);
            }
            if differ {
                let temporary = self.lifter.temporaries.fresh();
                self.slots.insert((block, slot), temporary);
                for &way in &ways {
                    self.assign((way, block), slot, temporary)?;
                }
                state.stack[slot] = Value::Temp(temporary, Origin::NONE.0);
            }
        }
        Ok(state.compact())
    }

    /// Makes an edge assign what it brings into a slot to the slot's temporary.
    fn assign(&mut self, edge: (BlockId, BlockId), slot: usize, temporary: u32) -> LiftResult<()> {
        let Some(state) = self.edge(edge.0, edge.1) else { return Ok(()) };
        let state = self.state(state);
        let (value, fresh, atoms) = (state.stack[slot], state.fresh.clone(), state.atoms.clone());
        let mut lifter = Lifter::new(self.context, self.lifter.temporaries);
        (lifter.fresh, lifter.atoms) = (fresh, atoms);
        lifter.offset = self.graph.blocks[edge.0].end_offset;
        let expr = lifter.convert(value, &mut Effects::default())?;
        if expr.kind != ExprKind::Temp(temporary) {
            self.assignments.entry(edge).or_default().push((temporary, expr));
        }
        Ok(())
    }

    /// What a handler starts with: the values that all blocks of the region leave alone, and the exception.
    #[inline(never)]
    fn handler_state(&mut self, region: RegionId, protected: &[BlockId]) -> LiftResult<State> {
        let Protection { handler, depth, lasti, .. } = self.graph.regions[region];
        let mut kept: Option<State> = None;
        // Where a `return` stands in a region, so do the exits of `with` statements around it that it calls; they are
        // off the stack behind that.
        let acts = |&&block: &&BlockId| !self.graph.blocks[block].steps.iter().all(Step::carries_return);
        let any_acts = protected.iter().any(|block| acts(&block));
        // So do constants that it returns from a handler around it, whose exception is off the stack there.
        let holds_all =
            |&&block: &&BlockId| self.entry(block).is_some_and(|entry| entry.stack.len() >= depth as usize);
        let any_holds_all = protected.iter().any(|block| acts(&block) && holds_all(&block));
        let counts = |block: &&BlockId| (!any_acts || acts(block)) && (!any_holds_all || holds_all(block));
        for &block in protected.iter().filter(counts) {
            let Some(entry) = self.entry(block) else { continue };
            if depth as usize > entry.stack.len() + MOST_MISSING {
                return self.error(block, "a handler keeps more values than there are");
            }
            let Some(first) = &mut kept else {
                let mut state = entry.clone();
                state.stack.resize(depth as usize, Value::Unknown);
                kept = Some(state.compact());
                continue;
            };
            for slot in 0..first.stack.len() {
                let other = entry.stack.get(slot).copied().unwrap_or(Value::Unknown);
                if !same(first.stack[slot], first, other, entry) {
                    first.stack[slot] = Value::Unknown;
                }
            }
        }
        let mut state = kept.unwrap_or_default();
        let internal = Value::Exception(ExceptionPart::Internal);
        if self.context.function.features.six_value_handlers {
            let previous = Value::Exception(ExceptionPart::Previous(handler));
            state.stack.extend(std::iter::repeat_n(previous, 3));
            state.stack.push(internal);
            state.stack.push(Value::Exception(ExceptionPart::Raised(handler)));
            state.stack.push(Value::Exception(ExceptionPart::Type(handler)));
        } else {
            if lasti {
                state.stack.push(internal);
            }
            state.stack.push(Value::Exception(ExceptionPart::Raised(handler)));
        }
        Ok(state)
    }

    /// Locals stored in a region or below it.
    fn stored_in(&mut self, region: RegionId) -> &BTreeSet<VarId> {
        let graph = self.graph;
        if self.members.is_empty() {
            self.members.resize(graph.regions.len(), Vec::new());
            for block in (0..graph.blocks.len()).filter(|&block| graph.blocks[block].region.is_some()) {
                graph.regions_around(block).into_iter().for_each(|region| self.members[region].push(block));
            }
        }
        let members = &self.members[region];
        self.stored_in
            .entry(region)
            .or_insert_with(|| members.iter().flat_map(|&block| graph.stored_locals(block)).collect())
    }

    /// Locals stored by the handler of a region.
    fn stored_by_handler(&self, region: RegionId) -> BTreeSet<VarId> {
        let mut work = vec![self.graph.regions[region].handler];
        let mut seen = FixedBitSet::with_capacity(self.graph.blocks.len());
        let mut found = BTreeSet::new();
        while let Some(block) = work.pop() {
            if !seen.put(block) {
                found.extend(self.graph.stored_locals(block));
                work.extend(self.graph.blocks[block].end.successors());
            }
        }
        found
    }

    /// The locals that get a name behind a block where the stack still holds them: a `finally` body that runs on the
    /// way, or the region that is entered, stores them. Going back to a region around the block enters none.
    #[inline(never)]
    fn kept_names(&mut self, id: BlockId) -> Option<BTreeSet<VarId>> {
        let graph = self.graph;
        if graph.regions.is_empty() {
            return None;
        }
        let block = &graph.blocks[id];
        // Most blocks go on in their region.
        let is_finally = |region: RegionId| matches!(graph.regions[region].kind, RegionKind::Finally);
        if block.end.successors().all(|next| match graph.blocks[next].region {
            None => !block.region.is_some_and(is_finally),
            region => region == block.region,
        }) {
            return None;
        }
        let mut kept = BTreeSet::new();
        // On the way out of a `try`, its `finally` body runs.
        if let Some(region) = block.region.filter(|&region| is_finally(region))
            && block.end.successors().any(|next| graph.blocks[next].region != Some(region))
        {
            kept.extend(self.stored_by_handler(region));
        }
        let around = graph.regions_around(id);
        for next in block.end.successors() {
            if let Some(region) = graph.blocks[next].region.filter(|region| !around.contains(region)) {
                kept.extend(self.stored_in(region).iter().copied());
            }
        }
        Some(kept)
    }

    /// Executes a block that was entered, and records what its edges carry.
    fn lift(&mut self, id: BlockId) -> LiftResult<()> {
        let block = &self.graph.blocks[id];
        let lifter = &mut self.lifter;
        let handling = lifter.stack.iter().filter(|value| matches!(value, Value::Exception(_))).count();
        let depth = lifter.stack.len();
        lifter.run(&block.steps)?;
        lifter.offset = block.end_offset;
        let (mut end, edges) = match block.end {
            Terminator::Case { case, yes, no } => lifter.case(self.graph, id, (case, yes, no))?,
            end => lifter.end(end, id)?,
        };
        if let LiftedEnd::Branch { test: Expr { kind: ExprKind::Literal(_), .. }, .. } = &end {
            super::ends::keep_tested_constant(self.graph, id, self.context, &mut end);
        }
        if lifter.holds_locals()
            && let Some(kept_names) = self.kept_names(id)
        {
            kept_names.into_iter().try_for_each(|local| self.lifter.name_local(local))?;
        }
        let lifter = &mut self.lifter;
        lifter.name_all()?;
        // What a comprehension fills has one name in all of its loops.
        let is_loop = |next: BlockId| {
            matches!(self.graph.blocks[next].end, Terminator::ForIter { .. } | Terminator::AsyncFor { .. })
        };
        if lifter.holds_containers() && block.end.successors().any(is_loop) {
            lifter.name_empty_containers()?;
        }
        if let LiftedEnd::Branch { test: Expr { kind: ExprKind::Temp(_), .. }, .. } = end
            && !self.with_handlers.contains(id)
        {
            lifter.temporaries.note_own();
        }
        self.blocks[id] = LiftedBlock {
            statements: lifter.take_statements(),
            end,
            end_offset: block.end_offset,
            start: block.start,
            region: block.region,
            handling,
            depth,
            carries: block.steps.iter().all(only_moves),
            layout: block.layout,
            dead: block.dead,
            written: block.written,
        };
        let [first, second] = edges;
        first.map_or(Ok(()), |edge| self.leave(id, edge))?;
        second.map_or(Ok(()), |edge| self.leave(id, edge))
    }

    /// Records what an edge carries.
    #[inline]
    fn leave(&mut self, id: BlockId, (to, pushed, dropped): Edge) -> LiftResult<()> {
        let carries = self.lifter.carries_any(pushed, dropped);
        let state = if carries { self.keep_behind(pushed, dropped) } else { 0 };
        self.set_edge(id, to, state);
        match self.borders[to].entry {
            Some(entry) => self.close_loop((id, to), state, entry),
            None => Ok(()),
        }
    }

    /// Keeps what lies on the stack behind the block that was lifted.
    #[inline(never)]
    fn keep_behind(&mut self, pushed: Option<Value>, dropped: usize) -> StateId {
        let state = self.lifter.state_behind(pushed, dropped);
        self.keep(state)
    }

    /// Checks what a back edge brings against what the loop was lifted with.
    fn close_loop(&mut self, edge: (BlockId, BlockId), state: StateId, entry: StateId) -> LiftResult<()> {
        self.back_edges.push(edge);
        if (entry, state) == (0, 0) {
            return Ok(());
        }
        let depth = self.state(entry).stack.len();
        if depth != self.state(state).stack.len() {
            return self.error(edge.1, "two ways reach the same place with stacks of different depth");
        }
        for slot in 0..depth {
            if let Some(&temporary) = self.slots.get(&(edge.1, slot)) {
                self.assign(edge, slot, temporary)?;
                continue;
            }
            let (entry, state) = (self.state(entry), self.state(state));
            if !same(entry.stack[slot], entry, state.stack[slot], state) {
                self.missed.push((edge.1, slot));
            }
        }
        Ok(())
    }

    /// The blocks, and what else is known of them.
    fn finish(self) -> Lifted<'c> {
        let Self { context, graph, order, .. } = self;
        context.scope.keep_tables(self.lifter.into_tables());
        let mut blocks = self.blocks;
        if !self.assignments.is_empty() {
            place_assignments(&mut blocks, self.assignments);
        }
        if !graph.cases.is_empty() {
            super::ends::spell_guards_that_never_hold(&mut blocks);
        }
        let compiler = CompilerFeatures::of(context.code.version);
        // What keeps a value on one way tests it with its ways in another order.
        let is_turned = |&block: &BlockId| matches!(graph.blocks[block].end, Terminator::OrPop { .. });
        let is_as_before = blocks.len() == graph.blocks.len() && !order.iter().any(is_turned);
        Lifted {
            folds_on_tree: compiler.is_some_and(|compiler| compiler.folds_on_tree),
            features: context.function.features,
            evidence: Evidence::of(context, graph, &blocks),
            end: graph.end,
            reached: (is_as_before && alone(graph, order).is_none()).then(|| Reached::of(graph)),
            regions: graph.regions.clone(),
            blocks,
        }
    }
}

/// Whether a step puts nothing new on the stack.
fn only_moves(step: &Step) -> bool {
    matches!(
        step.kind,
        StepKind::Op(Op::Pop | Op::Swap(_) | Op::Rot(_) | Op::PopExcept)
            | StepKind::WithExit
            | StepKind::Comment
    )
}
