//! Damaged .pyc files of every version give source, a marked function or an error: no panic, and soon.
//! `examples/mutate_pycs.rs` does the same for as many rounds as wanted.

#[path = "support/mutation.rs"]
mod mutation;

use std::path::Path;
use std::time::{Duration, Instant};

use depyf_bytecode::{read_pyc, versions};
use depyf_decompile::{OnFailure, Options, Verdict, decompile};

/// Damaged copies for each version.
const ROUNDS: u64 = 100;
/// What one small file may take, also in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn damaged_files_are_source_marks_or_errors() {
    let options = Options { on_failure: OnFailure::Mark, verify: true, ..Options::default() };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bytecode/tests/data");
    for version in versions() {
        let path = folder.join(format!("sample_3_{:02}.pyc", version.0));
        let bytes = std::fs::read(path).expect("a fixture of each version");
        let original = mutation::Original::new(bytes).expect("a .pyc file");
        let (mut read, mut rejected) = (0, 0);
        for round in 0..ROUNDS {
            let Ok(pyc) = read_pyc(&original.damaged(2, round)) else { continue };
            read += 1;
            let start = Instant::now();
            let done = decompile(&pyc.code, &options);
            assert!(start.elapsed() < PATIENCE, "{version}: round {round} took too long");
            let verified = done
                .is_ok_and(|done| done.functions.iter().all(|report| report.verdict == Verdict::Verified));
            rejected += u64::from(!verified);
        }
        assert!(read > ROUNDS / 3, "{version}: only {read} damaged files could be read at all");
        assert!(rejected > ROUNDS / 10, "{version}: only {rejected} damaged files were rejected");
    }
}
