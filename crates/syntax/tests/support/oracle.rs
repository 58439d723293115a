//! An interpreter as a child process; see `oracle.py`.

use depyf_value::PyVersion;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Oracle {
    pub(crate) version: PyVersion,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// One oracle for each supported version that has an interpreter here; notes those that have none.
pub(crate) fn all() -> Vec<Oracle> {
    let versions = (PyVersion::OLDEST.0..=PyVersion::NEWEST.0).map(PyVersion);
    let oracles: Vec<_> = versions.filter_map(Oracle::start).collect();
    assert!(!oracles.is_empty(), "no Python interpreter was found at all");
    oracles
}

impl Oracle {
    fn start(version: PyVersion) -> Option<Self> {
        let Some(python) = find_interpreter(version) else {
            #[allow(clippy::print_stderr, reason = "who runs the tests must see what was not checked")]
            {
                eprintln!("note: no interpreter of Python {version} here, skipped");
            }
            return None;
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
        let mut child = Command::new(&python)
            .args(["-X", "utf8"])
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the interpreter starts");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Some(Self { version, child, requests, answers })
    }

    /// The answer, or the message where the interpreter refuses.
    pub(crate) fn ask(&mut self, verb: &str, arguments: &[&str]) -> Result<String, String> {
        let mut request = verb.to_owned();
        for argument in arguments {
            request.push_str(" x");
            request.push_str(&encode(argument.as_bytes()));
        }
        request.push('\n');
        self.requests.write_all(request.as_bytes()).expect("the interpreter reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the interpreter answers");
        let answer = answer.trim_end_matches('\n').to_owned();
        assert!(!answer.is_empty() || verb != "tree", "the interpreter died");
        match answer.strip_prefix('!') {
            Some(message) => Err(message.to_owned()),
            None => Ok(answer),
        }
    }

    /// Texts that the interpreter lists.
    pub(crate) fn list(&mut self, verb: &str, argument: &str) -> Vec<String> {
        let answer = self.ask(verb, &[argument]).expect("a list");
        answer.split_whitespace().map(decode_text).collect()
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `DEPYF_PYTHON_3_12` names an interpreter, or leaves the version out where it is empty; else the PATH and the places of pyenv and of
/// `tools/debian_pythons.sh` are searched.
fn find_interpreter(version: PyVersion) -> Option<PathBuf> {
    let minor = version.0;
    if let Some(path) = std::env::var_os(format!("DEPYF_PYTHON_3_{minor}")) {
        return Some(path.into()).filter(|path: &PathBuf| path.is_file());
    }
    let name = format!("python3.{minor}");
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let mut candidates = Vec::new();
    if let Ok(releases) = home.join(".pyenv/versions").read_dir() {
        let prefix = format!("3.{minor}.");
        let mut releases: Vec<_> = releases.flatten().collect();
        releases.sort_by_key(std::fs::DirEntry::file_name);
        let fitting =
            releases.iter().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
        candidates.extend(fitting.map(|entry| entry.path().join("bin").join("python")));
    }
    candidates.push(home.join(".cache/debian-pythons/usr/bin").join(&name));
    let path = std::env::var_os("PATH").unwrap_or_default();
    candidates.extend(std::env::split_paths(&path).map(|folder| folder.join(&name)));
    candidates.into_iter().find(|candidate| {
        let probe = format!("import sys; sys.exit(sys.version_info[:2] != (3, {minor}))");
        candidate.is_file()
            && Command::new(candidate)
                .args(["-c", &probe])
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
    })
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

pub(crate) fn decode(text: &str) -> Vec<u8> {
    let nibble = |byte: u8| char::from(byte).to_digit(16).expect("hexadecimal") as u8;
    text.as_bytes().chunks(2).map(|pair| nibble(pair[0]) << 4 | nibble(pair[1])).collect()
}

pub(crate) fn decode_text(text: &str) -> String {
    String::from_utf8(decode(text)).expect("UTF-8")
}
