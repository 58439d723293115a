//! Code objects that no compiler writes into a file, by hand: for opcodes that no construct has.

use depyf_bytecode::{CodeObject, Const};
use depyf_value::{PyStr, PyVersion};

/// A code object and what must come of it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) code: CodeObject,
    /// The source; `None` where the function must be marked.
    pub(crate) source: Option<&'static str>,
}

// Numbers of opcodes, as `dis` has them on 3.8 to 3.11.
const POP_TOP: u8 = 1;
const NOP: u8 = 9;
const PRINT_EXPR: u8 = 70;
const RETURN_VALUE: u8 = 83;
const LOAD_CONST: u8 = 100;
const LOAD_NAME: u8 = 101;

fn module(minor: u8, bytes: &[u8]) -> CodeObject {
    CodeObject {
        name: PyStr::new("<module>"),
        qualname: PyStr::new("<module>"),
        code: bytes.to_vec(),
        consts: vec![Const::None],
        names: vec![PyStr::new("a")],
        ..CodeObject::empty(PyVersion(minor))
    }
}

/// All of them.
pub(crate) fn cases() -> Vec<Case> {
    let mut found = Vec::new();
    // The compilers of 3.8 and 3.9 take all NOPs out; tools that rewrite bytecode leave some.
    for minor in [8, 9] {
        let bytes = [NOP, 0, LOAD_NAME, 0, NOP, 0, POP_TOP, 0, LOAD_CONST, 0, RETURN_VALUE, 0];
        found.push(Case { name: "nops", code: module(minor, &bytes), source: Some("a\n") });
    }
    // `compile(.., "single")`, as the prompt does: source in a file prints nothing.
    for minor in 8..=11 {
        let bytes = [LOAD_NAME, 0, PRINT_EXPR, 0, LOAD_CONST, 0, RETURN_VALUE, 0];
        found.push(Case { name: "prompt_is_marked", code: module(minor, &bytes), source: None });
    }
    found
}
