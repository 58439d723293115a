//! Classes.

use depyf_bytecode::{CallLayout, Const, FunctionParts, Intrinsic1, Op};
use depyf_syntax::ast::{Class, Expr, ExprKind};
use depyf_value::{PyInt, PyStr};

use super::generator::{Done, Generator};
use super::scope::{Role, ScopeKind};
use super::symbols::address;
use super::unit::Signature;
use super::{LowerResult, Lowered};
use crate::names::{CLASS_CELL, CLASS_NAMESPACE};

impl<'a> Generator<'a> {
    pub(super) fn class(&mut self, class: &'a Class) -> Done {
        class.decorators.iter().try_for_each(|decorator| self.expr(decorator))?;
        if class.type_params.is_empty() {
            self.build_class(class, false)?;
        } else {
            let outer = self.scope;
            self.enter_type_params(address(class), &class.name, Signature::default())?;
            self.type_params(&class.type_params)?;
            self.store(&".type_params".into());
            self.build_class(class, true)?;
            self.emit(Op::Return);
            let hidden = self.leave_unit(outer);
            self.make_function(hidden, FunctionParts::default());
            self.emit(Op::Call { positional: 0, layout: CallLayout::Plain });
        }
        self.decorate(&class.decorators);
        self.store(&class.name);
        Ok(())
    }

    /// `__build_class__(body, name, *bases, **keywords)`
    fn build_class(&mut self, class: &'a Class, generic: bool) -> Done {
        self.emit(Op::LoadBuildClass);
        let lowered = self.class_body(class, generic)?;
        self.make_function(lowered, FunctionParts::default());
        self.string(&class.name);
        if generic {
            self.load(&".type_params".into());
            self.emit(Op::Intrinsic1(Intrinsic1::SubscriptGeneric));
            self.store(&".generic_base".into());
        }
        self.call_with(2, &class.bases, &class.keywords, false, generic)
    }

    fn class_body(&mut self, class: &'a Class, generic: bool) -> LowerResult<Box<Lowered>> {
        let scope = self.scope_of(class, Role::Class)?;
        let outer = self.scope;
        let conditional = std::mem::take(&mut self.conditional);
        self.enter_unit(class.name.clone(), scope, Signature::default());
        self.load(&"__name__".into());
        self.store(&"__module__".into());
        let qualname = PyStr::new(&self.qualname());
        self.string(&qualname);
        self.store(&"__qualname__".into());
        let facts = self.compiler().class_facts;
        if facts {
            self.constant(Const::Int(PyInt::from(0)));
            self.store(&"__firstlineno__".into());
        }
        if generic {
            self.load(&".type_params".into());
            self.store(&"__type_params__".into());
        }
        let cells = self.scopes.all[scope].class_cells.clone();
        let cell = |name: &str| cells.iter().find(|cell| **cell == *name).cloned();
        let namespace = cell(CLASS_NAMESPACE);
        if let Some(name) = &namespace {
            let id = self.unit.class_cell(name);
            self.emit_all([Op::LoadLocals, Op::StoreDeref(id)]);
        }
        self.start_annotations()?;
        let body = self.stored_docstring(&class.body);
        self.block(body)?;
        self.finish_annotations()?;
        if facts {
            let attributes = std::mem::take(&mut self.unit.static_attributes);
            let attributes = attributes.iter().filter_map(|name| PyStr::from_wtf8(name)).map(Const::Str);
            let attributes: Vec<Const> = attributes.collect();
            self.constant(Const::Tuple(attributes.into()));
            self.store(&"__static_attributes__".into());
        }
        if let Some(name) = &namespace {
            let id = self.unit.class_cell(name);
            self.emit(Op::LoadClosure(id));
            self.store(&"__classdictcell__".into());
        }
        match cell(CLASS_CELL) {
            Some(name) => {
                let id = self.unit.class_cell(&name);
                self.emit_all([Op::LoadClosure(id), Op::Copy(1)]);
                self.store(&"__classcell__".into());
                self.emit(Op::Return);
            }
            None => self.return_none(),
        }
        self.conditional = conditional;
        Ok(self.leave_unit(outer))
    }

    /// A method assigns to an attribute of `self`: the class around lists it.
    pub(super) fn note_static_attribute(&mut self, object: &Expr, attr: &PyStr) {
        if !self.compiler().class_facts {
            return;
        }
        let is_self = matches!(&object.kind, ExprKind::Name(name) if *name == "self");
        let class = self.outer.iter_mut().rev().find(|unit| unit.kind == ScopeKind::Class);
        if let Some(class) = class.filter(|_| is_self) {
            class.static_attributes.insert(attr.as_wtf8().to_vec());
        }
    }
}
