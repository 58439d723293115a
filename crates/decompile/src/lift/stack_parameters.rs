//! Containers that were being filled when Dynamo broke the graph.
//!
//! What goes on behind the break gets the list of `f(a, *g())` as a parameter and fills it on: `f(*___stack1, *___stack2)`.
//! Nothing else knows such a container (`torch/_dynamo/resume_execution.py`).

use depyf_syntax::ast::{Expr, ExprKind, Origin};

use super::{Fresh, FreshKind, LiftResult, Lifter, Value};
use crate::dynamo::{goes_on_behind_break, is_stack_parameter};

impl Lifter<'_> {
    /// Makes a display of the container at a depth of the stack, if it is such a parameter.
    pub(super) fn continue_parameter(&mut self, kind: FreshKind, depth: u32) -> LiftResult<()> {
        let index = self.index(depth)?;
        let Value::Local(variable, origin) = self.stack[index] else { return Ok(()) };
        let name = self.context.variable(variable);
        if !is_stack_parameter(&name) || !goes_on_behind_break(self.context.code) {
            return Ok(());
        }
        let items = match kind {
            FreshKind::Dict => vec![Value::Null, self.stack[index]],
            _ => {
                self.atoms.push(Some(Expr::new(Origin(origin), ExprKind::Name(name))));
                vec![Value::Starred(self.atoms.len() - 1)]
            }
        };
        let built_from = items.len();
        self.fresh.push(Fresh {
            kind,
            items,
            references: 1,
            named: None,
            origin,
            built_from,
            filled_from: None,
        });
        self.stack[index] = Value::Fresh(self.fresh.len() - 1);
        Ok(())
    }
}
