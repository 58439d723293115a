//! What a side does between two effects: nothing that other code could see.

use std::cell::Cell;

use depyf_bytecode::{CommonConst, Conversion, Intrinsic1, JumpCondition, Op, UnaryOp};

use super::arithmetic::Mixing;
use super::merge::Kept;
use super::shortcuts;
use super::side::{Side, Which};
use super::state::{Content, PROPAGATES, State, Stuck};
use super::terms::{Atom, BOOL, FastMap, Kind, MAYBE_UNBOUND, NONE, Name, SIDED, TEXT, Term, Terms};
use crate::dynamo::StackParameters;
use crate::lower::NO_HANDLER;

/// Why a side stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The next instruction does something that other code could see, or that may raise.
    Effect,
    /// It branches on a truth value that is not known: both ways are to be looked at.
    Decision(Term),
    /// It runs in circles forever.
    Spins,
}

/// Where to go on.
pub(super) enum Flow {
    Next,
    To(u32),
    Stop(Stop),
}

/// Names that mean something to the verifier.
#[derive(Clone, Copy)]
pub(super) struct KnownNames {
    /// `__debug__`
    pub(super) debug: Name,
    /// The cell `__class__`.
    pub(super) class_cell: Name,
    /// The attribute `__class__`.
    pub(super) class: Name,
    pub(super) code: Name,
    pub(super) code_constants: Name,
    pub(super) closure: Name,
    pub(super) args: Name,
    pub(super) iter: Name,
    pub(super) first_line: Name,
    pub(super) qualname: Name,
    pub(super) static_attributes: Name,
}

/// What both sides share.
pub(super) struct Shared {
    pub(super) terms: Terms,
    /// Number of the next fresh object.
    pub(super) objects: u32,
    /// Names that stand for constants without a literal.
    pub(super) opaque: FastMap<Name, Term>,
    pub(super) known: KnownNames,
    /// The value of `__debug__`.
    pub(super) debug_value: bool,
    /// The original wraps exceptions of generators itself.
    pub(super) wraps: bool,
    /// What is known of parameters.
    pub(super) stacked: StackParameters,
    /// The original goes on behind a graph break.
    pub(super) goes_on: bool,
    /// What real operands beside complex ones are.
    pub(super) mixing: Mixing,
    /// A format specification that is one field may have an empty text behind it.
    pub(super) specs_may_end_empty: bool,
    /// The compiler makes a tuple of a list that is delegated to, as of one that a loop steps.
    pub(super) delegates_to_tuples: bool,
    /// The compiler stores on which line the class stands.
    pub(super) stores_first_line: bool,
    /// How many items were copied from container to container.
    pub(super) copied: Cell<usize>,
    /// See [`merge`](super::merge).
    pub(super) kept: Kept,
}

/// A side at work.
pub(super) struct Machine<'m, 'a> {
    pub(super) shared: &'m mut Shared,
    pub(super) side: &'m Side<'a>,
    pub(super) state: &'m mut State,
    pub(super) facts: &'m [(Term, bool)],
}

impl Machine<'_, '_> {
    /// Runs to the next effect. Sets `joined` where it passed a place that several ways lead to.
    pub(super) fn advance(&mut self, joined: &mut bool) -> Result<Stop, Stuck> {
        // What takes longer goes in circles.
        let most = 2 * self.side.code.len() + 64;
        let mut steps = 0;
        loop {
            let at = self.state.at;
            if at == PROPAGATES {
                return Ok(Stop::Effect);
            }
            let Some(op) = self.side.op(at) else { return Err("control runs off the end of the code") };
            match self.step(op)? {
                Flow::Next => self.state.at = at + 1,
                Flow::To(to) => self.state.at = to,
                Flow::Stop(stop) => return Ok(stop),
            }
            *joined |= self.side.is_join(self.state.at);
            steps += 1;
            // A signal interrupts the circle where it jumps back: of such jumps one that a handler protects is compared.
            let program = self.side.program();
            if steps >= most
                && program.jumps_back(self.state.at)
                && (program.catches(self.state.at) || steps >= 2 * most)
                || steps >= 4 * most
            {
                return Ok(Stop::Spins);
            }
        }
    }

    pub(super) fn pop(&mut self) -> Result<Term, Stuck> {
        self.state.pop(&self.shared.terms)
    }

    pub(super) fn peek(&self, depth: usize) -> Result<Term, Stuck> {
        self.state.peek(&self.shared.terms, depth)
    }

    pub(super) fn pop_many(&mut self, count: u32) -> Result<Vec<Term>, Stuck> {
        if count as usize > self.state.stack.len() {
            return Err("the stack underflows");
        }
        self.state.pop_many(&self.shared.terms, count as usize)
    }

    pub(super) fn push(&mut self, term: Term) {
        self.state.push(term);
    }

    pub(super) fn make(&mut self, kind: Kind, children: &[Term]) -> Term {
        self.shared.terms.make(kind, 0, children)
    }

    pub(super) fn create(&mut self, content: Content, items: Vec<Term>) -> Term {
        let number = self.shared.objects;
        self.shared.objects += 1;
        self.state.create(&mut self.shared.terms, self.side.which, number, content, items)
    }

    fn local(&self, id: u32) -> Result<usize, Stuck> {
        let id = id as usize;
        if id < self.state.locals.len() { Ok(id) } else { Err("there is no such local") }
    }

    /// The exception goes to the handler of the instruction at `at`, or out of the function.
    pub(super) fn raise(&mut self, at: u32, exception: Term) -> Result<(), Stuck> {
        self.state.answer = NONE;
        self.state.tested = None;
        let mut exception = exception;
        let region = match self.side.program().region(at) {
            Some(region) if region.handler == NO_HANDLER => {
                exception = self.make(Kind::Bare, &[exception]);
                None
            }
            region => region,
        };
        let Some(region) = region else {
            self.state.at = PROPAGATES;
            self.state.stack.clear();
            self.state.locals.clear();
            self.push(exception);
            return Ok(());
        };
        // Dynamo enters regions with values on the stack that are gone when it leaves them; the interpreter
        // only pops what lies above the handler's depth.
        let depth = (region.depth as usize).min(self.state.stack.len());
        // Leaving a handler restores what was handled before: to 3.10 the interpreter does it; later there is
        // a region for it, which the source's side leaves out.
        let implicit = self.side.features.six_value_handlers || self.side.which == Which::Source;
        let left = self.state.stack[depth..].iter();
        let left = left.copied().find(|&value| self.shared.terms.kind(value) == Kind::Previous);
        if let Some(previous) = left.filter(|_| implicit) {
            self.state.handled = self.shared.terms.child(previous);
        }
        self.state.stack.truncate(depth);
        if self.side.features.six_value_handlers {
            let previous = self.make(Kind::Previous, &[self.state.handled]);
            let junk = self.make(Kind::Junk, &[]);
            let kind = self.make(Kind::TypeOf, &[exception]);
            self.state.stack.extend([previous, previous, previous, junk, exception, kind]);
            self.state.handled = exception;
        } else {
            if region.lasti {
                let junk = self.make(Kind::Junk, &[]);
                self.push(junk);
            }
            self.push(exception);
        }
        self.state.at = region.handler;
        Ok(())
    }

    /// What is known about a truth value.
    fn decided(&self, mut term: Term) -> Result<bool, Term> {
        let terms = &self.shared.terms;
        let mut negated = false;
        while terms.kind(term) == Kind::Not {
            negated = !negated;
            term = terms.child(term);
        }
        if let Some(&Atom::Bool(value)) = terms.as_atom(term) {
            return Ok(value != negated);
        }
        match self.facts.iter().rev().find(|&&(fact, _)| fact == term) {
            Some(&(_, value)) => Ok(value != negated),
            None => Err(term),
        }
    }

    /// The truth of a value, or why it is not known.
    fn truth(&self, value: Term) -> Result<bool, Stop> {
        let terms = &self.shared.terms;
        if let Some(known) = terms.truth(value).or_else(|| self.object_truth(value)) {
            return Ok(known);
        }
        let asked = if terms.has(value, BOOL) { value } else { self.state.answer };
        if asked == NONE {
            return Err(Stop::Effect);
        }
        self.decided(asked).map_err(Stop::Decision)
    }

    fn object_truth(&self, value: Term) -> Option<bool> {
        let object = self.state.object(&self.shared.terms, value)?;
        match object.content {
            Content::Function => Some(true),
            Content::Published => None,
            Content::List | Content::Set | Content::Dict => {
                let items = &object.items;
                let terms = &self.shared.terms;
                let known = items.iter().any(|&item| !matches!(terms.kind(item), Kind::Star | Kind::Null));
                (items.is_empty() || known && object.content != Content::Dict).then_some(known)
            }
        }
    }

    /// Whether two values are one object: a truth value.
    pub(super) fn is_same(&mut self, a: Term, b: Term) -> Term {
        let terms = &mut self.shared.terms;
        let fixed = |terms: &Terms, term| {
            matches!(terms.kind(term), Kind::Constant)
                && !matches!(
                    terms.as_atom(term),
                    Some(
                        Atom::Int(_)
                            | Atom::Float(_)
                            | Atom::Complex(..)
                            | Atom::Str(_)
                            | Atom::Bytes(_)
                            | Atom::Opaque(_)
                    )
                )
        };
        let made = |terms: &Terms, term| {
            matches!(
                terms.kind(term),
                Kind::Object | Kind::Tuple | Kind::Slice | Kind::Joined | Kind::FrozenSet | Kind::Cell
            ) || matches!(terms.kind(term), Kind::Constant)
        };
        // What nobody else has seen is nothing that somebody else gave.
        let unseen = |terms: &Terms, term| {
            self.state.object(terms, term).is_some_and(|object| object.content != Content::Published)
        };
        let apart = |terms: &Terms, one, other| {
            fixed(terms, one) && made(terms, other)
                || unseen(terms, one) && (made(terms, other) || !terms.has(other, SIDED))
        };
        let known = if a == b && (fixed(terms, a) || terms.kind(a) == Kind::Object) {
            Some(true)
        } else if a != b && (apart(terms, a, b) || apart(terms, b, a)) {
            Some(false)
        } else {
            None
        };
        match known {
            Some(value) => terms.atom(Atom::Bool(value)),
            None => terms.make(Kind::Is, 0, &[a.min(b), a.max(b)]),
        }
    }

    /// Takes a jump on a truth value that is `wanted`, or stops.
    fn jump_if(&mut self, found: Result<bool, Stop>, wanted: bool, to: u32) -> Flow {
        match found {
            Err(stop) => Flow::Stop(stop),
            Ok(value) => {
                self.state.answer = NONE;
                if value == wanted { Flow::To(to) } else { Flow::Next }
            }
        }
    }

    fn step(&mut self, op: Op) -> Result<Flow, Stuck> {
        use Flow::{Next, Stop as Halt, To};
        match op {
            Op::Nop | Op::PopBlock | Op::SetupBlock(_) => {}
            Op::Pop => drop(self.pop()?),
            Op::Copy(depth) => {
                if depth == 1
                    && let Some(call) = self.builtin_shortcut()
                {
                    return Ok(To(call));
                }
                let value = self.peek(depth as usize)?;
                self.push(value);
            }
            Op::Swap(depth) => {
                let (top, other) = (self.state.index(1)?, self.state.index(depth as usize)?);
                self.state.stack.swap(top, other);
                self.state.tested = None;
            }
            Op::Rot(depth) => {
                let at = self.state.index(depth as usize)?;
                self.state.stack[at..].rotate_right(1);
                self.state.tested = None;
            }
            Op::PushNull => {
                let null = self.make(Kind::Null, &[]);
                self.push(null);
            }
            Op::Const(index) => {
                let value = self.side.constant(index).ok_or("a constant is missing")?;
                self.push(value);
            }
            Op::SmallInt(value) => {
                let value = self.shared.terms.atom(Atom::Int(i64::from(value).into()));
                self.push(value);
            }
            Op::Common(common) => {
                let value = self.common(common);
                self.push(value);
            }
            Op::LoadLocal(id) => {
                let value = self.state.locals[self.local(id)?];
                let value = self.state.resolved(&self.shared.terms, value);
                if self.shared.terms.has(value, MAYBE_UNBOUND) {
                    return Ok(Halt(Stop::Effect));
                }
                self.push(value);
            }
            Op::StoreLocal(id) if self.side.variable(id).is_some_and(|variable| variable.is_local) => {
                let mut value = self.pop()?;
                // Dynamo unbinds locals so.
                if self.shared.terms.kind(value) == Kind::Null {
                    value = self.make(Kind::Unbound, &[]);
                }
                let id = self.local(id)?;
                self.state.locals[id] = value;
            }
            Op::LoadLocalAndClear(id) if self.side.variable(id).is_some_and(|variable| variable.is_local) => {
                let id = self.local(id)?;
                let unbound = self.make(Kind::Unbound, &[]);
                let value = std::mem::replace(&mut self.state.locals[id], unbound);
                self.push(value);
            }
            Op::DeleteLocal(id) => {
                let id = self.local(id)?;
                if self.shared.terms.has(self.state.locals[id], MAYBE_UNBOUND) {
                    return Ok(Halt(Stop::Effect));
                }
                self.state.locals[id] = self.make(Kind::Unbound, &[]);
            }
            Op::LoadClosure(id) => {
                let variable = self.side.variable(id).ok_or("there is no such cell")?;
                let cell = self.shared.terms.make(Kind::Cell, variable.name, &[]);
                self.push(cell);
            }
            Op::LoadDeref(id) => {
                // `super().name` reads `__class__` for itself, where the source does not.
                let variable = self.side.variable(id).ok_or("there is no such cell")?;
                let at = self.state.at;
                let for_super = variable.name == self.shared.known.class_cell
                    && matches!(self.side.op(at + 1), Some(Op::LoadLocal(_) | Op::LoadDeref(_)))
                    && matches!(self.side.op(at + 2), Some(Op::LoadSuperAttr { two_arguments: false, .. }));
                if !for_super {
                    return Ok(Halt(Stop::Effect));
                }
                let cell = self.shared.terms.make(Kind::Cell, variable.name, &[]);
                self.push(cell);
            }
            Op::LoadGlobal(name) | Op::LoadName(name) => {
                let name = *self.side.names.get(name as usize).ok_or("a name is missing")?;
                if name == self.shared.known.debug {
                    let value = self.shared.terms.atom(Atom::Bool(self.shared.debug_value));
                    self.push(value);
                } else if let Some(&constant) = self.shared.opaque.get(&name) {
                    self.push(constant);
                } else if self.side.is_installed(name) {
                    let global = self.shared.terms.make(Kind::Installed, name, &[]);
                    self.push(global);
                } else {
                    return Ok(Halt(Stop::Effect));
                }
            }
            Op::LoadLocals => {
                let namespace = self.make(Kind::Namespace, &[]);
                self.push(namespace);
            }
            Op::LoadBuildClass => {
                let build = self.make(Kind::BuildClass, &[]);
                self.push(build);
            }
            Op::Is { negated } => {
                let (b, a) = (self.pop()?, self.pop()?);
                let same = self.is_same(a, b);
                let value = if negated { self.shared.terms.not(same) } else { same };
                self.push(value);
            }
            Op::Format { conversion: Conversion::None, spec: false }
                if self.peek(1).is_ok_and(|value| self.shared.terms.has(value, TEXT)) => {}
            Op::ToBool | Op::Unary(UnaryOp::Not) => {
                let value = self.peek(1)?;
                let known = self.object_truth(value);
                let terms = &mut self.shared.terms;
                let truth = match terms.truth(value).or(known) {
                    Some(known) => terms.atom(Atom::Bool(known)),
                    None if terms.has(value, BOOL) => value,
                    None => return Ok(Halt(Stop::Effect)),
                };
                let truth = if op == Op::ToBool { truth } else { terms.not(truth) };
                self.pop()?;
                self.push(truth);
            }
            Op::JumpIf(condition @ (JumpCondition::True | JumpCondition::False), to) => {
                let value = self.peek(1)?;
                let found = self.truth(value);
                if found.is_ok() {
                    self.pop()?;
                }
                return Ok(self.jump_if(found, condition == JumpCondition::True, to));
            }
            Op::JumpIf(condition, to) => {
                let value = self.peek(1)?;
                let none = self.shared.terms.none();
                let test = self.is_same(value, none);
                let found = self.decided(test).map_err(Stop::Decision);
                if found.is_ok() {
                    self.pop()?;
                }
                return Ok(self.jump_if(found, condition == JumpCondition::None, to));
            }
            Op::JumpIfOrPop(when, to) => {
                let value = self.peek(1)?;
                let found = self.truth(value);
                if found == Ok(!when) {
                    self.pop()?;
                }
                return Ok(self.jump_if(found, when, to));
            }
            Op::Jump(to) => return Ok(To(to)),
            Op::Raise(0) => {
                // `raise` in a handler is what the end of a handler does by itself.
                let handled = self.state.handled;
                if self.shared.terms.node(handled).payload == BARE {
                    return Ok(Halt(Stop::Effect));
                }
                self.raise(self.state.at, handled)?;
                return Ok(To(self.state.at));
            }
            Op::Reraise(_) => {
                let exception =
                    if self.side.features.six_value_handlers { self.pop_many(3)?[1] } else { self.pop()? };
                self.raise(self.state.at, exception)?;
                return Ok(To(self.state.at));
            }
            Op::PushExcInfo => {
                let exception = self.pop()?;
                let previous = self.make(Kind::Previous, &[self.state.handled]);
                self.state.stack.extend([previous, exception]);
                self.state.handled = exception;
            }
            Op::PopExcept => {
                let count = if self.side.features.six_value_handlers { 3 } else { 1 };
                let previous = self.pop_many(count)?[count as usize - 1];
                if self.shared.terms.kind(previous) != Kind::Previous {
                    return Err("a handler ends without the exception that was handled before");
                }
                self.state.handled = self.shared.terms.child(previous);
            }
            Op::EndAsyncFor => {
                let six = self.side.features.six_value_handlers;
                let exception = self.peek(if six { 2 } else { 1 })?;
                let test = self.make(Kind::IsStopAsync, &[exception]);
                match self.decided(test) {
                    Err(test) => return Ok(Halt(Stop::Decision(test))),
                    Ok(false) => {
                        self.raise(self.state.at, exception)?;
                        return Ok(To(self.state.at));
                    }
                    Ok(true) => {
                        let values = self.pop_many(if six { 7 } else { 2 })?;
                        if six {
                            self.state.handled = self.shared.terms.child(values[1]);
                        }
                    }
                }
            }
            Op::Intrinsic1(Intrinsic1::StopIterationError) => {
                let value = self.pop()?;
                let wrapped = self.wrapped(value);
                self.push(wrapped);
            }
            Op::Intrinsic1(Intrinsic1::AsyncGenWrap) => {
                let value = self.pop()?;
                let wrapped = self.make(Kind::AsyncWrapped, &[value]);
                self.push(wrapped);
            }
            Op::EndSend => {
                let (value, _) = (self.pop()?, self.pop()?);
                self.push(value);
            }
            Op::MatchSequence | Op::MatchMapping => {
                let subject = self.peek(1)?;
                let test = match self.is_sequence_or_mapping(subject) {
                    Some([sequence, mapping]) => {
                        let decided = if op == Op::MatchSequence { sequence } else { mapping };
                        self.shared.terms.atom(Atom::Bool(decided))
                    }
                    None if op == Op::MatchSequence => self.make(Kind::IsSequence, &[subject]),
                    None => self.make(Kind::IsMapping, &[subject]),
                };
                self.push(test);
            }
            Op::Unary(operator) => {
                let value = self.peek(1)?;
                let Some(folded) = self.shared.terms.fold_unary(operator, value) else {
                    return Ok(Halt(Stop::Effect));
                };
                self.pop()?;
                self.push(folded);
            }
            Op::Binary(operator) => {
                let (right, left) = (self.peek(1)?, self.peek(2)?);
                let mixing = self.shared.mixing;
                let Some(folded) = self.shared.terms.fold_binary(operator, left, right, mixing) else {
                    return Ok(Halt(Stop::Effect));
                };
                self.pop_many(2)?;
                self.push(folded);
            }
            _ => return self.build(op),
        }
        Ok(Next)
    }

    /// Where the call stands that the loop here stands for.
    fn builtin_shortcut(&self) -> Option<u32> {
        let truth = |op: Op| match op {
            Op::Const(index) => match self.shared.terms.as_atom(self.side.constant(index)?) {
                Some(Atom::Bool(value)) => Some(*value),
                _ => None,
            },
            Op::Common(CommonConst::True) => Some(true),
            Op::Common(CommonConst::False) => Some(false),
            _ => None,
        };
        shortcuts::call_of_builtin(self.side.program(), self.state.at, &truth)
    }

    /// An exception behind the wrapper of a generator.
    pub(super) fn wrapped(&mut self, exception: Term) -> Term {
        if self.shared.terms.kind(exception) == Kind::Wrapped {
            return exception;
        }
        self.make(Kind::Wrapped, &[exception])
    }

    fn common(&mut self, common: CommonConst) -> Term {
        let terms = &mut self.shared.terms;
        match common {
            CommonConst::None => terms.none(),
            CommonConst::EmptyStr => terms.atom(Atom::Str("".into())),
            CommonConst::True => terms.atom(Atom::Bool(true)),
            CommonConst::False => terms.atom(Atom::Bool(false)),
            CommonConst::MinusOne => terms.atom(Atom::Int((-1).into())),
            other => terms.make(Kind::Common, other as u32, &[]),
        }
    }
}

/// The payload of the symbol for what was handled when the function was called.
pub(super) const BARE: u32 = u32::MAX;
