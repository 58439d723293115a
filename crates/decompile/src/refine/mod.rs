//! Passes on the tree: what the source need not say goes, and temporaries find their place.

mod annotations;
mod asserts;
mod chains;
mod comprehensions;
mod counted_jumps;
mod dead_return;
mod declarations;
mod deferred_annotations;
mod docstrings;
mod dropped_clauses;
mod erased_else;
mod hidden_globals;
mod indentation;
mod inline;
mod joined_statements;
mod kept;
mod kept_inside;
mod kept_places;
mod leaving_words;
mod loops;
mod lost_annotations;
mod mentions;
mod named_none;
mod named_values;
mod negated_constants;
mod negated_tests;
mod negations;
mod nested_tests;
mod none_tests;
mod open_arms;
mod operands;
mod outer_names;
mod returns;
mod shared_variables;
mod skipped_jumps;
mod static_attributes;
mod targets;
mod temporaries;
mod unplaced_words;
mod unreached_code;
mod visit;
mod with_items;
mod words;
mod written_negations;

#[cfg(test)]
mod tests;

pub(crate) use annotations::restore_annotations;
pub(crate) use asserts::restore_asserts;
pub(crate) use chains::join_chained_assignments;
pub(crate) use comprehensions::{clauses, no_element, restore_comprehensions, restore_unpacked_items};
pub(crate) use counted_jumps::count_jumps;
pub(crate) use dead_return::restore_dead_return;
pub(crate) use declarations::declare;
pub(crate) use deferred_annotations::{Deferred, deferred_annotations, place_annotations};
pub(crate) use docstrings::restore_docstring;
pub(crate) use dropped_clauses::Dropped;
pub(crate) use erased_else::restore_erased_else;
pub(crate) use hidden_globals::BoundAround;
pub(crate) use indentation::indent_by_columns;
pub(crate) use inline::inline_temporaries;
pub(crate) use joined_statements::join_statements;
pub(crate) use kept::keep_nested_code;
pub(crate) use leaving_words::spell_leaving_words;
pub(crate) use loops::{restore_while, spell_endless_tests};
pub(crate) use lost_annotations::restore_lost_annotations;
pub(crate) use named_none::name_returned_none;
pub(crate) use named_values::spell_named_values;
pub(crate) use negated_constants::spell_negated_constants;
pub(crate) use negated_tests::spell_negated_tests;
pub(crate) use negations::turn_comparisons;
pub(crate) use nested_tests::nest_tests;
pub(crate) use none_tests::spell_none_tests;
pub(crate) use returns::{
    drop_implied_continues, drop_implied_returns, drop_last_return, returns, spell_bare_returns,
};
pub(crate) use shared_variables::restore_mentions;
pub(crate) use skipped_jumps::join_skipped_jumps;
pub(crate) use static_attributes::restore_static_attributes;
pub(crate) use targets::restore_targets;
pub(crate) use temporaries::name_temporaries;
pub(crate) use unplaced_words::place_words;
pub(crate) use unreached_code::place_unreached_code;
pub(crate) use visit::{
    blocks, each_block, forget_origins, holds_blocks, renumber_origins, visit_origins, walk, without_origins,
};
pub(crate) use with_items::join_with_items;
pub(crate) use words::{WordPlaces, Words};
pub(crate) use written_negations::negate_by_columns;
