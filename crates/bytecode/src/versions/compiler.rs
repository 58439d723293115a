//! What each version's compiler does, as far as the meaning of the code depends on it.

use depyf_value::PyVersion;

use crate::function::Features;

/// Behaviour of a version's compiler, by name: what whoever compiles a syntax tree must know. Seen with
/// `dis` on the interpreters themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompilerFeatures {
    /// Features of the decoded form too.
    pub features: Features,
    /// `[*a, b]` and `f(*a, **b)` evaluate all parts before they unpack any (3.8); later, in turn.
    pub unpacks_at_once: bool,
    /// An empty tuple that the compiler makes itself, as of the arguments of `f(**a)`, is a constant (3.10 and later).
    pub folds_empty_tuples: bool,
    /// `assert` looks `AssertionError` up as a global name (3.8).
    pub assertion_error_by_name: bool,
    /// `for x in [y]` in a comprehension is an assignment (3.9 and later).
    pub assigns_single_items: bool,
    /// The annotations of a function are a tuple of names and values (3.10 and later), before, a dict.
    pub annotations_in_tuple: bool,
    /// The names in an annotation that becomes a text are resolved all the same, and so are cells (to 3.9).
    pub looks_into_annotation_texts: bool,
    /// The annotations of positional-only parameters come first (3.15); before, behind those of the other positional
    /// ones.
    pub annotates_in_order: bool,
    /// What a class or mapping pattern found is read by index, and `**rest` is one operation (3.10); later,
    /// it is unpacked.
    pub matches_by_index: bool,
    /// An f-string without fields is a string for the parser already, and is left out as one (3.12 and later).
    pub parses_plain_fstrings: bool,
    /// `"%s" % (a,)` is compiled as an f-string (3.11 and later).
    pub percent_is_formatting: bool,
    /// A dict whose keys are constants takes them all at once, in a tuple (to 3.13).
    pub constant_key_maps: bool,
    /// Large displays are filled item by item, to save stack (3.10 and later).
    pub fills_large_displays: bool,
    /// The call of a method may have keywords and still be one (3.11 and later).
    pub methods_take_keywords: bool,
    /// Constants are folded on the tree, before `%` is looked at (to 3.13); later on the graph.
    pub folds_on_tree: bool,
    /// The tree that is folded includes the values of assignment expressions (3.10 and later).
    pub folds_named_values: bool,
    /// The jumps of `x or y` and `x if y else z` go where a constant decides them, when constants have been folded on the tree
    /// (3.10 and later).
    pub decides_constant_jumps: bool,
    /// A list or set display of three or more constants is filled from one (3.9 and later).
    pub fills_from_constants: bool,
    /// Of the places in the source only the first line tells code objects apart that are equal but for them: equal ones
    /// become one constant (to 3.10, and in 3.12).
    pub lines_tell_code_apart: bool,
    /// What stands under a test for a false constant is compiled, and its constants stay, though no operation of it does
    /// (3.10 and 3.11).
    pub keeps_constants_of_dropped_code: bool,
    /// Scopes in a class read its namespace from the cell `__classdict__` (3.12 and later).
    pub class_namespace_cell: bool,
    /// `from x import *` is an intrinsic function (3.12 and later).
    pub star_import_is_intrinsic: bool,
    /// The NULL of a call is pushed behind the callee (3.13 and later), before, in front of it.
    pub null_above_callee: bool,
    /// `super().name` is one operation (3.12 and later).
    pub super_attributes: bool,
    /// `!r` is applied before the format specification is evaluated (3.13 and later).
    pub converts_first: bool,
    /// An f-string of nothing is a constant; to 3.12 it is built of no parts.
    pub folds_empty_strings: bool,
    /// Class bodies store `__firstlineno__` and `__static_attributes__` (3.13 and later).
    pub class_facts: bool,
    /// What a module declares global is so in the comprehensions that run in it as well (3.12; in classes it always is).
    pub comprehensions_see_declarations: bool,
    /// The variables of a comprehension that runs in a function hide globals from the other ones there (3.12); variables of
    /// functions around they always hide.
    pub comprehensions_hide_globals: bool,
    /// The compiler takes the indentation out of docstrings (3.13 and later).
    pub cleans_docstrings: bool,
    /// Bounds, defaults and values of type parameters take the format wanted (3.14 and later).
    pub type_parameters_take_format: bool,
    /// The flags of code under `from __future__ import annotations`, any of them: it was moved in 3.8.2
    /// (`Include/code.h`).
    pub future_annotations_flags: u32,
    /// Two loads or stores of locals on one line are one instruction (3.13 and later).
    pub pairs_locals: bool,
    /// A comprehension or generator expression calls `iter()` itself, not who makes it; an inlined one calls it when its
    /// variables are its own (3.15).
    pub generator_calls_iter: bool,
    /// A display that `yield from` delegates to is a tuple, as one that a loop steps through (3.15).
    pub delegates_to_tuples: bool,
    /// Behind the field of a format specification `{x}` some releases have an empty text, and others not (3.12).
    pub specs_may_end_empty: bool,
    /// A real operand beside a complex one has no imaginary part: `1-0j` has the imaginary part -0.0 (3.14 and later).
    pub real_operands_stay_real: bool,
}

impl CompilerFeatures {
    /// So many values at most the compiler leaves on the stack (`STACK_USE_GUIDELINE` of CPython `Python/codegen.c`).
    pub const MOST_ON_THE_STACK: usize = 30;

    /// Whether a display of so many values is filled one by one, and so many arguments are a tuple.
    #[must_use]
    pub fn fills_in_steps(&self, count: usize) -> bool {
        self.fills_large_displays && count > Self::MOST_ON_THE_STACK
    }

    /// Whether so many arguments are packed into a tuple and a dict. A method is called with less on the stack than a
    /// function (`codegen_call_helper` and `maybe_optimize_method_call`).
    #[must_use]
    pub fn packs_arguments(&self, is_method: bool, positional: usize, keywords: usize) -> bool {
        let stays_method = is_method
            && self.methods_take_keywords
            && positional + keywords + usize::from(keywords > 0) < Self::MOST_ON_THE_STACK;
        self.fills_in_steps(positional + 2 * keywords) && !stays_method
    }

    /// Of how many pairs of a display the compiler makes one dict before it begins another (`codegen_dict`); `None` where
    /// their number is no reason to.
    #[must_use]
    pub fn pairs_of_a_part(&self) -> Option<usize> {
        self.fills_large_displays.then_some(Self::MOST_ON_THE_STACK / 2 + 2)
    }

    /// The features of a version; `None` where it is not supported.
    #[must_use]
    pub fn of(version: PyVersion) -> Option<Self> {
        let features = super::facts(version)?.features;
        let since = |minor| version >= PyVersion(minor);
        Some(Self {
            features,
            unpacks_at_once: !since(9),
            folds_empty_tuples: since(10),
            assertion_error_by_name: !since(9),
            assigns_single_items: since(9),
            annotations_in_tuple: since(10),
            looks_into_annotation_texts: !since(10),
            annotates_in_order: since(15),
            matches_by_index: !since(11),
            parses_plain_fstrings: since(12),
            percent_is_formatting: since(11),
            constant_key_maps: !since(14),
            fills_large_displays: since(10),
            methods_take_keywords: since(11),
            folds_on_tree: !since(14),
            folds_named_values: since(10),
            decides_constant_jumps: since(10),
            fills_from_constants: since(9),
            lines_tell_code_apart: !since(11) || version == PyVersion(12),
            keeps_constants_of_dropped_code: since(10) && !since(12),
            class_namespace_cell: since(12),
            star_import_is_intrinsic: since(12),
            null_above_callee: since(13),
            super_attributes: since(12),
            converts_first: since(13),
            folds_empty_strings: since(13),
            class_facts: since(13),
            comprehensions_see_declarations: !since(13),
            comprehensions_hide_globals: !since(13),
            cleans_docstrings: since(13),
            type_parameters_take_format: since(14),
            future_annotations_flags: if since(9) { 0x0100_0000 } else { 0x0110_0000 },
            pairs_locals: since(13),
            generator_calls_iter: since(15),
            delegates_to_tuples: since(15),
            specs_may_end_empty: version == PyVersion(12),
            real_operands_stay_real: since(14),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With how many arguments each Python first makes `CALL_FUNCTION_EX`: compiled and looked at.
    #[test]
    fn arguments_are_packed_where_the_compiler_packs_them() {
        let first = |version: u8, packs: fn(&CompilerFeatures, usize) -> bool| {
            let compiler = CompilerFeatures::of(PyVersion(version)).unwrap();
            (0..400).find(|&count| packs(&compiler, count))
        };
        for version in 8..=15 {
            let some = |count: usize| (version >= 10).then_some(count);
            assert_eq!(first(version, |found, count| found.packs_arguments(false, count, 0)), some(31));
            assert_eq!(first(version, |found, count| found.packs_arguments(false, 0, count)), some(16));
            assert_eq!(first(version, |found, count| found.packs_arguments(false, 1, count)), some(15));
            assert_eq!(first(version, |found, count| found.packs_arguments(true, count, 0)), some(31));
            let keywords = first(version, |found, count| found.packs_arguments(true, 0, count));
            assert_eq!(keywords, some(if version == 10 { 16 } else { 29 }));
        }
    }
}
