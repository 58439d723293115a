//! From the paths of a command line to code objects.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use depyf_bytecode::CodeObject;

/// One file to work on.
pub(crate) struct Input {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Where it lies in the folder that was named; its file name where it was named itself.
    pub(crate) relative: PathBuf,
}

/// Files in the order of the command line, those of a folder by name. What cannot be listed is a
/// sentence in its place.
pub(crate) fn expand(paths: &[PathBuf]) -> Vec<Result<Input, String>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = inputs.len();
            walk(path, path, &mut inputs);
            if inputs.len() == before {
                inputs.push(Err(format!("{}: the folder holds no .pyc file", path.display())));
            }
        } else {
            let relative = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
            inputs.push(Ok(Input { path: path.clone(), relative }));
        }
    }
    inputs
}

fn walk(root: &Path, folder: &Path, into: &mut Vec<Result<Input, String>>) {
    let listed = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = match listed {
        Ok(entries) => entries,
        Err(error) => return into.push(Err(format!("{}: {error}", folder.display()))),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to folders are not followed: they may lead back up.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(root, &path, into);
        } else if path.extension() == Some(OsStr::new("pyc")) {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
            into.push(Ok(Input { path, relative }));
        }
    }
}

/// Reads the code object of a `.pyc` file.
///
/// # Errors
/// One sentence with the file, and the byte offset of what is wrong in it.
pub(crate) fn read(path: &Path) -> Result<CodeObject, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    depyf_bytecode::read_pyc(&bytes)
        .map(|pyc| pyc.code)
        .map_err(|error| format!("{}: {error}", path.display()))
}
