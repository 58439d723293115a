//! The regions of 3.8 to 3.10, against the block stacks of frames that run.

mod common;

use std::path::Path;
use std::process::Command;

use common::{all_code, interpreters, read, scratch};
use depyf_bytecode::{Function, decode};

/// Modules of CPython's own tests that enter and leave blocks in every way.
const MODULES: [&str; 6] =
    ["test_with", "test_contextlib", "test_generators", "test_coroutines", "test_grammar", "test_raise"];

#[test]
fn regions_are_what_frames_have_on_their_block_stacks() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/block_oracle.py");
    for (minor, python) in interpreters() {
        if minor > 10 {
            continue;
        }
        let folder = scratch(&format!("blocks_3_{minor}"));
        let output = Command::new(&python).arg(&script).arg(&folder).args(MODULES).output();
        let output = output.expect("the interpreter runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the oracle fails under 3.{minor}: {errors}");
        let compared: usize = MODULES.iter().map(|module| compare(&folder.join(module))).sum();
        assert!(compared > 2000, "3.{minor}: only {compared} protected instructions ran");
    }
}

/// Compares one module; returns how many protected instructions ran.
fn compare(stem: &Path) -> usize {
    let text = std::fs::read_to_string(stem.with_extension("txt")).expect("the oracle's text");
    let module = read(&stem.with_extension("pyc"));
    let mut codes = all_code(&module).into_iter();
    let mut function: Option<Function> = None;
    let (mut place, mut compared) = (String::new(), 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let (offset, seen) = match fields.as_slice() {
            ["code"] => {
                let code = codes.next().expect("as many code objects");
                place = format!("{} line {} of {}", code.name, code.first_line, stem.display());
                function = Some(decode(code).unwrap_or_else(|error| panic!("{place}: {error}")));
                continue;
            }
            ["b", offset, handler, level] => (
                offset.parse::<u32>().expect("an offset"),
                handler.parse::<u32>().ok().zip(level.parse::<u32>().ok()),
            ),
            _ => panic!("the oracle says {line:?}"),
        };
        let function = function.as_ref().expect("a code line first");
        let at = |offset: u32| function.instructions.partition_point(|op| op.offset < offset) as u32;
        if function.instructions.get(at(offset) as usize).is_none_or(|op| op.offset != offset) {
            continue;
        }
        let region = function.regions.iter().find(|region| (region.start..region.end).contains(&at(offset)));
        let found = region.map(|region| (region.handler, region.depth));
        let expected = seen.map(|(handler, level)| (at(handler), level));
        assert_eq!(found, expected, "{place}: at {offset}");
        compared += usize::from(seen.is_some());
    }
    compared
}
