//! `await`, `yield from` and asynchronous iterators.

use depyf_syntax::ast::ExprKind;

use super::{LiftResult, Lifter, Special, Value};

impl Lifter<'_> {
    /// `aiterable -> aiterator`
    pub(super) fn asynchronous_iterator(&mut self) -> LiftResult<()> {
        let value = self.pop()?;
        let (expr, mut effects) = self.take_one(value)?;
        effects.acts = true;
        let value = self.defer(expr, effects, Special::AsyncIterator);
        self.push(value);
        Ok(())
    }

    /// `awaitable -> iterator`
    pub(super) fn awaitable(&mut self) -> LiftResult<()> {
        let value = self.pop()?;
        if let Value::Pending(id) = value
            && matches!(self.pending[id].special, Special::Coroutine)
        {
            self.push(value);
            return Ok(());
        }
        let (expr, mut effects) = self.take_one(value)?;
        effects.acts = true;
        let value = self.defer(expr, effects, Special::Awaitable);
        self.push(value);
        Ok(())
    }

    /// `iterator sent -> result` of `yield from` and `await`.
    pub(super) fn delegate(&mut self) -> LiftResult<()> {
        // The value sent first is None; 3.15 keeps an empty slot below it.
        self.discard_quietly()?;
        if self.stack.last() == Some(&Value::Null) {
            self.stack.pop();
        }
        let value = self.pop()?;
        let awaits = match value {
            Value::Pending(id) if matches!(self.pending[id].special, Special::Awaitable) => {
                self.pending[id].special = Special::None;
                true
            }
            Value::Pending(id) if matches!(self.pending[id].special, Special::Coroutine) => {
                self.pending[id].special = Special::None;
                self.push(value);
                return Ok(());
            }
            _ => false,
        };
        let (expr, mut effects) = self.take_iterable(value)?;
        effects.acts = true;
        let value = Box::new(expr);
        self.push_expr(if awaits { ExprKind::Await(value) } else { ExprKind::YieldFrom(value) }, effects);
        Ok(())
    }
}
