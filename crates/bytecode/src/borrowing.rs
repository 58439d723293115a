//! Which loads of locals borrow the reference.

use crate::code::CodeObject;
use crate::instructions::instructions;
use crate::versions::{Mnemonic, facts};

/// The offsets of all instructions that load locals, in order, and whether each borrows the references. Empty for
/// bytecode that is damaged, or of a version that is not known.
///
/// From 3.14 on the compiler loads a local without counting a reference where the value is gone before the local
/// can change (`LOAD_FAST_BORROW`; CPython `Python/flowgraph.c`, `optimize_load_fast`). What a load borrows does not
/// change what it means, so the neutral operations do not tell.
///
/// ```
/// # use depyf_bytecode::{CodeObject, borrowing_loads};
/// # use depyf_value::PyVersion;
/// assert!(borrowing_loads(&CodeObject::empty(PyVersion(14))).is_empty());
/// ```
#[must_use]
pub fn borrowing_loads(code: &CodeObject) -> Vec<(u32, bool)> {
    use Mnemonic::{LOAD_FAST, LOAD_FAST_BORROW, LOAD_FAST_BORROW_LOAD_FAST_BORROW, LOAD_FAST_LOAD_FAST};
    let Some(facts) = facts(code.version) else { return Vec::new() };
    let Ok(found) = instructions(code, facts) else { return Vec::new() };
    let load = |instruction: &crate::instructions::RawInstruction| match instruction.mnemonic? {
        LOAD_FAST | LOAD_FAST_LOAD_FAST => Some((instruction.offset, false)),
        LOAD_FAST_BORROW | LOAD_FAST_BORROW_LOAD_FAST_BORROW => Some((instruction.offset, true)),
        _ => None,
    };
    found.iter().filter_map(load).collect()
}
