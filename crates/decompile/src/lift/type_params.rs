//! Type parameters (3.12 and later): what stands in the brackets of `def f[T]`, `class C[T]` and `type X[T]`.
//!
//! The compiler wraps such a definition in a function `<generic parameters of f>` that makes the parameters
//! and then the definition, and calls it at once. Bounds, defaults and the value of a `type` statement are
//! functions that run when somebody asks (PEP 695, PEP 696; CPython `Python/codegen.c`).

use depyf_bytecode::{CodeObject, Intrinsic2, VarId};
use depyf_syntax::ast::{
    Expr, ExprKind, Function, Ident, Literal, Origin, Stmt, StmtKind, TypeParam, TypeParamKind,
};

use super::{Effects, LiftResult, Lifter, Special, Value};

/// A function that makes type parameters and a definition with them.
#[derive(Clone, Debug)]
pub(crate) struct Generic {
    /// The definition: a `def`, `class` or `type` statement.
    pub(super) definition: StmtKind,
    /// How many parameters it takes: the defaults and the keyword defaults of a `def`.
    pub(super) parameters: usize,
}

/// A `type` statement.
#[derive(Clone, Debug)]
pub(crate) struct TypeAlias {
    /// What it defines.
    pub(super) name: Ident,
    /// Its parameters.
    pub(super) type_params: Vec<TypeParam>,
    /// The type.
    pub(super) value: Expr,
}

/// The definition that such a code object makes for itself, though nothing calls it.
pub(crate) fn unused_generic(code: &CodeObject, function: &Function) -> Option<StmtKind> {
    let is_alone = makes_type_params(code) && code.argcount == 0;
    is_alone.then(|| generic(code, function.clone())).flatten().map(|generic| generic.definition)
}

/// Whether the code object only makes type parameters and a definition with them.
pub(super) fn makes_type_params(code: &CodeObject) -> bool {
    generic_name(code).is_some()
}

/// The name of the definition for which a code object makes type parameters; None where it does something else.
pub(crate) fn generic_name(code: &CodeObject) -> Option<&[u8]> {
    let name = code.name.as_wtf8().strip_prefix(b"<generic parameters of ")?;
    Some(name.strip_suffix(b">").unwrap_or(name))
}

/// The definition that such a function makes and returns.
pub(super) fn generic(code: &CodeObject, function: Function) -> Option<Generic> {
    let mut body = function.body.into_iter();
    let (definition, returned, None) = (body.next()?, body.next()?, body.next()) else { return None };
    let returns_it = match (&definition.kind, returned.kind) {
        (StmtKind::Function(made), StmtKind::Return(Some(Expr { kind: ExprKind::Name(name), .. }))) => {
            made.name == name
        }
        (StmtKind::Class(made), StmtKind::Return(Some(Expr { kind: ExprKind::Name(name), .. }))) => {
            made.name == name
        }
        (
            StmtKind::TypeAlias { name: made, .. },
            StmtKind::Return(Some(Expr { kind: ExprKind::Name(name), .. })),
        ) => *made == name,
        _ => false,
    };
    returns_it.then_some(Generic { definition: definition.kind, parameters: code.argcount as usize })
}

impl Lifter<'_> {
    /// `name -> type parameter`
    pub(super) fn type_param(&mut self, kind: TypeParamKind) -> LiftResult<()> {
        let name = self.pop()?;
        let name = self.constant_name(name)?;
        let param = TypeParam { kind, name, bound: None, default: None };
        let value = self.defer_special(Special::TypeParam(Box::new(param)), Effects::NONE);
        self.push(value);
        Ok(())
    }

    /// The intrinsics of two operands that concern type parameters.
    pub(super) fn intrinsic_two(&mut self, intrinsic: Intrinsic2) -> LiftResult<()> {
        let [first, second] = self.pop_array()?;
        match intrinsic {
            Intrinsic2::TypeVarWithBound | Intrinsic2::TypeVarWithConstraints => {
                let bound = Some(self.deferred_value(&second)?);
                let name = self.constant_name(first)?;
                let param = TypeParam { kind: TypeParamKind::TypeVar, name, bound, default: None };
                let value = self.defer_special(Special::TypeParam(Box::new(param)), Effects::NONE);
                self.push(value);
                Ok(())
            }
            Intrinsic2::SetTypeparamDefault => {
                let default = self.deferred_value(&second)?;
                let Value::Pending(id) = first else { return self.error("a default without a parameter") };
                let Special::TypeParam(param) = &mut self.pending[id].special else {
                    return self.error("a default without a parameter");
                };
                param.default = Some(default);
                self.push(Value::Pending(id));
                Ok(())
            }
            Intrinsic2::SetFunctionTypeParams => {
                let Some(params) = self.taken_type_params(&second) else {
                    return self.error("the type parameters of a function are no tuple of them");
                };
                let Value::Pending(id) = first else { return self.error("type parameters of no function") };
                let Special::Function(function) = &mut self.pending[id].special else {
                    return self.error("type parameters of no function");
                };
                function.type_params = params;
                self.push(Value::Pending(id));
                Ok(())
            }
            Intrinsic2::PrepReraiseStar => self.error("PrepReraiseStar has no source yet"),
        }
    }

    /// `(name, type parameters or None, function) -> alias`
    pub(super) fn type_alias(&mut self) -> LiftResult<()> {
        let Value::Fresh(id) = self.pop()? else { return self.error("a type alias is made of no tuple") };
        let items = self.fresh[id].items.clone();
        let [name, params, value] = items[..] else {
            return self.error("a type alias is made of three parts");
        };
        let value = self.deferred_value(&value)?;
        let type_params = self.taken_type_params(&params).unwrap_or_default();
        let name = self.constant_name(name)?;
        let alias = TypeAlias { name, type_params, value };
        let value = self.defer_special(Special::TypeAlias(Box::new(alias)), Effects::NONE);
        self.push(value);
        Ok(())
    }

    /// The call of a function that makes type parameters: its definition, with the defaults that it is given.
    pub(super) fn call_generic(&mut self, generic: Generic, args: &[Value]) -> LiftResult<()> {
        if args.len() != generic.parameters {
            return self.error("the defaults of a generic function are not what it takes");
        }
        let (exprs, mut effects) = self.take(args)?;
        effects.acts = true;
        let mut definition = generic.definition;
        for value in exprs {
            let StmtKind::Function(function) = &mut definition else {
                return self.error("defaults of something that is no function");
            };
            // A function that has only keyword defaults gets them as its first argument too.
            let set = if matches!(value.kind, ExprKind::Dict(_)) {
                super::functions::set_keyword_defaults(&mut function.params, Some(value), self.context.names)
            } else {
                super::functions::set_defaults(&mut function.params, Some(value))
            };
            if set.is_none() {
                return self.error("the defaults of a function are no constant structure");
            }
        }
        let special = match definition {
            StmtKind::Function(function) => Special::Function(function),
            StmtKind::Class(class) => Special::Class(class),
            StmtKind::TypeAlias { name, type_params, value } => {
                Special::TypeAlias(Box::new(TypeAlias { name, type_params, value }))
            }
            _ => return self.error("type parameters of no definition"),
        };
        let value = self.defer_special(special, effects);
        self.push(value);
        Ok(())
    }

    /// Stores that keep type parameters for other scopes say nothing: the brackets do. Returns whether the value
    /// was such.
    pub(super) fn stores_type_params(&mut self, variable: VarId, value: &Value) -> bool {
        let stored = match value {
            Value::Pending(id) => matches!(self.pending[*id].special, Special::TypeParam(_)),
            Value::Fresh(_) if self.has_name(variable, ".type_params") => {
                match self.taken_type_params(value) {
                    Some(params) => {
                        self.type_params = params;
                        return true;
                    }
                    None => false,
                }
            }
            _ => self.has_name(variable, ".generic_base"),
        };
        if stored {
            self.release(value);
        }
        stored
    }

    /// Whether the value is what the code object keeps in the variable, which no source can name.
    pub(super) fn is_hidden(&self, value: &Value, name: &str) -> bool {
        matches!(value, Value::Local(variable, _) if self.has_name(*variable, name))
    }

    fn has_name(&self, variable: VarId, name: &str) -> bool {
        self.context.function.variables.get(variable as usize).is_some_and(|found| found.name == name)
    }

    /// The type parameters in a tuple of them.
    fn taken_type_params(&mut self, value: &Value) -> Option<Vec<TypeParam>> {
        let Value::Fresh(id) = *value else { return None };
        let items = self.fresh[id].items.clone();
        let mut params = Vec::with_capacity(items.len());
        for item in &items {
            let Value::Pending(id) = *item else { return None };
            let Special::TypeParam(param) = &self.pending[id].special else { return None };
            params.push(param.as_ref().clone());
        }
        let held = |live: &usize| !items.contains(&Value::Pending(*live));
        self.live.retain(held);
        Some(params)
    }

    fn constant_name(&mut self, value: Value) -> LiftResult<Ident> {
        match self.string_of(value) {
            Some(name) => Ok(name.clone()),
            None => self.error("the name of a type parameter is no constant"),
        }
    }

    /// What a function without parameters of its own, which only gives a value when asked, returns.
    fn deferred_value(&mut self, value: &Value) -> LiftResult<Expr> {
        let Value::Pending(id) = *value else { return self.error("a deferred value is no function") };
        let Special::Function(function) = &self.pending[id].special else {
            return self.error("a deferred value is no function");
        };
        // From 3.14 on a test of the format asked for comes first.
        let is_test =
            |statement: &&Stmt| matches!(&statement.kind, StmtKind::If { body, .. } if raises(body));
        // A string among the constants looks like a docstring where no flag tells (to 3.13).
        let is_text = |statement: &&Stmt| {
            matches!(&statement.kind, StmtKind::Expr(Expr { kind: ExprKind::Literal(Literal::Str(_)), .. }))
        };
        // What only code mentions that was never compiled stands in front of all, see `refine::restore_mentions`.
        let (mentioned, body) = match function.body.split_first() {
            Some((first, rest)) if mentions(first).is_some() => (mentions(first), rest),
            _ => (None, &function.body[..]),
        };
        let body: Vec<&Stmt> = body.iter().skip_while(is_text).skip_while(is_test).collect();
        let found = match &body[..] {
            [Stmt { kind: StmtKind::Return(Some(value)), .. }] => Some(value.clone()),
            // Two arms that are spelled alike have become one.
            [
                Stmt { kind: StmtKind::If { test, body, orelse }, origin },
                Stmt { kind: StmtKind::Return(Some(value)), .. },
            ] if orelse.is_empty() && matches!(body[..], [] | [Stmt { kind: StmtKind::Pass, .. }]) => {
                let [test, body, orelse] = [test, value, value].map(|part| Box::new(part.clone()));
                Some(Expr::new(*origin, ExprKind::IfExp { test, body, orelse }))
            }
            // None is what a body returns that does nothing.
            [] | [Stmt { kind: StmtKind::Pass | StmtKind::Return(None), .. }] => {
                Some(Expr::new(Origin::NONE, ExprKind::Literal(Literal::None)))
            }
            _ => None,
        };
        let found = found.map(|mut found| {
            if let Some(mentioned) = mentioned.filter(|mentioned| !mentioned.is_empty()) {
                crate::never_run::choose(&mut found, mentioned);
            }
            found
        });
        self.live.retain(|&live| live != id);
        match found {
            Some(found) => Ok(self.context.scope.adopted(found)),
            None => self.error("a deferred value is no single expression"),
        }
    }
}

fn raises(body: &[Stmt]) -> bool {
    matches!(body, [Stmt { kind: StmtKind::Raise { .. }, .. }])
}

/// The expressions under a test that never holds, where nothing else is.
fn mentions(statement: &Stmt) -> Option<Vec<Expr>> {
    let StmtKind::If { test, body, orelse } = &statement.kind else { return None };
    if !orelse.is_empty() || test.kind != ExprKind::Literal(Literal::Bool(false)) {
        return None;
    }
    let mentioned = |statement: &Stmt| match &statement.kind {
        StmtKind::Expr(value) => Some(value.clone()),
        _ => None,
    };
    body.iter().map(mentioned).collect()
}
