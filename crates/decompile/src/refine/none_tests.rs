//! Pass: a test for None is written without a `not`.
//!
//! From 3.11 on one jump tests for None, or for anything else (`POP_JUMP_IF_NONE`), whichever of `is` and `is not` was
//! written. So both `not (a is None and b is None)` and `a is not None or b is not None` may have been; the latter is
//! what people write.
//!
//! Needs: all tests are spelled, and the comparisons that the compiler turns are. Establishes: in what decides where
//! control goes on, no `not` stands in front of a comparison with None, or of several conditions whose negations take no
//! more of them.
//!
//! Example: `if a and not (b is None and c is None)` becomes `if a and (b is not None or c is not None)`.

use depyf_syntax::ast::Block;

use super::negated_tests::spell_tests;
use crate::flow::Contents;

/// See the module.
pub(crate) fn spell_none_tests(block: &mut Block, contents: Contents) {
    spell_tests(block, true, contents);
}
