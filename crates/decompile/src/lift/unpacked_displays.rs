//! Displays with unpacked parts that are built by one operation (3.8).

use depyf_bytecode::UnpackKind;
use depyf_syntax::ast::{Expr, ExprKind, Literal};

use super::fresh::names_argument;
use super::{Effects, FreshKind, LiftResult, Lifter, Special, Value, Values};

impl Lifter<'_> {
    /// BUILD_LIST_UNPACK and its kin: all parts have been evaluated, then they are unpacked. So does the display.
    pub(super) fn build_unpack(&mut self, kind: UnpackKind, count: usize) -> LiftResult<()> {
        let values = self.pop_many(count)?;
        // The body and the name of a class are no items.
        if self.context.packs_values || self.stack.last() == Some(&Value::BuildClass) {
            return self.pack(kind, values);
        }
        let (parts, mut effects) = self.take(&values)?;
        effects.acts = true;
        let special = match kind {
            UnpackKind::TupleForCall | UnpackKind::MapForCall => Special::Arguments,
            _ => Special::None,
        };
        let kind = match kind {
            UnpackKind::Map => ExprKind::Dict(pairs_of(parts, |_| true)),
            UnpackKind::MapForCall => ExprKind::Dict(pairs_of(parts, names_argument)),
            UnpackKind::List => ExprKind::List(self.items_of(parts, false)),
            UnpackKind::Set => ExprKind::Set(self.items_of(parts, true)),
            UnpackKind::Tuple | UnpackKind::TupleForCall => ExprKind::Tuple(self.items_of(parts, false)),
        };
        let value = self.defer(self.expr(kind), effects, special);
        self.push(value);
        Ok(())
    }

    /// The same for what is only built to be taken apart again.
    fn pack(&mut self, kind: UnpackKind, values: Values) -> LiftResult<()> {
        let of_call = kind == UnpackKind::MapForCall;
        let kind = match kind {
            UnpackKind::List => FreshKind::List,
            UnpackKind::Tuple | UnpackKind::TupleForCall => FreshKind::Tuple,
            UnpackKind::Set => FreshKind::Set,
            UnpackKind::Map | UnpackKind::MapForCall => FreshKind::Dict,
        };
        self.build(kind, 0)?;
        let container = self.fresh.len() - 1;
        let keeps_places = !self.context.packs_values && kind != FreshKind::Dict;
        for (at, &value) in values.iter().enumerate() {
            if kind != FreshKind::Dict && self.splice(container, value) {
                continue;
            }
            let value = if keeps_places { self.deferred_in_front(value, &values[at + 1..])? } else { value };
            // The bases of a class keep their places: what is unpacked first was evaluated first.
            if let (Value::Pending(id), true) = (&value, keeps_places)
                && matches!(self.pending[*id].special, Special::None)
                && self.pending[*id].references == 1
            {
                self.pending[*id].special = Special::Starred;
                self.pending[*id].effects.acts = true;
                self.fresh[container].items.push(value);
                continue;
            }
            self.push(value);
            match kind {
                FreshKind::Dict => self.add_mapping(1, of_call)?,
                _ => self.add_item(kind, 1, true)?,
            }
        }
        Ok(())
    }

    /// A value that is unpacked: a local or a constant becomes a pending one, evaluated in front of those that follow.
    fn deferred_in_front(&mut self, value: Value, following: &[Value]) -> LiftResult<Value> {
        if !value.is_atom() && !matches!(value, Value::Local(..)) {
            return Ok(value);
        }
        let mut effects = Effects::NONE;
        let expr = self.convert(value, &mut effects)?;
        let value = self.defer(expr, effects, Special::None);
        let mut behind = Vec::new();
        following.iter().for_each(|value| self.collect(value, &mut behind));
        if let Some(first) = self.live.iter().position(|live| behind.contains(live)) {
            self.live[first..].rotate_right(1);
        }
        Ok(value)
    }

    /// The items of a display. Those between two iterables are a tuple (in a set, a set); two of these side by side,
    /// one alone, or one without items, were written with a star.
    fn items_of(&self, parts: Vec<Expr>, in_set: bool) -> Vec<Expr> {
        let mut items = Vec::with_capacity(parts.len());
        let mut beside = parts.len() == 1;
        for part in parts {
            let origin = part.origin;
            match part.kind {
                ExprKind::Set(group) if in_set && !beside && is_group(&group) => items.extend(group),
                ExprKind::Tuple(group) if !in_set && !beside && is_group(&group) => items.extend(group),
                ExprKind::Literal(Literal::Tuple(group)) if !in_set && !beside && !group.is_empty() => {
                    items.extend(group.into_iter().map(|item| Expr::new(origin, ExprKind::Literal(item))));
                }
                kind => {
                    let iterable = Box::new(Expr::new(origin, kind));
                    items.push(self.expr(ExprKind::Starred(iterable)));
                    beside = false;
                    continue;
                }
            }
            beside = true;
        }
        items
    }
}

/// Whether the compiler may have made a display of items between iterables: what unpacks one itself was written.
fn is_group(items: &[Expr]) -> bool {
    !items.is_empty() && !items.iter().any(|item| matches!(item.kind, ExprKind::Starred(_)))
}

/// The same for a dict, all keys of which are such as the compiler may have grouped; None as a key unpacks a mapping.
fn pairs_of(parts: Vec<Expr>, grouped: impl Fn(&Expr) -> bool) -> Vec<(Option<Expr>, Expr)> {
    let mut pairs = Vec::with_capacity(parts.len());
    let mut beside = parts.len() == 1;
    for part in parts {
        match part.kind {
            // What unpacks a mapping itself was written with `**`.
            ExprKind::Dict(group)
                if !beside
                    && !group.is_empty()
                    && group.iter().all(|(key, _)| key.as_ref().is_some_and(&grouped)) =>
            {
                pairs.extend(group);
                beside = true;
            }
            kind => {
                pairs.push((None, Expr::new(part.origin, kind)));
                beside = false;
            }
        }
    }
    pairs
}
