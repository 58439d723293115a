//! Code objects themselves, as Dynamo passes them to a constructor of functions.

use std::sync::Arc;

use depyf_bytecode::{CodeObject, Const, Op, VariableKind};
use depyf_syntax::ast::{Expr, ExprKind, Ident, Literal, Origin, Stmt, StmtKind};

use super::functions::{lambda_body, over_nothing};
use super::{Context, LiftError, LiftResult, Lifter};
use crate::hash::HashSet;
use crate::never_run::holder;

/// In the place of the constant that a name is taken for: a variable of other functions.
const FOREIGN: u32 = u32::MAX;

/// What names mean in a function whose operations have code objects as values.
#[derive(Debug)]
pub(crate) struct NamesInUse {
    /// Those of variables and globals that operations mention: nothing else may be bound to them.
    mentioned: HashSet<Ident>,
    /// Those of variables that nested functions may share.
    cells: HashSet<Ident>,
    /// Those of variables that only code objects have that nothing loads: what keeps that code makes them cells.
    kept: HashSet<Ident>,
}

impl NamesInUse {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let function = context.function;
        let variables = function.instructions.iter().filter_map(|instruction| match instruction.op {
            Op::LoadLocal(variable)
            | Op::LoadLocalAndClear(variable)
            | Op::StoreLocal(variable)
            | Op::DeleteLocal(variable)
            | Op::LoadDeref(variable)
            | Op::StoreDeref(variable)
            | Op::DeleteDeref(variable)
            | Op::LoadClosure(variable) => Some(context.variable(variable)),
            _ => None,
        });
        let mentioned = variables.chain(context.code.names.iter().cloned()).collect();
        // Dynamo's code may have a local and a cell of one name, of which the second is called something else.
        let cells = function.variables.iter().zip(context.names.variables());
        let cells = cells.filter(|(variable, _)| variable.kind != VariableKind::Local);
        let cells: HashSet<Ident> = cells.map(|(_, name)| name.clone()).collect();
        let loaded: HashSet<u32> = { function.instructions.iter() }
            .filter_map(|instruction| match instruction.op {
                Op::Const(index) => Some(index),
                _ => None,
            })
            .collect();
        let unused = context.code.consts.iter().zip(0..).filter_map(|(value, index)| match value {
            Const::Code(code) if !loaded.contains(&index) => Some(code),
            _ => None,
        });
        let kept = unused.flat_map(|code| &code.freevars).filter(|name| !cells.contains(*name)).cloned();
        Self { mentioned, kept: kept.collect(), cells }
    }

    /// The free variables of a code object that are none of the function's cells.
    pub(crate) fn foreign<'c>(&self, code: &'c CodeObject) -> impl Iterator<Item = &'c Ident> {
        code.freevars.iter().filter(|name| !self.cells.contains(*name))
    }

    /// Whether one of them is called as something else is that the function mentions.
    pub(crate) fn clash_with(&self, code: &CodeObject) -> bool {
        self.foreign(code).any(|name| self.mentioned.contains(name))
    }
}

impl Lifter<'_> {
    /// A code object as a value: `def f(): ..` and then `f.__code__`. Making the function has no effect, so the `def` may
    /// come early.
    ///
    /// What is no `def` that may stand here is held by one, see `held_code`.
    pub(super) fn code_value(&mut self, index: u32) -> LiftResult<Expr> {
        let Some(Const::Code(code)) = self.context.code.consts.get(index as usize) else {
            return self.error("a code object is missing");
        };
        let code = Arc::clone(code);
        let offset = self.offset;
        let wrap = |error| LiftError::of_nested(error, offset);
        let hidden = self.hidden_variables(&code);
        if crate::flow::is_class_body(&code) {
            let class = self.context.scope.class(&code).map_err(wrap)?;
            return self.held_code(index, &code, hidden, StmtKind::Class(Box::new(class)));
        }
        if crate::scope::is_comprehension(&code) {
            let expr = over_nothing(self.context.scope.comprehension(&code, &[]).map_err(wrap)?);
            if code.name == "<genexpr>" && hidden.is_empty() {
                // A generator knows its code; this one never runs.
                let generator = Box::new(expr);
                return Ok(self.expr(ExprKind::Attribute { value: generator, attr: "gi_code".into() }));
            }
            return self.held_code(index, &code, hidden, StmtKind::Expr(expr));
        }
        let function = self.context.scope.function(&code, &[]).map_err(wrap)?;
        let body = (code.name == "<lambda>").then(|| lambda_body(&function.body)).flatten();
        let value = match body {
            Some(body) => {
                let kind = ExprKind::Lambda { params: Box::new(function.params), body: Box::new(body) };
                let lambda = self.expr(kind);
                if !hidden.is_empty() {
                    return self.held_code(index, &code, hidden, StmtKind::Expr(lambda));
                }
                lambda
            }
            None => {
                let name = function.name.clone();
                if !hidden.is_empty() || !self.takes_name(&name, index) {
                    return self.held_code(index, &code, hidden, StmtKind::Function(Box::new(function)));
                }
                self.append(StmtKind::Function(Box::new(function)))?;
                Expr::name(name)
            }
        };
        Ok(self.expr(ExprKind::Attribute { value: Box::new(value), attr: "__code__".into() }))
    }

    /// The free variables of a code object that must not be looked for in this function. Those that are none of its cells
    /// become some if the code stands in it: where a variable, global or `def` is called the same, that would be another one.
    fn hidden_variables(&mut self, code: &CodeObject) -> Vec<Ident> {
        let foreign: Vec<Ident> = self.context.names_in_use().foreign(code).cloned().collect();
        // All names are taken, also behind one that is not free.
        let clash = foreign.iter().filter(|name| !self.takes_name(name, FOREIGN)).count() > 0;
        if clash { foreign } else { Vec::new() }
    }

    /// Takes a name for a code object, unless it means something else.
    fn takes_name(&mut self, name: &Ident, index: u32) -> bool {
        let in_use = self.context.names_in_use();
        let means_other = in_use.mentioned.contains(name) || index != FOREIGN && in_use.kept.contains(name);
        !means_other && self.temporaries.name_code(name, index)
    }

    /// A code object as what a function that never runs begins with: `def __code_Q(): class Q: ..`, and then
    /// `__code_Q.__code__.co_consts[1]`. Its first constant is the docstring, or the None in its place, where no flag says
    /// whether there is one. `hidden` are its parameters.
    fn held_code(
        &mut self,
        index: u32,
        code: &CodeObject,
        hidden: Vec<Ident>,
        statement: StmtKind,
    ) -> LiftResult<Expr> {
        let mut holder = holder(code, hidden, vec![Stmt::new(Origin::NONE, statement)]);
        let plain = holder.name.clone();
        let mut number = 0;
        while !self.takes_name(&holder.name, index) {
            number += 1;
            holder.name = Ident::new(&format!("{}_{number}", plain.to_lossy()));
        }
        let name = holder.name.clone();
        self.append(StmtKind::Function(Box::new(holder)))?;
        let mut value = Expr::name(name);
        for attr in ["__code__", "co_consts"] {
            value = self.expr(ExprKind::Attribute { value: Box::new(value), attr: attr.into() });
        }
        let index = i64::from(!self.context.function.features.docstring_by_flag);
        let index = Box::new(self.expr(ExprKind::Literal(Literal::Int(index.into()))));
        Ok(self.expr(ExprKind::Subscript { value: Box::new(value), index }))
    }
}
