//! Containers that were being filled when Dynamo broke the graph.
//!
//! What goes on behind the break gets the list of `f(a, *g())` as a parameter and fills it on: `f(*___stack1, *___stack2)`.
//! Nothing else knows such a container (`torch/_dynamo/resume_execution.py`).

use depyf_syntax::ast::{Expr, ExprKind, Origin};

use super::{FreshKind, LiftResult, Lifter, Value};
use crate::dynamo::{goes_on_behind_break, is_stack_parameter};

impl Lifter<'_> {
    /// The container at a depth of the stack, which is to get another item. Such a parameter becomes a display.
    pub(super) fn container_at(&mut self, kind: FreshKind, depth: u32) -> LiftResult<Value> {
        let index = self.index(depth)?;
        let found = self.stack[index];
        let Value::Local(variable, origin) = found else { return Ok(found) };
        let name = self.context.variable(variable);
        if !is_stack_parameter(&name) || !goes_on_behind_break(self.context.code) {
            return Ok(found);
        }
        let items = match kind {
            FreshKind::Dict => vec![Value::Null, found],
            _ => {
                self.atoms.push(Some(Expr::new(Origin(origin), ExprKind::Name(name))));
                vec![Value::Starred(self.atoms.len() - 1)]
            }
        };
        self.stack[index] = self.fresh_value(kind, items, origin);
        Ok(self.stack[index])
    }
}
