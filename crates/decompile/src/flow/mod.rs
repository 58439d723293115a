//! Control flow: basic blocks, protected regions, and reductions on the graph.

mod annotations;
mod assertions;
mod async_loops;
mod async_managers;
mod behind;
mod block_set;
mod blocks;
mod body_ends;
mod body_exits;
mod borders;
mod chains;
mod class_bodies;
mod compounds;
mod comprehension_variables;
mod comprehensions;
mod conditionals;
mod conditions;
mod constant_returns;
mod contents;
mod copied_ends;
mod copied_places;
mod copied_raises;
mod copied_tails;
mod copies;
mod de_morgan;
mod dead_jumps;
mod delegation;
mod deletions;
mod dominators;
mod dropped_values;
mod exception_groups;
mod expression_ends;
mod finally_bodies;
mod finally_places;
mod finally_subroutines;
mod folded_arms;
mod function_end;
mod graph;
mod handling;
mod holes;
mod idle_tests;
mod inner_returns;
mod lists;
mod matches;
mod members;
mod none_tests;
mod or_pop;
mod order;
mod outer_heads;
mod places;
mod profiler;
mod reduce;
mod regions;
mod repeated_tests;
mod rotation;
mod same_ends;
mod separate_tests;
mod shared_exits;
mod shared_heads;
mod shared_tails;
mod shortcuts;
mod step;
mod test_layout;
mod threading;
mod unreachable;
mod unreached_code;
mod written_jumps;

#[cfg(test)]
mod tests;

pub(crate) use annotations::{
    copied_annotations, is_annotate, mark_annotations, own_annotations, spell_annotations,
};
pub(crate) use assertions::find_assertions;
pub(crate) use async_loops::fold_async_loops;
pub(crate) use async_managers::erase_manager_awaits;
pub(crate) use behind::note_what_lies_behind;
pub(crate) use block_set::BlockSet;
pub(crate) use blocks::Blocks;
pub(crate) use body_ends::join_body_ends;
pub(crate) use body_exits::join_body_exits;
pub(crate) use class_bodies::{erase_class_bookkeeping, is_class_body};
pub(crate) use comprehensions::{ITERABLE, fold_comprehensions};
pub(crate) use constant_returns::return_constants_inside_regions;
pub(crate) use contents::{Contents, fills_container};
pub(crate) use copied_ends::join_copied_ends;
pub(crate) use copied_places::forget_copied_places;
pub(crate) use copied_raises::join_copied_raises;
pub(crate) use copies::{Copies, origins};
pub(crate) use dead_jumps::note_dead_jumps;
pub(crate) use delegation::fold_delegation;
pub(crate) use deletions::erase_dead_deletions;
pub(crate) use dominators::Dominators;
pub(crate) use exception_groups::find_exception_groups;
pub(crate) use expression_ends::join_expression_ends;
pub(crate) use finally_bodies::join_finally_bodies;
pub(crate) use finally_subroutines::copy_finally_bodies;
pub(crate) use function_end::find_function_end;
pub(crate) use graph::{
    Behind, Block, BlockId, DeadJumps, Graph, Landing, Layout, Protection, RegionId, RegionKind, RegionList,
    Terminator, target_of,
};
pub(crate) use holes::fill_region_holes;
pub(crate) use inner_returns::return_inside_regions;
pub(crate) use lists::Lists;
pub(crate) use matches::{CaseId, find_matches, fold_guards};
pub(crate) use none_tests::join_none_tests;
pub(crate) use or_pop::restore_or_pop;
pub(crate) use order::{Successors, Ways, reverse_postorder};
pub(crate) use places::{instruction_at, instructions_before, instructions_of, line_of, unbinds};
pub(crate) use profiler::{COMMENT as PROFILER_COMMENT, fold_profiler};
pub(crate) use reduce::reduce;
pub(crate) use regions::{erase_cleanup_regions, find_with_statements};
pub(crate) use rotation::join_rotated_tests;
pub(crate) use shared_exits::{join_shared_exits, returns_none};
pub(crate) use shared_heads::split_shared_heads;
pub(crate) use shared_tails::LARGEST_COPY;
pub(crate) use shortcuts::undo_builtin_shortcuts;
pub(crate) use step::{Folded, Piece, Step, StepKind};
pub(crate) use threading::thread_jumps;
pub(crate) use unreachable::{
    end_of_loop, erase_unreachable, erase_unreachable_but, separate_comprehension_locals,
};
pub(crate) use unreached_code::reach_unreached_code;
pub(crate) use written_jumps::note_written_jumps;
