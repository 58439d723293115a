//! Functions, lambdas, their parts, and type parameters (3.12 and later).

use std::slice;

use depyf_bytecode::{
    CallLayout, CompilerFeatures, Const, FunctionParts, Intrinsic1, Intrinsic2, Op, VariableKind,
};
use depyf_syntax::ast::{Expr, ExprKind, Function, Literal, Param, Params, Stmt, TypeParam, TypeParamKind};
use depyf_value::{PyInt, PyStr};

use super::generator::{Done, Generator};
use super::scope::Role;
use super::symbols::address;
use super::unit::Signature;
use super::{LowerResult, Lowered, LoweredConst};

/// Whether a signature has defaults of positional, and of keyword-only parameters.
pub(super) fn has_defaults(params: &Params) -> (bool, bool) {
    let any = |params: &[Param]| params.iter().any(|param| param.default.is_some());
    (any(&params.posonly) || any(&params.regular), any(&params.kwonly))
}

/// The annotations of a function in the order of evaluation, which is not that of the signature.
pub(super) fn annotations<'f>(function: &'f Function, compiler: &CompilerFeatures) -> Vec<(PyStr, &'f Expr)> {
    let Params { posonly, regular, vararg, kwonly, kwarg } = &function.params;
    let (first, second) = if compiler.annotates_in_order { (posonly, regular) } else { (regular, posonly) };
    let mut found = Vec::new();
    let parts: [&[Param]; 5] = [
        first,
        second,
        vararg.as_deref().map_or(&[], slice::from_ref),
        kwonly,
        kwarg.as_deref().map_or(&[], slice::from_ref),
    ];
    for param in parts.into_iter().flatten() {
        if let Some(annotation) = &param.annotation {
            found.push((param.name.clone(), annotation));
        }
    }
    if let Some(returns) = &function.returns {
        found.push((PyStr::new("return"), returns));
    }
    found
}

impl<'a> Generator<'a> {
    pub(super) fn definition(&mut self, function: &'a Function) -> Done {
        function.decorators.iter().try_for_each(|decorator| self.expr(decorator))?;
        let mut parts = self.defaults(&function.params)?;
        if function.type_params.is_empty() {
            parts |= self.function_annotations(function)?;
            let lowered = self.function_body(function)?;
            self.make_function(lowered, FunctionParts(parts));
        } else {
            let arguments = parts.count_ones();
            let outer = self.scope;
            let signature = Signature { argcount: arguments, ..Signature::default() };
            self.enter_type_params(address(function), &function.name, signature)?;
            self.type_params(&function.type_params)?;
            for name in [".defaults", ".kwdefaults"].into_iter().take(arguments as usize) {
                self.load(&name.into());
            }
            parts |= self.function_annotations(function)?;
            let lowered = self.function_body(function)?;
            self.make_function(lowered, FunctionParts(parts));
            self.emit_all([Op::Swap(2), Op::Intrinsic2(Intrinsic2::SetFunctionTypeParams), Op::Return]);
            let hidden = self.leave_unit(outer);
            self.make_function(hidden, FunctionParts::default());
            match arguments {
                0 => {}
                1 => self.emit(Op::Swap(2)),
                _ => self.emit(Op::Rot(3)),
            }
            self.emit(Op::Call { positional: arguments, layout: CallLayout::Plain });
        }
        self.decorate(&function.decorators);
        self.store(&function.name);
        Ok(())
    }

    /// Calls the decorators below what they decorate, the last first.
    pub(super) fn decorate(&mut self, decorators: &[Expr]) {
        for decorator in decorators.iter().rev() {
            if decorator.origin != depyf_syntax::ast::Origin::NONE {
                self.come_to(decorator.origin);
            }
            self.emit(Op::Call { positional: 1, layout: CallLayout::Plain });
        }
    }

    /// Pushes the defaults of a signature; gives the flags of what there is.
    fn defaults(&mut self, params: &'a Params) -> LowerResult<u32> {
        let (positional, keyword) = has_defaults(params);
        let mut parts = 0;
        if positional {
            let defaults = params.posonly.iter().chain(&params.regular);
            let defaults: Vec<&Expr> = defaults.filter_map(|param| param.default.as_ref()).collect();
            defaults.iter().try_for_each(|default| self.expr(default))?;
            self.emit(Op::BuildTuple(defaults.len() as u32));
            parts |= FunctionParts::DEFAULTS;
        }
        if keyword {
            let defaults = params.kwonly.iter();
            let defaults = defaults.filter_map(|param| Some((&param.name, param.default.as_ref()?)));
            let defaults: Vec<(&PyStr, &Expr)> = defaults.collect();
            if self.compiler().constant_key_maps {
                let names =
                    defaults.iter().map(|(name, _)| Const::Str(self.mangle(name).into_owned())).collect();
                self.constant_keys(names, defaults.into_iter().map(|(_, value)| value))?;
            } else {
                for (name, default) in &defaults {
                    let name = self.mangle(name);
                    self.string(&name);
                    self.expr(default)?;
                }
                self.emit(Op::BuildMap(defaults.len() as u32));
            }
            parts |= FunctionParts::KEYWORD_DEFAULTS;
        }
        Ok(parts)
    }

    /// The code object of a function's body.
    pub(super) fn function_body(&mut self, function: &'a Function) -> LowerResult<Box<Lowered>> {
        let scope = self.scope_of(function, Role::Function)?;
        let outer = self.scope;
        let conditional = std::mem::take(&mut self.conditional);
        self.enter_unit(function.name.clone(), scope, Signature::of(&function.params));
        let (docstring, body): (_, &'a [Stmt]) = self.docstring(&function.body);
        self.unit.docstring = docstring;
        // What makes the function stands where its definition does.
        let origin = self.origin;
        self.block(body)?;
        self.return_none();
        self.origin = origin;
        self.conditional = conditional;
        Ok(self.leave_unit(outer))
    }

    pub(super) fn lambda(&mut self, expr: &'a Expr, params: &'a Params, body: &'a Expr) -> Done {
        let parts = self.defaults(params)?;
        let scope = self.scope_of(expr, Role::Lambda)?;
        let outer = self.scope;
        self.enter_unit(PyStr::new("<lambda>"), scope, Signature::of(params));
        self.expr(body)?;
        self.emit(Op::Return);
        let lowered = self.leave_unit(outer);
        self.make_function(lowered, FunctionParts(parts));
        Ok(())
    }

    /// Makes a function; its parts but the closure are on the stack.
    pub(super) fn make_function(&mut self, lowered: Box<Lowered>, parts: FunctionParts) {
        let variables = &lowered.variables;
        let free = variables.iter().filter(|variable| variable.kind == VariableKind::Free);
        let free: Vec<PyStr> = free.map(|variable| variable.name.clone()).collect();
        free.iter().for_each(|name| self.load_closure(name));
        if !free.is_empty() {
            self.emit(Op::BuildTuple(free.len() as u32));
        }
        let code = self.unit.constant(LoweredConst::Code(lowered));
        self.emit_all([code, Op::MakeFunction(FunctionParts::default())]);
        if !free.is_empty() {
            self.emit(Op::SetFunctionAttribute(FunctionParts(FunctionParts::CLOSURE)));
        }
        for part in [
            FunctionParts::ANNOTATE,
            FunctionParts::ANNOTATIONS,
            FunctionParts::KEYWORD_DEFAULTS,
            FunctionParts::DEFAULTS,
        ] {
            if parts.has(part) {
                self.emit(Op::SetFunctionAttribute(FunctionParts(part)));
            }
        }
    }

    /// Starts the hidden function around what has type parameters.
    pub(super) fn enter_type_params(&mut self, node: usize, name: &PyStr, signature: Signature) -> Done {
        let scope = self.scope_at(node, Role::TypeParams)?;
        let name = PyStr::new(&format!("<generic parameters of {}>", name.to_lossy()));
        self.enter_unit(name, scope, signature);
        self.unit.is_type_params = true;
        Ok(())
    }

    /// Makes the type parameters, binds their names, and pushes a tuple of them.
    pub(super) fn type_params(&mut self, params: &'a [TypeParam]) -> Done {
        for param in params {
            self.string(&param.name);
            match (&param.kind, &param.bound) {
                (TypeParamKind::TypeVar, Some(bound)) => {
                    self.lazy(address(param), Role::Bound, &param.name, bound)?;
                    self.emit(Op::Intrinsic2(if self.are_constraints(bound) {
                        Intrinsic2::TypeVarWithConstraints
                    } else {
                        Intrinsic2::TypeVarWithBound
                    }));
                }
                (TypeParamKind::TypeVar, None) => self.emit(Op::Intrinsic1(Intrinsic1::TypeVar)),
                (TypeParamKind::TypeVarTuple, _) => self.emit(Op::Intrinsic1(Intrinsic1::TypeVarTuple)),
                (TypeParamKind::ParamSpec, _) => self.emit(Op::Intrinsic1(Intrinsic1::ParamSpec)),
            }
            if let Some(default) = &param.default {
                self.lazy(address(param), Role::Default, &param.name, default)?;
                self.emit(Op::Intrinsic2(Intrinsic2::SetTypeparamDefault));
            }
            self.emit(Op::Copy(1));
            self.store(&param.name);
        }
        self.emit(Op::BuildTuple(params.len() as u32));
        Ok(())
    }

    /// Whether what stands behind the `:` of a type parameter are the types to choose from. A tuple of constants that was
    /// folded on the tree is a bound.
    fn are_constraints(&self, bound: &Expr) -> bool {
        let folds = self.compiler().folds_on_tree;
        match &bound.kind {
            ExprKind::Literal(Literal::Tuple(_)) => !folds,
            ExprKind::Tuple(items) => {
                let is_constant = |item: &Expr| matches!(item.kind, ExprKind::Literal(_));
                !(folds && items.iter().all(is_constant))
            }
            _ => false,
        }
    }

    /// Pushes a function that evaluates an expression when it is asked for.
    fn lazy(&mut self, node: usize, role: Role, name: &PyStr, value: &'a Expr) -> Done {
        let scope = self.scope_at(node, role)?;
        let outer = self.scope;
        let takes_format = self.compiler().type_parameters_take_format;
        if takes_format {
            self.constant(Const::Tuple([Const::Int(PyInt::from(1))].into()));
        }
        self.enter_unit(name.clone(), scope, Signature::hidden(u32::from(takes_format)));
        self.unit.is_deferred = true;
        if takes_format {
            self.check_format(".format");
        }
        self.maybe_starred(value)?;
        self.emit(Op::Return);
        let lowered = self.leave_unit(outer);
        let parts = if takes_format { FunctionParts::DEFAULTS } else { 0 };
        self.make_function(lowered, FunctionParts(parts));
        Ok(())
    }

    pub(super) fn type_alias(
        &mut self,
        statement: &'a Stmt,
        name: &'a PyStr,
        type_params: &'a [TypeParam],
        value: &'a Expr,
    ) -> Done {
        let finish = [Op::BuildTuple(3), Op::Intrinsic1(Intrinsic1::TypeAlias)];
        if type_params.is_empty() {
            self.string(name);
            self.none();
            self.lazy(address(statement), Role::AliasValue, name, value)?;
            self.emit_all(finish);
        } else {
            let outer = self.scope;
            self.enter_type_params(address(statement), name, Signature::default())?;
            self.string(name);
            self.type_params(type_params)?;
            self.lazy(address(statement), Role::AliasValue, name, value)?;
            self.emit_all(finish);
            self.emit(Op::Return);
            let hidden = self.leave_unit(outer);
            self.make_function(hidden, FunctionParts::default());
            self.emit(Op::Call { positional: 0, layout: CallLayout::Plain });
        }
        self.store(name);
        Ok(())
    }
}
