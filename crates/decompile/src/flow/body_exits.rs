//! Pass: the ways out of the body of a `try`, or out of a handler, to one place are one.
//!
//! What leaves the body (`POP_BLOCK`, 3.8 to 3.10) or a handler (`POP_EXCEPT`) has no line where a test leads out, and
//! CPython copies what leaves the function without a line to each jump that leads there (`Python/compile.c`,
//! `duplicate_exits_without_lineno`).
//!
//! Needs: the copies of what the ways lead to are joined. Establishes: no two blocks of a region only leave its body and
//! go to the same place, unless one tells more; the last one stays. No two blocks of a handler leave it to the same
//! place, or return the same from the same line.
//!
//! Example: `a -> b, c; b: Jump(d); c: Jump(d)` becomes `a -> c, c; c: Jump(d)`.

use depyf_bytecode::{Features, Function, Op};

use crate::hash::HashMap;

use super::finally_places::is_bare_body;
use super::handling::{Handling, HandlingId};
use super::places::line_of;
use super::same_ends::MOST_NESTED;
use super::{Block, BlockId, BlockSet, DeadJumps, Graph, RegionId, Step, StepKind, Terminator};

/// So many blocks that do nothing are looked through.
const MOST_IDLE: usize = 4;

/// See the module.
pub(crate) fn join_body_exits(graph: &mut Graph, function: &Function) {
    if graph.blocks.iter().filter(|block| leaves_handler(graph, block, &function.features)).nth(1).is_some() {
        let handling = Handling::of(graph, &function.features);
        join_handler_returns(graph, &handling, function);
        // Where a handler stands in another one, the ways out of it are the same only when those behind them are.
        for _ in 0..MOST_NESTED {
            let handling = Handling::of(graph, &function.features);
            if !join_handler_exits(graph, &handling, &function.features) {
                break;
            }
        }
    }
    let mut last: HashMap<(RegionId, BlockId), BlockId> = HashMap::default();
    let continues = continues_out_of_several(graph);
    let exit = |graph: &Graph, block: BlockId| {
        if continues.contains(block) {
            return None;
        }
        let found = &graph.blocks[block];
        match (found.end, found.region) {
            (Terminator::Jump(to), Some(region)) if found.steps.is_empty() && pops(found) => {
                Some((region, to))
            }
            _ => None,
        }
    };
    for block in 0..graph.blocks.len() {
        if let Some(key) = exit(graph, block) {
            let known = last.entry(key).or_insert(block);
            if graph.blocks[*known].start < graph.blocks[block].start {
                *known = block;
            }
        }
    }
    if last.is_empty() {
        return;
    }
    let count = graph.blocks.len();
    let kept: Vec<BlockId> =
        (0..count).map(|block| exit(graph, block).map_or(block, |key| last[&key])).collect();
    for block in graph.blocks.iter_mut() {
        block.end.retarget(|to| kept[to]);
    }
    for block in graph.blocks.iter_mut().filter(|block| !block.steps.is_empty() && pops(block)) {
        if let (Terminator::Jump(to), Some(region)) = (block.end, block.region)
            && let Some(&exit) = last.get(&(region, to))
        {
            block.end = Terminator::Jump(exit);
        }
    }
}

/// The blocks that leave the body of a `try` right behind where a statement in it, or a handler of that, was left, go round
/// a loop and have no other way to them: the `continue` that does so stands in that statement. What leads on may be a copy of
/// an end of the function.
fn continues_out_of_several(graph: &Graph) -> BlockSet {
    let mut found = BlockSet::default();
    if graph.blocks.iter().all(|block| !block.pops_block) {
        return found;
    }
    let predecessors = graph.predecessors();
    let leaves_handler = |block: &Block| {
        block.steps.last().is_some_and(|last| matches!(last.kind, StepKind::Op(Op::PopExcept)))
    };
    for (id, block) in graph.blocks.iter().enumerate().filter(|(_, block)| block.pops_block) {
        let goes_round = matches!(block.end, Terminator::Jump(to) if graph.blocks[to].start <= block.start);
        if let (&[before], true) = (&predecessors[id], goes_round)
            && let before = &graph.blocks[before]
            && !before.jumps
            && before.end == Terminator::Jump(id)
            && (before.pops_block && before.region != block.region || leaves_handler(before))
        {
            found.insert(id);
        }
    }
    found
}

/// Whether a block leaves the body of a `try` at its end, and does not tell how.
fn pops(block: &Block) -> bool {
    block.pops_block && tells_nothing(block)
}

/// Whether nothing says that a `break` or `continue` was written at the end of a block.
fn tells_nothing(block: &Block) -> bool {
    block.written.is_none() && block.dead == DeadJumps::default()
}

/// Whether a block ends a handler, and leads to where the ways out of it may have been copied from.
fn leaves_handler(graph: &Graph, block: &Block, features: &Features) -> bool {
    let Terminator::Jump(to) = block.end else { return false };
    let ends = |end: Terminator| matches!(end, Terminator::Return | Terminator::Done);
    let pops = |step: &&Step| matches!(step.kind, StepKind::Op(Op::PopExcept));
    block.steps.last().filter(pops).is_some()
        && block.steps.iter().filter(pops).count() == 1
        && tells_nothing(block)
        && (features.copies_jumps || ends(graph.blocks[behind_idle(graph, to, |_| false)].end))
}

/// Lets what leads to the blocks of each handler that return what they load, and are copies of one `return`, lead to one of
/// them.
fn join_handler_returns(graph: &mut Graph, handling: &Handling, function: &Function) {
    let mut first: HashMap<(Vec<Op>, HandlingId, Option<RegionId>, u32), BlockId> = HashMap::default();
    let mut joined: HashMap<BlockId, BlockId> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate() {
        let (true, Terminator::Jump(to)) = (leaves_handler(graph, block, &function.features), block.end)
        else {
            continue;
        };
        if graph.blocks[to].end != Terminator::Return {
            continue;
        }
        let ops =
            block.steps.iter().map(|step| if let StepKind::Op(op) = step.kind { Some(op) } else { None });
        let line = line_of(function, block.steps[0].offset);
        if let (Some(ops), Some(line), Some(handler), true) =
            (ops.collect(), line, handling.at(id), graph.blocks[to].steps.is_empty())
        {
            let known = *first.entry((ops, handler, block.region, line)).or_insert(id);
            if known != id {
                joined.insert(id, known);
            }
        }
    }
    for copy in 0..graph.blocks.len() {
        let Some(&kept) = joined.get(&copy) else { continue };
        graph.copies.note_steps(&graph.blocks[copy].steps, &graph.blocks[kept].steps);
        graph.copies.note(graph.blocks[copy].end_offset, graph.blocks[kept].end_offset);
    }
    redirect(graph, &joined);
}

/// Lets the blocks of each handler that leave it to one `return` share a block for that. Whether there were any.
fn join_handler_exits(graph: &mut Graph, handling: &Handling, features: &Features) -> bool {
    let mut ways: HashMap<(HandlingId, Option<RegionId>, BlockId), Vec<BlockId>> = HashMap::default();
    for (id, block) in graph.blocks.iter().enumerate() {
        if let (true, Terminator::Jump(to), Some(handler)) =
            (leaves_handler(graph, block, features), block.end, handling.at(id))
        {
            ways.entry((handler, block.region, behind_idle(graph, to, |_| false))).or_default().push(id);
        }
    }
    let mut all: Vec<_> = ways.into_iter().filter(|(_, blocks)| blocks.len() > 1).collect();
    all.sort_unstable_by_key(|(_, blocks)| blocks[0]);
    let found_ways = !all.is_empty();
    let handlers = graph.handler_heads();
    let mut joined: HashMap<BlockId, BlockId> = HashMap::default();
    for (_, blocks) in all {
        let Some(&last) = blocks.iter().max_by_key(|&&block| graph.blocks[block].start) else { continue };
        let mut shared = graph.blocks[last].clone();
        let at = shared.steps.len() - 1;
        shared.steps.drain(..at);
        shared.start = shared.steps[0].offset;
        let new = graph.blocks.len();
        for block in blocks {
            let found = &mut graph.blocks[block];
            if let Some(step) = found.steps.pop() {
                graph.copies.note_steps(std::slice::from_ref(&step), &shared.steps);
                found.end_offset = step.offset;
            }
            found.end = Terminator::Jump(new);
            if found.steps.is_empty() && !handlers.contains(block) {
                joined.insert(block, new);
            }
        }
        graph.blocks.push(shared);
    }
    redirect(graph, &joined);
    found_ways
}

/// The first block on a way that is asked for, or that does or tells something: what unbound the handler's name is
/// erased, and leaves blocks that do not.
fn behind_idle(graph: &Graph, mut block: BlockId, is_asked_for: impl Fn(BlockId) -> bool) -> BlockId {
    for _ in 0..MOST_IDLE {
        let found = &graph.blocks[block];
        match found.end {
            Terminator::Jump(next) if found.steps.is_empty() && tells_nothing(found) => {
                if is_asked_for(block) || is_bare_body(graph, block) {
                    break;
                }
                block = next;
            }
            _ => break,
        }
    }
    block
}

/// Lets what leads to a block, also by blocks that do nothing, lead to the one that stands for it.
fn redirect(graph: &mut Graph, joined: &HashMap<BlockId, BlockId>) {
    if joined.is_empty() {
        return;
    }
    let target = |to: BlockId| {
        let behind = behind_idle(graph, to, |block| joined.contains_key(&block));
        joined.get(&behind).copied().unwrap_or(to)
    };
    let targets: Vec<BlockId> = (0..graph.blocks.len()).map(target).collect();
    for block in graph.blocks.iter_mut() {
        block.end.retarget(|to| targets[to]);
    }
}
