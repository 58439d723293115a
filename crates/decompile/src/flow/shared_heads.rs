//! Pass: an endless loop that starts with another one has a head of its own.
//!
//! To 3.9 `while True` leaves no instruction, so both loops start at one place and all jumps back lead there. A `break` of
//! the inner one tells that there are two: it leads behind the last jump back of that, where the outer one goes on.
//!
//! Needs: the last jumps back to heads are known; lines. Establishes: such a head is two blocks; the first one only leads to
//! the other. Later versions have an instruction for each.
//!
//! Example: `h: a -> b, c; b: Jump(d); c: Jump(h); d: Jump(h)` becomes `h: Jump(i); i: a -> b, c; c: Jump(i); d: Jump(h)`.

use depyf_bytecode::{CodeObject, Function, Instruction, Op, names_target};

use crate::hash::HashMap;

use super::places::unbinds;
use super::{Block, BlockId, DeadJumps, Graph, Landing, Terminator};

/// See the module.
pub(crate) fn split_shared_heads(graph: &mut Graph, code: &CodeObject, function: &Function) {
    if function.features.copies_implicit_end {
        return;
    }
    for (head, end) in inner_loops(graph, code, function) {
        split(graph, head, end);
    }
}

/// The heads that two loops share, each with the last jump back of the inner loop, in order.
fn inner_loops(graph: &Graph, code: &CodeObject, function: &Function) -> Vec<(BlockId, u32)> {
    let mut heads: Vec<(u32, u32, BlockId)> = Vec::new();
    for (id, block) in graph.blocks.iter().enumerate() {
        let is_for = matches!(block.end, Terminator::ForIter { .. });
        heads.extend(block.dead.back.filter(|_| !is_for).map(|back| (block.start, back, id)));
    }
    heads.sort_unstable();
    let instructions = &function.instructions;
    let target = |to: u32| instructions.get(to as usize).map_or(u32::MAX, |found| found.offset);
    // The jumps back to each head, in order.
    let mut back: HashMap<u32, Vec<u32>> = HashMap::default();
    for found in instructions {
        if let Op::Jump(to) = found.op
            && target(to) <= found.offset
        {
            back.entry(target(to)).or_default().push(found.offset);
        }
    }
    let behind = |offset: u32| {
        let at = instructions.partition_point(|found| found.offset <= offset);
        instructions.get(at).map(|found| found.offset)
    };
    let mut ends: HashMap<BlockId, u32> = HashMap::default();
    let mut open: Vec<(u32, u32, BlockId)> = Vec::new();
    let mut next = heads.iter().copied().peekable();
    for (at, found) in instructions.iter().enumerate() {
        while open.pop_if(|&mut (_, end, _)| end < found.offset).is_some() {}
        while let Some(head) = next.next_if(|&(start, ..)| start <= found.offset) {
            open.push(head);
        }
        let (Op::Jump(to), Some(&(start, last, head))) = (found.op, open.last()) else { continue };
        let to = target(to);
        if to <= found.offset
            || to > last
            || !names_target(code, found.offset)
            || !begins_line(instructions, at)
        {
            continue;
        }
        let jumps = back.get(&start).map_or(&[][..], Vec::as_slice);
        let before = jumps.partition_point(|&jump| jump < to);
        let Some(&end) = before.checked_sub(1).and_then(|at| jumps.get(at)) else { continue };
        // What the test of the inner loop leads to may be its `else`, which a `break` passes.
        let is_else = |offset: u32| {
            matches!(graph.blocks[head].end, Terminator::Branch { .. })
                && graph.blocks[head].end.successors().any(|way| graph.blocks[way].start == offset)
        };
        if end > found.offset && behind(end).is_some_and(|offset| offset == to || is_else(offset)) {
            let known = ends.entry(head).or_insert(end);
            *known = (*known).max(end);
        }
    }
    let mut found: Vec<(BlockId, u32)> = ends.into_iter().collect();
    found.sort_unstable();
    found
}

/// Whether the jump is on a line of its own, but for what leaves the body or a handler of a `try` on the way, which unbinds
/// the name of its exception: a `break`.
fn begins_line(instructions: &[Instruction], jump: usize) -> bool {
    let line = instructions[jump].line;
    let mut before = &instructions[..jump];
    loop {
        before = match before {
            [rest @ .., none, store, delete]
                if matches!(none.op, Op::Const(_)) && unbinds(store.op, delete.op) && none.line == line =>
            {
                rest
            }
            [rest @ .., last]
                if matches!(last.op, Op::PopBlock | Op::PopExcept | Op::CallFinally(_))
                    && last.line == line =>
            {
                rest
            }
            _ => break,
        };
    }
    before.last().is_some_and(|before| before.line < line)
}

/// Gives the outer loop a head of its own, at the place of the one that both have. The inner loop ends with the jump at an
/// offset.
fn split(graph: &mut Graph, head: BlockId, end: u32) {
    if graph.regions.iter().any(|region| region.handler == head) {
        return;
    }
    let Block { start, region, dead: DeadJumps { back, in_front, .. }, .. } = graph.blocks[head];
    // No instruction starts there.
    let offset = start.saturating_sub(1);
    let inner = graph.blocks.len();
    let outer = Block {
        dead: DeadJumps { back, in_front, ..DeadJumps::default() },
        ..Block::empty(offset, Terminator::Jump(inner), region)
    };
    let mut first = std::mem::replace(&mut graph.blocks[head], outer);
    (first.dead.back, first.dead.in_front) = (Some(end), None);
    graph.blocks.push(first);
    for block in graph.blocks.iter_mut() {
        if (start..=end).contains(&block.start) {
            block.end.retarget(|to| if to == head { inner } else { to });
        } else if block.start > end && block.dead.behind == Some(Landing::At(start)) {
            block.dead.behind = Some(Landing::At(offset));
        }
    }
}
