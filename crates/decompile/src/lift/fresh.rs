//! Fresh containers: partial evaluation of list packing.
//!
//! A container that was built in this function and that no other code has seen yet can be indexed, sliced,
//! spliced and unpacked while decompiling: nothing can observe the difference. It stops being fresh when it
//! is passed on, stored or named. This turns the thirty instructions with which Dynamo packs a frame into
//! `return __resume_at_100_4([], [], b, x)`.

use std::ops::RangeBounds;

use depyf_bytecode::{CompilerFeatures, Op};
use depyf_syntax::ast::{Expr, ExprKind, Keyword, Literal, Origin, StmtKind};
use smallvec::SmallVec;

use super::keys::{slice_of, spell_bare};
use super::naming::temporary;
use super::unfolded::SHORTEST_CONSTANT;
use super::value::FreshId;
use crate::View;

use super::{Effects, Fresh, FreshKind, LiftResult, Lifter, Special, Value};

impl Lifter<'_> {
    /// Builds a container from the top values.
    pub(super) fn build(&mut self, kind: FreshKind, count: usize) -> LiftResult<()> {
        let start = self.top(count)?;
        let items = self.stack[start..].iter().map(|&item| self.resolve(item)).collect();
        self.stack.truncate(start);
        self.push_fresh(kind, items);
        Ok(())
    }

    fn push_fresh(&mut self, kind: FreshKind, items: Vec<Value>) {
        let value = self.fresh_value(kind, items, self.offset);
        self.push(value);
    }

    /// A new container, which the instruction at an offset built from its items.
    pub(super) fn fresh_value(&mut self, kind: FreshKind, items: Vec<Value>, origin: u32) -> Value {
        let built_from = items.len();
        let fresh =
            Fresh { kind, items, references: 1, named: None, origin, built_from, filled_from: None, part: 0 };
        self.fresh.push(fresh);
        Value::Fresh(self.fresh.len() - 1)
    }

    /// Pushes the slice object of two or three bounds.
    pub(super) fn push_slice(&mut self, bounds: &[Value]) {
        self.keep_operations(bounds);
        self.push_fresh(FreshKind::Slice, bounds.to_vec());
    }

    pub(super) fn build_const_key_map(&mut self, count: usize) -> LiftResult<()> {
        let keys = self.pop()?;
        let Some(keys) = self.constant_items(keys) else {
            return self.error("the keys of a dict are no constant tuple");
        };
        let values = self.pop_many(count)?;
        if keys.len() != values.len() {
            return self.error("a dict has as many keys as values");
        }
        let pair = |(key, value)| [self.atom(key), value];
        let items = keys.into_iter().zip(values).flat_map(pair).collect();
        self.push_fresh(FreshKind::Dict, items);
        if let Some(dict) = self.fresh.last_mut() {
            dict.built_from = 0;
        }
        Ok(())
    }

    /// The items of a constant tuple.
    pub(super) fn constant_items(&self, value: Value) -> Option<Vec<Expr>> {
        let expr = self.atom_of(value)?;
        match &expr.kind {
            ExprKind::Literal(Literal::Tuple(items) | Literal::FrozenSet(items)) => {
                let literal = |item: &Literal| Expr::new(expr.origin, ExprKind::Literal(item.clone()));
                Some(items.iter().map(literal).collect())
            }
            ExprKind::Tuple(items) => Some(items.clone()),
            _ => None,
        }
    }

    /// Whether the value is an unpacked iterable inside a container.
    pub(super) fn is_star(&self, value: Value) -> bool {
        match value {
            Value::Starred(_) => true,
            Value::Pending(id) => matches!(self.pending[id].special, Special::Starred),
            _ => false,
        }
    }

    /// The fresh sequence behind a value, whose items are all known.
    fn known_sequence(&self, value: Value) -> Option<FreshId> {
        let Value::Fresh(id) = value else { return None };
        let fresh = &self.fresh[id];
        let known = matches!(fresh.kind, FreshKind::List | FreshKind::Tuple)
            && fresh.named.is_none()
            && !fresh.items.iter().any(|&item| self.is_star(item));
        known.then_some(id)
    }

    /// Whether copies of the container cannot be told apart from one: an immutable one without effects.
    pub(super) fn is_constant_tuple(&self, id: FreshId) -> bool {
        let fresh = &self.fresh[id];
        matches!(fresh.kind, FreshKind::Tuple | FreshKind::Slice)
            && fresh.items.iter().all(|&item| match self.resolve(item) {
                // What is unpacked was named, or is constant.
                Value::Atom(_) | Value::Temp(..) | Value::Named(_) => true,
                Value::Local(..) | Value::Starred(_) => true,
                Value::Fresh(inner) if self.fresh[inner].kind == FreshKind::Slice => {
                    let parts = &self.fresh[inner].items;
                    parts.iter().all(|&part| self.is_atom(part))
                }
                _ => false,
            })
    }

    /// Appends the top of the stack to a list or set, or all its items.
    pub(super) fn add_item(&mut self, kind: FreshKind, depth: u32, unpack: bool) -> LiftResult<()> {
        let value = self.pop()?;
        let target = self.container_at(kind, depth)?;
        let target = self.apart_from(target, &[value])?;
        let Value::Fresh(id) = target else {
            return self.add_to_named(target, value, kind, unpack);
        };
        if self.fresh[id].kind != kind && !(unpack && self.fresh[id].kind == FreshKind::Tuple) {
            return self.error("an item is added to a container of another kind");
        }
        self.restore_star(id, unpack);
        if !unpack {
            self.fresh[id].items.push(value);
            return Ok(());
        }
        // The compiler extends by a tuple only where a display holds nothing but constants, and a set by no tuple at all.
        let is_set = |value| matches!(self.literal_of(value), Some(Literal::FrozenSet(_)));
        let is_display = self.context.packs_values
            || self.fresh[id].items.is_empty() && (kind != FreshKind::Set || is_set(value));
        if self.context.packs_values && self.splice(id, value) {
            return Ok(());
        }
        if let Some(items) = self.displayed_constants(value).filter(|_| is_display) {
            for item in items {
                let item = self.atom(item);
                self.fresh[id].items.push(item);
            }
            if let Value::Atom(constant) = value {
                self.fresh[id].filled_from = self.atoms[constant].take().map(Box::new);
            }
        } else {
            let (expr, mut effects) = self.take_one(value)?;
            effects.acts = true;
            let item = self.defer(expr, effects, Special::Starred);
            self.fresh[id].items.push(item);
        }
        Ok(())
    }

    /// The constants of a display that the compiler made from one constant, which it does with three or more
    /// (`Python/codegen.c`, `starunpack_helper_impl`). A set that holds fewer was written with some of them twice; other
    /// constants were unpacked by the user.
    fn displayed_constants(&self, value: Value) -> Option<Vec<Expr>> {
        let mut items = self.constant_items(value)?;
        if items.len() >= SHORTEST_CONSTANT || self.context.packs_values {
            return Some(items);
        }
        let Some(Literal::FrozenSet(_)) = self.literal_of(value) else { return None };
        let last = items.last()?.clone();
        items.resize(SHORTEST_CONSTANT, last);
        Some(items)
    }

    /// Adds the items of a sequence, if all are known; returns whether they are.
    pub(super) fn splice(&mut self, id: FreshId, value: Value) -> bool {
        let Some(from) = self.known_sequence(value).filter(|&from| self.may_splice(from)) else {
            return false;
        };
        let items = self.duplicates(from, ..);
        self.release(&value);
        self.fresh[id].items.extend(items);
        true
    }

    /// Items of a container for one more holder.
    fn duplicates(&mut self, id: FreshId, range: impl RangeBounds<usize>) -> Vec<Value> {
        let range = (range.start_bound().cloned(), range.end_bound().cloned());
        let mut items = self.fresh[id].items[range].to_vec();
        for item in &mut items {
            *item = self.duplicate(*item);
        }
        items
    }

    /// A container that is no longer fresh gets the item by a method call.
    fn add_to_named(&mut self, target: Value, value: Value, kind: FreshKind, unpack: bool) -> LiftResult<()> {
        if let Value::Pending(id) = target {
            self.name_until(id)?;
        }
        let Some(container) = self.copied_atom(self.resolve(target)) else {
            return self.error("an item is added to no container");
        };
        let method = match (kind, unpack) {
            (FreshKind::List, false) => "append",
            (FreshKind::List, true) => "extend",
            (FreshKind::Set, false) => "add",
            _ => "update",
        };
        let (value, mut effects) = self.take_one(value)?;
        effects.acts = true;
        let func = ExprKind::Attribute { value: Box::new(container), attr: method.into() };
        let call = self.expr(ExprKind::call(self.expr(func), vec![value], Vec::new()));
        self.print(StmtKind::Expr(call), &effects)
    }

    /// MAP_ADD: key and value from the top of the stack into the dict at a depth.
    pub(super) fn add_pair(&mut self, depth: u32) -> LiftResult<()> {
        let pair: [Value; 2] = self.pop_array()?;
        let target = self.container_at(FreshKind::Dict, depth)?;
        match self.apart_from(target, &pair)? {
            Value::Fresh(id) if self.fresh[id].kind == FreshKind::Dict => {
                self.fresh[id].items.extend(pair);
                Ok(())
            }
            target => {
                let Some(container) = self.copied_atom(target) else {
                    return self.error("a pair is added to no dict");
                };
                let (exprs, mut effects) = self.take(&pair)?;
                effects.acts = true;
                let mut exprs = exprs.into_iter();
                let (Some(key), Some(value)) = (exprs.next(), exprs.next()) else {
                    return self.error("a pair lacks a part");
                };
                let item = ExprKind::Subscript { value: Box::new(container), index: Box::new(key) };
                let target = self.expr(item);
                self.print(StmtKind::Assign { targets: vec![target], value }, &effects)
            }
        }
    }

    /// DICT_UPDATE and DICT_MERGE: `**mapping` into the dict at a depth.
    pub(super) fn add_mapping(&mut self, depth: u32, of_call: bool) -> LiftResult<()> {
        let value = self.pop()?;
        let target = self.container_at(FreshKind::Dict, depth)?;
        let target = self.apart_from(target, &[value])?;
        let Value::Fresh(id) = target else {
            return self.add_to_named(target, value, FreshKind::Dict, true);
        };
        if let Value::Fresh(from) = value
            && self.fresh[from].kind == FreshKind::Dict
            && self.fresh[from].named.is_none()
            && self.fresh[from].references == 1
        {
            let unpacked =
                self.fresh[id].items.iter().rev().nth(1) == Some(&Value::Null) || self.is_full_part(id);
            // Nothing is unpacked to such a dict, and the keys of a call's are its keywords.
            let is_grouped = |&key: &Value| match key {
                key if key.is_atom() && of_call => self.atom_of(key).is_some_and(names_argument),
                key => !of_call && key != Value::Null,
            };
            let from_items = &self.fresh[from].items;
            let plain = !from_items.is_empty() && from_items.iter().step_by(2).all(is_grouped);
            if self.context.packs_values || unpacked && plain {
                let items = std::mem::take(&mut self.fresh[from].items);
                let target = &mut self.fresh[id];
                target.part = target.items.len();
                target.items.extend(items);
            } else {
                // The compiler adds a dict of its own only behind one that was unpacked, or behind so many pairs that it
                // began another one: this one was written.
                self.unpack_to(id, value);
            }
            return Ok(());
        }
        let (expr, mut effects) = self.take_one(value)?;
        effects.acts = true;
        let item = self.defer(expr, effects, Special::None);
        self.unpack_to(id, item);
        Ok(())
    }

    /// Adds a mapping to a dict that unpacks it.
    fn unpack_to(&mut self, id: FreshId, mapping: Value) {
        let target = &mut self.fresh[id];
        target.items.extend([Value::Null, mapping]);
        target.part = target.items.len();
    }

    /// Whether a dict ends with so many pairs that the compiler makes another one of the next pairs of a display.
    fn is_full_part(&self, id: FreshId) -> bool {
        let found = &self.fresh[id];
        let pairs = found.items.len().saturating_sub(found.part) / 2;
        CompilerFeatures::of(self.context.code.version)
            .is_some_and(|compiler| compiler.pairs_of_a_part() == Some(pairs))
    }

    pub(super) fn list_to_tuple(&mut self) -> LiftResult<()> {
        let value = self.pop()?;
        if let Value::Fresh(id) = value {
            self.restore_star(id, false);
            let items = self.duplicates(id, ..);
            self.release(&value);
            self.push_fresh(FreshKind::Tuple, items);
            return Ok(());
        }
        let (expr, mut effects) = self.take_one(value)?;
        effects.acts = true;
        let item = self.defer(expr, effects, Special::Starred);
        self.push_fresh(FreshKind::Tuple, vec![item]);
        Ok(())
    }

    /// `object key -> object[key]`
    pub(super) fn subscript(&mut self) -> LiftResult<()> {
        let operands: [Value; 2] = self.pop_array()?;
        let [object, key] = operands;
        if let Some(id) = self.known_sequence(object).filter(|_| self.context.packs_values) {
            let length = self.fresh[id].items.len();
            if let Some(at) = self.constant_index(key, length) {
                let item = self.duplicate(self.fresh[id].items[at]);
                self.release(&object);
                self.push(item);
                return Ok(());
            }
            if let Some((start, end)) = self.constant_slice(key, length) {
                let items = self.duplicates(id, start..end);
                let kind = self.fresh[id].kind;
                self.release(&object);
                self.push_fresh(kind, items);
                return Ok(());
            }
        }
        let settled = self.is_settled(object) && key.is_atom();
        let (operands, mut effects) = self.take_for_index(&operands)?;
        effects.acts = true;
        let mut operands = operands.into_iter();
        let (Some(value), Some(index)) = (operands.next(), operands.next()) else {
            return self.error("a subscript lacks operands");
        };
        let mut kind = ExprKind::Subscript { value: Box::new(value), index: Box::new(index) };
        if settled {
            let item = self.atom(self.expr(kind));
            self.push(item);
        } else {
            self.keep_unfolded(&mut kind);
            self.push_expr(kind, effects);
        }
        Ok(())
    }

    /// Whether reading from the value gives the same at any time, in the view that may rely on it: it is what
    /// a compiled graph returned, or a module or the builtins that Dynamo installed.
    pub(super) fn is_settled(&self, value: Value) -> bool {
        let context = self.context;
        if context.scope.options.view != View::Readable {
            return false;
        }
        match value {
            Value::Local(local, _) => {
                let stores = context.function.instructions.iter();
                let stores = stores.filter(|instruction| instruction.op == Op::StoreLocal(local)).count();
                let variable = context.function.variables.get(local as usize);
                stores == 1 && variable.is_some_and(|variable| crate::dynamo::is_graph_output(&variable.name))
            }
            value => match self.atom_of(value) {
                Some(Expr { kind: ExprKind::Name(name), .. }) => crate::dynamo::is_installed_namespace(name),
                _ => false,
            },
        }
    }

    /// `object[key] = value` on a fresh list; false where it cannot be computed now.
    pub(super) fn store_fresh(&mut self, object: Value, key: Value, value: Value) -> LiftResult<bool> {
        let Some(id) = self.known_sequence(object) else { return Ok(false) };
        if self.fresh[id].kind != FreshKind::List || self.is_held_by(id, &[value]) {
            return Ok(false);
        }
        let length = self.fresh[id].items.len();
        if let Some(at) = self.constant_index(key, length) {
            let old = std::mem::replace(&mut self.fresh[id].items[at], value);
            self.release(&old);
        } else if let (Some((start, end)), Some(from)) = (
            self.constant_slice(key, length),
            self.known_sequence(value).filter(|&from| self.may_splice(from)),
        ) {
            let items = self.duplicates(from, ..);
            self.release(&value);
            let old: Vec<Value> = self.fresh[id].items.splice(start..end.max(start), items).collect();
            old.iter().for_each(|item| self.release(item));
        } else {
            return Ok(false);
        }
        self.release(&object);
        Ok(true)
    }

    /// `del object[key]` on a fresh list; false where it cannot be computed now.
    pub(super) fn delete_fresh(&mut self, object: Value, key: Value) -> LiftResult<bool> {
        let Some(id) = self.known_sequence(object) else { return Ok(false) };
        let length = self.fresh[id].items.len();
        let range = match (self.constant_index(key, length), self.constant_slice(key, length)) {
            (Some(at), _) => at..at + 1,
            (None, Some((start, end))) => start..end,
            (None, None) => return Ok(false),
        };
        if self.fresh[id].kind != FreshKind::List {
            return Ok(false);
        }
        let old: Vec<Value> = self.fresh[id].items.drain(range).collect();
        old.iter().for_each(|item| self.release(item));
        self.release(&object);
        Ok(true)
    }

    /// A constant integer as index into `length` items.
    fn constant_index(&self, key: Value, length: usize) -> Option<usize> {
        let index = self.constant_int(key)?;
        let index = if index < 0 { index.checked_add(i64::try_from(length).ok()?)? } else { index };
        usize::try_from(index).ok().filter(|&index| index < length)
    }

    fn constant_int(&self, value: Value) -> Option<i64> {
        match self.literal_of(value) {
            Some(Literal::Int(value)) => value.to_i64(),
            _ => None,
        }
    }

    /// A slice with constant bounds and without step, as Python clips it to `length` items.
    fn constant_slice(&self, key: Value, length: usize) -> Option<(usize, usize)> {
        let parts: SmallVec<[Option<&Literal>; 3]> = match key {
            Value::Fresh(id) if self.fresh[id].kind == FreshKind::Slice => {
                self.fresh[id].items.iter().map(|&part| self.literal_of(part)).collect()
            }
            _ => match self.literal_of(key)? {
                Literal::Slice(parts) => parts.iter().map(Some).collect(),
                _ => return None,
            },
        };
        let (start, end) = match parts[..] {
            [start, end] | [start, end, Some(Literal::None)] => (start?, end?),
            _ => return None,
        };
        let bound = |literal: &Literal, absent: usize| match literal {
            Literal::None => Some(absent),
            Literal::Int(value) => {
                let value = value.to_i64()?;
                let value = if value < 0 { value.saturating_add(length as i64).max(0) } else { value };
                Some(usize::try_from(value).unwrap_or(usize::MAX).min(length))
            }
            _ => None,
        };
        let (start, end) = (bound(start, 0)?, bound(end, length)?);
        Some((start, end.max(start)))
    }

    /// Gives a fresh container a name; from then on it is an ordinary object.
    pub(super) fn name_fresh(&mut self, id: FreshId) -> LiftResult<()> {
        let references = std::mem::replace(&mut self.fresh[id].references, 1);
        let (value, effects) = self.take_one(Value::Fresh(id))?;
        self.fresh[id].references = references;
        let number = self.temporaries.fresh();
        self.print(StmtKind::Assign { targets: vec![temporary(number)], value }, &effects)?;
        self.fresh[id].named = Some(number);
        Ok(())
    }

    /// Gives a name to each empty container on the stack.
    pub(super) fn name_empty_containers(&mut self) -> LiftResult<()> {
        for at in 0..self.stack.len() {
            if let Value::Fresh(id) = self.stack[at]
                && matches!(self.fresh[id].kind, FreshKind::List | FreshKind::Set | FreshKind::Dict)
                && self.fresh[id].items.is_empty()
                && self.fresh[id].named.is_none()
            {
                self.name_fresh(id)?;
            }
        }
        Ok(())
    }

    /// The display of a fresh container.
    pub(super) fn convert_fresh(&mut self, id: FreshId, effects: &mut Effects) -> LiftResult<Expr> {
        let items = match self.fresh[id].references {
            1 => std::mem::take(&mut self.fresh[id].items),
            more => {
                self.fresh[id].references = more.saturating_sub(1);
                let mut items = self.fresh[id].items.clone();
                for item in &mut items {
                    // A slice in it has one holder more, too.
                    if let Value::Fresh(inner) = *item {
                        self.fresh[inner].references += 1;
                    }
                    *item = self.duplicate_atom(*item);
                }
                items
            }
        };
        let kind = self.fresh[id].kind;
        let origin = Origin(self.fresh[id].origin);
        if kind == FreshKind::Dict {
            let mut pairs = Vec::with_capacity(items.len() / 2);
            let mut items = items.into_iter();
            while let (Some(key), Some(value)) = (items.next(), items.next()) {
                let key = match key {
                    Value::Null => None,
                    key => Some(spell_bare(self.convert(key, effects)?)),
                };
                pairs.push((key, spell_bare(self.convert(value, effects)?)));
            }
            let mut kind = ExprKind::Dict(pairs);
            self.keep_display_unfolded(id, &mut kind);
            return Ok(Expr::new(origin, kind));
        }
        let mut exprs = Vec::with_capacity(items.len());
        for item in items {
            let expr = self.convert(item, effects)?;
            exprs.push(if matches!(kind, FreshKind::Tuple | FreshKind::Slice) {
                expr
            } else {
                spell_bare(expr)
            });
        }
        let mut kind = match kind {
            FreshKind::List => ExprKind::List(exprs),
            FreshKind::Tuple => ExprKind::Tuple(exprs),
            FreshKind::Set if exprs.is_empty() => {
                // `{*()}` is the empty set whatever the name `set` stands for.
                let empty = Box::new(Expr::new(Origin::NONE, ExprKind::Tuple(Vec::new())));
                ExprKind::Set(vec![Expr::new(Origin::NONE, ExprKind::Starred(empty))])
            }
            FreshKind::Set => ExprKind::Set(exprs),
            FreshKind::Slice => slice_of(exprs.into_iter(), true),
            FreshKind::Dict => return self.error("a dict is built from single items"),
        };
        match kind {
            ExprKind::Tuple(_) => self.keep_unfolded(&mut kind),
            _ => self.keep_display_unfolded(id, &mut kind),
        }
        Ok(Expr::new(origin, kind))
    }

    /// `**kwargs` of a call from a dict: names where every key is one.
    pub(super) fn keywords_of(&self, dict: Expr) -> Vec<Keyword> {
        match dict.kind {
            ExprKind::Dict(pairs) => pairs
                .into_iter()
                .map(|(key, value)| match key {
                    None => Keyword { name: None, value },
                    Some(Expr { kind: ExprKind::Literal(Literal::Str(name)), .. })
                        if crate::names::is_identifier(&name) =>
                    {
                        Keyword { name: Some(name), value }
                    }
                    key => {
                        let value = Expr::new(Origin::NONE, ExprKind::Dict(vec![(key, value)]));
                        Keyword { name: None, value }
                    }
                })
                .collect(),
            kind => vec![Keyword { name: None, value: Expr::new(dict.origin, kind) }],
        }
    }
}

/// Whether a key may be the name of an argument.
pub(super) fn names_argument(key: &Expr) -> bool {
    matches!(&key.kind, ExprKind::Literal(Literal::Str(name)) if crate::names::is_identifier(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_keyword() {
        let key = |kind| names_argument(&Expr::new(Origin::NONE, kind));
        let text = |text: &str| ExprKind::Literal(Literal::Str(text.into()));
        assert!(key(text("a")) && !key(text("a b")) && !key(text("class")));
        assert!(!key(ExprKind::Literal(Literal::Int(1.into()))));
    }
}
