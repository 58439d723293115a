//! The opcodes of a version as a list, for whoever tells what is done about each.

use depyf_value::PyVersion;

use super::facts;
use super::tables::Maker;

/// One opcode of one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode {
    /// Its number.
    pub number: u8,
    /// Its name as `dis` prints it.
    pub name: &'static str,
    /// Code units of inline cache behind the instruction; zero for opcodes that are never in `co_code`.
    pub caches: u8,
    /// Who writes it into bytecode.
    pub maker: Maker,
}

/// All opcodes of a version, sorted by number; none for a version that is not supported. The lists are
/// generated from the interpreters themselves (`tools/opcodes.py`).
///
/// # Examples
/// ```
/// use depyf_bytecode::{Maker, opcodes};
/// use depyf_value::PyVersion;
///
/// let all = opcodes(PyVersion(12));
/// assert!(all.iter().any(|opcode| opcode.name == "LOAD_CONST" && opcode.maker == Maker::Compiler));
/// assert!(all.iter().any(|opcode| opcode.name == "FOR_ITER_LIST" && opcode.maker == Maker::Specializer));
/// ```
#[must_use]
pub fn opcodes(version: PyVersion) -> Vec<Opcode> {
    let Some(facts) = facts(version) else { return Vec::new() };
    let compiled = facts.opcodes.rows().map(|row| Opcode {
        number: row.number,
        name: row.mnemonic.name(),
        caches: row.caches,
        maker: Maker::Compiler,
    });
    let runtime = facts.opcodes.runtime().iter();
    let runtime = runtime.map(|&(maker, number, name)| Opcode { number, name, caches: 0, maker });
    let mut found: Vec<Opcode> = compiled.chain(runtime).collect();
    found.sort_by_key(|opcode| opcode.number);
    found
}
