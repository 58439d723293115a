//! Pass: what ends in a `break` or `continue` knows that it was written.
//!
//! The jump that the compiler puts behind a body has no place of its own in the source, a statement has. Both may lead to
//! the same block; only the statement ends the body that it stands in, and where a `while` is tested twice it goes to the
//! first test.
//!
//! A `break` at the end of a loop, where control goes on behind it anyway, is an instruction that does nothing (3.14 on).
//!
//! Needs: the blocks as the bytecode has them, with lines. Establishes: `Block::written`, and `Layout::jump` where a test
//! falls into such a `break`; what is nothing but such a jump
//! is at least in a region that it leads to, if one around what leads to it is, and in the body of the `try` that it was
//! written in: the compiler may leave a jump out of the region, since it cannot raise.
//!
//! Example: `a: f(); Jump(head)` on lines 3 and 4 has a written jump, `a: f(); Jump(head)` on line 3 alone has none.

use std::cell::OnceCell;
use std::ops::{Index, Range};

use depyf_bytecode::{CodeObject, Function, Instruction, Op};

use crate::hash::HashMap;

use super::places::{
    continues, instruction_at, instructions_before, is_same_place, is_word_of_break, line_of,
};
use super::{Block, BlockId, BlockSet, Contents, Graph, Lists, RegionId, Step, StepKind, Terminator};

/// What such a statement is.
const WORDS: [&str; 2] = ["break", "continue"];

/// So many instructions of a pattern are looked at.
const MOST_OF_A_PATTERN: usize = 64;

/// See the module.
pub(crate) fn note_written_jumps(graph: &mut Graph, code: &CodeObject, function: &Function) {
    // The loops of comprehensions have no statements.
    if code.name.as_str().is_some_and(|name| name.starts_with('<') && name != "<module>") {
        return;
    }
    if !function.features.jump_statements_stay {
        note_falling_breaks(graph, function);
        return;
    }
    note_last_breaks(graph, function);
    note_breaks_at_the_end_of_loops(graph, function);
    note_breaks_behind_bodies(graph, function);
    note_falling_breaks(graph, function);
    let blocks = graph.blocks.iter().enumerate();
    let found = blocks.filter(|(_, block)| block.jumps && may_be_written(function, block.end_offset));
    let mut found: Vec<BlockId> = found.map(|(id, _)| id).collect();
    if found.is_empty() {
        return;
    }
    if graph.contents.meets(Contents::CLEARED_LOCALS) {
        let inlined = inlined_loops(function);
        found.retain(|&block| {
            let at = instructions_before(function, graph.blocks[block].end_offset);
            let last = inlined.partition_point(|span| span.start <= at).checked_sub(1);
            !last.is_some_and(|last| inlined[last].contains(&at))
        });
    }
    // Seldom asked for: most jumps have a place that tells.
    let known = OnceCell::new();
    let predecessors = |graph: &Graph| graph.predecessors();
    found.retain(|&block| is_written(graph, || known.get_or_init(|| predecessors(graph)), function, block));
    if found.is_empty() {
        return;
    }
    let predecessors = known.into_inner().unwrap_or_else(|| predecessors(graph));
    for block in found {
        let written = Some(graph.blocks[block].end_offset);
        graph.blocks[block].written = written;
        if let Some(before) = cut_off_drop(graph, &predecessors, function, block) {
            graph.blocks[before].written = written;
        }
        // Besides, a `break` drops the iterator of its loop.
        let (Terminator::Jump(to), true) =
            (graph.blocks[block].end, graph.blocks[block].steps.iter().all(Step::drops))
        else {
            continue;
        };
        let line = line_of(function, graph.blocks[block].end_offset);
        let is_free = graph.blocks[block].region.is_none();
        let body = line
            .filter(|_| is_free)
            .and_then(|line| body_of_try(graph, &*predecessors, function, block, line));
        if let Some(region) = body {
            graph.blocks[block].region = Some(region);
        } else if graph.blocks[block].steps.is_empty() {
            let around = graph.regions_around(to);
            let mut before = predecessors[block].iter().flat_map(|&before| graph.regions_around(before));
            let shared = before.find(|region| around.contains(region));
            // What leaves a `with` is in its region already.
            if shared.is_some_and(|shared| !graph.regions_around(block).contains(&shared)) {
                graph.blocks[block].region = shared;
            }
        }
    }
}

/// Notes what is left of a `break` that a test falls into whose other way leads back to the head of the loop.
fn note_last_breaks(graph: &mut Graph, function: &Function) {
    // Real code has few of them; those of damaged code must not take quadratic time.
    let mut budget = 64 * graph.blocks.len();
    for test in 0..graph.blocks.len() {
        let found = &graph.blocks[test];
        let (Terminator::Branch { yes, no }, Some(truth), None) =
            (found.end, found.layout.falls, found.layout.jump)
        else {
            continue;
        };
        let (body, other) = if truth { (yes, no) } else { (no, yes) };
        let Some(nop) = nop_in_front(graph, body, function) else { continue };
        let head = match graph.blocks[other].end {
            Terminator::Jump(to) if graph.blocks[other].steps.is_empty() && graph.blocks[other].jumps => to,
            _ => other,
        };
        let has_own_place =
            instruction_at(function, found.end_offset).is_some_and(|test| !is_same_place(test, nop));
        let goes_back = graph.blocks[head].start <= found.start;
        let mut stays = |to: BlockId| leads_to(graph, body, to, head, &mut budget);
        if goes_back && has_own_place && !stays(test) && !stays(body) {
            graph.blocks[test].layout.jump = Some(nop.offset);
        }
    }
}

/// Notes what is left of a `break` behind a statement, at the end of a loop: an instruction that does nothing, which leads where
/// the head of the loop does.
fn note_breaks_at_the_end_of_loops(graph: &mut Graph, function: &Function) {
    if !graph.contents.meets(Contents::NOPS) {
        return;
    }
    let leads_out = |id: BlockId| {
        let found = &graph.blocks[id];
        let Terminator::Jump(next) = found.end else { return None };
        let is_idle = found.steps.is_empty() && !found.jumps && found.written.is_none();
        let word = instruction_at(function, found.end_offset).filter(|_| is_idle)?;
        let is_word = word.op == Op::Nop && is_word_of_break(word.offset, function);
        is_word.then_some((next, word.offset))
    };
    let found: Vec<(BlockId, BlockId, u32)> =
        (0..graph.blocks.len()).filter_map(|id| leads_out(id).map(|(next, word)| (id, next, word))).collect();
    if found.is_empty() {
        return;
    }
    let predecessors = graph.predecessors();
    for (id, next, word) in found {
        let start = |block: BlockId| graph.blocks[block].start;
        let goes_back = |&before: &BlockId, head: BlockId| start(head) <= start(before);
        let is_head = |&&head: &&BlockId| {
            start(head) < start(id) && predecessors[head].iter().any(|before| goes_back(before, head))
        };
        let is_test = |head: &BlockId| !matches!(graph.blocks[*head].end, Terminator::Jump(_));
        if predecessors[next].iter().filter(is_head).any(is_test) {
            graph.blocks[id].written = Some(word);
        }
    }
}

/// Notes what is left of a `break` in the `else` of a `try` that the body falls into, and which falls out of its loop (3.12 on).
fn note_breaks_behind_bodies(graph: &mut Graph, function: &Function) {
    if !graph.contents.meets(Contents::NOPS) {
        return;
    }
    for block in 0..graph.blocks.len() {
        let found = &graph.blocks[block];
        let (Terminator::Jump(next), Some(region), false) = (found.end, found.region, found.jumps) else {
            continue;
        };
        let first = instruction_at(function, graph.blocks[next].start);
        let word = first.filter(|nop| nop.op == Op::Nop && is_word_of_break(nop.offset, function));
        if let Some(word) = word
            && !graph.regions_around(next).contains(&region)
        {
            graph.blocks[block].layout.jump = Some(word.offset);
        }
    }
}

/// Notes each `break` that several statements lead to and that falls out of its loop, or of which no jump tells (to 3.9): of
/// it nothing is left but what drops the iterator. That has the place of the word, or at least a line behind those of all ways.
fn note_falling_breaks(graph: &mut Graph, function: &Function) {
    if !graph.contents.meets(Contents::POPS) {
        return;
    }
    // Where columns tell, most that is dropped is not as wide as the word, and no way to it needs to be looked at.
    let may_be_break = |drop: u32| {
        instruction_at(function, drop)
            .is_some_and(|found| found.column.is_none() || is_word_of_break(drop, function))
    };
    let falls = |block: &Block| {
        let tells = block.jumps && function.features.jump_statements_stay;
        let goes_on = !tells && matches!(block.end, Terminator::Jump(_));
        goes_on
            && block.steps.first().is_some_and(|drop| drop.drops() && may_be_break(drop.offset))
            && block.steps.iter().all(Step::drops)
    };
    let blocks = graph.blocks.iter().enumerate();
    let found: Vec<BlockId> = blocks.filter(|(_, block)| falls(block)).map(|(id, _)| id).collect();
    if found.is_empty() {
        return;
    }
    let predecessors = graph.predecessors();
    for block in found {
        let drop = graph.blocks[block].steps[0].offset;
        if is_break_behind(graph, &predecessors, block, drop, function) {
            graph.blocks[block].written = Some(drop);
        }
    }
}

/// Whether what drops an iterator at the start of a block is the `break` that several ways lead to, not by tests alone. Where
/// columns do not tell, a jump to it on a line above does: it leads past the handlers that the `break` stands behind.
pub(super) fn is_break_behind(
    graph: &Graph,
    predecessors: &Lists,
    block: BlockId,
    drop: u32,
    function: &Function,
) -> bool {
    let goes_on = |&before: &BlockId| matches!(graph.blocks[before].end, Terminator::Jump(_));
    let ways = &predecessors[block];
    let Some(word) = instruction_at(function, drop) else { return false };
    let is_above = |&before: &BlockId| {
        line_of(function, graph.blocks[before].end_offset).is_some_and(|line| Some(line) < word.line)
    };
    let leads_past_handler = |only: BlockId| {
        let between = graph.blocks[only].end_offset..drop;
        let mut handlers = graph.regions.iter().map(|region| graph.blocks[region.handler].start);
        graph.blocks[only].jumps && goes_on(&only) && handlers.any(|start| between.contains(&start))
    };
    let is_jumped_to = || matches!(ways[..], [only] if leads_past_handler(only));
    match word.column {
        _ if ways.len() > 1 && !ways.iter().any(goes_on) => false,
        Some(_) => ways.len() > 1 && is_word_of_break(drop, function),
        None => (ways.len() > 1 || is_jumped_to()) && ways.iter().all(is_above),
    }
}

/// The first instruction of a block, if it does nothing and was not written for the `try` behind it.
fn nop_in_front<'a>(graph: &Graph, block: BlockId, function: &'a Function) -> Option<&'a Instruction> {
    let found = &graph.blocks[block];
    let at = instructions_before(function, found.start);
    let (first, behind) = (function.instructions.get(at)?, function.instructions.get(at + 1)?);
    let is_try = match found.end {
        Terminator::Jump(next) if found.steps.is_empty() && !matches!(behind.op, Op::Nop) => {
            let around = graph.regions_around(block);
            found.jumps || graph.regions_around(next).iter().any(|region| !around.contains(region))
        }
        _ => false,
    };
    (matches!(first.op, Op::Nop) && first.line.is_some() && !is_try).then_some(first)
}

/// Whether a way leads behind a block to another that does not pass a third, or may: the budget of blocks ends.
fn leads_to(graph: &Graph, from: BlockId, to: BlockId, except: BlockId, budget: &mut usize) -> bool {
    let mut seen = BlockSet::default();
    seen.insert(except);
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        let found = &graph.blocks[block];
        for next in found.end.successors().chain(found.region.map(|region| graph.regions[region].handler)) {
            if next == to || *budget == 0 {
                return true;
            }
            if !seen.put(next) {
                *budget -= 1;
                work.push(next);
            }
        }
    }
    false
}

/// The block in front of a `break` that drops the iterator of its loop, and does nothing else: the jump, which cannot raise,
/// is left out of the region that both were written in.
fn cut_off_drop(graph: &Graph, predecessors: &Lists, function: &Function, block: BlockId) -> Option<BlockId> {
    let [before] = predecessors[block][..] else { return None };
    let (found, own) = (&graph.blocks[before], &graph.blocks[block]);
    let first = found.steps.first().filter(|_| found.steps.iter().all(Step::drops))?;
    let [drop, jump] = [first.offset, own.end_offset].map(|offset| instruction_at(function, offset));
    let falls = !found.jumps && matches!(found.end, Terminator::Jump(_)) && own.steps.is_empty();
    (falls && is_same_place(drop?, jump?)).then_some(before)
}

/// The region of the `try` in whose body a jump was written on a line: all that leads to it is there, and its handlers stand
/// on lines below. Where the handlers lie in the order of the source, their place tells the same.
pub(super) fn body_of_try(
    graph: &Graph,
    predecessors: &impl Index<BlockId, Output = [BlockId]>,
    function: &Function,
    block: BlockId,
    line: u32,
) -> Option<RegionId> {
    let (first, others) = predecessors[block].split_first()?;
    let region = graph.blocks[*first].region?;
    if function.features.source_order {
        return None;
    }
    let is_inside = |&before: &BlockId| graph.regions_around(before).contains(&region);
    let handler = &graph.blocks[graph.regions[region].handler];
    let handles = handler
        .steps
        .iter()
        .any(|step| matches!(step.kind, StepKind::Op(Op::ExceptionMatch | Op::ExceptionGroupMatch)));
    let below = handler.steps.iter().find_map(|step| line_of(function, step.offset))?;
    (handles && line < below && others.iter().all(is_inside)).then_some(region)
}

/// The loops of inlined comprehensions, as instructions: the first one behind the place where their variables are
/// cleared, with all that is in it. They are disjoint and in order.
fn inlined_loops(function: &Function) -> Vec<Range<usize>> {
    let (mut found, mut is_cleared) = (Vec::<Range<usize>>::new(), false);
    let mut add = |span: Range<usize>| {
        let is_inner = found.last().is_some_and(|around| around.contains(&span.start));
        found.extend((!is_inner).then_some(span));
    };
    // What an asynchronous loop ends with leads back to its head.
    let is_back = |(at, found): (usize, &Instruction)| match found.op {
        Op::Jump(to) if (to as usize) < at => Some((to as usize, at + 1)),
        _ => None,
    };
    let is_async = function.instructions.iter().any(|found| matches!(found.op, Op::GetAnext));
    let instructions = || function.instructions.iter().enumerate();
    let ends: HashMap<usize, usize> = instructions().filter(|_| is_async).filter_map(is_back).collect();
    for (at, instruction) in instructions() {
        match instruction.op {
            Op::LoadLocalAndClear(_) => is_cleared = true,
            Op::ForIter { exhausted, .. } if is_cleared => {
                add(at..exhausted as usize);
                is_cleared = false;
            }
            Op::GetAnext if is_cleared => {
                ends.get(&at).into_iter().for_each(|&end| add(at..end));
                is_cleared = false;
            }
            // An `async for` has stored its item before any other loop begins.
            Op::StoreLocal(_) => is_cleared = false,
            _ => {}
        }
    }
    found
}

/// Whether one of the instructions right before begins where an instruction does and ends elsewhere: no word stands there, but a
/// pattern that happens to be as wide, and begins with another one.
fn begins_with_another(own: &Instruction, before: &[Instruction]) -> bool {
    let mut on_line = before.iter().rev().take(MOST_OF_A_PATTERN).take_while(|found| found.line == own.line);
    own.column.is_some() && on_line.any(|found| found.column == own.column && found.width != own.width)
}

/// Whether the jump at an offset may be a statement: the one at the end of a `while True` has the line of its head. One
/// behind what drops a value in its place is only if it is as wide as such a word: else it leads on behind a pattern of
/// that place.
fn may_be_written(function: &Function, offset: u32) -> bool {
    let at = instructions_before(function, offset);
    let (own, last) = (&function.instructions[at], function.instructions[..at].last());
    match own.op {
        Op::Jump(to) => match function.instructions.get(to as usize) {
            Some(target) => {
                let drops = |before: &Instruction| before.op == Op::Pop && is_same_place(before, own);
                own.line.is_some()
                    && (own.line >= target.line || to as usize > at)
                    && last.is_none_or(|last| may_be_statement(own, last))
                    && (may_be_word(own) && !begins_with_another(own, &function.instructions[..at])
                        || !last.is_some_and(drops))
            }
            None => false,
        },
        _ => false,
    }
}

/// Whether an instruction is as wide as such a statement, as far as is known.
pub(super) fn may_be_word(found: &Instruction) -> bool {
    found.width == 0 || WORDS.iter().any(|word| word.len() == usize::from(found.width))
}

/// Whether an instruction may have the place of a statement behind another instruction: one on the same line is a word, or a `pass`,
/// else it has that of a constant in a condition, of whose test nothing else is left.
pub(super) fn may_be_statement(found: &Instruction, before: &Instruction) -> bool {
    found.line != before.line || may_be_word(found) || usize::from(found.width) == "pass".len()
}

/// Whether the jump that a block ends with is a statement.
fn is_written<'a>(
    graph: &Graph,
    predecessors: impl FnOnce() -> &'a Lists,
    function: &Function,
    block: BlockId,
) -> bool {
    let at = instructions_before(function, graph.blocks[block].end_offset);
    match (continues(graph, predecessors, function, block, at), function.instructions[at].op) {
        (Some(continues), _) => !continues,
        // At the end of a handler the jump of the loop would stand behind the statement.
        (None, Op::Jump(to)) => {
            let target = function.instructions.get(to as usize);
            let is_for = target.is_none_or(|target| matches!(target.op, Op::ForIter { .. }));
            function.features.source_order && to as usize <= at && !is_for
        }
        _ => false,
    }
}
