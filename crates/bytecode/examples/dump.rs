//! Prints the neutral operations of every code object in a file.
//!
//! `dump FILE.pyc`, or `dump FILE.marshal 3.12` for a code object without a header. More files may
//! follow; `--quiet` prints only what fails, and `--raw` the
//! instructions as the file has them.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use depyf_bytecode::{CodeObject, Const, Op, decode, listing, read_marshal_code, read_pyc};
use depyf_value::PyVersion;

fn main() -> ExitCode {
    let (mut output, mut version, mut files) = (Output::Neutral, None, Vec::new());
    for argument in std::env::args().skip(1) {
        if argument == "--quiet" {
            output = Output::Failures;
        } else if argument == "--raw" {
            output = Output::Raw;
        } else if let Some(minor) = argument.strip_prefix("3.").and_then(|minor| minor.parse().ok()) {
            version = Some(PyVersion(minor));
        } else {
            files.push(argument);
        }
    }
    let mut failures = 0;
    for file in &files {
        let code = std::fs::read(file).map_err(|error| error.to_string()).and_then(|bytes| {
            match version {
                Some(version) => read_marshal_code(&bytes, version),
                None => read_pyc(&bytes).map(|pyc| pyc.code),
            }
            .map_err(|error| error.to_string())
        });
        match code {
            Ok(code) => failures += dump(file, &code, output),
            Err(error) => {
                eprintln!("{file}: {error}");
                failures += 1;
            }
        }
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Clone, Copy, PartialEq)]
enum Output {
    Failures,
    Neutral,
    Raw,
}

/// Prints one code object and those inside of it; returns how many could not be decoded.
fn dump(file: &str, code: &CodeObject, output: Output) -> usize {
    let mut failures = 0;
    if output != Output::Failures {
        println!("code {} (line {}, Python {})", code.qualname, code.first_line, code.version);
    }
    if output == Output::Raw {
        print!("{}", listing(code));
    }
    match decode(code) {
        Ok(function) => {
            if output == Output::Neutral {
                println!("  variables {:?}", function.variables);
                for (index, instruction) in function.instructions.iter().enumerate() {
                    let line = instruction.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
                    println!("  {index:4} {:5} {line:>5}  {:?}", instruction.offset, instruction.op);
                }
                for region in &function.regions {
                    println!("  {region:?}");
                }
            }
            for instruction in &function.instructions {
                if matches!(instruction.op, Op::Unknown(_)) {
                    eprintln!("{file}: {}: {:?} at {}", code.qualname, instruction.op, instruction.offset);
                    failures += 1;
                }
            }
        }
        Err(error) => {
            eprintln!("{file}: {}: {error}", code.qualname);
            failures += 1;
        }
    }
    for constant in &code.consts {
        if let Const::Code(inner) = constant {
            failures += dump(file, inner, output);
        }
    }
    failures
}
