//! Files and interpreters for the tests.

#![allow(dead_code, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;

use depyf_bytecode::{CodeObject, Const, read_pyc};

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

/// The interpreters that are here, with their minor versions: `python3.N` on the path, or pyenv's, or
/// where Debian's packages were unpacked. Absent ones are named in the test's output.
pub(crate) fn interpreters() -> Vec<(u8, PathBuf)> {
    let mut found = Vec::new();
    for minor in 8..=15 {
        match candidates(minor).into_iter().find(|path| is_version(path, minor)) {
            Some(path) => found.push((minor, path)),
            None => eprintln!("skipped: no Python 3.{minor} here"),
        }
    }
    found
}

fn candidates(minor: u8) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
        let prefix = format!("3.{minor}.");
        let versions = std::fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
        paths.extend(
            versions
                .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
                .map(|entry| entry.path().join("bin/python")),
        );
        paths.push(home.join(format!(".cache/debian-pythons/usr/bin/python3.{minor}")));
    }
    paths.sort();
    paths.push(PathBuf::from(format!("python3.{minor}")));
    paths
}

fn is_version(path: &Path, minor: u8) -> bool {
    let output = Command::new(path).args(["-c", "import sys; print(sys.version_info[:2])"]).output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == format!("(3, {minor})").as_bytes())
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
