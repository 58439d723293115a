//! The stack at a border between blocks.

use depyf_syntax::ast::{Expr, ExprKind, Origin};
use smallvec::SmallVec;

use super::value::{AtomId, FreshId};
use super::{Fresh, Lifter, Pending, Value};

/// The stack at a border between blocks, with what it refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) stack: SmallVec<[Value; 4]>,
    pub(super) fresh: Vec<Fresh>,
    pub(super) atoms: Vec<Option<Expr>>,
}

impl Lifter<'_> {
    /// Begins a block with what the ways into it bring.
    pub(super) fn begin(&mut self, state: State) {
        self.stack.extend(state.stack);
        self.carried = state.fresh.len();
        self.fresh.extend(state.fresh);
        self.atoms.extend(state.atoms);
    }

    /// Whether the stack, or a container that was built here, may hold reads of locals.
    pub(super) fn holds_locals(&self) -> bool {
        !self.fresh.is_empty() || self.stack.iter().any(|value| matches!(value, Value::Local(..)))
    }

    /// Whether the stack holds containers that were built here.
    pub(super) fn holds_containers(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Whether an edge carries anything, see [`Lifter::state_behind`].
    #[inline]
    pub(super) fn carries_any(&self, pushed: Option<Value>, dropped: usize) -> bool {
        self.stack.len() > dropped || pushed.is_some()
    }

    /// What an edge carries: the stack less what the edge drops, and what it pushes. Nothing is pending.
    pub(super) fn state_behind(&self, pushed: Option<Value>, dropped: usize) -> State {
        let kept = self.stack.len().saturating_sub(dropped);
        let stack = self.stack[..kept].iter().copied().chain(pushed);
        Copier::new(&self.pending, &self.fresh, &self.atoms).state(stack)
    }
}

impl State {
    /// Drops what the stack does not hold, and numbers the containers in the order of the stack.
    pub(super) fn compact(self) -> Self {
        if self.fresh.is_empty() {
            return self;
        }
        Copier::new(&[], &self.fresh, &self.atoms).state(self.stack.iter().copied())
    }
}

/// Copies values, and from tables what they refer to.
struct Copier<'a> {
    pending: &'a [Pending],
    fresh: &'a [Fresh],
    atoms: &'a [Option<Expr>],
    /// What is copied.
    copy: State,
    /// The numbers of the containers in the copy; empty while there is none.
    numbers: Vec<Option<FreshId>>,
}

impl<'a> Copier<'a> {
    fn new(pending: &'a [Pending], fresh: &'a [Fresh], atoms: &'a [Option<Expr>]) -> Self {
        Self { pending, fresh, atoms, copy: State::default(), numbers: Vec::new() }
    }

    fn state(mut self, stack: impl Iterator<Item = Value>) -> State {
        let stack = stack.map(|value| self.value(value)).collect();
        State { stack, ..self.copy }
    }

    fn value(&mut self, value: Value) -> Value {
        match value {
            Value::Named(id) | Value::Pending(id) => match &self.pending[id].expr {
                Some(Expr { kind: ExprKind::Temp(temporary), origin, .. }) => {
                    Value::Temp(*temporary, origin.0)
                }
                name => Value::Atom(self.atom(name.clone())),
            },
            Value::Atom(id) => Value::Atom(self.atom(self.atoms[id].clone())),
            Value::Starred(id) => Value::Starred(self.atom(self.atoms[id].clone())),
            Value::ExceptionMatch(id) => Value::ExceptionMatch(self.atom(self.atoms[id].clone())),
            Value::Fresh(id) => match self.fresh[id].named {
                Some(temporary) => Value::Temp(temporary, Origin::NONE.0),
                None => Value::Fresh(self.container(id)),
            },
            value => value,
        }
    }

    fn atom(&mut self, expr: Option<Expr>) -> AtomId {
        self.copy.atoms.push(expr);
        self.copy.atoms.len() - 1
    }

    fn container(&mut self, id: FreshId) -> FreshId {
        if self.numbers.is_empty() {
            self.numbers.resize(self.fresh.len(), None);
        }
        if let Some(known) = self.numbers[id] {
            self.copy.fresh[known].references += 1;
            return known;
        }
        let mut container = self.fresh[id].clone();
        container.references = 1;
        for item in &mut container.items {
            *item = self.value(*item);
        }
        let number = self.copy.fresh.len();
        self.copy.fresh.push(container);
        self.numbers[id] = Some(number);
        number
    }
}

/// Whether two values of two states are the same; where an instruction pushed them does not matter.
pub(super) fn same(a: Value, in_a: &State, b: Value, in_b: &State) -> bool {
    match (a, b) {
        (Value::Local(a, _), Value::Local(b, _)) | (Value::Temp(a, _), Value::Temp(b, _)) => a == b,
        (Value::Atom(a), Value::Atom(b)) => match (&in_a.atoms[a], &in_b.atoms[b]) {
            (Some(a), Some(b)) => a.kind == b.kind,
            (a, b) => a.is_none() && b.is_none(),
        },
        (Value::Starred(a), Value::Starred(b)) | (Value::ExceptionMatch(a), Value::ExceptionMatch(b)) => {
            in_a.atoms[a] == in_b.atoms[b]
        }
        (Value::Fresh(a), Value::Fresh(b)) => {
            let (a, b) = (&in_a.fresh[a], &in_b.fresh[b]);
            a.kind == b.kind
                && a.references == b.references
                && a.items.len() == b.items.len()
                && a.items.iter().zip(&b.items).all(|(&a, &b)| same(a, in_a, b, in_b))
        }
        (a, b) => a == b,
    }
}
