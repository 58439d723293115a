//! The Python interpreters of this machine, for all crates whose tests compare with them.
//!
//! They are looked for where `tools/environments.py` looks for them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The minor versions that are looked for.
const MINORS: std::ops::RangeInclusive<u8> = 8..=15;

/// The interpreters that are here, with their minor versions. `DEPYF_PYTHONS=3.8,3.12` leaves out the others;
/// absent ones are named in the test's output.
pub(crate) fn interpreters() -> Vec<(u8, PathBuf)> {
    let allowed = std::env::var("DEPYF_PYTHONS").ok();
    let mut found = Vec::new();
    for minor in MINORS {
        let version = format!("3.{minor}");
        if allowed.as_ref().is_some_and(|allowed| !allowed.split(',').any(|wanted| wanted == version)) {
            continue;
        }
        match candidates(&version).into_iter().find(|path| runs(path, minor)) {
            Some(path) => found.push((minor, path)),
            #[allow(clippy::print_stderr, reason = "who runs the tests must see what was not checked")]
            None => eprintln!("skipped: no Python {version} here"),
        }
    }
    assert!(!found.is_empty(), "no Python interpreter was found at all");
    found
}

/// pyenv's, those that `tools/debian_pythons.sh` unpacked, and what is on the path, in this order.
fn candidates(version: &str) -> Vec<PathBuf> {
    let name = format!("python{version}");
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let pyenv = std::env::var_os("PYENV_ROOT").map_or_else(|| home.join(".pyenv"), PathBuf::from);
    let releases = pyenv.join("versions").read_dir().into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = releases
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{version}.")))
        .map(|entry| entry.path().join("bin").join(&name))
        .collect();
    paths.sort();
    paths.reverse();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in [checkout, home] {
        paths.push(folder.join(".cache/debian-pythons/usr/bin").join(&name));
    }
    paths.push(PathBuf::from(name));
    paths
}

/// Whether it is that version: pyenv's shims, for one, are there without the interpreter.
fn runs(path: &Path, minor: u8) -> bool {
    let program = format!("import sys; sys.exit(sys.version_info[:2] != (3, {minor}))");
    let status = Command::new(path).args(["-c", &program]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
