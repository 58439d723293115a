//! Annotations: evaluated where they stand, kept as text, or put off into `__annotate__` (3.14 and later).

use depyf_bytecode::{CommonConst, CompareOp, Const, FunctionParts, Op};
use depyf_syntax::ast::{Expr, ExprKind, Function};
use depyf_syntax::{PrintOptions, print_expr};
use depyf_value::{PyInt, PyStr};

use super::generator::{Done, Generator};
use super::scope::{Meaning, Role, ScopeKind};
use super::unit::Signature;
use super::{LowerResult, LoweredConst};
use crate::names::CONDITIONAL_ANNOTATIONS;

impl<'a> Generator<'a> {
    /// Whether the annotations of modules and classes are functions, not values. Those of functions are, text
    /// or not, wherever the version defers any.
    fn defers(&self) -> bool {
        self.compiler().features.deferred_annotations && !self.future_annotations
    }

    /// Pushes an annotation, or its text.
    pub(super) fn annotation_value(&mut self, annotation: &'a Expr) -> Done {
        if self.future_annotations {
            let options = PrintOptions { width: None, ..PrintOptions::default() };
            let text = PyStr::new(&print_expr(annotation, &options));
            self.string(&text);
            return Ok(());
        }
        self.maybe_starred(annotation)
    }

    /// Pushes a value; `*args: *Ts` takes the one item of what `Ts` unpacks to.
    pub(super) fn maybe_starred(&mut self, value: &'a Expr) -> Done {
        match &value.kind {
            ExprKind::Starred(value) => {
                self.expr(value)?;
                self.emit(Op::Unpack(1));
                Ok(())
            }
            _ => self.expr(value),
        }
    }

    /// Pushes a function's annotations; gives the flag of the part.
    pub(super) fn function_annotations(&mut self, function: &'a Function) -> LowerResult<u32> {
        let annotations = super::functions::annotations(function, self.compiler());
        if annotations.is_empty() {
            return Ok(0);
        }
        let count = annotations.len() as u32;
        if self.compiler().features.deferred_annotations {
            let scope = self.scope_of(function, Role::Annotate)?;
            let outer = self.scope;
            self.enter_unit(PyStr::new("__annotate__"), scope, Signature::hidden(1));
            self.check_format("format");
            for (name, annotation) in annotations {
                let name = self.mangle(&name);
                self.string(&name);
                self.annotation_value(annotation)?;
            }
            self.emit_all([Op::BuildMap(count), Op::Return]);
            let lowered = self.leave_unit(outer);
            self.make_function(lowered, FunctionParts::default());
            return Ok(FunctionParts::ANNOTATE);
        }
        for (name, annotation) in annotations {
            let name = self.mangle(&name);
            self.string(&name);
            self.annotation_value(annotation)?;
        }
        let in_tuple = self.compiler().annotations_in_tuple;
        self.emit(if in_tuple { Op::BuildTuple(2 * count) } else { Op::BuildMap(count) });
        Ok(FunctionParts::ANNOTATIONS)
    }

    /// `if format > 2: raise NotImplementedError`
    pub(super) fn check_format(&mut self, parameter: &str) {
        let supported = self.unit.assembler.label();
        self.load(&parameter.into());
        self.constant(Const::Int(PyInt::from(2)));
        self.emit(Op::Compare(CompareOp::Greater));
        self.jump_on(false, supported);
        self.emit_all([Op::Common(CommonConst::NotImplementedError), Op::Raise(1)]);
        self.unit.assembler.place(supported);
    }

    /// What a module or class with annotations does before anything else.
    pub(super) fn start_annotations(&mut self) -> Done {
        let scope = &self.scopes.all[self.unit.scope];
        // A class may have to provide the set for classes in its methods.
        let provides = scope.class_cells.iter().any(|cell| *cell == CONDITIONAL_ANNOTATIONS);
        let (has_annotations, annotates_names) = (scope.has_annotations, scope.annotates_names);
        if !has_annotations && !provides {
            return Ok(());
        }
        let conditional = scope.conditional_annotations || provides;
        if self.defers() && self.unit.kind == ScopeKind::Module && annotates_names {
            // The code object is known at the end of the module, see `finish_annotations`.
            let code = self.unit.constant(LoweredConst::Value(Const::None));
            self.unit.annotate_const = if let Op::Const(id) = code { Some(id) } else { None };
            self.emit_all([code, Op::MakeFunction(FunctionParts::default())]);
            self.store(&"__annotate__".into());
        }
        // The set is made even where annotations are text, and nothing is put into it.
        if conditional {
            self.emit(Op::BuildSet(0));
            self.access_conditional(true);
        }
        if !self.defers() && has_annotations {
            self.emit(Op::SetupAnnotations);
        }
        Ok(())
    }

    /// Reads or binds the set of the annotations that were reached.
    fn access_conditional(&mut self, store: bool) {
        let name = CONDITIONAL_ANNOTATIONS.into();
        if self.unit.kind == ScopeKind::Class {
            let id = self.unit.class_cell(&name);
            self.emit(if store { Op::StoreDeref(id) } else { Op::LoadDeref(id) });
        } else if store {
            self.store(&name);
        } else {
            self.load(&name);
        }
    }

    /// Reads that set in `__annotate__`: its cell, whatever the class's namespace holds under the name.
    fn load_reached(&mut self) {
        let name = CONDITIONAL_ANNOTATIONS.into();
        match self.scopes.meaning(self.scope, &name) {
            Meaning::Free => {
                let id = self.unit.free(&name);
                self.emit(Op::LoadDeref(id));
            }
            _ => self.load(&name),
        }
    }

    /// Makes the `__annotate__` of a module or class.
    pub(super) fn finish_annotations(&mut self) -> Done {
        if !self.defers() || !self.scopes.all[self.unit.scope].annotates_names {
            return Ok(());
        }
        let scope = self.scope_at(self.unit.scope, Role::Annotate)?;
        let annotations = std::mem::take(&mut self.unit.annotations);
        let outer = self.scope;
        self.enter_unit(PyStr::new("__annotate__"), scope, Signature::hidden(1));
        self.check_format("format");
        self.emit(Op::BuildMap(0));
        for (name, annotation, condition) in annotations {
            let next = self.unit.assembler.label();
            if let Some(index) = condition {
                self.constant(Const::Int(PyInt::from(i64::from(index))));
                self.load_reached();
                self.emit(Op::Contains { negated: false });
                self.jump_on(false, next);
            }
            self.annotation_value(annotation)?;
            self.emit(Op::Copy(2));
            let name = self.mangle(name);
            self.string(&name);
            self.emit(Op::StoreSubscript);
            self.unit.assembler.place(next);
        }
        self.emit(Op::Return);
        let lowered = self.leave_unit(outer);
        match self.unit.annotate_const {
            Some(id) => self.unit.fill_constant(id, LoweredConst::Code(lowered)),
            None => {
                self.make_function(lowered, FunctionParts::default());
                self.store(&"__annotate_func__".into());
            }
        }
        Ok(())
    }

    /// `target: annotation = value`
    pub(super) fn annotated(
        &mut self,
        target: &'a Expr,
        simple: bool,
        annotation: &'a Expr,
        value: Option<&'a Expr>,
    ) -> Done {
        if let Some(value) = value {
            self.expr(value)?;
            self.assign(target)?;
        }
        let in_function = self.unit.kind == ScopeKind::Function;
        match &target.kind {
            ExprKind::Name(_) if in_function => {}
            ExprKind::Name(name) if simple && self.defers() => {
                let conditional = self.unit.kind == ScopeKind::Module || self.conditional > 0;
                let index = conditional.then_some(self.unit.conditional_annotations);
                self.unit.annotations.push((name, annotation, index));
                if let Some(index) = index {
                    self.unit.conditional_annotations += 1;
                    self.access_conditional(false);
                    self.constant(Const::Int(PyInt::from(i64::from(index))));
                    self.emit_all([Op::SetAdd(1), Op::Pop]);
                }
            }
            ExprKind::Name(name) if simple => {
                self.annotation_value(annotation)?;
                self.load(&"__annotations__".into());
                let name = self.mangle(name);
                self.string(&name);
                self.emit(Op::StoreSubscript);
            }
            kind => {
                if value.is_none() {
                    let parts: &[&Expr] = match kind {
                        ExprKind::Attribute { value, .. } => &[value],
                        ExprKind::Subscript { value, index } => &[value, index],
                        _ => &[],
                    };
                    for part in parts {
                        self.expr(part)?;
                        self.emit(Op::Pop);
                    }
                }
                let is_evaluated = !self.future_annotations || self.compiler().looks_into_annotation_texts;
                if !in_function && is_evaluated && !self.defers() {
                    self.expr(annotation)?;
                    self.emit(Op::Pop);
                }
            }
        }
        Ok(())
    }
}
