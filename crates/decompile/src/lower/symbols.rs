//! Fills the scopes: which names each scope uses, binds and declares.

use depyf_bytecode::CompilerFeatures;
use depyf_syntax::ast::{Alias, Class, Expr, ExprKind, Function, Origin, Params, Stmt, StmtKind, TypeParam};
use depyf_value::PyStr;

use super::scope::{Role, Scope, ScopeId, ScopeKind, Scopes, mangle, mention};
use super::{DEEPEST, LowerError, LowerResult, Surroundings};
use crate::names::{CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS};

/// Most modules have fewer functions and classes than this.
const USUAL: usize = 128;

/// Walks the tree once.
pub(super) struct Builder<'o> {
    pub(super) scopes: Scopes,
    pub(super) current: ScopeId,
    pub(super) compiler: &'o CompilerFeatures,
    /// Annotations are text: their names are looked up by nobody.
    future_annotations: bool,
    pub(super) depth: usize,
    /// Statements around this one in the same scope that run conditionally.
    conditional: usize,
    /// The definition that is visited, see [`super::Lowered::definition`].
    definition: u32,
    /// How many have been met.
    definitions: u32,
}

pub(super) type Done = LowerResult<()>;

/// The address of a node, the key of the scope that it makes.
pub(super) fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

impl<'o> Builder<'o> {
    pub(super) fn new(compiler: &'o CompilerFeatures, future_annotations: bool) -> Self {
        let hides_globals = compiler.comprehensions_hide_globals;
        let mut scopes = Scopes { hides_globals, ..Scopes::default() };
        scopes.all.push(Scope::new(ScopeKind::Module, None, None));
        Self {
            scopes,
            current: 0,
            compiler,
            future_annotations,
            depth: 0,
            conditional: 0,
            definition: 0,
            definitions: 1,
        }
    }

    /// Makes room for the scopes of a module.
    pub(super) fn make_room(&mut self) {
        self.scopes.all.reserve(USUAL);
        self.scopes.by_node.reserve(USUAL);
    }

    /// A scope that stands for all functions around.
    pub(super) fn enter_surroundings(&mut self, surroundings: &Surroundings) {
        (self.definition, self.definitions) = (surroundings.definitions, surroundings.definitions + 1);
        let mut scope = Scope::new(ScopeKind::Function, Some(0), surroundings.class_name.clone());
        for name in &surroundings.free {
            scope.symbol_mut(name).mentions |= mention::PARAMETER;
        }
        self.scopes.all.push(scope);
        self.current = self.scopes.all.len() - 1;
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        &mut self.scopes.all[self.current]
    }

    pub(super) fn mention(&mut self, name: &PyStr, how: u8) {
        let scope = &mut self.scopes.all[self.current];
        let name = mangle(scope.class_name.as_ref(), name);
        scope.symbol_mut(&name).mentions |= how;
    }

    pub(super) fn deeper(&mut self, origin: Origin) -> Done {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = "the source is nested too deeply".to_owned();
            return Err(Box::new(LowerError { message, origin }));
        }
        Ok(())
    }

    /// Visits what is in a new scope.
    pub(super) fn within(
        &mut self,
        node: usize,
        role: Role,
        kind: ScopeKind,
        class_name: Option<PyStr>,
        visit: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        let outer = self.current;
        let conditional = std::mem::take(&mut self.conditional);
        let around = &self.scopes.all[outer];
        let mut scope = Scope::new(kind, Some(outer), class_name);
        scope.definition = self.definition;
        let class_around = if around.kind == ScopeKind::Class { Some(outer) } else { around.sees_class };
        let sees_class = match role {
            Role::TypeParams | Role::Bound | Role::Default | Role::AliasValue => true,
            // Text looks nothing up.
            Role::Annotate => !self.future_annotations,
            _ => false,
        };
        if sees_class && let Some(class) = class_around {
            scope.sees_class = Some(class);
            scope.symbol_mut(&CLASS_NAMESPACE.into()).mentions |= mention::USED;
        }
        self.scopes.all.push(scope);
        self.current = self.scopes.all.len() - 1;
        self.scopes.by_node.insert((node, role), self.current);
        let result = visit(self);
        self.current = outer;
        self.conditional = conditional;
        result
    }

    pub(super) fn class_name(&self) -> Option<PyStr> {
        self.scopes.all[self.current].class_name.clone()
    }

    pub(super) fn block(&mut self, block: &[Stmt]) -> Done {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    /// A block that may not run.
    fn branch(&mut self, block: &[Stmt]) -> Done {
        self.conditional += 1;
        let result = self.block(block);
        self.conditional -= 1;
        result
    }

    fn statement(&mut self, statement: &Stmt) -> Done {
        self.deeper(statement.origin)?;
        self.statement_kind(statement)?;
        self.depth -= 1;
        Ok(())
    }

    fn statement_kind(&mut self, statement: &Stmt) -> Done {
        match &statement.kind {
            StmtKind::Expr(value) => self.load(value),
            StmtKind::Assign { targets, value } => {
                self.load(value)?;
                targets.iter().try_for_each(|target| self.store(target))
            }
            StmtKind::AugAssign { target, value, .. } => {
                self.load(target)?;
                self.store(target)?;
                self.load(value)
            }
            StmtKind::AnnAssign { target, annotation, value, simple } => {
                if *simple || value.is_some() || !matches!(target.kind, ExprKind::Name(_)) {
                    self.store(target)?;
                }
                self.annotated(*simple, annotation)?;
                self.maybe(value.as_ref())
            }
            StmtKind::Delete(targets) => targets.iter().try_for_each(|target| self.store(target)),
            StmtKind::Pass | StmtKind::Break | StmtKind::Continue | StmtKind::Comment(_) => Ok(()),
            StmtKind::SameLine | StmtKind::Goto(_) | StmtKind::Label(_) => Ok(()),
            StmtKind::Return(value) => self.maybe(value.as_ref()),
            StmtKind::Raise { exc, cause } => {
                self.maybe(exc.as_ref())?;
                self.maybe(cause.as_ref())
            }
            StmtKind::Assert { test, message } => {
                self.load(test)?;
                self.maybe(message.as_ref())
            }
            StmtKind::Import { names, .. } | StmtKind::ImportFrom { names, .. } => {
                names.iter().for_each(|alias| self.import(alias));
                Ok(())
            }
            StmtKind::Global(names) => {
                for name in names {
                    self.mention(name, mention::GLOBAL);
                    // The module itself reads and binds such a name as a global, too.
                    let name = mangle(self.class_name().as_ref(), name);
                    self.scopes.all[0].symbol_mut(&name).mentions |= mention::GLOBAL;
                }
                Ok(())
            }
            StmtKind::Nonlocal(names) => {
                names.iter().for_each(|name| self.mention(name, mention::NONLOCAL));
                Ok(())
            }
            StmtKind::If { .. } => self.if_chain(statement),
            StmtKind::While { test, body, orelse } => {
                self.load(test)?;
                self.branch(body)?;
                self.branch(orelse)
            }
            StmtKind::For { target, iter, body, orelse, .. } => {
                self.store(target)?;
                self.load(iter)?;
                self.branch(body)?;
                self.branch(orelse)
            }
            StmtKind::With { items, body, .. } => {
                for item in items {
                    self.load(&item.context)?;
                    if let Some(target) = &item.target {
                        self.store(target)?;
                    }
                }
                self.branch(body)
            }
            StmtKind::Try(statement) => {
                self.branch(&statement.body)?;
                for handler in &statement.handlers {
                    self.maybe(handler.kind.as_ref())?;
                    if let Some(name) = &handler.name {
                        self.mention(name, mention::ASSIGNED);
                    }
                    self.branch(&handler.body)?;
                }
                self.branch(&statement.orelse)?;
                self.branch(&statement.finalbody)
            }
            StmtKind::Match { subject, cases } => {
                self.load(subject)?;
                for case in cases {
                    self.pattern(&case.pattern, statement.origin)?;
                    self.maybe(case.guard.as_ref())?;
                    self.branch(&case.body)?;
                }
                Ok(())
            }
            StmtKind::Function(function) => self.in_definition(|builder| builder.definition(function)),
            StmtKind::Class(class) => self.in_definition(|builder| builder.class(class)),
            StmtKind::TypeAlias { name, type_params, value } => {
                self.mention(name, mention::ASSIGNED);
                let class_name = self.class_name();
                let inner = |builder: &mut Self| builder.lazy(address(statement), Role::AliasValue, value);
                if type_params.is_empty() {
                    return inner(self);
                }
                self.within(
                    address(statement),
                    Role::TypeParams,
                    ScopeKind::Function,
                    class_name,
                    |builder| {
                        builder.type_params(type_params)?;
                        inner(builder)
                    },
                )
            }
        }
    }

    /// Visits the statement that defines a function or class.
    fn in_definition(&mut self, visit: impl FnOnce(&mut Self) -> Done) -> Done {
        let around = std::mem::replace(&mut self.definition, self.definitions);
        self.definitions += 1;
        visit(self)?;
        self.definition = around;
        Ok(())
    }

    fn if_chain(&mut self, statement: &Stmt) -> Done {
        let mut next = statement;
        while let StmtKind::If { test, body, orelse } = &next.kind {
            self.load(test)?;
            self.branch(body)?;
            match &orelse[..] {
                [only @ Stmt { kind: StmtKind::If { .. }, .. }] => next = only,
                _ => return self.branch(orelse),
            }
        }
        Ok(())
    }

    fn import(&mut self, alias: &Alias) {
        let bytes = alias.name.as_wtf8();
        match &alias.asname {
            _ if bytes == b"*" => {}
            Some(name) => self.mention(name, mention::ASSIGNED),
            None => {
                let first = bytes.split(|&byte| byte == b'.').next().unwrap_or(bytes);
                if let Some(first) = PyStr::from_wtf8(first) {
                    self.mention(&first, mention::ASSIGNED);
                }
            }
        }
    }

    /// The annotation of a name, or of something else: then nothing keeps it, but the body looks as if something did.
    fn annotated(&mut self, simple: bool, annotation: &Expr) -> Done {
        let deferred = self.compiler.features.deferred_annotations;
        let kind = self.scope().kind;
        if kind != ScopeKind::Function {
            self.scope().has_annotations = true;
            self.scope().annotates_names |= simple;
            let conditional = self.conditional > 0;
            if deferred && (kind == ScopeKind::Module || conditional) {
                self.scope().conditional_annotations = true;
            }
            if deferred && !self.future_annotations {
                return self.in_annotate(annotation);
            }
        }
        if self.future_annotations && !self.compiler.looks_into_annotation_texts || deferred {
            return Ok(());
        }
        self.load(annotation)
    }

    /// An annotation of a class or module, which all share one `__annotate__`.
    fn in_annotate(&mut self, annotation: &Expr) -> Done {
        let (outer, key) = (self.current, (self.current, Role::Annotate));
        // The key of this scope is the number of the scope around it: no node has such an address.
        match self.scopes.by_node.get(&key) {
            Some(&scope) => {
                self.current = scope;
                let result = self.load(annotation);
                self.current = outer;
                result
            }
            None => {
                let class_name = self.class_name();
                self.within(outer, Role::Annotate, ScopeKind::Function, class_name, |builder| {
                    builder.mention(&"format".into(), mention::PARAMETER);
                    // The names of annotations under a condition are looked up here.
                    builder.load(annotation)
                })
            }
        }
    }

    /// Tells `__annotate__` scopes about the set of conditional annotations, once all are known.
    pub(super) fn finish(mut self) -> LowerResult<Scopes> {
        for scope in 0..self.scopes.all.len() {
            if !self.scopes.all[scope].conditional_annotations {
                continue;
            }
            let name = CONDITIONAL_ANNOTATIONS.into();
            if self.scopes.all[scope].kind == ScopeKind::Module {
                self.scopes.all[scope].symbol_mut(&name).mentions |= mention::ASSIGNED;
            }
            if let Some(&annotate) = self.scopes.by_node.get(&(scope, Role::Annotate)) {
                self.scopes.all[annotate].symbol_mut(&name).mentions |= mention::USED;
                self.scopes.all[annotate].asks_what_was_reached = true;
            }
            if self.scopes.all[scope].kind == ScopeKind::Class {
                // The class itself mentions the name, too: a class around it provides a cell for that.
                self.scopes.all[scope].symbol_mut(&name).mentions |= mention::USED;
                self.scopes.all[scope].class_cells.push(name);
            }
        }
        self.scopes.resolve()?;
        Ok(self.scopes)
    }

    pub(super) fn defaults(&mut self, params: &Params) -> Done {
        let all = params.posonly.iter().chain(&params.regular).chain(&params.kwonly);
        all.filter_map(|param| param.default.as_ref()).try_for_each(|default| self.load(default))
    }

    pub(super) fn params(&mut self, params: &Params) {
        let positional = params.posonly.iter().chain(&params.regular).chain(&params.kwonly);
        for param in positional.chain(params.vararg.as_deref()).chain(params.kwarg.as_deref()) {
            self.mention(&param.name, mention::PARAMETER);
        }
    }

    fn definition(&mut self, function: &Function) -> Done {
        self.mention(&function.name, mention::ASSIGNED);
        function.decorators.iter().try_for_each(|decorator| self.load(decorator))?;
        self.defaults(&function.params)?;
        if function.type_params.is_empty() {
            return self.function(function);
        }
        let class_name = self.class_name();
        let node = address(function);
        self.within(node, Role::TypeParams, ScopeKind::Function, class_name, |builder| {
            // The first is there in any case: where there are only keyword defaults, they come as it.
            builder.mention(&".defaults".into(), mention::PARAMETER);
            let (_, keyword_defaults) = super::functions::has_defaults(&function.params);
            if keyword_defaults {
                builder.mention(&".kwdefaults".into(), mention::PARAMETER);
            }
            builder.type_params(&function.type_params)?;
            builder.function(function)
        })
    }

    /// A function's annotations and body.
    pub(super) fn function(&mut self, function: &Function) -> Done {
        let annotations = super::functions::annotations(function, self.compiler);
        let class_name = self.class_name();
        let is_text = self.future_annotations && !self.compiler.looks_into_annotation_texts;
        let visit = |builder: &mut Self| match is_text {
            true => Ok(()),
            false => annotations.iter().try_for_each(|(_, annotation)| builder.load(annotation)),
        };
        // The scope is there without annotations, too, and so a class gives its namespace a cell.
        if self.compiler.features.deferred_annotations {
            let class_name = class_name.clone();
            self.within(address(function), Role::Annotate, ScopeKind::Function, class_name, |builder| {
                builder.mention(&"format".into(), mention::PARAMETER);
                visit(builder)
            })?;
        } else {
            visit(self)?;
        }
        self.within(address(function), Role::Function, ScopeKind::Function, class_name, |builder| {
            builder.scope().is_async = function.is_async;
            builder.params(&function.params);
            builder.block(&function.body)
        })
    }

    fn class(&mut self, class: &Class) -> Done {
        self.mention(&class.name, mention::ASSIGNED);
        class.decorators.iter().try_for_each(|decorator| self.load(decorator))?;
        let generic = !class.type_params.is_empty();
        let private = Some(class.name.clone());
        let inner = |builder: &mut Self| -> Done {
            class.bases.iter().try_for_each(|base| builder.load(base))?;
            class.keywords.iter().try_for_each(|keyword| builder.load(&keyword.value))?;
            let private = Some(class.name.clone());
            builder.within(address(class), Role::Class, ScopeKind::Class, private, |builder| {
                if generic {
                    builder.mention(&".type_params".into(), mention::USED);
                }
                builder.block(&class.body)
            })
        };
        if !generic {
            return inner(self);
        }
        self.within(address(class), Role::TypeParams, ScopeKind::Function, private, |builder| {
            builder.mention(&".type_params".into(), mention::ASSIGNED);
            builder.mention(&".generic_base".into(), mention::ASSIGNED);
            builder.type_params(&class.type_params)?;
            inner(builder)
        })
    }

    fn type_params(&mut self, params: &[TypeParam]) -> Done {
        for param in params {
            self.mention(&param.name, mention::ASSIGNED);
            if let Some(bound) = &param.bound {
                self.lazy(address(param), Role::Bound, bound)?;
            }
            if let Some(default) = &param.default {
                self.lazy(address(param), Role::Default, default)?;
            }
        }
        Ok(())
    }

    /// An expression that is a function of its own.
    fn lazy(&mut self, node: usize, role: Role, value: &Expr) -> Done {
        let class_name = self.class_name();
        let takes_format = self.compiler.type_parameters_take_format;
        self.within(node, role, ScopeKind::Function, class_name, |builder| {
            if takes_format {
                builder.mention(&".format".into(), mention::PARAMETER);
            }
            builder.load(value)
        })
    }
}
