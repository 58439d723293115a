//! Assignment expressions.
//!
//! `COPY 1; STORE x` is both `x = y = value` and `(x := value)`. What takes the value in the end tells them apart:
//! a store, or anything else.

use depyf_bytecode::{Op, stack_effect};
use depyf_syntax::ast::{Expr, ExprKind};

use super::{LiftResult, Lifter, Special, Value};
use crate::View;
use crate::flow::{Piece, Step, StepKind};

impl Lifter<'_> {
    /// Whether the copy in front of these steps is stored by an assignment expression.
    pub(super) fn is_walrus(&self, rest: &[Step]) -> bool {
        let Some((name, behind)) = self.stored_name(rest) else { return false };
        let plain = match self.stack.last() {
            Some(Value::Pending(id)) => {
                let pending = &self.pending[*id];
                matches!(pending.special, Special::None | Special::Starred) && pending.references == 1
            }
            Some(Value::Fresh(id)) => self.fresh[*id].references == 1,
            Some(Value::Atom(_) | Value::Temp(..) | Value::Named(_) | Value::Local(..)) => true,
            _ => false,
        };
        plain
            && matches!(name.kind, ExprKind::Name(_))
            && !(self.context.scope.options.view == View::Readable && crate::dynamo::is_temporary(&name))
            && !self.ends_in_store(behind)
    }

    /// The variable that the first step stores, and what follows it.
    fn stored_name<'s>(&self, rest: &'s [Step]) -> Option<(Expr, &'s [Step])> {
        let (first, behind) = rest.split_first()?;
        let StepKind::Op(store) = first.kind else { return None };
        Some((self.variable_stored(store)?, behind))
    }

    /// The variable that an operation stores, as a target.
    pub(super) fn variable_stored(&self, store: Op) -> Option<Expr> {
        let kind = match store {
            Op::StoreLocal(variable) | Op::StoreDeref(variable) => {
                ExprKind::Name(self.context.variable(variable))
            }
            Op::StoreName(name) | Op::StoreGlobal(name) => self.context.names.global(name),
            _ => return None,
        };
        Some(self.expr(kind))
    }

    /// Whether the value on top of the stack is stored by one of the steps, without being anything's operand.
    fn ends_in_store(&self, steps: &[Step]) -> bool {
        // How many values lie on the stack from the value on.
        let mut height: i64 = 1;
        for (at, step) in steps.iter().enumerate() {
            let (operands, effect, stores) = match step.kind {
                StepKind::Op(op) => {
                    let effect = stack_effect(op, false, &self.context.function.features);
                    match op {
                        Op::StoreLocal(_)
                        | Op::StoreDeref(_)
                        | Op::StoreName(_)
                        | Op::StoreGlobal(_)
                        | Op::StoreAttr(_)
                        | Op::StoreSubscript
                        | Op::StoreSlice => (-effect, effect, true),
                        Op::Unpack(_) | Op::UnpackEx { .. } => (1, effect, true),
                        Op::Pop => (1, effect, false),
                        Op::Swap(depth) | Op::Rot(depth) => (i64::from(depth), effect, false),
                        // Most operations push one value.
                        _ => ((1 - effect).max(0), effect, false),
                    }
                }
                StepKind::Piece(ref piece) if matches!(**piece, Piece::Chain { .. }) => (2, -1, false),
                StepKind::Piece(_) | StepKind::IsNone { .. } => (1, 0, false),
                StepKind::Iterable => (0, 1, false),
                StepKind::WithExit | StepKind::Annotation(_) | StepKind::Never => return false,
                StepKind::AnnotationMark(_) | StepKind::Comment => continue,
            };
            if operands >= height {
                // An attribute or an item is stored with the value as the deepest operand.
                return stores && operands == height && !self.stores_below(&steps[at + 1..], 1);
            }
            // A value above that is stored, and not by an assignment expression, is another item of the assignment.
            let copied =
                at.checked_sub(1).is_some_and(|at| matches!(steps[at].kind, StepKind::Op(Op::Copy(1))));
            if matches!(step.kind, StepKind::Op(Op::StoreLocal(_))) && !copied {
                return false;
            }
            height += effect;
        }
        false
    }

    /// Executes `COPY 1` and the store behind it: `(x := value)` is on the stack then.
    pub(super) fn walrus(&mut self, rest: &[Step]) -> LiftResult<usize> {
        let Some((name, _)) = self.stored_name(rest) else { return self.error("no variable is stored") };
        let ExprKind::Name(target) = name.kind else { return self.error("a target is no name") };
        let value = self.pop()?;
        let (expr, mut effects) = self.take_one(value)?;
        match rest.first().map(|step| &step.kind) {
            Some(StepKind::Op(Op::StoreLocal(local))) => {
                self.read_local(*local);
                effects.stores.push(*local);
            }
            _ => effects.acts = true,
        }
        self.push_expr(ExprKind::Named { target, value: Box::new(expr) }, effects);
        Ok(1)
    }
}
