//! Decompiles and verifies: `verified LIST`, each line of LIST a file and, for marshal data without a header,
//! the minor version of the Python that wrote it.
//!
//! Prints each function that is not verified, and figures at the end.

#![allow(clippy::print_stdout, reason = "a program")]

use depyf_decompile::{OnFailure, Options, Verdict, decompile};
use depyf_value::PyVersion;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let list = std::env::args().nth(1).ok_or("usage: verified LIST")?;
    let (mut verified, mut all, mut files, mut whole) = (0, 0, 0, 0);
    let mut spent = std::time::Duration::ZERO;
    for line in std::fs::read_to_string(list)?.lines() {
        let mut words = line.split_whitespace();
        let Some(path) = words.next() else { continue };
        let bytes = std::fs::read(path)?;
        let code = match words.next() {
            Some(minor) => depyf_bytecode::read_marshal_code(&bytes, PyVersion(minor.parse()?))?,
            None => depyf_bytecode::read_pyc(&bytes)?.code,
        };
        let options = Options { verify: true, on_failure: OnFailure::Mark, ..Options::default() };
        let start = std::time::Instant::now();
        let done = decompile(&code, &options);
        spent += start.elapsed();
        files += 1;
        match done {
            Ok(done) => {
                let before = (verified, all);
                for report in done.functions {
                    all += 1;
                    match report.verdict {
                        Verdict::Unverified(found) => println!(
                            "{path}:{}: {} [{} at {}] in {}",
                            report.line, found.message, found.opcode, found.offset, report.qualname
                        ),
                        _ => verified += 1,
                    }
                }
                whole += usize::from(verified - before.0 == all - before.1);
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
    println!("{verified} of {all} functions verified, {whole} of {files} files as a whole, in {spent:?}");
    Ok(())
}
