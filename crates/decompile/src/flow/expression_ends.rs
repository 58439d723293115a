//! Pass: the copies of what is done with the value of an expression are one block again.
//!
//! The ways through an expression meet where its value is taken: dropped, stored, passed on. If the function ends in one
//! go, the compiler may copy that to the ways that would jump there (`Python/flowgraph.c`,
//! `inline_small_or_no_lineno_blocks`), and one arm takes its value and goes on by itself. As it stands, the arm would be a
//! statement of its own, under an `if`. The iterator that a `break` drops is such a value, too, and so is the cause of a
//! `raise` that a test chooses.
//!
//! Needs: copied exits are joined, so that copies end at one place; lines. Establishes: a block that takes a value
//! which was brought to it is reached by all that do the same on the same lines and go on as it does. Without a line
//! table nothing changes: only the line tells a copy from a statement that ends alike.
//!
//! Example: `a: y(), Pop, Jump(c)` and `b: Pop, Jump(c)` on one line become `a: y(), Jump(b)`. The arm `b` of
//! `del x[b if (b if e else g) else a]`, which two tests lead to, is one block.

use std::cell::OnceCell;
use std::ops::Range;

use depyf_bytecode::{Function, Op, stack_effect};

use super::dropped_values::join_dropped_values;
use super::handling::Handling;
use super::places::{instructions_before, line_of, place_of};
use super::shared_exits::retarget_to_ends;
use super::shared_tails::is_short;
use super::written_ends::word_through_with;
use super::{Block, BlockId, Contents, DeadJumps, Graph, RegionId, Step, StepKind, Terminator};
use crate::hash::HashMap;

/// A line that so many statements share tells nothing.
const MOST_ON_A_LINE: usize = 16;

/// See the module.
pub(crate) fn join_expression_ends(graph: &mut Graph, function: &Function) {
    if !function.features.copies_implicit_end {
        return;
    }
    join_dropped_values(graph, function);
    let copying = Copying { function, stops: OnceCell::new() };
    let lines = Lines::of(graph, function);
    join_copied_arms(graph, &lines, &copying);
    join_raises_of_operands(graph, function);
    join_bare_raises(graph, function);
    let mut places = Places::of(graph, &lines);
    let ends = places.ends(graph, &copying);
    if ends.is_empty() {
        return;
    }
    let handling = Handling::of(graph, &function.features);
    let predecessors = graph.predecessors();
    let mut moved: HashMap<BlockId, BlockId> = HashMap::default();
    for end in ends {
        // What was cut off by another end begins elsewhere now.
        if graph.blocks[end.block].steps.get(end.from).map(|step| step.offset) != Some(end.steps[0].offset) {
            continue;
        }
        let same_place =
            |arm: BlockId| handling.at(arm).is_some() && handling.at(arm) == handling.at(end.block);
        let height =
            |block: BlockId, steps: &[Step]| Some(brought(steps, function)? + handling.height(block)?);
        let wanted = height(end.block, &graph.blocks[end.block].steps[..end.from]);
        for at in places.like(graph, &end, function) {
            let (_, arm) = places.sorted[at];
            let Some(from) = end.begins_in(graph, &copying, arm, &places.ways_in).filter(|_| same_place(arm))
            else {
                continue;
            };
            if wanted.is_none() || height(arm, &graph.blocks[arm].steps[..from]) != wanted {
                continue;
            }
            // Behind a `with` the place is that of the statement, whichever word leaves it.
            let word = |block| word_through_with(graph, block, &predecessors, function).map(|word| word.line);
            if from == 0 && end.from == 0 && word(arm) != word(end.block) {
                continue;
            }
            // An arm brings one value. What brings more, as the function of a call, is an expression of its own.
            if brought(&graph.blocks[arm].steps[..from], function).is_some_and(|brought| brought > 1) {
                continue;
            }
            let target = places.start(graph, &end);
            graph.copies.note_steps(&graph.blocks[arm].steps[from..], &end.steps);
            graph.copies.note(graph.blocks[arm].end_offset, end.end_offset);
            let block = &mut graph.blocks[arm];
            block.end_offset = block.steps[from].offset;
            block.steps.truncate(from);
            block.end = Terminator::Jump(target);
            if from == 0 {
                moved.insert(arm, target);
            }
        }
    }
    // What was led to may have been moved itself, always to a later block.
    retarget_to_ends(graph, &moved);
}

/// What copies of an arm agree in: the region, the end, and the operations at their places.
type Arm = (Option<RegionId>, Terminator, Vec<(Op, Position)>);

/// Joins the copies of an arm that several tests lead to, together with what takes its value and ends the function: they stand
/// at one place. An operand that was there before tells that the arm is one of an expression, or tests on its own line.
fn join_copied_arms(graph: &mut Graph, lines: &Lines, copying: &Copying) {
    let function = copying.function;
    if !function.features.copies_ends {
        return;
    }
    let mut known: HashMap<Arm, BlockId> = HashMap::default();
    let mut moved: HashMap<BlockId, BlockId> = HashMap::default();
    let predecessors = OnceCell::new();
    let mut shared: Vec<BlockId> = lines.shared().flatten().map(|&(_, id)| id).collect();
    shared.sort_unstable();
    for id in shared {
        let block = &graph.blocks[id];
        let Some(first) = block.steps.first().filter(|first| id != 0 && !first.drops()) else { continue };
        let takes_operand = match block.end {
            Terminator::Raise(operands) => {
                brought(&block.steps, function).is_some_and(|brought| brought < i64::from(operands))
            }
            _ => takes_value(&block.steps, function),
        };
        if !copying.copies(first.offset) {
            continue;
        }
        let placed = |step: &Step| match (&step.kind, place_of(function, step.offset)?) {
            (StepKind::Op(op), place @ (Some(_), _)) => Some((*op, place)),
            _ => None,
        };
        let Some(steps) = block.steps.iter().map(placed).collect() else { continue };
        let kept = *known.entry((block.region, block.end, steps)).or_insert(id);
        let is_arm = |id: BlockId| {
            let tests = predecessors.get_or_init(|| graph.predecessors());
            lies_behind_tests_on_its_line(graph, &tests[id], id, function)
        };
        if kept != id && (takes_operand || is_arm(id) && is_arm(kept)) {
            moved.insert(id, kept);
        }
    }
    if moved.is_empty() {
        return;
    }
    // Two arms of one test were written twice.
    for block in graph.blocks.iter() {
        if let Terminator::Branch { yes, no } = block.end
            && moved.get(&no).unwrap_or(&no) == moved.get(&yes).unwrap_or(&yes)
        {
            moved.remove(&no);
            moved.remove(&yes);
        }
    }
    let mut copies: Vec<(BlockId, BlockId)> = moved.iter().map(|(&copy, &kept)| (copy, kept)).collect();
    copies.sort_unstable();
    for (copy, kept) in copies {
        graph.copies.note_steps(&graph.blocks[copy].steps, &graph.blocks[kept].steps);
        graph.copies.note(graph.blocks[copy].end_offset, graph.blocks[kept].end_offset);
    }
    retarget_to_ends(graph, &moved);
}

/// Whether all that leads to a block tests something on the line where the block begins. Without columns that tells nothing:
/// `0 if a else 1 if b else 0` has an arm twice.
fn lies_behind_tests_on_its_line(graph: &Graph, ways: &[BlockId], id: BlockId, function: &Function) -> bool {
    let place = graph.blocks[id].steps.first().and_then(|first| place_of(function, first.offset));
    let Some((line @ Some(_), Some(_))) = place else { return false };
    let tests = |&before: &BlockId| {
        let before = &graph.blocks[before];
        matches!(before.end, Terminator::Branch { .. }) && line_of(function, before.end_offset) == line
    };
    !ways.is_empty() && ways.iter().all(tests)
}

/// Joins the copies of a `raise`, each behind an arm of its last operand: the others were there before, so that the arms are
/// those of an expression. Where several ways make the operand of an arm, the `raise` has a block of its own.
fn join_raises_of_operands(graph: &mut Graph, function: &Function) {
    let mut found: HashMap<(Option<RegionId>, u32, Position), Vec<BlockId>> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate() {
        let Terminator::Raise(operands @ 2..) = block.end else { continue };
        if let Some(place @ (Some(_), _)) = place_of(function, block.end_offset) {
            found.entry((block.region, operands, place)).or_default().push(id);
        }
    }
    // What brings all operands is a statement of its own, which a `finally` body may have in each of its copies.
    let brings_all = |copy: &BlockId, operands: u32| {
        brought(&graph.blocks[*copy].steps, function) == Some(i64::from(operands))
    };
    found.retain(|&(_, operands, _), copies| {
        copies.len() > 1
            && copies.iter().any(|&copy| !graph.blocks[copy].steps.is_empty())
            && !copies.iter().any(|copy| brings_all(copy, operands))
    });
    if found.is_empty() {
        return;
    }
    let mut found: Vec<Vec<BlockId>> = found.into_values().collect();
    found.sort_unstable();
    let handling = Handling::of(graph, &function.features);
    for mut copies in found {
        // What is raised with more on the stack is raised elsewhere on the line.
        let height =
            |copy: BlockId| Some(brought(&graph.blocks[copy].steps, function)? + handling.height(copy)?);
        let first = copies[0];
        let wanted = height(first);
        copies.retain(|&copy| copy == first || wanted.is_some() && height(copy) == wanted);
        if copies.len() < 2 {
            continue;
        }
        let bare = copies.iter().copied().find(|&copy| graph.blocks[copy].steps.is_empty());
        let shared = bare.unwrap_or_else(|| {
            let Block { end, end_offset, region, .. } = graph.blocks[first];
            graph.blocks.push(Block { end_offset, ..Block::empty(end_offset, end, region) });
            graph.blocks.len() - 1
        });
        for copy in copies.into_iter().filter(|&copy| copy != shared) {
            graph.copies.note(graph.blocks[copy].end_offset, graph.blocks[shared].end_offset);
            graph.blocks[copy].end = Terminator::Jump(shared);
        }
    }
}

/// Joins the copies of a `raise` without operands, to which the tests of one condition lead. They stand at one place.
fn join_bare_raises(graph: &mut Graph, function: &Function) {
    let is_bare = |block: &&Block| block.end == Terminator::Raise(0) && block.steps.is_empty();
    if !function.features.copies_ends || graph.blocks.iter().filter(is_bare).nth(1).is_none() {
        return;
    }
    let handling = Handling::of(graph, &function.features);
    let mut known: HashMap<(Option<RegionId>, _, _, Position), BlockId> = HashMap::default();
    let mut moved: HashMap<BlockId, BlockId> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate().filter(|(_, block)| is_bare(block)) {
        let Some(place @ (Some(_), Some(_))) = place_of(function, block.end_offset) else { continue };
        let kept = *known.entry((block.region, handling.at(id), handling.height(id), place)).or_insert(id);
        if kept != id {
            graph.copies.note(block.end_offset, graph.blocks[kept].end_offset);
            moved.insert(id, kept);
        }
    }
    retarget_to_ends(graph, &moved);
}

/// A line and a column.
type Position = (Option<u32>, Option<u32>);

/// The blocks that do something and do not go on in two ways, by the line of the last step. What has copies shares its
/// line with them, which few blocks do with any.
struct Lines {
    /// In the order of the lines, then of the blocks.
    sorted: Vec<(u32, BlockId)>,
}

impl Lines {
    fn of(graph: &Graph, function: &Function) -> Self {
        let mut sorted = Vec::with_capacity(graph.blocks.len());
        for (id, block) in graph.blocks.iter().enumerate() {
            if block.end.successors().len() < 2
                && let Some(last) = block.steps.last()
                && let Some(line) = line_of(function, last.offset)
            {
                sorted.push((line, id));
            }
        }
        sorted.sort_unstable();
        Self { sorted }
    }

    /// The blocks of each line.
    fn each(&self) -> impl Iterator<Item = &[(u32, BlockId)]> {
        self.sorted.chunk_by(|a, b| a.0 == b.0)
    }

    /// The blocks of each line that several have.
    fn shared(&self) -> impl Iterator<Item = &[(u32, BlockId)]> {
        self.each().filter(|blocks| blocks.len() > 1)
    }
}

/// Where control goes on, see [`way`], and the line of the last step before.
type Place = (u32, u32);

/// The blocks that do something before control goes on elsewhere, by where it does, if others do so on the same line.
struct Places {
    /// In the order of the places, then of the blocks.
    sorted: Vec<(Place, BlockId)>,
    /// Those that may be an end that others have copies of, in order: some other goes on in the same place, or the
    /// block does nothing but drop values. Mostly there is none.
    candidates: Vec<BlockId>,
    /// The blocks that were cut in two, and their second parts.
    cut: HashMap<BlockId, BlockId>,
    /// How many ordinary ways lead to each block; two or more to what none may be joined with.
    ways_in: Vec<usize>,
}

impl Places {
    fn of(graph: &Graph, lines: &Lines) -> Self {
        let way_of = |id: BlockId| way(behind_with(graph, graph.blocks[id].end));
        let only_drops = |id: BlockId| graph.blocks[id].steps.iter().all(|step| is(step, Op::Pop));
        let mut candidates = Vec::new();
        let mut sorted: Vec<(Place, BlockId)> = Vec::new();
        for blocks in lines.each() {
            if let [(_, id)] = *blocks {
                // What is behind the values that are dropped may be a block of its own, on another line.
                candidates.extend((only_drops(id) && way_of(id).is_some()).then_some(id));
            } else {
                sorted.extend(blocks.iter().filter_map(|&(line, id)| Some(((way_of(id)?, line), id))));
            }
        }
        sorted.sort_unstable();
        for alike in sorted.chunk_by(|a, b| a.0 == b.0) {
            let ids = alike.iter().map(|&(_, id)| id);
            candidates.extend(ids.filter(|&id| alike.len() > 1 || only_drops(id)));
        }
        candidates.retain(|&id| id != 0);
        candidates.sort_unstable();
        Self { sorted, candidates, cut: HashMap::default(), ways_in: Vec::new() }
    }

    /// The ends of expressions that other blocks have copies of.
    fn ends(&mut self, graph: &Graph, copying: &Copying) -> Vec<End> {
        let function = copying.function;
        if self.candidates.is_empty() {
            return Vec::new();
        }
        self.ways_in = graph.ways_in(0..graph.blocks.len());
        // What a short circuit leads to with the value that it keeps has other ways, though each may have a copy.
        for block in graph.blocks.iter() {
            if let Terminator::OrPop { keep, .. } = block.end {
                self.ways_in[keep] = self.ways_in[keep].max(2);
            }
        }
        self.ways_in[0] = 2;
        graph.end.iter().for_each(|&end| self.ways_in[end] = 2);
        let ways_in = &self.ways_in;
        let handlers = graph.handler_heads();
        let has_copies = |end: &End| {
            let others = &self.sorted[self.like(graph, end, function)];
            others.iter().any(|&(_, arm)| end.begins_in(graph, copying, arm, ways_in).is_some())
        };
        let candidates = self.candidates.iter().copied();
        candidates
            .filter(|&block| ways_in[block] > 0 && !handlers.contains(block))
            .filter_map(|block| End::of(graph, block, ways_in, function))
            .filter(has_copies)
            .collect()
    }

    /// The blocks that go on where an end does, from the same line: where they lie in the sorted list.
    fn like(&self, graph: &Graph, end: &End, function: &Function) -> Range<usize> {
        let Some(place) = way_from(&end.steps, behind_with(graph, end.end), function) else { return 0..0 };
        let first = self.sorted.partition_point(|other| other.0 < place);
        let found = self.sorted[first..].iter().take(MOST_ON_A_LINE + 1);
        let found = found.take_while(|other| other.0 == place).count();
        if found <= MOST_ON_A_LINE { first..first + found } else { 0..0 }
    }

    /// The block that an end begins, which may have to be cut for it.
    fn start(&mut self, graph: &mut Graph, end: &End) -> BlockId {
        if end.from == 0 {
            return end.block;
        }
        *self.cut.entry(end.block).or_insert_with(|| {
            let new = graph.blocks.len();
            let block = &mut graph.blocks[end.block];
            let steps = block.steps.split_off(end.from);
            let rest = Block { steps, start: end.steps[0].offset, ..*block };
            (block.end, block.end_offset) = (Terminator::Jump(new), end.steps[0].offset);
            graph.blocks.push(rest);
            new
        })
    }
}

fn way_from(steps: &[Step], end: Terminator, function: &Function) -> Option<Place> {
    let last = steps.last()?;
    Some((way(end)?, line_of(function, last.offset)?))
}

/// So many blocks that do nothing may lie behind an end: each `finally` body that was there has left some.
const MOST_EMPTY: usize = 16;

/// Where control goes on behind blocks that do nothing, and were not written: what is left of the copies of `finally` bodies.
fn behind_nothing(graph: &Graph, mut end: Terminator) -> Terminator {
    for _ in 0..MOST_EMPTY {
        match end {
            Terminator::Jump(to) if graph.blocks[to].steps.is_empty() => match graph.blocks[to] {
                Block { end: next @ Terminator::Jump(_), written: None, dead, .. }
                    if dead == DeadJumps::default() =>
                {
                    end = next;
                }
                _ => break,
            },
            _ => break,
        }
    }
    end
}

/// Whether all that is done from a block on is to return a value, from outside of a `try` too, or from above the exceptions of
/// handlers and the iterators of loops, which are dropped.
fn only_returns(graph: &Graph, mut block: BlockId) -> bool {
    let moves = |op: Op| matches!(op, Op::Swap(2) | Op::Rot(2 | 4) | Op::PopExcept | Op::Pop);
    for _ in 0..MOST_EMPTY {
        let found = &graph.blocks[block];
        let leaves = |step: &Step| matches!(step.kind, StepKind::Op(op) if moves(op));
        if !found.steps.iter().all(leaves) {
            return false;
        }
        match found.end {
            Terminator::Jump(next) if !found.steps.is_empty() => block = next,
            end => return end == Terminator::Return,
        }
    }
    false
}

/// The same, and behind what lies below a value that is returned: the calls of exit functions, or iterators.
fn behind_with(graph: &Graph, end: Terminator) -> Terminator {
    let mut end = behind_nothing(graph, end);
    for _ in 0..MOST_EMPTY {
        let Terminator::Jump(to) = end else { break };
        if only_returns(graph, to) {
            return Terminator::Return;
        }
        if !graph.contents.meets(Contents::MANAGERS) || !leaves_with(&graph.blocks[to]) {
            break;
        }
        end = behind_nothing(graph, graph.blocks[to].end);
    }
    end
}

/// Whether a block does nothing but call an exit function.
fn leaves_with(block: &Block) -> bool {
    match &block.steps[..] {
        [exit] => matches!(exit.kind, StepKind::WithExit),
        [swap, exit] => {
            (is(swap, Op::Swap(2)) || is(swap, Op::Rot(2))) && matches!(exit.kind, StepKind::WithExit)
        }
        _ => false,
    }
}

/// A number for the way on behind what may be copied: the block, or that the function ends.
fn way(end: Terminator) -> Option<u32> {
    match end {
        Terminator::Jump(to) => u32::try_from(to).ok(),
        Terminator::Return => Some(u32::MAX),
        Terminator::Raise(operands) => (u32::MAX - 1).checked_sub(operands),
        _ => None,
    }
}

/// What is done from where a block takes a value that was brought to it, to where control goes on elsewhere.
struct End {
    block: BlockId,
    /// A chained comparison first drops what it has kept, below its value.
    from: usize,
    steps: Vec<Step>,
    end: Terminator,
    end_offset: u32,
}

impl End {
    fn of(graph: &Graph, block: BlockId, ways_in: &[usize], function: &Function) -> Option<Self> {
        let found = &graph.blocks[block];
        let from = match &found.steps[..] {
            [first, second, _, ..]
                if (is(first, Op::Swap(2)) || is(first, Op::Rot(2))) && is(second, Op::Pop) =>
            {
                2
            }
            _ => 0,
        };
        // What drops a value takes one, whatever stands behind that.
        if !takes_value(&found.steps[from..], function) && !leaves_handler(graph, found, from) {
            return None;
        }
        let steps = found.steps[from..].to_vec();
        let mut end = Self { block, from, steps, end: found.end, end_offset: found.end_offset };
        // What lies in one block behind the values that are dropped may have been made a block of its own.
        if let Terminator::Jump(next) = found.end
            && from == 0
            && ways_in[next] == 1
            && graph.blocks[next].region == found.region
            && end.steps.iter().all(|step| is(step, Op::Pop))
            && behind_with(graph, found.end) == behind_nothing(graph, found.end)
        {
            let next = &graph.blocks[next];
            end.steps.extend(next.steps.iter().cloned());
            (end.end, end.end_offset) = (next.end, next.end_offset);
        }
        Some(end)
    }

    /// Where a copy of it begins in another block, with something in front of it, or in an earlier block where several ways
    /// meet, too.
    fn begins_in(&self, graph: &Graph, copying: &Copying, arm: BlockId, ways_in: &[usize]) -> Option<usize> {
        let function = copying.function;
        let found = &graph.blocks[arm];
        let from = found.steps.len().checked_sub(self.steps.len())?;
        let is_later = found.start > graph.blocks[self.block].start;
        // What adds an item has no line of its own (3.10): it has that of what leads there.
        let has_line = |step: &Step| !matches!(step.kind, StepKind::Op(Op::MapAdd(_)));
        // Where what takes the value that was brought has no line, as a drop has none, each of its ways may have a copy (3.10).
        let first_has_none =
            |first: &Step| function.features.copies_exits() && (is(first, Op::Pop) || !has_line(first));
        let ways = if self.steps.first().is_some_and(first_has_none) { 1 } else { 2 };
        if from == 0 && (self.from > 0 || ways_in[arm] < ways || is_later) {
            return None;
        }
        let place = |step: &Step| place_of(function, step.offset);
        let same = |(a, b): (&Step, &Step)| {
            matches!(a.kind, StepKind::Op(_)) && a.same(b) && (place(a) == place(b) || !has_line(a))
        };
        let is_copy = arm != self.block
            && behind_with(graph, found.end) == behind_with(graph, self.end)
            && found.region == graph.blocks[self.block].region
            && found.steps[from..].iter().zip(&self.steps).all(same)
            && copying.copies(found.steps[from].offset);
        is_copy.then_some(from)
    }
}

/// Whether the first statement of steps takes a value from the stack.
fn takes_value(steps: &[Step], function: &Function) -> bool {
    let mut height = 0;
    for step in steps {
        let Some(effect) = effect(step, function) else { return false };
        height += effect;
        if height < 0 {
            return true;
        }
    }
    false
}

/// Whether a block does no more, from a step on, than to move a value above the exception of the handler that it leaves.
fn leaves_handler(graph: &Graph, block: &Block, from: usize) -> bool {
    let (Terminator::Jump(exit), [moves]) = (block.end, &block.steps[from..]) else { return false };
    let pops = |step: &Step| is(step, Op::PopExcept);
    is(moves, Op::Swap(2)) && graph.blocks[exit].steps.first().is_some_and(pops)
}

/// What the compiler copies: only blocks that end the function, if they are small or begin with what has no line
/// (`is_exit_without_lineno` of 3.10), as the drop of a value has none. What goes on elsewhere was written there.
struct Copying<'a> {
    function: &'a Function,
    /// The instructions that jump or end the function, in order; straight code may go on for long before one.
    stops: OnceCell<Vec<usize>>,
}

impl Copying<'_> {
    /// Whether the compiler copies what begins at an offset.
    fn copies(&self, offset: u32) -> bool {
        let instructions = &self.function.instructions;
        let stops = |op: Op| {
            !op.falls_through() || matches!(op, Op::JumpIf(..) | Op::JumpIfOrPop(..) | Op::ForIter { .. })
        };
        let all = self
            .stops
            .get_or_init(|| (0..instructions.len()).filter(|&at| stops(instructions[at].op)).collect());
        let first = instructions_before(self.function, offset);
        let Some(&last) = all.get(all.partition_point(|&at| at < first)) else { return false };
        instructions[last].op.leaves()
            && (matches!(instructions[first].op, Op::Pop | Op::MapAdd(_))
                || is_short(instructions[first..=last].iter().map(|found| found.offset)))
    }
}

/// By how much steps make the stack higher; unknown where they are no operations.
fn brought(steps: &[Step], function: &Function) -> Option<i64> {
    steps.iter().map(|step| effect(step, function)).sum()
}

pub(super) fn effect(step: &Step, function: &Function) -> Option<i64> {
    match step.kind {
        StepKind::Op(op) => Some(stack_effect(op, false, &function.features)),
        _ => None,
    }
}

pub(super) fn is(step: &Step, wanted: Op) -> bool {
    step.op() == Some(wanted)
}
