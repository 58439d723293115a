//! Terms: what is known about a value, hash-consed, so that equal terms have equal numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use depyf_bytecode::Const;
use depyf_value::{PyInt, PyStr};

/// Index into [`Terms`].
pub(super) type Term = u32;
/// Index of an interned name.
pub(super) type Name = u32;

/// No term.
pub(super) const NONE: Term = u32::MAX;

/// What a term is. The comment gives its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A value of which only the name is known. The payload tells apart what was handled
    /// when the function was called.
    Symbol,
    /// The NULL of a call.
    Null,
    /// A local without a value.
    Unbound,
    /// Something that nothing looks at: a traceback, an instruction offset.
    Junk,
    /// A constant without items.
    Constant,
    /// Items; tuples that were built and constant ones.
    Tuple,
    /// Items, sorted: their order in the constant is that of a hash table.
    FrozenSet,
    /// Start, stop, step.
    Slice,
    /// All items of an iterable that was unpacked.
    Star,
    /// Negation of a truth value.
    Not,
    /// Whether two values are one object.
    Is,
    /// Whether a pattern `[..]` may match.
    IsSequence,
    /// Whether a pattern `{..}` may match.
    IsMapping,
    /// Whether an exception ends `async for`.
    IsStopAsync,
    /// Parts of an f-string.
    Joined,
    /// A cell; the payload is the variable's name.
    Cell,
    /// `__build_class__`
    BuildClass,
    /// The namespace of a class body.
    Namespace,
    /// A global that Dynamo bound once; the payload is its name.
    Installed,
    /// An object that the interpreter holds.
    Common,
    /// The type of an exception (six-value handlers).
    TypeOf,
    /// The exception that was handled before: the child.
    Previous,
    /// An exception behind the StopIteration wrapper of generators.
    Wrapped,
    /// An exception that leaves the source past that wrapper.
    Bare,
    /// A value that an asynchronous generator yields.
    AsyncWrapped,
    /// A container or function that was made here and that no other code has seen.
    Object,
    /// A nested code object.
    Code,
    /// The `co_consts` of a nested code object, with its payload.
    CodeConstants,
    /// `tuple`, reached as `().__class__`.
    TupleClass,
    /// The method `__iter__` of a tuple or fresh container.
    IterMethod,
    /// `tuple[child]`, made by a subscript of [`Kind::TupleClass`].
    Alias,
}

/// The term is a `bool`.
pub(super) const BOOL: u8 = 1;
/// The term is a local that may have no value.
pub(super) const MAYBE_UNBOUND: u8 = 2;
/// The term holds an object or a code object, whose numbers mean something on one side only.
pub(super) const SIDED: u8 = 4;
/// The term holds a symbol.
pub(super) const OPEN: u8 = 8;
/// The symbol is a builtin that looks at the locals of its caller.
pub(super) const LOOKS: u8 = 16;

/// The term is exactly a `str`.
pub(super) const TEXT: u8 = 32;
/// The term is a list, set or dict that a display is to fill, and that nothing else knows.
pub(super) const INCOMPLETE: u8 = 64;

/// One term.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) flags: u8,
    pub(super) payload: u32,
    start: u32,
    length: u32,
}

/// A constant without items. Floats are told apart by their bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    None,
    Bool(bool),
    Ellipsis,
    Int(PyInt),
    Float(u64),
    Complex(u64, u64),
    Str(PyStr),
    Bytes(Arc<[u8]>),
    Opaque(String),
}

/// The hash function of rustc: fast on small keys, which nobody chooses to collide beyond a budget.
#[derive(Clone, Copy, Default)]
pub(super) struct FastHasher(u64);

const SEED: u64 = 0x51_7c_c1_b7_27_22_0a_95;

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
            self.write_u64(word);
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(SEED);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

/// A map with [`FastHasher`].
pub(super) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// All terms of one comparison.
pub(super) struct Terms {
    nodes: Vec<Node>,
    children: Vec<Term>,
    /// Open addressing: [`NONE`] or a term. The length is a power of two.
    table: Vec<Term>,
    interned: usize,
    atoms: Vec<Atom>,
    atom_numbers: FastMap<Atom, u32>,
    names: FastMap<PyStr, Name>,
    texts: Vec<PyStr>,
}

/// A table larger than this is not cleared for the next function, but made anew.
const LARGEST_KEPT: usize = 4096;

/// Constants nested deeper than this are not looked into.
const DEEPEST: usize = 100;

impl Terms {
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            children: Vec::new(),
            table: vec![NONE; 256],
            interned: 0,
            atoms: Vec::new(),
            atom_numbers: FastMap::default(),
            names: FastMap::default(),
            texts: Vec::new(),
        }
    }

    /// Forgets all terms; names and constants keep their numbers, and the memory is used again.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.children.clear();
        self.interned = 0;
        if self.table.len() > LARGEST_KEPT {
            self.table = vec![NONE; 256];
        } else {
            self.table.fill(NONE);
        }
    }

    pub(super) fn node(&self, term: Term) -> Node {
        self.nodes[term as usize]
    }

    pub(super) fn kind(&self, term: Term) -> Kind {
        self.nodes[term as usize].kind
    }

    pub(super) fn has(&self, term: Term, flag: u8) -> bool {
        self.nodes[term as usize].flags & flag != 0
    }

    pub(super) fn children(&self, term: Term) -> &[Term] {
        let node = &self.nodes[term as usize];
        &self.children[node.start as usize..(node.start + node.length) as usize]
    }

    pub(super) fn child(&self, term: Term) -> Term {
        self.children(term).first().copied().unwrap_or(term)
    }

    /// A new value that nothing is known about.
    pub(super) fn symbol(&mut self, flags: u8, payload: u32) -> Term {
        self.nodes.push(Node { kind: Kind::Symbol, flags: flags | OPEN, payload, start: 0, length: 0 });
        (self.nodes.len() - 1) as Term
    }

    /// The term of a kind with a payload and children.
    pub(super) fn make(&mut self, kind: Kind, payload: u32, children: &[Term]) -> Term {
        let mut hasher = FastHasher::default();
        hasher.write_u32(kind as u32 | payload << 8);
        hasher.write_u32(payload);
        children.iter().for_each(|&child| hasher.write_u32(child));
        let mask = self.table.len() - 1;
        let mut slot = hasher.finish() as usize & mask;
        while self.table[slot] != NONE {
            let found = self.table[slot];
            let node = &self.nodes[found as usize];
            if node.kind == kind && node.payload == payload && self.children(found) == children {
                return found;
            }
            slot = (slot + 1) & mask;
        }
        let mut flags = children.iter().fold(0, |flags, &child| flags | self.nodes[child as usize].flags);
        flags &= SIDED | OPEN;
        flags |= match kind {
            Kind::Not | Kind::Is | Kind::IsSequence | Kind::IsMapping | Kind::IsStopAsync => BOOL,
            Kind::Object | Kind::Code | Kind::CodeConstants => SIDED,
            Kind::Unbound => MAYBE_UNBOUND,
            Kind::Constant if matches!(self.atoms.get(payload as usize), Some(Atom::Bool(_))) => BOOL,
            _ => 0,
        };
        let start = self.children.len() as u32;
        self.children.extend_from_slice(children);
        self.nodes.push(Node { kind, flags, payload, start, length: children.len() as u32 });
        let term = (self.nodes.len() - 1) as Term;
        self.table[slot] = term;
        self.interned += 1;
        if self.interned * 2 > self.table.len() {
            self.grow();
        }
        term
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let old = std::mem::replace(&mut self.table, vec![NONE; size]);
        for term in old.into_iter().filter(|&term| term != NONE) {
            let node = self.nodes[term as usize];
            let mut hasher = FastHasher::default();
            hasher.write_u32(node.kind as u32 | node.payload << 8);
            hasher.write_u32(node.payload);
            self.children(term).iter().for_each(|&child| hasher.write_u32(child));
            let mut slot = hasher.finish() as usize & (size - 1);
            while self.table[slot] != NONE {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = term;
        }
    }

    pub(super) fn leaf(&mut self, kind: Kind) -> Term {
        self.make(kind, 0, &[])
    }

    pub(super) fn atom(&mut self, atom: Atom) -> Term {
        let next = self.atoms.len() as u32;
        let number = match self.atom_numbers.get(&atom) {
            Some(&known) => known,
            None => {
                self.atoms.push(atom.clone());
                self.atom_numbers.insert(atom, next);
                next
            }
        };
        self.make(Kind::Constant, number, &[])
    }

    pub(super) fn none(&mut self) -> Term {
        self.atom(Atom::None)
    }

    /// The constant behind a term.
    pub(super) fn as_atom(&self, term: Term) -> Option<&Atom> {
        let node = self.node(term);
        (node.kind == Kind::Constant).then(|| &self.atoms[node.payload as usize])
    }

    /// The negation of a truth value.
    pub(super) fn not(&mut self, term: Term) -> Term {
        match (self.kind(term), self.as_atom(term)) {
            (Kind::Not, _) => self.child(term),
            (_, Some(&Atom::Bool(value))) => self.atom(Atom::Bool(!value)),
            _ => self.make(Kind::Not, 0, &[term]),
        }
    }

    pub(super) fn name(&mut self, name: &PyStr) -> Name {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        self.texts.push(name.clone());
        let number = (self.texts.len() - 1) as Name;
        self.names.insert(name.clone(), number);
        number
    }

    /// The constants that have no literal, with their terms.
    pub(super) fn opaque(&mut self) -> Vec<(PyStr, Term)> {
        let opaque: Vec<String> = self
            .atoms
            .iter()
            .filter_map(|atom| if let Atom::Opaque(name) = atom { Some(name.clone()) } else { None })
            .collect();
        opaque.into_iter().map(|name| (PyStr::new(&name), self.atom(Atom::Opaque(name)))).collect()
    }

    pub(super) fn text(&self, name: Name) -> &PyStr {
        &self.texts[name as usize]
    }

    /// The term of a constant; `None` where it is nested too deeply. Shared parts are looked at once.
    pub(super) fn constant(&mut self, value: &Const) -> Option<Term> {
        self.constant_within(value, 0, &mut FastMap::default())
    }

    fn constant_within(
        &mut self,
        value: &Const,
        depth: usize,
        known: &mut FastMap<usize, Term>,
    ) -> Option<Term> {
        let atom = match value {
            Const::None => Atom::None,
            Const::Bool(value) => Atom::Bool(*value),
            Const::Ellipsis => Atom::Ellipsis,
            Const::Int(value) => Atom::Int(value.clone()),
            Const::Float(value) => Atom::Float(value.to_bits()),
            Const::Complex(real, imaginary) => Atom::Complex(real.to_bits(), imaginary.to_bits()),
            Const::Str(value) => Atom::Str(value.clone()),
            Const::Bytes(value) => Atom::Bytes(value.clone()),
            Const::Opaque(opaque) => Atom::Opaque(opaque.name.clone()),
            Const::Tuple(items) => return self.items(Kind::Tuple, items, depth, known),
            Const::FrozenSet(items) => return self.items(Kind::FrozenSet, items, depth, known),
            Const::Slice(items) => return self.items(Kind::Slice, &items[..], depth, known),
            Const::Code(_) => return None,
        };
        Some(self.atom(atom))
    }

    fn items(
        &mut self,
        kind: Kind,
        items: &[Const],
        depth: usize,
        known: &mut FastMap<usize, Term>,
    ) -> Option<Term> {
        let address = items.as_ptr() as usize;
        if let Some(&known) = known.get(&address).filter(|_| !items.is_empty()) {
            return Some(known);
        }
        if depth > DEEPEST {
            return None;
        }
        let terms: Option<Vec<Term>> =
            items.iter().map(|item| self.constant_within(item, depth + 1, known)).collect();
        let mut terms = terms?;
        if kind == Kind::FrozenSet {
            terms.sort_unstable();
        }
        let term = self.make(kind, 0, &terms);
        known.insert(address, term);
        Some(term)
    }
}
