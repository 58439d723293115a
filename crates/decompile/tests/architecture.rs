//! ARCHITECTURE.md lists the passes as they run.

use depyf_bytecode::{CodeObject, Const};
use depyf_decompile::{Options, steps};
use depyf_value::PyVersion;

#[test]
fn every_pass_has_its_row_in_order() {
    // LOAD_CONST 0, RETURN_VALUE
    let code = CodeObject {
        code: vec![100, 0, 83, 0],
        consts: vec![Const::None],
        ..CodeObject::empty(PyVersion(10))
    };
    let text = include_str!("../../../ARCHITECTURE.md");
    let mut rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    for step in steps(&code, &Options::default()).steps {
        // These three are no passes of a table: each has a chapter.
        if !["decode", "lift", "structure"].contains(&step.name) {
            assert!(rows.any(|row| row == step.name), "{} has no row, or not there", step.name);
        }
    }
}
