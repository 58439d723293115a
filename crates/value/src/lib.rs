//! Python values that both a code object and a syntax tree hold: strings, integers, versions.
//!
//! This crate exists so that `depyf-bytecode` and `depyf-syntax` share no knowledge of each other.

mod int;
mod string;

pub use int::PyInt;
pub use string::PyStr;

/// A CPython 3 release line, by its minor number: `PyVersion(12)` is Python 3.12.
///
/// Only `depyf-bytecode/src/versions` and `depyf-syntax/src/grammar.rs` compare versions; everything
/// else asks those two for a named feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PyVersion(pub u8);

impl PyVersion {
    /// The oldest release line that is read.
    pub const OLDEST: Self = Self(8);
    /// The newest release line that is read.
    pub const NEWEST: Self = Self(15);

    /// Whether this release line is one of those that are read.
    #[must_use]
    pub fn is_supported(self) -> bool {
        (Self::OLDEST..=Self::NEWEST).contains(&self)
    }
}

impl std::fmt::Display for PyVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "3.{}", self.0)
    }
}
