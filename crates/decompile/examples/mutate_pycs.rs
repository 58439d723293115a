//! Decompiles and verifies damaged copies of .pyc files, and says what went wrong.
//!
//! ```text
//! (ulimit -v 1048576; cargo run --release -p depyf-decompile --example mutate_pycs -- \
//!     --rounds 200000 --trace /tmp/last FILE.pyc ...)
//! ```
//!
//! Nothing may panic, take more than a second for each begun 100 kB, or need more than 1 GiB: `ulimit` makes
//! an abort of that. The file of `--trace` holds the file and the round at work, so that they are known
//! after an abort; `--from ROUND --rounds 1 --keep OUT` then writes the damaged copy down.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use depyf_bytecode::recognize;
use depyf_decompile::{OnFailure, Options, Verdict, decompile};
use processor_time::spent;

#[path = "../tests/support/mutation.rs"]
mod mutation;
#[path = "support/processor_time.rs"]
mod processor_time;

/// Stack of the thread that works, as the command has it.
const STACK_BYTES: usize = 64 << 20;

struct Arguments {
    from: u64,
    rounds: u64,
    seed: u64,
    trace: Option<File>,
    keep: Option<String>,
    paths: Vec<String>,
}

#[derive(Default)]
struct Tally {
    unreadable: u64,
    refused: u64,
    unverified: u64,
    verified: u64,
    faults: u64,
    slowest: Duration,
}

fn main() -> ExitCode {
    let outcome = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| run(&arguments()?));
    match outcome.map(|thread| thread.join()) {
        Ok(Ok(Ok(0))) => ExitCode::SUCCESS,
        Ok(Ok(Ok(_))) => ExitCode::FAILURE,
        Ok(Ok(Err(error))) | Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
        Ok(Err(_)) => ExitCode::FAILURE,
    }
}

fn arguments() -> io::Result<Arguments> {
    let mut read = Arguments { from: 0, rounds: 1000, seed: 1, trace: None, keep: None, paths: Vec::new() };
    let mut words = std::env::args().skip(1);
    let number = |text: String| text.parse().map_err(io::Error::other);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| io::Error::other(format!("{word} takes a value")));
        match word.as_str() {
            "--from" => read.from = number(value()?)?,
            "--rounds" => read.rounds = number(value()?)?,
            "--seed" => read.seed = number(value()?)?,
            "--trace" => read.trace = Some(File::create(value()?)?),
            "--keep" => read.keep = Some(value()?),
            _ => read.paths.push(word),
        }
    }
    Ok(read)
}

/// Returns how many faults there were.
fn run(arguments: &Arguments) -> io::Result<u64> {
    let mut tally = Tally::default();
    for path in &arguments.paths {
        let original = mutation::Original::new(std::fs::read(path)?);
        let original = original.ok_or_else(|| io::Error::other(format!("{path} is no .pyc file")))?;
        for round in arguments.from..arguments.from + arguments.rounds {
            let bytes = original.damaged(arguments.seed, round);
            if let Some(trace) = &arguments.trace {
                trace.write_all_at(format!("{round:<9} {path}{:<40}\n", "").as_bytes(), 0)?;
            }
            if let Some(keep) = &arguments.keep {
                std::fs::write(keep, &bytes)?;
            }
            let start = spent();
            let fate = catch_unwind(AssertUnwindSafe(|| decompile_all(&bytes, &mut tally)));
            let elapsed = spent() - start;
            tally.slowest = tally.slowest.max(elapsed);
            let allowed = Duration::from_secs(1 + bytes.len() as u64 / 100_000);
            if fate.is_err() || elapsed > allowed {
                tally.faults += 1;
                let what = if fate.is_err() { "panicked" } else { "took too long" };
                println!("{path}: seed {}, round {round}: {what} ({elapsed:.1?})", arguments.seed);
            }
        }
    }
    println!(
        "{} verified, {} unverified, {} refused, {} unreadable, {} faults; slowest {:.3?}",
        tally.verified, tally.unverified, tally.refused, tally.unreadable, tally.faults, tally.slowest
    );
    Ok(tally.faults)
}

fn decompile_all(bytes: &[u8], tally: &mut Tally) {
    let Ok(found) = recognize(bytes, None) else {
        tally.unreadable += 1;
        return;
    };
    let options = Options { on_failure: OnFailure::Mark, verify: true, ..Options::default() };
    match decompile(&found.code, &options) {
        Err(_) => tally.refused += 1,
        Ok(done) if done.functions.iter().all(|report| report.verdict == Verdict::Verified) => {
            tally.verified += 1;
        }
        Ok(_) => tally.unverified += 1,
    }
}
