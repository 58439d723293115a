//! Pass: short circuits of 3.12 and later get the form that they had before.
//!
//! Needs: the plain graph. Establishes: where a branch tests a copy of the top of the stack and one side
//! pops the original first, the block ends in `OrPop`.
//!
//! Example: `COPY 1; TO_BOOL; POP_JUMP_IF_FALSE end; POP_TOP; b` becomes `OrPop(keep end if false); b`.

use depyf_bytecode::Op;

use super::{Graph, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn restore_or_pop(graph: &mut Graph) {
    let mut ways_in = vec![0_usize; graph.blocks.len()];
    for block in &graph.blocks {
        block.end.successors().for_each(|next| ways_in[next] += 1);
    }
    for id in 0..graph.blocks.len() {
        let Terminator::Branch { yes, no } = graph.blocks[id].end else { continue };
        if !matches!(graph.blocks[id].steps.last(), Some(Step { kind: StepKind::Op(Op::Copy(1)), .. })) {
            continue;
        }
        let pops = |block: usize| {
            ways_in[block] == 1
                && matches!(graph.blocks[block].steps.first(), Some(Step { kind: StepKind::Op(Op::Pop), .. }))
        };
        let (when, keep, other) = if pops(no) {
            (true, yes, no)
        } else if pops(yes) {
            (false, no, yes)
        } else {
            continue;
        };
        graph.blocks[id].steps.pop();
        graph.blocks[other].steps.remove(0);
        graph.blocks[id].end = Terminator::OrPop { when, keep, other };
    }
}
