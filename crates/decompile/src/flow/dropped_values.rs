//! The copies of what drops the value of an expression, a part of `join_expression_ends`.
//!
//! The drop of a value has no line, and a block that begins with it and leaves the function, or goes back to the head of a
//! loop, is copied to every way to it (`Python/flowgraph.c`, `duplicate_exits_without_lineno`): each copy has the line of
//! what leads there. In an expression on several lines these differ, but its stack tells that they are copies: what keeps
//! the value of an operand drops it where the value of the others is dropped.
//!
//! Example: `a: Copy, Branch(b, d); b: Pop, y(), Pop, Return; d: Pop, Return` has `b: Pop, y(), Jump(d)`.

use depyf_bytecode::{Function, Op};

use super::copied_ends::returns_constant;
use super::expression_ends::{effect, is};
use super::handling::ways;
use super::places::line_of;
use super::shared_exits::{retarget_to_ends, stands_for};
use super::step::are_same;
use super::{Block, BlockId, BlockSet, Contents, Graph, Step, Terminator};
use crate::hash::HashMap;

/// Operands of more blocks are not looked through.
const MOST_BLOCKS: usize = 64;

/// Where a drop begins: a block, and how many of its steps lie before.
type Place = (BlockId, usize);

/// Joins them, of inner operands first.
pub(super) fn join_dropped_values(graph: &mut Graph, function: &Function) {
    let keeps = |block: &Block| may_keep_operand(block) && kept_operands(graph, block).next().is_some();
    if !graph.contents.meets(Contents::POPS) || !graph.blocks.iter().any(keeps) {
        return;
    }
    let handlers = graph.handler_heads();
    let mut joined: HashMap<BlockId, BlockId> = HashMap::default();
    for &block in graph.reverse_postorder().iter().rev() {
        let is_handler = |&(place, _): &Place| handlers.contains(place);
        let found = kept_operands(graph, &graph.blocks[block]).find_map(|kept| {
            let places = dropped_at(graph, &kept, function)?;
            (!is_handler(&kept.drop) && !places.iter().any(is_handler)).then_some((kept.drop, places))
        });
        let Some((drop, places)) = found.filter(|(_, places)| !places.is_empty()) else { continue };
        let end = stands_for(&joined, start(graph, drop));
        for (place, from) in places {
            let Block { steps, end_offset, .. } = graph.blocks[end].clone();
            graph.copies.note_steps(&graph.blocks[place].steps[from..], &steps);
            graph.copies.note(graph.blocks[place].end_offset, end_offset);
            if from == 0 {
                // What an inner operand drops may have been joined with this end, or this end with that.
                let place = stands_for(&joined, place);
                if place != end {
                    joined.insert(place, end);
                }
                continue;
            }
            let cut = &mut graph.blocks[place];
            cut.end_offset = cut.steps[from].offset;
            cut.steps.truncate(from);
            cut.end = Terminator::Jump(end);
        }
    }
    retarget_to_ends(graph, &joined);
}

/// The block that begins at a place, which may have to be cut for it.
fn start(graph: &mut Graph, (block, from): Place) -> BlockId {
    if from == 0 {
        return block;
    }
    let new = graph.blocks.len();
    let found = &mut graph.blocks[block];
    let steps = found.steps.split_off(from);
    let rest = Block { start: steps[0].offset, steps, ..*found };
    (found.end, found.end_offset) = (Terminator::Jump(new), rest.start);
    graph.blocks.push(rest);
    new
}

/// What a test of an operand leads to that keeps its value on one way only.
struct Kept {
    /// Where the value is dropped, and nothing else is done.
    drop: Place,
    /// Where the other operands begin.
    others: Place,
    /// How many values of the expression lie on the stack there: a chained comparison keeps an operand.
    height: usize,
}

/// Whether a block tests a copy of a value, or keeps what it tests.
fn may_keep_operand(block: &Block) -> bool {
    match block.end {
        Terminator::OrPop { .. } => true,
        Terminator::Branch { .. } => block.steps.last().is_some_and(|step| is(step, Op::Copy(1))),
        _ => false,
    }
}

/// What a block may test of that kind: one way may look like the other, where that was cut behind the drop.
fn kept_operands(graph: &Graph, block: &Block) -> impl Iterator<Item = Kept> {
    let drops = |to: BlockId, at: usize| graph.blocks[to].steps.get(at).is_some_and(|step| is(step, Op::Pop));
    // A chained comparison drops its operand from below the value first.
    let operands = |to: BlockId| match graph.blocks[to].steps.first() {
        Some(step) if is(step, Op::Swap(2)) || is(step, Op::Rot(2)) => usize::from(drops(to, 1)),
        _ => 0,
    };
    let only_drops = |to: BlockId, from: usize| {
        let steps = &graph.blocks[to].steps[from..];
        let behind = &steps[steps.iter().take_while(|step| is(step, Op::Pop)).count()..];
        drops(to, from)
            && match graph.blocks[to].end {
                Terminator::Jump(next) => behind.is_empty() && next != to,
                end => returns_constant(behind, end) || behind.is_empty() && end == Terminator::Raise(0),
            }
    };
    let kept = |end: BlockId, others: Place| {
        let height = operands(end);
        let drop = (end, 2 * height);
        (only_drops(end, drop.1) && end != others.0).then_some(Kept { drop, others, height })
    };
    let found = match block.end {
        Terminator::OrPop { keep, other, .. } => [kept(keep, (other, 0)), None],
        Terminator::Branch { yes, no } if block.steps.last().is_some_and(|step| is(step, Op::Copy(1))) => {
            [(no, yes), (yes, no)].map(|(end, other)| kept(end, (other, 1)).filter(|_| drops(other, 0)))
        }
        _ => [None, None],
    };
    found.into_iter().flatten()
}

/// Where the value of the other operands is dropped as that of the first one is. None where another thing is done with it
/// on some way.
fn dropped_at(graph: &Graph, kept: &Kept, function: &Function) -> Option<Vec<Place>> {
    let drop = Drop::of(graph, kept.drop, function);
    let mut places = Vec::new();
    let mut seen = BlockSet::default();
    let mut count = 0;
    // A place, and how many values of the operands lie on the stack there.
    let mut work = vec![(kept.others, i64::from(kept.height > 0))];
    while let Some((place @ (block, from), height)) = work.pop() {
        if height == 1 && from == 0 && drop.is_at(place) {
            places.extend((block != drop.end).then_some(place));
            continue;
        }
        if seen.put(block) {
            continue;
        }
        count += 1;
        if count > MOST_BLOCKS || graph.blocks[block].region != graph.blocks[drop.end].region {
            return None;
        }
        match drop.along(place, height)? {
            Along::Dropped(from) => places.push((block, from)),
            Along::GoesOn(height) => drop.go_on(block, height, &mut work)?,
        }
    }
    Some(places)
}

/// How the value of an operand is dropped.
struct Drop<'a> {
    graph: &'a Graph,
    function: &'a Function,
    end: BlockId,
    steps: &'a [Step],
    /// A copied `raise` that stands behind the drop may have been made a block of its own.
    raised: Option<&'a Block>,
}

/// What is done with the value of operands in a block.
enum Along {
    /// It is dropped, from a step on.
    Dropped(usize),
    /// So many values of them lie on the stack at the end.
    GoesOn(i64),
}

impl<'a> Drop<'a> {
    fn of(graph: &'a Graph, (end, from): Place, function: &'a Function) -> Self {
        let found = &graph.blocks[end];
        let raised = match found.end {
            Terminator::Jump(next) if matches!(graph.blocks[next].end, Terminator::Raise(_)) => {
                Some(&graph.blocks[next]).filter(|raised| raised.region == found.region)
            }
            _ => None,
        };
        Self { graph, function, end, steps: &found.steps[from..], raised }
    }

    /// Whether the same is done from a place on.
    fn is_at(&self, (block, from): Place) -> bool {
        let (found, own) = (&self.graph.blocks[block], &self.graph.blocks[self.end]);
        let steps = &found.steps[from..];
        found.region == own.region
            && (found.end == own.end && are_same(steps, self.steps) || self.raises(found, steps))
    }

    /// Whether the last steps of a block drop the value, and raise what is raised behind the drop.
    fn raises(&self, found: &Block, steps: &[Step]) -> bool {
        let Some(raised) = self.raised else { return false };
        let Some((drops, operands)) = steps.split_at_checked(self.steps.len()) else { return false };
        found.end == raised.end
            && are_same(drops, self.steps)
            && are_same(operands, &raised.steps)
            && line_of(self.function, found.end_offset) == line_of(self.function, raised.end_offset)
    }

    /// Follows the steps of a block. None where the value is dropped in another way.
    fn along(&self, (block, mut from): Place, mut height: i64) -> Option<Along> {
        while let Some(step) = self.graph.blocks[block].steps.get(from) {
            let behind = height + effect(step, self.function)?;
            if (behind, height) == (0, 1) && is(step, Op::Pop) {
                return self.is_at((block, from)).then_some(Along::Dropped(from));
            }
            (height, from) = (behind, from + 1);
        }
        Some(Along::GoesOn(height))
    }

    /// Adds the ways on from a block. None where they may be no part of an expression.
    fn go_on(&self, block: BlockId, height: i64, work: &mut Vec<(Place, i64)>) -> Option<()> {
        let found = &self.graph.blocks[block];
        match found.end {
            // The loop of a comprehension is a part of the expression.
            end @ (Terminator::Jump(_)
            | Terminator::OrPop { .. }
            | Terminator::ForIter { .. }
            | Terminator::AsyncFor { .. }) => {
                work.extend(ways(end).map(|(next, effect)| ((next, 0), height + effect)));
            }
            Terminator::Branch { yes, no } => {
                let tests_copy = found.steps.last().is_some_and(|step| is(step, Op::Copy(1)));
                let height = height - 1;
                for way in [yes, no] {
                    let drops = self.graph.blocks[way].steps.first().is_some_and(|step| is(step, Op::Pop));
                    let goes_on = tests_copy && drops && !(height == 1 && self.is_at((way, 0)));
                    work.push(if goes_on { ((way, 1), height - 1) } else { ((way, 0), height) });
                }
            }
            _ => return None,
        }
        Some(())
    }
}
