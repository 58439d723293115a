//! Pass: the last statements of a function that the compiler copied stand once.
//!
//! A short end (`h()`, and the `return` behind it) is copied to every jump that leads to it (`Python/flowgraph.c`,
//! `inline_small_or_no_lineno_blocks`), and so to the end of each arm of an `if`. Where the table has columns (3.11
//! and later) all instructions of a copy have the places of the original, which no other statement has.
//!
//! Needs: `finally` bodies are found, whose copies have one place, too. Establishes: outside of all loops and handlers no
//! two ends of the function are one statement, behind which it returns None.
//!
//! Example: `if a: x(); h()`, `else: y(); h()` with both `h()` in one place go to one block that does `h()`.

use depyf_bytecode::{CodeObject, Features, Function};

use super::copied_ends::{body_end, cut_off, stands_alone};
use super::handling::Handling;
use super::places::{original_first, place_of};
use super::shared_exits::{retarget, returns_none};
use super::{Block, BlockId, Graph, Step, StepKind, Terminator};
use crate::hash::HashMap;
use crate::lift::Context;

/// See the module.
pub(crate) fn join_copied_statements(graph: &mut Graph, context: &Context<'_>) {
    let function = context.function;
    if !function.features.copies_ends || !function.instructions.iter().any(|found| found.column.is_some()) {
        return;
    }
    let body_end = body_end(graph, context);
    let mut ends: Vec<(Place, BlockId)> = Vec::new();
    for (id, block) in graph.blocks.iter().enumerate() {
        if block.region.is_none()
            && goes_on(block, body_end, context.code)
            && let Some(place) = own_place(function, block.end_offset)
        {
            ends.push((place, id));
        }
    }
    ends.sort_unstable();
    let groups: Vec<Vec<BlockId>> = ends
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|copies| copies.len() > 1)
        .map(|copies| copies.iter().map(|&(_, id)| id).collect())
        .collect();
    if groups.is_empty() {
        return;
    }
    let handling = Handling::of(graph, &function.features);
    let moved = graph.moved_from(&function.features);
    let mut joined: HashMap<BlockId, BlockId> = HashMap::default();
    for mut copies in groups {
        copies.sort_by_key(|&id| original_first(graph.blocks[id].end_offset, moved));
        let count = common_end(graph, &copies, function);
        let is_end = |&count: &usize| {
            copies.iter().all(|&id| {
                let block = &graph.blocks[id];
                let (before, tail) = block.steps.split_at(block.steps.len() - count);
                handling
                    .height(id)
                    .is_some_and(|height| height + effect(&handling, before, &function.features) == 0)
                    && stands_alone(tail, block.end, body_end, &function.features)
                    && own_place(function, tail[0].offset).is_some()
            })
        };
        let Some(count) = (1..=count).rev().find(is_end) else { continue };
        let original = cut_in_front(graph, copies[0], count);
        for &copy in &copies[1..] {
            let copy = cut_in_front(graph, copy, count);
            let (own, kept) = (&graph.blocks[copy], &graph.blocks[original]);
            graph.copies.note_steps(&own.steps, &kept.steps);
            graph.copies.note(own.end_offset, kept.end_offset);
            joined.insert(copy, original);
        }
    }
    retarget(graph, &joined);
}

/// Whether the function ends behind the last statement of a block, which says nothing of that: a `return` is a statement by
/// itself, see `join_shared_exits`.
fn goes_on(block: &Block, body_end: Option<BlockId>, code: &CodeObject) -> bool {
    match (block.end, &block.steps[..]) {
        (Terminator::Return, [.., Step { kind: StepKind::Op(last), .. }]) => returns_none(&[*last], code),
        (Terminator::Jump(to), _) => Some(to) == body_end,
        _ => false,
    }
}

/// A line and a column.
type Place = (u32, u32);

fn own_place(function: &Function, offset: u32) -> Option<Place> {
    let (line, column) = place_of(function, offset)?;
    Some((line?, column?))
}

/// With how many steps all of the blocks end that do the same in the same place.
fn common_end(graph: &Graph, copies: &[BlockId], function: &Function) -> usize {
    let first = &graph.blocks[copies[0]];
    let alike = |id: &BlockId| {
        let other = &graph.blocks[*id];
        if other.end != first.end {
            return 0;
        }
        let pairs = first.steps.iter().rev().zip(other.steps.iter().rev());
        let place = |step: &Step| place_of(function, step.offset);
        pairs.take_while(|(a, b)| a.same(b) && place(a) == place(b)).count()
    };
    copies[1..].iter().map(alike).min().unwrap_or(0)
}

/// The block that the last `count` steps of one are: what is in front of them becomes another one.
fn cut_in_front(graph: &mut Graph, block: BlockId, count: usize) -> BlockId {
    match graph.blocks[block].steps.len() - count {
        0 => block,
        at => cut_off(graph, block, at),
    }
}

fn effect(handling: &Handling, steps: &[Step], features: &Features) -> i64 {
    steps.iter().map(|step| handling.effect(step, features)).sum()
}
