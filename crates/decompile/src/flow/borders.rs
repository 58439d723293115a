//! Borders of blocks that the structure needs, which the reductions leave, a part of `reduce`.

use depyf_bytecode::Op;

use super::reduce::Reducer;
use super::step::ends_statement;
use super::{BlockId, Step, StepKind};

impl Reducer<'_> {
    /// Whether a block ends with a jump over others that lie between it and `next`, behind a statement: it leaves the stack as it
    /// found it, or ends what took a value that was there. What it jumps over is an `else` or the rest of a loop, and `next`
    /// stands behind that.
    pub(super) fn jumps_over(&self, id: BlockId, next: BlockId) -> bool {
        let (block, next) = (&self.graph.blocks[id], &self.graph.blocks[next]);
        if !block.jumps || next.start == u32::MAX || next.start <= block.end_offset {
            return false;
        }
        match block.steps.iter().map(|step| self.effect(step)).sum::<i64>() {
            0 => true,
            effect => effect < 0 && ends_statement(&block.steps) && !drops_below(&block.steps),
        }
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

/// Whether steps end with dropping a value from below another one, as a chain of comparisons does with its operand.
fn drops_below(steps: &[Step]) -> bool {
    let before = steps.len().checked_sub(2).and_then(|at| steps[at].op());
    matches!(before, Some(Op::Swap(_) | Op::Rot(_))) && steps.last().is_some_and(Step::drops)
}
