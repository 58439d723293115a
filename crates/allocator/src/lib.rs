//! The allocator of depyf's programs: trees are many small allocations, for which that of the system takes a third of
//! the command's time.
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: depyf_allocator::Allocator = depyf_allocator::ALLOCATOR;
//!
//! fn main() {
//!     depyf_allocator::keep_freed_memory();
//! }
//! ```

use std::ffi::{c_int, c_long};

pub use mimalloc::MiMalloc as Allocator;

/// The allocator; a program makes it its own with `#[global_allocator]`.
pub const ALLOCATOR: Allocator = Allocator;

/// `mi_option_purge_delay` of mimalloc's `include/mimalloc.h`, which libmimalloc-sys has no name for.
const PURGE_DELAY: c_int = 15;
/// The delay that stands for "never".
const NEVER: c_long = -1;

/// Lets the process keep what it frees, for what it allocates next; call it first in `main`.
///
/// A program that decompiles and ends allocates for each function what it has just freed for the one before. Given back
/// to the system in between, the pages of a function of a million instructions come back one fault at a time, which took
/// up to a third of its time. The peak of memory stays the same.
pub fn keep_freed_memory() {
    #[allow(unsafe_code, reason = "the only way to set an option of the allocator")]
    // SAFETY: sets one number of the allocator's table of options, whose bounds the callee checks.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_that_of_purging() {
        #[allow(unsafe_code, reason = "the only way to ask for an option of the allocator")]
        // SAFETY: reads one number of the allocator's table of options.
        let delay = || unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        // Milliseconds that the allocator waits when nobody says otherwise, unlike what the options beside it hold.
        assert_eq!(delay(), 10);
        keep_freed_memory();
        assert_eq!(delay(), NEVER);
    }
}
