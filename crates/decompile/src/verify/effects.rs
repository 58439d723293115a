//! Effects: everything that other code could see, or that can raise.

use depyf_bytecode::{CallLayout, Intrinsic1, Op, UnaryOp, UnpackKind, flags};

use super::machine::Machine;
use super::objects::with_sorted_constants;
use super::state::{Content, PROPAGATES, Stuck};
use super::terms::{Atom, BOOL, Kind, NONE, Name, Term};

/// What kind of effect it is. Operations of different versions that do the same have one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EffectKind {
    /// The operation, with its numbers that are indexes of the side set to zero.
    Op(Op),
    /// A read of a local that may have no value.
    CheckLocal,
    /// The truth of a value.
    Truth,
    /// All items of an iterable.
    Iterate,
    /// A call; the numbers are those of positional arguments and of keywords.
    Call(u32, u32),
    /// An exception leaves the function.
    Propagate,
    /// Runs in circles forever.
    Spin,
}

/// One effect.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    pub(super) kind: EffectKind,
    /// The name of what is read, stored or deleted.
    pub(super) name: Name,
    pub(super) operands: Vec<Term>,
    pub(super) results: usize,
    /// Flags of the symbols that are the results.
    pub(super) flags: u8,
    pub(super) raises: bool,
    /// Control does not go on behind it.
    pub(super) ends: bool,
}

/// No name.
const NAMELESS: Name = u32::MAX;

impl Effect {
    pub(super) fn new(kind: EffectKind, operands: Vec<Term>, results: usize) -> Self {
        Self { kind, name: NAMELESS, operands, results, flags: 0, raises: true, ends: false }
    }

    fn quiet(self) -> Self {
        Self { raises: false, ..self }
    }

    pub(super) fn named(self, name: Name) -> Self {
        Self { name, ..self }
    }

    fn ending(self) -> Self {
        Self { ends: true, ..self }
    }

    fn truth(self) -> Self {
        Self { flags: BOOL, ..self }
    }

    /// Two sides that run forever.
    pub(super) fn spin() -> Self {
        Self::new(EffectKind::Spin, Vec::new(), 0).ending()
    }
}

impl Machine<'_, '_> {
    /// The effect that the side stands before. Its operands leave the stack; [`Machine::finish`] goes on.
    pub(super) fn begin(&mut self) -> Result<Effect, Stuck> {
        if self.state.at == PROPAGATES {
            let mut exception = self.pop()?;
            // The source has no wrapper of its own for what 3.12 and later spell out.
            let wraps = self.side.which == super::side::Which::Source && self.shared.wraps;
            if self.shared.terms.kind(exception) == Kind::Bare {
                exception = self.shared.terms.child(exception);
            } else if wraps && self.side.is_generator() {
                exception = self.wrapped(exception);
            }
            return Ok(Effect::new(EffectKind::Propagate, vec![exception], 0).quiet().ending());
        }
        let op = self.side.op(self.state.at).ok_or("control runs off the end of the code")?;
        let same = EffectKind::Op(op);
        Ok(match op {
            Op::LoadLocal(id) | Op::DeleteLocal(id) => {
                let variable = self.side.variable(id).ok_or("there is no such local")?;
                let value = self.state.locals.get(id as usize).copied().ok_or("there is no such local")?;
                Effect::new(EffectKind::CheckLocal, vec![value], 1).named(variable.name)
            }
            Op::StoreLocal(_) => self.store_slots()?.quiet(),
            Op::LoadLocalAndClear(id) => self.variable(Op::LoadLocalAndClear(0), id, 0, 1)?.quiet(),
            Op::MakeCell(id) => self.variable(Op::MakeCell(0), id, 0, 0)?.quiet(),
            Op::LoadDeref(id) => self.variable(Op::LoadDeref(0), id, 0, 1)?,
            Op::StoreDeref(id) => self.variable(Op::StoreDeref(0), id, 1, 0)?.quiet(),
            Op::DeleteDeref(id) => self.variable(Op::DeleteDeref(0), id, 0, 0)?,
            Op::LoadFromDictOrDeref(id) => self.variable(Op::LoadFromDictOrDeref(0), id, 1, 1)?,
            Op::LoadClassDeref(id) => {
                let namespace = self.make(Kind::Namespace, &[]);
                self.push(namespace);
                self.variable(Op::LoadFromDictOrDeref(0), id, 1, 1)?
            }
            Op::LoadFromDictOrGlobals(name) => self.name(Op::LoadFromDictOrGlobals(0), name, 1, 1)?,
            Op::LoadGlobal(name) => self.name(Op::LoadGlobal(0), name, 0, 1)?,
            Op::StoreGlobal(name) => self.name(Op::StoreGlobal(0), name, 1, 0)?,
            Op::DeleteGlobal(name) => self.name(Op::DeleteGlobal(0), name, 0, 0)?,
            Op::LoadName(name) => self.name(Op::LoadName(0), name, 0, 1)?,
            Op::StoreName(name) => self.store_name(name)?,
            Op::DeleteName(name) => self.name(Op::DeleteName(0), name, 0, 0)?,
            Op::LoadAttr(name) => self.name(Op::LoadAttr(0), name, 1, 1)?,
            Op::StoreAttr(name) => self.name(Op::StoreAttr(0), name, 2, 0)?,
            Op::DeleteAttr(name) => self.name(Op::DeleteAttr(0), name, 1, 0)?,
            Op::LoadSuperAttr { name, two_arguments } => {
                self.name(Op::LoadSuperAttr { name: 0, two_arguments }, name, 3, 1)?
            }
            Op::Call { positional, layout } => self.call(positional, layout)?,
            Op::CallKeywords { arguments, layout } => self.call_keywords(arguments, layout)?,
            Op::CallEx { keywords, layout } => self.call_ex(keywords, layout)?,
            Op::Intrinsic1(Intrinsic1::ImportStar) => self.plain(Op::ImportStar, 1, 0)?,
            Op::Intrinsic1(_) => self.plain(op, 1, 1)?,
            Op::Intrinsic2(_) | Op::Compare(_) | Op::Inplace(_) | Op::Binary(_) | Op::Subscript => {
                self.plain(op, 2, 1)?
            }
            Op::Unary(UnaryOp::Not) | Op::ToBool => {
                let value = self.pop()?;
                Effect::new(EffectKind::Truth, vec![value], 1).truth()
            }
            Op::JumpIf(..) | Op::JumpIfOrPop(..) => {
                Effect::new(EffectKind::Truth, vec![self.peek(1)?], 1).truth()
            }
            Op::Unary(_) => self.plain(op, 1, 1)?,
            Op::Contains { .. } => self.contains()?,
            Op::BinarySlice => {
                let slice = self.slice()?;
                let value = self.pop()?;
                Effect::new(EffectKind::Op(Op::Subscript), vec![value, slice], 1)
            }
            Op::StoreSubscript => self.plain(op, 3, 0)?,
            Op::StoreSlice => {
                let slice = self.slice()?;
                let mut operands = self.pop_many(2)?;
                operands.push(slice);
                Effect::new(EffectKind::Op(Op::StoreSubscript), operands, 0)
            }
            Op::DeleteSubscript => self.plain(op, 2, 0)?,
            Op::ListAppend(depth) => self.add(Op::ListAppend(0), depth, 1)?.quiet(),
            Op::SetAdd(depth) => self.add(Op::SetAdd(0), depth, 1)?,
            Op::MapAdd(depth) => self.add(Op::MapAdd(0), depth, 2)?,
            Op::ListExtend(depth) => self.unpack_into(Op::ListExtend(0), depth)?,
            Op::SetUpdate(depth) => self.unpack_into(Op::SetUpdate(0), depth)?,
            Op::DictUpdate(depth) => self.unpack_into(Op::DictUpdate(0), depth)?,
            Op::DictMerge(depth) => self.unpack_into(Op::DictMerge(0), depth)?,
            Op::ListToTuple => self.plain(op, 1, 1)?,
            Op::BuildUnpack(kind, count) => {
                let kind = if kind == UnpackKind::TupleForCall { UnpackKind::Tuple } else { kind };
                self.plain(op, count, 1)?.of(Op::BuildUnpack(kind, count))
            }
            Op::Format { spec, .. } => {
                let mut effect = self.plain(op, 1 + u32::from(spec), 1)?;
                if self.shared.specs_may_end_empty
                    && let Some(spec) = effect.operands.get_mut(1)
                    && let (Kind::Joined, &[only]) =
                        (self.shared.terms.kind(*spec), self.shared.terms.children(*spec))
                {
                    *spec = only;
                }
                effect
            }
            Op::Convert(_) => self.plain(op, 1, 1)?,
            Op::BuildInterpolation { spec, .. } => self.plain(op, 2 + u32::from(spec), 1)?.quiet(),
            Op::BuildTemplate => self.plain(op, 2, 1)?.quiet(),
            Op::Unpack(count) => self.plain(op, 1, count as usize)?,
            Op::UnpackEx { before, after } => self.plain(op, 1, usize::from(before) + after as usize + 1)?,
            Op::GetIter => {
                // To 3.14 `yield from` takes a container as it is, a loop one of constants as the tuple that CPython makes
                // of it.
                let delegates = self.side.program().starts_delegation(self.state.at);
                let keeps = delegates && !self.shared.delegates_to_tuples;
                let kind = if delegates { Op::GetYieldFromIter } else { Op::GetIter };
                let value = if keeps { self.pop()? } else { self.iterable()? };
                Effect::new(EffectKind::Op(kind), vec![value], 1)
            }
            Op::GetYieldFromIter if self.shared.delegates_to_tuples => {
                Effect::new(same, vec![self.iterable()?], 1)
            }
            Op::GetYieldFromIter | Op::GetAwaitable | Op::GetAiter => self.plain(op, 1, 1)?,
            Op::GetAnext => Effect::new(same, vec![self.peek(1)?], 1),
            Op::ForIter { slots, .. } => {
                let iterator = self.peek(slots as usize)?;
                let kind = Op::ForIter { exhausted: 0, slots: 1, pops: true };
                Effect::new(EffectKind::Op(kind), vec![iterator], 1)
            }
            Op::Return => self.plain(op, 1, 0)?.quiet().ending(),
            Op::Raise(operands) => self.plain(op, operands, 0)?.ending(),
            Op::ExceptionMatch => self.exception_match()?,
            Op::ExceptionGroupMatch => {
                let mut operands = self.pop_many(2)?;
                operands.push(self.state.handled);
                Effect::new(same, operands, 3)
            }
            Op::BeforeWith { is_async, .. } => {
                self.plain(op, 1, 2)?.of(Op::BeforeWith { slots: 1, is_async })
            }
            Op::WithExceptStart => self.with_except_start()?,
            Op::Yield => self.yield_value()?,
            Op::YieldFrom => self.plain(op, 2, 1)?,
            Op::Send(_) => self.send()?,
            Op::SetupAnnotations => self.plain(op, 0, 0)?,
            Op::ImportName { name, lazy } => self.name(Op::ImportName { name: 0, lazy }, name, 2, 1)?,
            Op::ImportFrom(name) => {
                let name = *self.side.names.get(name as usize).ok_or("a name is missing")?;
                Effect::new(EffectKind::Op(Op::ImportFrom(0)), vec![self.peek(1)?], 1).named(name)
            }
            Op::ImportStar => self.plain(op, 1, 0)?,
            Op::MatchClass(_) => self.plain(op, 3, 1)?,
            Op::MatchKeys => Effect::new(same, vec![self.peek(2)?, self.peek(1)?], 1),
            Op::GetLen => Effect::new(same, vec![self.peek(1)?], 1),
            Op::CopyDictWithoutKeys => {
                let keys = self.pop()?;
                Effect::new(same, vec![self.peek(1)?, keys], 1)
            }
            _ => return Err("an operation is not understood"),
        })
    }

    fn plain(&mut self, op: Op, pops: u32, results: usize) -> Result<Effect, Stuck> {
        Ok(Effect::new(EffectKind::Op(op), self.pop_many(pops)?, results))
    }

    fn variable(&mut self, op: Op, id: u32, pops: u32, results: usize) -> Result<Effect, Stuck> {
        let variable = self.side.variable(id).ok_or("there is no such variable")?;
        Ok(self.plain(op, pops, results)?.named(variable.name))
    }

    fn name(&mut self, op: Op, id: u32, pops: u32, results: usize) -> Result<Effect, Stuck> {
        let name = *self.side.names.get(id as usize).ok_or("a name is missing")?;
        Ok(self.plain(op, pops, results)?.named(name))
    }

    /// What a class body stores about its source is no part of what it does: a line number, names in the
    /// order of a set, and what stands around the class, which is before the last dot of its `__qualname__`.
    fn store_name(&mut self, id: u32) -> Result<Effect, Stuck> {
        let mut effect = self.name(Op::StoreName(0), id, 1, 0)?;
        // What the user stores to that name comes later. Where the body says that it is that of a function around or
        // global, the program reads the number as it does any other.
        if effect.name == self.shared.known.first_line
            && self.shared.terms.as_atom(effect.operands[0]).is_some()
            && self.shared.stores_first_line
            && self.side.is_first_of_its_kind(self.state.at)
        {
            effect.operands.clear();
        }
        if effect.name == self.shared.known.qualname
            && let Some(Atom::Str(name)) = self.shared.terms.as_atom(effect.operands[0])
        {
            let last = name.to_lossy().rsplit('.').next().unwrap_or_default().to_owned();
            effect.operands = vec![self.shared.terms.atom(Atom::Str(last.as_str().into()))];
        }
        if effect.name == self.shared.known.static_attributes
            && self.shared.terms.kind(effect.operands[0]) == Kind::Tuple
        {
            let mut names = self.shared.terms.children(effect.operands[0]).to_vec();
            names.sort_unstable();
            effect.operands = names;
        }
        Ok(effect)
    }

    fn slice(&mut self) -> Result<Term, Stuck> {
        let bounds = self.pop_many(2)?;
        let none = self.shared.terms.none();
        Ok(self.make(Kind::Slice, &[bounds[0], bounds[1], none]))
    }

    /// The callee below the arguments: the one of two slots that is not NULL, or a method with its self.
    fn callee(&mut self, layout: CallLayout, operands: &mut Vec<Term>) -> Result<(), Stuck> {
        let is_null = |machine: &Self, term| machine.shared.terms.kind(term) == Kind::Null;
        let upper = self.pop()?;
        let slots = if layout == CallLayout::Plain { vec![upper] } else { vec![self.pop()?, upper] };
        operands.extend(slots.into_iter().filter(|&slot| !is_null(self, slot)));
        if operands.is_empty() { Err("a call without a callee") } else { Ok(()) }
    }

    fn call(&mut self, positional: u32, layout: CallLayout) -> Result<Effect, Stuck> {
        let arguments = self.pop_many(positional)?;
        let mut operands = Vec::with_capacity(arguments.len() + 2);
        self.callee(layout, &mut operands)?;
        operands.extend(arguments);
        if let [callee] = operands[..]
            && self.shared.terms.kind(callee) == Kind::IterMethod
        {
            let value = self.shared.terms.child(callee);
            return Ok(Effect::new(EffectKind::Op(Op::GetIter), vec![value], 1));
        }
        let positional = operands.len() as u32 - 1;
        Ok(Effect::new(EffectKind::Call(positional, 0), operands, 1))
    }

    fn call_keywords(&mut self, arguments: u32, layout: CallLayout) -> Result<Effect, Stuck> {
        let names = self.pop()?;
        let names = self.shared.terms.children(names).to_vec();
        let mut values = self.pop_many(arguments)?;
        if names.len() > values.len() {
            return Err("a call has more keywords than arguments");
        }
        let keywords = values.split_off(values.len() - names.len());
        let mut operands = Vec::new();
        self.callee(layout, &mut operands)?;
        operands.extend(values);
        let positional = operands.len() as u32 - 1;
        let pairs: Vec<Term> = names.iter().zip(keywords).flat_map(|(&name, value)| [name, value]).collect();
        if !self.has_distinct_names(&pairs) {
            return Err("a call names an argument twice");
        }
        operands.extend(pairs);
        Ok(Effect::new(EffectKind::Call(positional, names.len() as u32), operands, 1))
    }

    /// `f(*args, **kwargs)`: what is known of both becomes plain arguments.
    fn call_ex(&mut self, keywords: bool, layout: CallLayout) -> Result<Effect, Stuck> {
        let mapping = if keywords { Some(self.pop()?) } else { None };
        let args = self.pop()?;
        let mut operands = Vec::new();
        self.callee(layout, &mut operands)?;
        match self.known_items(args) {
            Some(items) if self.shared.terms.kind(args) != Kind::FrozenSet => operands.extend(items),
            _ => operands.push(self.shared.terms.make(Kind::Star, 1, &[args])),
        }
        let positional = operands.len() as u32 - 1;
        let mut pairs = Vec::new();
        if let Some(mapping) = mapping.filter(|&term| self.shared.terms.kind(term) != Kind::Null) {
            let null = self.make(Kind::Null, &[]);
            match self.state.object(&self.shared.terms, mapping) {
                Some(object) if object.content == Content::Dict => pairs = object.items.clone(),
                _ => pairs = vec![null, mapping],
            }
            let named: Vec<Term> = pairs
                .chunks_exact(2)
                .flat_map(|pair| if pair[0] == null { Vec::new() } else { pair.to_vec() })
                .collect();
            if !self.has_distinct_names(&named) {
                pairs = vec![null, mapping];
            }
        }
        let count = pairs.len() as u32 / 2;
        operands.extend(pairs);
        Ok(Effect::new(EffectKind::Call(positional, count), operands, 1))
    }

    /// `x in [..]`: the compiler makes a tuple of a list and a frozenset of a set of constants.
    fn contains(&mut self) -> Result<Effect, Stuck> {
        let (container, value) = (self.pop()?, self.pop()?);
        let container = self.constant_container(container);
        let op = Op::Contains { negated: false };
        Ok(Effect::new(EffectKind::Op(op), vec![value, container], 1).truth())
    }

    fn constant_container(&mut self, container: Term) -> Term {
        let terms = &self.shared.terms;
        let Some(object) = self.state.object(terms, container) else { return container };
        let items = object.items.clone();
        let constant = items.iter().all(|&item| terms.is_constant(item));
        match object.content {
            Content::List if self.state.is_only_reference(terms, container) => self.make(Kind::Tuple, &items),
            Content::Set if constant && self.state.is_only_reference(terms, container) => {
                let items = with_sorted_constants(&mut self.shared.terms, &items);
                self.make(Kind::FrozenSet, &items)
            }
            _ => container,
        }
    }

    fn iterable(&mut self) -> Result<Term, Stuck> {
        let value = self.pop()?;
        Ok(self.constant_container(value))
    }

    /// A container that was passed on, below what is added to it.
    fn add(&mut self, op: Op, depth: u32, count: u32) -> Result<Effect, Stuck> {
        let items = self.pop_many(count)?;
        let mut operands = vec![self.peek(depth as usize)?];
        operands.extend(items);
        Ok(Effect::new(EffectKind::Op(op), operands, 0))
    }

    /// `*iterable` or `**mapping` into a container. While that is fresh, only the reading can be seen.
    fn unpack_into(&mut self, op: Op, depth: u32) -> Result<Effect, Stuck> {
        let value = self.pop()?;
        let container = self.peek(depth as usize)?;
        if self.state.object(&self.shared.terms, container).is_none() {
            return Ok(Effect::new(EffectKind::Op(op), vec![container, value], 0));
        }
        let mut effect = match op {
            Op::ListExtend(_) | Op::SetUpdate(_) => Effect::new(EffectKind::Iterate, vec![value], 1),
            _ => Effect::new(EffectKind::Op(op), vec![value], 1),
        };
        if let (Op::DictMerge(_), Some(object)) = (op, self.state.object(&self.shared.terms, container)) {
            // A key that is there already is an error, so what is there matters.
            effect.operands.extend(&object.items);
        }
        Ok(effect)
    }

    fn exception_match(&mut self) -> Result<Effect, Stuck> {
        let kind = self.pop()?;
        let exception = if self.side.features.six_value_handlers {
            let found = self.pop()?;
            if self.shared.terms.kind(found) != Kind::TypeOf {
                return Err("something is matched that is no exception");
            }
            self.shared.terms.child(found)
        } else {
            self.peek(1)?
        };
        Ok(Effect::new(EffectKind::Op(Op::ExceptionMatch), vec![exception, kind], 1).truth())
    }

    fn with_except_start(&mut self) -> Result<Effect, Stuck> {
        let (exit, exception) = if self.side.features.six_value_handlers {
            (self.peek(7)?, self.peek(2)?)
        } else {
            // Below the exception and the previous one lie an offset, where the version keeps it, and the
            // exit function with or without a slot for its self.
            let mut depth = 3;
            while matches!(self.shared.terms.kind(self.peek(depth)?), Kind::Junk | Kind::Null) {
                depth += 1;
            }
            (self.peek(depth)?, self.peek(1)?)
        };
        Ok(Effect::new(EffectKind::Op(Op::WithExceptStart), vec![exit, exception], 1))
    }

    fn yield_value(&mut self) -> Result<Effect, Stuck> {
        let mut value = self.pop()?;
        let implicit = self.side.features.six_value_handlers
            || self.side.which == super::side::Which::Source
                && self.shared.terms.kind(value) != Kind::AsyncWrapped;
        if self.side.flags & flags::ASYNC_GENERATOR != 0 && implicit {
            value = self.make(Kind::AsyncWrapped, &[value]);
        }
        Ok(Effect::new(EffectKind::Op(Op::Yield), vec![value], 1))
    }

    /// The loop around SEND is one effect, as YIELD_FROM is.
    fn send(&mut self) -> Result<Effect, Stuck> {
        if self.side.program().delegation(self.state.at).is_none() {
            return Err("a value is sent in a way that no compiler writes");
        }
        let sent = self.peek(1)?;
        let below = self.peek(2)?;
        let iterator = if self.shared.terms.kind(below) == Kind::Null { self.peek(3)? } else { below };
        Ok(Effect::new(EffectKind::Op(Op::YieldFrom), vec![iterator, sent], 1))
    }

    /// Goes on behind the effect with its results.
    pub(super) fn finish(&mut self, results: &[Term]) -> Result<(), Stuck> {
        let at = self.state.at;
        let op = self.side.op(at).ok_or("control runs off the end of the code")?;
        let first = results.first().copied().unwrap_or(NONE);
        self.state.tested = None;
        self.state.at = at + 1;
        match op {
            Op::LoadLocal(id) => {
                self.state.locals[id as usize] = first;
                self.push(first);
            }
            Op::DeleteLocal(id) => self.state.locals[id as usize] = self.make(Kind::Unbound, &[]),
            Op::Unary(UnaryOp::Not) => {
                let negated = self.shared.terms.not(first);
                self.push(negated);
            }
            Op::JumpIf(..) | Op::JumpIfOrPop(..) => {
                self.state.at = at;
                self.state.answer = first;
                self.remember_test(at, op, first);
            }
            Op::ToBool => {
                self.push(first);
                // 3.13 asks once more for the truth of a value that it has kept a copy of.
                if let (true, [.., value, _]) = (self.side.copies_before(at), &self.state.stack[..]) {
                    let (height, value) = (self.state.stack.len() - 1, *value);
                    self.state.tested = Some(super::state::Tested { height, value, answer: first });
                }
            }
            Op::Contains { negated: true } => {
                let negated = self.shared.terms.not(first);
                self.push(negated);
            }
            Op::ListExtend(depth) | Op::SetUpdate(depth) if first != NONE => {
                let star = self.make(Kind::Star, &[first]);
                self.extend_fresh(depth, &[star])?;
            }
            Op::DictUpdate(depth) | Op::DictMerge(depth) if first != NONE => {
                let null = self.make(Kind::Null, &[]);
                self.extend_fresh(depth, &[null, first])?;
            }
            Op::ExceptionGroupMatch => {
                self.state.stack.extend(&results[..2]);
                self.state.handled = results[2];
            }
            Op::BeforeWith { slots, .. } => {
                self.push(first);
                for _ in 1..slots {
                    let null = self.make(Kind::Null, &[]);
                    self.push(null);
                }
                self.push(results[1]);
            }
            Op::MatchClass(_) | Op::MatchKeys => {
                self.push(first);
                if self.side.features.six_value_handlers {
                    let none = self.shared.terms.none();
                    let failed = self.is_same(first, none);
                    let matched = self.shared.terms.not(failed);
                    self.push(matched);
                }
            }
            Op::Unpack(_) | Op::UnpackEx { .. } => self.state.stack.extend(results.iter().rev()),
            Op::Intrinsic1(Intrinsic1::ImportStar) => {
                let none = self.shared.terms.none();
                self.push(none);
            }
            Op::Send(done) => {
                self.pop()?;
                if self.side.features.send_drops_iterator {
                    self.pop()?;
                }
                self.push(first);
                self.state.at = done;
            }
            _ => self.state.stack.extend(results),
        }
        Ok(())
    }

    /// Notes that the truth of a value that stays on the stack was asked for: the next test of it may be one
    /// that the compiler's optimiser leaves out.
    fn remember_test(&mut self, at: u32, op: Op, answer: Term) {
        let (height, value) = match (op, &self.state.stack[..]) {
            (Op::JumpIfOrPop(..), [.., value]) => (self.state.stack.len(), *value),
            (Op::JumpIf(..), [.., below, value]) if self.side.copies_before(at) && below == value => {
                (self.state.stack.len() - 1, *value)
            }
            _ => return,
        };
        self.state.tested = Some(super::state::Tested { height, value, answer });
    }

    /// Whether the truth test that the side stands before was answered already.
    pub(super) fn answer_again(&mut self) -> bool {
        let (Some(tested), Some(Op::JumpIf(..) | Op::JumpIfOrPop(..))) =
            (self.state.tested, self.side.op(self.state.at))
        else {
            return false;
        };
        let again = self.side.asks_again(self.state);
        if again && self.state.answer == NONE {
            self.state.answer = tested.answer;
        }
        again
    }

    /// Whether the loop's end was reached; the other way out of [`Op::ForIter`].
    pub(super) fn exhaust(&mut self) -> Result<(), Stuck> {
        let Some(Op::ForIter { exhausted, slots, pops }) = self.side.op(self.state.at) else {
            return Err("a loop ends that is none");
        };
        if pops {
            self.pop_many(slots.into())?;
        }
        self.state.tested = None;
        self.state.at = exhausted;
        Ok(())
    }

    fn extend_fresh(&mut self, depth: u32, items: &[Term]) -> Result<(), Stuck> {
        let container = self.peek(depth as usize)?;
        let object = self.state.object_mut(&self.shared.terms, container);
        object.ok_or("an item is added to no container")?.items.extend(items);
        Ok(())
    }
}

impl Effect {
    fn of(self, op: Op) -> Self {
        Self { kind: EffectKind::Op(op), ..self }
    }
}
