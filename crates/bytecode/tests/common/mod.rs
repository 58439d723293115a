//! Files and interpreters for the tests.

#![allow(dead_code, unused_imports, reason = "each test takes what it needs")]

#[path = "../../../../tests/support/interpreters.rs"]
mod interpreters;

use std::path::{Path, PathBuf};
use std::process::Command;

use depyf_bytecode::{CodeObject, Const, read_pyc};
pub(crate) use interpreters::interpreters;

/// Files of the standard library that each interpreter compiles, besides those with odd syntax. The
/// variable DEPYF_TEST_FILES asks for more; `100000` is all of them.
const FILES: &str = "12";

/// The checked-in `.pyc` files: their names and bytes, one a version.
pub(crate) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut found: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pyc"))
        .map(|path| (path.display().to_string(), std::fs::read(&path).expect("a fixture")))
        .collect();
    found.sort();
    assert_eq!(found.len(), 8, "one fixture for each of 3.8 to 3.15");
    found
}

/// A code object and all inside of it, the outer ones first.
pub(crate) fn all_code(code: &CodeObject) -> Vec<&CodeObject> {
    let mut found = vec![code];
    for constant in &code.consts {
        if let Const::Code(inner) = constant {
            found.extend(all_code(inner));
        }
    }
    found
}

/// The module of a `.pyc` file.
pub(crate) fn read(path: &Path) -> CodeObject {
    let bytes = std::fs::read(path).expect("a compiled file");
    read_pyc(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display())).code
}

/// A fresh folder under cargo's own for temporary files of tests.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("an old folder goes");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Has `tests/SCRIPT` compile files of the interpreter's library into a fresh folder, and say there what is
/// known of each: the `.pyc` files, and what was said of them.
pub(crate) fn ask_library(python: &Path, script: &str, folder: &str) -> Vec<(PathBuf, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let folder = scratch(folder);
    let files = std::env::var("DEPYF_TEST_FILES").unwrap_or_else(|_| FILES.to_owned());
    let mut command = Command::new(python);
    let status = command.args(["-W", "ignore"]).arg(&script).arg(&folder).arg(files).status();
    assert!(status.expect("the interpreter runs").success(), "{} fails", script.display());
    let entries =
        std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let compiled = entries.filter(|path| path.extension().is_some_and(|extension| extension == "pyc"));
    compiled
        .map(|path| {
            let said = std::fs::read_to_string(path.with_extension("txt")).expect("what the script says");
            (path, said)
        })
        .collect()
}
