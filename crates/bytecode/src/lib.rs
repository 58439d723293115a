//! What is in a code object?
//!
//! [`decode()`] turns the bytecode of any CPython from 3.8 to 3.15 into neutral operations, variables and
//! protected regions; nothing behind it depends on the version any more. The crate never panics on any
//! bytes: what cannot be read is an [`Error`] with its place.

mod block_stack;
mod borrowing;
mod code;
mod decode;
mod error;
mod exception_table;
mod function;
mod instructions;
mod line_table;
mod listing;
mod marshal;
mod op;
mod pyc;
mod recognize;
mod stack_effect;
mod translate;
mod variables;
mod versions;

pub use block_stack::Unreached;
pub use borrowing::borrowing_loads;
pub use code::{CodeObject, Const, Opaque, flags};
pub use decode::{Decoder, decode, decode_unreached, without_instructions};
pub use error::Error;
pub use function::{Features, Function, Instruction, Offsets, Region, Variable, VariableKind};
pub use instructions::names_target;
pub use line_table::{Position, Row, place_instructions, read_line_table, was_optimized, write_line_table};
pub use listing::listing;
pub use marshal::{read_marshal, read_marshal_code};
pub use op::*;
pub use pyc::{Pyc, SourceStamp, read_pyc};
pub use recognize::{Header, Recognized, recognize};
pub use stack_effect::stack_effect;
pub use versions::{CodeFields, CompilerFeatures, Maker, Opcode, code_fields, opcodes, versions};
