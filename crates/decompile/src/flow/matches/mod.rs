//! Pass: the decision trees of `match` become cases.
//!
//! The compiler writes a pattern as a run of tests of the subject and of parts that it takes from it, all on
//! the stack. A test that fails drops what is on the stack and goes on at the next case (CPython
//! `Python/codegen.c`, `codegen_match`). This pass does not look for the shapes of patterns: it executes the
//! tests on a symbolic subject (`machine.rs`), which tells what is tested, in which order, and which part each
//! name stores. `tree.rs` makes a pattern of that only if the pattern makes the same tests in the same order.
//!
//! Needs: `find_with_statements`, `join_finally_bodies`. Establishes: a block that starts the tests of a case ends
//! with `Case`, which takes the subject off the stack; nothing else tests or unpacks for a pattern. A guard
//! still is a branch behind it.
//!
//! Example: `COPY 1; MATCH_SEQUENCE; ..; STORE x` becomes `Copy(1), Case([x])`.

mod bodies;
mod checks;
mod guards;
mod machine;
mod single;
mod tree;

use std::cell::Cell;

use depyf_bytecode::{Function, Op, VarId, stack_effect};
use depyf_syntax::Grammar;
use depyf_syntax::ast::{Ident, Pattern};
use fixedbitset::FixedBitSet;

use self::machine::Machine;
use super::places::instruction_at;
use super::step::ends_statement;
use super::{Block, BlockId, Contents, Folded, Graph, Step, StepKind, Terminator};
use crate::lift::{Context, Temporaries};

pub(crate) use bodies::join_case_bodies;
pub(crate) use guards::fold_guards;

/// Index into [`Graph::cases`].
pub(crate) type CaseId = usize;

/// A case of a `match` statement.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// What the subject is compared with.
    pub(crate) pattern: Pattern,
    /// The condition behind `if`.
    pub(crate) guard: Option<Folded>,
    /// Locals that the pattern stores.
    pub(crate) stores: Vec<VarId>,
}

impl Case {
    /// Locals that the pattern or the guard store.
    pub(crate) fn all_stores(&self) -> impl Iterator<Item = VarId> + '_ {
        let guard = self.guard.iter().flat_map(|guard| guard.effects.stores.iter());
        self.stores.iter().copied().chain(guard)
    }
}

/// A step of the graph: block, and index there.
type Position = (BlockId, usize);

/// How often the search may look at each step of a function, on average: a few times for each case that fails.
const BUDGET: usize = 64;

/// See the module.
pub(crate) fn find_matches(graph: &mut Graph, context: &Context<'_>, temporaries: &mut Temporaries) {
    if !Grammar::of(context.code.version).match_statement {
        return;
    }
    let has_patterns = graph.contents.meets(Contents::PATTERNS);
    let starts = |block: &Block| (0..block.steps.len()).any(|at| may_start(block, at, has_patterns));
    let may_start_cases = graph.contents.meets(Contents::COPIES.and(Contents::PATTERNS));
    let compares = |block: &Block| single::pattern_value(block, context.function).is_some();
    let may_capture = graph.contents.meets(Contents::STORED_BELOW);
    let captures = |block: &Block| single::captured(block, context).is_some();
    let may_hold = may_start_cases && graph.blocks.iter().any(starts)
        || graph.blocks.iter().any(compares)
        || may_capture && graph.blocks.iter().any(captures)
        || graph.contents.meets(Contents::POPS)
            && graph.blocks.iter().any(|block| drops_on_a_way(graph, block))
            && graph.blocks.iter().any(|block| guard_start(block, context.function).is_some());
    if !may_hold {
        return;
    }
    let order = graph.reverse_postorder();
    let ways_in = graph.ways_in(order.iter().copied());
    let work = order.iter().rev().copied().collect();
    let steps: usize = graph.blocks.iter().map(|block| block.steps.len() + 1).sum();
    let budget = Cell::new(steps * BUDGET);
    let tested = FixedBitSet::with_capacity(graph.blocks.len());
    let has_tests = graph.blocks.iter().map(|block| block.steps.iter().any(tests_pattern)).collect();
    let mut finder = Finder { graph, context, temporaries, ways_in, tested, has_tests, work, budget };
    while let Some(block) = finder.work.pop() {
        if finder.tested.contains(block) {
            continue;
        }
        let mut steps = 0..finder.graph.blocks[block].steps.len();
        let found = may_start_cases
            && steps.any(|at| {
                may_start(&finder.graph.blocks[block], at, has_patterns) && finder.cases((block, at), false)
            });
        let compared = || single::pattern_value(&finder.graph.blocks[block], context.function);
        if !found
            && let Some(at) = compared()
            && finder.cases((block, at), false)
        {
            continue;
        }
        if !found
            && may_capture
            && let Some(at) = single::captured(&finder.graph.blocks[block], context)
            && finder.cases((block, at), true)
        {
            continue;
        }
        if !found
            && let Some(first) = finder.guarded_subject(block)
            && let Some(next) = finder.wildcard(first)
        {
            let next = finder.behind_wildcards(next);
            finder.cases((next, 0), true);
        }
    }
    if !graph.cases.is_empty() {
        graph.contents.add(Contents::CASES);
        erase_unreached(graph);
    }
}

/// What the search shares.
struct Finder<'a> {
    graph: &'a mut Graph,
    context: &'a Context<'a>,
    temporaries: &'a mut Temporaries,
    /// How many edges led into each block at first.
    ways_in: Vec<usize>,
    /// Blocks that only test a pattern that has been found.
    tested: FixedBitSet,
    /// For each block, whether it holds what only patterns do.
    has_tests: Vec<bool>,
    /// Blocks to look at, the next one last.
    work: Vec<BlockId>,
    /// See [`Machine`].
    budget: Cell<usize>,
}

/// Whether a `match` statement may take its subject here: the first case copies it, or, in a function that has what
/// only patterns do, tests it at once.
fn may_start(block: &Block, at: usize, has_patterns: bool) -> bool {
    let op = |at: usize| block.steps.get(at)?.op();
    if let StepKind::Op(Op::Copy(1)) = block.steps[at].kind {
        // Of several copies the first one is the start. No pattern tests the truth of its subject, as operands do.
        return at + 1 < block.steps.len() || matches!(block.end, Terminator::Jump(_));
    }
    if !has_patterns {
        return false;
    }
    match op(at) {
        Some(Op::MatchSequence | Op::MatchMapping) => true,
        // The class that the subject is compared with.
        Some(load) if loads(load) => {
            let mut next = at + 1;
            while matches!(op(next), Some(Op::LoadAttr(_) | Op::LoadFromDictOrGlobals(_))) {
                next += 1;
            }
            matches!((op(next), op(next + 1)), (Some(Op::Const(_)), Some(Op::MatchClass(_))))
        }
        _ => false,
    }
}

/// Whether the operation pushes the value of a name.
fn loads(op: Op) -> bool {
    matches!(
        op,
        Op::LoadLocal(_)
            | Op::LoadDeref(_)
            | Op::LoadClassDeref(_)
            | Op::LoadGlobal(_)
            | Op::LoadName(_)
            | Op::LoadLocals
    )
}

impl Finder<'_> {
    /// Turns the cases that start at a position into blocks that end with `Case`; `chained`, if one lies in front.
    fn cases(&mut self, start: Position, mut chained: bool) -> bool {
        let mut position = start;
        while let Some(case) = self.parse(position, chained) {
            self.tested.extend(case.tested);
            let yes = self.split(case.end);
            let no = case.fails.map(|fails| self.split(fails));
            self.work.extend([Some(yes), no].into_iter().flatten());
            let (block, at) = position;
            let id = self.graph.cases.len();
            self.graph.pattern_stores.extend(case.stores.iter().map(|&local| local as usize));
            self.graph.cases.push(Case { pattern: case.pattern, guard: None, stores: case.stores });
            let found = &mut self.graph.blocks[block];
            found.end_offset = found.steps.get(at).map_or(found.end_offset, |step| step.offset);
            found.steps.truncate(at + usize::from(case.keeps));
            self.has_tests[block] = found.steps.iter().any(tests_pattern);
            found.end = Terminator::Case { case: id, yes, no };
            chained = true;
            // A case that copies the subject has another one behind it. Where this one always matches, the way
            // to the next one is that of its guard.
            let next = no.or_else(|| self.guard_fails((yes, 0)));
            position = match next {
                Some(next) if case.keeps => (self.behind_wildcards(next), 0),
                _ => break,
            };
        }
        chained
    }

    /// Where the first case is `case _ if guard`, the block that begins with the guard, cut off behind the subject: what
    /// the test at the end of the block is computed from lies above that.
    fn guarded_subject(&mut self, block: BlockId) -> Option<BlockId> {
        let found = &self.graph.blocks[block];
        let at = guard_start(found, self.context.function).filter(|_| !self.has_tests[block])?;
        let fails = self.guard_fails((block, at))?;
        self.leads_to_case(fails).then(|| self.split((block, at)))
    }

    /// `case _ if guard` in front of another case tests nothing, and later versions do not even copy the subject
    /// for it. Returns where the guard leads to when it fails.
    fn wildcard(&mut self, block: BlockId) -> Option<BlockId> {
        let copies = |step: &Step| matches!(step.kind, StepKind::Op(Op::Copy(1)));
        let fails = self.guard_fails((block, 0))?;
        if self.parse((block, 0), true).is_some()
            || self.graph.blocks[block].steps.first().is_some_and(copies)
        {
            return None;
        }
        if !self.leads_to_case(fails) {
            return None;
        }
        let new = self.graph.blocks.len();
        let copy = self.graph.blocks[block].clone();
        self.graph.blocks.push(copy);
        self.has_tests.push(self.has_tests[block]);
        self.has_tests[block] = false;
        self.ways_in.push(1);
        self.tested.grow(new + 1);
        self.work.push(new);
        let id = self.graph.cases.len();
        self.graph.cases.push(Case { pattern: Pattern::WILDCARD, guard: None, stores: Vec::new() });
        let found = &mut self.graph.blocks[block];
        let kind = StepKind::Op(Op::Copy(1));
        found.steps = vec![Step { offset: found.start, kind }];
        found.end = Terminator::Case { case: id, yes: new, no: None };
        Some(fails)
    }

    /// What follows as many `case _ if guard` as start at a block.
    fn behind_wildcards(&mut self, mut block: BlockId) -> BlockId {
        while let Some(next) = self.wildcard(block) {
            block = next;
        }
        block
    }

    /// Whether a case starts at a block, behind as many `case _ if guard` as there may be.
    fn leads_to_case(&mut self, mut block: BlockId) -> bool {
        for _ in 0..MOST_GUARD_TESTS {
            if self.parse((block, 0), true).is_some() {
                return true;
            }
            let Some(fails) = self.guard_fails((block, 0)) else { return false };
            block = fails;
        }
        false
    }

    /// Reads the case that starts at a position. In front of the first case nothing says that it is one, so
    /// it must test something.
    fn parse(&mut self, start: Position, chained: bool) -> Option<Parsed> {
        let copies = matches!(self.graph.blocks[start.0].steps.get(start.1)?.kind, StepKind::Op(Op::Copy(1)));
        // A copy may belong to the pattern. The last case is tried first: its failure drops the subject as well.
        let attempts: &[bool] = if copies { &[false, true] } else { &[false] };
        attempts.iter().find_map(|&keeps| {
            let mut machine = Machine::new(self.graph, self.context, &self.ways_in, &self.budget);
            let run = machine.case((start.0, start.1 + usize::from(keeps)))?;
            let always = run.checks.is_empty();
            let names = &machine.places[run.root].names;
            let is_any = names.is_empty();
            if always && self.is_as_wide_as_any((start.0, start.1 + usize::from(keeps)), names) {
                machine.places[run.root].is_any = true;
            }
            let stores = std::mem::take(&mut machine.stores);
            let (end, fails, tested) = (run.end, run.fails, run.tested.clone());
            let pattern = machine.pattern(run, self.temporaries)?;
            // A first case that always matches needs a guard, and a case behind it. Nothing but `_` copies what it drops.
            if always && !chained {
                let next = if keeps { self.guard_fails(end)? } else { return None };
                let mut machine = Machine::new(self.graph, self.context, &self.ways_in, &self.budget);
                (machine.follows((next, 0)) || is_any && self.leads_to_case(next)).then_some(())?;
            }
            // What lies below is dropped by `case _ if guard` behind it, the last one.
            if copies && !keeps && !self.needs_copies(start, &pattern) {
                return None;
            }
            Some(Parsed { pattern, stores, tested, keeps, end, fails })
        })
    }

    /// Whether the store at a position is as wide as `_ as name`: it has the place of the whole pattern. From 3.12 on no copy
    /// tells that from a name alone.
    fn is_as_wide_as_any(&self, (block, at): Position, names: &[Ident]) -> bool {
        let ([name], Some(step)) = (names, self.graph.blocks[block].steps.get(at)) else { return false };
        let store = instruction_at(self.context.function, step.offset);
        store.is_some_and(|store| usize::from(store.width) == name.as_wtf8().len() + "_ as ".len())
    }

    /// Whether a pattern needs all copies of the subject that its tests begin with.
    fn needs_copies(&self, (block, at): Position, pattern: &Pattern) -> bool {
        let steps = &self.graph.blocks[block].steps[at..];
        let copies = steps.iter().take_while(|step| matches!(step.kind, StepKind::Op(Op::Copy(1)))).count();
        copies == first_copies(pattern)
    }

    /// Where the guard of a case that always matches leads to when it fails: its other way drops the subject. What the
    /// guard tests lies above the subject.
    fn guard_fails(&self, (mut block, mut from): Position) -> Option<BlockId> {
        let drops = |block: BlockId| {
            let first = self.graph.blocks[block].steps.first();
            matches!(first.map(|step| &step.kind), Some(StepKind::Op(Op::Pop)))
        };
        let mut above = 0;
        // Of an `or` each test leads to the body, and the last one elsewhere.
        let mut body = None;
        let mut fails = None;
        for _ in 0..MOST_GUARD_TESTS {
            let steps = self.graph.blocks[block].steps.get(from..).unwrap_or_default();
            if self.has_tests[block] || holds_statement(steps) {
                break;
            }
            match steps.iter().try_fold(above, |above, step| self.height_behind(step, above)) {
                Some(height) => above = height,
                None => break,
            }
            from = 0;
            match self.graph.blocks[block].end {
                Terminator::Jump(next) => block = next,
                Terminator::Branch { yes, no } => {
                    above -= 1;
                    let is_body = |way: BlockId| above == 0 && body.map_or(drops(way), |body| body == way);
                    let other = match () {
                        // The case behind drops the subject too if it is the last one; the body lies in front of it,
                        // though tests of an `and` led to the case before.
                        () if (is_body(yes) || is_body(no)) && drops(yes) && drops(no) => {
                            if self.start(no) < self.start(yes) { yes } else { no }
                        }
                        () if is_body(yes) => no,
                        () if is_body(no) => yes,
                        // The tests of one guard lie behind each other.
                        () if above >= 0 => {
                            block = if self.start(no) < self.start(yes) { no } else { yes };
                            continue;
                        }
                        () => break,
                    };
                    body = Some(if other == no { yes } else { no });
                    fails = Some(other);
                    block = other;
                }
                _ => break,
            }
        }
        fails
    }

    /// Where a block lies in the bytecode.
    fn start(&self, block: BlockId) -> u32 {
        self.graph.blocks[block].start
    }

    /// How many values of a guard lie on the stack behind a step, where so many lay there before it; `None` if the step
    /// takes more, or leaves none.
    fn height_behind(&self, step: &Step, height: i64) -> Option<i64> {
        let StepKind::Op(op) = step.kind else { return Some(height).filter(|&height| height > 0) };
        let reads = if let Op::Copy(depth) | Op::Swap(depth) | Op::Rot(depth) = op { depth } else { 0 };
        let behind = height + stack_effect(op, false, &self.context.function.features);
        (i64::from(reads) <= height && behind > 0).then_some(behind)
    }

    /// The block that starts at a position; cuts the block there if need be.
    fn split(&mut self, (block, at): Position) -> BlockId {
        if at == 0 {
            return block;
        }
        let tail = self.graph.blocks[block].steps.split_off(at);
        let mut rest = self.graph.blocks[block].clone();
        rest.start = tail.first().map_or(rest.end_offset, |step| step.offset);
        rest.steps = tail;
        let new = self.graph.blocks.len();
        self.has_tests.push(rest.steps.iter().any(tests_pattern));
        self.has_tests[block] = self.graph.blocks[block].steps.iter().any(tests_pattern);
        self.graph.blocks.push(rest);
        self.graph.blocks[block].end = Terminator::Jump(new);
        self.ways_in.push(1);
        self.tested.grow(new + 1);
        new
    }
}

/// Follows the jumps in front of what comes next, from one block to another where that is wanted.
fn skip_jumps(graph: &Graph, mut at: Position, is_wanted: impl Fn(BlockId, BlockId) -> bool) -> Position {
    for _ in 0..graph.blocks.len() {
        match graph.blocks[at.0].end {
            Terminator::Jump(next) if at.1 == graph.blocks[at.0].steps.len() && is_wanted(at.0, next) => {
                at = (next, 0);
            }
            _ => break,
        }
    }
    at
}

/// The same to what a case leads to that begins in a block, but for a jump back in front of it, which tells how far a loop
/// goes, and for what is all that an inner `try` has for a body.
fn skip_jumps_in_order(graph: &Graph, at: Position, case: BlockId) -> Position {
    let start = |block: BlockId| graph.blocks[block].start;
    let is_body = |from: BlockId, next: BlockId| {
        let own = graph.blocks[from].region;
        let is_around = |block: BlockId| own.is_none_or(|own| graph.regions_around(block).contains(&own));
        // A body that does nothing may be several blocks.
        let end = || skip_jumps(graph, (next, 0), |from, _| is_around(from)).0;
        !is_around(case) && !is_around(end())
    };
    skip_jumps(graph, at, |from, next| start(from) <= start(next) && !is_body(from, next))
}

/// Whether a way behind a test starts with dropping a value, but for a test of an exception, which drops that.
fn drops_on_a_way(graph: &Graph, block: &Block) -> bool {
    let Terminator::Branch { yes, no } = block.end else { return false };
    if tests_exception(block) {
        return false;
    }
    let drops = |way: BlockId| {
        let first = graph.blocks[way].steps.first();
        matches!(first.map(|step| &step.kind), Some(StepKind::Op(Op::Pop)))
    };
    drops(yes) || drops(no)
}

/// Whether a block ends with the test of an exception, by a handler or by the exit function of a `with` statement.
fn tests_exception(block: &Block) -> bool {
    matches!(
        block.steps.last().and_then(Step::op),
        Some(Op::ExceptionMatch | Op::ExceptionGroupMatch | Op::WithExceptStart)
    )
}

/// Where the test begins that a block ends with, if it may be the guard of a first `case _`: something was computed before.
fn guard_start(block: &Block, function: &Function) -> Option<usize> {
    if !matches!(block.end, Terminator::Branch { .. }) || tests_exception(block) {
        return None;
    }
    let mut needed = 1;
    let mut at = block.steps.len();
    while needed > 0 {
        at = at.checked_sub(1)?;
        needed -= stack_effect(block.steps[at].op()?, false, &function.features);
    }
    // Right behind a statement nothing has computed a subject: what one way drops is the iterator of a `for`. Nor has where a
    // handler begins: that is its exception.
    let before = block.steps[..at].last()?;
    (before.op() != Some(Op::PushExcInfo) && !ends_statement(&block.steps[..at])).then_some(at)
}

/// How many copies of its subject the tests of a pattern begin with: one for a name, and one for the first alternative.
fn first_copies(mut pattern: &Pattern) -> usize {
    let mut copies = 0;
    while let Some(inner) = match pattern {
        Pattern::As { pattern, .. } => pattern.as_deref(),
        Pattern::Or(alternatives) => alternatives.first(),
        _ => None,
    } {
        (pattern, copies) = (inner, copies + 1);
    }
    copies
}

/// Whether a step touches what lies below a stack of a height: the end of alternatives drops their subject.
fn takes_below(step: &Step, height: usize) -> bool {
    match step.kind {
        StepKind::Op(Op::Pop) => height == 0,
        StepKind::Op(Op::Swap(depth) | Op::Rot(depth)) => depth as usize > height,
        _ => false,
    }
}

/// Whether only patterns do such a step.
fn tests_pattern(step: &Step) -> bool {
    matches!(
        step.kind,
        StepKind::Op(Op::MatchSequence | Op::MatchMapping | Op::MatchClass(_) | Op::MatchKeys | Op::GetLen)
    )
}

/// Whether the steps do what no expression does, which a guard is: store, but not as an assignment expression, or match
/// an exception, which is no subject.
fn holds_statement(steps: &[Step]) -> bool {
    steps.iter().enumerate().any(|(at, step)| match step.op() {
        Some(op) if op.stores_variable() => {
            !at.checked_sub(1).is_some_and(|before| steps[before].op() == Some(Op::Copy(1)))
        }
        Some(Op::StoreAttr(_) | Op::StoreSubscript | Op::StoreSlice) => true,
        Some(Op::ExceptionMatch | Op::ExceptionGroupMatch) => true,
        _ => false,
    })
}

/// Guards with more tests are not looked for.
const MOST_GUARD_TESTS: usize = 100;

/// A case as its tests show it.
struct Parsed {
    pattern: Pattern,
    stores: Vec<VarId>,
    /// The blocks that only test the pattern.
    tested: Vec<BlockId>,
    /// Whether the case works on a copy of the subject, so that another one follows.
    keeps: bool,
    /// What runs when it matches.
    end: Position,
    /// What runs when it does not; `None` for a pattern that always matches.
    fails: Option<Position>,
}

/// Empties the blocks of the decision trees, which no way leads to any more.
fn erase_unreached(graph: &mut Graph) {
    let mut reached = vec![false; graph.blocks.len()];
    graph.reverse_postorder().iter().for_each(|&block| reached[block] = true);
    for (block, reached) in graph.blocks.iter_mut().zip(reached) {
        if !reached {
            block.steps.clear();
            block.end = Terminator::Nowhere;
        }
    }
}
