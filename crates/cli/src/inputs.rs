//! From the paths of a command line to code objects.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use depyf_bytecode::{Header, Recognized, recognize};
use depyf_value::PyVersion;

use crate::arguments::InputArgs;

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// No file of bytecode is larger; what claims to be is not read into memory.
const LARGEST: u64 = 1 << 30;

/// One file to work on.
#[derive(Clone)]
pub(crate) struct Input {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Where it lies in the folder that was named; its file name where it was named itself.
    pub(crate) relative: PathBuf,
    /// What the user says about its version.
    python: Option<PyVersion>,
}

impl Input {
    pub(crate) fn new(path: &Path, python: Option<PyVersion>) -> Self {
        let relative = if path.as_os_str() == STANDARD_INPUT {
            PathBuf::from("stdin")
        } else {
            path.file_name().map_or_else(|| path.to_owned(), PathBuf::from)
        };
        Self { path: path.to_owned(), relative, python }
    }

    /// What the file is called in messages.
    pub(crate) fn shown(&self) -> String {
        if self.is_standard_input() { "<stdin>".to_owned() } else { self.path.display().to_string() }
    }

    /// What the name says of how the file was compiled: `m.cpython-312.opt-2.pyc` (`importlib.util.cache_from_source`).
    pub(crate) fn optimization(&self) -> u8 {
        let stem = self.relative.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        match stem.rsplit_once(".opt-") {
            Some((_, "1")) => 1,
            Some((_, "2")) => 2,
            _ => 0,
        }
    }

    fn is_standard_input(&self) -> bool {
        self.path.as_os_str() == STANDARD_INPUT
    }

    /// Reads the code object.
    ///
    /// # Errors
    /// One sentence with the file, the byte offset of what is wrong in it, and what may help.
    pub(crate) fn read(&self) -> Result<Recognized, String> {
        let bytes = self.bytes().map_err(|error| format!("{}: {error}", self.shown()))?;
        recognize(&bytes, self.python).map_err(|error| {
            let help = match (error.offset, self.python) {
                (_, Some(python)) => format!("is it really of Python {python}?"),
                (0, None) => "if it is marshalled code, say which version's with --python".to_owned(),
                _ => "it is cut off or damaged, or no .pyc at all: compile its source again".to_owned(),
            };
            format!("{}: {error}; {help}", self.shown())
        })
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if self.is_standard_input() {
            io::stdin().lock().take(LARGEST).read_to_end(&mut bytes)?;
        } else {
            let file = fs::File::open(&self.path)?;
            let size = file.metadata()?.len();
            if size > LARGEST {
                return Err(io::Error::other(format!("{size} bytes are too many for a file of bytecode")));
            }
            bytes.reserve_exact(size as usize + 1);
            // A device or pipe tells no size.
            file.take(LARGEST).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }
}

/// What to tell about how a file's version was found, if anything.
pub(crate) fn remark(input: &Input, found: &Recognized) -> Option<String> {
    let (shown, version) = (input.shown(), found.code.version);
    match found.header {
        _ if input.python.is_some() => None,
        Header::Known => None,
        Header::Foreign(magic) => Some(format!(
            "{shown}: no release has the magic number {magic}; the content is that of Python {version}"
        )),
        Header::Missing => {
            Some(format!("{shown}: there is no header; the content is that of Python {version}"))
        }
    }
}

/// Files in the order of the command line, those of a folder by name. What cannot be listed is a
/// sentence in its place.
pub(crate) fn expand(args: &InputArgs) -> Vec<Result<Input, String>> {
    let mut inputs = Vec::new();
    for path in &args.paths {
        if path.is_dir() {
            let before = inputs.len();
            walk(args, path, path, &mut inputs);
            if inputs.len() == before {
                let sentence = format!("{}: the folder holds no .pyc file", path.display());
                inputs.push(Err(format!("{sentence}; name files of other names one by one")));
            }
        } else {
            inputs.push(Ok(Input::new(path, args.python)));
        }
    }
    inputs
}

fn walk(args: &InputArgs, root: &Path, folder: &Path, into: &mut Vec<Result<Input, String>>) {
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
            walk(args, root, &path, into);
        } else if path.extension() == Some(OsStr::new("pyc")) {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
            into.push(Ok(Input { path, relative, python: args.python }));
        }
    }
}
