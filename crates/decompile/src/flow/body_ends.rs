//! Pass: the body of a module or a class has one end.
//!
//! No statement leaves such a body early: whatever returns None has come to its end. The compiler copies this
//! return to every jump that leads to it (`Python/flowgraph.c`, `inline_small_or_no_lineno_blocks`,
//! `duplicate_exits_without_lineno`).
//!
//! Needs: `erase_class_bookkeeping`, behind which class bodies return None too. Establishes: one block ends the
//! body; it does nothing, and falling off the end of the last statement leads there.
//!
//! Example: `a -> Branch(x, y); x: .., Const(None), Return; y: Const(None), Return` becomes `x: .. -> Jump(end)`,
//! `y: -> Jump(end)`, `end: Done`.

use depyf_bytecode::{CodeObject, CommonConst, Const, Op};

use super::{Block, Graph, StepKind, Terminator};

/// See the module.
pub(crate) fn join_body_ends(graph: &mut Graph, code: &CodeObject) {
    let is_none = |op: &Op| match op {
        Op::Common(CommonConst::None) => true,
        Op::Const(constant) => code.consts.get(*constant as usize) == Some(&Const::None),
        _ => false,
    };
    let returns_none = |block: &Block| {
        let last = block.steps.last().map(|step| &step.kind);
        block.end == Terminator::Return && matches!(last, Some(StepKind::Op(op)) if is_none(op))
    };
    let ends = (0..graph.blocks.len()).filter(|&block| returns_none(&graph.blocks[block]));
    let ends: Vec<usize> = ends.collect();
    let Some(end_offset) = ends.iter().map(|&block| graph.blocks[block].end_offset).max() else { return };
    let end = graph.blocks.len();
    // Neither the constant nor the return can raise: the end belongs to no region.
    graph.blocks.push(Block::empty(end_offset, Terminator::Done, None));
    graph.end = Some(end);
    for block in ends {
        let block = &mut graph.blocks[block];
        block.steps.pop();
        block.end = Terminator::Jump(end);
    }
}
