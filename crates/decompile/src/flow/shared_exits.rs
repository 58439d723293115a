//! Pass: the copies of one `return` or `raise` are one block again.
//!
//! The compiler copies a short exit to every jump that leads to it, and gives a copy of the implicit
//! `return None` the line of its jump (CPython `Python/flowgraph.c`, `inline_small_or_no_lineno_blocks`,
//! `duplicate_exits_without_lineno`). As they stand, the copies would make an `else` or a `return` of what
//! simply follows a statement. The line tells which are copies: that of the statement, or that of the jump.
//!
//! Needs: `with`, `finally` and `match` are found, whose copies are more than an exit. Establishes: no
//! two exits do the same for the same line under the same handler, and a `break` that one was copied to is a written
//! jump ([`Block::written`]); the implicit `return None` is [`Graph::end`], and
//! every other one was written.
//! Without a line table, and in a lambda, nothing changes.
//!
//! Example: `if a: x(); return b`, `else: y(); return b` on one line go to one block that returns `b`.

use std::cell::{Cell, LazyCell};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Index;

use crate::hash::{HashMap, HashSet, RandomState};

use depyf_bytecode::{CodeObject, CommonConst, Const, Function, Instruction, Op, stack_effect};

use super::breaks_at_the_end::{breaks_at_the_end, ends_break, note_breaks_at_the_end};
use super::chains::keeps_operand;
use super::copied_drops::copies_of_drops;
use super::copied_tails::join_copies_in_front;
use super::handling::Handling;
use super::places::{
    continues, instruction_at, instructions_before, is_same_place, is_word_of_break, line_of, original_first,
};
use super::written_ends::return_through_with;
use super::written_jumps::may_be_word;
use super::{Block, BlockId, BlockSet, Graph, Lists, RegionId, RegionKind, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn join_shared_exits(graph: &mut Graph, code: &CodeObject, function: &Function) {
    // A lambda is one expression: each of its ends is an operand of that.
    let is_lambda = code.name == "<lambda>";
    let has_lines = || function.instructions.iter().any(|instruction| instruction.line.is_some());
    if !function.features.copies_implicit_end || is_lambda || !has_lines() {
        return;
    }
    graph.contents.note_written_returns();
    let statements: Vec<Option<LastStatement>> =
        graph.blocks.iter().map(|block| last_statement(block, function)).collect();
    let candidates = candidates(graph, &statements, code);
    let order = graph.reverse_postorder();
    if candidates.is_empty() {
        join_drops(graph, &order, function);
        return;
    }
    let found = copies_of_exits(graph, &order, &statements, &candidates, (code, function));
    let found = by_height(graph, found, function);
    let handlers = graph.handler_heads();
    let moved = graph.moved_from(&function.features);
    let mut joined: HashMap<BlockId, BlockId> = HashMap::default();
    for (exit, copies) in found {
        let is_end = exit.returns_none && exit.line.is_none() && exit.region.is_none();
        if !is_end && (copies.len() < 2 || !function.features.copies_ends) {
            continue;
        }
        let offset = |copy: &Copy| graph.blocks[copy.block].steps[copy.from].offset;
        let original = copies.iter().min_by_key(|copy| original_first(offset(copy), moved));
        let Some(original) = original else { continue };
        let shared = add_shared(graph, &exit, original);
        if is_end {
            graph.end = Some(shared);
        }
        // A `break` that the exit was copied to stands once, too.
        let mut breaks: HashMap<u32, BlockId> = HashMap::default();
        for copy in copies {
            let to = match copy.written {
                Some((offset, line)) => {
                    *breaks.entry(line).or_insert_with(|| add_break(graph, offset, shared, exit.region))
                }
                None => shared,
            };
            lead_to(graph, &copy, to, shared);
            let block = &mut graph.blocks[copy.block];
            if exit.returns_none && ends_break(block.steps.last(), block.end_offset, function) {
                block.written = block.steps.last().map(|drop| drop.offset);
            }
            if copy.from == 0 && copy.block != 0 && !handlers.contains(copy.block) {
                joined.insert(copy.block, to);
            }
        }
    }
    retarget(graph, &joined);
    note_breaks_at_the_end(graph, function);
    join_drops(graph, &order, function);
}

/// Joins the copies of what only drops values, and of the statements in front of them.
fn join_drops(graph: &mut Graph, order: &[BlockId], function: &Function) {
    let dropping = copies_of_drops(graph, order, function);
    if dropping.is_empty() {
        return;
    }
    retarget(graph, &dropping);
    let mut kept: Vec<BlockId> = dropping.into_values().collect();
    kept.sort_unstable();
    kept.dedup();
    join_copies_in_front(graph, kept, function);
}

/// Adds a block that is nothing but a `break`, of which an instruction is left.
pub(super) fn add_break(graph: &mut Graph, offset: u32, to: BlockId, region: Option<RegionId>) -> BlockId {
    let empty = Block::empty(offset, Terminator::Jump(to), region);
    graph.blocks.push(Block { written: Some(offset), ..empty });
    graph.blocks.len() - 1
}

/// All that may be copies, by the exit that they would be copies of.
fn copies_of_exits(
    graph: &Graph,
    order: &[BlockId],
    statements: &[Option<LastStatement>],
    candidates: &BlockSet,
    (code, function): (&CodeObject, &Function),
) -> Vec<(Exit, Vec<Copy>)> {
    // These are seldom asked for.
    let predecessors = LazyCell::new(|| graph.predecessors());
    let place = |drop: &Instruction| Some((drop.line?, drop.column));
    // What lies in the same place may be a copy.
    let breaks = LazyCell::new(|| breaks_at_the_end(function).filter_map(place).collect());
    let tries = LazyCell::new(|| Tries::of(graph));
    let mut found: Vec<(Exit, Vec<Copy>)> = Vec::new();
    let mut places: HashMap<Key, usize> = HashMap::default();
    for &id in order {
        let Some(statement) = statements[id].filter(|_| candidates.contains(id)) else { continue };
        let (from, _) = statement;
        let key = exit(graph, id, statement, || &predecessors, || &breaks, || &tries, (code, function));
        let Some(key) = key else { continue };
        let (operations, end, region, line) = &key;
        let returns_none = matches!(end, Terminator::Return) && returns_none(operations, code);
        let exit = Exit { end: *end, region: *region, line: *line, returns_none };
        let place = *places.entry(key).or_insert_with(|| {
            found.push((exit, Vec::new()));
            found.len() - 1
        });
        let written = written_break(graph, id, from, || &**predecessors, function);
        found[place].1.push(Copy { block: id, from, written });
    }
    found
}

/// Lets a copy of an exit lead to a block, in place of its own steps, which those of `shared` stand for.
fn lead_to(graph: &mut Graph, &Copy { block, from, .. }: &Copy, to: BlockId, shared: BlockId) {
    let (own, kept) = (&graph.blocks[block], &graph.blocks[shared]);
    graph.copies.note_steps(&own.steps[from..], &kept.steps);
    graph.copies.note(own.end_offset, kept.end_offset);
    let block = &mut graph.blocks[block];
    block.end_offset = block.steps[from..].first().map_or(block.end_offset, |step| step.offset);
    block.steps.truncate(from);
    block.end = Terminator::Jump(to);
}

/// Adds the block that copies of an exit lead to, which has the steps of the original.
fn add_shared(graph: &mut Graph, exit: &Exit, original: &Copy) -> BlockId {
    let Block { steps, end_offset, .. } = &graph.blocks[original.block];
    let (steps, end_offset) = (steps[original.from..].to_vec(), *end_offset);
    let empty = Block::empty(steps[0].offset, exit.end, exit.region);
    graph.blocks.push(Block { steps, end_offset, ..empty });
    graph.blocks.len() - 1
}

/// The same exits, where those that raise at one place do so with as much on the stack: on one line, what is raised in a loop
/// and what is raised behind it look alike. (A `return` drops what is on the stack first.)
fn by_height(graph: &Graph, found: Vec<(Exit, Vec<Copy>)>, function: &Function) -> Vec<(Exit, Vec<Copy>)> {
    let may_differ =
        |(exit, copies): &(Exit, Vec<Copy>)| matches!(exit.end, Terminator::Raise(_)) && copies.len() > 1;
    if !found.iter().any(may_differ) {
        return found;
    }
    let handling = Handling::of(graph, &function.features);
    let mut parted = Vec::with_capacity(found.len());
    for found in found {
        if !may_differ(&found) {
            parted.push(found);
            continue;
        }
        let (exit, copies) = found;
        let mut by_height: BTreeMap<Option<i64>, Vec<Copy>> = BTreeMap::new();
        for copy in copies {
            let Block { steps, .. } = &graph.blocks[copy.block];
            let effect = |step: &Step| handling.effect(step, &function.features);
            let height = handling.height(copy.block);
            let height = height.map(|height| height + steps[..copy.from].iter().map(effect).sum::<i64>());
            by_height.entry(height).or_default().push(copy);
        }
        parted.extend(by_height.into_values().map(|copies| (exit, copies)));
    }
    parted
}

/// What stands for a block in the end, where what it has moved may have moved another one. No pass means to make a circle;
/// one that did would give a wrong graph, which the verifier sees, and not hang.
pub(super) fn stands_for(moved: &HashMap<BlockId, BlockId>, block: BlockId) -> BlockId {
    let chain = std::iter::successors(Some(block), |at| moved.get(at).copied());
    chain.take(moved.len() + 1).last().unwrap_or(block)
}

/// Lets all that leads to a block lead to what stands for it in the end.
pub(super) fn retarget_to_ends(graph: &mut Graph, moved: &HashMap<BlockId, BlockId>) {
    let ends = moved.keys().map(|&block| (block, stands_for(moved, block))).collect();
    retarget(graph, &ends);
}

/// Lets all that leads to a block lead to another.
pub(super) fn retarget(graph: &mut Graph, joined: &HashMap<BlockId, BlockId>) {
    if joined.is_empty() {
        return;
    }
    let moved = |to: BlockId| joined.get(&to).copied().unwrap_or(to);
    for block in graph.blocks.iter_mut() {
        block.end.retarget(moved);
    }
    for region in &mut graph.regions {
        region.behind.retarget(moved);
        if let RegionKind::TryStar { follow: to } | RegionKind::With { swallowed: to } = &mut region.kind {
            *to = moved(*to);
        }
    }
}

/// An exit that may be a copy.
struct Copy {
    block: BlockId,
    /// The step that it starts with.
    from: usize,
    /// What is left of a `break` in front of it, see [`written_break`].
    written: Option<(u32, u32)>,
}

/// The instruction without effect that is left of a `break` in front of the copy of an exit, which starts at a step: its
/// offset and its line, which neither the exit nor what lies before has. What ends the body of a `try` leaves one too; it
/// has the place of what leads there.
pub(super) fn written_break<'a, P: Index<BlockId, Output = [BlockId]> + 'a>(
    graph: &Graph,
    id: BlockId,
    from: usize,
    predecessors: impl FnOnce() -> &'a P,
    function: &Function,
) -> Option<(u32, u32)> {
    let block = &graph.blocks[id];
    let at = instructions_before(function, block.steps.get(from)?.offset);
    let (own, before) = (function.instructions.get(at)?, function.instructions.get(at.checked_sub(1)?)?);
    let line = before.line.filter(|_| before.op == Op::Nop && before.line != own.line)?;
    is_word_in_front(graph, (id, from), (before, own), predecessors(), function)
        .then_some((before.offset, line))
}

/// Whether an instruction in front of the first one of an exit, which does nothing, is what is left of a word.
fn is_word_in_front(
    graph: &Graph,
    (id, from): (BlockId, usize),
    (before, own): (&Instruction, &Instruction),
    predecessors: &impl Index<BlockId, Output = [BlockId]>,
    function: &Function,
) -> bool {
    let is_kept = |drop: BlockId| {
        let keeps = |&test: &BlockId| matches!(graph.blocks[test].end, Terminator::OrPop { keep, .. } if keep == drop);
        predecessors[drop].iter().all(keeps)
    };
    // The exit may have been cut off from the drop of an operand that a short circuit or a chain of comparisons kept.
    let mut ends = None;
    let id = match predecessors[id][..] {
        [drop] if from == 0 && graph.blocks[drop].end == Terminator::Jump(id) => {
            ends = ends_of_chain(graph, drop, predecessors);
            if ends.is_some() || is_kept(drop) { drop } else { id }
        }
        _ => id,
    };
    let start = graph.blocks[id].leading.unwrap_or(graph.blocks[id].start);
    if !(start..own.offset).contains(&before.offset) {
        return false;
    }
    // Where a chain is false at its end, the same word is in front of the exit.
    let has_word = |&end: &BlockId| {
        let written = written_break(graph, end, 0, || predecessors, function);
        written.is_some_and(|(_, line)| Some(line) == before.line)
    };
    if ends.is_some_and(|ends| !ends.iter().any(has_word)) {
        return false;
    }
    // An asynchronous loop ends in several places, all on its line.
    let leads_on = |&block: &BlockId| {
        let found = &graph.blocks[block];
        let is_loop = matches!(found.end, Terminator::AsyncFor { .. });
        let last = instruction_at(function, found.end_offset);
        last.is_some_and(|last| is_same_place(last, before) || is_loop && last.line == before.line)
    };
    !predecessors[id].iter().any(leads_on) && !is_last_case(graph, id, predecessors)
}

/// Where a chain of comparisons leads at its end, if a block drops the operand that each of its links keeps.
fn ends_of_chain(
    graph: &Graph,
    drop: BlockId,
    predecessors: &impl Index<BlockId, Output = [BlockId]>,
) -> Option<[BlockId; 2]> {
    let next = |link: BlockId| match graph.blocks[link].end {
        Terminator::Branch { yes, no } if no == drop && keeps_operand(&graph.blocks[link].steps) => Some(yes),
        _ => None,
    };
    let links = &predecessors[drop];
    let behind = links.iter().map(|&link| next(link)).collect::<Option<Vec<BlockId>>>()?;
    let last = behind.into_iter().find(|block| !links.contains(block))?;
    match graph.blocks[last].end {
        Terminator::Branch { yes, no } if no != drop => Some([yes, no]),
        _ => None,
    }
}

/// The same of a block, where what is left is as wide as a word, as far as is known: a `pass` leaves one, too.
pub(super) fn written_word<'a>(
    graph: &Graph,
    id: BlockId,
    predecessors: impl FnOnce() -> &'a Lists,
    function: &Function,
) -> Option<(u32, u32)> {
    let is_word = |&(offset, _): &(u32, u32)| instruction_at(function, offset).is_some_and(may_be_word);
    written_break(graph, id, 0, predecessors, function).filter(is_word)
}

/// Whether a block is the body of `case _`, which leaves an instruction, too: what fails to match leads there, and nothing
/// that was done.
fn is_last_case(graph: &Graph, id: BlockId, predecessors: &impl Index<BlockId, Output = [BlockId]>) -> bool {
    let fails = |&before: &BlockId| match graph.blocks[before].end {
        Terminator::Case { no, .. } => no == Some(id),
        _ => false,
    };
    let tests = |&before: &BlockId| {
        matches!(graph.blocks[before].end, Terminator::Case { .. } | Terminator::Branch { .. })
    };
    predecessors[id].iter().any(fails) && predecessors[id].iter().all(tests)
}

/// The exits that look as if another one were a copy of them, and those that may be the implicit end. Mostly there are
/// none, which takes no way through the graph to see.
fn candidates(graph: &Graph, statements: &[Option<LastStatement>], code: &CodeObject) -> BlockSet {
    let mut found = BlockSet::default();
    // By their lines and lengths, so that the operations of hardly any are looked at.
    let mut exits: Vec<(Option<u32>, usize, Option<RegionId>, BlockId)> = Vec::new();
    for (id, (block, statement)) in graph.blocks.iter().zip(statements).enumerate() {
        let &Some((from, line)) = statement else { continue };
        match block.steps[from..] {
            [Step { kind: StepKind::Op(op), .. }] if returns_none(&[op], code) => found.insert(id),
            ref steps => exits.push((line, steps.len(), block.region, id)),
        }
    }
    exits.sort_unstable();
    let state = RandomState::default();
    for alike in exits.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)).filter(|alike| alike.len() > 1) {
        let print = |&(_, length, _, id): &(_, usize, _, BlockId)| {
            let Block { steps, end, .. } = &graph.blocks[id];
            let mut hasher = state.build_hasher();
            operations(&steps[steps.len() - length..]).for_each(|op| op.hash(&mut hasher));
            end.hash(&mut hasher);
            (hasher.finish(), id)
        };
        let mut prints: Vec<(u64, BlockId)> = alike.iter().map(print).collect();
        prints.sort_unstable();
        let copies = prints.chunk_by(|a, b| a.0 == b.0).filter(|copies| copies.len() > 1);
        found.extend(copies.flatten().map(|&(_, id)| id));
    }
    found
}

/// What is asked of an exit that may have copies.
#[derive(Clone, Copy)]
struct Exit {
    end: Terminator,
    region: Option<RegionId>,
    line: Option<u32>,
    returns_none: bool,
}

/// What copies of an exit agree in; the implicit `return None` has no line.
type Key = (Vec<Op>, Terminator, Option<RegionId>, Option<u32>);

/// What copies of the exit agree in that a block ends with.
fn exit<'a>(
    graph: &Graph,
    id: BlockId,
    (from, own): LastStatement,
    predecessors: impl Fn() -> &'a Lists,
    breaks: impl Fn() -> &'a HashSet<(u32, Option<u32>)>,
    tries: impl Fn() -> &'a Tries,
    (code, function): (&CodeObject, &Function),
) -> Option<Key> {
    let block = &graph.blocks[id];
    if graph.written_returns.contains(&block.end_offset) {
        return None;
    }
    let operations: Vec<Op> = operations(&block.steps[from..]).collect();
    let is_implicit = || {
        let first = instructions_before(function, block.steps[from].offset);
        let continues = continues(graph, &predecessors, function, id, first);
        if continues == Some(false)
            || from == 0 && predecessors()[id].iter().any(|&before| falls_into(graph, before, id, function))
        {
            return false;
        }
        // At the start of a handler nothing tells; an end that was not written takes no more room there. But what falls
        // through a handler in a loop goes on with that.
        continues.unwrap_or_else(|| {
            is_word_of_break(block.end_offset, function)
                || !handles_in_a_loop(graph, predecessors(), id, tries())
        })
    };
    let is_none = returns_none(&operations, code);
    // What dropped the iterator may be a block by itself.
    let is_behind_break = || match predecessors()[id][..] {
        [before] if from == 0 => {
            let before = &graph.blocks[before];
            before.written.is_some() && ends_break(before.steps.last(), block.end_offset, function)
        }
        _ => false,
    };
    let is_break = || {
        let Some(last) = instruction_at(function, block.end_offset) else { return false };
        let drop = from.checked_sub(1).and_then(|before| block.steps.get(before));
        ends_break(drop, block.end_offset, function)
            || is_behind_break()
            || last.line.is_some_and(|line| breaks().contains(&(line, last.column)))
    };
    let written =
        if is_none && from == 0 { return_through_with(graph, id, predecessors(), function) } else { None };
    let is_end = is_none && written.is_none() && (own.is_none() || is_implicit() || is_break());
    let line = if is_end { None } else { Some(written.or(own)?) };
    Some((operations, block.end, block.region, line))
}

/// The regions of a function, by what is asked of them.
struct Tries {
    /// The first region that each block handles.
    handled: HashMap<BlockId, RegionId>,
    /// The blocks of each region.
    members: Lists,
    /// Where each block stands in reverse postorder.
    places: Vec<usize>,
    /// See [`components`].
    components: Vec<Option<BlockId>>,
    /// Real code asks for few handlers; damaged code must not take quadratic time.
    budget: Cell<usize>,
}

impl Tries {
    fn of(graph: &Graph) -> Self {
        let mut handled = HashMap::default();
        for (region, protection) in graph.regions.iter().enumerate() {
            handled.entry(protection.handler).or_insert(region);
        }
        let blocks = || graph.blocks.iter().enumerate();
        let members =
            Lists::of(graph.regions.len(), || blocks().filter_map(|(id, block)| Some((block.region?, id))));
        let mut places = vec![usize::MAX; graph.blocks.len()];
        graph.reverse_postorder().iter().enumerate().for_each(|(at, &block)| places[block] = at);
        let components = components(graph);
        Self { handled, members, places, components, budget: Cell::new(64 * graph.blocks.len()) }
    }
}

/// Whether a block ends a handler, with nothing but jumps behind its test, of a `try` that stands in a loop, or whose body
/// holds a statement with a handler of its own: a way leads from its body out and in again.
fn handles_in_a_loop(graph: &Graph, predecessors: &Lists, id: BlockId, tries: &Tries) -> bool {
    let budget = &tries.budget;
    let mut at = id;
    let region = loop {
        if let Some(&region) = tries.handled.get(&at) {
            break region;
        }
        match &predecessors[at] {
            [before] if budget.get() > 0 => at = *before,
            _ => return false,
        }
        budget.set(budget.get() - 1);
    };
    let Tries { members, places, components, .. } = tries;
    let members = &members[region];
    let is_outside = |&block: &BlockId| graph.blocks[block].region != Some(region);
    let goes_round = |&block: &BlockId| {
        let mut outside = graph.blocks[block].end.successors().filter(is_outside);
        components[block].is_some_and(|own| outside.any(|next| components[next] == Some(own)))
    };
    // What leads on into a region, from behind its first block, comes from a statement in the body.
    let first = members.iter().map(|&block| places[block]).min().unwrap_or(usize::MAX);
    let goes_on = |&block: &BlockId| {
        let mut outside = predecessors[block].iter().filter(|before| is_outside(before));
        first < places[block] && outside.any(|&before| first < places[before])
    };
    members.iter().any(|block| goes_round(block) || goes_on(block))
}

/// The strongly connected component of each block that is reached, exceptions included, by one of its blocks (Kosaraju and
/// Sharir).
fn components(graph: &Graph) -> Vec<Option<BlockId>> {
    let before = graph.all_predecessors();
    let mut found = vec![None; graph.blocks.len()];
    let mut work = Vec::new();
    for &first in graph.reverse_postorder().iter() {
        work.push(first);
        while let Some(block) = work.pop() {
            if found[block].is_none() {
                found[block] = Some(first);
                work.extend_from_slice(&before[block]);
            }
        }
    }
    found
}

/// The step at which a statement starts with which a block leaves the function, and its line.
type LastStatement = (usize, Option<u32>);

/// The statement with which a block leaves the function.
fn last_statement(block: &Block, function: &Function) -> Option<LastStatement> {
    let mut missing = match block.end {
        Terminator::Return => 1,
        Terminator::Raise(count) if count > 0 => i64::from(count),
        _ => return None,
    };
    let line = |step: &Step| line_of(function, step.offset);
    let own = line(block.steps.last()?);
    // From the end on: the steps of one line, as far as they take nothing that was there before.
    let mut from = None;
    for (at, step) in block.steps.iter().enumerate().rev() {
        let StepKind::Op(op) = step.kind else { break };
        if line(step) != own {
            break;
        }
        missing -= stack_effect(op, false, &function.features);
        if missing < 0 {
            break;
        }
        // Nothing is missing before this step: here a statement starts.
        if missing == 0 && starts_statement(op) {
            from = Some(at);
            break;
        }
    }
    Some((from?, own))
}

/// The operations of steps that are nothing else.
fn operations(steps: &[Step]) -> impl Iterator<Item = Op> {
    steps.iter().filter_map(Step::op)
}

/// Whether a test has the block right behind it, and only lines are known: what stands on the line of its test is its
/// body.
fn falls_into(graph: &Graph, test: BlockId, block: BlockId, function: &Function) -> bool {
    let has_column =
        instruction_at(function, graph.blocks[test].end_offset).is_some_and(|found| found.column.is_some());
    match (graph.blocks[test].end, graph.blocks[test].layout.falls) {
        (Terminator::Branch { yes, no }, Some(truth)) if !has_column => {
            let (next, other) = if truth { (yes, no) } else { (no, yes) };
            // The test at the end of a loop jumps back.
            block == next && graph.blocks[other].start > graph.blocks[test].start
        }
        _ => false,
    }
}

/// Whether the operation needs nothing from the stack.
fn starts_statement(op: Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::SmallInt(_)
            | Op::Common(_)
            | Op::PushNull
            | Op::LoadLocal(_)
            | Op::LoadDeref(_)
            | Op::LoadGlobal(_)
            | Op::LoadName(_)
            | Op::BuildTuple(0)
            | Op::BuildList(0)
            | Op::BuildMap(0)
    )
}

/// Whether the operations only load None.
pub(crate) fn returns_none(operations: &[Op], code: &CodeObject) -> bool {
    match operations {
        [Op::Common(CommonConst::None)] => true,
        [Op::Const(constant)] => code.consts.get(*constant as usize) == Some(&Const::None),
        _ => false,
    }
}
