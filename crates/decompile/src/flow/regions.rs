//! Passes: what the compiler adds around handlers goes, and `with` statements are found.

use crate::hash::HashMap;

use depyf_bytecode::{Function, Instruction, Intrinsic1, Op};
use smallvec::SmallVec;

use super::async_managers::await_length;
use super::copied_ends::cut_off;
use super::handling::exit_slots;
use super::members::Members;
use super::places::{instructions_before, place_of, unbinds};
use super::shared_exits::stands_for;
use super::written_ends::leading_pops;
use super::{BlockId, Graph, Lists, Protection, RegionId, RegionKind, Step, StepKind, Terminator};

/// The end of a handler that swallowed an exception is so many blocks at most.
const MOST_BLOCKS: usize = 8;

/// Pass: handlers that only clean up are erased.
///
/// Needs: the plain graph. Establishes: no region has a handler that only restores the exception state and
/// raises again, or only unbinds the name of an `except .. as name`; what it protected is protected by what
/// is around it. The normal way out of such a name's scope no longer unbinds the name.
///
/// What a `finally` does that was written so, `e = None; del e`, stays: it protects more than a handler that has just
/// bound the name, and a way out runs it before it leaves the handler.
///
/// Example: `COPY 3; POP_EXCEPT; RERAISE 1` around a handler, and `None -> e; del e; RERAISE` around its
/// body, are gone.
pub(crate) fn erase_cleanup_regions(graph: &mut Graph, function: &Function) {
    let (mut protected, mut inside, mut binding) = (None, None, None);
    // Inner ones first: a handler in the scope of a name may bind the same name.
    let mut order: Vec<RegionId> = (0..graph.regions.len()).collect();
    let depth = |region: RegionId| graph.regions_around(graph.regions[region].handler).len();
    order.sort_by_cached_key(|&region| std::cmp::Reverse(depth(region)));
    for region in order {
        let steps = handler_steps(graph, region);
        let Some((ops, chain)) = steps else { continue };
        // An inlined comprehension gives the names that it used back to their old values.
        let gives_back = matches!(ops[..], [Op::Swap(_), Op::Pop, Op::Swap(_), .., Op::StoreLocal(_)])
            && ops.iter().all(|op| matches!(op, Op::Swap(_) | Op::Pop | Op::StoreLocal(_)));
        // A generator turns a StopIteration that escapes it into a RuntimeError.
        let converts = matches!(ops[..], [Op::Intrinsic1(Intrinsic1::StopIterationError)]);
        let restores = gives_back || converts || matches!(ops[..], [Op::Copy(3), Op::PopExcept]);
        let stored = match ops[..] {
            [Op::Const(_) | Op::Common(_), store, delete] => {
                unbinds(store, delete).then_some((store, delete))
            }
            _ => None,
        };
        if !restores && stored.is_none() {
            continue;
        }
        let handler = graph.regions[region].handler;
        let around = graph.blocks[handler].region;
        if around == Some(region) {
            continue;
        }
        if let Some((store, _)) = stored
            && function.features.six_value_handlers
        {
            let binding = binding.get_or_insert_with(|| handlers_of_bound_names(function));
            let handler = graph.blocks[handler].steps.first();
            let handler = handler.map(|step| instructions_before(function, step.offset) as u32);
            if handler.is_none_or(|handler| binding.get(&handler) != Some(&store)) {
                continue;
            }
        }
        let protected = protected.get_or_insert_with(|| Members::of(graph));
        let members = protected.in_region(graph, region);
        if let Some((store, delete)) = stored {
            let mut ends: Vec<BlockId> =
                members.iter().flat_map(|&block| graph.blocks[block].end.successors()).collect();
            ends.extend(&members);
            // The handler may end where a region in it does.
            let inside = &inside.get_or_insert_with(|| blocks_inside(graph))[region];
            let ways = inside.iter().flat_map(|&block| graph.blocks[block].end.successors());
            ends.extend(ways.filter(|next| inside.binary_search(next).is_err()));
            ends.sort_unstable();
            ends.dedup();
            for block in ends {
                erase_unbinding(graph, block, store, delete, inside);
            }
        }
        for block in members {
            graph.blocks[block].region = around;
            protected.add(around, block);
        }
        for block in chain {
            graph.blocks[block].steps.clear();
            graph.blocks[block].end = Terminator::Nowhere;
        }
    }
    erase_empty_bindings(graph);
}

/// The handlers that protect what follows the binding of an exception, as `except .. as name` makes them, and what binds
/// it. In the bytecode nothing else tells them from those of a written `finally: name = None; del name` (to 3.10).
fn handlers_of_bound_names(function: &Function) -> HashMap<u32, Op> {
    let windows = function.instructions.windows(3);
    let found = windows.filter_map(|found| match found {
        [store, Instruction { op: Op::Pop, .. }, Instruction { op: Op::SetupBlock(handler), .. }] => {
            Some((*handler, store.op))
        }
        _ => None,
    });
    found.collect()
}

/// The blocks of each region, those of the regions inside of it included.
fn blocks_inside(graph: &Graph) -> Lists {
    let around = |block: BlockId| graph.regions_around(block).into_iter().map(move |region| (region, block));
    Lists::of(graph.regions.len(), || (0..graph.blocks.len()).flat_map(around))
}

/// The same where the region of a name protects nothing, because the handler does nothing: the name is bound,
/// the handler ends, the name is unbound.
fn erase_empty_bindings(graph: &mut Graph) {
    for block in 0..graph.blocks.len() {
        let Some(&Step { kind: StepKind::Op(store), .. }) = graph.blocks[block].steps.last() else {
            continue;
        };
        let Terminator::Jump(end) = graph.blocks[block].end else { continue };
        let (leave, Terminator::Jump(behind)) = (&graph.blocks[end].steps, graph.blocks[end].end) else {
            continue;
        };
        let ends = matches!(leave[..], [Step { kind: StepKind::Op(Op::PopExcept), .. }]);
        let unbinds = match &graph.blocks[behind].steps[..] {
            [none, again, delete, ..] => match (&none.kind, &again.kind, &delete.kind) {
                (StepKind::Op(Op::Const(_) | Op::Common(_)), StepKind::Op(again), StepKind::Op(delete)) => {
                    *again == store && unbinds(*again, *delete)
                }
                _ => false,
            },
            _ => false,
        };
        if ends && unbinds {
            graph.blocks[behind].steps.drain(..3);
        }
    }
}

/// Whether a handler that only cleans up may begin with an operation. Most others begin with one that does not.
fn may_clean_up(first: Op) -> bool {
    matches!(
        first,
        Op::Swap(_)
            | Op::Copy(_)
            | Op::Const(_)
            | Op::Common(_)
            | Op::Intrinsic1(Intrinsic1::StopIterationError)
    )
}

/// What a handler does that ends by raising again, and its blocks; what only cleans up is short.
type Handler = (SmallVec<[Op; 4]>, SmallVec<[BlockId; 4]>);

/// The operations of a handler that may clean up and ends by raising again, and its blocks.
fn handler_steps(graph: &Graph, region: RegionId) -> Option<Handler> {
    let mut ops = SmallVec::new();
    let mut chain = SmallVec::new();
    let mut block = graph.regions[region].handler;
    // Nothing is left of a handler that nothing reaches: it seems to be what lies behind it.
    if graph.blocks[block].steps.is_empty() {
        return None;
    }
    loop {
        if chain.contains(&block) {
            return None;
        }
        for step in &graph.blocks[block].steps {
            match step.kind {
                StepKind::Op(op) if !ops.is_empty() || may_clean_up(op) => ops.push(op),
                _ => return None,
            }
        }
        chain.push(block);
        match graph.blocks[block].end {
            Terminator::Jump(next) => block = next,
            Terminator::Reraise => return Some((ops, chain)),
            _ => return None,
        }
    }
}

/// Removes `None -> name; del name` from the way out of a handler: the block and what follows PopExcept. What is still
/// `inside` of what the handler protects was written.
fn erase_unbinding(graph: &mut Graph, block: BlockId, store: Op, delete: Op, inside: &[BlockId]) {
    let is = |step: &Step, op: Op| matches!(step.kind, StepKind::Op(found) if found == op);
    let mut at = block;
    let mut left = false;
    // A returned value is moved in front of POP_EXCEPT.
    for _ in 0..4 {
        let is_inside = inside.binary_search(&at).is_ok();
        let steps = &mut graph.blocks[at].steps;
        let found = steps.windows(3).position(|steps| {
            matches!(steps[0].kind, StepKind::Op(Op::Const(_) | Op::Common(_)))
                && is(&steps[1], store)
                && is(&steps[2], delete)
        });
        if let Some(found) = found.filter(|_| !is_inside) {
            steps.drain(found..found + 3);
            return;
        }
        match graph.blocks[at].end {
            Terminator::Jump(next) if !left => {
                left = graph.blocks[at].steps.iter().any(|step| is(step, Op::PopExcept));
                at = next;
            }
            _ => return,
        }
    }
}

/// Pass: `with` statements are found, and the normal calls of their exit functions become steps.
///
/// Needs: `erase_cleanup_regions`. Establishes: the kind of each region; a block that leaves a `with` region
/// and calls the exit function starts with `WithExit`, inside the region, and ends there; a `continue` that leaves it
/// is a written jump, see `Block::written`.
///
/// Example: `None; None; None; CALL 2; POP_TOP` behind the region becomes `WithExit`.
pub(crate) fn find_with_statements(graph: &mut Graph, function: &Function) {
    let around = |region: RegionId| graph.blocks[graph.regions[region].handler].region;
    let nested = |region: RegionId| around(region).map(|around| (around, region));
    let inner = Lists::of(graph.regions.len(), || (0..graph.regions.len()).filter_map(nested));
    let mut members = Members::of(graph);
    let mut ways = Ways::of(graph);
    for region in 0..graph.regions.len() {
        let handler = graph.regions[region].handler;
        let starts = graph.blocks[handler]
            .steps
            .iter()
            .any(|step| matches!(step.kind, StepKind::Op(Op::WithExceptStart)));
        let Terminator::Branch { yes, .. } = graph.blocks[handler].end else { continue };
        if !starts {
            continue;
        }
        graph.regions[region].kind = RegionKind::With { swallowed: yes };
        let known = graph.blocks.len();
        let mut calls: Vec<BlockId> = Vec::new();
        for block in members.inside(graph, &inner, region) {
            for next in graph.blocks[block].end.successors() {
                let outside = next < known
                    && graph.blocks[next].region != Some(region)
                    && !graph.regions_around(next).contains(&region);
                if outside && let Some(rest) = enter_exit_call(graph, next, region) {
                    ways.split(next, rest);
                    members.add(Some(region), next);
                    calls.push(next);
                    if drops_inside(graph, next, rest, function)
                        && !drops_when_swallowed(graph, next, region, function)
                    {
                        let behind = cut_off(graph, rest, leading_pops(&graph.blocks[rest].steps));
                        ways.split(rest, behind);
                        members.add(graph.blocks[rest].region, behind);
                        graph.blocks[rest].region = Some(region);
                    }
                    members.add(graph.blocks[rest].region, rest);
                }
            }
        }
        note_continues(graph, calls);
        place_exits(graph, region, &members.in_region(graph, region), &ways);
    }
}

/// Notes which calls of one exit function a `continue` has for itself: to 3.11 the place of its jump is that of the `with`. The
/// call that lies last is that of the end of the body.
fn note_continues(graph: &mut Graph, mut calls: Vec<BlockId>) {
    calls.sort_unstable_by_key(|&call| graph.blocks[call].end_offset);
    calls.pop();
    for call in calls {
        let Terminator::Jump(rest) = graph.blocks[call].end else { continue };
        let found = &graph.blocks[rest];
        if let Terminator::Jump(to) = found.end
            && found.steps.is_empty()
            && graph.blocks[to].start < found.start
        {
            graph.blocks[rest].written = Some(graph.blocks[rest].end_offset);
        }
    }
}

/// Whether what lies behind the call of an exit function drops the iterator of a loop that was left inside of the `with`:
/// that has the place of the `with` then, and else that of a `break` behind it.
fn drops_inside(graph: &Graph, call: BlockId, rest: BlockId, function: &Function) -> bool {
    let Some(drop) = graph.blocks[rest].steps.first().filter(|step| step.drops()) else { return false };
    let places = [drop.offset, graph.blocks[call].end_offset].map(|offset| place_of(function, offset));
    function.features.jump_statements_stay
        && places[0].is_some_and(|(line, _)| line.is_some())
        && places[0] == places[1]
}

/// Whether the iterator is dropped in the same place where an exception was swallowed: then the statement is a part of the
/// `finally` body that a `break` runs.
fn drops_when_swallowed(graph: &Graph, call: BlockId, region: RegionId, function: &Function) -> bool {
    let Protection { kind: RegionKind::With { swallowed }, lasti, .. } = graph.regions[region] else {
        return false;
    };
    // What the handler drops itself: the exit function, and the offset of the instruction that raised.
    let own = exit_slots(graph) as usize + usize::from(lasti);
    let mut block = swallowed;
    let mut dropped: Option<usize> = None;
    for _ in 0..MOST_BLOCKS {
        for step in &graph.blocks[block].steps {
            match (&step.kind, dropped) {
                (StepKind::Op(Op::PopExcept), _) => dropped = Some(0),
                (_, None) => {}
                (_, Some(_)) if !step.drops() => return false,
                (_, Some(count)) if count == own => {
                    let end = graph.blocks[call].end_offset;
                    return place_of(function, step.offset) == place_of(function, end);
                }
                (_, Some(count)) => dropped = Some(count + 1),
            }
        }
        match graph.blocks[block].end {
            Terminator::Jump(next) => block = next,
            _ => break,
        }
    }
    false
}

/// The blocks that lead to each block, while blocks are split.
struct Ways {
    /// As it was at first.
    before: Lists,
    /// The rest of a block that was split, which goes where the block went.
    rests: HashMap<BlockId, BlockId>,
    /// The block that a rest was split from.
    origins: HashMap<BlockId, BlockId>,
}

impl Ways {
    fn of(graph: &Graph) -> Self {
        let edges = |block: BlockId| graph.blocks[block].end.successors().map(move |next| (next, block));
        let before = Lists::of(graph.blocks.len(), || (0..graph.blocks.len()).flat_map(edges));
        Self { before, rests: HashMap::default(), origins: HashMap::default() }
    }

    fn split(&mut self, block: BlockId, rest: BlockId) {
        // What was split from the block before goes on behind the new rest.
        if let Some(last) = self.rests.insert(block, rest) {
            self.rests.insert(rest, last);
            self.origins.insert(last, rest);
        }
        self.origins.insert(rest, block);
    }

    /// The blocks that lead to a block.
    fn into(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let origin = self.origins.get(&block).copied();
        let known = if origin.is_none() { &self.before[block] } else { &[] };
        origin.into_iter().chain(known.iter().map(|&block| stands_for(&self.rests, block)))
    }
}

/// What leaves a `with` statement, in either way, stands where the statement does.
fn place_exits(graph: &mut Graph, region: RegionId, members: &[BlockId], ways: &Ways) {
    let outside = |block: &BlockId| graph.blocks[*block].region != Some(region);
    let mut entries: Vec<BlockId> =
        members.iter().flat_map(|&block| ways.into(block)).filter(outside).collect();
    entries.sort_unstable();
    entries.dedup();
    // `async with` awaits what it enters, in a block between.
    let mut earlier: Vec<BlockId> = entries.iter().flat_map(|&block| ways.into(block)).collect();
    earlier.sort_unstable();
    entries.extend(earlier);
    let enters = |step: &&Step| matches!(step.kind, StepKind::Op(Op::BeforeWith { .. }));
    let mut steps = entries.into_iter().filter_map(|block| graph.blocks[block].steps.last().filter(enters));
    let Some(entry) = steps.next().map(|step| step.offset) else { return };
    let handler = &graph.blocks[graph.regions[region].handler];
    let mut exits: Vec<u32> = handler.steps.iter().map(|step| step.offset).collect();
    exits.push(handler.end_offset);
    exits.extend(members.iter().filter_map(|&block| match graph.blocks[block].steps.last() {
        Some(Step { kind: StepKind::WithExit, offset }) => Some(*offset),
        _ => None,
    }));
    exits.into_iter().for_each(|exit| graph.copies.note(exit, entry));
}

/// Turns the call of the exit function at the head of a block into a step of the region; what follows becomes
/// a block of its own, which is given.
fn enter_exit_call(graph: &mut Graph, block: BlockId, region: RegionId) -> Option<BlockId> {
    let op = |at: usize| graph.blocks[block].steps.get(at)?.op();
    // A value that is being returned lies above the exit function.
    let mut moved = 0;
    while matches!(op(moved), Some(Op::Swap(_) | Op::Rot(_))) {
        moved += 1;
    }
    let mut at = moved;
    let mut arguments = 0;
    loop {
        match op(at) {
            Some(Op::Const(_) | Op::Common(_)) if arguments < 3 => arguments += 1,
            Some(Op::Copy(1)) if arguments > 0 && arguments < 3 => arguments += 1,
            _ => break,
        }
        at += 1;
    }
    // `async with` awaits the result.
    let awaits = graph.blocks[block].steps.get(at + 1..).and_then(await_length).unwrap_or(0);
    if arguments != 3 || !matches!(op(at), Some(Op::Call { .. })) || op(at + 1 + awaits) != Some(Op::Pop) {
        return None;
    }
    let around = graph.blocks[block].region;
    let tail = graph.blocks[block].steps.split_off(at + 2 + awaits);
    let offset = graph.blocks[block].steps[at].offset;
    graph.blocks[block].steps.truncate(moved);
    graph.blocks[block].steps.push(Step { offset, kind: StepKind::WithExit });
    let mut rest = graph.blocks[block].clone();
    rest.steps = tail;
    rest.region = around;
    rest.start = rest.steps.first().map_or(rest.end_offset, |step| step.offset);
    let new = graph.blocks.len();
    graph.blocks.push(rest);
    graph.blocks[block].end = Terminator::Jump(new);
    graph.blocks[block].end_offset = offset;
    graph.blocks[block].region = Some(region);
    Some(new)
}
