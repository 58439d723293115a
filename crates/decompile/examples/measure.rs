//! Measures one .pyc file: `measure FILE` prints the processor time in nanoseconds with and without verification,
//! the peak of memory in KiB, how many functions are unverified, and why the first of them is.
//!
//! Small files are decompiled again until the figures mean something, and one round before these is not counted: it
//! pays for memory that the process never had, which the rounds of a small file share. `benches/growth.py` compares the
//! figures of files of different sizes.

#![allow(clippy::print_stdout, reason = "a program")]

use std::time::Duration;

use depyf_bytecode::recognize;
use depyf_decompile::{Decompiled, OnFailure, Options, Verdict, decompile};
use processor_time::spent;

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: depyf_allocator::Allocator = depyf_allocator::ALLOCATOR;

#[path = "support/processor_time.rs"]
mod processor_time;

/// Stack of the thread that works, as the command has it.
const STACK_BYTES: usize = 64 << 20;
/// A file is decompiled until that took so long.
const ENOUGH: Duration = Duration::from_millis(30);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    depyf_allocator::keep_freed_memory();
    let path = std::env::args().nth(1).ok_or("usage: measure FILE")?;
    let bytes = std::fs::read(path)?;
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || run(&bytes))?;
    println!("{}", thread.join().map_err(|_| "panicked")?);
    Ok(())
}

fn run(bytes: &[u8]) -> String {
    let mut why = String::new();
    let mut unverified = 0;
    if let Err(error) = time(bytes, true, |_| {}) {
        return format!("0 0 {} 1 {error}", peak());
    }
    let verified = time(bytes, true, |done| {
        let reasons = done.functions.iter().filter_map(|report| match &report.verdict {
            Verdict::Unverified(found) => Some(&found.message),
            _ => None,
        });
        unverified = reasons.clone().count();
        why = reasons.take(1).cloned().collect();
    });
    let memory = peak();
    let plain = time(bytes, false, |_| {});
    match (verified, plain) {
        (Ok(verified), Ok(plain)) => format!("{verified} {plain} {memory} {unverified} {why}"),
        (Err(error), _) | (_, Err(error)) => format!("0 0 {memory} 1 {error}"),
    }
}

/// Returns nanoseconds for one decompilation.
fn time(
    bytes: &[u8],
    verify: bool,
    mut look: impl FnMut(&Decompiled),
) -> Result<u128, Box<dyn std::error::Error>> {
    let options = Options { verify, on_failure: OnFailure::Mark, ..Options::default() };
    let (start, mut rounds) = (spent(), 0);
    loop {
        let found = recognize(bytes, None)?;
        look(&decompile(&found.code, &options)?);
        rounds += 1;
        let passed = spent() - start;
        if passed > ENOUGH {
            return Ok(passed.as_nanos() / rounds);
        }
    }
}

/// Returns the peak of memory in KiB, 0 where the system does not tell.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0)
}
