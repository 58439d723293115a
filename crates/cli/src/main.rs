//! The `depyf` command; see the library beside this file.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: depyf_allocator::Allocator = depyf_allocator::ALLOCATOR;

fn main() -> ExitCode {
    depyf_allocator::keep_freed_memory();
    ExitCode::from(depyf_cli::run(std::env::args_os().collect()))
}
