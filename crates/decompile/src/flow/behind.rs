//! Pass: each `try` knows what the bytecode has right behind its handlers.
//!
//! To 3.10 the compiler puts the `else` behind the handlers, or, where there is none, what follows the statement
//! (CPython `Python/compile.c`, `compiler_try_except`). A `return`, `break` or `continue` may stand inside the `try`
//! and do the same; what lies behind the handlers tells which was written. Where only code that is never reached
//! lies there, nothing that is reached was written behind.
//!
//! Needs: the copies of `finally` bodies are in the graph. Establishes: `Protection::behind` and, to 3.10,
//! `Protection::end` and `Protection::closes`. Later versions put
//! a handler there that only restores state, and nothing becomes known.
//!
//! Example: `region: x -> a; handler: match -> b or c; c: Reraise; a: Return` has `a` behind.

use std::collections::VecDeque;

use crate::hash::{HashMap, HashSet};

use depyf_bytecode::{Function, Instruction, Op, Region};

use super::members::Members;
use super::places::instructions_before;
use super::{Behind, BlockId, BlockSet, Graph, Protection, RegionId, Terminator};

/// See the module.
pub(crate) fn note_what_lies_behind(graph: &mut Graph, function: &Function) {
    let handlers = Handlers::of(graph, function);
    handlers.note_ends(graph);
    let found: Vec<(RegionId, &Instruction)> = (0..graph.regions.len())
        .filter_map(|region| Some((region, handlers.instruction_behind(graph, region)?)))
        .collect();
    if found.is_empty() {
        return;
    }
    let jumps =
        if function.features.copies_implicit_end { HashMap::default() } else { jumping_blocks(graph) };
    let blocks = Blocks::of(graph);
    for (region, next) in found {
        let start = blocks.at(graph, region, next.offset);
        if function.features.source_order {
            graph.regions[region].end = next.offset;
        }
        if !function.features.copies_implicit_end
            && let Some(Some(block)) = start
        {
            undo_threading(graph, region, block, handlers.closing(region), &jumps);
        }
        graph.regions[region].behind = match start {
            Some(Some(block)) => match graph.blocks[block].end {
                Terminator::Jump(_) if blocks.sources.is_outside(region, block) => Behind::Nothing,
                Terminator::Jump(to) if graph.blocks[block].steps.is_empty() => Behind::Jump(to),
                _ => Behind::Block(block),
            },
            None if let Op::Jump(to) = next.op
                && let Some(to) = function.instructions.get(to as usize)
                && let Some(Some(block)) = blocks.at(graph, region, to.offset) =>
            {
                Behind::Jump(block)
            }
            None if matches!(next.op, Op::Nop | Op::Jump(_) | Op::EndFinally { .. } | Op::Reraise(_)) => {
                Behind::Nothing
            }
            _ => Behind::Unknown,
        };
    }
}

/// The handlers of all regions.
struct Handlers<'a> {
    function: &'a Function,
    /// Where those of each region start.
    starts: Vec<u32>,
    /// The same offsets in order.
    heads: Vec<u32>,
    /// See [`closings`].
    closings: HashMap<u32, u32>,
    /// The offsets of what ends a block that can be reached; known with the closings only.
    reached: HashSet<u32>,
}

impl<'a> Handlers<'a> {
    fn of(graph: &Graph, function: &'a Function) -> Self {
        let start = |region: &Protection| graph.blocks[region.handler].start;
        let starts: Vec<u32> = graph.regions.iter().map(start).collect();
        let mut heads = starts.clone();
        heads.sort_unstable();
        let closings = closings(function);
        let mut reached: HashSet<u32> = HashSet::default();
        if !closings.is_empty() {
            reached.extend(graph.reverse_postorder().iter().map(|&block| graph.blocks[block].end_offset));
        }
        Self { function, starts, heads, closings, reached }
    }

    /// Where the instruction stands that ends the other handlers of a region.
    fn closing(&self, region: RegionId) -> Option<u32> {
        self.closings.get(&self.starts[region]).copied()
    }

    /// Notes what is known of the ends of handlers without what lies there.
    fn note_ends(&self, graph: &mut Graph) {
        let function = self.function;
        if !function.features.copies_implicit_end {
            for (id, region) in graph.regions.iter_mut().enumerate() {
                region.closes = self.closing(id).unwrap_or(u32::MAX);
            }
        }
        if function.features.else_before_handlers {
            let last = function.instructions.last().map_or(0, |last| last.offset);
            for (region, &first) in graph.regions.iter_mut().zip(&self.starts) {
                if behind_cleanup(function, first) == Some(function.instructions.len()) {
                    (region.end, region.behind) = (last + 1, Behind::Nothing);
                }
            }
        }
    }

    /// The instruction right behind the handlers of a region, if it belongs to no handler and may have been written.
    fn instruction_behind(&self, graph: &Graph, region: RegionId) -> Option<&'a Instruction> {
        let instructions = &self.function.instructions;
        let at = if self.function.features.else_before_handlers {
            behind_cleanup(self.function, self.starts[region])?
        } else {
            let end = last_reraise(graph, region).or_else(|| self.idle_closing(region))?;
            instructions.partition_point(|instruction| instruction.offset <= end)
        };
        let is_handler = |next: &Instruction| self.heads.binary_search(&next.offset).is_ok();
        // A jump that stands nowhere was not written: it leads out of what is around the statement.
        let may_be_written = |next: &Instruction| next.line.is_some() || !matches!(next.op, Op::Jump(_));
        instructions.get(at).filter(|next| !is_handler(next) && may_be_written(next))
    }

    /// The closing of a region where no exception is raised again: nothing reaches it, or it ends a subroutine (3.8).
    fn idle_closing(&self, region: RegionId) -> Option<u32> {
        let is_subroutine = |closing: u32| {
            let at = instructions_before(self.function, closing);
            let found = self.function.instructions.get(at);
            found.is_some_and(|found| matches!(found.op, Op::EndFinally { .. }))
        };
        self.closing(region).filter(|&closing| !self.reached.contains(&closing) || is_subroutine(closing))
    }
}

/// Where the blocks of a graph start.
struct Blocks {
    /// The block at each offset; none where there are several copies of one.
    starts: HashMap<u32, Option<BlockId>>,
    sources: Sources,
    members: Members,
}

impl Blocks {
    fn of(graph: &Graph) -> Self {
        let mut starts: HashMap<u32, Option<BlockId>> = HashMap::default();
        for &block in graph.reverse_postorder().iter() {
            starts.entry(graph.blocks[block].start).and_modify(|known| *known = None).or_insert(Some(block));
        }
        Self { starts, sources: Sources::of(graph), members: Members::of(graph) }
    }

    /// The block at an offset, if one that can be reached starts there. Of a block that was copied each region has its own, if
    /// it comes to one.
    fn at(&self, graph: &Graph, region: RegionId, offset: u32) -> Option<Option<BlockId>> {
        let known = *self.starts.get(&offset)?;
        Some(known.or_else(|| copy_behind(graph, &self.members, region, offset)))
    }
}

/// The copy of the block at an offset that a region comes to first: its own.
fn copy_behind(graph: &Graph, members: &Members, region: RegionId, start: u32) -> Option<BlockId> {
    let mut seen = BlockSet::default();
    let mut work = VecDeque::from(members.in_region(graph, region));
    work.push_back(graph.regions[region].handler);
    while let Some(block) = work.pop_front() {
        if graph.blocks[block].start == start {
            return Some(block);
        }
        if !seen.put(block) {
            work.extend(graph.blocks[block].end.successors());
        }
    }
    None
}

/// Where the ways to blocks come from.
struct Sources {
    /// The offset of the first block of each region.
    first: Vec<u32>,
    /// The offset of the last way to each block; none where nothing leads to it.
    last: Vec<Option<u32>>,
    /// Blocks that a `for` leads to when there is no item left, each with the offset of that.
    behind_loops: HashMap<BlockId, u32>,
}

impl Sources {
    fn of(graph: &Graph) -> Self {
        let mut first = vec![u32::MAX; graph.regions.len()];
        let mut last = vec![None; graph.blocks.len()];
        let mut behind_loops = HashMap::default();
        for &block in graph.reverse_postorder().iter() {
            let found = &graph.blocks[block];
            if let Some(region) = found.region {
                first[region] = first[region].min(found.start);
            }
            for next in found.end.successors() {
                last[next] = last[next].max(Some(found.end_offset));
            }
            if let Terminator::ForIter { exhausted, .. } = found.end {
                behind_loops.insert(exhausted, found.end_offset);
            }
        }
        Self { first, last, behind_loops }
    }

    /// Whether a block is the `else` of a test in front of the statement of a region, for all ways to it lead past that, or
    /// lies behind a `for` that the statement is in.
    fn is_outside(&self, region: RegionId, block: BlockId) -> bool {
        let is_before = |offset: u32| offset < self.first[region];
        self.last[block].is_some_and(is_before)
            || self.behind_loops.get(&block).is_some_and(|&head| is_before(head))
    }
}

/// Lets the end of the body and those of the handlers lead to the jump behind the statement. The compiler has them jump
/// to where that one leads, but only where the argument has room (CPython `Python/peephole.c`, to 3.9).
fn undo_threading(
    graph: &mut Graph,
    region: RegionId,
    behind: BlockId,
    closing: Option<u32>,
    jumps: &HashMap<u32, Vec<BlockId>>,
) {
    let found = &graph.blocks[behind];
    let Terminator::Jump(to) = found.end else { return };
    if !found.jumps || !found.steps.is_empty() {
        return;
    }
    let mut borders: Vec<u32> = closing.into_iter().collect();
    let mut handler = graph.regions[region].handler;
    for _ in 0..graph.blocks.len() {
        borders.push(graph.blocks[handler].start);
        match graph.blocks[handler].end {
            Terminator::Branch { no, .. } => handler = no,
            _ => break,
        }
    }
    // An instruction takes two bytes; a long argument stands in front of it.
    let before = |border: u32| border.checked_sub(2).and_then(|offset| jumps.get(&offset));
    for &block in borders.into_iter().filter_map(before).flatten() {
        if graph.blocks[block].end == Terminator::Jump(to) {
            graph.blocks[block].end = Terminator::Jump(behind);
        }
    }
}

/// The blocks that end with a jump, by its offset. Several may be copies of one.
fn jumping_blocks(graph: &Graph) -> HashMap<u32, Vec<BlockId>> {
    let mut found: HashMap<u32, Vec<BlockId>> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate().filter(|(_, block)| block.jumps) {
        found.entry(block.end_offset).or_default().push(id);
    }
    found
}

/// What lies behind the handler that protects a statement's handlers, the first of which is at `handler`, and only
/// restores state (3.11).
fn behind_cleanup(function: &Function, handler: u32) -> Option<usize> {
    if !function.features.source_order {
        return None;
    }
    let first = instructions_before(function, handler) as u32;
    let cleanup = Region::around(&function.regions, first)?.handler as usize;
    match function.instructions.get(cleanup..)? {
        [a, b, c, ..] if (a.op, b.op, c.op) == (Op::Copy(3), Op::PopExcept, Op::Reraise(true)) => {
            Some(cleanup + 3)
        }
        _ => None,
    }
}

/// Where the exception is raised again that none of a statement's handlers matched.
fn last_reraise(graph: &Graph, region: RegionId) -> Option<u32> {
    let mut block = graph.regions[region].handler;
    for _ in 0..graph.blocks.len() {
        let found = &graph.blocks[block];
        match found.end {
            Terminator::Branch { no, .. } => block = no,
            Terminator::Reraise if found.steps.is_empty() => return Some(found.end_offset),
            _ => return None,
        }
    }
    None
}

/// Where the instruction stands that ends the other handlers of a statement, by the offset of its first handler. To
/// 3.9 the compiler puts it behind a last handler that takes all exceptions, too, where nothing reaches it. Each
/// statement has one; in 3.10 those that nothing reaches are erased.
pub(super) fn closings(function: &Function) -> HashMap<u32, u32> {
    let mut found = HashMap::default();
    if !function.features.source_order {
        return found;
    }
    let mut open = Vec::new();
    for instruction in &function.instructions {
        match instruction.op {
            Op::SetupBlock(handler) => open.push(handler),
            Op::EndAsyncFor => drop(open.pop()),
            Op::EndFinally { .. } | Op::Reraise(_) => {
                let handler = open.pop().and_then(|handler| function.instructions.get(handler as usize));
                if let Some(handler) = handler {
                    found.insert(handler.offset, instruction.offset);
                }
            }
            _ => {}
        }
    }
    found
}
