//! The code generator's state: the code object under construction, and how a name is read and bound.

use std::borrow::Cow;

use depyf_bytecode::{Const, Features, NameId, Op, flags};
use depyf_syntax::ast::{self, Origin, Stmt, StmtKind};
use depyf_value::PyStr;

use super::assembler::Assembled;
use super::scope::{Meaning, Role, ScopeId, ScopeKind, Scopes, mangle, mention};
use super::symbols::{Builder, address};
use super::unit::{Signature, Unit};
use super::{
    DEEPEST, LowerError, LowerOptions, LowerResult, Lowered, LoweredConst, MOST_OPERATIONS, Optional,
    Surroundings,
};
use crate::names::CLASS_NAMESPACE;

pub(super) type Done = LowerResult<()>;

/// Lowers one tree.
pub(super) struct Generator<'a> {
    pub(super) options: &'a LowerOptions,
    pub(super) future_annotations: bool,
    pub(super) scopes: Scopes,
    /// The scope that names are resolved in: the unit's, or a comprehension inlined in it.
    pub(super) scope: ScopeId,
    pub(super) unit: Box<Unit<'a>>,
    #[allow(clippy::vec_box, reason = "a unit is large, and is entered and left")]
    pub(super) outer: Vec<Box<Unit<'a>>>,
    pub(super) origin: Origin,
    /// Statements around this one in the same scope that run conditionally.
    pub(super) conditional: usize,
    /// Operations of the code objects that are finished.
    operations: usize,
    /// How many code objects have been started.
    units: u32,
    depth: usize,
    pub(super) optional: Optional,
    /// What stands before the qualified names of the outermost definitions.
    prefix: String,
    /// Expressions whose first operand is being lowered; see [`super::expressions`].
    pub(super) spine: Vec<&'a ast::Expr>,
    /// Code objects that are finished, whose memory is used again.
    #[allow(clippy::vec_box, reason = "as those around")]
    spare: Vec<Box<Unit<'a>>>,
}

/// What happens to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
    Delete,
}

/// See [`super::lower_module`].
pub(super) fn module(block: &[Stmt], options: &LowerOptions) -> LowerResult<Box<Lowered>> {
    let future = options.future_annotations || imports_future_annotations(block);
    let mut builder = Builder::new(&options.compiler, future);
    builder.make_room();
    builder.block(block)?;
    let mut generator = Generator::new(builder.finish()?, 0, options, future, String::new());
    generator.module_body(block)?;
    Ok(generator.finish_unit())
}

/// See [`super::lower_function`].
pub(super) fn function(
    function: &ast::Function,
    surroundings: &Surroundings,
    options: &LowerOptions,
) -> LowerResult<Box<Lowered>> {
    let future = options.future_annotations;
    let mut builder = Builder::new(&options.compiler, future);
    builder.enter_surroundings(surroundings);
    let around = builder.current;
    builder.function(function)?;
    let prefix = surroundings.qualname_prefix.clone();
    let mut generator = Generator::new(builder.finish()?, around, options, future, prefix);
    generator.function_body(function)
}

fn imports_future_annotations(block: &[Stmt]) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StmtKind::ImportFrom { module: Some(module), names, level: 0, .. } => {
            *module == "__future__" && names.iter().any(|alias| alias.name == "annotations")
        }
        _ => false,
    })
}

impl<'a> Generator<'a> {
    fn new(scopes: Scopes, scope: ScopeId, options: &'a LowerOptions, future: bool, prefix: String) -> Self {
        let features = Features {
            six_value_handlers: false,
            finally_subroutines: false,
            send_drops_iterator: false,
            ..options.compiler.features
        };
        let kind = scopes.all[scope].kind;
        let mut unit = Box::new(Unit::new(PyStr::new("<module>"), scope, kind, features));
        unit.declare(&scopes);
        Self {
            options,
            future_annotations: future,
            scopes,
            scope,
            unit,
            outer: Vec::new(),
            origin: Origin::NONE,
            conditional: 0,
            operations: 0,
            units: 0,
            depth: 0,
            optional: Optional::default(),
            prefix,
            spine: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Whether the compiler of the version does something.
    pub(super) fn compiler(&self) -> &'a depyf_bytecode::CompilerFeatures {
        &self.options.compiler
    }

    #[cold]
    pub(super) fn error<T>(&self, message: impl Into<String>) -> LowerResult<T> {
        Err(Box::new(LowerError { message: message.into(), origin: self.origin }))
    }

    /// What follows comes of the statement or expression with this origin; see [`LowerOptions::is_unprinted`].
    pub(super) fn come_to(&mut self, origin: Origin) {
        if !self.options.is_unprinted {
            self.origin = origin;
        }
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.unit.assembler.emit(op, self.origin);
    }

    pub(super) fn emit_all(&mut self, ops: impl IntoIterator<Item = Op>) {
        ops.into_iter().for_each(|op| self.emit(op));
    }

    /// Counts one level of nesting; `shallower` takes it back where no error ends everything.
    pub(super) fn deeper(&mut self) -> Done {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error("the source is nested too deeply");
        }
        if self.operations + self.unit.assembler.len() > MOST_OPERATIONS {
            return self.error("the copies of `finally` bodies make the code too large");
        }
        Ok(())
    }

    /// Whether calling the function makes something that is resumed.
    pub(super) fn is_resumed(&self) -> bool {
        let scope = &self.scopes.all[self.unit.scope];
        scope.kind == ScopeKind::Function && (scope.is_generator || scope.is_async)
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn constant(&mut self, value: Const) {
        let op = self.unit.constant(LoweredConst::Value(value));
        self.emit(op);
    }

    pub(super) fn none(&mut self) {
        self.constant(Const::None);
    }

    pub(super) fn string(&mut self, text: &PyStr) {
        self.constant(Const::Str(text.clone()));
    }

    pub(super) fn name_id(&mut self, name: &PyStr) -> NameId {
        self.unit.name_id(name)
    }

    /// An attribute or import: mangled, but no variable.
    pub(super) fn mangled_id(&mut self, name: &PyStr) -> NameId {
        let name = mangle(self.scopes.all[self.scope].class_name.as_ref(), name);
        self.unit.name_id(&name)
    }

    pub(super) fn mangle<'n>(&self, name: &'n PyStr) -> Cow<'n, PyStr> {
        mangle(self.scopes.all[self.scope].class_name.as_ref(), name)
    }

    /// The scope that a node makes.
    pub(super) fn scope_of<T>(&self, node: &T, role: Role) -> LowerResult<ScopeId> {
        self.scope_at(address(node), role)
    }

    pub(super) fn scope_at(&self, key: usize, role: Role) -> LowerResult<ScopeId> {
        match self.scopes.by_node.get(&(key, role)) {
            Some(&scope) => Ok(scope),
            None => self.error("a scope was not found"),
        }
    }

    pub(super) fn load(&mut self, name: &PyStr) {
        self.access(name, Access::Load);
    }

    pub(super) fn store(&mut self, name: &PyStr) {
        self.access(name, Access::Store);
    }

    /// Reads, binds or deletes a variable.
    pub(super) fn access(&mut self, name: &PyStr, access: Access) {
        let here = &self.scopes.all[self.scope];
        let name = &*mangle(here.class_name.as_ref(), name);
        let sees_class = here.sees_class.is_some();
        let inlined = self.scope != self.unit.scope;
        let found = here.find(name);
        let symbol = found.map(|at| &here.symbols[at]);
        if access == Access::Load
            && let Some((unit, op)) = symbol.and_then(|symbol| symbol.read_by)
            && unit == self.unit.number
        {
            return self.emit(op);
        }
        match symbol.and_then(|symbol| symbol.meaning).unwrap_or(Meaning::Global) {
            Meaning::Own(owner) if self.scopes.all[owner].kind == ScopeKind::Function => {
                let cell = match symbol {
                    Some(symbol) if owner == self.scope => symbol.cell,
                    _ => self.scopes.is_cell(owner, name),
                };
                // The namespace of a class around is read before the scope's own cells, too, but not before its locals.
                let reads_class = cell && sees_class && access == Access::Load;
                if reads_class {
                    self.load(&CLASS_NAMESPACE.into());
                }
                let id = self.known_as(found, |unit| unit.variable(name, cell));
                let op = match (access, cell) {
                    (Access::Load, true) if reads_class => Op::LoadFromDictOrDeref(id),
                    (Access::Load, false) => Op::LoadLocal(id),
                    (Access::Store, false) => Op::StoreLocal(id),
                    (Access::Delete, false) => Op::DeleteLocal(id),
                    (Access::Load, true) => Op::LoadDeref(id),
                    (Access::Store, true) => Op::StoreDeref(id),
                    (Access::Delete, true) => Op::DeleteDeref(id),
                };
                if reads_class { self.emit(op) } else { self.emit_access(found, access, op) }
            }
            Meaning::Free => {
                let id = self.known_as(found, |unit| unit.free(name));
                match access {
                    Access::Load if self.unit.kind == ScopeKind::Class && !inlined => {
                        if self.compiler().class_namespace_cell {
                            self.emit_all([Op::LoadLocals, Op::LoadFromDictOrDeref(id)]);
                        } else {
                            self.emit(Op::LoadClassDeref(id));
                        }
                    }
                    Access::Load if sees_class && *name != CLASS_NAMESPACE => {
                        self.load(&CLASS_NAMESPACE.into());
                        self.emit(Op::LoadFromDictOrDeref(id));
                    }
                    Access::Load => self.emit_access(found, access, Op::LoadDeref(id)),
                    Access::Store => self.emit(Op::StoreDeref(id)),
                    Access::Delete => self.emit(Op::DeleteDeref(id)),
                }
            }
            Meaning::Global
                if self.unit.kind == ScopeKind::Function
                    && sees_class
                    && access == Access::Load
                    && *name != CLASS_NAMESPACE =>
            {
                self.load(&CLASS_NAMESPACE.into());
                let id = self.name_id(name);
                self.emit(Op::LoadFromDictOrGlobals(id));
            }
            meaning => {
                let id = self.known_as(found, |unit| unit.name_id(name));
                let global = match meaning {
                    // The target of `:=` is declared in the comprehension as well.
                    Meaning::ExplicitGlobal
                        if inlined
                            && access == Access::Load
                            && self.unit.kind == ScopeKind::Module
                            && !self.declares_global(found) =>
                    {
                        self.compiler().comprehensions_see_declarations
                    }
                    Meaning::ExplicitGlobal => true,
                    Meaning::Global => {
                        self.unit.kind == ScopeKind::Function
                            || (self.unit.kind == ScopeKind::Class && inlined && access == Access::Load)
                    }
                    _ => false,
                };
                let op = match (access, global) {
                    (Access::Load, true) => Op::LoadGlobal(id),
                    (Access::Store, true) => Op::StoreGlobal(id),
                    (Access::Delete, true) => Op::DeleteGlobal(id),
                    (Access::Load, false) => Op::LoadName(id),
                    (Access::Store, false) => Op::StoreName(id),
                    (Access::Delete, false) => Op::DeleteName(id),
                };
                self.emit_access(found, access, op);
            }
        }
    }

    /// Whether a symbol is declared as global in the very scope that it is of.
    fn declares_global(&self, symbol: Option<usize>) -> bool {
        let symbol = symbol.and_then(|at| self.scopes.all[self.scope].symbols.get(at));
        symbol.is_some_and(|symbol| symbol.mentions & mention::GLOBAL != 0)
    }

    /// Emits the one operation that an access takes, and notes it for later reads of the symbol.
    fn emit_access(&mut self, symbol: Option<usize>, access: Access, op: Op) {
        if access == Access::Load
            && let Some(symbol) = symbol.and_then(|at| self.scopes.all[self.scope].symbols.get_mut(at))
        {
            symbol.read_by = Some((self.unit.number, op));
        }
        self.emit(op);
    }

    /// The number that `number` gives to a symbol of the scope in this code object, where it is not known yet.
    fn known_as(&mut self, symbol: Option<usize>, number: impl FnOnce(&mut Unit<'a>) -> u32) -> u32 {
        let symbol = symbol.and_then(|at| self.scopes.all[self.scope].symbols.get_mut(at));
        let Some(symbol) = symbol else { return number(&mut self.unit) };
        match symbol.known_as {
            Some((unit, known)) if unit == self.unit.number => known,
            _ => {
                let known = number(&mut self.unit);
                symbol.known_as = Some((self.unit.number, known));
                known
            }
        }
    }

    /// Pushes the cell of a variable for a closure.
    pub(super) fn load_closure(&mut self, name: &PyStr) {
        // The variable is this unit's, in the scope or one inlined around it, or comes from outside.
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if self.scopes.is_cell(scope, name) && self.scopes.all[scope].kind == ScopeKind::Function {
                let id = self.unit.variable(name, true);
                return self.emit(Op::LoadClosure(id));
            }
            if self.scopes.all[scope].class_cells.contains(name) {
                let id = self.unit.class_cell(name);
                return self.emit(Op::LoadClosure(id));
            }
            if scope == self.unit.scope {
                break;
            }
            at = self.scopes.all[scope].parent;
        }
        let id = self.unit.free(name);
        self.emit(Op::LoadClosure(id));
    }

    /// The qualified name of the code object under construction.
    pub(super) fn qualname(&self) -> String {
        let mut units = self.outer.iter().chain([&self.unit]).map(|unit| &**unit);
        let Some(mut around) = units.next() else { return String::new() };
        let mut found = self.prefix.clone();
        let mut text = String::new();
        for unit in units {
            let own = unit.name.to_lossy();
            let global = matches!(self.scopes.meaning(around.scope, &unit.name), Meaning::ExplicitGlobal);
            text = match around.kind {
                _ if global => own,
                ScopeKind::Module => own,
                ScopeKind::Class => format!("{found}.{own}"),
                ScopeKind::Function if around.name == "<module>" => format!("{found}{own}"),
                ScopeKind::Function => format!("{found}.<locals>.{own}"),
            };
            // What has type parameters is named as if it stood around these.
            if !unit.is_type_params {
                found.clone_from(&text);
                around = unit;
            }
        }
        text
    }

    /// Starts a code object.
    pub(super) fn enter_unit(&mut self, name: PyStr, scope: ScopeId, signature: Signature) {
        let kind = self.scopes.all[scope].kind;
        let mut unit = match self.spare.pop() {
            Some(mut spare) => {
                spare.restart(name, scope, kind);
                spare
            }
            None => Box::new(Unit::new(name, scope, kind, self.unit.assembler.features())),
        };
        self.units += 1;
        unit.number = self.units;
        unit.origin = self.origin;
        unit.signature = signature;
        unit.declare(&self.scopes);
        self.outer.push(std::mem::replace(&mut self.unit, unit));
        self.scope = scope;
    }

    /// Ends a code object and goes back to the one around it.
    pub(super) fn leave_unit(&mut self, scope: ScopeId) -> Box<Lowered> {
        let lowered = self.finish_unit();
        self.origin = lowered.origin;
        if let Some(outer) = self.outer.pop() {
            self.spare.push(std::mem::replace(&mut self.unit, outer));
        }
        self.scope = scope;
        lowered
    }

    // In its place at once: a code object is large, and goes through several hands.
    fn finish_unit(&mut self) -> Box<Lowered> {
        let features = self.unit.assembler.features();
        let Assembled { ops, regions, joins, origins } = self.unit.assembler.finish();
        self.operations += ops.len();
        let scope = &self.scopes.all[self.unit.scope];
        let mut flags = self.unit.signature.flags;
        if scope.kind == ScopeKind::Function {
            flags |= flags::OPTIMIZED | flags::NEWLOCALS;
            flags |= match (scope.is_generator, scope.is_async) {
                (true, true) => flags::ASYNC_GENERATOR,
                (true, false) => flags::GENERATOR,
                (false, true) => flags::COROUTINE,
                (false, false) => 0,
            };
        }
        let unit = &mut self.unit;
        Box::new(Lowered {
            name: unit.name.clone(),
            origin: unit.origin,
            definition: scope.definition,
            argcount: unit.signature.argcount,
            posonlyargcount: unit.signature.posonlyargcount,
            kwonlyargcount: unit.signature.kwonlyargcount,
            flags,
            docstring: unit.docstring.take(),
            is_deferred: unit.is_deferred,
            ops,
            regions,
            joins,
            variables: std::mem::take(&mut unit.variables),
            features,
            names: std::mem::take(&mut unit.names),
            consts: std::mem::take(&mut unit.consts),
            locations: origins,
            optional: self.optional,
        })
    }

    /// `return None` at the end of a body.
    pub(super) fn return_none(&mut self) {
        self.none();
        self.emit(Op::Return);
    }

    fn module_body(&mut self, block: &'a [Stmt]) -> Done {
        self.start_annotations()?;
        let block = self.stored_docstring(block);
        self.block(block)?;
        self.finish_annotations()?;
        self.return_none();
        Ok(())
    }
}
