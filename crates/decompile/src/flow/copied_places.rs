//! Places that no source can have are forgotten.
//!
//! Programs that make trees and compile them give the nodes that they add the place of the statement that they stand for:
//! pytest's `assert` becomes ten statements at one place. How deep a statement stands, and whether a word was written, is
//! not to be read off such places. In a source no name is read where another one was stored, for no two statements begin at
//! one place; a loop has another place than its target; and all names that are stored are identifiers.
//!
//! Needs: instructions as they were decoded, 3.11 or later (else there are no columns). Establishes: an instruction has no
//! place that a store has together with the read right behind it, or the step of a loop with the first instruction of its
//! target, or a store to a name that begins as no identifier does.
//!
//! Example: of `STORE_FAST a` and `LOAD_FAST a`, both at column 4 of line 7 and 12 wide, neither has a place, nor has
//! anything else at column 4 of line 7 that is 12 wide.

use depyf_bytecode::{CodeObject, Function, Instruction, Op};

use crate::hash::HashSet;
use crate::names::is_identifier;

/// Line, column and width.
type Place = (Option<u32>, Option<u32>, u8);

/// See the module.
pub(crate) fn forget_copied_places(function: &mut Function, code: &CodeObject) {
    let mut copied: HashSet<Place> = HashSet::default();
    if function.instructions.iter().all(|instruction| instruction.column.is_none()) {
        return;
    }
    for pair in function.instructions.windows(2) {
        let [store, behind] = pair else { continue };
        let name = match store.op {
            Op::ForIter { .. } => None,
            Op::StoreLocal(variable) | Op::StoreDeref(variable) => {
                function.variables.get(variable as usize).map(|variable| &variable.name)
            }
            Op::StoreGlobal(name) | Op::StoreName(name) => code.names.get(name as usize),
            _ => continue,
        };
        let is_shared = || place(store) == place(behind) && store.offset != behind.offset;
        let is_copied = match name.map(|name| (name, name.as_wtf8().first())) {
            None => is_shared(),
            // Nearly all names.
            Some((_, Some(b'a'..=b'z' | b'A'..=b'Z' | b'_'))) => reads_a_name(behind.op) && is_shared(),
            // Those that the compiler needs for type parameters.
            Some((_, Some(b'.'))) => false,
            Some((name, _)) => reads_a_name(behind.op) && is_shared() || !is_identifier(name),
        };
        if is_copied && store.column.is_some() {
            copied.insert(place(store));
        }
    }
    if copied.is_empty() {
        return;
    }
    for instruction in &mut function.instructions {
        if copied.contains(&place(instruction)) {
            (instruction.line, instruction.column, instruction.width) = (None, None, 0);
        }
    }
}

fn place(instruction: &Instruction) -> Place {
    (instruction.line, instruction.column, instruction.width)
}

fn reads_a_name(op: Op) -> bool {
    matches!(op, Op::LoadLocal(_) | Op::LoadDeref(_) | Op::LoadGlobal(_) | Op::LoadName(_))
}
