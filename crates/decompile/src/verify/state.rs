//! What one side knows while it runs: stack, locals, the handled exception, and fresh objects.

use super::side::Which;
use super::terms::{FastMap, Kind, NONE, SIDED, Term, Terms};

/// The place of a side whose exception left the function; the exception lies on the stack.
pub(super) const PROPAGATES: u32 = u32::MAX;

/// Why a side cannot run on: bytecode that no compiler writes, or that is not understood.
pub(super) type Stuck = &'static str;

/// What a fresh object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    List,
    Set,
    /// Keys and values in turn; NULL as key stands before an unpacked mapping.
    Dict,
    /// Code, defaults, keyword defaults, annotations, closure, annotate function.
    Function,
    /// Other code has seen it: the first item is the symbol that both sides share.
    Published,
}

/// An object that was made here and that no other code has seen. Operations on it are computed, since nothing
/// can tell the difference.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) number: u32,
    pub(super) content: Content,
    pub(super) items: Vec<Term>,
}

/// A truth that was just asked for, of a value that is still on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    /// Height of the stack with the value on top.
    pub(super) height: usize,
    pub(super) value: Term,
    pub(super) answer: Term,
}

/// The state of one side.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) at: u32,
    pub(super) stack: Vec<Term>,
    pub(super) locals: Vec<Term>,
    /// What `sys.exc_info()` gives.
    pub(super) handled: Term,
    /// Sorted by number.
    pub(super) objects: Vec<Object>,
    /// The answer to the truth test that the instruction at `at` asked for, or [`NONE`].
    pub(super) answer: Term,
    pub(super) tested: Option<Tested>,
}

impl State {
    pub(super) fn push(&mut self, term: Term) {
        self.stack.push(term);
    }

    /// The top value.
    pub(super) fn pop(&mut self, terms: &Terms) -> Result<Term, Stuck> {
        let term = self.stack.pop().ok_or("the stack underflows")?;
        if self.tested.is_some_and(|tested| self.stack.len() < tested.height) {
            self.tested = None;
        }
        Ok(self.resolved(terms, term))
    }

    pub(super) fn pop_many(&mut self, terms: &Terms, count: usize) -> Result<Vec<Term>, Stuck> {
        let mut values = Vec::with_capacity(count.min(self.stack.len()));
        for _ in 0..count {
            values.push(self.pop(terms)?);
        }
        values.reverse();
        Ok(values)
    }

    /// Index of the value at a depth, the top being 1.
    pub(super) fn index(&self, depth: usize) -> Result<usize, Stuck> {
        self.stack.len().checked_sub(depth).filter(|_| depth > 0).ok_or("the stack underflows")
    }

    pub(super) fn peek(&self, terms: &Terms, depth: usize) -> Result<Term, Stuck> {
        Ok(self.resolved(terms, self.stack[self.index(depth)?]))
    }

    /// The symbol of an object that was published, else the term itself.
    pub(super) fn resolved(&self, terms: &Terms, term: Term) -> Term {
        if terms.has(term, SIDED)
            && let Some(object) = self.object(terms, term)
            && object.content == Content::Published
        {
            return object.items[0];
        }
        term
    }

    /// The fresh object that a term is.
    pub(super) fn object(&self, terms: &Terms, term: Term) -> Option<&Object> {
        self.objects.get(self.position(terms, term)?)
    }

    pub(super) fn object_mut(&mut self, terms: &Terms, term: Term) -> Option<&mut Object> {
        let position = self.position(terms, term)?;
        self.objects.get_mut(position)
    }

    fn position(&self, terms: &Terms, term: Term) -> Option<usize> {
        let node = terms.node(term);
        if node.kind != Kind::Object {
            return None;
        }
        self.objects.binary_search_by_key(&(node.payload >> 1), |object| object.number).ok()
    }

    /// Makes a fresh object. Numbers grow, so the list stays sorted.
    pub(super) fn create(
        &mut self,
        terms: &mut Terms,
        which: Which,
        number: u32,
        content: Content,
        items: Vec<Term>,
    ) -> Term {
        self.objects.push(Object { number, content, items });
        terms.make(Kind::Object, number << 1 | which as u32, &[])
    }

    /// Whether the object lies nowhere but where it was just popped from.
    pub(super) fn is_only_reference(&self, terms: &Terms, object: Term) -> bool {
        let items = self.objects.iter().flat_map(|object| &object.items);
        let mut work: Vec<Term> = self.stack.iter().chain(&self.locals).chain(items).copied().collect();
        let mut seen: FastMap<Term, ()> = FastMap::default();
        while let Some(slot) = work.pop() {
            if slot == object {
                return false;
            }
            let holds = terms.has(slot, SIDED)
                && !matches!(terms.kind(slot), Kind::Object | Kind::Code | Kind::CodeConstants);
            if holds && seen.insert(slot, ()).is_none() {
                work.extend_from_slice(terms.children(slot));
            }
        }
        true
    }

    /// Replaces published objects by their symbols everywhere, and forgets objects that nothing holds.
    pub(super) fn tidy(&mut self, terms: &mut Terms) {
        if self.objects.is_empty() {
            return;
        }
        let mut replaced = FastMap::default();
        let objects = std::mem::take(&mut self.objects);
        let finder = State { objects, ..State::empty() };
        for slot in self.stack.iter_mut().chain(&mut self.locals) {
            *slot = finder.replace(terms, *slot, 0, &mut replaced);
        }
        self.handled = finder.replace(terms, self.handled, 0, &mut replaced);
        let mut objects = finder.objects;
        let finder_items: Vec<Vec<Term>> = {
            let finder = State { objects: objects.clone(), ..State::empty() };
            let all = objects.iter().map(|object| {
                let items = object.items.iter();
                items.map(|&item| finder.replace(terms, item, 0, &mut replaced)).collect()
            });
            all.collect()
        };
        for (object, items) in objects.iter_mut().zip(finder_items) {
            object.items = items;
        }
        self.objects = objects;
        self.sweep(terms);
    }

    fn sweep(&mut self, terms: &Terms) {
        let mut live = vec![false; self.objects.len()];
        let mut work: Vec<Term> = self.stack.iter().chain(&self.locals).copied().collect();
        let mut seen: FastMap<Term, ()> = FastMap::default();
        while let Some(term) = work.pop() {
            if !terms.has(term, SIDED) || seen.insert(term, ()).is_some() {
                continue;
            }
            work.extend_from_slice(terms.children(term));
            if let Some(position) = self.position(terms, term)
                && !std::mem::replace(&mut live[position], true)
            {
                work.extend_from_slice(&self.objects[position].items);
            }
        }
        let mut live = live.into_iter();
        self.objects.retain(|_| live.next().unwrap_or(false));
    }

    /// The term with the symbols of published objects in it.
    fn replace(&self, terms: &mut Terms, term: Term, depth: u32, known: &mut FastMap<Term, Term>) -> Term {
        if !terms.has(term, SIDED) || depth > 60 {
            return term;
        }
        if let Some(&known) = known.get(&term) {
            return known;
        }
        let resolved = self.resolved(terms, term);
        let mut result = resolved;
        if resolved == term && !matches!(terms.kind(term), Kind::Object | Kind::Code | Kind::CodeConstants) {
            let node = terms.node(term);
            let children = terms.children(term).to_vec();
            let new: Vec<Term> =
                children.iter().map(|&child| self.replace(terms, child, depth + 1, known)).collect();
            result = terms.make(node.kind, node.payload, &new);
        }
        known.insert(term, result);
        result
    }

    pub(super) fn empty() -> Self {
        Self {
            at: 0,
            stack: Vec::new(),
            locals: Vec::new(),
            handled: 0,
            objects: Vec::new(),
            answer: NONE,
            tested: None,
        }
    }
}
