//! Values become the operands of what takes them.

use depyf_syntax::ast::{Expr, ExprKind, Origin};
use smallvec::SmallVec;

use super::keys::spell_in_place;
use super::value::Place;
use super::{
    ASSERTION_ERROR, ENTERED, Effects, ExceptionPart, LiftResult, Lifter, Pending, PendingId, Special, Value,
    exception_temporary,
};

/// The operands of an operation, in the order of the stack.
type Operands = smallvec::IntoIter<[Expr; 2]>;

impl Lifter<'_> {
    /// Pushes an expression built from the top `count` values, evaluated in the order of the stack.
    pub(super) fn combine(
        &mut self,
        count: usize,
        acts: bool,
        build: impl FnOnce(Operands) -> Option<ExprKind>,
    ) -> LiftResult<()> {
        let (mut exprs, mut effects) = self.take_top(count)?;
        exprs.iter_mut().for_each(spell_in_place);
        effects.acts |= acts;
        match build(exprs.into_iter()) {
            Some(mut kind) => {
                self.keep_unfolded(&mut kind);
                self.push_expr(kind, effects);
                Ok(())
            }
            None => self.error("an operation got the wrong number of operands"),
        }
    }

    /// Takes the top values off the stack as expressions, as [`Lifter::take`] does; slices are left as they are.
    pub(super) fn take_top(&mut self, count: usize) -> LiftResult<(SmallVec<[Expr; 2]>, Effects)> {
        let start = self.top(count)?;
        self.put_top_in_place(start)?;
        let mut effects = Effects::NONE;
        let mut exprs = SmallVec::with_capacity(count);
        for at in start..start + count {
            exprs.push(self.convert(self.stack[at], &mut effects)?);
        }
        self.stack.truncate(start);
        Ok((exprs, effects))
    }

    /// The same of two.
    pub(super) fn take_pair(&mut self) -> LiftResult<(Expr, Expr, Effects)> {
        let values: [Value; 2] = self.pop_array()?;
        self.put_in_place(&values)?;
        let ([left, right], mut effects) = (values, Effects::NONE);
        Ok((self.convert(left, &mut effects)?, self.convert(right, &mut effects)?, effects))
    }

    /// The top of the stack, if it was evaluated last and nothing else holds it: most operands are so, and in place.
    pub(super) fn last_on_stack(&mut self) -> Option<&mut Pending> {
        match self.stack.last() {
            Some(&Value::Pending(id)) => self.last_evaluated(id),
            _ => None,
        }
    }

    fn last_evaluated(&mut self, id: PendingId) -> Option<&mut Pending> {
        if self.live.last() != Some(&id) {
            return None;
        }
        let pending = &mut self.pending[id];
        (pending.references <= 1 && matches!(pending.special, Special::None)).then_some(pending)
    }

    /// Turns one value into an expression, see [`Lifter::take`].
    #[inline]
    pub(super) fn take_one(&mut self, value: Value) -> LiftResult<(Expr, Effects)> {
        let mut effects = Effects::NONE;
        Ok((self.take_into(value, &mut effects)?, effects))
    }

    /// The same, where what evaluating it does is added to other effects.
    pub(super) fn take_into(&mut self, value: Value, effects: &mut Effects) -> LiftResult<Expr> {
        match value {
            Value::Local(..) => return self.convert(value, effects),
            Value::Pending(id) => {
                if let Some(pending) = self.last_evaluated(id)
                    && let Some(mut expr) = pending.expr.take()
                {
                    pending.place = Place::Gone;
                    effects.add(&pending.effects);
                    self.live.pop();
                    spell_in_place(&mut expr);
                    return Ok(expr);
                }
                self.put_in_place(&[value])?;
            }
            Value::Fresh(_) => self.put_in_place(&[value])?,
            _ => {}
        }
        let mut expr = self.convert(value, effects)?;
        spell_in_place(&mut expr);
        Ok(expr)
    }

    /// Turns values into expressions that are evaluated in the given order, now.
    ///
    /// Establishes: evaluating the results in order, behind all statements printed so far and behind
    /// what is still live, does what the bytecode did. Where it would not, values are named first.
    pub(super) fn take(&mut self, values: &[Value]) -> LiftResult<(Vec<Expr>, Effects)> {
        self.put_in_place(values)?;
        let mut effects = Effects::NONE;
        let mut exprs = Vec::with_capacity(values.len());
        for &value in values {
            let mut expr = self.convert(value, &mut effects)?;
            spell_in_place(&mut expr);
            exprs.push(expr);
        }
        Ok((exprs, effects))
    }

    /// The expression of a value that [`Lifter::take`] has found to be in place.
    pub(super) fn convert(&mut self, value: Value, effects: &mut Effects) -> LiftResult<Expr> {
        match self.resolve(value) {
            Value::Local(local, offset) => {
                effects.locals.add(local);
                Ok(Expr::new(Origin(offset), ExprKind::Name(self.context.variable(local))))
            }
            Value::Pending(id) => self.convert_pending(id, effects),
            Value::Atom(id) => match self.atoms[id].take() {
                Some(expr) => Ok(expr),
                None => self.error("a value is used twice"),
            },
            value => self.convert_rare(value, effects),
        }
    }

    /// The same of values that few operations take. It lies apart so that what all operations read is short.
    #[inline(never)]
    fn convert_rare(&mut self, value: Value, effects: &mut Effects) -> LiftResult<Expr> {
        match value {
            Value::Temp(temporary, origin) => {
                if let ENTERED..ASSERTION_ERROR = temporary {
                    self.temporaries.note_own();
                }
                Ok(Expr::new(Origin(origin), ExprKind::Temp(temporary)))
            }
            Value::Named(_) => match self.atom_of(value) {
                Some(name) => Ok(name.clone()),
                None => self.error("a value is used twice"),
            },
            Value::Starred(id) => match self.atoms[id].clone() {
                Some(expr) => Ok(self.expr(ExprKind::Starred(Box::new(expr)))),
                None => self.error("a value is used twice"),
            },
            Value::Fresh(id) => self.convert_fresh(id, effects),
            Value::BuildClass => Ok(self.expr(ExprKind::Name("__build_class__".into()))),
            Value::Cell(variable, offset) => self.cell_value(variable, offset),
            Value::Code(index) => self.code_value(index),
            Value::Unknown => self.error("a value below a handler is not the same on all ways into it"),
            Value::Saved => self.error("a saved local is used as a value"),
            Value::Null => self.error("a NULL is used as a value"),
            Value::Exit => self.error("the exit function of a `with` is used as a value"),
            Value::Exception(ExceptionPart::Raised(handler)) => {
                self.temporaries.note_own();
                Ok(Expr::new(Origin(self.offset), ExprKind::Temp(exception_temporary(handler))))
            }
            Value::Exception(_) | Value::ExceptionMatch(_) => {
                self.error("a part of the handled exception is used as a value")
            }
            Value::Local(..) | Value::Pending(_) | Value::Atom(_) => self.convert(value, effects),
        }
    }

    fn convert_pending(&mut self, id: PendingId, effects: &mut Effects) -> LiftResult<Expr> {
        self.forget(id);
        effects.add(&self.pending[id].effects);
        let pending = &mut self.pending[id];
        match (&pending.special, pending.expr.take()) {
            (_, None) => self.error("a value is used twice"),
            (Special::None, Some(expr)) => Ok(expr),
            (Special::Iterator, Some(expr)) => Ok(crate::names::iterator(expr)),
            (Special::AsyncIterator, Some(expr)) => Ok(crate::names::async_iterator(expr)),
            (Special::Interpolation, Some(_)) => self.error("a field of a t-string is used as a value"),
            (Special::Coroutine, Some(_)) => {
                self.error("the coroutine of a comprehension is used as a value")
            }
            (Special::Starred, Some(expr)) => Ok(Expr::new(expr.origin, ExprKind::Starred(Box::new(expr)))),
            (_, Some(expr)) => Ok(expr),
        }
    }
}
