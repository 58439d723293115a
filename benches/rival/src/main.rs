//! Code objects a second of this decompiler and of the crate `pycdc`, side by side.
//!
//! ```text
//! cargo run --release --manifest-path benches/rival/Cargo.toml -- FOLDER [ROUNDS]
//! ```
//!
//! All `.pyc` files below FOLDER are read into memory first. Then each decompiler turns the bytes of every file
//! into text, on one thread, in turn: as many rounds as asked for (5), of which the fastest counts. Both have
//! the same allocator. What is measured is the time that the thread had a processor, where the system tells
//! (Linux), so that other work on the machine matters less. What is written is not compared here; `tools/roundtrip.py` is for that.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use depyf_bytecode::{CodeObject, Const};
use depyf_decompile::{OnFailure, Options, Verdict};

#[global_allocator]
static ALLOCATOR: depyf_allocator::Allocator = depyf_allocator::ALLOCATOR;

/// What becomes of a file: its text, and how many functions are marked as unproven.
type Decompiler = fn(&[u8]) -> Option<(String, usize)>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    depyf_allocator::keep_freed_memory();
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: depyf-rival-bench FOLDER [ROUNDS]")?;
    let rounds: usize = arguments.next().map_or(Ok(5), |rounds| rounds.parse())?;
    let mut paths = Vec::new();
    find(Path::new(&folder), &mut paths)?;
    paths.sort();
    let mut files = Vec::new();
    let mut objects = 0;
    for path in paths {
        let bytes = std::fs::read(path)?;
        let Ok(pyc) = depyf_bytecode::read_pyc(&bytes) else { continue };
        objects += count(&pyc.code);
        files.push(bytes);
    }
    println!("{} files, {objects} code objects, the fastest of {rounds} rounds", files.len());
    std::panic::set_hook(Box::new(|_| {}));
    let decompilers: [(&str, Decompiler); 3] =
        [("depyf, verified", verified), ("depyf --no-verify", unverified), ("pycdc 0.8.2", rival)];
    let mut fastest = [Duration::MAX; 3];
    let mut found = [(0, 0, 0); 3];
    for _ in 0..rounds {
        for (at, (_, decompiler)) in decompilers.iter().enumerate() {
            let start = now();
            found[at] = run(*decompiler, &files);
            fastest[at] = fastest[at].min(now().saturating_sub(start));
        }
    }
    for ((name, _), (spent, (bytes, failed, marked))) in decompilers.iter().zip(fastest.iter().zip(found)) {
        let speed = objects as f64 / spent.as_secs_f64();
        println!(
            "{name:18} {speed:8.0} code objects/s  {:7.1} ms  {bytes} bytes of text, {failed} files failed, {marked} functions marked",
            spent.as_secs_f64() * 1e3
        );
    }
    Ok(())
}

/// How long this thread has run.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let running = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = running.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "pyc") {
            found.push(path);
        }
    }
    Ok(())
}

fn count(code: &CodeObject) -> usize {
    let nested = code.consts.iter().map(|value| match value {
        Const::Code(code) => count(code),
        _ => 0,
    });
    1 + nested.sum::<usize>()
}

fn run(decompiler: Decompiler, files: &[Vec<u8>]) -> (usize, usize, usize) {
    let (mut bytes, mut failed, mut marked) = (0, 0, 0);
    for file in files {
        match catch_unwind(AssertUnwindSafe(|| decompiler(file))) {
            Ok(Some((text, marks))) => {
                bytes += black_box(text).len();
                marked += marks;
            }
            _ => failed += 1,
        }
    }
    (bytes, failed, marked)
}

fn depyf(bytes: &[u8], verify: bool) -> Option<(String, usize)> {
    let pyc = depyf_bytecode::read_pyc(bytes).ok()?;
    let options = Options { verify, on_failure: OnFailure::Mark, ..Options::default() };
    let done = depyf_decompile::decompile(&pyc.code, &options).ok()?;
    let marks = done.functions.iter().filter(|report| matches!(report.verdict, Verdict::Unverified(_)));
    let marks = marks.count();
    Some((done.text, marks))
}

fn verified(bytes: &[u8]) -> Option<(String, usize)> {
    depyf(bytes, true)
}

fn unverified(bytes: &[u8]) -> Option<(String, usize)> {
    depyf(bytes, false)
}

fn rival(bytes: &[u8]) -> Option<(String, usize)> {
    let module = pycdc::PycModule::from_bytes(bytes).ok()?;
    let version = module.version();
    let done = pycdc::decompiler::decompile(&module.code, version).ok()?;
    Some((pycdc::codegen::generate(&done.body, version, done.clean), 0))
}
