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

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_int, c_long, c_void};

use libmimalloc_sys as mimalloc;

/// mimalloc, asked for aligned memory only where its ordinary functions do not align enough: those for aligned memory
/// take longer, and hardly anything needs them.
pub struct Allocator;

/// The allocator; a program makes it its own with `#[global_allocator]`.
pub const ALLOCATOR: Allocator = Allocator;

/// Whatever mimalloc allocates is aligned to that (`MI_INTPTR_SIZE` of its `include/mimalloc/types.h`).
const ALWAYS_ALIGNED: usize = size_of::<usize>();

#[allow(unsafe_code, reason = "an allocator hands out raw memory")]
// SAFETY: mimalloc's functions return memory of the size that was asked for, or null; its alignment is that of the layout,
// by the function for aligned memory where it is more than what all memory has. `mi_free` and `mi_realloc_aligned` take the
// memory of either, and `mi_realloc` is used where neither the old nor the new layout needs more.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see above.
        let memory = unsafe {
            match layout.align() {
                ..=ALWAYS_ALIGNED => mimalloc::mi_malloc(layout.size()),
                align => mimalloc::mi_malloc_aligned(layout.size(), align),
            }
        };
        memory.cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see above.
        let memory = unsafe {
            match layout.align() {
                ..=ALWAYS_ALIGNED => mimalloc::mi_zalloc(layout.size()),
                align => mimalloc::mi_zalloc_aligned(layout.size(), align),
            }
        };
        memory.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: see above.
        unsafe { mimalloc::mi_free(memory.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let memory: *mut c_void = memory.cast();
        // SAFETY: see above.
        let memory = unsafe {
            match layout.align() {
                ..=ALWAYS_ALIGNED => mimalloc::mi_realloc(memory, size),
                align => mimalloc::mi_realloc_aligned(memory, size, align),
            }
        };
        memory.cast()
    }
}

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
        mimalloc::mi_option_set(PURGE_DELAY, NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code, reason = "calls an allocator")]
    fn memory_is_aligned_and_keeps_what_it_holds() {
        for (size, align) in [(1, 1), (8, 8), (24, 8), (24, 16), (100, 64), (5000, 4096), (3 << 20, 8)] {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the memory is written to within its bounds, and given back with its layout.
            unsafe {
                let memory = ALLOCATOR.alloc(layout);
                assert!(!memory.is_null() && memory.addr().is_multiple_of(align), "{layout:?}");
                memory.write_bytes(7, size);
                let memory = ALLOCATOR.realloc(memory, layout, 2 * size);
                assert!(memory.addr().is_multiple_of(align), "{layout:?}");
                assert!((0..size).all(|at| memory.add(at).read() == 7), "{layout:?}");
                ALLOCATOR.dealloc(memory, Layout::from_size_align(2 * size, align).unwrap());
                let zeroed = ALLOCATOR.alloc_zeroed(layout);
                assert!(
                    zeroed.addr().is_multiple_of(align) && (0..size).all(|at| zeroed.add(at).read() == 0)
                );
                ALLOCATOR.dealloc(zeroed, layout);
            }
        }
    }

    #[test]
    fn the_option_is_that_of_purging() {
        #[allow(unsafe_code, reason = "the only way to ask for an option of the allocator")]
        // SAFETY: reads one number of the allocator's table of options.
        let delay = || unsafe { mimalloc::mi_option_get(PURGE_DELAY) };
        // Milliseconds that the allocator waits when nobody says otherwise, unlike what the options beside it hold.
        assert_eq!(delay(), 10);
        keep_freed_memory();
        assert_eq!(delay(), NEVER);
    }
}
