//! Tests inside of expressions that decide nothing, a part of `reduce`.
//!
//! The compiler leaves out the test of a constant: of `a if b or 1 else c` only the test of `b` is left, and both its ways
//! lead to `a`. What the other arm was is lost with it, and nothing ever runs it.
//!
//! So it is inside of a condition: of `(a or 1) and b` the test of `a` leads to that of `b` alone.
//!
//! Example: `f, b -> Branch(x, x); x: a, Call 1` becomes `f, b or True, Conditional(a, None), Call 1`.

use depyf_bytecode::Op;
use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin};

use super::reduce::Reducer;
use super::{BlockId, Folded, Piece, Step, StepKind, Terminator};
use crate::lift::{Effects, Lifter};

impl Reducer<'_> {
    /// The test of a value that the expression does not ask for: both its ways lead to `next`, in the middle of an
    /// expression. `is_operand` tells that the block is one, whatever is on the stack.
    pub(super) fn idle_test(&mut self, id: BlockId, next: BlockId, is_operand: bool) -> bool {
        let [block, behind] = [id, next].map(|block| &self.graph.blocks[block]);
        if next == id || self.ways_in[next] != 2 || block.region != behind.region {
            return false;
        }
        let block_falls = block.layout.falls;
        let is_operand = is_operand || self.tests_inside_expression(id);
        let is_value = matches!(behind.end, Terminator::Jump(_)).then_some(behind.steps.len());
        // Nobody writes `if b or 1: pass`, so what is tested next is a part of the same condition.
        let goes_on = matches!(behind.end, Terminator::Branch { .. }) && block_falls == Some(false);
        let test = (goes_on && !is_operand)
            .then(|| Lifter::fold(self.context, self.temporaries, &behind.steps))
            .flatten()
            .map(|test| (behind.steps.len(), test));
        let is_tested = test.is_some();
        let Some((length, value)) = test.or_else(|| self.first_value(next)) else { return false };
        if !is_operand && is_value != Some(length) && !is_tested {
            return false;
        }
        // The jump is taken where the test alone decides.
        let and = block_falls == Some(true);
        let values = vec![constant(Literal::Bool(!and))];
        self.push(id, StepKind::piece(Piece::Bool { and, values, grouped: false }));
        if is_tested {
            let values = vec![value];
            self.push(id, StepKind::piece(Piece::Bool { and: !and, values, grouped: false }));
        } else {
            let lost = constant(Literal::None);
            let (body, orelse) = if and { (lost, value) } else { (value, lost) };
            self.push(id, StepKind::piece(Piece::Conditional { body, orelse }));
        }
        self.graph.blocks[next].steps.drain(..length);
        self.set_end(id, Terminator::Jump(next));
        true
    }

    /// The test of a constant in front of one that is left out, at the end of a condition: of `if a or 'b' or 'c'` the compiler
    /// leaves out the last constant only (3.8 and 3.9), and both ways of the others lead to the body.
    pub(super) fn idle_constant(&mut self, id: BlockId) -> bool {
        let Some(Step { kind: StepKind::Piece(piece), .. }) = self.graph.blocks[id].steps.last_mut() else {
            return false;
        };
        let is_constant = |value: &Folded| match &value.expr.kind {
            ExprKind::Literal(value) => !matches!(value, Literal::Bool(_)),
            _ => false,
        };
        match &mut **piece {
            Piece::Bool { and: false, values, .. } if values.first().is_some_and(is_constant) => {
                values.insert(0, constant(Literal::Bool(true)));
                true
            }
            _ => false,
        }
    }

    /// The value that a block begins with, and the number of its steps.
    fn first_value(&mut self, id: BlockId) -> Option<(usize, Folded)> {
        let steps = &self.graph.blocks[id].steps;
        let mut height = 0;
        for (at, step) in steps.iter().enumerate() {
            height += self.effect(step);
            if height < 1 {
                return None;
            }
            // `LOAD_GLOBAL` pushes the function of a call and the place below its arguments in one.
            let is_whole = steps.get(at + 1).is_none_or(|next| {
                next.offset != step.offset || !matches!(next.kind, StepKind::Op(Op::PushNull))
            });
            if height == 1
                && is_whole
                && let Some(value) = Lifter::fold(self.context, self.temporaries, &steps[..=at])
            {
                return Some((at + 1, value));
            }
        }
        None
    }

    /// Whether values that wait for it are below what a block tests: it is a part of an expression. What a handler has
    /// of the exception waits for statements.
    pub(super) fn tests_inside_expression(&self, id: BlockId) -> bool {
        let steps = &self.graph.blocks[id].steps;
        let handles = |step: &Step| matches!(step.kind, StepKind::Op(Op::PushExcInfo));
        let behind = steps.iter().rposition(handles).map_or(0, |at| at + 1);
        steps[behind..].iter().map(|step| self.effect(step)).sum::<i64>() > 1
    }
}

fn constant(value: Literal) -> Folded {
    Folded { expr: Expr::new(Origin::NONE, ExprKind::Literal(value)), effects: Effects::default() }
}
