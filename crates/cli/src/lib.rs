//! The `depyf` command.
//!
//! A library, so that the Python package's script runs the very command that `cargo install` gives.
//! Exit codes: 0 all done, 1 something is unreadable or unverified (each is named), 2 wrong usage.

mod arguments;
mod console;
mod coverage;
mod decompile;
mod dis;
mod inputs;
mod parallel;
mod row;
mod steps;
mod verify;

use std::ffi::OsString;

use clap::Parser;

use crate::arguments::{Cli, Verb};
use crate::console::Console;

/// All was done.
const DONE: u8 = 0;
/// Something was not, and was named.
const FAILED: u8 = 1;
/// The command was not understood.
const USAGE: u8 = 2;

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
            .stack_size(parallel::STACK_BYTES)
            .spawn_scoped(scope, || dispatch(&cli))
            .map_or(FAILED, |thread| thread.join().unwrap_or(FAILED))
    })
}

fn dispatch(cli: &Cli) -> u8 {
    let mut console = Console::new(cli.color.into());
    let outcome = match &cli.verb {
        Verb::Coverage(args) => coverage::run(args, &mut console),
        Verb::Decompile(args) => decompile::run(args, &mut console),
        Verb::Dis(args) => dis::run(args, &mut console),
        Verb::Steps(args) => steps::run(args, &mut console),
        Verb::Verify(args) => verify::run(args, &mut console),
    };
    match outcome.and_then(|()| console.finish()) {
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
