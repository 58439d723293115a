//! What each version can spell. The only place of this crate that compares versions.

use depyf_value::PyVersion;

/// The spellings that a version accepts. Where an older spelling of the same tree is accepted by all
/// versions and reads as well, the printer uses it always and no field stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grammar {
    /// `@(any expression)`; before, a dotted name with at most one call (3.9).
    pub any_decorator: bool,
    /// `with (a as b, c as d):` (3.9, the first release with the PEG parser).
    pub parenthesized_with: bool,
    /// `match` (3.10).
    pub match_statement: bool,
    /// `x[*a]` and `*args: *Ts` (3.11).
    pub star_in_index: bool,
    /// `except*` (3.11).
    pub except_star: bool,
    /// Quotes of the f-string, backslashes and comments inside its fields (3.12).
    pub nested_quotes: bool,
    /// The compiler makes an f-string of `"%s" % (a,)` (3.11).
    pub percent_is_formatting: bool,
    /// `def f[T]()`, `class C[T]`, `type X = ...` (3.12).
    pub type_params: bool,
    /// `[T = default]` (3.13).
    pub type_param_defaults: bool,
    /// `t"..."` (3.14).
    pub template_strings: bool,
    /// `lazy import a` (3.15).
    pub lazy_import: bool,
    /// `[*a for a in b]`, `{**a for a in b}` (3.15).
    pub star_in_comprehension: bool,
    /// The compiler optimises a function only if no line takes 255 bytes of bytecode or more (CPython
    /// `Python/peephole.c`, to 3.9).
    pub optimizes_short_lines_only: bool,
    /// Of two stores to one local, one right behind the other on a line, the compiler drops the first (3.13).
    pub drops_repeated_stores: bool,
    /// Texts of annotations hold constant tuples as `repr` writes them (3.8 only).
    pub annotation_texts_hold_reprs: bool,
}

impl Grammar {
    /// What `version` can spell.
    #[must_use]
    pub fn of(version: PyVersion) -> Self {
        let since = |minor| version >= PyVersion(minor);
        Self {
            any_decorator: since(9),
            parenthesized_with: since(9),
            match_statement: since(10),
            star_in_index: since(11),
            except_star: since(11),
            nested_quotes: since(12),
            percent_is_formatting: since(11),
            type_params: since(12),
            type_param_defaults: since(13),
            template_strings: since(14),
            lazy_import: since(15),
            star_in_comprehension: since(15),
            optimizes_short_lines_only: !since(10),
            drops_repeated_stores: since(13),
            annotation_texts_hold_reprs: !since(9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Grammar;
    use depyf_value::PyVersion;

    #[test]
    fn spellings_appear_with_their_release() {
        let [old, middle, new] = [8, 12, 15].map(|minor| Grammar::of(PyVersion(minor)));
        assert!(!old.any_decorator && !old.parenthesized_with && !old.nested_quotes);
        assert!(middle.nested_quotes && middle.type_params && !middle.type_param_defaults);
        assert!(new.template_strings && new.lazy_import);
    }
}
