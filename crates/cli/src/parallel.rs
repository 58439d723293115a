//! Work on many files at a time, with results in the order of the files.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

/// Stack of each thread that works: nested code must not depend on the caller's.
pub(crate) const STACK_BYTES: usize = 64 << 20;

/// Results that may wait for an earlier one; more make the threads wait.
const WAITING: usize = 256;

/// Applies `work` to each item on `jobs` threads, and `emit` to each result on this one, in order.
///
/// # Errors
/// The first of `emit`; no further item is begun then.
pub(crate) fn in_order<T: Send, R: Send>(
    jobs: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
    mut emit: impl FnMut(R) -> io::Result<()>,
) -> io::Result<()> {
    if jobs <= 1 || items.len() <= 1 {
        return items.into_iter().try_for_each(|item| emit(work(item)));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(STACK_BYTES).build();
    let pool = pool.map_err(io::Error::other)?;
    let stopped = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    pool.in_place_scope_fifo(|scope| {
        for (at, item) in items.into_iter().enumerate() {
            let (sender, work, stopped) = (sender.clone(), &work, &stopped);
            scope.spawn_fifo(move |_| {
                if !stopped.load(Ordering::Relaxed) {
                    // The receiver is gone when nothing more is wanted.
                    let _ = sender.send((at, work(item)));
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (at, result) in receiver {
            waiting.insert(at, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                if let Err(error) = emit(result) {
                    stopped.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for jobs in [1, 2, 7] {
            let mut seen = Vec::new();
            let work = |item: usize| {
                // Early items take longest.
                (0..(200 - item) * 1000).fold(item, |sum, _| std::hint::black_box(sum))
            };
            let done = in_order(jobs, (0..200).collect(), work, |result| {
                seen.push(result);
                Ok(())
            });
            assert!(done.is_ok());
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_closed_output_ends_the_work() {
        for jobs in [1, 3] {
            let mut emitted = 0;
            let done = in_order(
                jobs,
                (0..5000).collect(),
                |item: usize| item,
                |_| {
                    emitted += 1;
                    if emitted == 3 { Err(io::Error::from(io::ErrorKind::BrokenPipe)) } else { Ok(()) }
                },
            );
            assert_eq!((done.map_err(|error| error.kind()), emitted), (Err(io::ErrorKind::BrokenPipe), 3));
        }
    }
}
