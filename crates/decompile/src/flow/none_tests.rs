//! Tests of None that compare, where the compiler has a jump for them.
//!
//! The compiler makes one jump of `LOAD_CONST None`, `IS_OP` and a conditional jump (3.11 and later: `optimize_basic_block`
//! of `Python/flowgraph.c`, before 3.12 `Python/compile.c`). Dynamo parts all such jumps again, those of patterns, too
//! (`remove_jump_if_none` of `torch/_dynamo/bytecode_transformation.py`).
//!
//! Needs: the steps of code that Dynamo may have made, so of no module. There may be tests that the compiler left: those of a
//! value that a second jump takes (`a is None and b or c`; 3.11).
//! Establishes: no test compares with None by identity, where jumps test for it and none does yet.
//!
//! Example: `.., Const(None), Is, Branch(x, y)` becomes `.., IsNone, Branch(x, y)`.

use depyf_bytecode::{Const, Op};

use super::{Contents, Graph, Step, StepKind, Terminator};
use crate::lift::Context;

/// See the module.
pub(crate) fn join_none_tests(graph: &mut Graph, context: &Context<'_>) {
    // Where one jump tests for None, Dynamo parted none.
    if !context.function.features.tests_none_by_jump
        || context.scope.is_of_module
        || graph.contents.meets(Contents::NONE_TESTS)
    {
        return;
    }
    for id in 0..graph.blocks.len() {
        let block = &graph.blocks[id];
        let [before @ .., constant, test] = &block.steps[..] else { continue };
        let (Terminator::Branch { yes, no }, Some(Op::Const(index)), Some(Op::Is { negated })) =
            (&block.end, constant.op(), test.op())
        else {
            continue;
        };
        if !matches!(context.code.consts.get(index as usize), Some(Const::None)) {
            continue;
        }
        let (length, yes, no, offset) = (before.len(), *yes, *no, test.offset);
        let block = &mut graph.blocks[id];
        block.steps.truncate(length);
        block.steps.push(Step { offset, kind: StepKind::IsNone { negated: false } });
        if negated {
            block.end = Terminator::Branch { yes: no, no: yes };
            block.layout.falls = block.layout.falls.map(|falls| !falls);
        }
    }
}
