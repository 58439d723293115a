//! An interpreter as a child process; see `oracle.py`.

#[path = "../../../../tests/support/interpreters.rs"]
mod interpreters;

use depyf_value::PyVersion;
use interpreters::interpreters;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Oracle {
    pub(crate) version: PyVersion,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// One oracle for each supported version that has an interpreter here.
pub(crate) fn all() -> Vec<Oracle> {
    interpreters().iter().map(|(minor, python)| Oracle::start(PyVersion(*minor), python)).collect()
}

impl Oracle {
    fn start(version: PyVersion, python: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
        let mut child = Command::new(python)
            .args(["-X", "utf8"])
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the interpreter starts");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { version, child, requests, answers }
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
