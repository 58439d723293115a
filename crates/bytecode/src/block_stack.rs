//! Protected regions of 3.8 to 3.10, which have no table of them.
//!
//! There, SETUP_x pushes a block on a stack of the frame and POP_BLOCK pops it, so what protects an
//! instruction depends on the way to it. The compiler makes all ways agree; one walk over the reachable
//! instructions therefore gives the relation that later versions store.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::function::{Features, Region};
use crate::op::{Op, Target};
use crate::stack_effect::stack_effect;
use crate::translate::Translation;

/// Values that an exception's handler starts with.
const HANDLER_VALUES: u32 = 6;

/// No more ranks than this many are told apart.
const MAX_RANK: u8 = 40;

/// Index into [`Walk::blocks`].
type BlockId = usize;

/// What lies on the frame's block stack. The stacks of all states share their lower parts.
#[derive(Clone, Copy, Debug)]
struct Block {
    below: Option<BlockId>,
    /// Depth of the value stack that unwinding goes back to.
    level: u32,
    /// Where an exception goes; `None` for the block of a handler that runs.
    handler: Option<Target>,
}

/// Code behind the end of a statement that no way leads to, or the end itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The instruction that the statement begins with, SETUP_FINALLY, or the `raise` that is all of it.
    pub setup: Target,
    /// The first instruction of the code, right behind the statement's END_FINALLY or RERAISE, or the `raise`.
    pub start: Target,
    /// Whether `start` is that END_FINALLY itself: the body of a `finally` always leaves, and what lies behind it, or behind
    /// a call of it, needs its end (3.8).
    pub is_end: bool,
}

/// How a `finally` body of 3.8 was entered, if not by an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// BEGIN_FINALLY: control goes on behind the body.
    FallThrough,
    /// CALL_FINALLY of the body at an instruction: it goes back to the call.
    Call(Target),
}

/// How control reaches the end of a `finally` body of 3.8, if not by an exception.
#[derive(Clone, Copy, Debug, Default)]
struct Entries {
    falls: bool,
    called: bool,
}

/// The slot that tells the end of a `finally` body of 3.8 where to go.
#[derive(Clone, Copy, Debug)]
struct Marker {
    below: Option<usize>,
    depth: u32,
    entry: Entry,
    /// How much of the way is normal: see [`Walk::rank`].
    rank: u8,
}

/// What is known in front of an instruction.
#[derive(Clone, Copy, Debug)]
struct State {
    depth: u32,
    block: Option<BlockId>,
    marker: Option<usize>,
}

/// What the walk finds out about a function.
pub(crate) struct Regions {
    /// Disjoint and sorted. Unreachable instructions are in none.
    pub(crate) protected: Vec<Region>,
    /// What the END_FINALLY of 3.8 are, by index. One that only exceptions reach raises again, as RERAISE does later.
    pub(crate) ends: Vec<(usize, Op)>,
    /// Code that was walked though nothing leads there, in the order of the bytecode.
    pub(crate) unreached: Vec<Unreached>,
}

/// The regions of a function.
///
/// A `finally` body of 3.8 is entered with one value by falling into it, with one value above a result by
/// a call, and with six by an exception. Depths inside of it count the first of these that exists.
///
/// With `all`, what stands right behind a statement that nothing leads out of is walked as well: blocks and values are
/// those in front of the statement.
///
/// # Errors
/// Where the stack of values or blocks underflows, or control runs off the end of the code.
pub(crate) fn regions(translation: &Translation, features: &Features, all: bool) -> Result<Regions, Error> {
    let mut walk = Walk::new(translation, features, BTreeMap::new());
    if all {
        walk.closings = closings(translation);
    }
    walk.visit_all()?;
    walk.is_reach_known = true;
    let mut unreached = Vec::new();
    if all {
        unreached = walk.visit_behind();
        let mut never_end = walk.bodies_that_never_end();
        while !never_end.is_empty() {
            let (closings, mut skipped) = (walk.closings, walk.skipped);
            skipped.extend(never_end);
            walk = Walk { closings, is_reach_known: true, ..Walk::new(translation, features, skipped) };
            walk.visit_all()?;
            unreached = walk.visit_behind();
            never_end = walk.bodies_that_never_end();
        }
        unreached.extend(walk.skipped.values().copied());
    }
    unreached.sort_by_key(|found| found.start);
    let mut ends: Vec<(usize, Op)> = Vec::with_capacity(walk.ends.len());
    ends.extend(walk.ends.iter().map(|(&at, entries)| match entries {
        Entries { falls: false, called: false } => (at, Op::Reraise(false)),
        &Entries { falls, .. } => (at, Op::EndFinally { falls }),
    }));
    Ok(Regions { protected: walk.runs(), ends, unreached })
}

/// Where the END_FINALLY or RERAISE stands that ends each statement, by its first instruction: each has one, in the order
/// of the source.
fn closings(translation: &Translation) -> BTreeMap<Target, Target> {
    let mut found = BTreeMap::new();
    let mut open = Vec::new();
    for (at, instruction) in (0..).zip(&translation.instructions) {
        match instruction.op {
            Op::SetupBlock(_) => open.push(at),
            Op::EndAsyncFor => drop(open.pop()),
            Op::EndFinally { .. } | Op::Reraise(_) => found.extend(open.pop().map(|setup| (setup, at))),
            _ => {}
        }
    }
    found
}

struct Walk<'a> {
    translation: &'a Translation,
    features: &'a Features,
    blocks: Vec<Block>,
    markers: Vec<Marker>,
    /// Handler and level of each instruction's innermost region.
    protection: Vec<Option<(Target, u32)>>,
    /// Rank of the best state that each instruction was visited with.
    seen: Vec<Option<u8>>,
    /// How control reaches each END_FINALLY.
    ends: BTreeMap<usize, Entries>,
    normal: Vec<(Target, State)>,
    handlers: Vec<(Target, State)>,
    /// Whether all that ways lead to was found to be sound. Where all of it returns, the compiler has put no end behind the
    /// rest.
    is_reach_known: bool,
    /// Where the instruction stands that ends each statement, by its first one, if what lies behind is asked for.
    closings: BTreeMap<Target, Target>,
    /// What lies behind the ends of statements: where they begin, and the state in front of them.
    behind: BTreeMap<Target, (Target, State)>,
    /// The same of what lies behind each `raise`. It may lead behind the statement around, too, but is seldom printed.
    behind_raises: BTreeMap<Target, (Target, State)>,
    /// The bodies of `finally` that are walked as if they might do nothing, by their first instructions.
    skipped: BTreeMap<Target, Unreached>,
}

impl<'a> Walk<'a> {
    fn new(
        translation: &'a Translation,
        features: &'a Features,
        skipped: BTreeMap<Target, Unreached>,
    ) -> Self {
        Self {
            translation,
            features,
            blocks: Vec::new(),
            markers: Vec::new(),
            protection: vec![None; translation.instructions.len()],
            seen: vec![None; translation.instructions.len()],
            ends: BTreeMap::new(),
            normal: vec![(0, State { depth: 0, block: None, marker: None })],
            handlers: Vec::new(),
            is_reach_known: false,
            closings: BTreeMap::new(),
            behind: BTreeMap::new(),
            behind_raises: BTreeMap::new(),
            skipped,
        }
    }

    /// Visits what can be reached from the instructions that are known to be.
    fn visit_all(&mut self) -> Result<(), Error> {
        while let Some((at, state)) = self.normal.pop().or_else(|| self.handlers.pop()) {
            self.visit(at, state)?;
        }
        Ok(())
    }

    /// Visits what lies behind statements that nothing leads out of.
    fn visit_behind(&mut self) -> Vec<Unreached> {
        let mut found = Vec::new();
        while let Some((start, (setup, state))) =
            self.behind.pop_first().or_else(|| self.behind_raises.pop_first())
        {
            if self.begins_unreached(setup, start) {
                found.push(Unreached { setup, start, is_end: false });
                if self.is_finally(setup) {
                    self.ends.entry(start as usize - 1).or_default().falls = true;
                }
                self.normal.push((start, state));
                if self.visit_all().is_err() {
                    found.pop();
                    self.normal.clear();
                    self.handlers.clear();
                }
            }
        }
        found
    }

    /// The bodies of `finally` whose END_FINALLY no way leads to, by their first instructions (3.8). What holds another
    /// one may come to its end when that one does.
    fn bodies_that_never_end(&self) -> BTreeMap<Target, Unreached> {
        let mut found: BTreeMap<Target, Unreached> = BTreeMap::new();
        for (&setup, &closing) in self.closings.iter().rev() {
            if let Op::SetupBlock(body) = self.translation.instructions[setup as usize].op
                && self.seen[setup as usize].is_some()
                && self.seen[closing as usize].is_none()
                && self.is_finally(setup)
                && found.range(body..closing).next().is_none()
            {
                found.insert(body, Unreached { setup, start: closing, is_end: true });
            }
        }
        found
    }

    fn visit(&mut self, at: Target, mut state: State) -> Result<(), Error> {
        let index = at as usize;
        let Some(instruction) = self.translation.instructions.get(index).copied() else {
            if self.is_reach_known {
                return Ok(());
            }
            let end = self.translation.instructions.last().map_or(0, |last| last.offset);
            return Err(Error::new(end as usize, "control runs off the end of the code"));
        };
        let rank = self.rank(state.marker);
        if self.seen[index] >= Some(rank) {
            return Ok(());
        }
        self.seen[index] = Some(rank);
        self.protection[index] = self.innermost(state.block);
        if let Some(body) = self.skipped.get(&at) {
            self.normal.push((body.start, state));
        }
        let fail =
            |what: &str| Error::new(instruction.offset as usize, format!("the {what} stack underflows"));
        let moved = |depth: u32, by: i64| u32::try_from(i64::from(depth) + by).map_err(|_| fail("value"));
        let op = instruction.op;
        if let Some(target) = op.target().filter(|_| !matches!(op, Op::SetupBlock(_))) {
            let mut there =
                State { depth: moved(state.depth, stack_effect(op, true, self.features))?, ..state };
            if matches!(op, Op::CallFinally(_)) {
                there.marker = self.mark(there.marker, there.depth, Entry::Call(target));
            }
            self.normal.push((target, there));
        }
        let before = state;
        state.depth = match op {
            // On the way of an exception these end the handler; both cases below set the depth.
            Op::EndFinally { .. } | Op::PopFinally(_) | Op::WithCleanupStart | Op::EndAsyncFor => state.depth,
            _ => moved(state.depth, stack_effect(op, false, self.features))?,
        };
        match op {
            Op::Raise(_) => {
                self.behind_raises.entry(at + 1).or_insert((at, state));
                return Ok(());
            }
            Op::Jump(_) | Op::Return | Op::Reraise(_) => return Ok(()),
            Op::SetupBlock(handler) => {
                let is_with = self.translation.with_setups.binary_search(&at).is_ok();
                let level = moved(before.depth, -i64::from(is_with))?;
                if let Some(closing) = self.closings.get(&at) {
                    self.behind.insert(closing + 1, (at, State { depth: level, ..before }));
                }
                let running = self.push(Block { below: before.block, level, handler: None });
                let depth = level.saturating_add(HANDLER_VALUES);
                self.handlers.push((handler, State { depth, block: running, ..before }));
                state.block = self.push(Block { below: before.block, level, handler: Some(handler) });
            }
            Op::PopBlock | Op::PopExcept => {
                state.block = self.top(before.block).ok_or_else(|| fail("block"))?.below;
            }
            Op::EndAsyncFor => {
                let block = self.top(before.block).ok_or_else(|| fail("block"))?;
                state.block = block.below;
                state.depth = moved(block.level, -1)?;
            }
            Op::BeginFinally => state.marker = self.mark(state.marker, state.depth, Entry::FallThrough),
            Op::EndFinally { .. } => {
                let marker = self.marked(before.marker, before.depth);
                let entries = self.ends.entry(index).or_default();
                entries.falls |= matches!(marker, Some(Marker { entry: Entry::FallThrough, .. }));
                entries.called |= matches!(marker, Some(Marker { entry: Entry::Call(_), .. }));
                // A call goes back, and an exception is raised again.
                let Some(Marker { below, entry: Entry::FallThrough, .. }) = marker else { return Ok(()) };
                state.marker = below;
                state.depth = moved(before.depth, -1)?;
            }
            Op::PopFinally(preserves) => {
                let entered = before.depth.saturating_sub(u32::from(preserves));
                match self.marked(before.marker, entered) {
                    Some(marker) => {
                        state.marker = marker.below;
                        state.depth = moved(before.depth, -1)?;
                    }
                    None => {
                        state.block = self.top(before.block).ok_or_else(|| fail("block"))?.below;
                        state.depth = moved(before.depth, -i64::from(HANDLER_VALUES))?;
                    }
                }
            }
            Op::WithCleanupStart => match self.marked(before.marker, before.depth) {
                Some(marker) => {
                    state.depth = moved(before.depth, 1)?;
                    state.marker = self.mark(marker.below, moved(before.depth, -1)?, marker.entry);
                }
                // The exit function leaves its place below the exception, so the handler's level sinks.
                None => {
                    let block = self.top(before.block).ok_or_else(|| fail("block"))?;
                    state.block = self.push(Block { level: moved(block.level, -1)?, ..block });
                    state.depth = moved(before.depth, 2)?;
                }
            },
            // An exception that is not suppressed is raised by the END_FINALLY behind; only the suppressed
            // one goes on, with NULL in place of the handler's values.
            Op::WithCleanupFinish if self.marked(before.marker, state.depth).is_none() => {
                let block = self.top(before.block).ok_or_else(|| fail("block"))?;
                state.block = block.below;
                state.depth = block.level.saturating_add(1);
                state.marker = self.mark(before.marker, state.depth, Entry::FallThrough);
            }
            _ => {}
        }
        self.normal.push((at + 1, state));
        Ok(())
    }

    /// Whether no way leads to what lies behind a statement, and what the compiler makes of it tells of that.
    fn begins_unreached(&self, setup: Target, at: Target) -> bool {
        let is_statement = self.closings.contains_key(&setup);
        self.seen.get(at as usize).is_some_and(Option::is_none)
            && match self.features.finally_subroutines && is_statement {
                true => !self.is_passed(setup, at),
                false => self.is_written(at),
            }
    }

    /// Whether what lies from an instruction on is a jump past an `else`, or at the end of a handler around: the end of the
    /// statement's body, or of one of its handlers, led there. The compiler leads each jump on once, in their order (CPython
    /// `Python/peephole.c`), so that one leads to the jump that this one led to.
    fn is_passed(&self, setup: Target, at: Target) -> bool {
        let op = |at: usize| self.translation.instructions.get(at).map(|found| found.op);
        let (Some(&closing), Some(Op::SetupBlock(handler)), Some(Op::Jump(to))) =
            (self.closings.get(&setup), op(setup as usize), op(at as usize))
        else {
            return false;
        };
        let (first, last) = (handler as usize, closing as usize);
        let next_handlers = (first..last).filter_map(|at| match (op(at), op(at + 1)) {
            (Some(Op::ExceptionMatch), Some(Op::JumpIf(_, next))) => Some(next as usize),
            _ => None,
        });
        let ends = [first, last].into_iter().chain(next_handlers).filter_map(|at| at.checked_sub(1));
        ends.filter(|&end| self.seen[end].is_some()).any(|end| {
            matches!(op(end), Some(Op::Jump(next)) if next != to && self.end_of_jumps(next) == self.end_of_jumps(to))
        })
    }

    /// Where jumps to jumps lead.
    fn end_of_jumps(&self, mut at: Target) -> Target {
        for _ in 0..self.translation.instructions.len() {
            match self.translation.instructions.get(at as usize).map(|found| found.op) {
                Some(Op::Jump(to)) => at = to,
                _ => break,
            }
        }
        at
    }

    /// Whether somebody wrote what lies from an instruction on: it is no jump, nothing that leaves a statement around or
    /// returns a value that was made before, and not the end that the compiler puts behind all functions.
    fn is_written(&self, at: Target) -> bool {
        let op = |at: usize| self.translation.instructions.get(at).map(|found| found.op);
        // What a `finally` body drops that may leave by itself.
        let first = at as usize + usize::from(op(at as usize) == Some(Op::Pop));
        let leaves = matches!(
            op(first),
            None | Some(
                Op::Nop
                    | Op::Jump(_)
                    | Op::PopBlock
                    | Op::PopExcept
                    | Op::BeginFinally
                    | Op::CallFinally(_)
                    | Op::EndFinally { .. }
                    | Op::Reraise(_)
                    | Op::Return
                    | Op::Swap(_)
                    | Op::Rot(_)
            )
        );
        let is_end =
            matches!((op(first), op(first + 1), op(first + 2)), (Some(Op::Const(_)), Some(Op::Return), None));
        !leaves && !is_end
    }

    /// Whether the handler of a statement is the body of a `finally`: it neither asks for the type of its exception nor
    /// drops it (3.8).
    fn is_finally(&self, setup: Target) -> bool {
        let op = |at: Target| self.translation.instructions.get(at as usize).map(|found| found.op);
        let Some(Op::SetupBlock(handler)) = op(setup) else { return false };
        self.features.finally_subroutines
            && !matches!(op(handler), None | Some(Op::Copy(_) | Op::Pop | Op::WithCleanupStart))
    }

    fn push(&mut self, block: Block) -> Option<BlockId> {
        self.blocks.push(block);
        Some(self.blocks.len() - 1)
    }

    fn top(&self, block: Option<BlockId>) -> Option<Block> {
        self.blocks.get(block?).copied()
    }

    fn mark(&mut self, below: Option<usize>, depth: u32, entry: Entry) -> Option<usize> {
        let weight = if entry == Entry::FallThrough { 2 } else { 1 };
        // Twenty blocks may nest, so the limit is one of hostile bytecode alone.
        let rank = self.rank(below).saturating_add(weight).min(MAX_RANK);
        self.markers.push(Marker { below, depth, entry, rank });
        Some(self.markers.len() - 1)
    }

    /// A state of higher rank visits an instruction of a `finally` body again: falling into the body
    /// comes before a call, and a call before an exception. Elsewhere all ranks are the same.
    fn rank(&self, marker: Option<usize>) -> u8 {
        marker.and_then(|marker| self.markers.get(marker)).map_or(0, |marker| marker.rank)
    }

    /// The top marker, if it is at this depth.
    fn marked(&self, marker: Option<usize>, depth: u32) -> Option<Marker> {
        self.markers.get(marker?).copied().filter(|found| found.depth == depth)
    }

    fn innermost(&self, mut block: Option<BlockId>) -> Option<(Target, u32)> {
        while let Some(found) = self.top(block) {
            if let Some(handler) = found.handler {
                return Some((handler, found.level));
            }
            block = found.below;
        }
        None
    }

    /// Joins neighbours with the same protection.
    fn runs(&self) -> Vec<Region> {
        let mut regions: Vec<Region> = Vec::new();
        for (index, protection) in self.protection.iter().enumerate() {
            let Some((handler, depth)) = *protection else { continue };
            let start = index as Target;
            match regions.last_mut() {
                Some(last) if last.end == start && (last.handler, last.depth) == (handler, depth) => {
                    last.end += 1
                }
                _ => regions.push(Region { start, end: start + 1, handler, depth, lasti: false }),
            }
        }
        regions
    }
}
