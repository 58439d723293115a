//! Pass: the end of the function that no `return` was written for is known where it is not copied.
//!
//! To 3.9 the compiler adds one `return None` behind all else (CPython `Python/compile.c`, `assemble`), and each `return`
//! that was written has instructions of its own. So a jump to the last ones is no `return`: the statements around it end.
//!
//! Needs: nothing. Establishes: [`Graph::end`], if the function ends in a block that returns None and does nothing
//! else, in no region.
//!
//! Example: `if a: b()` `else: return c` has `b` jump to the last block. No `return` is printed behind `b()`.

use depyf_bytecode::{CodeObject, Function, Op};

use super::{Graph, Step, StepKind, Terminator, returns_none};

/// See the module.
pub(crate) fn find_function_end(graph: &mut Graph, code: &CodeObject, function: &Function) {
    if function.features.copies_implicit_end {
        return;
    }
    let [.., value, last] = &function.instructions[..] else { return };
    // What a lambda returns was written.
    if last.op != Op::Return || !returns_none(&[value.op], code) || code.name == "<lambda>" {
        return;
    }
    graph.end = graph.blocks.iter().position(|block| {
        block.end == Terminator::Return
            && block.end_offset == last.offset
            && block.region.is_none()
            && matches!(block.steps[..], [Step { kind: StepKind::Op(_), offset, .. }] if offset == value.offset)
    });
}
