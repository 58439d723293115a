//! Pass: tests that the exception table leaves out of their region are inside it.
//!
//! 3.13 and later split a conditional jump off its test without copying the handler (`Python/flowgraph.c`,
//! `normalize_jumps_in_block`), because a jump cannot raise. The structure needs regions without holes.
//!
//! From 3.14 on, the test of an operand has no handler either where its jump was made to pass another test
//! ([`Features::threads_operands`](depyf_bytecode::Features::threads_operands)): such jumps are noted.
//!
//! Needs: `thread_jumps`. Establishes: a block that only branches, and that only blocks of one region lead to, is
//! in that region too; with one block in front of it, it is one block with that.
//!
//! Example: `a: x, ToBool (region 0) -> b; b: Branch (no region)` becomes `a: x, Branch (region 0)`.

use depyf_bytecode::{Features, Op};

use super::{Block, BlockId, Graph, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn fill_region_holes(graph: &mut Graph, features: &Features) {
    let is_operand = |block: &Block| features.threads_operands && block.region.is_none() && tests_copy(block);
    if !graph.blocks.iter().any(|block| only_branches(block) || is_operand(block)) {
        return;
    }
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors();
    for &block in order.iter() {
        let found = &graph.blocks[block];
        let region = |before: &BlockId| graph.blocks[*before].region;
        let Some(first) = predecessors[block].first().map(region) else { continue };
        let is_operand = is_operand(found);
        if !is_operand && !only_branches(found) || first.is_none() || first == found.region {
            continue;
        }
        // From inside out: a way out of the region in front of a branch looks the same, but does something.
        let inner = graph.regions_around(predecessors[block][0]);
        if found.region.is_none_or(|around| inner.contains(&around))
            && predecessors[block].iter().map(region).all(|other| other == first)
        {
            graph.blocks[block].region = first;
            if is_operand {
                let jump = graph.blocks[block].end_offset;
                graph.threaded.insert(jump);
            }
            if let [before] = predecessors[block][..] {
                join(graph, before, block);
            }
        }
    }
}

/// Whether a block does nothing but test. `POP_JUMP_IF_NONE` compares as well, and is one instruction.
fn only_branches(block: &Block) -> bool {
    block.steps.iter().all(|step| matches!(step.kind, StepKind::IsNone { .. }))
        && matches!(block.end, Terminator::Branch { .. } | Terminator::OrPop { .. })
}

/// Whether a block does nothing but test a copy of the top of the stack.
fn tests_copy(block: &Block) -> bool {
    matches!(block.end, Terminator::Branch { .. })
        && matches!(block.steps[..], [Step { kind: StepKind::Op(Op::Copy(1)), .. }])
}

/// Makes one block of a test and the jump that was split off it, as where it was not: then a copy of the test that
/// no region protects has the same steps.
fn join(graph: &mut Graph, before: BlockId, block: BlockId) {
    if block == before || graph.blocks[before].end != Terminator::Jump(block) {
        return;
    }
    let Block { steps, end, end_offset, layout, .. } = graph.blocks[block].clone();
    let test = &mut graph.blocks[before];
    if matches!(end, Terminator::Branch { .. }) && steps.is_empty() {
        test.steps.pop_if(|step| matches!(step.kind, StepKind::Op(Op::ToBool)));
    }
    test.steps.extend(steps);
    (test.end, test.end_offset, test.layout) = (end, end_offset, layout);
    graph.blocks[block].steps.clear();
    graph.blocks[block].end = Terminator::Nowhere;
}
