//! The `depyf` command.
//!
//! A library, so that the Python package's script runs the very command that `cargo install` gives.
//! Exit codes: 0 all done, 1 something could not be read or decompiled (each is named), 2 wrong usage.

mod console;
mod decompile;
mod dis;
mod inputs;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::console::Console;

/// All was done.
const DONE: u8 = 0;
/// Something was not, and was named.
const FAILED: u8 = 1;
/// The command was not understood.
const USAGE: u8 = 2;

/// Stack of the thread that works: nested code must not depend on the caller's.
const STACK_BYTES: usize = 64 << 20;

/// Decompiles and lists Python bytecode of CPython 3.8 to 3.15.
#[derive(Parser)]
#[command(name = "depyf", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Print the source of .pyc files
    Decompile(DecompileArgs),
    /// Print the bytecode of .pyc files
    Dis(DisArgs),
}

#[derive(Args)]
struct DecompileArgs {
    /// .pyc files, and folders, which stand for all .pyc files in them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the sources into this folder, laid out like the input, instead of printing them
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print one JSON object a file: path, source, source map or error
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// exact runs like the bytecode; readable folds what torch.compile's profiler adds
    #[arg(long, value_enum, default_value_t = ViewName::Exact)]
    view: ViewName,
}

#[derive(Args)]
struct DisArgs {
    /// .pyc files, and folders, which stand for all .pyc files in them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ViewName {
    Exact,
    Readable,
}

/// Runs the command with a whole argument list, program name included; returns the exit code.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Printing help into a closed pipe is no failure worth a message.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(USAGE);
        }
    };
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("depyf".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || dispatch(&cli.verb))
            .map_or(FAILED, |thread| thread.join().unwrap_or(FAILED))
    })
}

fn dispatch(verb: &Verb) -> u8 {
    let mut console = Console::new();
    let outcome = match verb {
        Verb::Decompile(args) => decompile::run(args, &mut console),
        Verb::Dis(args) => dis::run(args, &mut console),
    };
    match outcome {
        Ok(()) if console.has_failures() => FAILED,
        Ok(()) => DONE,
        // Whoever reads the output has seen enough, as `head` has.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => FAILED,
        Err(error) => {
            console.fail(&format!("standard output: {error}"));
            FAILED
        }
    }
}
