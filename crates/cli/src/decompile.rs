//! `depyf decompile`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use depyf_decompile::{Decompiled, Error, OnFailure, Options, Verdict, View};
use serde::Serialize;

use crate::console::Console;
use crate::inputs::{self, Input};
use crate::{DecompileArgs, ViewName};

/// Decompiles each input; one that fails does not stop the others.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn run(args: &DecompileArgs, console: &mut Console) -> io::Result<()> {
    let view = match args.view {
        ViewName::Exact => View::Exact,
        ViewName::Readable => View::Readable,
    };
    let options = Options { view, on_failure: OnFailure::Mark, ..Options::default() };
    let inputs = inputs::expand(&args.paths);
    let many = inputs.len() > 1;
    let mut written = BTreeSet::new();
    for input in inputs {
        let input = match input {
            Ok(input) => input,
            Err(sentence) => {
                console.fail(&sentence);
                continue;
            }
        };
        let outcome = decompile(&input.path, &options);
        if args.json {
            console.print(&json_line(&input.path, &outcome)?)?;
        }
        if let Ok(done) = &outcome {
            name_unverified(&input.path, done, console);
        }
        match outcome {
            Err(failure) => console.fail(&failure.sentence(&input.path)),
            Ok(_) if args.json => {}
            Ok(done) => match &args.output {
                Some(folder) => {
                    if let Err(sentence) = write(folder, &input, &done.text, &mut written) {
                        console.fail(&sentence);
                    }
                }
                None => {
                    if many {
                        console.heading(&input.path.display().to_string())?;
                    }
                    console.print(&done.text)?;
                }
            },
        }
    }
    Ok(())
}

/// Names each function whose source is not known to be right: one sentence a function.
fn name_unverified(path: &Path, done: &Decompiled, console: &mut Console) {
    for report in &done.functions {
        if let Verdict::Unverified(divergence) = &report.verdict {
            console.fail(&format!(
                "{}: {} is unverified: {} (offset {})",
                path.display(),
                report.qualname,
                divergence.message,
                divergence.offset
            ));
        }
    }
}

/// Why there is no source.
enum Failure {
    /// The file is no `.pyc` that can be read; the sentence names it.
    Unreadable(String),
    /// A function in it cannot be written as Python.
    Undecompilable(Error),
}

impl Failure {
    fn sentence(&self, path: &Path) -> String {
        match self {
            Self::Unreadable(sentence) => sentence.clone(),
            Self::Undecompilable(error) => format!("{}: {error}", path.display()),
        }
    }
}

fn decompile(path: &Path, options: &Options) -> Result<Decompiled, Failure> {
    let code = inputs::read(path).map_err(Failure::Unreadable)?;
    depyf_decompile::decompile(&code, options).map_err(Failure::Undecompilable)
}

/// Writes the source to where the input lies, below `folder`.
fn write(folder: &Path, input: &Input, text: &str, written: &mut BTreeSet<PathBuf>) -> Result<(), String> {
    let path = folder.join(input.relative.with_extension("py"));
    if !written.insert(path.clone()) {
        return Err(format!("{}: its source would replace {}", input.path.display(), path.display()));
    }
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// One line of `--json`.
#[derive(Serialize)]
struct Row {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Offset in the module's bytecode, line from 1, column from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<Vec<(u32, u32, u32)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RowError>,
}

#[derive(Serialize)]
struct RowError {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opcode: Option<String>,
}

fn json_line(path: &Path, outcome: &Result<Decompiled, Failure>) -> io::Result<String> {
    let path = path.display().to_string();
    let row = match outcome {
        Ok(done) => {
            let map = done.map.iter().map(|at| (at.offset, at.line, at.column)).collect();
            Row { path, source: Some(done.text.clone()), map: Some(map), error: None }
        }
        Err(Failure::Unreadable(message)) => {
            let error = RowError { message: message.clone(), function: None, offset: None, opcode: None };
            Row { path, source: None, map: None, error: Some(error) }
        }
        Err(Failure::Undecompilable(error)) => {
            let error = RowError {
                message: error.message.clone(),
                function: Some(error.function.clone()),
                offset: Some(error.offset),
                opcode: Some(error.opcode.clone()),
            };
            Row { path, source: None, map: None, error: Some(error) }
        }
    };
    Ok(serde_json::to_string(&row)? + "\n")
}
