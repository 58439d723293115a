//! Symbolic execution: neutral operations become expressions and statements.
//!
//! The stack holds [`Value`]s. An expression that was evaluated but not printed is *pending*; the list
//! [`Lifter::live`] keeps the pending ones in the order of evaluation. Whatever would change that order
//! in a way that user code could see first gives the pending value a name (a *temporary*), so the source
//! does the same things in the same order as the bytecode. See [`Effects::conflicts`] for "could see".

mod assignments;
mod awaits;
mod blocks;
mod calls;
mod code_values;
mod compile_order;
mod constants;
mod cycles;
mod dropped;
mod edges;
mod ends;
mod evidence;
mod execute;
mod fresh;
mod functions;
mod imports;
mod keys;
mod lifted;
mod naming;
mod operands;
mod order;
mod percent;
mod reserved;
mod stack_parameters;
mod state;
mod stores;
mod strings;
mod type_params;
mod unfolded;
mod unpacked_displays;
mod value;
mod walrus;

use std::cell::OnceCell;

use depyf_bytecode::{CodeObject, Const, Function, Op, Unreached, VarId};
use depyf_syntax::ast::{Expr, ExprKind, Ident, Literal, Origin, Stmt, TypeParam};
use depyf_value::PyStr;
use smallvec::SmallVec;

pub(crate) use blocks::lift_blocks;
pub(crate) use code_values::NamesInUse;
pub(crate) use constants::literal;
pub(crate) use evidence::Evidence;
pub(crate) use execute::compare;
pub(crate) use functions::{lambda_body, over_nothing};
pub(crate) use lifted::{Lifted, LiftedBlock, LiftedCase, LiftedEnd, Reached};
use reserved::ENTERED;
pub(crate) use reserved::{
    ASSERTION_ERROR, ASYNC_ITERATOR, EXCEPTIONS, HOLE, NEVER, annotation_number, annotation_target,
    entered_temporary, exception_temporary, left_temporary, target_temporary, temporary_target,
};
pub(crate) use type_params::{generic_name, unused_generic};
pub(crate) use unfolded::without_late_spelling;
pub(crate) use value::Effects;
use value::{ExceptionPart, Fresh, FreshKind, Pending, PendingId, Place, Pushed, Special, Value};

use crate::flow::{Folded, Step, StepKind};
use crate::hash::HashMap;
use crate::names::Names;
use crate::refine::{WordPlaces, Words};
use crate::scope::Scope;

/// Why a step could not be lifted.
#[derive(Clone, Debug)]
pub(crate) struct LiftError {
    /// One sentence.
    pub(crate) message: String,
    /// Byte offset of the instruction.
    pub(crate) offset: u32,
    /// Set where the error belongs to a nested function.
    pub(crate) nested: Option<Box<crate::Error>>,
}

/// Values that an operation takes off the stack, in the order of the stack: mostly few.
type Values = SmallVec<[Value; 6]>;

impl LiftError {
    /// What nested code fails with, for the function around it.
    fn of_nested(error: crate::Error, offset: u32) -> Box<Self> {
        Box::new(Self { message: error.message.clone(), offset, nested: Some(Box::new(error)) })
    }
}

/// Shorthand of this module. Errors are rare and large: results without a value fit into a register.
pub(crate) type LiftResult<T> = Result<T, Box<LiftError>>;

/// What all lifters of one function share.
pub(crate) struct Context<'a> {
    /// The function's code object.
    pub(crate) code: &'a CodeObject,
    /// Its decoded form.
    pub(crate) function: &'a Function,
    /// What its variables and globals are called in the source.
    pub(crate) names: &'a Names<'a>,
    /// Decompiles nested code objects.
    pub(crate) scope: &'a Scope<'a>,
    /// Whether what is built to be taken apart again was no display of the user's.
    pub(crate) packs_values: bool,
    /// Code that its statements have though nothing leads there.
    pub(crate) unreached: &'a [Unreached],
    /// Where the words of its source stand, once asked for.
    pub(crate) words: OnceCell<WordPlaces>,
    /// What its names mean, once asked for.
    pub(crate) names_in_use: OnceCell<NamesInUse>,
    /// Where its first handler begins, once asked for.
    pub(crate) first_handler: OnceCell<Option<u32>>,
    /// The loads of locals and whether they borrow, once asked for.
    pub(crate) borrowing_loads: OnceCell<Vec<(u32, bool)>>,
}

impl Context<'_> {
    /// The name of a variable in the source.
    pub(crate) fn variable(&self, variable: VarId) -> Ident {
        self.names.variable(variable)
    }

    /// Whether a temporary must not take a name.
    pub(crate) fn is_taken(&self, name: &PyStr) -> bool {
        self.code.names.contains(name) || self.names.variables().contains(name)
    }

    /// What the names of the function mean.
    pub(crate) fn names_in_use(&self) -> &NamesInUse {
        self.names_in_use.get_or_init(|| NamesInUse::of(self))
    }

    /// The offset of the handler that lies before all others. It is looked for once: a function may have as many parts that
    /// are lifted by themselves as it has handlers.
    pub(crate) fn first_handler(&self) -> Option<u32> {
        *self.first_handler.get_or_init(|| {
            let first = self.function.regions.iter().map(|region| region.handler).min()?;
            Some(self.function.instructions.get(first as usize)?.offset)
        })
    }

    /// The offsets of the loads of locals, and whether each borrows; read once, for the same reason.
    pub(crate) fn borrowing_loads(&self) -> &[(u32, bool)] {
        self.borrowing_loads.get_or_init(|| depyf_bytecode::borrowing_loads(self.code))
    }

    /// Which words of the source the instructions stand for.
    pub(crate) fn words(&self) -> Words<'_> {
        Words::of(self.code, self.function, &self.words)
    }
}

/// Hands out temporaries; one counter a function.
#[derive(Debug, Default)]
pub(crate) struct Temporaries {
    next: u32,
    /// Whether a handled exception, or what a `with` statement enters, is a value of the source.
    mentions_own: bool,
    /// The names of `def`s that hold code objects, and which constants these are.
    code_names: HashMap<Ident, u32>,
}

impl Temporaries {
    /// The next temporary.
    pub(crate) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Whether any was handed out.
    pub(crate) fn is_used(&self) -> bool {
        self.next > 0
    }

    /// Whether the source may mention any temporary, such as those that have numbers of their own.
    pub(crate) fn are_mentioned(&self) -> bool {
        self.is_used() || self.mentions_own
    }

    /// Gives a name to a code object. False where another one has it.
    fn name_code(&mut self, name: &Ident, constant: u32) -> bool {
        *self.code_names.entry(name.clone()).or_insert(constant) == constant
    }

    /// Notes that the source mentions a temporary that was not handed out.
    fn note_own(&mut self) {
        self.mentions_own = true;
    }
}

/// A stack of more values than this is not searched after each statement.
const FEW_VALUES: usize = 16;
/// So many table entries may wait for the stack to be empty of them.
const MANY_ENTRIES: usize = 64;

/// The tables of a lifter. They are emptied and used again for the next block: most blocks are a few operations.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    stack: Vec<Value>,
    pending: Vec<Pending>,
    live: Vec<PendingId>,
    wanted: Vec<PendingId>,
    fresh: Vec<Fresh>,
    atoms: Vec<Option<Expr>>,
    statements: Vec<Stmt>,
}

/// Symbolic execution of one block, or of steps that must leave one value.
pub(crate) struct Lifter<'a> {
    context: &'a Context<'a>,
    temporaries: &'a mut Temporaries,
    stack: Vec<Value>,
    pending: Vec<Pending>,
    live: Vec<PendingId>,
    /// Room for the pending values that are about to be taken.
    wanted: Vec<PendingId>,
    fresh: Vec<Fresh>,
    /// The atoms of the stack and of the fresh containers, until they are taken.
    atoms: Vec<Option<Expr>>,
    /// How many fresh containers were built in other blocks.
    carried: usize,
    /// Locals that the stack may hold.
    pushed: Pushed,
    statements: Vec<Stmt>,
    /// The type parameters of the class that this makes.
    type_params: Vec<TypeParam>,
    /// Statements are not allowed: the steps belong to an expression.
    expression_only: bool,
    /// Offset of the instruction at hand.
    offset: u32,
}

impl<'a> Lifter<'a> {
    /// A lifter with an empty stack.
    pub(crate) fn new(context: &'a Context<'a>, temporaries: &'a mut Temporaries) -> Self {
        Self::with_tables(context, temporaries, Tables::default())
    }

    /// A lifter with an empty stack, in tables that another one has left.
    fn with_tables(context: &'a Context<'a>, temporaries: &'a mut Temporaries, tables: Tables) -> Self {
        let Tables { stack, pending, live, wanted, fresh, atoms, statements } = tables;
        Self {
            context,
            temporaries,
            stack,
            pending,
            live,
            wanted,
            fresh,
            atoms,
            carried: 0,
            pushed: Pushed::default(),
            statements,
            type_params: Vec::new(),
            expression_only: false,
            offset: 0,
        }
    }

    /// Forgets all that was lifted so far.
    fn clear(&mut self) {
        // Nearly all are empty behind a block.
        fn clear<T>(list: &mut Vec<T>) {
            if !list.is_empty() {
                list.clear();
            }
        }
        clear(&mut self.stack);
        clear(&mut self.pending);
        clear(&mut self.live);
        clear(&mut self.wanted);
        clear(&mut self.fresh);
        clear(&mut self.atoms);
        self.carried = 0;
        clear(&mut self.statements);
        clear(&mut self.type_params);
        self.pushed = Pushed::default();
    }

    /// The statements that were printed, in a list that has room for one more: the last block of a function ends in one.
    /// That in which they were gathered stays for those of the next block.
    fn take_statements(&mut self) -> Vec<Stmt> {
        if self.statements.is_empty() {
            return Vec::new();
        }
        let mut taken = Vec::with_capacity(self.statements.len() + 1);
        taken.append(&mut self.statements);
        taken
    }

    /// The tables, empty.
    fn into_tables(mut self) -> Tables {
        self.clear();
        let Self { stack, pending, live, wanted, fresh, atoms, statements, .. } = self;
        Tables { stack, pending, live, wanted, fresh, atoms, statements }
    }

    /// Lifts steps that leave exactly one value and print no statement, on an empty stack. Returns `None` where they do
    /// anything else.
    pub(crate) fn fold(
        context: &'a Context<'a>,
        temporaries: &'a mut Temporaries,
        steps: &[Step],
    ) -> Option<Folded> {
        let mut lifter = Self::with_tables(context, temporaries, context.scope.tables());
        lifter.expression_only = true;
        let folded = lifter.run(steps).ok().and_then(|()| lifter.only_value());
        context.scope.keep_tables(lifter.into_tables());
        folded
    }

    /// The same of the right operand of `in`, where the compiler makes a frozenset of a set of constants.
    pub(crate) fn fold_container(
        context: &'a Context<'a>,
        temporaries: &'a mut Temporaries,
        steps: &[Step],
    ) -> Option<Folded> {
        if let [Step { kind: StepKind::Op(Op::Const(index)), offset }] = steps
            && let Some(set @ Const::FrozenSet(_)) = context.code.consts.get(*index as usize)
            && let Some(set) = literal(set)
        {
            let expr = Expr::new(Origin(*offset), ExprKind::Literal(set));
            return Some(Folded { expr, effects: Effects::default() });
        }
        Self::fold(context, temporaries, steps)
    }

    /// The value that the steps so far left, if it is the only one and nothing else is left to do.
    fn only_value(&mut self) -> Option<Folded> {
        if self.stack.len() != 1 {
            return None;
        }
        let value = self.stack.pop()?;
        let (expr, effects) = self.take_one(value).ok()?;
        self.live.is_empty().then_some(Folded { expr, effects })
    }

    /// Runs steps one after the other.
    pub(crate) fn run(&mut self, steps: &[Step]) -> LiftResult<()> {
        if !self.stack.is_empty() {
            self.pushed = Pushed::ANY;
        }
        let mut next = 0;
        while let Some(step) = steps.get(next) {
            self.offset = step.offset;
            next += 1;
            next += self.execute(step, steps, next)?;
            if self.stack.is_empty()
                || self.pending.len() + self.fresh.len() + self.atoms.len() > MANY_ENTRIES
            {
                self.forget_statement();
            }
        }
        Ok(())
    }

    /// An error at the instruction at hand.
    #[cold]
    fn error<T>(&self, message: impl Into<String>) -> LiftResult<T> {
        Err(Box::new(LiftError { message: message.into(), offset: self.offset, nested: None }))
    }

    /// An expression made by the instruction at hand.
    fn expr(&self, kind: ExprKind) -> Expr {
        Expr::new(Origin(self.offset), kind)
    }

    #[inline]
    fn push(&mut self, value: Value) {
        self.pushed.add(&value);
        self.stack.push(value);
    }

    /// Makes an atom of an expression, which is no temporary.
    fn atom(&mut self, expr: Expr) -> Value {
        self.atoms.push(Some(expr));
        Value::Atom(self.atoms.len() - 1)
    }

    /// The expression of an atom, unless it is a temporary that no expression had.
    fn atom_of(&self, value: Value) -> Option<&Expr> {
        match self.resolve(value) {
            Value::Atom(id) => self.atoms[id].as_ref(),
            Value::Named(id) => self.pending[id].expr.as_ref(),
            _ => None,
        }
    }

    /// The same as an expression of its own, also of temporaries.
    fn copied_atom(&self, value: Value) -> Option<Expr> {
        match value {
            Value::Temp(temporary, origin) => Some(Expr::new(Origin(origin), ExprKind::Temp(temporary))),
            value => self.atom_of(value).cloned(),
        }
    }

    /// The literal that a value is.
    fn literal_of(&self, value: Value) -> Option<&Literal> {
        match self.atom_of(value) {
            Some(Expr { kind: ExprKind::Literal(literal), .. }) => Some(literal),
            _ => None,
        }
    }

    /// The string that a value is.
    fn string_of(&self, value: Value) -> Option<&PyStr> {
        match self.literal_of(value) {
            Some(Literal::Str(text)) => Some(text),
            _ => None,
        }
    }

    /// The value for one more holder.
    fn duplicate(&mut self, value: Value) -> Value {
        self.refer(&value);
        self.duplicate_atom(value)
    }

    /// The same, where something else holds it from now on if it is more than an atom.
    fn duplicate_atom(&mut self, value: Value) -> Value {
        match value {
            Value::Atom(id) | Value::ExceptionMatch(id) => {
                let copy = self.atoms[id].clone();
                self.atoms.push(copy);
                let copy = self.atoms.len() - 1;
                if let Value::Atom(_) = value { Value::Atom(copy) } else { Value::ExceptionMatch(copy) }
            }
            value => value,
        }
    }

    /// Pops a value; pending values that got a name meanwhile come as that name.
    #[inline]
    fn pop(&mut self) -> LiftResult<Value> {
        match self.stack.pop() {
            Some(value) => Ok(self.resolve(value)),
            None => self.error("the stack is empty"),
        }
    }

    /// The index of the first of so many values on top of the stack.
    fn top(&self, count: usize) -> LiftResult<usize> {
        match self.stack.len().checked_sub(count) {
            Some(start) => Ok(start),
            None => self.error("the stack holds too few values"),
        }
    }

    fn pop_many(&mut self, count: usize) -> LiftResult<Values> {
        let start = self.top(count)?;
        Ok(self.pop_from(start))
    }

    /// Pops all values from an index on.
    fn pop_from(&mut self, start: usize) -> Values {
        let mut values = Values::from_slice(&self.stack[start..]);
        self.stack.truncate(start);
        values.iter_mut().for_each(|value| *value = self.resolve(*value));
        values
    }

    /// As [`Lifter::pop_many`], of so many that no list is needed.
    fn pop_array<const N: usize>(&mut self) -> LiftResult<[Value; N]> {
        let Some(&values) = self.stack.last_chunk::<N>() else {
            return self.error("the stack holds too few values");
        };
        self.stack.truncate(self.stack.len() - N);
        Ok(values.map(|value| self.resolve(value)))
    }

    /// A value, or its name, if it got one meanwhile.
    #[inline]
    fn resolve(&self, value: Value) -> Value {
        match value {
            Value::Pending(id) if !self.is_live(id) && self.pending[id].expr.is_some() => Value::Named(id),
            Value::Fresh(id) => match self.fresh[id].named {
                Some(temporary) => Value::Temp(temporary, Origin::NONE.0),
                None => value,
            },
            _ => value,
        }
    }

    /// Whether the pending expression is still unnamed.
    fn is_live(&self, id: PendingId) -> bool {
        self.pending[id].place != Place::Gone
    }

    /// Takes a pending expression out of the order of evaluation.
    fn forget(&mut self, id: PendingId) {
        let place = std::mem::replace(&mut self.pending[id].place, Place::Gone);
        if place == Place::Live
            && let Some(at) = self.live.iter().rposition(|&live| live == id)
        {
            self.live.remove(at);
        }
    }

    /// Starts the tables anew where nothing on the stack refers to them: a block of many statements must not
    /// search those of all statements before.
    fn forget_statement(&mut self) {
        if self.stack.len() > FEW_VALUES
            || !self.live.is_empty()
            || self.pending.is_empty() && self.fresh.is_empty() && self.atoms.is_empty()
        {
            return;
        }
        let (mut holds_values, mut holds_atoms) = (false, false);
        for value in &self.stack {
            match value {
                Value::Pending(_) | Value::Named(_) | Value::Fresh(_) => holds_values = true,
                Value::Atom(_) | Value::Starred(_) | Value::ExceptionMatch(_) => holds_atoms = true,
                _ => {}
            }
        }
        if !holds_values {
            self.pending.clear();
            self.fresh.clear();
            self.pushed = Pushed::default();
            self.stack.iter().for_each(|value| self.pushed.add(value));
            if !holds_atoms {
                self.atoms.clear();
            }
        }
    }

    /// Makes a pending value, the last in the order of evaluation.
    fn defer(&mut self, expr: Expr, effects: Effects, special: Special) -> Value {
        self.defer_pending(Some(expr), effects, special)
    }

    fn defer_pending(&mut self, expr: Option<Expr>, effects: Effects, special: Special) -> Value {
        let id = self.pending.len();
        self.pending.push(Pending { expr, effects, references: 1, special, place: Place::Live });
        self.live.push(id);
        Value::Pending(id)
    }

    /// Pushes the expression as a pending value.
    fn push_expr(&mut self, kind: ExprKind, effects: Effects) {
        let expr = self.expr(kind);
        let value = self.defer(expr, effects, Special::None);
        self.push(value);
    }
}
