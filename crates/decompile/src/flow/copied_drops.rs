//! What drops the iterators of the loops that a `return` or `break` leaves is copied with what it leads to.

use depyf_bytecode::{Function, Instruction};

use super::places::{instruction_at, line_of};
use super::written_ends::word_through_with;
use super::{Block, BlockId, Contents, Graph, Lists, RegionId, Step, Terminator};
use crate::hash::HashMap;

/// A line and a column.
type Place = (Option<u32>, Option<u32>);

/// Blocks that only drop values, such as the iterators of the loops that a `return` leaves, and the first that does so for
/// the same statement.
pub(super) fn copies_of_drops(
    graph: &mut Graph,
    order: &[BlockId],
    function: &Function,
) -> HashMap<BlockId, BlockId> {
    let has_columns = function.instructions.iter().any(|found| found.column.is_some());
    // Where there are columns, what has none tells nothing.
    let place = |step: &Step| match instruction_at(function, step.offset) {
        Some(Instruction { line, column, .. }) => {
            (column.is_some() || !has_columns && line.is_some()).then_some((*line, *column))
        }
        None => None,
    };
    let mut known: HashMap<(BlockId, Option<RegionId>, usize, Place), BlockId> = HashMap::default();
    let mut found: Vec<(BlockId, BlockId)> = Vec::new();
    let mut ways = None;
    for &block in
        order.iter().filter(|_| function.features.copies_ends && graph.contents.meets(Contents::POPS))
    {
        let Block { steps, end: Terminator::Jump(to), region, .. } = &graph.blocks[block] else { continue };
        if !steps.iter().all(Step::drops) {
            continue;
        }
        let Some(mut own) = steps.first().and_then(place) else { continue };
        if !steps.iter().all(|step| place(step) == Some(own)) {
            continue;
        }
        // Behind a `with` the place is that of the statement, whichever word leaves it.
        if let Some(word) =
            word_through_with(graph, block, ways.get_or_insert_with(|| graph.predecessors()), function)
        {
            own = (word.line, word.column);
        }
        let first = *known.entry((*to, *region, steps.len(), own)).or_insert(block);
        if first != block {
            found.push((block, first));
        }
    }
    if found.is_empty() {
        return HashMap::default();
    }
    let handlers = graph.handler_heads();
    found.retain(|&(copy, _)| copy != 0 && !handlers.contains(copy));
    let predecessors = ways.filter(|_| !has_columns);
    for &(copy, kept) in &found {
        // A `break` behind a statement has a line of its own; what a `return` in it drops is not copied.
        let drop = graph.blocks[kept].steps[0].offset;
        let line = line_of(function, drop);
        let begins_line = |ways: &Lists| -> bool {
            let mut before = ways[copy].iter().chain(&ways[kept]);
            before.all(|&before| line_of(function, graph.blocks[before].end_offset) != line)
        };
        if predecessors.as_deref().is_some_and(begins_line) {
            graph.blocks[kept].written = Some(drop);
        }
        graph.copies.note_steps(&graph.blocks[copy].steps, &graph.blocks[kept].steps);
        graph.copies.note(graph.blocks[copy].end_offset, graph.blocks[kept].end_offset);
    }
    found.into_iter().collect()
}
