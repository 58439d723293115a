//! Pass: the copies of a `finally` body become one.
//!
//! From 3.9 on CPython copies the body of `finally` to every way out of the `try`, and once more into the
//! handler, where it ends by raising again (`Python/compile.c`, `compiler_try_finally`).
//!
//! Needs: `erase_cleanup_regions`, `find_with_statements`. Establishes: where every way out of a region starts
//! with what its handler does, these ways lead behind the copies and the region is a `try` with `finally`; the
//! body in the handler ends in a block of its own, with [`Terminator::Done`].
//!
//! Example: `region: x -> e; e: body, y; handler: body, Reraise` becomes `region: x -> y; finally: body, Done`.
//!
//! A copy is compared with the body as a graph, along all paths, inner regions and their handlers included. So
//! a body may hold any statement once the `finally` statements inside it have been found; the pass therefore
//! goes over the regions until it finds no more.

use std::cell::{Cell, OnceCell};

use crate::hash::{HashMap, HashSet};

use depyf_bytecode::{Const, Op};

use super::finally_places::{
    Place, behind_dropped, behind_jumps, is_same_end, is_statement, note_bare_regions, op_at, room,
    same_shape, skip_jumps, skip_moves,
};
use super::finally_words::{Word, last_in_order, words};
use super::handling::Handling;
use super::kept_predecessors::KeptPredecessors;
use super::shared_exits::stands_for;
use super::{
    Block, BlockId, BlockSet, Contents, Graph, RegionId, RegionKind, Step, StepKind, Terminator, returns_none,
};
use crate::lift::Context;

/// So many steps are compared for each step of a function, at most. What CPython compiles takes a few: only bodies
/// that are nested without end, in damaged code, would each be compared with all of the others.
const MOST_COMPARED: usize = 16;

/// The body as the handler has it.
struct Body<'a> {
    /// The constants of the function.
    consts: &'a [Const],
    /// How many steps may still be compared, over all bodies of the function.
    comparable: &'a Cell<usize>,
    /// How many ways led to each block before bodies were joined.
    ways_in: &'a [usize],
    start: Place,
    /// Whether it does nothing but leave, and may be no `finally`: so does an `except`, into which no `return` leads.
    drops_first: bool,
    /// The blocks that raise again behind the body, because an exception brought the body to run.
    last: BlockSet,
    /// The blocks in which `return`, `break` or `continue` ends the handling of that exception.
    leaving: BlockSet,
    /// How many values the exception is on the stack.
    slots: usize,
    /// The region around the statement: the body and its copies run in it, also where they start with a region.
    around: Option<RegionId>,
    /// The offset of the instruction that ends the statement, if the bytecode has the order of the source.
    closes: u32,
}

impl Body<'_> {
    /// Whether a block is where the statement around with its own `finally` body ends, which inner ones run into as well:
    /// behind it lies what that body did.
    fn ends_around(&self, graph: &Graph, block: BlockId) -> bool {
        let found = &graph.blocks[block];
        let kind = found.region.map(|region| graph.regions[region].kind);
        found.region == self.around
            && kind == Some(RegionKind::Finally)
            && self.ways_in.get(block).is_some_and(|&ways| ways > 1)
            && {
                let is_inside = |block: BlockId| graph.blocks[block].region == found.region;
                !is_inside(behind_jumps(graph, (block, 0), is_inside).0)
            }
    }

    /// Where the body ends in the rest of a block that was split, that is an end of it, too.
    fn follow(&mut self, rests: &[(BlockId, BlockId)]) {
        for &(block, rest) in rests {
            for ends in [&mut self.last, &mut self.leaving] {
                if ends.contains(block) {
                    ends.insert(rest);
                }
            }
        }
    }
}

/// The end of a copy: the place behind it, and the offset of the instruction that leads there.
pub(super) type Behind = (Place, u32);

/// Way out of a region.
#[derive(Clone, Copy)]
pub(super) struct Exit {
    /// The block inside.
    pub(super) from: BlockId,
    /// The block outside, with which a copy starts.
    pub(super) to: BlockId,
    /// Where the copy ends, if it ever does.
    pub(super) behind: Option<Behind>,
    /// Whether the way takes the value of a `return` along.
    pub(super) returns: bool,
}

/// Places in copies, each with the place in the body that stands for it.
type Pairs = Vec<(Place, Place)>;

/// All ways out of a region.
struct Ways {
    exits: Vec<Exit>,
    pairs: Pairs,
    /// What nothing reaches behind a statement whose `finally` body always leaves, and a test that never holds leads to.
    beyond: Option<BlockId>,
}

/// Blocks that lead elsewhere now. All edges into them are changed at once, when a round is over.
#[derive(Default)]
struct Moved {
    /// Blocks that raised again behind a body, and the end of the body.
    ends: HashMap<BlockId, BlockId>,
    /// Blocks behind which a copy lay, and what leads behind it.
    ways: HashMap<BlockId, BlockId>,
    /// Blocks that begin with the end of a copy, and the block that the rest of them is now. In order.
    rests: Vec<(BlockId, BlockId)>,
    /// Blocks that stand for a `return` behind a body that never ends, which no way leads to in truth.
    unreached: Vec<BlockId>,
    /// What leads to each block by now, where that was asked for.
    predecessors: OnceCell<KeptPredecessors>,
}

/// See the module.
pub(crate) fn join_finally_bodies(graph: &mut Graph, context: &Context<'_>) {
    // Blocks of one region mostly lie side by side.
    let (mut regions, mut last) = (graph.blocks.iter().filter_map(|block| block.region), None);
    if !regions.any(|region| last.replace(region) != Some(region) && may_be_body(graph, region)) {
        return;
    }
    let features = &context.function.features;
    if features.six_value_handlers {
        note_bare_regions(graph);
    }
    let handling = Handling::of(graph, features);
    let moved_from = graph.moved_from(features);
    let steps: usize = graph.blocks.iter().map(|block| block.steps.len() + 1).sum();
    let comparable = Cell::new(MOST_COMPARED * steps);
    let ways_in = graph.ways_in(0..graph.blocks.len());
    // How a body looks does not change while copies are joined, only whether there is an inner one, and in which block
    // it ends where a copy of an inner body lies in front of its end.
    let mut bodies: Vec<(RegionId, Body<'_>)> = (0..graph.regions.len())
        .filter_map(|region| Some((region, body(graph, &handling, context, &comparable, &ways_in, region)?)))
        .collect();
    let mut unreached = BlockSet::default();
    while !bodies.is_empty() {
        let before = bodies.len();
        let mut inside = members(graph);
        // The region for which each block was last found to be inside.
        let mut asked = vec![usize::MAX; graph.blocks.len()];
        let mut moved = Moved::default();
        bodies.retain(|(region, body)| {
            inside[*region].iter().for_each(|&block| asked[block] = *region);
            let is_inside = |block: BlockId| asked.get(block) == Some(region);
            let returns =
                |to: BlockId| handling.height(to) == Some(i64::from(graph.regions[*region].depth) + 1);
            match exits(graph, &inside[*region], is_inside, returns, body, &unreached) {
                Some(ways) => {
                    graph.contents.add(Contents::MOVED_ENDS);
                    note(graph, &ways.pairs);
                    note_written_returns(graph, &ways.exits, &inside[*region], moved_from, context);
                    let known = graph.blocks.len();
                    let words =
                        words(graph, *region, &ways.exits, moved_from, &moved.predecessors, context.function);
                    join(graph, *region, body, &ways, &words, &mut moved);
                    // What is made for an inner statement is in the regions around that.
                    for block in known..graph.blocks.len() {
                        graph.regions_around(block).into_iter().for_each(|around| inside[around].push(block));
                    }
                    asked.resize(graph.blocks.len(), usize::MAX);
                    false
                }
                None => true,
            }
        });
        retarget(graph, &moved);
        unreached.extend(moved.unreached);
        bodies.iter_mut().for_each(|(_, body)| body.follow(&moved.rests));
        if bodies.len() == before {
            return;
        }
    }
}

/// Whether the first block of a region's handler looks as if that were the body of a `finally`.
fn may_be_body(graph: &Graph, region: RegionId) -> bool {
    let handler = graph.regions[region].handler;
    graph.regions[region].kind == RegionKind::Try && !graph.blocks[handler].steps.iter().any(handles)
}

/// Whether a step asks which exception it is.
fn handles(step: &Step) -> bool {
    let StepKind::Op(op) = step.kind else { return false };
    matches!(op, Op::ExceptionMatch | Op::ExceptionGroupMatch | Op::WithExceptStart)
}

/// The body of a handler that neither drops its exception nor asks for its type.
fn body<'a>(
    graph: &Graph,
    handling: &Handling,
    context: &Context<'a>,
    comparable: &'a Cell<usize>,
    ways_in: &'a [usize],
    region: RegionId,
) -> Option<Body<'a>> {
    let handler = graph.regions[region].handler;
    let around = handling.at(handler)?;
    if graph.regions[region].kind != RegionKind::Try {
        return None;
    }
    let is = |step: Option<&Step>, op: Op| matches!(step, Some(Step { kind: StepKind::Op(found), .. }) if *found == op);
    let skip = usize::from(is(graph.blocks[handler].steps.first(), Op::PushExcInfo));
    let start = skip_jumps(graph, (handler, skip));
    let slots = if context.function.features.six_value_handlers { 3 } else { 1 };
    let drops_first = is(graph.blocks[start.0].steps.get(start.1), Op::Pop);
    if drops_first {
        let mut left = behind_dropped(graph, start, slots)?;
        if op_at(graph, &mut left) != Some(Op::PopExcept) {
            return None;
        }
    }
    let (mut last, mut leaving) = (BlockSet::default(), BlockSet::default());
    let mut seen = BlockSet::default();
    seen.insert(handler);
    let mut work = vec![handler];
    while let Some(block) = work.pop() {
        let found = &graph.blocks[block];
        if handling.at(block) == Some(around) {
            if found.steps.iter().any(handles) {
                return None;
            }
            if is(found.steps.last(), Op::PopExcept) {
                leaving.insert(block);
            }
            if found.end == Terminator::Reraise {
                last.insert(block);
            }
        }
        let ways = found.end.successors().chain(found.region.map(|region| graph.regions[region].handler));
        for next in ways.collect::<Vec<_>>() {
            let inner = handling.at(next).is_some_and(|stack| handling.is_within(stack, around));
            if inner && !seen.put(next) {
                work.push(next);
            }
        }
    }
    let drops_first = drops_first && !graph.regions[region].is_finally;
    let consts = &context.code.consts[..];
    let (around, closes) = (graph.blocks[handler].region, graph.regions[region].closes);
    Some(Body { consts, comparable, ways_in, start, drops_first, last, leaving, slots, around, closes })
}

/// The blocks of each region, those of the regions inside it included.
fn members(graph: &Graph) -> Vec<Vec<BlockId>> {
    let mut found = vec![Vec::new(); graph.regions.len()];
    for &block in graph.reverse_postorder().iter() {
        for region in graph.regions_around(block) {
            found[region].push(block);
        }
    }
    found
}

/// All ways out of a region with the places behind the copies that they lead to; none where one does not lead
/// to a copy.
fn exits(
    graph: &Graph,
    inside: &[BlockId],
    is_inside: impl Fn(BlockId) -> bool,
    returns: impl Fn(BlockId) -> bool,
    body: &Body<'_>,
    unreached: &BlockSet,
) -> Option<Ways> {
    let mut found: Vec<Exit> = Vec::new();
    let mut beyond = None;
    let mut known: HashMap<BlockId, Option<Behind>> = HashMap::default();
    let mut pairs = Pairs::new();
    for &block in inside {
        if graph.blocks[block].end == Terminator::Return && !unreached.contains(block) {
            return None;
        }
        for next in graph.blocks[block].end.successors() {
            if is_inside(next) || found.last().is_some_and(|exit| (exit.from, exit.to) == (block, next)) {
                continue;
            }
            let behind = match known.get(&next) {
                Some(&behind) => behind,
                None => match behind_copy(graph, body, next, returns(next), &mut pairs) {
                    None if is_never(&graph.blocks[block]) => {
                        beyond = Some(next);
                        continue;
                    }
                    behind => behind?,
                },
            };
            known.insert(next, behind);
            found.push(Exit { from: block, to: next, behind, returns: returns(next) });
        }
    }
    let is_finally = !body.drops_first || found.iter().any(|exit| exit.returns);
    is_finally.then_some(Ways { exits: found, pairs, beyond })
}

/// Whether a block is a test that never holds, which leads to what nothing reaches.
fn is_never(block: &Block) -> bool {
    matches!(block.steps[..], [Step { kind: StepKind::Never, .. }])
}

/// Where the copy of a body that starts at a block ends: `Some(None)` where it never does, `None` where the
/// block is no copy. Where it is on the way of a `return`, it drops the value of that before it leaves by itself; 3.8
/// keeps a value for that below the region, which makes room for the returned one in front of the copy.
fn behind_copy(
    graph: &Graph,
    body: &Body<'_>,
    copy: BlockId,
    returns: bool,
    joined: &mut Pairs,
) -> Option<Option<Behind>> {
    let mut pairs: HashSet<(BlockId, Place)> = HashSet::default();
    let mut regions: HashMap<RegionId, RegionId> = HashMap::default();
    let mut behind: Option<Behind> = None;
    // It does so where the statement stands: what drops a value outside of that belongs to another one.
    let behind_value = |place: Place| {
        let place = behind_dropped(graph, place, 1)?;
        let is_here = |around| graph.regions_around(place.0).contains(&around);
        body.around.is_none_or(is_here).then_some(place)
    };
    let room = if returns { behind_value((copy, 0)) } else { None };
    let drops_value = returns && room.is_none();
    let mut work = vec![(body.start, room.unwrap_or((copy, 0)), graph.blocks[copy].start)];
    while let Some((mut wanted, mut found, mut offset)) = work.pop() {
        loop {
            let end = found;
            (wanted, found) = (skip_jumps(graph, wanted), skip_jumps(graph, found));
            let (a, b) = (&graph.blocks[wanted.0], &graph.blocks[found.0]);
            if a.steps.len() == wanted.1 && body.last.contains(wanted.0) {
                // A jump that was written behind the statement lies in front of one of the compiler's.
                let is_behind = |block: &Block| {
                    block.start > body.closes && block.dead.behind.is_some() || block.written.is_some()
                };
                let may_pass = |id: BlockId| {
                    let stays = is_statement(graph, id) || is_behind(&graph.blocks[id]);
                    !stays && !body.ends_around(graph, id)
                };
                found = behind_jumps(graph, end, may_pass);
                if !is_same_end(graph, behind.get_or_insert((found, offset)).0, found) {
                    return None;
                }
                break;
            }
            if let Some(left) = behind_leaving(graph, body, wanted) {
                if drops_value {
                    found = behind_value(found)?;
                }
                if !is_same_end(graph, left, found) {
                    return None;
                }
                break;
            }
            // Several blocks of one side may be one on the other, where copies of an end have been joined.
            if wanted.1 == 0 && !pairs.insert((wanted.0, found)) {
                break;
            }
            body.comparable.set(body.comparable.get().checked_sub(1)?);
            if pairs.len() > graph.blocks.len() {
                return None;
            }
            let inner = |region: Option<RegionId>| region.filter(|_| region != body.around);
            match (inner(a.region), inner(b.region)) {
                (None, None) => {}
                (Some(a), Some(b)) => {
                    if pair_regions(graph, &mut regions, (a, b))? {
                        let [a, b] = [a, b].map(|region| graph.regions[region].handler);
                        work.push(((a, 0), (b, 0), graph.blocks[b].start));
                    }
                }
                _ => return None,
            }
            joined.push((found, wanted));
            match (a.steps.get(wanted.1), b.steps.get(found.1)) {
                (Some(x), Some(y)) if x.same_with(y, body.consts) => {
                    wanted.1 += 1;
                    found.1 += 1;
                    offset = y.offset;
                }
                (None, None) if same_shape(a.end, b.end) => {
                    let ways = a.end.successors().zip(b.end.successors());
                    work.extend(ways.map(|(a, next)| ((a, 0), (next, 0), b.end_offset)));
                    break;
                }
                _ => return None,
            }
        }
    }
    Some(behind)
}

/// Whether a region of a body and one of its copy had not been met yet. None where they are no pair.
fn pair_regions(
    graph: &Graph,
    regions: &mut HashMap<RegionId, RegionId>,
    (a, b): (RegionId, RegionId),
) -> Option<bool> {
    let kind = |region: RegionId| std::mem::discriminant(&graph.regions[region].kind);
    let known = regions.insert(a, b);
    (kind(a) == kind(b) && known.is_none_or(|known| known == b)).then_some(known.is_none())
}

/// Where a `return`, `break` or `continue` in the body goes on, if the place is where it drops the exception: a value
/// that is being returned is kept above it. The copies have no exception to drop.
fn behind_leaving(graph: &Graph, body: &Body<'_>, mut place: Place) -> Option<Place> {
    place = behind_dropped(graph, place, body.slots)?;
    skip_moves(graph, &mut place);
    let ends = op_at(graph, &mut place)? == Op::PopExcept && body.leaving.contains(place.0);
    ends.then_some((place.0, place.1 + 1))
}

/// Keeps in mind what stands for the instructions of the copies.
fn note(graph: &mut Graph, pairs: &[(Place, Place)]) {
    for &((copy, at), (kept, other)) in pairs {
        let (erased, standing) = (&graph.blocks[copy], &graph.blocks[kept]);
        match (erased.steps.get(at), standing.steps.get(other)) {
            (Some(step), Some(same)) => {
                graph.copies.note_steps(std::slice::from_ref(step), std::slice::from_ref(same));
            }
            _ => graph.copies.note(erased.end_offset, standing.end_offset),
        }
    }
}

/// Lets all ways out of the region lead behind the copies, and the body end in a block of its own.
fn join(
    graph: &mut Graph,
    region: RegionId,
    body: &Body<'_>,
    ways_out: &Ways,
    words: &HashMap<BlockId, Word>,
    moved: &mut Moved,
) {
    let (exits, handler) = (&ways_out.exits[..], graph.regions[region].handler);
    let done = push(graph, handler, graph.blocks[handler].region, Terminator::Done);
    for block in body.last.ones() {
        graph.blocks[done].end_offset = graph.blocks[done].end_offset.max(graph.blocks[block].end_offset);
        graph.blocks[block].end = Terminator::Jump(done);
        // The compiler copies the RERAISE to the jumps that lead to it; now they lead to one block.
        if graph.blocks[block].steps.is_empty() {
            moved.ends.entry(block).or_insert(done);
        }
    }
    let mut ways: HashMap<BlockId, BlockId> = HashMap::default();
    // All ways on which a body leaves by itself go on nowhere, or to what was written there.
    let mut nowhere = None;
    for &Exit { from, to, behind, returns } in exits {
        let leaves = behind.is_none() && !returns;
        let way = match ways.get(&to) {
            Some(&way) => way,
            None => {
                let end = match behind {
                    Some(((block, 0), _)) => Terminator::Jump(block),
                    Some(((block, at), _)) => {
                        let rest = split(graph, block, at);
                        moved.rests.push((block, rest));
                        Terminator::Jump(rest)
                    }
                    // Nothing comes behind a body that always raises or leaves by itself.
                    None if returns => {
                        moved.unreached.push(graph.blocks.len());
                        Terminator::Return
                    }
                    None => ways_out.beyond.map_or(Terminator::Done, Terminator::Jump),
                };
                // The body runs outside of the region, even where the way leads back into it.
                let known = nowhere.filter(|_| leaves);
                let left = known.unwrap_or_else(|| push(graph, to, graph.blocks[handler].region, end));
                nowhere = nowhere.or(leaves.then_some(left));
                // What follows was compiled behind the copy.
                if let Some((_, offset)) = behind {
                    graph.blocks[left].end_offset = offset;
                    graph.blocks[left].steps = if returns { room(graph, to) } else { Vec::new() };
                }
                let mut around = None;
                match words.get(&to) {
                    Some(&Word::Jump { offset, body }) => {
                        (graph.blocks[left].written, around) = (Some(offset), body);
                    }
                    Some(&Word::Return(offset)) => graph.blocks[left].leading = Some(offset),
                    None => {}
                }
                let way = push(graph, to, around.or(Some(region)), Terminator::Jump(left));
                ways.insert(to, way);
                moved.ways.entry(to).or_insert(way);
                way
            }
        };
        graph.blocks[from].end.retarget(|next| if next == to { way } else { next });
        if let Some(predecessors) = moved.predecessors.get_mut() {
            predecessors.move_ways(from, to, way);
        }
    }
    graph.regions[region].kind = RegionKind::Finally;
    if let Some(predecessors) = moved.predecessors.get_mut() {
        let made = done..graph.blocks.len();
        predecessors.add(graph, body.last.ones().chain(made.clone()));
        let behind: HashSet<BlockId> = made.flat_map(|block| graph.blocks[block].end.successors()).collect();
        let mut copies = ways.into_keys();
        if !copies.all(|copy| predecessors.forget(graph, copy, |block| behind.contains(&block))) {
            moved.predecessors.take();
        }
    }
}

/// Keeps in mind which copies end with a `return` without a value that was written: all that falls off the end of the
/// statement has one copy, behind all of the statement, and each `return` its own.
fn note_written_returns(
    graph: &mut Graph,
    exits: &[Exit],
    inside: &[BlockId],
    moved_from: u32,
    context: &Context<'_>,
) {
    if !context.function.features.copies_implicit_end {
        return;
    }
    let returned = |exit: &Exit| {
        let (block, at) = skip_jumps(graph, exit.behind?.0);
        let found = &graph.blocks[block];
        let is_none = match &found.steps[at..] {
            [Step { kind: StepKind::Op(op), .. }] => returns_none(&[*op], context.code),
            _ => false,
        };
        let is_return = !exit.returns && is_none && found.end == Terminator::Return;
        is_return.then_some((graph.blocks[exit.to].start, found.end_offset))
    };
    let mut found: Vec<(u32, u32)> = exits.iter().filter_map(returned).collect();
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        return;
    }
    let Some(last) = last_in_order(graph, exits.iter().map(|exit| exit.to), moved_from) else { return };
    let last = graph.blocks[last].start;
    let is_behind = |&block: &BlockId| (last..moved_from).contains(&graph.blocks[block].start);
    let falls_off = !inside.iter().any(is_behind);
    // What falls off the end returns, too: else a `break` may lead to the end of the function.
    if found.iter().any(|&(start, _)| start == last) {
        let written = found.iter().filter(|&&(start, _)| start != last || !falls_off);
        graph.written_returns.extend(written.map(|&(_, offset)| offset));
    }
}

/// Lets what leads to blocks that have moved lead to what stands for them.
fn retarget(graph: &mut Graph, moved: &Moved) {
    if moved.ends.is_empty() && moved.ways.is_empty() {
        return;
    }
    for block in graph.blocks.iter_mut() {
        block.end.retarget(|to| moved.ends.get(&to).copied().unwrap_or(to));
    }
    let behind = |block: BlockId| {
        let block = stands_for(&moved.ways, block);
        moved.ends.get(&block).copied().unwrap_or(block)
    };
    for region in &mut graph.regions {
        region.retarget(behind);
    }
}

/// A new block without steps, which stands where another one does.
fn push(graph: &mut Graph, at: BlockId, region: Option<RegionId>, end: Terminator) -> BlockId {
    let offset = graph.blocks[at].start;
    graph.blocks.push(Block::empty(offset, end, region));
    graph.blocks.len() - 1
}

/// A copy of the rest of a block, whose first steps belong to a copy that is about to vanish.
fn split(graph: &mut Graph, block: BlockId, at: usize) -> BlockId {
    let mut rest = graph.blocks[block].clone();
    rest.steps.drain(..at);
    rest.start = rest.steps.first().map_or(rest.end_offset, |step| step.offset);
    graph.blocks.push(rest);
    graph.blocks.len() - 1
}
