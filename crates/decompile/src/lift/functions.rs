//! Nested functions, lambdas and the bodies of comprehensions.

use std::sync::Arc;

use depyf_bytecode::{CodeObject, Const, FunctionParts, Op, VarId, flags};
use depyf_syntax::ast::{
    ComprehensionKind, Expr, ExprKind, Function, Ident, Literal, Origin, Param, Params, Stmt, StmtKind,
};

use super::value::Body;
use super::{Effects, LiftError, LiftResult, Lifter, Special, Value};
use crate::flow::{Step, StepKind};
use crate::names::Names;

impl Lifter<'_> {
    /// MAKE_FUNCTION, with the SET_FUNCTION_ATTRIBUTEs that follow it (3.13 and later).
    ///
    /// Returns how many steps of `rest` it used up.
    pub(super) fn make_function(&mut self, parts: FunctionParts, rest: &[Step]) -> LiftResult<usize> {
        let Value::Code(index) = self.pop()? else {
            return self.error("a function is made from something that is no constant code object");
        };
        let mut flags = parts.0;
        let mut used = 0;
        while let Some(Step { kind: StepKind::Op(Op::SetFunctionAttribute(part)), .. }) = rest.get(used) {
            flags |= part.0;
            used += 1;
        }
        let parts = FunctionParts(flags);
        let code = match self.context.code.consts.get(index as usize) {
            Some(Const::Code(code)) => Arc::clone(code),
            _ => return self.error("a function without its code object"),
        };
        let present = [
            FunctionParts::DEFAULTS,
            FunctionParts::KEYWORD_DEFAULTS,
            FunctionParts::ANNOTATIONS,
            FunctionParts::CLOSURE,
            FunctionParts::ANNOTATE,
        ]
        .map(|part| parts.has(part));
        let mut present = present;
        let mut values = self.pop_many(present.iter().filter(|&&present| present).count())?;
        // Of a function with type parameters, the defaults come with the call that makes it.
        for part in [0, 1] {
            let at = usize::from(part == 1 && present[0]);
            let hidden =
                |value: &Value| self.is_hidden(value, ".defaults") || self.is_hidden(value, ".kwdefaults");
            if present[part] && values.get(at).is_some_and(hidden) {
                values.remove(at);
                present[part] = false;
            }
        }
        // 3.14 pushes the annotate function where the annotations were.
        let annotate = if present[4] {
            Some(values.remove(usize::from(present[0]) + usize::from(present[1])))
        } else {
            None
        };
        let closure = if present[3] { values.pop() } else { None };
        let outer = self.closure_names(closure, &code)?;
        let deferred = match annotate {
            Some(value) => Some(self.deferred_annotations(&value)?),
            None => None,
        };
        let (exprs, effects) = self.take(&values)?;
        let mut exprs = exprs.into_iter();
        let mut part = |present: bool| if present { exprs.next() } else { None };
        let (defaults, keyword_defaults, annotations) =
            (part(present[0]), part(present[1]), part(present[2]));
        let names = self.context.names;
        let value = self.nested(&code, &outer, effects, |params| {
            set_defaults(params, defaults)?;
            set_keyword_defaults(params, keyword_defaults, names)?;
            Some(())
        })?;
        if let (Value::Pending(id), Some(annotations)) = (&value, annotations.or(deferred))
            && let Special::Function(function) = &mut self.pending[*id].special
        {
            let verbatim = self.context.scope.annotation_texts;
            let returns = set_annotations(&mut function.params, annotations, names, verbatim);
            function.returns = returns;
        }
        self.push(value);
        Ok(used)
    }

    /// The annotations that an `__annotate__` function returns (3.14 and later): a dict, behind a test of the
    /// format asked for.
    fn deferred_annotations(&mut self, annotate: &Value) -> LiftResult<Expr> {
        let Value::Pending(id) = *annotate else { return self.error("annotations are no function") };
        self.forget(id);
        let returned = match &self.pending[id].special {
            Special::Function(function) => function.body.last().map(|statement| &statement.kind),
            _ => None,
        };
        match returned {
            Some(StmtKind::Return(Some(value))) if matches!(value.kind, ExprKind::Dict(_)) => {
                Ok(value.clone())
            }
            _ => self.error("the annotations of a function are no dict"),
        }
    }

    /// The variables of this function that the nested function's free variables are.
    fn closure_names(&mut self, closure: Option<Value>, code: &CodeObject) -> LiftResult<Vec<Ident>> {
        let Some(closure) = closure else { return Ok(Vec::new()) };
        let Value::Fresh(id) = closure else { return self.error("a closure is no tuple of cells") };
        let names: Option<Vec<Ident>> = self.fresh[id]
            .items
            .iter()
            .map(|item| match *item {
                Value::Cell(variable, _) => Some(self.context.variable(variable)),
                _ => None,
            })
            .collect();
        match names {
            Some(names) if names.len() == code.freevars.len() => Ok(names),
            _ => self.error("a closure is made of objects that are no cells of this function"),
        }
    }

    /// The value that a nested code object becomes: an expression or a definition.
    fn nested(
        &mut self,
        code: &Arc<CodeObject>,
        outer: &[Ident],
        effects: Effects,
        defaults: impl FnOnce(&mut Params) -> Option<()>,
    ) -> LiftResult<Value> {
        let offset = self.offset;
        let wrap = |error| LiftError::of_nested(error, offset);
        if crate::scope::is_comprehension(code) {
            let expr = self.context.scope.comprehension(code, outer).map_err(wrap)?;
            let generates =
                matches!(expr.kind, ExprKind::Comprehension { kind: ComprehensionKind::Generator, .. });
            let awaited = !generates && code.flags & flags::COROUTINE != 0;
            let special = Special::Comprehension(Box::new(Body { expr, awaited }));
            return Ok(self.defer_special(special, effects));
        }
        let mut function = self.context.scope.function(code, outer).map_err(wrap)?;
        if super::type_params::makes_type_params(code) {
            return match super::type_params::generic(code, function) {
                Some(generic) => Ok(self.defer_special(Special::Generic(Box::new(generic)), effects)),
                None => self.error("type parameters and more than a definition"),
            };
        }
        if defaults(&mut function.params).is_none() {
            return self.error("the defaults of a function are no constant structure");
        }
        if code.name == "<lambda>"
            && let Some(body) = lambda_body(&function.body)
        {
            let kind = ExprKind::Lambda { params: Box::new(function.params), body: Box::new(body) };
            let expr = self.expr(kind);
            return Ok(self.defer(expr, effects, Special::None));
        }
        Ok(self.defer_special(Special::Function(Box::new(function)), effects))
    }

    /// A cell itself, as Dynamo passes it to a resume function: `(lambda: x).__closure__[0]`.
    ///
    /// Where the code object holds lambdas of its own, a `def` keeps the two apart.
    pub(super) fn cell_value(&mut self, variable: VarId, offset: u32) -> LiftResult<Expr> {
        let cell = Expr::new(Origin(offset), ExprKind::Name(self.context.variable(variable)));
        let lambdas = |value: &Const| matches!(value, Const::Code(code) if code.name == "<lambda>");
        let function = match (&cell.kind, self.context.code.consts.iter().any(lambdas)) {
            (ExprKind::Name(variable), true) => {
                let name = Ident::new(&format!("__cell_{}", variable.to_lossy()));
                let body = vec![Stmt::new(cell.origin, StmtKind::Return(Some(cell)))];
                self.append(StmtKind::Function(Box::new(Function::plain(name.clone(), body))))?;
                Expr::name(name)
            }
            _ => self.expr(ExprKind::Lambda { params: Box::default(), body: Box::new(cell) }),
        };
        let closure = ExprKind::Attribute { value: Box::new(function), attr: "__closure__".into() };
        let closure = Box::new(self.expr(closure));
        let first = self.expr(ExprKind::Literal(Literal::Int(0.into())));
        Ok(self.expr(ExprKind::Subscript { value: closure, index: Box::new(first) }))
    }

    /// SET_FUNCTION_ATTRIBUTE away from its MAKE_FUNCTION.
    pub(super) fn set_function_attribute(&mut self, part: FunctionParts) -> LiftResult<()> {
        let _ = part;
        self.error("a function's part is set away from where the function is made")
    }
}

/// A comprehension that loops over `()`, so that nothing of it runs.
pub(crate) fn over_nothing(mut expr: Expr) -> Expr {
    if let ExprKind::Comprehension { clauses, .. } = &mut expr.kind
        && let Some(first) = clauses.first_mut()
    {
        first.iter.kind = ExprKind::Tuple(Vec::new());
    }
    expr
}

/// What a lambda returns.
pub(crate) fn lambda_body(body: &[Stmt]) -> Option<Expr> {
    match body {
        [Stmt { kind: StmtKind::Return(Some(value)), .. }] => Some(value.clone()),
        // A lambda that only yields returns what it was sent.
        [Stmt { kind: StmtKind::Expr(value), .. }] => Some(value.clone()),
        [] => Some(Expr::new(depyf_syntax::ast::Origin::NONE, ExprKind::Literal(Literal::None))),
        _ => None,
    }
}

pub(super) fn set_defaults(params: &mut Params, defaults: Option<Expr>) -> Option<()> {
    let Some(defaults) = defaults else { return Some(()) };
    let items = items_of(defaults)?;
    let mut slots: Vec<&mut Param> = params.posonly.iter_mut().chain(&mut params.regular).collect();
    let first = slots.len().checked_sub(items.len())?;
    for (slot, value) in slots[first..].iter_mut().zip(items) {
        slot.default = Some(value);
    }
    Some(())
}

pub(super) fn set_keyword_defaults(params: &mut Params, defaults: Option<Expr>, names: &Names) -> Option<()> {
    let Some(defaults) = defaults else { return Some(()) };
    let ExprKind::Dict(pairs) = defaults.kind else { return None };
    for (key, value) in pairs {
        let ExprKind::Literal(Literal::Str(name)) = key?.kind else { return None };
        let name = names.unmangled(&name);
        params.kwonly.iter_mut().find(|param| param.name == name)?.default = Some(value);
    }
    Some(())
}

/// Puts annotations to their parameters; returns that of the result.
///
/// `verbatim` says that they are texts of expressions.
fn set_annotations(params: &mut Params, annotations: Expr, names: &Names, verbatim: bool) -> Option<Expr> {
    let pairs: Vec<(Expr, Expr)> = match annotations.kind {
        ExprKind::Dict(pairs) => pairs.into_iter().filter_map(|(key, value)| Some((key?, value))).collect(),
        kind => {
            let items = items_of(Expr::new(annotations.origin, kind))?;
            items.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
        }
    };
    let mut returns = None;
    for (key, value) in pairs {
        let ExprKind::Literal(Literal::Str(name)) = key.kind else { continue };
        let value = if verbatim { crate::names::verbatim(value) } else { value };
        if name == "return" {
            returns = Some(value);
            continue;
        }
        let name = names.unmangled(&name);
        let all = params.posonly.iter_mut().chain(&mut params.regular).chain(params.vararg.as_deref_mut());
        if let Some(param) =
            all.chain(&mut params.kwonly).chain(params.kwarg.as_deref_mut()).find(|param| param.name == name)
        {
            param.annotation = Some(value);
        }
    }
    returns
}

/// The items of a tuple, constant or not.
fn items_of(expr: Expr) -> Option<Vec<Expr>> {
    match expr.kind {
        ExprKind::Tuple(items) => Some(items),
        ExprKind::Literal(Literal::Tuple(items)) => {
            Some(items.into_iter().map(|item| Expr::new(expr.origin, ExprKind::Literal(item))).collect())
        }
        _ => None,
    }
}
