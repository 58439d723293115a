//! The `depyf` command; see the library beside this file.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(depyf_cli::run(std::env::args_os().collect()))
}
