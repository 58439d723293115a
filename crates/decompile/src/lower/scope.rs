//! Which variable a name means: the scopes of a tree and the rules of `symtable.c`.
//!
//! [`super::symbols`] fills the scopes with what each mentions; [`Scopes::resolve`] decides. A comprehension
//! that runs inside its function (3.12 and later) is a scope of its own, *inlined* in the one around it:
//! its variables are its own, but to reach those of the function around crosses no border.

use std::borrow::Cow;

use crate::hash::{HashMap, HashSet};
use crate::index::{Index, make_room};
use crate::names::{CLASS_CELL, CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS};

use depyf_bytecode::Op;
use depyf_syntax::ast::Origin;
use depyf_value::PyStr;

use super::{LowerError, LowerResult};

/// Index of a scope.
pub(super) type ScopeId = usize;

/// What a scope is made by; with the address of the node it is the scope's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Function,
    Lambda,
    Comprehension,
    Class,
    /// The hidden function around what has type parameters.
    TypeParams,
    /// The bound of a type parameter.
    Bound,
    /// The default of a type parameter.
    Default,
    /// The value of a `type` statement.
    AliasValue,
    /// The `__annotate__` of a function, class or module.
    Annotate,
}

/// What the names of a scope live in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    /// Anything with fast locals.
    Function,
}

/// How a scope mentions a name.
pub(super) mod mention {
    pub(in crate::lower) const USED: u8 = 1;
    pub(in crate::lower) const ASSIGNED: u8 = 2;
    pub(in crate::lower) const PARAMETER: u8 = 4;
    pub(in crate::lower) const GLOBAL: u8 = 8;
    pub(in crate::lower) const NONLOCAL: u8 = 16;
    pub(in crate::lower) const BOUND: u8 = ASSIGNED | PARAMETER;
}

/// What a name means in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Bound by this scope, or by one that this is inlined in.
    Own(ScopeId),
    /// A cell of an enclosing function.
    Free,
    /// Declared `global`.
    ExplicitGlobal,
    /// Bound nowhere.
    Global,
}

/// A name of a scope.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: PyStr,
    pub(super) mentions: u8,
    /// A nested function refers to the variable that this scope binds.
    pub(super) cell: bool,
    /// The scope takes the name's cell from outside, for itself or for a nested function.
    pub(super) free: bool,
    pub(super) meaning: Option<Meaning>,
    /// What it is in the code object that mentioned it last: the number of that, and its own among the variables or
    /// names there.
    pub(super) known_as: Option<(u32, u32)>,
    /// The one operation that reads it in a code object: the number of that, and the operation.
    pub(super) read_by: Option<(u32, Op)>,
}

impl Symbol {
    /// Whether an inlined comprehension sets a variable of the name aside: its own, and one of the name of a global that
    /// an assignment expression stores, of which nothing becomes.
    fn is_set_aside(&self) -> bool {
        self.mentions & (mention::ASSIGNED | mention::GLOBAL) != 0 && self.mentions & mention::NONLOCAL == 0
    }

    /// Whether the scope assigns a variable of its own.
    fn binds(&self) -> bool {
        self.mentions & mention::ASSIGNED != 0 && self.mentions & (mention::GLOBAL | mention::NONLOCAL) == 0
    }
}

/// A scope.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) parent: Option<ScopeId>,
    /// See [`super::Lowered::definition`].
    pub(super) definition: u32,
    pub(super) symbols: Vec<Symbol>,
    index: Index,
    /// The class whose private names are mangled here.
    pub(super) class_name: Option<PyStr>,
    /// The class whose namespace is read before the scopes around it: annotation scopes in a class.
    pub(super) sees_class: Option<ScopeId>,
    /// A comprehension or generator expression.
    pub(super) is_comprehension: bool,
    /// Runs as a part of the code around it.
    pub(super) inlined: bool,
    /// Holds `yield`.
    pub(super) is_generator: bool,
    /// Holds `await`, or is an `async def`.
    pub(super) is_async: bool,
    /// A class or module with annotations under a condition (3.14 and later).
    pub(super) conditional_annotations: bool,
    /// The `__annotate__` of such a class or module.
    pub(super) asks_what_was_reached: bool,
    /// A class or module with annotations.
    pub(super) has_annotations: bool,
    /// One with annotations of names, which are kept.
    pub(super) annotates_names: bool,
    /// Cells that a class provides: `__class__`, `__classdict__`, `__conditional_annotations__`.
    pub(super) class_cells: Vec<PyStr>,
}

impl Scope {
    pub(super) fn new(kind: ScopeKind, parent: Option<ScopeId>, class_name: Option<PyStr>) -> Self {
        Self {
            kind,
            parent,
            definition: 0,
            symbols: Vec::new(),
            index: Index::default(),
            class_name,
            sees_class: None,
            is_comprehension: false,
            inlined: false,
            is_generator: false,
            is_async: false,
            conditional_annotations: false,
            asks_what_was_reached: false,
            has_annotations: false,
            annotates_names: false,
            class_cells: Vec::new(),
        }
    }

    /// Where a name stands among the symbols.
    pub(super) fn find(&self, name: &PyStr) -> Option<usize> {
        self.index.find(name, |at| &self.symbols[at as usize].name).map(|at| at as usize)
    }

    pub(super) fn symbol(&self, name: &PyStr) -> Option<&Symbol> {
        self.symbols.get(self.find(name)?)
    }

    pub(super) fn mentions(&self, name: &PyStr) -> u8 {
        self.symbol(name).map_or(0, |symbol| symbol.mentions)
    }

    pub(super) fn symbol_mut(&mut self, name: &PyStr) -> &mut Symbol {
        let next = self.symbols.len() as u32;
        let found = self.index.find_or_insert(name, next, |at| &self.symbols[at as usize].name);
        let at = found.unwrap_or_else(|| {
            make_room(&mut self.symbols);
            self.symbols.push(Symbol {
                name: name.clone(),
                mentions: 0,
                cell: false,
                free: false,
                meaning: None,
                known_as: None,
                read_by: None,
            });
            next
        });
        &mut self.symbols[at as usize]
    }

    /// The names whose cells come from outside, sorted, as CPython has them in `co_freevars`; but the set of the
    /// annotations that were reached comes last in the `__annotate__` that asks it.
    pub(super) fn free_names(&self) -> Vec<PyStr> {
        let free = self.symbols.iter().filter(|symbol| symbol.free);
        let mut names: Vec<PyStr> = free.map(|symbol| symbol.name.clone()).collect();
        let last = |name: &PyStr| self.asks_what_was_reached && *name == CONDITIONAL_ANNOTATIONS;
        names.sort_by(|a, b| (last(a), a.as_wtf8()).cmp(&(last(b), b.as_wtf8())));
        names
    }
}

/// All scopes of a tree.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    pub(super) all: Vec<Scope>,
    /// By the address of the node that makes it, which stays while the tree is borrowed.
    pub(super) by_node: HashMap<(usize, Role), ScopeId>,
    /// The names of inlined comprehensions that are names of the scope around as well, which does not mention them; and
    /// whether they are variables there.
    pub(super) inherited: HashMap<(ScopeId, PyStr), bool>,
    /// See [`depyf_bytecode::CompilerFeatures::comprehensions_hide_globals`].
    pub(super) hides_globals: bool,
}

impl Scopes {
    /// What `name`, already mangled, means in a scope that mentions it.
    pub(super) fn meaning(&self, scope: ScopeId, name: &PyStr) -> Meaning {
        self.all[scope].symbol(name).and_then(|symbol| symbol.meaning).unwrap_or(Meaning::Global)
    }

    /// Whether the variable that a scope binds is a cell.
    pub(super) fn is_cell(&self, scope: ScopeId, name: &PyStr) -> bool {
        self.all[scope].symbol(name).is_some_and(|symbol| symbol.cell)
    }

    /// The variables that an inlined comprehension takes for itself, and whether they are cells: its own, and those of
    /// comprehensions in it whose names nothing mentions before (CPython `Python/symtable.c`, `inline_comprehension`).
    pub(super) fn inlined_variables(&self, scope: ScopeId) -> Vec<(PyStr, bool)> {
        let mut own: Vec<(PyStr, bool)> = Vec::new();
        let (mut inlined, mut known) = (HashSet::default(), HashSet::default());
        for (at, inner) in self.all.iter().enumerate().skip(scope) {
            let around = inner.parent.unwrap_or(0);
            if at > scope && around < scope {
                break;
            }
            if at > scope && !(inner.inlined && inlined.contains(&around)) {
                continue;
            }
            inlined.insert(at);
            for symbol in inner.symbols.iter().filter(|symbol| symbol.mentions != 0) {
                if known.insert(&symbol.name) && symbol.is_set_aside() {
                    own.push((symbol.name.clone(), symbol.cell || self.is_cell(scope, &symbol.name)));
                }
            }
        }
        own
    }

    /// Decides what every mentioned name means.
    ///
    /// # Errors
    /// Where a `nonlocal` name is bound by no function around.
    pub(super) fn resolve(&mut self) -> LowerResult<()> {
        self.inherit();
        for scope in 0..self.all.len() {
            // Names that are only passed on to nested functions are appended meanwhile.
            for at in 0..self.all[scope].symbols.len() {
                let symbol = &mut self.all[scope].symbols[at];
                let mentions = symbol.mentions;
                if mentions == 0 {
                    continue;
                }
                // What the scope says itself needs no search.
                if mentions & mention::GLOBAL != 0 {
                    symbol.meaning = Some(Meaning::ExplicitGlobal);
                    continue;
                }
                if mentions & mention::NONLOCAL == 0 && mentions & mention::BOUND != 0 {
                    symbol.meaning = Some(Meaning::Own(scope));
                    continue;
                }
                let name = symbol.name.clone();
                let meaning = self.decide(scope, &name, mentions);
                if mentions & mention::NONLOCAL != 0 && matches!(meaning, Meaning::Global) {
                    let message = format!("no binding for nonlocal {:?} found", name.to_lossy());
                    return Err(Box::new(LowerError { message, origin: Origin::NONE }));
                }
                self.all[scope].symbols[at].meaning = Some(meaning);
            }
        }
        Ok(())
    }

    /// Finds the names that scopes have from inlined comprehensions: the first that mentions one tells what it is.
    fn inherit(&mut self) {
        for scope in 0..self.all.len() {
            if !self.all[scope].inlined {
                continue;
            }
            for symbol in &self.all[scope].symbols {
                let binds = symbol.binds();
                let mut at = scope;
                while let (true, Some(parent)) = (self.all[at].inlined, self.all[at].parent) {
                    let is_known = self.all[parent].mentions(&symbol.name) != 0;
                    if is_known || self.inherited.contains_key(&(parent, symbol.name.clone())) {
                        break;
                    }
                    self.inherited.insert((parent, symbol.name.clone()), binds);
                    at = parent;
                }
            }
        }
    }

    /// Whether a name is a variable of a function because it is one of a comprehension that runs in it.
    fn inherits(&self, scope: ScopeId, name: &PyStr) -> bool {
        !self.inherited.is_empty()
            && self.all[scope].kind == ScopeKind::Function
            && self.inherited.get(&(scope, name.clone())) == Some(&true)
    }

    /// The meaning of a name that the scope neither binds nor declares global.
    fn decide(&mut self, scope: ScopeId, name: &PyStr, mentions: u8) -> Meaning {
        if mentions & mention::NONLOCAL == 0
            && let Some(class) = self.all[scope].sees_class
        {
            let there = self.all[class].mentions(name);
            if there & mention::GLOBAL != 0 {
                return Meaning::ExplicitGlobal;
            }
            if there & mention::BOUND != 0 && there & mention::NONLOCAL == 0 {
                return Meaning::Global;
            }
        }
        self.search(scope, name)
    }

    /// Looks in the scopes around, and notes the cell on the way.
    fn search(&mut self, from: ScopeId, name: &PyStr) -> Meaning {
        let mut crossed = !self.all[from].inlined;
        let mut at = from;
        // The scope around whose variable of the name is that of another comprehension.
        let mut hiding = None;
        while let Some(parent) = self.all[at].parent {
            let scope = &self.all[parent];
            // What modules and classes bind, nobody else finds there. What they declare counts for what runs in them.
            let mentions = match scope.kind {
                ScopeKind::Function => scope.mentions(name),
                _ if crossed => 0,
                _ => scope.mentions(name) & mention::GLOBAL,
            };
            let provides = scope.kind == ScopeKind::Class
                && name.as_wtf8().starts_with(b"__")
                && [CLASS_CELL, CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS].iter().any(|cell| *name == **cell);
            if mentions & mention::GLOBAL != 0 {
                let hidden = hiding.filter(|_| self.hides_globals).map(Meaning::Own);
                return hidden.unwrap_or(if crossed { Meaning::Global } else { Meaning::ExplicitGlobal });
            }
            let binds = mentions & mention::BOUND != 0 && mentions & mention::NONLOCAL == 0;
            // A comprehension that runs in the class has no cell of the class's between.
            if provides && !crossed {
                return Meaning::Global;
            }
            if binds || provides {
                if !crossed {
                    return Meaning::Own(parent);
                }
                if let Some(scope) = hiding {
                    return Meaning::Own(scope);
                }
                self.note_cell(from, parent, name, provides);
                return Meaning::Free;
            }
            if !crossed && hiding.is_none() && self.inherits(parent, name) {
                hiding = Some(parent);
            }
            crossed |= !self.all[parent].inlined;
            at = parent;
        }
        hiding.filter(|_| self.hides_globals).map_or(Meaning::Global, Meaning::Own)
    }

    /// A cell of an inlined comprehension makes one of the variable of that name of the function that it runs in.
    fn note_cells_around(&mut self, comprehension: ScopeId, name: &PyStr) {
        let mut at = comprehension;
        while let (true, Some(parent)) = (self.all[at].inlined, self.all[at].parent) {
            let scope = &self.all[parent];
            let hides = mention::GLOBAL | mention::NONLOCAL;
            let binds = scope.mentions(name) & mention::BOUND != 0 && scope.mentions(name) & hides == 0;
            let is_function = scope.kind == ScopeKind::Function;
            if is_function && binds || self.inherits(parent, name) {
                self.all[parent].symbol_mut(name).cell = true;
            }
            at = parent;
        }
    }

    /// A function in between that has the name from a comprehension gives its own cell, which nothing ever fills: CPython
    /// finds that the comprehension binds it after it found that a function inside takes it from outside
    /// (`Python/symtable.c`, `analyze_cells`).
    fn note_cell(&mut self, from: ScopeId, owner: ScopeId, name: &PyStr, provides: bool) {
        let mut between = self.all[from].parent.filter(|_| !self.inherited.is_empty());
        while let Some(scope) = between.filter(|&scope| scope != owner && !self.inherits(scope, name)) {
            between = self.all[scope].parent;
        }
        let (owner, provides) = match between {
            Some(scope) if scope != owner => (scope, false),
            _ => (owner, provides),
        };
        if provides {
            let cells = &mut self.all[owner].class_cells;
            if !cells.contains(name) {
                cells.push(name.clone());
            }
        } else {
            self.all[owner].symbol_mut(name).cell = true;
            self.note_cells_around(owner, name);
        }
        let mut at = Some(from);
        while let Some(scope) = at.filter(|&scope| scope != owner) {
            if !self.all[scope].inlined {
                self.all[scope].symbol_mut(name).free = true;
            }
            at = self.all[scope].parent;
        }
    }
}

/// The name as the class's code has it: `__x` in class `C` is `_C__x`.
#[inline]
pub(super) fn mangle<'n>(class_name: Option<&PyStr>, name: &'n PyStr) -> Cow<'n, PyStr> {
    match class_name {
        Some(class_name) if name.as_wtf8().starts_with(b"__") => mangle_in(class_name, name),
        _ => Cow::Borrowed(name),
    }
}

/// As [`mangle`], for a name that begins as private ones do.
fn mangle_in<'n>(class_name: &PyStr, name: &'n PyStr) -> Cow<'n, PyStr> {
    let bytes = name.as_wtf8();
    if bytes.ends_with(b"__") || bytes.contains(&b'.') {
        return Cow::Borrowed(name);
    }
    let class_name = class_name.as_wtf8();
    let stripped: &[u8] = match class_name.iter().position(|&byte| byte != b'_') {
        Some(start) => &class_name[start..],
        None => return Cow::Borrowed(name),
    };
    let mangled = [b"_", stripped, bytes].concat();
    PyStr::from_wtf8(&mangled).map_or(Cow::Borrowed(name), Cow::Owned)
}
