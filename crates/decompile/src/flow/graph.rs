//! The control-flow graph: basic blocks of neutral operations and the regions that protect them.

use std::rc::Rc;

use depyf_bytecode::{Features, Function, Instruction, JumpCondition, Op, Region, VarId};

use fixedbitset::FixedBitSet;

use super::matches::{Case, CaseId};
use super::test_layout::layout;
use super::{Blocks, Contents, Copies, Lists, Step, StepKind, Successors, Ways};
use crate::hash::HashSet;

/// Index of a basic block.
pub(crate) type BlockId = usize;
/// Index of a protected region.
pub(crate) type RegionId = usize;
/// As many blocks as the passes mostly make.
const MADE_BLOCKS: usize = 3;
/// The regions around a block; hardly ever more than four.
pub(crate) type RegionList = smallvec::SmallVec<[RegionId; 4]>;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Terminator {
    /// Goes on.
    Jump(BlockId),
    /// Pops a value and tests its truth.
    Branch { yes: BlockId, no: BlockId },
    /// Keeps the value and goes to `keep` where its truth is `when`, else pops it.
    OrPop { when: bool, keep: BlockId, other: BlockId },
    /// Takes the next item of the iterator on the stack.
    ForIter { body: BlockId, exhausted: BlockId, slots: u32, pops: bool },
    /// Awaits the next item of the asynchronous iterator on the stack; exhaustion pops the iterator.
    AsyncFor { body: BlockId, exhausted: BlockId },
    /// Compares the subject on the stack with a pattern, and takes it off. A pattern that always matches has
    /// no other way.
    Case { case: CaseId, yes: BlockId, no: Option<BlockId> },
    /// Returns the value on the stack.
    Return,
    /// `raise` with 0 to 2 operands.
    Raise(u32),
    /// Raises the handled exception again.
    Reraise,
    /// Sends to a generator; `fold_delegation` makes a step of the loop around it.
    Send { on: BlockId, done: BlockId },
    /// The handler that ends an `async for`; `fold_async_loops` makes an `AsyncFor` of it.
    EndAsyncFor(BlockId),
    /// 3.8: the end of a `finally` subroutine.
    EndFinally,
    /// The end of a `finally` body: goes on behind the statement, or raises again.
    Done,
    /// Falls off the end of the bytecode, which no reachable block does.
    Nowhere,
}

impl Terminator {
    /// The blocks it may go to, in order; exceptions not counted.
    #[inline]
    pub(crate) fn successors(self) -> Successors {
        match self {
            Self::Jump(to) | Self::EndAsyncFor(to) | Self::Case { yes: to, no: None, .. } => {
                Successors::one(to)
            }
            Self::Branch { yes: first, no: second }
            | Self::OrPop { keep: first, other: second, .. }
            | Self::ForIter { body: first, exhausted: second, .. }
            | Self::AsyncFor { body: first, exhausted: second }
            | Self::Send { on: first, done: second }
            | Self::Case { yes: first, no: Some(second), .. } => Successors::two(first, second),
            Self::Return | Self::Raise(_) | Self::Reraise | Self::EndFinally | Self::Done | Self::Nowhere => {
                Successors::NONE
            }
        }
    }

    /// Applies `map` to every successor.
    pub(crate) fn retarget(&mut self, map: impl Fn(BlockId) -> BlockId) {
        match self {
            Self::Jump(to) | Self::EndAsyncFor(to) => *to = map(*to),
            Self::Branch { yes: a, no: b }
            | Self::OrPop { keep: a, other: b, .. }
            | Self::ForIter { body: a, exhausted: b, .. }
            | Self::AsyncFor { body: a, exhausted: b }
            | Self::Send { on: a, done: b } => {
                *a = map(*a);
                *b = map(*b);
            }
            Self::Case { yes, no, .. } => {
                *yes = map(*yes);
                *no = no.map(&map);
            }
            Self::Return | Self::Raise(_) | Self::Reraise | Self::EndFinally | Self::Done | Self::Nowhere => {
            }
        }
    }
}

/// How a test lies in the bytecode, which has the statements in the order of the source; only handlers, and what
/// else seldom runs, lie at its end from 3.11 on.
///
/// The compiler puts the body of an `if` right behind its test and makes the test jump over it, whatever the
/// polarity of the condition (CPython, `Python/compile.c` or `Python/codegen.c`, `if` and `jump_if`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The truth with which control goes on right behind the test; `None` where the block ends in no test.
    pub(crate) falls: Option<bool>,
    /// The offset of a jump that is all that lies there: `break`, `continue`, or a body that does nothing; behind the body of a
    /// `try`, that of what is left of a `break`.
    pub(crate) jump: Option<u32>,
    /// The offset of the instruction that the other way leads to, before jumps were threaded.
    pub(crate) to: Option<u32>,
    /// Whether the test is that of a `while`, which the compiler has put at the end of the loop as well.
    pub(crate) is_rotated: bool,
}

/// Where an unreachable jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Landing {
    /// To the block that starts with the instruction at an offset.
    At(u32),
    /// To the end of the function, which nothing reaches.
    End,
    /// To other code that nothing reaches.
    Unreached,
    /// There is none, but the jump in front of it is known to be `break` or `continue`: it begins a line, or leaves a
    /// `finally` body that was called for it (3.8).
    Written,
}

/// The unreachable jumps beside a block, see `note_dead_jumps`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeadJumps {
    /// Where the one right behind it leads.
    pub(crate) behind: Option<Landing>,
    /// Where the one right in front of it leads.
    pub(crate) in_front: Option<Landing>,
    /// The offset of the last jump back to it, be it reached or not: the end of a loop.
    pub(crate) back: Option<u32>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// What it does, in order.
    pub(crate) steps: Vec<Step>,
    /// How it ends.
    pub(crate) end: Terminator,
    /// Offset of the instruction that ends it.
    pub(crate) end_offset: u32,
    /// The innermost region that protects it.
    pub(crate) region: Option<RegionId>,
    /// Offset of its first instruction; orders the arms of an `if`.
    pub(crate) start: u32,
    /// The instruction without effect in front of it, in another region, if that alone leads to it, see `thread_jumps`.
    pub(crate) leading: Option<u32>,
    /// How the test that ends it lies.
    pub(crate) layout: Layout,
    /// Whether it ends with an instruction that only jumps.
    pub(crate) jumps: bool,
    /// The unreachable jumps beside it.
    pub(crate) dead: DeadJumps,
    /// Whether it ends the body of a `try` or `with` (POP_BLOCK, to 3.10).
    pub(crate) pops_block: bool,
    /// Its last instruction, if that is a `break` or `continue`, see `note_written_jumps`.
    pub(crate) written: Option<u32>,
    /// Whether it ends with a `break` or `continue` that has left a `finally` body, called for it (3.8).
    pub(crate) left_body: bool,
    /// Whether it is the head of a loop that starts with another one, see `note_outer_heads`: a way to it does not go on inside.
    pub(crate) is_outer_head: bool,
}

impl Block {
    /// A block that does nothing yet, at an offset.
    pub(crate) fn empty(offset: u32, end: Terminator, region: Option<RegionId>) -> Self {
        Self {
            steps: Vec::new(),
            end,
            end_offset: offset,
            region,
            start: offset,
            leading: None,
            layout: Layout::default(),
            jumps: false,
            dead: DeadJumps::default(),
            pops_block: false,
            written: None,
            left_body: false,
            is_outer_head: false,
        }
    }
}

/// A handler and what it keeps of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Protection {
    /// The handler's first block.
    pub(crate) handler: BlockId,
    /// Values that stay on the stack.
    pub(crate) depth: u32,
    /// Whether the offset of the raising instruction is pushed too.
    pub(crate) lasti: bool,
    /// What kind of statement it is, once known.
    pub(crate) kind: RegionKind,
    /// What the bytecode has right behind the handlers of a `try`.
    pub(crate) behind: Behind,
    /// A jump that the region does not protect leads from its end back into it: it stands in a loop, not around it.
    pub(crate) entered_again: bool,
    /// Where its handlers end, if the bytecode has the order of the source and tells; else `u32::MAX`.
    pub(crate) end: u32,
    /// Where the instruction stands that raises what its handlers leave, if each statement has one in the order of
    /// the source (to 3.9); else `u32::MAX`. What was written behind it is not in the statement.
    pub(crate) closes: u32,
    /// Whether its handler is known to be the body of a `finally` (3.8).
    pub(crate) is_finally: bool,
    /// Whether no block in it does anything, as in `try: pass` (to 3.10); known when the bodies of `finally` are joined.
    pub(crate) is_bare: bool,
}

impl Protection {
    /// Applies `map` to the blocks that follow the statement, when what leads there leads elsewhere.
    pub(crate) fn retarget(&mut self, map: impl Fn(BlockId) -> BlockId) {
        self.behind.retarget(&map);
        if let RegionKind::TryStar { follow } = &mut self.kind {
            *follow = map(*follow);
        }
    }
}

/// What the bytecode has right behind the handlers of a `try`: its `else`, or what follows the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// This version's layout does not tell.
    Unknown,
    /// Nothing that is reached.
    Nothing,
    /// A jump to the block, such as a `break`.
    Jump(BlockId),
    /// The block.
    Block(BlockId),
}

impl Behind {
    /// Applies `map` to the block.
    pub(crate) fn retarget(&mut self, map: impl Fn(BlockId) -> BlockId) {
        if let Self::Jump(block) | Self::Block(block) = self {
            *block = map(*block);
        }
    }
}

/// What a protected region came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegionKind {
    /// `try`
    Try,
    /// `try` with `except*`: behind every body the block follows, which no body can leave in another way.
    TryStar { follow: BlockId },
    /// `with`: the handler only calls the exit function; an exception that it swallows goes on at the block.
    With { swallowed: BlockId },
    /// `try` with `finally`: the handler is the body; where it ends, its blocks end with [`Terminator::Done`].
    Finally,
}

impl RegionKind {
    pub(crate) fn is_with(self) -> bool {
        matches!(self, Self::With { .. })
    }
}

/// The control-flow graph of one function.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// The blocks; block 0 is the entry.
    pub(crate) blocks: Blocks,
    /// The protected regions.
    pub(crate) regions: Vec<Protection>,
    /// The cases of `match` statements, once found.
    pub(crate) cases: Vec<Case>,
    /// The locals that patterns and guards store.
    pub(crate) pattern_stores: FixedBitSet,
    /// Copies of instructions that passes have joined.
    pub(crate) copies: Copies,
    /// What it holds.
    pub(crate) contents: Contents,
    /// The jumps of operands that the compiler made jump past a test of the same kind, see
    /// [`Features::threads_operands`](depyf_bytecode::Features::threads_operands).
    pub(crate) threaded: HashSet<u32>,
    /// The instructions that return None because a `return` was written, whatever their lines tell.
    pub(crate) written_returns: HashSet<u32>,
    /// Where the function ends though no `return` was written, if that is known: behind all statements.
    pub(crate) end: Option<BlockId>,
}

impl Graph {
    /// Blocks and regions of which nothing more is known yet.
    pub(crate) fn of(blocks: Vec<Block>, regions: Vec<Protection>, contents: Contents) -> Self {
        let (cases, pattern_stores, copies) = (Vec::new(), FixedBitSet::new(), Copies::default());
        Self {
            blocks: blocks.into(),
            regions,
            cases,
            pattern_stores,
            copies,
            contents,
            threaded: HashSet::default(),
            written_returns: HashSet::default(),
            end: None,
        }
    }

    /// Cuts the instructions into basic blocks.
    ///
    /// Establishes: a block ends at each jump, before each jump target, at each border of a protected
    /// region, behind `BeforeWith` (its region starts there) and behind `PopExcept` (the handler ends
    /// there); a `Nop` is dropped.
    pub(crate) fn build(function: &Function) -> Self {
        let instructions = &function.instructions;
        let count = instructions.len();
        let (block_at, contents) = number_blocks(function);
        let has_pops = contents.meets(Contents::BODY_ENDS);
        let (regions, numbers) = number_regions(&function.regions, &block_at);
        // The regions that end behind the block at hand, with their numbers.
        let mut ahead = function.regions.iter().zip(numbers).peekable();
        let mut blocks: Vec<Block> = Vec::with_capacity(block_at[count] as usize + 1 + MADE_BLOCKS);
        let mut at = 0;
        while at < count {
            let start = at;
            let number = blocks.len() as u32;
            let length =
                block_at[at + 1..].iter().position(|&block| block != number).map_or(1, |more| more + 1);
            at += length;
            // Whatever transfers control ends its block.
            let [before @ .., last] = &instructions[start..at] else { break };
            while ahead.next_if(|(region, _)| region.end as usize <= start).is_some() {}
            let around = ahead.peek().filter(|(region, _)| region.start as usize <= start);
            // What only jumps has no step, and so no list.
            let mut steps: Vec<Step> = Vec::with_capacity(if before.is_empty() { 0 } else { length });
            for run in before.split(|instruction| does_nothing(instruction.op)) {
                steps.extend(run.iter().map(step_of));
            }
            let mut lies = Layout::default();
            let following = blocks.len() + 1;
            let target = |target: u32| block_at[(target as usize).min(count)] as BlockId;
            let end = match last.op {
                Op::Jump(to) => Terminator::Jump(target(to)),
                Op::JumpIf(condition, to) => {
                    lies = layout(function, at - 1, condition, to);
                    branch(&mut steps, condition, target(to), following, last.offset)
                }
                Op::JumpIfOrPop(when, to) => Terminator::OrPop { when, keep: target(to), other: following },
                Op::ForIter { exhausted, slots, pops } => {
                    let exhausted = target(exhausted);
                    Terminator::ForIter { body: following, exhausted, slots: slots.into(), pops }
                }
                Op::Send(done) => Terminator::Send { on: following, done: target(done) },
                Op::EndAsyncFor => Terminator::EndAsyncFor(following),
                Op::EndFinally { .. } => Terminator::EndFinally,
                Op::Return => Terminator::Return,
                Op::Raise(operands) => Terminator::Raise(operands),
                Op::Reraise(_) => Terminator::Reraise,
                op => {
                    if !does_nothing(op) {
                        steps.reserve_exact(1);
                        steps.push(step_of(last));
                    }
                    if at < count { Terminator::Jump(following) } else { Terminator::Nowhere }
                }
            };
            blocks.push(Block {
                steps,
                end,
                end_offset: last.offset,
                region: around.map(|&(_, region)| region),
                start: instructions[start].offset,
                leading: None,
                layout: lies,
                jumps: matches!(last.op, Op::Jump(_)),
                dead: DeadJumps::default(),
                pops_block: has_pops
                    && instructions[start..at].iter().any(|found| matches!(found.op, Op::PopBlock)),
                written: None,
                left_body: false,
                is_outer_head: false,
            });
        }
        blocks.push(Block { start: u32::MAX, ..Block::empty(0, Terminator::Nowhere, None) });
        Self::of(blocks, regions, contents.completed(function))
    }

    /// Blocks that a path from the entry reaches, exceptions included; see [`super::reverse_postorder`].
    pub(crate) fn reverse_postorder(&self) -> Rc<Vec<BlockId>> {
        self.blocks.order(|| super::reverse_postorder(self.blocks.len(), |block| self.ways(block)))
    }

    /// Where control may go from a block, exceptions included.
    pub(crate) fn ways(&self, block: BlockId) -> Ways {
        let found = &self.blocks[block];
        Ways::of(found.end.successors(), found.region.map(|region| self.regions[region].handler))
    }

    /// Ordinary predecessors of each block, from reachable blocks only, one entry an edge.
    pub(crate) fn predecessors(&self) -> Rc<Lists> {
        let order = self.reverse_postorder();
        let edges = |&block: &BlockId| self.blocks[block].end.successors().map(move |next| (next, block));
        self.blocks.predecessors(|| Lists::of(self.blocks.len(), || order.iter().flat_map(edges)))
    }

    /// The same with what may raise into a handler: each block that the handler protects.
    pub(crate) fn all_predecessors(&self) -> Rc<Lists> {
        if self.regions.is_empty() {
            return self.predecessors();
        }
        let order = self.reverse_postorder();
        let edges = |&block: &BlockId| self.ways(block).iter().map(move |next| (next, block));
        Rc::new(Lists::of(self.blocks.len(), || order.iter().flat_map(edges)))
    }

    /// How many ordinary ways lead from some blocks to each block.
    pub(crate) fn ways_in(&self, blocks: impl Iterator<Item = BlockId>) -> Vec<usize> {
        let mut ways_in = vec![0; self.blocks.len()];
        blocks.for_each(|block| self.blocks[block].end.successors().for_each(|next| ways_in[next] += 1));
        ways_in
    }

    /// The locals that a block stores or deletes, its patterns included.
    pub(crate) fn stored_locals(&self, block: BlockId) -> impl Iterator<Item = VarId> + '_ {
        let stored = self.blocks[block].steps.iter().filter_map(|step| match step.kind {
            StepKind::Op(Op::StoreLocal(local) | Op::DeleteLocal(local)) => Some(local),
            _ => None,
        });
        let case = match self.blocks[block].end {
            Terminator::Case { case, .. } => self.cases.get(case),
            _ => None,
        };
        stored.chain(case.into_iter().flat_map(|case| case.stores.iter().copied()))
    }

    /// Where the blocks begin that only exceptions reach: from 3.12 on the compiler moves them to the end of the code.
    /// Greater than any offset where it moves none, or there is none.
    pub(crate) fn moved_from(&self, features: &Features) -> u32 {
        let heads = self.regions.iter().map(|region| self.blocks[region.handler].start);
        heads.min().filter(|_| !features.source_order).unwrap_or(u32::MAX)
    }

    /// The regions around a block, innermost first: a handler runs under whatever protects it.
    pub(crate) fn regions_around(&self, block: BlockId) -> RegionList {
        self.innermost_regions(block, usize::MAX)
    }

    /// So many of them at most.
    fn innermost_regions(&self, block: BlockId, most: usize) -> RegionList {
        let mut found = RegionList::new();
        let mut next = self.blocks[block].region;
        while let Some(region) = next.filter(|region| found.len() < most && !found.contains(region)) {
            found.push(region);
            next = self.blocks[self.regions[region].handler].region;
        }
        found
    }

    /// A handler that more regions than `most` are around, if there is one.
    pub(crate) fn handler_deeper_than(&self, most: usize) -> Option<BlockId> {
        let is_deep = |&handler: &BlockId| self.innermost_regions(handler, most + 1).len() > most;
        self.regions.iter().map(|region| region.handler).find(is_deep)
    }
}

/// Whether an operation is none of what a block does.
#[inline]
fn does_nothing(op: Op) -> bool {
    matches!(op, Op::Nop | Op::PopBlock | Op::SetupBlock(_))
}

/// An operation that does not transfer control.
#[inline]
fn step_of(instruction: &Instruction) -> Step {
    Step { offset: instruction.offset, kind: StepKind::Op(instruction.op) }
}

/// The number of the block that each instruction lies in, and what the instructions hold. Behind the last one is a block
/// that no code reaches: there lands a jump to the end of the bytecode.
fn number_blocks(function: &Function) -> (Vec<u32>, Contents) {
    let count = function.instructions.len();
    // First which instructions begin a block, then how many have begun up to each.
    let mut block_at = vec![0_u32; count + 1];
    let mark = |block_at: &mut [u32], at: usize| {
        if let Some(begins) = block_at.get_mut(at) {
            *begins = 1;
        }
    };
    let mut contents = Contents::ANYTHING;
    let mut before = None;
    for (at, instruction) in function.instructions.iter().enumerate() {
        contents.add(Contents::of_store(before.replace(instruction), instruction));
        let found = Contents::of_operation(&instruction.op);
        // Most instructions are none that any pass looks for.
        if found == Contents::ANYTHING {
            continue;
        }
        contents.add(found);
        if found.meets(Contents::BORDERS.and(Contents::JUMPS)) {
            if let Some(target) = target_of(instruction.op) {
                mark(&mut block_at, target as usize);
            }
            mark(&mut block_at, at + 1);
        }
    }
    for region in &function.regions {
        for at in [region.start, region.end, region.handler] {
            mark(&mut block_at, at as usize);
        }
    }
    block_at[0] = 0;
    block_at[count] = 1;
    let mut next = 0;
    for begun in &mut block_at {
        next += *begun;
        *begun = next;
    }
    (block_at, contents)
}

/// Gives equal protections one number, and tells that of each region. Regions that a `Nop` or a jump splits are one region.
fn number_regions(regions: &[Region], block_at: &[u32]) -> (Vec<Protection>, Vec<RegionId>) {
    let mut protections: Vec<Protection> = Vec::new();
    let mut numbers = Vec::with_capacity(regions.len());
    let mut known = crate::hash::HashMap::default();
    for region in regions {
        let protection = Protection {
            handler: block_at[region.handler as usize] as BlockId,
            depth: region.depth,
            lasti: region.lasti,
            kind: RegionKind::Try,
            behind: Behind::Unknown,
            entered_again: false,
            end: u32::MAX,
            closes: u32::MAX,
            is_finally: false,
            is_bare: false,
        };
        let number = *known.entry((protection.handler, protection.depth)).or_insert_with(|| {
            protections.push(protection);
            protections.len() - 1
        });
        numbers.push(number);
    }
    (protections, numbers)
}

/// Where the instruction may jump to.
#[inline]
pub(crate) fn target_of(op: Op) -> Option<u32> {
    match op {
        Op::Jump(to)
        | Op::JumpIf(_, to)
        | Op::JumpIfOrPop(_, to)
        | Op::Send(to)
        | Op::CallFinally(to)
        | Op::ForIter { exhausted: to, .. } => Some(to),
        _ => None,
    }
}

/// A conditional jump as a branch on truth. The `ToBool` before it and tests of None become part of the
/// value.
fn branch(
    steps: &mut Vec<Step>,
    condition: JumpCondition,
    target: BlockId,
    following: BlockId,
    offset: u32,
) -> Terminator {
    use JumpCondition::{False, None, NotNone, True};
    if matches!(condition, None | NotNone) {
        steps.reserve_exact(1);
        steps.push(Step { offset, kind: StepKind::IsNone { negated: false } });
    } else if matches!(steps.last(), Some(Step { kind: StepKind::Op(Op::ToBool), .. })) {
        steps.pop();
    }
    match condition {
        True | None => Terminator::Branch { yes: target, no: following },
        False | NotNone => Terminator::Branch { yes: following, no: target },
    }
}
