//! What differs between the versions of CPython, as data.
//!
//! This folder is the only place that knows version numbers. The rest of the crate asks a
//! [`VersionFacts`] for a named difference.

mod compiler;
mod facts;
mod opcodes;
mod tables;

pub use compiler::CompilerFeatures;
pub use facts::{CodeFields, code_fields, versions};
pub(crate) use facts::{
    DerefIndex, ForLoopEnd, LineTableFormat, NullFlag, VersionFacts, facts, version_of_magic,
};
pub use opcodes::{Opcode, opcodes};
pub use tables::Maker;
pub(crate) use tables::{Jump, Mnemonic};
