//! Pass: calls like `any(x for x in y)` lose the shortcut that the compiler adds from 3.14 on.
//!
//! The compiler tests whether the callee is the builtin, and runs the loop in place if it is; if not, it
//! makes the call that the source wrote (CPython `Python/codegen.c`, `maybe_optimize_function_call`).
//!
//! Needs: the plain graph. Establishes: the branch on a callee being a builtin is taken as "no".
//!
//! Example: `any; COPY 1; LOAD_COMMON_CONSTANT any; IS_OP; POP_JUMP_IF_FALSE call` goes on at `call`.

use depyf_bytecode::{CommonConst, Op};

use super::{Graph, StepKind, Terminator};

/// See the module.
pub(crate) fn undo_builtin_shortcuts(graph: &mut Graph) {
    for id in 0..graph.blocks.len() {
        let block = &graph.blocks[id];
        let Terminator::Branch { no, .. } = block.end else { continue };
        let [.., a, b, c] = &block.steps[..] else { continue };
        let shortcut = matches!(
            (&a.kind, &b.kind, &c.kind),
            (
                StepKind::Op(Op::Copy(1)),
                StepKind::Op(Op::Common(
                    CommonConst::All
                        | CommonConst::Any
                        | CommonConst::Tuple
                        | CommonConst::List
                        | CommonConst::Set
                )),
                StepKind::Op(Op::Is { negated: false })
            )
        );
        if shortcut {
            let length = block.steps.len() - 3;
            let block = &mut graph.blocks[id];
            block.steps.truncate(length);
            block.end = Terminator::Jump(no);
        }
    }
}
