//! Pass: the `finally` bodies of 3.8 are copied to each way that runs them.
//!
//! 3.8 compiles a `finally` body once. It is a subroutine: BEGIN_FINALLY falls into it, CALL_FINALLY calls it
//! in front of a jump or a `return` that leaves the `try`, and an exception enters it as a handler. What lies
//! on the stack then tells END_FINALLY where to go. From 3.9 on the compiler writes one body for each way in,
//! and that form is the one that all other passes know.
//!
//! Needs: the blocks in the order of the bytecode, and an edge wherever a region is entered, so that jumps are
//! not threaded yet. Establishes: no step is one of 3.8's own, no block ends with `EndFinally`, and the exit
//! function of a `with` statement is called as 3.9 does it. Bytecode that no compiler writes is left alone, and
//! then has no source.
//!
//! Example: `BEGIN_FINALLY; b: BODY; END_FINALLY; c` with a `CALL_FINALLY b; RETURN` before it becomes
//! `BODY; c`, and `BODY; RETURN`, and the handler `BODY; RERAISE`.
//!
//! The pass follows all paths from the entry and copies a block once for each [`State`] that reaches it. The
//! values that 3.8 pushes to remember how a body was entered are left out; [`State::entered`] stands for them.

use std::ops::ControlFlow;

use crate::hash::HashMap;

use depyf_bytecode::{CallLayout, CommonConst, Features, Function, Op, stack_effect};

use super::places::instructions_at;
use super::{
    Behind, Block, BlockId, Contents, Graph, Landing, Protection, RegionId, RegionKind, RegionList, Step,
    StepKind, Terminator,
};

/// Values that a handler starts with.
const HANDLER_VALUES: u32 = 6;

/// Copies of a block, on average, that a function may need. Nested `finally` bodies double with each level.
const MOST_COPIES: usize = 50;

/// More `finally` bodies than this do not run at a time: CPython nests 20 blocks.
const DEEPEST: usize = 40;

/// A running `finally` body that no exception entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    /// Height of the stack where 3.8 has the value that END_FINALLY takes.
    depth: u32,
    /// Where the body goes back to; `None` where control falls out of it.
    back: Option<BlockId>,
    /// [`State::left`] in front of the body.
    left: WayId,
}

/// A number for the copies of bodies that a `return` or `break` in them left, one after the other.
type WayId = usize;
/// No body was left on the way.
const STRAIGHT: WayId = 0;

/// What is known in front of a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// Height of the stack, without what tells how a body was entered.
    depth: u32,
    /// The bodies that run, innermost last.
    entered: Vec<Entry>,
    /// The new regions around the step, innermost last.
    regions: Vec<RegionId>,
    /// The bodies that the way from the last jump has left. It keeps apart what follows a `return` in the
    /// copies of a body: only jumps lead back from there to the code that all copies share.
    left: WayId,
    /// A body was called or left early since the last jump: the next one is `break` or `continue`.
    leaves: bool,
}

impl State {
    /// The innermost body, if this height of the stack is its end. An exception lies higher.
    fn entry_at(&self, depth: u32) -> Option<Entry> {
        self.entered.last().copied().filter(|entry| entry.depth == depth)
    }

    /// Enters a body.
    fn enter(&mut self, back: Option<BlockId>) {
        let left = std::mem::replace(&mut self.left, STRAIGHT);
        self.leaves = false;
        self.entered.push(Entry { depth: self.depth, back, left });
    }

    /// Makes the stack higher by `by`.
    fn shift(&mut self, by: i64) -> Option<()> {
        self.depth = u32::try_from(i64::from(self.depth) + by).ok()?;
        Some(())
    }

    /// The state with a stack that is higher by `by`.
    fn moved(&self, by: i64) -> Option<Self> {
        let mut state = self.clone();
        state.shift(by)?;
        Some(state)
    }
}

/// A step of the old graph: its block, and its place there.
type Place = (BlockId, usize);

/// A region of the new graph: the old region, and the state that its handler starts with less the exception.
type NewRegion = (RegionId, State);

/// See the module.
pub(crate) fn copy_finally_bodies(graph: &mut Graph, function: &Function) {
    if function.features.finally_subroutines
        && let Some(copied) = Copier::new(graph, function).run()
    {
        *graph = copied;
    }
}

/// Whether a handler of 3.8 is the body of a `finally`: it neither asks for the type of its exception nor drops it.
pub(super) fn is_finally_body(handler: &Block) -> bool {
    let first = handler.steps.first().map(|step| &step.kind);
    !matches!(first, Some(StepKind::Op(Op::Copy(_) | Op::Pop | Op::WithCleanupStart)))
}

/// A copy of a block that is being filled.
struct Filling {
    /// The old block, and the new one.
    block: BlockId,
    id: BlockId,
    /// What is known behind the steps so far.
    state: State,
    steps: Vec<Step>,
}

impl Filling {
    fn emit(&mut self, offset: u32, ops: &[Op]) {
        self.steps.extend(ops.iter().map(|&op| Step { offset, kind: StepKind::Op(op) }));
    }
}

struct Copier<'a> {
    graph: &'a Graph,
    function: &'a Function,
    features: &'a Features,
    /// The old block that starts at each offset.
    starts: HashMap<u32, BlockId>,
    /// The regions around each old block, outermost first.
    around: Vec<RegionList>,
    known: HashMap<(Place, State), BlockId>,
    work: Vec<(Place, State, BlockId)>,
    /// The new blocks and where they come from.
    blocks: Vec<(Place, Block)>,
    known_regions: HashMap<NewRegion, RegionId>,
    regions: Vec<(RegionId, Protection)>,
    ways: HashMap<(WayId, Option<Entry>), WayId>,
}

impl<'a> Copier<'a> {
    fn new(graph: &'a Graph, function: &'a Function) -> Self {
        let around = (0..graph.blocks.len()).map(|block| {
            let mut regions = graph.regions_around(block);
            regions.reverse();
            regions
        });
        let mut starts = HashMap::default();
        for (id, block) in graph.blocks.iter().enumerate() {
            starts.entry(block.start).or_insert(id);
        }
        Self {
            graph,
            function,
            features: &function.features,
            starts,
            around: around.collect(),
            known: HashMap::default(),
            work: Vec::new(),
            blocks: Vec::new(),
            known_regions: HashMap::default(),
            regions: Vec::new(),
            ways: HashMap::default(),
        }
    }

    /// The new graph; `None` where the bytecode is not what the compiler writes.
    fn run(mut self) -> Option<Graph> {
        let start =
            State { depth: 0, entered: Vec::new(), regions: Vec::new(), left: STRAIGHT, leaves: false };
        self.go(0, &start)?;
        while let Some(((block, step), state, id)) = self.work.pop() {
            let most = self.graph.blocks.len().saturating_mul(MOST_COPIES);
            if self.blocks.len() > most || state.entered.len() > DEEPEST {
                return None;
            }
            self.copy(block, step, state, id)?;
        }
        Some(self.in_order())
    }

    /// The copy of the old block that an edge with this state leads to. Regions are left and entered on edges.
    fn go(&mut self, block: BlockId, state: &State) -> Option<BlockId> {
        let around = self.around.get(block)?.clone();
        let open = state.regions.iter().map(|&region| self.regions[region].0);
        let common = open.zip(&around).take_while(|(open, wanted)| open == *wanted).count();
        let mut state = state.clone();
        state.regions.truncate(common);
        for &region in &around[common..] {
            let opened = self.open(region, &state)?;
            state.regions.push(opened);
        }
        Some(self.place((block, 0), state))
    }

    /// The copy of the block from a step on.
    fn place(&mut self, place: Place, state: State) -> BlockId {
        if let Some(&known) = self.known.get(&(place, state.clone())) {
            return known;
        }
        let old = &self.graph.blocks[place.0];
        let start = if place.1 == 0 {
            old.start
        } else {
            old.steps.get(place.1).map_or(old.end_offset, |step| step.offset)
        };
        let region = state.regions.last().copied();
        let id = self.add(place, Block { start, region, ..empty(old.end_offset) });
        self.known.insert((place, state.clone()), id);
        self.work.push((place, state, id));
        id
    }

    fn add(&mut self, place: Place, block: Block) -> BlockId {
        self.blocks.push((place, block));
        self.blocks.len() - 1
    }

    /// The copy of a region that is entered with this state, and of its handler.
    fn open(&mut self, region: RegionId, state: &State) -> Option<RegionId> {
        let Protection { handler, .. } = self.graph.regions[region];
        let first = self.graph.blocks[handler].steps.first();
        // SETUP_WITH takes what the manager returned off before it notes the height of the stack.
        let entered_value = matches!(first.map(|step| &step.kind), Some(StepKind::Op(Op::WithCleanupStart)));
        let kept = State { left: STRAIGHT, leaves: false, ..state.moved(-i64::from(entered_value))? };
        if let Some(&known) = self.known_regions.get(&(region, kept.clone())) {
            return Some(known);
        }
        let outer = state.regions.iter().map(|&region| self.regions[region].0);
        if !outer.eq(self.around[handler].iter().copied()) {
            return None;
        }
        let mut raised = kept.clone();
        raised.depth = raised.depth.checked_add(HANDLER_VALUES)?;
        let is_finally = is_finally_body(&self.graph.blocks[handler]);
        let handler = self.place((handler, 0), raised);
        let depth = kept.depth;
        let (kind, behind) = (RegionKind::Try, Behind::Unknown);
        let protection = Protection {
            handler,
            depth,
            lasti: false,
            kind,
            behind,
            entered_again: false,
            end: u32::MAX,
            closes: u32::MAX,
            is_finally,
            is_bare: false,
        };
        self.regions.push((region, protection));
        self.known_regions.insert((region, kept), self.regions.len() - 1);
        Some(self.regions.len() - 1)
    }

    /// Fills the copy `id` of a block from a step on.
    fn copy(&mut self, block: BlockId, from: usize, state: State, id: BlockId) -> Option<()> {
        let graph = self.graph;
        let mut copy = Filling { block, id, state, steps: Vec::new() };
        for (at, step) in graph.blocks[block].steps.iter().enumerate().skip(from) {
            match step.kind {
                StepKind::Op(op) => {
                    if let ControlFlow::Break(end) = self.copy_op(&mut copy, at, step.offset, op)? {
                        self.fill(id, copy.steps, end, step.offset);
                        return Some(());
                    }
                }
                StepKind::Comment => copy.steps.push(step.clone()),
                StepKind::Never => {
                    copy.steps.push(step.clone());
                    copy.state.shift(1)?;
                }
                _ => return None,
            }
        }
        self.end_copy(copy, from)
    }

    /// Copies an operation. Says where the copy of the block goes on if it ends there.
    fn copy_op(
        &mut self,
        copy: &mut Filling,
        at: usize,
        offset: u32,
        op: Op,
    ) -> Option<ControlFlow<Terminator>> {
        let rest = (copy.block, at + 1);
        match op {
            Op::BeginFinally => copy.state.enter(None),
            Op::CallFinally(target) => {
                let Terminator::Jump(back) = self.graph.blocks[copy.block].end else { return None };
                copy.state.enter(Some(back));
                let body = self.go(self.block_of(target)?, &copy.state)?;
                return Some(ControlFlow::Break(Terminator::Jump(body)));
            }
            Op::PopFinally(preserves) => return self.leave_body(copy, rest, offset, preserves),
            Op::WithCleanupStart if copy.state.entry_at(copy.state.depth).is_some() => {
                // The result of the exit function lies above what END_FINALLY takes.
                copy.state.entered.last_mut()?.depth = copy.state.depth.checked_sub(1)?;
                copy.emit(offset, &[Op::Common(CommonConst::None), Op::Copy(1), Op::Copy(1)]);
                copy.emit(offset, &[Op::Call { positional: 3, layout: CallLayout::Plain }]);
            }
            Op::WithCleanupStart => {
                copy.emit(offset, &[Op::WithExceptStart]);
                copy.state.shift(1)?;
            }
            Op::WithCleanupFinish => {
                copy.state.shift(-1)?;
                if copy.state.entry_at(copy.state.depth).is_none() {
                    let yes = self.swallow(rest, &copy.state, offset)?;
                    let no = self.place(rest, copy.state.clone());
                    return Some(ControlFlow::Break(Terminator::Branch { yes, no }));
                }
                copy.emit(offset, &[Op::Pop]);
            }
            op => {
                copy.emit(offset, &[op]);
                copy.state.shift(stack_effect(op, false, self.features))?;
            }
        }
        Some(ControlFlow::Continue(()))
    }

    /// Copies what leaves a body early, maybe with a result: that drops what the body was entered with, which is on the stack
    /// if it is an exception.
    fn leave_body(
        &mut self,
        copy: &mut Filling,
        rest: Place,
        offset: u32,
        preserves: bool,
    ) -> Option<ControlFlow<Terminator>> {
        let state = &mut copy.state;
        let entry = state.entry_at(state.depth.checked_sub(u32::from(preserves))?);
        state.left = self.way(state.left, entry);
        state.leaves = true;
        if entry.is_some() {
            state.entered.pop();
            return Some(ControlFlow::Continue(()));
        }
        // The result goes below what is popped, the raised exception and then the saved one.
        let around: &[Op] = if preserves { &[Op::Rot(4)] } else { &[] };
        copy.emit(offset, around);
        copy.emit(offset, &[Op::Pop, Op::Pop, Op::Pop]);
        copy.emit(offset, around);
        copy.emit(offset, &[Op::PopExcept]);
        let rest = self.place(rest, copy.state.moved(-i64::from(HANDLER_VALUES))?);
        Some(ControlFlow::Break(Terminator::Jump(rest)))
    }

    /// Ends a copy where the block ends. It began at a step.
    fn end_copy(&mut self, copy: Filling, from: usize) -> Option<()> {
        let Filling { block, id, state, steps } = copy;
        let old = &self.graph.blocks[block];
        let leaves = state.leaves && self.jumps(block);
        let written = leaves.then_some(Landing::Written);
        let entry = state.entry_at(state.depth).filter(|_| old.end == Terminator::EndFinally);
        let goes_back = entry.and_then(|entry| entry.back).is_some_and(|back| self.jumps(back));
        let end = self.end(block, state)?;
        self.fill(id, steps, end, old.end_offset);
        let new = &mut self.blocks[id].1;
        (new.layout, new.jumps) = (old.layout, old.jumps);
        // That nothing else leads behind the statement says less than the jump.
        new.dead.behind = match old.dead.behind {
            // The jump behind a call has one of its own.
            _ if goes_back => None,
            None | Some(Landing::Unreached) => written.or(old.dead.behind),
            known => known,
        };
        (new.pops_block, new.left_body) = (old.pops_block, leaves);
        if from == 0 {
            (new.dead.in_front, new.dead.back) = (old.dead.in_front, old.dead.back);
        }
        Some(())
    }

    /// The way on which the exit function swallowed the exception: the handler's values go, and the exit
    /// function. What 3.8 leaves instead makes END_FINALLY go on.
    fn swallow(&mut self, rest: Place, state: &State, offset: u32) -> Option<BlockId> {
        let mut after = state.moved(-i64::from(HANDLER_VALUES) - 1)?;
        after.enter(None);
        let region = after.regions.last().copied();
        let rest_id = self.place(rest, after);
        let step = |op: Op| Step { offset, kind: StepKind::Op(op) };
        let block = |steps: Vec<Step>, to: BlockId| Block {
            steps,
            region,
            start: offset,
            end: Terminator::Jump(to),
            ..empty(offset)
        };
        let pop_exit = self.add(rest, block(vec![step(Op::Pop)], rest_id));
        let leave = [Op::Pop, Op::Pop, Op::Pop, Op::PopExcept].into_iter().map(step).collect();
        Some(self.add(rest, block(leave, pop_exit)))
    }

    /// The end of a block's copy.
    fn end(&mut self, block: BlockId, mut state: State) -> Option<Terminator> {
        let (graph, features) = (self.graph, self.features);
        if graph.blocks[block].end != Terminator::Jump(block + 1) || self.jumps(block) {
            (state.left, state.leaves) = (STRAIGHT, false);
        }
        let mut to = |block: BlockId, effect: i64| self.go(block, &state.moved(effect)?);
        Some(match graph.blocks[block].end {
            Terminator::Jump(next) => Terminator::Jump(to(next, 0)?),
            Terminator::EndAsyncFor(next) => {
                let effect = stack_effect(Op::EndAsyncFor, false, features);
                Terminator::EndAsyncFor(to(next, effect)?)
            }
            Terminator::Branch { yes, no } => Terminator::Branch { yes: to(yes, -1)?, no: to(no, -1)? },
            Terminator::OrPop { when, keep, other } => {
                Terminator::OrPop { when, keep: to(keep, 0)?, other: to(other, -1)? }
            }
            Terminator::ForIter { body, exhausted, slots, pops } => {
                let (body, dropped) = (to(body, 1)?, if pops { -i64::from(slots) } else { 0 });
                Terminator::ForIter { body, exhausted: to(exhausted, dropped)?, slots, pops }
            }
            Terminator::EndFinally => match state.entry_at(state.depth) {
                Some(entry) => {
                    state.entered.pop();
                    (state.left, state.leaves) = (entry.left, entry.back.is_some());
                    // Blocks lie in the order of the bytecode, so the next one follows.
                    let next = entry.back.unwrap_or(block + 1);
                    Terminator::Jump(self.go(next, &state)?)
                }
                None => Terminator::Reraise,
            },
            Terminator::Send { .. } | Terminator::AsyncFor { .. } | Terminator::Case { .. } => return None,
            end @ (Terminator::Return
            | Terminator::Raise(_)
            | Terminator::Reraise
            | Terminator::Done
            | Terminator::Nowhere) => end,
        })
    }

    /// The number of a way that leaves a body.
    fn way(&mut self, before: WayId, body: Option<Entry>) -> WayId {
        let next = STRAIGHT + 1 + self.ways.len();
        *self.ways.entry((before, body)).or_insert(next)
    }

    /// Whether an old block ends with a jump, rather than where the next one starts.
    fn jumps(&self, block: BlockId) -> bool {
        let offset = self.graph.blocks[block].end_offset;
        instructions_at(self.function, offset).any(|last| matches!(last.op, Op::Jump(_)))
    }

    fn fill(&mut self, id: BlockId, steps: Vec<Step>, end: Terminator, end_offset: u32) {
        let block = &mut self.blocks[id].1;
        block.steps = steps;
        block.end = end;
        block.end_offset = end_offset;
    }

    /// The old block that starts with an instruction.
    fn block_of(&self, target: u32) -> Option<BlockId> {
        let offset = self.function.instructions.get(target as usize)?.offset;
        self.starts.get(&offset).copied()
    }

    /// The new graph, with blocks and regions in the order of those that they are copies of.
    fn in_order(self) -> Graph {
        let mut blocks: Vec<(BlockId, Place)> =
            self.blocks.iter().enumerate().map(|(id, (place, _))| (id, *place)).collect();
        blocks.sort_by_key(|&(_, place)| place);
        let mut block_numbers = vec![0; blocks.len()];
        blocks.iter().enumerate().for_each(|(number, &(id, _))| block_numbers[id] = number);
        let mut regions: Vec<(RegionId, RegionId)> =
            self.regions.iter().enumerate().map(|(id, (old, _))| (id, *old)).collect();
        regions.sort_by_key(|&(_, old)| old);
        let mut region_numbers = vec![0; regions.len()];
        regions.iter().enumerate().for_each(|(number, &(id, _))| region_numbers[id] = number);

        let contents = self.graph.contents.and(Contents::ALL_OPERATIONS);
        let mut graph = Graph::of(Vec::new(), Vec::new(), contents);
        for &(id, _) in &blocks {
            let mut block = self.blocks[id].1.clone();
            block.end.retarget(|to| block_numbers[to]);
            block.region = block.region.map(|region| region_numbers[region]);
            graph.blocks.push(block);
        }
        for &(id, _) in &regions {
            let protection = self.regions[id].1;
            graph.regions.push(Protection { handler: block_numbers[protection.handler], ..protection });
        }
        graph
    }
}

/// A block that is not filled yet.
fn empty(offset: u32) -> Block {
    Block::empty(offset, Terminator::Nowhere, None)
}
