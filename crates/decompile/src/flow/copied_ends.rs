//! Pass: copies of the end of a function become one where a statement is left.
//!
//! The compiler copies a short end (`return a.h()`) to every jump that leads to it
//! (`Python/flowgraph.c`, `inline_small_or_no_lineno_blocks`), also to those that leave a `try`, a `with`, a
//! handler or a `for`. Only what all ways out of a statement share is found to stand behind it.
//!
//! Needs: `erase_cleanup_regions`. Establishes: of the blocks that end the function in the same way, on the same
//! line, under the same handlers, and that a way out of a statement leads to, one is left.
//!
//! Example: `region: x -> a; a: c, Return; handler: POP_EXCEPT -> b; b: c, Return` has both lead to `a`.

use std::cell::LazyCell;
use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use depyf_bytecode::{Features, Function, Op, flags, stack_effect};

use super::copied_captures::join_copied_captures;
use super::copied_tails::{Cut, cut, cut_copied_definitions, cut_equal_tails, join_copies_in_front};
use super::finally_places::behind_jumps;
use super::handling::Handling;
use super::places::{instruction_at, is_word_of_break, line_of, original_first};
use super::same_ends::MOST_NESTED;
use super::shared_exits::{add_break, written_word};
use super::shared_tails::is_short;
use super::written_ends::{
    begins_with_word, behind_dropped_iterator, behind_drops, is_behind_return_in_loop,
    is_behind_written_return, leading_pops,
};
use super::written_jumps::is_break_behind;
use super::{
    Block, BlockId, BlockSet, Contents, Graph, Lists, RegionId, Step, StepKind, Terminator, returns_none,
};
use crate::hash::{HashMap, HashSet, RandomState};
use crate::lift::Context;

/// See the module.
pub(crate) fn join_copied_ends(graph: &mut Graph, context: &Context<'_>) {
    if !context.function.features.copies_ends {
        return;
    }
    if graph.contents.meets(Contents::POPS) {
        join_copied_captures(graph, context.function);
    }
    let body_end = body_end(graph, context);
    let moved = return_where_computed(graph, body_end, &context.function.features);
    if !moved.is_empty() {
        graph.contents.add(Contents::MOVED_ENDS);
    }
    join_equal_ends(graph, body_end, context);
    if moved.is_empty() {
        return;
    }
    // The ways to a `finally` body end in front of the `return`.
    for (id, block) in
        graph.blocks.iter_mut().enumerate().filter(|(_, block)| block.end == Terminator::Return)
    {
        if let Some(&Moved { to, offset, steps }) =
            moved.get(&block.end_offset).filter(|moved| moved.to != id)
        {
            block.steps.truncate(block.steps.len() - steps);
            block.end = Terminator::Jump(to);
            block.end_offset = offset;
        }
    }
}

/// The same, of ends that are one block each.
fn join_equal_ends(graph: &mut Graph, body_end: Option<BlockId>, context: &Context<'_>) {
    let features = &context.function.features;
    if graph.contents.meets(Contents::POPS) {
        cut_behind_pops(graph, body_end, context);
    }
    let may_be_copied = share_a_line(graph, body_end, context.function);
    // What is copied as a whole is one end before what it ends with is looked at: that may have copies of its own.
    if may_be_copied && cut_copied_tails(graph, body_end, context.function, Cut::Others) {
        join_whole_ends(graph, body_end, context);
        cut_copied_tails(graph, body_end, context.function, Cut::All);
    }
    if graph.contents.meets(Contents::NESTED_CODE) {
        let is_end = |steps: &[Step], end| stands_alone(steps, end, body_end, features);
        let ends: Vec<BlockId> = (0..graph.blocks.len())
            .filter(|&block| taken(graph.blocks[block].end, body_end).is_some())
            .collect();
        if ends.len() > 1 {
            cut_copied_definitions(graph, &ends, is_end, context.function);
        }
    }
    if may_be_copied {
        join_whole_ends(graph, body_end, context);
    }
}

/// Whether the function ends in two blocks on one line. Else no end has a copy.
fn share_a_line(graph: &Graph, body_end: Option<BlockId>, function: &Function) -> bool {
    let ends = graph.blocks.iter().filter(|block| taken(block.end, body_end).is_some());
    let mut lines: Vec<Option<u32>> = ends.map(|block| line_of(function, block.end_offset)).collect();
    lines.sort_unstable();
    lines.windows(2).any(|pair| pair[0] == pair[1])
}

/// The same, of ends that nothing falls into any more.
fn join_whole_ends(graph: &mut Graph, body_end: Option<BlockId>, context: &Context<'_>) {
    let features = &context.function.features;
    if !may_have_copies(graph, body_end, context.function) {
        return;
    }
    if !graph.regions.is_empty() {
        graph.contents.add(Contents::MOVED_ENDS);
    }
    let handling = Handling::of(graph, features);
    let order = graph.reverse_postorder();
    let has_pops = graph.blocks.iter().any(|block| block.pops_block);
    // How high the stack is with the iterators of loops.
    let iterators: LazyCell<HashSet<i64>, _> = LazyCell::new(|| {
        let bodies = graph.blocks.iter().filter_map(|block| match block.end {
            Terminator::ForIter { body, .. } => handling.height(body),
            _ => None,
        });
        // The item lies above.
        bodies.map(|height| height - 1).collect()
    });
    let mut groups: HashMap<Vec<Op>, Vec<BlockId>> = HashMap::default();
    let mut ends: Vec<Vec<Op>> = Vec::new();
    for &block in order.iter() {
        let Some(ops) = end_operations(graph, block, body_end, features) else { continue };
        let is_written = has_pops && is_behind_written_return(graph, block, context.function)
            || begins_with_word(&graph.blocks[block], context.function)
            || is_behind_return_in_loop(graph, block, context.function)
                && handling.height(block).is_some_and(|height| iterators.contains(&(height + 1)));
        if is_written || !may_be_copied(&graph.blocks[block], context.function) {
            continue;
        }
        let group = groups.entry(ops.clone()).or_default();
        if group.is_empty() {
            ends.push(ops);
        }
        group.push(block);
    }
    let moved = graph.moved_from(features);
    // Where each end goes: to the first of those that are equal to it.
    let mut first: HashMap<BlockId, BlockId> = HashMap::default();
    for ops in &ends {
        let mut known: HashMap<_, BlockId> = HashMap::default();
        let mut copies = groups[ops].clone();
        copies.sort_by_key(|&block| original_first(graph.blocks[block].start, moved));
        for block in copies {
            // Copies have the line of the statement; equal statements on other lines are no copies.
            let end = (
                graph.blocks[block].region,
                handling.at(block),
                handling.height(block),
                ending(graph.blocks[block].end),
                line_of(context.function, graph.blocks[block].end_offset),
                graph.blocks[block].steps.first().and_then(|step| line_of(context.function, step.offset)),
            );
            first.insert(block, *known.entry(end).or_insert(block));
        }
    }
    let mut shared: Vec<BlockId> = Vec::new();
    for &block in order.iter() {
        for next in graph.blocks[block].end.successors() {
            // What is left of a `finally` body only leads on.
            let (next, _) = behind_jumps(graph, (next, 0), |_| true);
            if let Some(&target) = first.get(&next)
                && (leaves(graph, &handling, block, next) || defines(&graph.blocks[next].steps))
                && !shared.contains(&target)
            {
                shared.push(target);
            }
        }
    }
    let target =
        |next: BlockId| first.get(&next).copied().filter(|target| shared.contains(target)).unwrap_or(next);
    // Those that no other end is a copy of keep what leads to them.
    let mut joined = BlockSet::default();
    for &copy in order.iter() {
        let kept = target(copy);
        if copy != kept {
            graph.copies.note_steps(&graph.blocks[copy].steps, &graph.blocks[kept].steps);
            graph.copies.note(graph.blocks[copy].end_offset, graph.blocks[kept].end_offset);
            joined.insert(kept);
        }
    }
    let kept: Vec<BlockId> = order.iter().copied().filter(|&block| joined.contains(block)).collect();
    let joined: Vec<BlockId> =
        order.iter().copied().filter(|&block| joined.contains(target(block))).collect();
    let breaks = breaks_to(graph, &joined, target, context.function);
    let target = |next: BlockId| breaks.get(&next).copied().unwrap_or_else(|| target(next));
    for &block in order.iter() {
        graph.blocks[block].end.retarget(target);
    }
    for region in &mut graph.regions {
        region.retarget(target);
    }
    join_copies_in_front(graph, kept, context.function);
}

/// Adds a block for each `break` that an end was copied to; by the copy. `target` is where the copies of an end lead.
fn breaks_to(
    graph: &mut Graph,
    copies: &[BlockId],
    target: impl Fn(BlockId) -> BlockId,
    function: &Function,
) -> HashMap<BlockId, BlockId> {
    let mut breaks = HashMap::default();
    if copies.is_empty() {
        return breaks;
    }
    let mut known: HashMap<(BlockId, u32), BlockId> = HashMap::default();
    let predecessors = graph.predecessors();
    // Only its width tells a word from what is left of `case _`.
    let has_cases = graph.contents.meets(Contents::PATTERNS);
    let is_told =
        |offset: u32| !has_cases || instruction_at(function, offset).is_some_and(|nop| nop.width > 0);
    for &copy in copies {
        let word = written_word(graph, copy, || &predecessors, function);
        let Some((offset, line)) = word.filter(|&(offset, _)| is_told(offset)) else { continue };
        let kept = target(copy);
        // It is where all that leads to it is: in the `try` that it leaves.
        let mut regions = predecessors[copy].iter().map(|&before| graph.blocks[before].region);
        let around = regions.next().filter(|&first| regions.all(|other| other == first));
        let region = around.unwrap_or(graph.blocks[copy].region);
        let to = *known.entry((kept, line)).or_insert_with(|| add_break(graph, offset, kept, region));
        breaks.insert(copy, to);
    }
    breaks
}

/// Cuts what falls into the original of an end whose copy a way out of a statement leads to. Whether there are such ends
/// that are not cut.
fn cut_copied_tails(graph: &mut Graph, body_end: Option<BlockId>, function: &Function, which: Cut) -> bool {
    let features = &function.features;
    let is_end = |block: &Block| {
        !returns_constant(&block.steps, block.end)
            && stands_alone(&block.steps, block.end, body_end, features)
    };
    let mut ends: Vec<BlockId> = Vec::new();
    let mut seen = BlockSet::default();
    for block in graph.blocks.iter() {
        let drops = block.steps.last().is_some_and(Step::drops) || ends_handler(block);
        for next in block.end.successors() {
            let end = &graph.blocks[next];
            let leaves = drops || end.region != block.region;
            if leaves && taken(end.end, body_end).is_some() && !seen.put(next) && is_end(end) {
                ends.push(next);
            }
        }
    }
    let ending = |end| taken(end, body_end).map(|_| ending(end));
    !ends.is_empty() && cut_equal_tails(graph, &ends, ending, function, which)
}

/// Whether two blocks are the same end, wherever they stand. Nearly always none are, which is found out in no time.
fn may_have_copies(graph: &Graph, body_end: Option<BlockId>, function: &Function) -> bool {
    let ends =
        |block: &&Block| taken(block.end, body_end).is_some() && !returns_constant(&block.steps, block.end);
    // What is cheap to compare of two ends.
    let shape = |(id, block): (BlockId, &Block)| {
        (block.steps.len(), line_of(function, block.end_offset), block.region, id)
    };
    let found = graph.blocks.iter().enumerate().filter(|(_, block)| ends(block));
    let mut shapes: Vec<_> = found.map(shape).collect();
    shapes.sort_unstable();
    let is_like = |a: &Shape, b: &Shape| (a.0, a.1, a.2) == (b.0, b.1, b.2);
    let several = shapes.chunk_by(is_like).filter(|alike| alike.len() > 1);
    let state = RandomState::default();
    let print = |&(_, line, _, id): &Shape| {
        let block = &graph.blocks[id];
        let is_end = stands_alone(&block.steps, block.end, body_end, &function.features);
        is_end.then(|| (line, fingerprint(block, &state)))
    };
    let mut prints: Vec<(Option<u32>, u64)> = several.flatten().filter_map(print).collect();
    prints.sort_unstable();
    prints.windows(2).any(|pair| pair[0] == pair[1])
}

/// How many steps an end has, its line and its region, and which block it is.
type Shape = (usize, Option<u32>, Option<RegionId>, BlockId);

/// A number that copies of one end share, and hardly any others.
fn fingerprint(block: &Block, state: &RandomState) -> u64 {
    let mut hasher = state.build_hasher();
    for step in &block.steps {
        if let StepKind::Op(op) = step.kind {
            op.hash(&mut hasher);
        }
    }
    (block.region, ending(block.end)).hash(&mut hasher);
    hasher.finish()
}

/// The block in which a module or class body ends: the first that was made, before those of `finally` bodies.
pub(super) fn body_end(graph: &Graph, context: &Context<'_>) -> Option<BlockId> {
    let is_end = |block: &Block| block.end == Terminator::Done && block.steps.is_empty();
    let is_body = context.code.flags & flags::OPTIMIZED == 0;
    is_body.then(|| graph.blocks.iter().position(is_end)).flatten()
}

/// Ends a block behind what it drops first: the rest may be a copy. So does a `break`, which drops the iterator of its
/// loop, wherever it lies in a block; where its place tells that it is one, it is a block by itself.
fn cut_behind_pops(graph: &mut Graph, body_end: Option<BlockId>, context: &Context<'_>) {
    let function = context.function;
    let features = &function.features;
    let mut tested: Option<BlockSet> = None;
    let mut predecessors: Option<Rc<Lists>> = None;
    for block in 0..graph.blocks.len() {
        if taken(graph.blocks[block].end, body_end).is_none() {
            continue;
        }
        let found = &graph.blocks[block];
        let leading = leading_pops(&found.steps);
        let line = |at: usize| line_of(function, found.steps[at].offset);
        // A `return False` has the place of its constant, which is as wide.
        let returns_value = |at: usize| match &found.steps[at..] {
            [Step { kind: StepKind::Op(op), .. }] => op.is_constant() && !returns_none(&[*op], context.code),
            _ => false,
        };
        let is_word = |at: usize| {
            is_word_of_break(found.steps[at].offset, function)
                && !(returns_value(at + 1) && line(at) == line(at + 1))
        };
        let ends = |at: usize| {
            let (rest, end) = (&found.steps[at..], found.end);
            let returns = returns_constant(rest, end);
            // A `return` of a constant drops the iterator first, too, on its own line.
            stands_alone(rest, end, body_end, features)
                || returns && (at == leading || line(at - 1) != line(at) || is_word(at - 1))
        };
        // The body of a case may drop its subject first, and the iterator of the loop that it leaves later.
        let drops = [behind_dropped_iterator(&found.steps, features), leading];
        let Some(dropped) = drops.into_iter().find(|&dropped| dropped > 0 && ends(dropped)) else { continue };
        let drop = found.steps[dropped - 1].offset;
        // Where no columns tell, a `break` that several ways lead to does.
        let mut is_behind = || {
            let has_column = instruction_at(function, drop).is_some_and(|found| found.column.is_some());
            leading == 1 && !has_column && {
                // What is cut ends the function, and leads to no other end.
                let known = predecessors.get_or_insert_with(|| graph.predecessors());
                is_break_behind(graph, known, block, drop, function)
            }
        };
        let written = if is_word(dropped - 1) || is_behind() { Some(drop) } else { None };
        cut_off(graph, block, dropped);
        if dropped > leading && written.is_some() {
            let new = cut_off(graph, block, dropped - 1);
            graph.blocks[new].written = written;
        } else if written.is_some() && !tested.get_or_insert_with(|| behind_loops(graph)).contains(block) {
            graph.blocks[block].written = written;
        }
    }
}

/// The blocks that the tests of loops lead to: a `break` there may stand behind the loop.
fn behind_loops(graph: &Graph) -> BlockSet {
    let start = |block: BlockId| graph.blocks[block].start;
    let goes_back = |from: BlockId, to: BlockId| start(to) <= start(from);
    let mut heads = BlockSet::default();
    for (from, block) in graph.blocks.iter().enumerate() {
        heads.extend(block.end.successors().filter(|&to| goes_back(from, to)));
    }
    let mut found = BlockSet::default();
    for (test, block) in graph.blocks.iter().enumerate() {
        let is_test = !matches!(block.end, Terminator::Jump(_));
        if is_test && (heads.contains(test) || block.end.successors().any(|to| goes_back(test, to))) {
            found.extend(block.end.successors());
        }
    }
    found
}

/// Ends a block in front of a step, in the place of what it does last. Gives the block that begins there.
pub(super) fn cut_off(graph: &mut Graph, block: BlockId, at: usize) -> BlockId {
    let new = cut(graph, block, at);
    let found = &mut graph.blocks[block];
    found.end_offset = found.steps.last().map_or(found.end_offset, |step| step.offset);
    new
}

/// A `return` that stands at the end of another block than its own for a while.
struct Moved {
    /// Its own block.
    to: BlockId,
    /// The offset of what led there.
    offset: u32,
    /// How many steps load the constant that it returns.
    steps: usize,
}

/// Ends a block with the `return` that it alone leads to, of what it computes or of a constant: that cannot raise, so it
/// lies outside of the region, or behind the end of the handler, but is a part of what is copied. By the offset of the
/// `return`.
fn return_where_computed(
    graph: &mut Graph,
    body_end: Option<BlockId>,
    features: &Features,
) -> HashMap<u32, Moved> {
    if graph.regions.is_empty() {
        return HashMap::default();
    }
    let returned = |block: &Block| {
        if block.region.is_none() && !ends_handler(block) {
            return None;
        }
        let to = ways_to_return(graph, block).last()?;
        let next = &graph.blocks[to];
        let is_bare = next.steps.is_empty() || returns_constant(&next.steps, next.end);
        let returns = is_bare && next.end == Terminator::Return && next.region.is_none();
        returns.then_some((to, next.end_offset))
    };
    let mut found: Vec<(BlockId, BlockId, u32)> = (0..graph.blocks.len())
        .filter_map(|id| returned(&graph.blocks[id]).map(|(to, offset)| (to, id, offset)))
        .collect();
    if found.len() < 2 {
        return HashMap::default();
    }
    found.retain(|&(to, id, _)| {
        let (block, next) = (&graph.blocks[id], &graph.blocks[to]);
        let own = block.steps[behind_drops(&block.steps, features)..].iter().chain(&next.steps).cloned();
        stands_alone(&own.collect::<Vec<_>>(), Terminator::Return, body_end, features)
    });
    if found.len() < 2 {
        return HashMap::default();
    }
    let ways_in = graph.ways_in(0..graph.blocks.len());
    found.retain(|&(_, id, _)| ways_to_return(graph, &graph.blocks[id]).all(|next| ways_in[next] == 1));
    let mut moved = HashMap::default();
    for (to, id, offset) in found {
        let loads = graph.blocks[to].steps.clone();
        let block = &mut graph.blocks[id];
        moved.insert(offset, Moved { to, offset: block.end_offset, steps: loads.len() });
        block.steps.extend(loads);
        block.end = Terminator::Return;
        block.end_offset = offset;
    }
    moved
}

/// The block that one goes on with, and those behind it: where a `return` leaves several `try` statements, the end of each
/// body is a block that only leads on.
fn ways_to_return<'a>(graph: &'a Graph, block: &Block) -> impl Iterator<Item = BlockId> + 'a {
    let next = |block: &Block| match block.end {
        Terminator::Jump(to) => Some(to),
        _ => None,
    };
    let leads_on = |block: &Block| block.steps.is_empty() && block.region.is_some();
    let behind =
        move |&block: &BlockId| Some(&graph.blocks[block]).filter(|block| leads_on(block)).and_then(next);
    std::iter::successors(next(block), behind).take(MOST_NESTED)
}

/// Whether a way leads out of a statement: of a region, a handler, or a `for`, whose iterator it drops.
fn leaves(graph: &Graph, handling: &Handling, from: BlockId, to: BlockId) -> bool {
    graph.blocks[from].region != graph.blocks[to].region
        || handling.at(from) != handling.at(to)
        || graph.blocks[from].steps.last().is_some_and(Step::drops)
}

/// Whether a function is made: copies of its code are one definition, wherever they stand.
fn defines(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step.kind, StepKind::Op(Op::MakeFunction(_))))
}

/// The operations of a block that ends the function and takes nothing that lies on the stack.
fn end_operations(
    graph: &Graph,
    block: BlockId,
    body_end: Option<BlockId>,
    features: &Features,
) -> Option<Vec<Op>> {
    let found = &graph.blocks[block];
    if !stands_alone(&found.steps, found.end, body_end, features) {
        return None;
    }
    let steps = found.steps.iter();
    steps.map(|step| if let StepKind::Op(op) = step.kind { Some(op) } else { None }).collect()
}

/// Whether the compiler copies an end as it is: a short one, or one that has no line. To 3.10 that may begin with what ends
/// the body of a `try`, whatever follows.
fn may_be_copied(block: &Block, function: &Function) -> bool {
    function.features.copies_exits()
        || is_short(block.steps.iter().map(|step| step.offset).chain([block.end_offset]))
        || block.steps.first().is_none_or(|step| line_of(function, step.offset).is_none())
}

/// A key for the ends that are no way to another block.
fn ending(end: Terminator) -> (bool, u32) {
    match end {
        Terminator::Raise(operands) => (true, operands),
        Terminator::Reraise => (true, u32::MAX),
        _ => (false, 0),
    }
}

/// Whether a block only returns a constant; such a `return` may stand anywhere and needs no joining.
pub(super) fn returns_constant(steps: &[Step], end: Terminator) -> bool {
    matches!(steps, [step] if end == Terminator::Return && step.is_constant())
}

/// How many values the end of the function takes that a block ends with; none if the block goes on.
fn taken(end: Terminator, body_end: Option<BlockId>) -> Option<i64> {
    match end {
        Terminator::Return => Some(1),
        Terminator::Raise(operands) => Some(i64::from(operands)),
        // Behind the rest of a `finally` body.
        Terminator::Reraise => Some(0),
        Terminator::Jump(to) if Some(to) == body_end => Some(0),
        _ => None,
    }
}

/// Whether the function ends in the block, which does more than return a constant, and takes nothing from the
/// stack that it did not put there: on its way it may drop the iterators of loops that it leaves.
pub(super) fn stands_alone(
    steps: &[Step],
    end: Terminator,
    body_end: Option<BlockId>,
    features: &Features,
) -> bool {
    let Some(taken) = taken(end, body_end) else { return false };
    // Alone these end nothing that was written.
    let is_bare = steps.is_empty() && matches!(end, Terminator::Jump(_) | Terminator::Reraise);
    if is_bare || returns_constant(steps, end) {
        return false;
    }
    let mut height = 0;
    let mut rest = steps.iter();
    while let Some(step) = rest.next() {
        let StepKind::Op(op) = step.kind else { return false };
        if height == 1 && moves_below(op, rest.as_slice()) {
            rest.next();
            continue;
        }
        let needed = match op {
            Op::Copy(depth) | Op::Swap(depth) | Op::Rot(depth) => i64::from(depth),
            _ => 0,
        };
        let effect = stack_effect(op, false, features);
        height += effect;
        // What leaves a value took its operands from below it.
        let leaves_value = !matches!(op, Op::Pop) && effect <= 0 && !is_store(op);
        if height < needed || height < i64::from(leaves_value) {
            return false;
        }
    }
    height == taken
}

/// Whether an operation moves a value below what the next one drops: the iterator of a loop that a `return` leaves, or the
/// exception of a handler.
fn moves_below(op: Op, rest: &[Step]) -> bool {
    match rest.first().map(|step| &step.kind) {
        Some(StepKind::Op(Op::Pop)) => matches!(op, Op::Swap(2) | Op::Rot(2)),
        Some(StepKind::Op(Op::PopExcept)) => matches!(op, Op::Swap(2) | Op::Rot(4)),
        _ => false,
    }
}

/// Whether a block ends a handler, behind which another one goes on.
fn ends_handler(block: &Block) -> bool {
    matches!(block.steps.last(), Some(Step { kind: StepKind::Op(Op::PopExcept), .. }))
}

/// Whether an operation stores or deletes, but for slices.
pub(super) fn is_store(op: Op) -> bool {
    matches!(
        op,
        Op::StoreLocal(_)
            | Op::StoreDeref(_)
            | Op::StoreGlobal(_)
            | Op::StoreName(_)
            | Op::StoreAttr(_)
            | Op::StoreSubscript
            | Op::DeleteLocal(_)
            | Op::DeleteDeref(_)
            | Op::DeleteGlobal(_)
            | Op::DeleteName(_)
            | Op::DeleteAttr(_)
            | Op::DeleteSubscript
    )
}
