//! Borders of blocks that the structure needs, which the reductions leave, a part of `reduce`.

use depyf_bytecode::Op;

use super::reduce::Reducer;
use super::{BlockId, StepKind};

impl Reducer<'_> {
    /// Whether a block ends with a jump over others that lie between it and `next`, and leaves the stack as it found it:
    /// what it jumps over is an `else` or the rest of a loop, and `next` stands behind that.
    pub(super) fn jumps_over(&self, id: BlockId, next: BlockId) -> bool {
        let (block, next) = (&self.graph.blocks[id], &self.graph.blocks[next]);
        block.jumps
            && next.start != u32::MAX
            && next.start > block.end_offset
            && block.steps.iter().map(|step| self.effect(step)).sum::<i64>() == 0
    }

    /// Whether the structure needs the border behind a block: a `with` statement begins, a handler ends, or a
    /// `break` has dropped the iterator of a `for`.
    pub(super) fn borders(&self, id: BlockId) -> bool {
        let steps = &self.graph.blocks[id].steps;
        match steps.last().map(|step| &step.kind) {
            Some(StepKind::Op(Op::BeforeWith { .. } | Op::PopExcept) | StepKind::WithExit) => true,
            Some(StepKind::Op(Op::Pop)) => steps.iter().map(|step| self.effect(step)).sum::<i64>() < 0,
            _ => false,
        }
    }
}
