//! One code object under construction: its variables, names and constants.

use std::collections::BTreeSet;

use depyf_bytecode::{Features, NameId, Op, VarId, Variable, VariableKind, flags};
use depyf_syntax::ast::{self, Origin, Params};
use depyf_value::PyStr;

use crate::index::{Index, make_room};

use super::LoweredConst;
use super::assembler::Assembler;
use super::exceptions::Frame;
use super::scope::{ScopeId, ScopeKind, Scopes, mention};

/// One code object under construction.
pub(super) struct Unit<'a> {
    pub(super) name: PyStr,
    /// Counts the code objects of a tree.
    pub(super) number: u32,
    /// The origin of the statement or expression that makes the code object.
    pub(super) origin: Origin,
    pub(super) scope: ScopeId,
    pub(super) kind: ScopeKind,
    pub(super) is_type_params: bool,
    pub(super) is_deferred: bool,
    pub(super) assembler: Assembler,
    pub(super) frames: Vec<Frame<'a>>,
    pub(super) variables: Vec<Variable>,
    /// The variables of this code object, and those whose cells come from outside.
    variable_index: [Index; 2],
    /// How many values of patterns are held in variables of their own.
    pub(super) match_values: u32,
    pub(super) names: Vec<PyStr>,
    name_index: Index,
    pub(super) consts: Vec<LoweredConst>,
    pub(super) signature: Signature,
    pub(super) docstring: Option<PyStr>,
    /// What methods assign to `self`, if this is a class.
    pub(super) static_attributes: BTreeSet<Vec<u8>>,
    /// Annotations so far, if this is a class or module.
    pub(super) annotations: Vec<(&'a PyStr, &'a ast::Expr, Option<u32>)>,
    /// How many annotations stood under a condition.
    pub(super) conditional_annotations: u32,
    /// The constant that will be the `__annotate__` of this module.
    pub(super) annotate_const: Option<u32>,
}

/// The parameters' numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signature {
    pub(super) argcount: u32,
    pub(super) posonlyargcount: u32,
    pub(super) kwonlyargcount: u32,
    pub(super) flags: u32,
}

impl Signature {
    /// Positional-only parameters that the compiler itself makes.
    pub(super) fn hidden(count: u32) -> Self {
        Self { argcount: count, posonlyargcount: count, ..Self::default() }
    }

    pub(super) fn of(params: &Params) -> Self {
        let star = if params.vararg.is_some() { flags::VARARGS } else { 0 };
        let stars = if params.kwarg.is_some() { flags::VARKEYWORDS } else { 0 };
        Self {
            argcount: (params.posonly.len() + params.regular.len()) as u32,
            posonlyargcount: params.posonly.len() as u32,
            kwonlyargcount: params.kwonly.len() as u32,
            flags: star | stars,
        }
    }
}

impl Unit<'_> {
    pub(super) fn new(name: PyStr, scope: ScopeId, kind: ScopeKind, features: Features) -> Self {
        Self {
            name,
            number: 0,
            origin: Origin::NONE,
            scope,
            kind,
            is_type_params: false,
            is_deferred: false,
            assembler: Assembler::new(features),
            frames: Vec::new(),
            variables: Vec::new(),
            variable_index: Default::default(),
            names: Vec::new(),
            match_values: 0,
            name_index: Index::default(),
            consts: Vec::new(),
            signature: Signature::default(),
            docstring: None,
            static_attributes: BTreeSet::new(),
            annotations: Vec::new(),
            conditional_annotations: 0,
            annotate_const: None,
        }
    }

    /// Becomes another code object. What was finished is empty.
    pub(super) fn restart(&mut self, name: PyStr, scope: ScopeId, kind: ScopeKind) {
        self.name = name;
        self.scope = scope;
        self.kind = kind;
        self.is_type_params = false;
        self.is_deferred = false;
        self.frames.clear();
        self.variable_index.iter_mut().for_each(Index::clear);
        self.name_index.clear();
        self.match_values = 0;
        self.static_attributes.clear();
        self.annotations.clear();
        self.conditional_annotations = 0;
        self.annotate_const = None;
    }

    /// Makes the variables of the scope: parameters first, free variables last.
    pub(super) fn declare(&mut self, scopes: &Scopes) {
        let scope = &scopes.all[self.scope];
        if scope.kind == ScopeKind::Function {
            for parameters in [true, false] {
                for symbol in &scope.symbols {
                    let own = symbol.mentions & mention::BOUND != 0
                        && symbol.mentions & (mention::GLOBAL | mention::NONLOCAL) == 0;
                    if own && (symbol.mentions & mention::PARAMETER != 0) == parameters {
                        self.variable(&symbol.name, symbol.cell);
                    }
                }
            }
        }
        // What only a comprehension binds that runs in the function.
        if scope.kind == ScopeKind::Function {
            for symbol in scope.symbols.iter().filter(|symbol| symbol.cell && symbol.mentions == 0) {
                self.variable(&symbol.name, true);
            }
        }
        for name in &scope.class_cells {
            self.class_cell(name);
        }
        for name in scope.free_names() {
            self.free(&name);
        }
    }

    /// A variable of this code object.
    pub(super) fn variable(&mut self, name: &PyStr, cell: bool) -> VarId {
        let kind = if cell { VariableKind::Cell } else { VariableKind::Local };
        let id = self.find_variable(name, false, kind);
        if cell && let Some(variable) = self.variables.get_mut(id as usize) {
            variable.kind = kind;
        }
        id
    }

    /// A cell that a class makes for the functions in it.
    pub(super) fn class_cell(&mut self, name: &PyStr) -> VarId {
        self.find_variable(name, false, VariableKind::Cell)
    }

    /// A variable of a function around.
    pub(super) fn free(&mut self, name: &PyStr) -> VarId {
        self.find_variable(name, true, VariableKind::Free)
    }

    fn find_variable(&mut self, name: &PyStr, free: bool, kind: VariableKind) -> VarId {
        let index = &mut self.variable_index[usize::from(free)];
        let next = self.variables.len() as VarId;
        let found = index.find_or_insert(name, next, |id| &self.variables[id as usize].name);
        found.unwrap_or_else(|| {
            make_room(&mut self.variables);
            self.variables.push(Variable { name: name.clone(), kind });
            next
        })
    }

    pub(super) fn name_id(&mut self, name: &PyStr) -> NameId {
        let next = self.names.len() as NameId;
        let found = self.name_index.find_or_insert(name, next, |id| &self.names[id as usize]);
        found.unwrap_or_else(|| {
            make_room(&mut self.names);
            self.names.push(name.clone());
            next
        })
    }

    /// Gives a constant that was reserved its value.
    pub(super) fn fill_constant(&mut self, id: u32, value: LoweredConst) {
        if let Some(place) = self.consts.get_mut(id as usize) {
            *place = value;
        }
    }

    pub(super) fn constant(&mut self, value: LoweredConst) -> Op {
        make_room(&mut self.consts);
        self.consts.push(value);
        Op::Const((self.consts.len() - 1) as u32)
    }
}
