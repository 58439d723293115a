//! Pass: `assert` of 3.8 loads a constant, as in later versions.
//!
//! Up to 3.8 `assert` reads the global AssertionError, as `if not x: raise AssertionError` does. What tells them
//! apart is the line: an `if` has its `raise` on a later one. Without lines it stays an `if`, which also a
//! compilation with `-O` keeps.
//!
//! In the body of a module or class, where all else looks names up in its namespace first, only `assert` reads a global.
//!
//! Needs: the plain graph. Establishes: where a test is followed by a raise of AssertionError on its own line,
//! that raise starts with `Common(AssertionError)`; in a body that is no function, every read of the global is that.

use crate::hash::HashMap;

use depyf_bytecode::{CodeObject, CommonConst, Function, Op, flags};

use super::{Contents, Graph, StepKind, Terminator};

/// See the module.
pub(crate) fn find_assertions(graph: &mut Graph, code: &CodeObject, function: &Function) {
    let lines: HashMap<u32, u32> = function
        .instructions
        .iter()
        .filter_map(|instruction| Some((instruction.offset, instruction.line?)))
        .collect();
    let is_assertion_error =
        |name: u32| code.names.get(name as usize).is_some_and(|name| *name == "AssertionError");
    if code.flags & flags::OPTIMIZED == 0 {
        for step in graph.blocks.iter_mut().flat_map(|block| &mut block.steps) {
            if let StepKind::Op(Op::LoadGlobal(name)) = step.kind
                && is_assertion_error(name)
            {
                step.kind = StepKind::Op(Op::Common(CommonConst::AssertionError));
                graph.contents.add(Contents::ASSERTIONS);
            }
        }
        return;
    }
    for block in 0..graph.blocks.len() {
        let Terminator::Branch { yes, no } = graph.blocks[block].end else { continue };
        let test = lines.get(&graph.blocks[block].end_offset);
        for raise in [yes, no] {
            let found = &mut graph.blocks[raise];
            if !matches!(found.end, Terminator::Raise(1)) {
                continue;
            }
            let Some(step) = found.steps.first_mut() else { continue };
            let same_line = match (test, lines.get(&step.offset)) {
                (Some(test), Some(raise)) => raise <= test,
                _ => false,
            };
            if let (true, StepKind::Op(Op::LoadGlobal(name) | Op::LoadName(name))) = (same_line, &step.kind)
                && is_assertion_error(*name)
            {
                step.kind = StepKind::Op(Op::Common(CommonConst::AssertionError));
                graph.contents.add(Contents::ASSERTIONS);
            }
        }
    }
}
