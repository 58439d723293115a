//! The `depyf` command; see the library beside this file.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Trees are many small allocations; the allocator of the system costs a third of the command's time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(depyf_cli::run(std::env::args_os().collect()))
}
