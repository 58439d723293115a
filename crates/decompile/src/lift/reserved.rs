//! Numbers of temporaries that stand for something until a later step puts it there.

use depyf_syntax::ast::{Expr, ExprKind, Ident, Origin};

/// The iterable of a comprehension that its caller has yet to fill in.
pub(crate) const HOLE: u32 = u32::MAX;

/// Marks an asynchronous iterator that an `async for` takes, as [`HOLE`] marks others.
pub(crate) const ASYNC_ITERATOR: u32 = HOLE - 2;

/// The temporary that stands for the exception a handler got.
pub(crate) fn exception_temporary(handler: usize) -> u32 {
    EXCEPTIONS + handler as u32
}

/// The temporary that says whether the `with` statement whose body begins with a block was left by the end of its body.
pub(crate) fn left_temporary(block: usize) -> u32 {
    LEFT | block as u32 & (LEFT - 1)
}

/// Temporaries from here to `ANNOTATIONS` are such.
const LEFT: u32 = 0x1000_0000;

/// The target of an annotation whose text `refine/deferred_annotations.rs` fills in.
pub(crate) fn annotation_target(number: u32) -> Expr {
    Expr::new(Origin::NONE, ExprKind::Temp(ANNOTATIONS | number & (ANNOTATIONS - 1)))
}

/// The number of such an annotation.
pub(crate) fn annotation_number(target: &Expr) -> Option<u32> {
    match target.kind {
        ExprKind::Temp(temporary) if (ANNOTATIONS..ENTERED).contains(&temporary) => {
            Some(temporary - ANNOTATIONS)
        }
        _ => None,
    }
}

/// Temporaries from here to `ENTERED` are annotations by number.
const ANNOTATIONS: u32 = 0x2000_0000;

/// The constant AssertionError, until `refine/asserts.rs` has found the statements that load it.
pub(crate) const ASSERTION_ERROR: u32 = HOLE - 1;

/// The test of [`StepKind::Never`].
///
/// [`StepKind::Never`]: crate::flow::StepKind::Never
pub(crate) const NEVER: u32 = HOLE - 3;

/// Temporaries from here on are handled exceptions.
pub(crate) const EXCEPTIONS: u32 = 0x8000_0000;

/// The temporary of what the `with` statement at an offset enters.
pub(crate) fn entered_temporary(offset: u32) -> u32 {
    ENTERED | offset & (ENTERED - 1)
}

/// Temporaries from here to `EXCEPTIONS` are what `with` statements enter.
pub(super) const ENTERED: u32 = 0x4000_0000;

/// The target of an assignment expression that stores a temporary: a name that no identifier can be, which
/// `refine/temporaries.rs` replaces.
pub(crate) fn temporary_target(temporary: &Expr) -> Ident {
    match temporary.kind {
        ExprKind::Temp(number) => Ident::new(&format!("{TARGET}{number}")),
        _ => Ident::new("_"),
    }
}

/// The temporary that such a target stores.
pub(crate) fn target_temporary(target: &Ident) -> Option<u32> {
    target.as_str()?.strip_prefix(TARGET)?.parse().ok()
}

const TARGET: &str = "temporary ";
