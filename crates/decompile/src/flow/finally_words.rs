//! Which ways out of a `try` with `finally` are a `break`, `continue` or `return`: the copies of the `finally` body that they
//! run tell.

use std::cell::OnceCell;

use depyf_bytecode::Function;

use super::copied_ends::returns_constant;
use super::finally_bodies::Exit;
use super::finally_places::Place;
use super::kept_predecessors::KeptPredecessors;
use super::places::{instruction_at, is_as_wide_as_return, line_of};
use super::shared_exits::written_break;
use super::written_jumps::{body_of_try, may_be_word};
use super::{BlockId, Graph, RegionId};
use crate::hash::HashMap;

/// A statement that runs the copy of a `finally` body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    /// A `break` or `continue`.
    Jump {
        /// The instruction that has its place, or that leads on behind the copy.
        offset: u32,
        /// The `try` in whose body it was written, if that stands in the one with the `finally`.
        body: Option<RegionId>,
    },
    /// A `return` of a constant: the instruction that is left of it.
    Return(u32),
}

/// Those among the ways out of a region, by the copies that they run.
///
/// The compiler leaves an instruction without effect of each in front of its copy (3.10 on), as wide as the word, if columns
/// are known. So it does of a `return` of a constant, which comes behind the copy: on the line of the statement, on that of
/// the copy, or on none.
pub(super) fn words(
    graph: &Graph,
    region: RegionId,
    exits: &[Exit],
    moved_from: u32,
    predecessors: &OnceCell<KeptPredecessors>,
    function: &Function,
) -> HashMap<BlockId, Word> {
    let heads = heads_with_copies(graph, graph.regions[region].handler, exits, moved_from);
    let predecessors = || predecessors.get_or_init(|| KeptPredecessors::of(graph));
    let mut found = HashMap::default();
    for &Exit { to, behind, returns, .. } in exits {
        let Some(((next, at), offset)) = behind else { continue };
        let is_known = at == 0 && heads.iter().any(|&(head, last)| head == next && last != Some(to));
        let in_front = (!returns && function.features.jump_statements_stay)
            .then(|| written_break(graph, to, 0, predecessors, function))
            .flatten();
        let word = in_front.and_then(|(word, line)| {
            let left = instruction_at(function, word)?;
            let returns = may_be_return(graph, (next, at), (line, offset), function);
            if may_be_word(left) && !returns {
                let body = body_of_try(graph, predecessors(), function, to, line);
                Some(Word::Jump { offset: word, body })
            } else {
                (returns && is_as_wide_as_return(left)).then_some(Word::Return(word))
            }
        });
        let word = word.or(is_known.then_some(Word::Jump { offset, body: None }));
        if let Some(word) = word {
            found.insert(to, word);
        }
    }
    found
}

/// Whether what stands behind a copy may be a `return` on a line, where an offset is the last of the copy.
fn may_be_return(graph: &Graph, (block, at): Place, (line, last): (u32, u32), function: &Function) -> bool {
    let found = &graph.blocks[block];
    let rest = &found.steps[at..];
    let own = line_of(function, rest.first().map_or(found.end_offset, |step| step.offset));
    let is_of_copy = own.is_none() || own == line_of(function, last);
    own == Some(line) || returns_constant(rest, found.end) && is_of_copy
}

/// The last of some blocks that are not moved with a handler, to `moved_from` or behind it.
pub(super) fn last_in_order(
    graph: &Graph,
    blocks: impl Iterator<Item = BlockId>,
    moved_from: u32,
) -> Option<BlockId> {
    let start = |block: BlockId| graph.blocks[block].start;
    blocks.filter(|&block| start(block) < moved_from).max_by_key(|&block| start(block))
}

/// The heads of loops that several copies lead back to, each with the copy of all that falls off the end of the statement,
/// the last one. Each `continue` has its own: the others were written.
fn heads_with_copies(
    graph: &Graph,
    handler: BlockId,
    exits: &[Exit],
    moved_from: u32,
) -> Vec<(BlockId, Option<BlockId>)> {
    let start = |block: BlockId| graph.blocks[block].start;
    let leads_back = |exit: &Exit| match exit.behind {
        Some(((head, 0), _)) if start(head) < start(handler) => Some((head, exit.to)),
        _ => None,
    };
    let mut found: Vec<(BlockId, BlockId)> = exits.iter().filter_map(leads_back).collect();
    found.sort_unstable();
    found.dedup();
    let last = |copies: &[(BlockId, BlockId)]| {
        last_in_order(graph, copies.iter().map(|&(_, copy)| copy), moved_from)
    };
    found
        .chunk_by(|(a, _), (b, _)| a == b)
        .filter(|copies| copies.len() > 1)
        .map(|copies| (copies[0].0, last(copies)))
        .collect()
}
