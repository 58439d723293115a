//! Fresh containers and functions: what is computed because nothing else has seen them.
//!
//! A list, set, dict or function that was made here is an object of its side until an effect takes it as an
//! operand. Until then it can be indexed, sliced, spliced and unpacked without anyone noticing. Tuples,
//! slices and strings are terms from the start: their identity is not observed, for CPython itself folds,
//! copies and shares them. The keys of a dict and the items of a set are hashed when the display is
//! complete, as the language reference leaves it open.

use depyf_bytecode::{FunctionParts, Op, UnpackKind};

use super::machine::{Flow, Machine, Stop};
use super::side::Which;
use super::state::{Content, Stuck};
use super::terms::{Atom, INCOMPLETE, Kind, Term};

/// So many items are copied from container to container while two functions are compared.
const MOST_COPIED: usize = 1 << 22;

impl Machine<'_, '_> {
    /// Containers, functions, and what is done to fresh ones. What is none of it is an effect.
    pub(super) fn build(&mut self, op: Op) -> Result<Flow, Stuck> {
        let done = match op {
            Op::BuildTuple(count) => {
                let items = self.pop_many(count)?;
                let tuple = self.make(Kind::Tuple, &items);
                self.push(tuple);
                true
            }
            Op::BuildList(count) => self.build_object(Content::List, count)?,
            Op::BuildSet(count) => self.build_object(Content::Set, count)?,
            Op::BuildMap(pairs) => self.build_object(Content::Dict, pairs.saturating_mul(2))?,
            Op::BuildConstKeyMap(count) => {
                let keys = self.pop()?;
                let keys = self.shared.terms.children(keys).to_vec();
                let values = self.pop_many(count)?;
                if keys.len() != values.len() {
                    return Err("a dict has as many keys as values");
                }
                let items = keys.into_iter().zip(values).flat_map(|(key, value)| [key, value]).collect();
                let dict = self.create(Content::Dict, items);
                self.push(dict);
                true
            }
            Op::BuildString(count) => {
                let parts = self.pop_many(count)?;
                let joined = self.join(&parts);
                self.push(joined);
                true
            }
            Op::BuildSlice(count) => {
                let mut bounds = self.pop_many(count)?;
                if count == 2 {
                    bounds.push(self.shared.terms.none());
                }
                let slice = self.make(Kind::Slice, &bounds);
                self.push(slice);
                true
            }
            Op::ListExtend(depth) | Op::SetUpdate(depth) | Op::DictUpdate(depth) | Op::DictMerge(depth)
                if self.continues_incomplete(depth)? =>
            {
                true
            }
            Op::ListAppend(depth) => self.append(depth, 1, Content::List)?,
            Op::SetAdd(depth) => self.append(depth, 1, Content::Set)?,
            Op::MapAdd(depth) => self.append(depth, 2, Content::Dict)?,
            Op::ListExtend(depth) => self.extend(depth, Content::List)?,
            Op::SetUpdate(depth) => self.extend(depth, Content::Set)?,
            Op::DictUpdate(depth) => self.update(depth, false)?,
            Op::DictMerge(depth) => self.update(depth, true)?,
            Op::ListToTuple => {
                let list = self.peek(1)?;
                let items = match self.state.object(&self.shared.terms, list) {
                    Some(object) if object.content == Content::List => object.items.clone(),
                    _ => return Ok(Flow::Stop(Stop::Effect)),
                };
                self.pop()?;
                let tuple = self.make(Kind::Tuple, &items);
                self.push(tuple);
                true
            }
            Op::BuildUnpack(kind, count) => self.build_unpack(kind, count)?,
            Op::Subscript => self.subscript()?,
            Op::BinarySlice => self.with_slice(Self::subscript)?,
            Op::StoreSlice => self.with_slice(Self::store_subscript)?,
            Op::StoreSubscript => self.store_subscript()?,
            Op::DeleteSubscript => self.delete_subscript()?,
            Op::Unpack(count) => self.unpack(count as usize)?,
            Op::UnpackEx { before, after } => self.unpack_ex(before as usize, after as usize)?,
            Op::MakeFunction(parts) => {
                self.make_function(parts)?;
                true
            }
            Op::SetFunctionAttribute(part) => self.set_function_attribute(part)?,
            Op::LoadAttr(name) => self.load_attribute(name)?,
            _ => false,
        };
        Ok(if done { Flow::Next } else { Flow::Stop(Stop::Effect) })
    }

    /// Whether patterns `[..]` and `{..}` may match what was made here; both sides have an object of their own for it.
    pub(super) fn is_sequence_or_mapping(&self, subject: Term) -> Option<[bool; 2]> {
        if self.shared.terms.kind(subject) == Kind::Tuple {
            return Some([true, false]);
        }
        Some(match self.state.object(&self.shared.terms, subject)?.content {
            Content::List => [true, false],
            Content::Dict => [false, true],
            Content::Set | Content::Function => [false, false],
            Content::Published => return None,
        })
    }

    /// `[*a, ..]` for what fills a list that is in nobody's hands: the source has no other spelling. Then the display is that
    /// list.
    fn continues_incomplete(&mut self, depth: u32) -> Result<bool, Stuck> {
        let value = self.peek(1)?;
        if self.side.which != Which::Source || !self.shared.terms.has(value, INCOMPLETE) {
            return Ok(false);
        }
        let display = self.state.object(&self.shared.terms, self.peek(depth as usize + 1)?);
        if display.is_none_or(|display| !display.items.is_empty()) {
            return Ok(false);
        }
        self.pop()?;
        let at = self.state.index(depth as usize)?;
        self.state.stack[at] = value;
        Ok(true)
    }

    fn build_object(&mut self, content: Content, count: u32) -> Result<bool, Stuck> {
        let items = self.pop_many(count)?;
        let object = self.create(content, items);
        self.push(object);
        Ok(true)
    }

    /// The parts of an f-string: constant parts that meet are one.
    fn join(&mut self, parts: &[Term]) -> Term {
        let mut joined: Vec<Term> = Vec::with_capacity(parts.len());
        for &part in parts {
            let inner = match self.shared.terms.kind(part) {
                Kind::Joined => self.shared.terms.children(part).to_vec(),
                _ => vec![part],
            };
            for part in inner {
                let terms = &mut self.shared.terms;
                let last = joined.last().and_then(|&last| terms.as_atom(last).cloned());
                match (last, terms.as_atom(part).cloned()) {
                    (_, Some(Atom::Str(text))) if text.is_empty() => {}
                    (Some(Atom::Str(a)), Some(Atom::Str(b))) => {
                        let bytes = [a.as_wtf8(), b.as_wtf8()].concat();
                        match depyf_value::PyStr::from_wtf8(&bytes) {
                            Some(text) => {
                                joined.pop();
                                joined.push(terms.atom(Atom::Str(text)));
                            }
                            None => joined.push(part),
                        }
                    }
                    _ => joined.push(part),
                }
            }
        }
        match &joined[..] {
            [] => self.shared.terms.atom(Atom::Str("".into())),
            [only] if self.shared.terms.as_atom(*only).is_some() => *only,
            _ => self.make(Kind::Joined, &joined),
        }
    }

    /// LIST_APPEND and its kin: the container lies at a depth that is counted after the pop.
    fn append(&mut self, depth: u32, count: usize, content: Content) -> Result<bool, Stuck> {
        let container = self.peek(depth as usize + count)?;
        let fresh = self.state.object(&self.shared.terms, container);
        if !fresh.is_some_and(|object| object.content == content) {
            return Ok(false);
        }
        let items = self.pop_many(count as u32)?;
        if let Some(object) = self.state.object_mut(&self.shared.terms, container) {
            object.items.extend(items);
        }
        Ok(true)
    }

    /// The items of a value that is known to hold them, and that can be iterated without anyone noticing.
    pub(super) fn known_items(&self, value: Term) -> Option<Vec<Term>> {
        let items = match self.state.object(&self.shared.terms, value) {
            Some(object) => (object.content == Content::List).then_some(&object.items[..]),
            None => match self.shared.terms.kind(value) {
                Kind::Tuple | Kind::FrozenSet => Some(self.shared.terms.children(value)),
                _ => None,
            },
        };
        items.filter(|items| self.may_copy(items.len())).map(<[Term]>::to_vec)
    }

    /// Whether so many items may be copied: unpacking a list into the next, over and over, doubles them.
    fn may_copy(&self, count: usize) -> bool {
        let copied = self.shared.copied.get().saturating_add(count);
        self.shared.copied.set(copied);
        copied <= MOST_COPIED
    }

    /// LIST_EXTEND, SET_UPDATE: what is not known is unpacked by an effect, see `effects.rs`.
    fn extend(&mut self, depth: u32, content: Content) -> Result<bool, Stuck> {
        let value = self.peek(1)?;
        let container = self.peek(depth as usize + 1)?;
        let fresh = self.state.object(&self.shared.terms, container);
        let Some(items) = self.known_items(value) else { return Ok(false) };
        if !fresh.is_some_and(|object| object.content == content) {
            return Ok(false);
        }
        self.pop()?;
        if let Some(object) = self.state.object_mut(&self.shared.terms, container) {
            object.items.extend(items);
        }
        Ok(true)
    }

    /// DICT_UPDATE, and DICT_MERGE, which refuses a key that is there already.
    fn update(&mut self, depth: u32, merge: bool) -> Result<bool, Stuck> {
        let value = self.peek(1)?;
        let container = self.peek(depth as usize + 1)?;
        let terms = &self.shared.terms;
        let dict = |term| self.state.object(terms, term).filter(|object| object.content == Content::Dict);
        let (Some(into), Some(from)) = (dict(container), dict(value)) else { return Ok(false) };
        if !self.may_copy(from.items.len()) {
            return Ok(false);
        }
        let items = from.items.clone();
        if merge {
            let mut all = into.items.clone();
            all.extend(&items);
            if !self.has_distinct_names(&all) {
                return Ok(false);
            }
        }
        self.pop()?;
        if let Some(object) = self.state.object_mut(&self.shared.terms, container) {
            object.items.extend(items);
        }
        Ok(true)
    }

    /// Whether the keys of a dict's items are strings, none twice, with nothing unpacked among them.
    pub(super) fn has_distinct_names(&self, items: &[Term]) -> bool {
        let mut keys: Vec<Term> = items.iter().copied().step_by(2).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        keys.len() == count
            && keys.iter().all(|&key| matches!(self.shared.terms.as_atom(key), Some(Atom::Str(_))))
    }

    /// BUILD_x_UNPACK (3.8) of values that are all known.
    fn build_unpack(&mut self, kind: UnpackKind, count: u32) -> Result<bool, Stuck> {
        let content = match kind {
            UnpackKind::List | UnpackKind::Tuple | UnpackKind::TupleForCall => Content::List,
            UnpackKind::Set => Content::Set,
            UnpackKind::Map | UnpackKind::MapForCall => return Ok(false),
        };
        let mut items = Vec::new();
        for depth in (1..=count as usize).rev() {
            let value = self.peek(depth)?;
            match self.known_items(value) {
                Some(found) => items.extend(found),
                None => return Ok(false),
            }
        }
        self.pop_many(count)?;
        let built = match kind {
            UnpackKind::Tuple | UnpackKind::TupleForCall => self.make(Kind::Tuple, &items),
            _ => self.create(content, items),
        };
        self.push(built);
        Ok(true)
    }

    /// The items of a fresh list or of a tuple, none of them unpacked from something unknown.
    fn sequence(&self, value: Term) -> Option<Vec<Term>> {
        let terms = &self.shared.terms;
        if terms.kind(value) == Kind::FrozenSet {
            return None;
        }
        self.known_items(value).filter(|items| !items.iter().any(|&item| terms.kind(item) == Kind::Star))
    }

    fn integer(&self, term: Term) -> Option<i64> {
        match self.shared.terms.as_atom(term)? {
            Atom::Int(value) => value.to_i64(),
            Atom::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// A constant index into `length` items.
    fn index_into(&self, key: Term, length: usize) -> Option<usize> {
        let index = self.integer(key)?;
        let index = if index < 0 { index + length as i64 } else { index };
        usize::try_from(index).ok().filter(|&index| index < length)
    }

    /// Start, stop and step of a constant slice of `length` items, as `slice.indices` gives them.
    fn slice_bounds(&self, key: Term, length: usize) -> Option<(i64, i64, i64)> {
        let terms = &self.shared.terms;
        if terms.kind(key) != Kind::Slice {
            return None;
        }
        let &[start, stop, step] = terms.children(key) else { return None };
        let number = |term: Term, default: i64| match terms.as_atom(term) {
            Some(Atom::None) => Some(default),
            _ => self.integer(term),
        };
        let step = number(step, 1).filter(|&step| step != 0)?;
        let length = length as i64;
        let (lowest, highest) = if step < 0 { (-1, length - 1) } else { (0, length) };
        let (first, behind) = if step < 0 { (highest, lowest) } else { (lowest, highest) };
        let bound = |term: Term, default: i64| {
            if matches!(terms.as_atom(term), Some(Atom::None)) {
                return Some(default);
            }
            let at = self.integer(term)?;
            Some((if at < 0 { at + length } else { at }).clamp(lowest, highest))
        };
        Some((bound(start, first)?, bound(stop, behind)?, step))
    }

    /// A constant slice of `length` items, without a step.
    fn slice_of(&self, key: Term, length: usize) -> Option<(usize, usize)> {
        let (start, stop, step) = self.slice_bounds(key, length)?;
        (step == 1).then_some((start as usize, stop.max(start) as usize))
    }

    /// Which of `length` items a constant slice takes.
    fn sliced(&self, key: Term, length: usize) -> Option<Vec<usize>> {
        let (start, stop, step) = self.slice_bounds(key, length)?;
        let goes_on = |&at: &i64| if step < 0 { at > stop } else { at < stop };
        let places = std::iter::successors(Some(start), |at| at.checked_add(step)).take_while(goes_on);
        Some(places.map(|at| at as usize).collect())
    }

    /// Does with a slice object on the stack what BINARY_SLICE and STORE_SLICE do with two bounds.
    fn with_slice(&mut self, run: impl Fn(&mut Self) -> Result<bool, Stuck>) -> Result<bool, Stuck> {
        let bounds = self.pop_many(2)?;
        let none = self.shared.terms.none();
        let slice = self.make(Kind::Slice, &[bounds[0], bounds[1], none]);
        self.push(slice);
        let done = run(self)?;
        if !done {
            self.pop()?;
            self.state.stack.extend(bounds);
        }
        Ok(done)
    }

    fn subscript(&mut self) -> Result<bool, Stuck> {
        let (key, value) = (self.peek(1)?, self.peek(2)?);
        let result = if self.shared.terms.kind(value) == Kind::TupleClass {
            if self.shared.terms.kind(key) != Kind::Slice {
                return Ok(false);
            }
            self.make(Kind::Alias, &[key])
        } else if self.shared.terms.kind(value) == Kind::CodeConstants {
            let held = self.side.held(self.shared.terms.node(value).payload);
            match held.filter(|(index, _)| self.integer(key) == Some(*index)) {
                Some((_, constant)) => constant,
                None => return Ok(false),
            }
        } else if let Some(length) = self.shared.terms.length_of_text(value) {
            let part = match (self.index_into(key, length), self.sliced(key, length)) {
                (Some(index), _) => self.shared.terms.item_of_text(value, index),
                (_, Some(places)) => self.shared.terms.part_of_text(value, &places),
                _ => None,
            };
            let Some(part) = part else { return Ok(false) };
            part
        } else {
            let Some(items) = self.sequence(value) else { return Ok(false) };
            if let Some(index) = self.index_into(key, items.len()) {
                items[index]
            } else if let Some(places) = self.sliced(key, items.len()) {
                let taken: Vec<Term> = places.into_iter().map(|at| items[at]).collect();
                if self.shared.terms.kind(value) == Kind::Tuple {
                    self.make(Kind::Tuple, &taken)
                } else {
                    self.create(Content::List, taken)
                }
            } else {
                return Ok(false);
            }
        };
        self.pop_many(2)?;
        let result = self.state.resolved(&self.shared.terms, result);
        self.push(result);
        Ok(true)
    }

    fn store_subscript(&mut self) -> Result<bool, Stuck> {
        let (key, container, value) = (self.peek(1)?, self.peek(2)?, self.peek(3)?);
        let fresh = self.state.object(&self.shared.terms, container);
        if !fresh.is_some_and(|object| object.content == Content::List) {
            return Ok(false);
        }
        let Some(mut items) = self.sequence(container) else { return Ok(false) };
        if let Some(index) = self.index_into(key, items.len()) {
            items[index] = value;
        } else if let (Some((start, stop)), Some(new)) =
            (self.slice_of(key, items.len()), self.sequence(value))
        {
            items.splice(start..stop, new);
        } else {
            return Ok(false);
        }
        self.pop_many(3)?;
        if let Some(object) = self.state.object_mut(&self.shared.terms, container) {
            object.items = items;
        }
        Ok(true)
    }

    fn delete_subscript(&mut self) -> Result<bool, Stuck> {
        let (key, container) = (self.peek(1)?, self.peek(2)?);
        let fresh = self.state.object(&self.shared.terms, container);
        if !fresh.is_some_and(|object| object.content == Content::List) {
            return Ok(false);
        }
        let Some(items) = self.sequence(container) else { return Ok(false) };
        let range = match (self.index_into(key, items.len()), self.slice_of(key, items.len())) {
            (Some(index), _) => index..index + 1,
            (None, Some((start, stop))) => start..stop,
            (None, None) => return Ok(false),
        };
        self.pop_many(2)?;
        if let Some(object) = self.state.object_mut(&self.shared.terms, container) {
            object.items.drain(range);
        }
        Ok(true)
    }

    fn unpack(&mut self, count: usize) -> Result<bool, Stuck> {
        let value = self.peek(1)?;
        let Some(items) = self.sequence(value).filter(|items| items.len() == count) else { return Ok(false) };
        self.pop()?;
        self.push_reversed(&items);
        Ok(true)
    }

    fn unpack_ex(&mut self, before: usize, after: usize) -> Result<bool, Stuck> {
        let value = self.peek(1)?;
        let Some(mut items) = self.sequence(value).filter(|items| items.len() >= before + after) else {
            return Ok(false);
        };
        self.pop()?;
        let middle: Vec<Term> = items.drain(before..items.len() - after).collect();
        let list = self.create(Content::List, middle);
        items.insert(before, list);
        self.push_reversed(&items);
        Ok(true)
    }

    fn push_reversed(&mut self, items: &[Term]) {
        for &item in items.iter().rev() {
            let item = self.state.resolved(&self.shared.terms, item);
            self.push(item);
        }
    }

    fn make_function(&mut self, parts: FunctionParts) -> Result<(), Stuck> {
        let code = self.pop()?;
        let junk = self.make(Kind::Junk, &[]);
        let mut items = vec![code, junk, junk, junk, junk, junk];
        let slots = [
            FunctionParts::CLOSURE,
            FunctionParts::ANNOTATIONS,
            FunctionParts::KEYWORD_DEFAULTS,
            FunctionParts::DEFAULTS,
        ];
        for part in slots.into_iter().filter(|&part| parts.has(part)) {
            items[slot_of(part)] = self.pop()?;
        }
        let function = self.create(Content::Function, items);
        self.push(function);
        Ok(())
    }

    fn set_function_attribute(&mut self, part: FunctionParts) -> Result<bool, Stuck> {
        let (function, value) = (self.pop()?, self.pop()?);
        let slot = slot_of(part.0);
        match self.state.object_mut(&self.shared.terms, function) {
            Some(object) if object.content == Content::Function && part.0.count_ones() == 1 => {
                object.items[slot] = value;
                self.push(function);
                Ok(true)
            }
            _ => Err("a function that was passed on gets a part"),
        }
    }

    /// Attributes that are known: the code and cells of a fresh function, constants of that code, and how a bare
    /// slice is spelled.
    fn load_attribute(&mut self, name: u32) -> Result<bool, Stuck> {
        let name = *self.side.names.get(name as usize).ok_or("a name is missing")?;
        let value = self.peek(1)?;
        let known = self.shared.known;
        let terms = &self.shared.terms;
        let result = match self.state.object(terms, value) {
            Some(object) if object.content == Content::Function => match object.items[..] {
                [code, ..] if name == known.code => code,
                [.., closure, _] if name == known.closure && terms.kind(closure) == Kind::Tuple => closure,
                _ => return Ok(false),
            },
            Some(_) if name == known.iter => self.make(Kind::IterMethod, &[value]),
            Some(_) => return Ok(false),
            None => match terms.kind(value) {
                // Only what the source's nested functions hold is known.
                Kind::Code
                    if name == known.code_constants
                        && self.side.held(terms.node(value).payload).is_some() =>
                {
                    let payload = terms.node(value).payload;
                    self.shared.terms.make(Kind::CodeConstants, payload, &[])
                }
                Kind::Tuple if name == known.iter => self.make(Kind::IterMethod, &[value]),
                Kind::Tuple if name == known.class => self.make(Kind::TupleClass, &[]),
                Kind::Alias if name == known.args => {
                    let slice = self.shared.terms.child(value);
                    self.make(Kind::Tuple, &[slice])
                }
                _ => return Ok(false),
            },
        };
        self.pop()?;
        self.push(result);
        Ok(true)
    }
}

/// Where a part lies among the items of a function object.
fn slot_of(part: u32) -> usize {
    match part {
        FunctionParts::DEFAULTS => 1,
        FunctionParts::KEYWORD_DEFAULTS => 2,
        FunctionParts::ANNOTATIONS => 3,
        FunctionParts::CLOSURE => 4,
        _ => 5,
    }
}
