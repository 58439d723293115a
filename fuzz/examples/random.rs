//! Runs a target on damaged copies of files, where libFuzzer is not at hand: seeded, without coverage.
//!
//! ```text
//! (ulimit -v 1048576; random TARGET [--seconds N | --rounds N] [--seed N] [--trace FILE] SEED-FILE...)
//! ```
//!
//! What panics, or takes more than a second for each begun 100 kB, is written to `artifacts/TARGET-ROUND` and
//! makes the exit code 1. The file of `--trace` holds the input at work, for inputs that end the process.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../../crates/decompile/examples/support/processor_time.rs"]
mod processor_time;
#[path = "../../tests/support/random.rs"]
mod random;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use depyf_fuzz::TARGETS;
use processor_time::spent;
use random::Random;

/// Inputs grow to this many bytes at most.
const LONGEST: usize = 100_000;
/// So many inputs are kept beside the seeds, to be damaged again.
const KEPT: usize = 256;

impl Random {
    /// One change of some bytes.
    fn damage(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(16)).min(bytes.len());
        match self.below(9) {
            0 if at < bytes.len() => bytes[at] = self.next() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            2 if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(self.below(5) as u8).wrapping_sub(2),
            3 if at < end => drop(bytes.drain(at..end)),
            4 if at < end => {
                let copy = bytes[at..end].to_vec();
                let to = self.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            5 => {
                let number =
                    [0, 1, 127, 128, 255, 65_536, 0x7fff_ffff, u32::MAX][self.below(8)].to_le_bytes();
                bytes.splice(at..(at + 4).min(bytes.len()), number);
            }
            6 => {
                let fresh: Vec<u8> = (0..self.below(32)).map(|_| self.next() as u8).collect();
                bytes.splice(at..at, fresh);
            }
            7 if !other.is_empty() => {
                let from = self.below(other.len());
                let to = (from + self.below(64)).min(other.len());
                bytes.splice(at..end.max(at), other[from..to].iter().copied());
            }
            _ => bytes.truncate(at.max(1)),
        }
        bytes.truncate(LONGEST);
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some((name, target)) =
        words.next().and_then(|name| TARGETS.into_iter().find(|(known, _)| *known == name))
    else {
        eprintln!("the first word is one of {:?}", TARGETS.map(|(name, _)| name));
        return ExitCode::from(2);
    };
    let (mut seconds, mut rounds, mut seed, mut trace, mut seeds) = (10, u64::MAX, 1, None, Vec::new());
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|text| text.parse::<u64>().ok()).expect("a number");
        match word.as_str() {
            "--seconds" => seconds = number(),
            "--rounds" => rounds = number(),
            "--seed" => seed = number(),
            "--trace" => trace = words.next(),
            path => seeds.push(fs::read(path).expect("a file")),
        }
    }
    seeds.push(Vec::new());
    let mut random = Random(seed);
    let mut kept: Vec<Vec<u8>> = seeds.clone();
    let (start, mut round, mut faults, mut slowest) = (Instant::now(), 0_u64, 0, Duration::ZERO);
    while round < rounds && start.elapsed() < Duration::from_secs(seconds) {
        let from = if random.below(2) == 0 { &seeds } else { &kept };
        let mut bytes = from[random.below(from.len())].clone();
        for _ in 0..=random.below(6) {
            let other = kept[random.below(kept.len())].clone();
            random.damage(&mut bytes, &other);
        }
        if let Some(path) = &trace {
            fs::write(path, &bytes).expect("the trace is written");
        }
        let begun = spent();
        let fate = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        let elapsed = spent() - begun;
        slowest = slowest.max(elapsed);
        if fate.is_err() || elapsed > Duration::from_secs(1 + bytes.len() as u64 / 100_000) {
            faults += 1;
            fs::create_dir_all("artifacts").expect("a folder");
            let path = format!("artifacts/{name}-{seed}-{round}");
            fs::write(&path, &bytes).expect("the input is written");
            println!(
                "{path}: {} after {elapsed:.2?}",
                if fate.is_err() { "panicked" } else { "took too long" }
            );
        }
        let at = random.below(KEPT);
        if at < kept.len() {
            kept[at] = bytes
        } else {
            kept.push(bytes)
        }
        round += 1;
    }
    println!("{name}: {round} inputs, {faults} faults, slowest {slowest:.3?}");
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
