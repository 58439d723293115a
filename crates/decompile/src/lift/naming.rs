//! Pending values become statements: each that cannot stay in place gets a name, in the order of evaluation.

use depyf_bytecode::VarId;
use depyf_syntax::ast::{Expr, ExprKind, Origin, Stmt, StmtKind};

use super::value::{Inplace, Place, Pushed};
use super::{ASYNC_ITERATOR, Effects, HOLE, LiftResult, Lifter, PendingId, Special, Value};

/// How far above a part of the target of `x[y] += ..` the value of the target lies at most.
const DEEPEST_PLACE: usize = 2;

impl Lifter<'_> {
    /// Prints everything live up to and including `id` as named values, in order.
    pub(super) fn name_until(&mut self, id: PendingId) -> LiftResult<()> {
        let Some(at) = self.live.iter().rposition(|&live| live == id) else { return Ok(()) };
        let named: Vec<PendingId> = self.live.drain(..=at).collect();
        for first in named {
            self.pending[first].place = Place::Gone;
            self.name(first)?;
        }
        Ok(())
    }

    /// Prints everything that is still live as named values; what nothing refers to prints as it is.
    pub(crate) fn name_all(&mut self) -> LiftResult<()> {
        match self.live.last() {
            Some(&last) => self.name_until(last),
            None => Ok(()),
        }
    }

    /// Prints one pending value, which is no longer live, and lets its name stand for it.
    pub(super) fn name(&mut self, id: PendingId) -> LiftResult<()> {
        let pending = &mut self.pending[id];
        let (expr, special) = (pending.expr.take(), std::mem::replace(&mut pending.special, Special::None));
        let unused = pending.references == 0;
        let name = match special {
            Special::Function(function) => {
                let name = Expr::name(function.name.clone());
                self.append(StmtKind::Function(function))?;
                name
            }
            Special::Class(class) => {
                let name = Expr::name(class.name.clone());
                self.append(StmtKind::Class(class))?;
                name
            }
            Special::TypeAlias(alias) => {
                let alias = *alias;
                let name = Expr::name(alias.name.clone());
                self.append(StmtKind::TypeAlias {
                    name: alias.name,
                    type_params: alias.type_params,
                    value: alias.value,
                })?;
                name
            }
            Special::TypeParam(_) | Special::Generic(_) => {
                return self.error("type parameters are kept for later");
            }
            Special::Comprehension(_) => {
                return self.error("the body of a comprehension is used as a value");
            }
            Special::Inplace(inplace) => {
                let Inplace { op, left, right } = *inplace;
                let temporary = temporary(self.temporaries.fresh());
                self.append(StmtKind::Assign { targets: vec![temporary.clone()], value: left })?;
                self.append(StmtKind::AugAssign { target: temporary.clone(), op, value: right })?;
                temporary
            }
            Special::Awaitable => return self.error("an awaitable is kept for later"),
            Special::Interpolation => return self.error("a field of a t-string is kept for later"),
            Special::Coroutine => return self.error("the coroutine of a comprehension is kept for later"),
            Special::None
            | Special::Converted
            | Special::Iterator
            | Special::AsyncIterator
            | Special::Starred
            | Special::Arguments => {
                let Some(mut expr) = expr else { return self.error("a value is used twice") };
                if matches!(special, Special::Starred) {
                    let starred = Expr::new(expr.origin, ExprKind::Starred(Box::new(expr)));
                    expr = Expr::new(starred.origin, ExprKind::List(vec![starred]));
                }
                if unused {
                    self.append(StmtKind::Expr(expr))?;
                    return Ok(());
                }
                let temporary = temporary(self.temporaries.fresh());
                let marker = match special {
                    Special::Iterator => Some(HOLE),
                    Special::AsyncIterator => Some(ASYNC_ITERATOR),
                    _ => None,
                };
                if let Some(marker) = marker {
                    // A `for` over the temporary takes the iterable itself; `refine/temporaries.rs` writes
                    // `iter(..)` where the temporary goes anywhere else.
                    let marker = Expr::new(Origin::NONE, ExprKind::Temp(marker));
                    expr = Expr::new(expr.origin, ExprKind::call(marker, vec![expr], Vec::new()));
                }
                self.append(StmtKind::Assign { targets: vec![temporary.clone()], value: expr })?;
                if matches!(special, Special::Starred) {
                    self.atoms.push(Some(temporary.clone()));
                    self.replace(Value::Pending(id), Value::Starred(self.atoms.len() - 1));
                }
                temporary
            }
        };
        self.pending[id].expr = Some(name);
        Ok(())
    }

    /// Prints a statement; what is live and would show the difference is printed first.
    #[inline]
    pub(super) fn print(&mut self, kind: StmtKind, effects: &Effects) -> LiftResult<()> {
        if !self.live.is_empty() {
            self.name_conflicting(effects)?;
        }
        self.append(kind)
    }

    /// Names what is live and would show that a statement was printed first.
    fn name_conflicting(&mut self, effects: &Effects) -> LiftResult<()> {
        let last = self.live.iter().rposition(|&id| self.pending[id].effects.conflicts(effects));
        if let Some(last) = last {
            let id = self.live[last];
            self.name_until(id)?;
        }
        Ok(())
    }

    /// Prints a statement that comes before everything live.
    pub(super) fn append(&mut self, kind: StmtKind) -> LiftResult<()> {
        if self.expression_only {
            return self.error("a statement stands inside an expression");
        }
        let origin = statement_origin(&kind).unwrap_or(Origin(self.offset));
        self.statements.push(Stmt::new(origin, kind));
        Ok(())
    }

    /// Puts `new` into every stack slot and fresh container that holds `old`.
    pub(super) fn replace(&mut self, old: Value, new: Value) {
        self.pushed.add(&new);
        for slot in self.stack.iter_mut().chain(self.fresh.iter_mut().flat_map(|fresh| &mut fresh.items)) {
            if *slot == old {
                *slot = new;
            }
        }
    }

    /// Reads a local where the stack holds it, in front of an assignment expression that stores it: what is evaluated in
    /// the order of the stack needs no name for the value before.
    pub(super) fn read_local(&mut self, local: VarId) {
        if !self.pushed.may_hold(local) {
            return;
        }
        let held = |value: &Value| match *value {
            Value::Local(held, offset) if held == local => Some(offset),
            _ => None,
        };
        let name = ExprKind::Name(self.context.variable(local));
        let read = |lifter: &mut Self, offset| {
            lifter.defer(
                Expr::new(Origin(offset), name.clone()),
                Effects::reading_local(local),
                Special::None,
            )
        };
        for at in 0..self.stack.len() {
            if let Some(offset) = held(&self.stack[at])
                && !self.is_augmented_place(&self.stack[at + 1..], offset)
            {
                self.stack[at] = read(self, offset);
            }
        }
        for id in 0..self.fresh.len() {
            for at in 0..self.fresh[id].items.len() {
                if let Some(offset) = held(&self.fresh[id].items[at]) {
                    self.fresh[id].items[at] = read(self, offset);
                }
            }
        }
    }

    /// Whether the local that was read at the offset is a part of the target of `x[y] += ..`, whose value lies above on the
    /// stack: it was read there, in the order of the source, and is read once.
    fn is_augmented_place(&self, above: &[Value], offset: u32) -> bool {
        let read = |expr: &Expr| expr.origin == Origin(offset) && matches!(expr.kind, ExprKind::Name(_));
        above.iter().take(DEEPEST_PLACE).any(|value| {
            let Value::Pending(id) = *value else { return false };
            match self.pending[id].expr.as_ref().map(|expr| &expr.kind) {
                Some(ExprKind::Attribute { value, .. }) => read(value),
                Some(ExprKind::Subscript { value, index }) => read(value) || read(index),
                _ => false,
            }
        })
    }

    /// Gives the current value of a local a name where the stack still needs it after a store.
    pub(super) fn name_local(&mut self, local: VarId) -> LiftResult<()> {
        if !self.pushed.may_hold(local) {
            return Ok(());
        }
        let holds = |value: &Value| matches!(value, Value::Local(held, _) if *held == local);
        let mut pushed = Pushed::default();
        let mut values = self.stack.iter().chain(self.fresh.iter().flat_map(|fresh| &fresh.items));
        let used = values.by_ref().inspect(|value| pushed.add(value)).find(|value| holds(value));
        let Some(&Value::Local(_, offset)) = used else {
            // What was there when the search was needed last may be gone: the next one may be spared.
            self.pushed = pushed;
            return Ok(());
        };
        let number = self.temporaries.fresh();
        let value = Expr::new(Origin(offset), ExprKind::Name(self.context.variable(local)));
        let effects = Effects::reading_local(local);
        self.print(StmtKind::Assign { targets: vec![temporary(number)], value }, &effects)?;
        for slot in self.stack.iter_mut().chain(self.fresh.iter_mut().flat_map(|fresh| &mut fresh.items)) {
            if holds(slot) {
                *slot = Value::Temp(number, Origin::NONE.0);
            }
        }
        Ok(())
    }
}

/// A temporary as an expression. The instruction at hand may be another one, which only needs a name for the value.
pub(super) fn temporary(number: u32) -> Expr {
    Expr::new(Origin::NONE, ExprKind::Temp(number))
}

/// The instruction that a temporary's statement belongs to is the one that computed the value.
fn statement_origin(kind: &StmtKind) -> Option<Origin> {
    match kind {
        StmtKind::Assign { targets, value }
            if matches!(targets[..], [Expr { kind: ExprKind::Temp(_), .. }]) =>
        {
            (value.origin != Origin::NONE).then_some(value.origin)
        }
        _ => None,
    }
}
