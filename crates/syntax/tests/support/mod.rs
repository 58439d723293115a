//! What the integration tests share: interpreters as judges, and trees made from theirs.
#![allow(dead_code)]

pub(crate) mod build;
pub(crate) mod oracle;
pub(crate) mod sexp;

/// Runs `body` on a stack for deep trees, as the decompiler's callers do.
pub(crate) fn on_deep_stack(body: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(body).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
