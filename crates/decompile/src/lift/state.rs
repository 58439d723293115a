//! The stack at a border between blocks.

use crate::hash::HashMap;

use super::{Fresh, Lifter, Value};

/// The stack at a border between blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) stack: Vec<Value>,
    pub(super) fresh: Vec<Fresh>,
}

impl Lifter<'_> {
    /// Begins a block with what the ways into it bring.
    pub(super) fn begin(&mut self, state: State) {
        self.clear();
        if !state.stack.is_empty() {
            self.stack.extend(state.stack);
            self.carried = state.fresh.len();
            self.fresh.extend(state.fresh);
        }
    }

    /// Whether the stack, or a container that was built here, may hold reads of locals.
    pub(super) fn holds_locals(&self) -> bool {
        !self.fresh.is_empty() || self.stack.iter().any(|value| matches!(value, Value::Local(..)))
    }

    /// Whether the stack holds containers that were built here.
    pub(super) fn holds_containers(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// What an edge carries: the stack less what the edge drops, and what it pushes. Nothing is pending.
    pub(super) fn state_behind(&self, pushed: Vec<Value>, dropped: usize) -> State {
        let kept = self.stack.len().saturating_sub(dropped);
        if kept == 0 && pushed.is_empty() {
            return State::default();
        }
        let stack = self.stack[..kept].iter().cloned().chain(pushed).map(|value| self.resolve(value));
        let stack: Vec<Value> = stack.collect();
        if !stack.iter().any(|value| matches!(value, Value::Fresh(_))) {
            return State { stack, fresh: Vec::new() };
        }
        let mut fresh = self.fresh.clone();
        for item in fresh.iter_mut().flat_map(|container| &mut container.items) {
            self.settle(item);
        }
        State { stack, fresh }.compact()
    }
}

impl State {
    /// The same once more. Between statements the stack is mostly empty.
    pub(super) fn copied(&self) -> Self {
        if self.stack.is_empty() { Self::default() } else { self.clone() }
    }

    /// Drops what the stack does not hold, and numbers the containers in the order of the stack.
    pub(super) fn compact(mut self) -> Self {
        if self.fresh.is_empty() {
            return self;
        }
        let mut fresh = Vec::new();
        let mut numbers = HashMap::default();
        let mut stack = std::mem::take(&mut self.stack);
        for value in &mut stack {
            self.renumber(value, &mut fresh, &mut numbers);
        }
        Self { stack, fresh }
    }

    fn renumber(&self, value: &mut Value, fresh: &mut Vec<Fresh>, numbers: &mut HashMap<usize, usize>) {
        let Value::Fresh(id) = value else { return };
        if let Some(&known) = numbers.get(id) {
            fresh[known].references += 1;
            *id = known;
            return;
        }
        let mut container = self.fresh[*id].clone();
        container.references = 1;
        for item in &mut container.items {
            self.renumber(item, fresh, numbers);
        }
        fresh.push(container);
        numbers.insert(*id, fresh.len() - 1);
        *id = fresh.len() - 1;
    }
}

/// Whether two values of two states are the same; where an instruction pushed them does not matter.
pub(super) fn same(a: &Value, in_a: &[Fresh], b: &Value, in_b: &[Fresh]) -> bool {
    match (a, b) {
        (Value::Local(a, _), Value::Local(b, _)) => a == b,
        (Value::Atom(a), Value::Atom(b)) => a.kind == b.kind,
        (Value::Fresh(a), Value::Fresh(b)) => {
            let (a, b) = (&in_a[*a], &in_b[*b]);
            a.kind == b.kind
                && a.references == b.references
                && a.items.len() == b.items.len()
                && a.items.iter().zip(&b.items).all(|(a, b)| same(a, in_a, b, in_b))
        }
        (a, b) => a == b,
    }
}
