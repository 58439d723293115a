//! Pass: short circuits of 3.12 and later get the form that they had before.
//!
//! Needs: the plain graph. Establishes: where a branch tests a copy of the top of the stack, no way from it starts
//! with dropping the original: the block ends in `OrPop` if one way keeps the value, and in a plain test if none
//! does (`a and b or c` jumps from `a` to where `b` was false, too).
//!
//! Example: `COPY 1; TO_BOOL; POP_JUMP_IF_FALSE end; POP_TOP; b` becomes `OrPop(keep end if false); b`.

use depyf_bytecode::Op;

use super::{Graph, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn restore_or_pop(graph: &mut Graph) {
    // A block that drops a value can leave that to those before it only if all of them have made a copy.
    let is = |step: Option<&Step>, wanted: Op| matches!(step, Some(Step { kind: StepKind::Op(op), .. }) if *op == wanted);
    let tests_copy = |graph: &Graph, block: usize| {
        let found = &graph.blocks[block];
        matches!(found.end, Terminator::Branch { .. })
            && matches!(found.steps.last(), Some(Step { kind: StepKind::Op(Op::Copy(1)), .. }))
    };
    if !(0..graph.blocks.len()).any(|block| tests_copy(graph, block)) {
        return;
    }
    let mut drops: Vec<bool> = graph.blocks.iter().map(|block| is(block.steps.first(), Op::Pop)).collect();
    drops[0] = false;
    graph.regions.iter().for_each(|region| drops[region.handler] = false);
    let mut entered = vec![false; graph.blocks.len()];
    for id in 0..graph.blocks.len() {
        for next in graph.blocks[id].end.successors() {
            entered[next] = true;
            // A block that drops its own copy would be both; no compiler makes it.
            drops[next] &= tests_copy(graph, id) && next != id;
        }
    }
    for id in 0..graph.blocks.len() {
        let Terminator::Branch { yes, no } = graph.blocks[id].end else { continue };
        if !tests_copy(graph, id) || !drops[yes] && !drops[no] {
            continue;
        }
        graph.blocks[id].steps.pop();
        graph.blocks[id].end = match (drops[yes], drops[no]) {
            (true, false) => Terminator::OrPop { when: false, keep: no, other: yes },
            (false, true) => Terminator::OrPop { when: true, keep: yes, other: no },
            _ => Terminator::Branch { yes, no },
        };
    }
    for id in (0..graph.blocks.len()).filter(|&id| entered[id] && drops[id]) {
        graph.blocks[id].steps.remove(0);
    }
}
