//! `depyf dis`.

use std::io;

use depyf_bytecode::{CodeObject, Const, listing};
use serde::Serialize;

use crate::arguments::DisArgs;
use crate::console::Console;
use crate::inputs;

/// Prints the listing of each input, nested code behind what holds it.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn run(args: &DisArgs, console: &mut Console) -> io::Result<()> {
    let inputs = inputs::expand(&args.inputs);
    let many = inputs.len() > 1;
    for input in inputs {
        let listed = input.and_then(|input| Ok((input.read()?, input)));
        match listed {
            Ok((found, input)) => {
                let shown = input.shown();
                if let Some(remark) = inputs::remark(&input, &found) {
                    console.note(&remark);
                }
                if many && !args.json {
                    console.heading(&shown)?;
                }
                for code in all_code(&found.code) {
                    if args.json {
                        console.print(&Row::of(&shown, code).line()?)?;
                    } else {
                        list(code, console)?;
                    }
                }
            }
            Err(sentence) => console.fail(&sentence),
        }
    }
    Ok(())
}

fn list(code: &CodeObject, console: &mut Console) -> io::Result<()> {
    console.heading(&format!("{}, line {}, Python {}", code.qualname, code.first_line, code.version))?;
    console.print(&listing(code))?;
    console.print("\n")
}

/// A code object and all inside of it, the outer ones first.
pub(crate) fn all_code(code: &CodeObject) -> Vec<&CodeObject> {
    let mut found = Vec::new();
    let mut work = vec![code];
    while let Some(code) = work.pop() {
        found.push(code);
        // The first is taken first.
        work.extend(code.consts.iter().rev().filter_map(|constant| match constant {
            Const::Code(inner) => Some(&**inner),
            _ => None,
        }));
    }
    found
}

/// One line of `--json`.
#[derive(Serialize)]
struct Row<'a> {
    path: &'a str,
    python: String,
    qualname: String,
    line: u32,
    listing: String,
}

impl<'a> Row<'a> {
    fn of(path: &'a str, code: &CodeObject) -> Self {
        Self {
            path,
            python: code.version.to_string(),
            qualname: code.qualname.to_lossy(),
            line: code.first_line,
            listing: listing(code),
        }
    }

    fn line(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}
