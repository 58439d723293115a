//! Pass: a `return` belongs to the innermost region in which its value was computed.
//!
//! The instruction itself cannot raise, so the compiler leaves it out of the region; printed where it lies, the
//! value would need a name to carry it out of the `try`. So would it where the exits of `with` statements around
//! the region are called between both: the `return` calls them, wherever it stands.
//!
//! Needs: `find_with_statements` and `join_finally_bodies`, whose exits stand between a value and its return.
//! Establishes: no region is left only to return. The ways of one region to one `return` still meet there; what returns a local
//! that is loaded for it alone ends with that, so that the copies of one `return` are alike.
//!
//! Example: `try: t = f()`, then `return t` becomes `try: return f()`.
//!
//! A constant is loaded behind the copy of a `finally` body. From 3.12 on it has no place of its own there (CPython
//! `compiler_unwind_fblock` takes that away), while what was written behind the statement has one.

use std::cell::LazyCell;

use depyf_bytecode::{Function, Instruction, Op};

use super::copied_ends::is_store;
use super::handling::Handling;
use super::places::{
    instruction_at, instructions_before, is_as_wide_as_return, is_same_place, place_of, unbinds,
};
use super::written_ends::behind_drops;
use super::{
    Block, BlockId, BlockSet, Contents, Graph, RegionId, RegionKind, Step, StepKind, Terminator, returns_none,
};
use crate::hash::{HashMap, HashSet};
use crate::lift::Context;

/// More exits than this are not called by one `return`: CPython nests 20 blocks.
/// In a loop of more blocks a `return` of None stays where it is.
const MOST_IN_LOOP: usize = 256;
const MOST_EXITS: usize = 40;

/// A block on the way to a `return`, and what the copy of it does.
struct Carrier {
    block: BlockId,
    steps: Vec<Step>,
    /// Where the copy ends, if elsewhere.
    end_offset: Option<u32>,
}

/// See the module.
pub(crate) fn return_inside_regions(graph: &mut Graph, context: &Context<'_>) {
    let mut inside: HashMap<(RegionId, BlockId), BlockId> = HashMap::default();
    // These are seldom asked for.
    let mut behinds = None;
    let patterns = LazyCell::new(|| places_of_patterns(context.function));
    // The block that leads to each copy, if only one does.
    let mut ways: HashMap<BlockId, Option<BlockId>> = HashMap::default();
    for block in 0..graph.blocks.len() {
        let Some(region) = graph.blocks[block].region else { continue };
        for next in graph.blocks[block].end.successors() {
            let chain = way_to_return(graph, region, next);
            let to_constant = || {
                let is_kept = !brings_value(graph, block, next);
                is_kept
                    .then(|| way_to_constant(graph, block, next, &patterns, &mut behinds, context))
                    .flatten()
            };
            let Some(chain) = chain.or_else(to_constant) else {
                continue;
            };
            if chain.iter().all(|carrier| graph.blocks[carrier.block].region == Some(region)) {
                continue;
            }
            let own = *inside.entry((region, next)).or_insert_with(|| copy_into(graph, region, chain));
            graph.blocks[block].end.retarget(|to| if to == next { own } else { to });
            ways.entry(own).and_modify(|way| *way = None).or_insert(Some(block));
        }
    }
    for (copy, way) in ways.into_iter().filter_map(|(copy, way)| Some((copy, way?))) {
        return_at_end(graph, way, copy);
    }
}

/// Lets a block in the body of a `try` return the local that it ends with loading, in place of leading to a block that does
/// nothing else. (In front of the body of a `finally` the value is loaded in another place than it is returned.)
fn return_at_end(graph: &mut Graph, block: BlockId, copy: BlockId) {
    let Block { end, end_offset, region, .. } = graph.blocks[copy];
    if region.is_some_and(|region| graph.regions[region].kind == RegionKind::Try)
        && graph.blocks[block].end == Terminator::Jump(copy)
        && graph.blocks[copy].steps.is_empty()
        && end == Terminator::Return
        && matches!(graph.blocks[block].steps.last(), Some(Step { kind: StepKind::Op(Op::LoadLocal(_)), .. }))
    {
        (graph.blocks[block].end, graph.blocks[block].end_offset) = (end, end_offset);
        graph.blocks[copy].end = Terminator::Nowhere;
    }
}

/// The blocks from one that a region leads to on to a `return` of what was computed before, if they only call exits of
/// `with` statements and drop what the statements around keep on the stack: the iterator of a `for`, the exception of a
/// handler. The `return` leaves those as it leaves the region, so the copies do without.
fn way_to_return(graph: &Graph, region: RegionId, start: BlockId) -> Option<Vec<Carrier>> {
    // Most ways lead to statements.
    let may_carry = |step: &Step| step.carries_return() || step.unwinds();
    if !graph.blocks[start].steps.first().is_none_or(may_carry) {
        return None;
    }
    let mut chain: Vec<Carrier> = Vec::new();
    // How many values that the last move brought above the returned one are still to be dropped.
    let mut above = 0;
    // Whether something is dropped: then the function that the next exit calls is not where a copy would find it.
    let mut drops = false;
    let mut at = start;
    loop {
        let block = &graph.blocks[at];
        chain.push(Carrier { block: at, steps: Vec::new(), end_offset: None });
        // What is dropped inside the region belongs to the value: a chained comparison drops the operand it has kept.
        let leaves_region = block.region != Some(region);
        for step in &block.steps {
            match step.kind {
                StepKind::Op(Op::Pop) if above > 0 => above -= 1,
                StepKind::Op(Op::PopExcept | Op::Pop) if leaves_region => {
                    let depth = last_move(&mut chain)?;
                    above =
                        if matches!(step.kind, StepKind::Op(Op::Pop)) { depth.checked_sub(2)? } else { 0 };
                    drops = true;
                }
                // It has two slots from 3.14 on, and so two moves.
                StepKind::WithExit if drops => while last_move(&mut chain).is_some() {},
                _ if step.carries_return() && above == 0 => chain.last_mut()?.steps.push(step.clone()),
                _ => return None,
            }
        }
        match block.end {
            Terminator::Return => return Some(chain),
            Terminator::Jump(next) if chain.len() < MOST_EXITS => at = next,
            _ => return None,
        }
    }
}

/// Whether a block leaves a value to the next one that drops it at once: that of an expression, and no iterator, which lies
/// below statements that are done.
fn brings_value(graph: &Graph, block: BlockId, next: BlockId) -> bool {
    let found = &graph.blocks[block];
    let Some(Step { kind: StepKind::Op(last), .. }) = found.steps.last() else { return false };
    let brings = match found.end {
        Terminator::Jump(_) => !ends_statement(*last),
        Terminator::Branch { .. } => *last == Op::Copy(1),
        Terminator::OrPop { keep, .. } => keep == next,
        _ => false,
    };
    brings && graph.blocks[next].steps.first().is_some_and(Step::drops)
}

/// Whether an operation may be the last one of a statement.
fn ends_statement(op: Op) -> bool {
    is_store(op) || matches!(op, Op::Pop | Op::PopExcept | Op::StoreSlice | Op::Nop)
}

/// The block behind a `finally` body that returns a constant, if it has the place of what the copy ended with. None may be
/// what the function returns at its end, unless the word in front of the copy is `return`. A loop that the statement leaves
/// keeps an iterator, and what drops that has the place of the statement. Behind the exit of a `with` statement nothing has
/// a place of its own: what stands in front of it tells.
fn way_to_constant(
    graph: &Graph,
    from: BlockId,
    start: BlockId,
    patterns: &HashSet<Option<(u32, u32)>>,
    behinds: &mut Option<Behinds>,
    context: &Context<'_>,
) -> Option<Vec<Carrier>> {
    let function = context.function;
    let region = graph.blocks[from].region?;
    if graph.regions[region].kind != RegionKind::Finally || !function.features.copies_implicit_end {
        return None;
    }
    let mut at = start;
    let (mut copy, mut ended, mut dropped) = (None, None, None);
    // Whether a statement around is left on the way, and how many handlers are.
    let (mut unwound, mut handlers) = (false, 0);
    let around = graph.regions_around(from);
    for _ in 0..MOST_EXITS {
        let block = &graph.blocks[at];
        // Another statement begins there, though nothing in it may raise.
        if block.region.is_some_and(|entered| !around.contains(&entered)) {
            return None;
        }
        if block.region != Some(region) {
            copy = copy.or(Some(block.start));
        }
        match (&block.steps[..], block.end) {
            ([], Terminator::Jump(next)) => (ended, at) = (Some(block.end_offset), next),
            // The `return` calls it, as it leaves what is dropped.
            ([Step { kind: StepKind::WithExit, offset }], Terminator::Jump(next)) => {
                if is_written_behind(function, ended?) {
                    return None;
                }
                (ended, unwound, at) = (Some(*offset), true, next);
            }
            (drops, Terminator::Jump(next)) if drops.iter().all(Step::unwinds) => {
                // A handler that ends inside the region is not left by the `return`.
                if block.region == Some(region) && !drops.iter().all(Step::drops) {
                    return None;
                }
                // What a pattern that fails drops is in the place of that.
                if drops.iter().any(|drop| patterns.contains(&column_of(function, drop.offset))) {
                    return None;
                }
                unwound = true;
                handlers += drops.iter().filter(|drop| !drop.drops()).count();
                dropped = dropped.or(drops.first().filter(|_| ended.is_none()));
                at = next;
            }
            ([drops @ .., Step { kind: StepKind::Op(op), offset }], Terminator::Return)
                if drops.iter().all(Step::unwinds) && op.is_constant() =>
            {
                let (line, column) = place_of(function, *offset)?;
                if line.is_none() || (line, column) != place_of(function, ended?)? {
                    return None;
                }
                let dropped = dropped.or_else(|| drops_of_loop(graph, from, patterns, function));
                let drop = || instruction_at(function, dropped?.offset).filter(|drop| drop.column.is_some());
                let word = word_in_front(graph, region, start, function).or_else(drop);
                handlers += drops.iter().filter(|drop| !drop.drops()).count();
                let mut is_return = || match column {
                    Some(_) if word.is_some_and(is_as_wide_as_return) => true,
                    // Most ways leave no handler.
                    Some(_) if handlers == 0 => false,
                    None if !function.features.source_order => false,
                    _ => {
                        let behinds = behinds.get_or_insert_with(|| Behinds::of(graph, function));
                        behinds.leaves_finally(start, handlers)
                            || column.is_none() && behinds.is_no_end(graph, from, region, context)
                    }
                };
                let returns_none = returns_none(&[*op], context.code);
                // Patterns that fail drop values as well, and only columns tell where.
                if column.is_none() && graph.contents.meets(Contents::PATTERNS) {
                    return None;
                }
                // Without columns, what follows the copy at once stands as well behind it.
                let is_apart = column.is_some() || returns_none || unwound || !drops.is_empty();
                if !is_apart || returns_none && !is_return() {
                    return None;
                }
                // The place of the statement is that of the word, if there is one.
                let left = || left_body(function, copy.filter(|_| column.is_none())?);
                let load = Step { offset: word.map_or(*offset, |word| word.offset), kind: StepKind::Op(*op) };
                let end_offset = word.or_else(left).map(|word| word.offset);
                return Some(vec![Carrier { block: at, steps: vec![load], end_offset }]);
            }
            _ => return None,
        }
    }
    None
}

/// The step with which a block drops what was on the stack before, if no pattern failed: the iterator of a loop that a
/// statement leaves.
fn drops_of_loop<'a>(
    graph: &'a Graph,
    block: BlockId,
    patterns: &HashSet<Option<(u32, u32)>>,
    function: &Function,
) -> Option<&'a Step> {
    let steps = &graph.blocks[block].steps;
    let last = steps.last().filter(|last| !patterns.contains(&column_of(function, last.offset)))?;
    (behind_drops(steps, &function.features) == steps.len()).then_some(last)
}

/// Whether something has a place of its own behind what ends at an offset: a word that is written there, or what it drops.
fn is_written_behind(function: &Function, offset: u32) -> bool {
    let Some(last) = instruction_at(function, offset) else { return true };
    let next = function.instructions.get(instructions_before(function, offset + 1));
    let is_word = |next: &Instruction| {
        matches!(next.op, Op::Nop | Op::Pop | Op::PopExcept) && !is_same_place(last, next)
    };
    matches!(last.op, Op::Jump(_)) || next.is_none_or(is_word)
}

/// What lies behind the `finally` statements of a function, in the order of the source.
struct Behinds {
    /// Where each ends, by where its handler starts.
    ends: HashMap<u32, u32>,
    /// The block at each offset.
    starts: HashMap<u32, BlockId>,
    handling: Handling,
    /// What the `finally` bodies start with.
    bodies: HashSet<BlockId>,
}

impl Behinds {
    fn of(graph: &Graph, function: &Function) -> Self {
        let handling = Handling::of(graph, &function.features);
        let finals = graph.regions.iter().filter(|region| region.kind == RegionKind::Finally);
        let bodies = finals.map(|region| region.handler).collect();
        let mut found = Self { ends: HashMap::default(), starts: HashMap::default(), handling, bodies };
        for &id in graph.reverse_postorder().iter() {
            let block = &graph.blocks[id];
            found.starts.entry(block.start).or_insert(id);
            if block.end == Terminator::Done {
                let end = found.ends.entry(block.start).or_default();
                *end = (*end).max(block.end_offset);
            }
        }
        found
    }

    /// Whether one of the innermost handlers that run at a block is a `finally` body: what goes on behind one raises again, so
    /// what drops its exception was left by a statement.
    fn leaves_finally(&self, block: BlockId, handlers: usize) -> bool {
        let running = self.handling.at(block).into_iter().flat_map(|stack| self.handling.handlers(stack));
        running.take(handlers).any(|head| self.bodies.contains(&head))
    }

    /// Whether what lies behind a statement, whose body holds a block, is known, and is not that the function returns None.
    fn is_no_end(&self, graph: &Graph, block: BlockId, region: RegionId, context: &Context<'_>) -> bool {
        let end = self.ends.get(&graph.blocks[graph.regions[region].handler].start);
        let next = end.map(|end| instructions_before(context.function, end + 1));
        let next = next.and_then(|next| context.function.instructions.get(next));
        let Some(next) = next else { return false };
        let Some(&first) = self.starts.get(&next.offset) else {
            // The body of another `finally` ends behind it, and raises again no more.
            return matches!(next.op, Op::Reraise(_));
        };
        // The statement that is last in the handler need not be last in the source.
        if self.handling.at(first) != self.handling.at(block) || goes_back(graph, first, block) {
            return false;
        }
        let mut at = first;
        for _ in 0..MOST_EXITS {
            let block = &graph.blocks[at];
            let does_nothing = |step: &Step| step.unwinds() || matches!(step.kind, StepKind::WithExit);
            match (&block.steps[..], block.end) {
                (drops, Terminator::Jump(next)) if drops.iter().all(does_nothing) => at = next,
                ([drops @ .., Step { kind: StepKind::Op(op), .. }], Terminator::Return)
                    if drops.iter().all(Step::unwinds) =>
                {
                    return !returns_none(&[*op], context.code);
                }
                _ => return graph.regions.iter().all(|region| region.handler != first),
            }
        }
        false
    }
}

/// Whether what begins with a block leads back to the statement that it lies behind: a `break` there goes to what lies behind
/// the loop, which may be the end.
fn goes_back(graph: &Graph, first: BlockId, statement: BlockId) -> bool {
    let mut seen = BlockSet::default();
    let mut work = vec![first];
    for _ in 0..MOST_IN_LOOP {
        let Some(block) = work.pop() else { return false };
        if block == statement {
            return true;
        }
        if !seen.put(block) {
            work.extend(graph.blocks[block].end.successors());
        }
    }
    true
}

/// Where the patterns stand that drop what they have taken apart when they fail.
fn places_of_patterns(function: &Function) -> HashSet<Option<(u32, u32)>> {
    let is_pattern =
        |op: Op| matches!(op, Op::MatchClass(_) | Op::MatchSequence | Op::MatchMapping | Op::MatchKeys);
    let found = function.instructions.iter().filter(|found| is_pattern(found.op));
    found.map(|found| found.line.zip(found.column)).filter(Option::is_some).collect()
}

/// What a statement that leaves has left in front of the copy of a `finally` body: it does nothing, and is not the first of
/// the body.
fn word_in_front<'a>(
    graph: &Graph,
    region: RegionId,
    copy: BlockId,
    function: &'a Function,
) -> Option<&'a Instruction> {
    let found = &graph.blocks[copy];
    let word = instruction_at(function, found.leading.unwrap_or(found.start))?;
    if let Some(left) = left_handler(function, found.start) {
        return Some(left);
    }
    let handler = graph.blocks[graph.regions[region].handler].start;
    let first = function.instructions.get(instructions_before(function, handler) + 1)?;
    let is_of_body = first.op == Op::Nop && (first.line, first.column) == (word.line, word.column);
    (word.op == Op::Nop && word.column.is_some() && !is_of_body).then_some(word)
}

/// What leaves a handler right in front of an offset, and unbinds the name of the exception: it has the place of the
/// statement that leaves.
fn left_handler(function: &Function, offset: u32) -> Option<&Instruction> {
    let before = &function.instructions[..instructions_before(function, offset)];
    let left = match before {
        [.., left, _, store, delete] if unbinds(store.op, delete.op) => left,
        [.., left] => left,
        [] => return None,
    };
    (left.op == Op::PopExcept && left.column.is_some()).then_some(left)
}

/// What leaves the body of a `try` right in front of an offset: it has the line of the statement that leaves.
fn left_body(function: &Function, offset: u32) -> Option<&Instruction> {
    let left = function.instructions[..instructions_before(function, offset)].last()?;
    matches!(left.op, Op::PopBlock | Op::Nop).then_some(left)
}

/// The line and the column of an instruction, if both are known.
fn column_of(function: &Function, offset: u32) -> Option<(u32, u32)> {
    let (line, column) = place_of(function, offset)?;
    line.zip(column)
}

/// Takes the last step off the chain if it moves the value; gives how many values it moves.
fn last_move(chain: &mut [Carrier]) -> Option<u32> {
    let steps = chain.iter_mut().rev().map(|carrier| &mut carrier.steps).find(|steps| !steps.is_empty())?;
    let StepKind::Op(Op::Swap(depth) | Op::Rot(depth)) = steps.last()?.kind else { return None };
    steps.pop();
    Some(depth)
}

/// Copies blocks that follow each other into a region, without those that do nothing: where a `finally` body was, they
/// lie elsewhere. One in front of an unreachable jump stays, for that ends a handler, unless it lies in fewer regions and
/// ends a handler around this one. Gives the first copy.
fn copy_into(graph: &mut Graph, region: RegionId, mut chain: Vec<Carrier>) -> BlockId {
    let last = chain.pop();
    chain.retain(|carrier| {
        let block = &graph.blocks[carrier.block];
        !carrier.steps.is_empty() || block.region == Some(region) && block.dead.behind.is_some()
    });
    chain.extend(last);
    let first = graph.blocks.len();
    for (at, Carrier { block, steps, end_offset }) in chain.into_iter().enumerate() {
        let mut copy = Block { region: Some(region), steps, ..graph.blocks[block].clone() };
        copy.end_offset = end_offset.unwrap_or(copy.end_offset);
        // What is left of the word lies in front of the copy.
        copy.start = copy.start.min(copy.end_offset);
        copy.end.retarget(|_| first + at + 1);
        graph.blocks.push(copy);
    }
    first
}
