//! The order of evaluation: what an operation takes off the stack must stand where it was evaluated, or be named.

use super::value::Place;
use super::{Effects, LiftResult, Lifter, PendingId, Value};
use crate::hash::HashSet;

/// So many values out of order are compared with each other; more are simply named.
const FEW_EXCHANGED: usize = 64;

impl Lifter<'_> {
    /// Names what must be named before the values can be evaluated in the given order, and takes the others out of
    /// the order of evaluation, to be converted next.
    pub(super) fn put_in_place(&mut self, values: &[Value]) -> LiftResult<()> {
        let mut kept = self.live.len();
        if values.iter().rev().all(|&value| self.comes_last(value, &mut kept)) {
            self.take_last(kept);
            return Ok(());
        }
        self.move_in_place(values)
    }

    /// The same of all values on the stack from an index on.
    pub(super) fn put_top_in_place(&mut self, start: usize) -> LiftResult<()> {
        let mut kept = self.live.len();
        if self.stack[start..].iter().rev().all(|&value| self.comes_last(value, &mut kept)) {
            self.take_last(kept);
            return Ok(());
        }
        let values = self.pop_from(start);
        self.move_in_place(&values)?;
        self.stack.extend(values);
        Ok(())
    }

    /// The same of values that are not all in place.
    fn move_in_place(&mut self, values: &[Value]) -> LiftResult<()> {
        for value in values {
            self.name_shared(value)?;
        }
        let mut wanted = std::mem::take(&mut self.wanted);
        for value in values {
            self.collect(value, &mut wanted);
        }
        if self.live.ends_with(&wanted) {
            self.take_last(self.live.len() - wanted.len());
        } else {
            self.restore_order(&wanted)?;
            wanted.retain(|&id| self.is_live(id));
            self.take_from_order(&wanted);
        }
        wanted.clear();
        self.wanted = wanted;
        Ok(())
    }

    /// Whether what is pending in a value is what was evaluated last of the first `kept` live values, and need not
    /// be named. Most operands are so. They are no longer among the first `kept` then.
    fn comes_last(&self, value: Value, kept: &mut usize) -> bool {
        match value {
            Value::Pending(id) if self.is_live(id) => {
                let pending = &self.pending[id];
                *kept = kept.wrapping_sub(1);
                pending.references <= 1
                    && !pending.special.needs_statement()
                    && self.live.get(*kept) == Some(&id)
            }
            Value::Fresh(id) if self.fresh[id].named.is_none() => {
                let fresh = &self.fresh[id];
                fresh.references <= 1 && fresh.items.iter().rev().all(|&item| self.comes_last(item, kept))
            }
            _ => true,
        }
    }

    /// Takes what was evaluated last out of the order of evaluation, but for the first `kept` live values.
    fn take_last(&mut self, kept: usize) {
        for id in self.live.drain(kept..) {
            self.pending[id].place = Place::Taken;
        }
    }

    /// Takes pending values out of the order of evaluation, to be converted next.
    fn take_from_order(&mut self, wanted: &[PendingId]) {
        for &id in wanted {
            self.pending[id].place = Place::Taken;
        }
        let pending = &self.pending;
        self.live.retain(|&id| pending[id].place == Place::Live);
    }

    /// The live pending values inside a value, in the order in which the source evaluates them.
    pub(super) fn collect(&self, value: &Value, into: &mut Vec<PendingId>) {
        match value {
            Value::Pending(id) if self.is_live(*id) => into.push(*id),
            Value::Fresh(id) if self.fresh[*id].named.is_none() => {
                for item in &self.fresh[*id].items {
                    self.collect(item, into);
                }
            }
            _ => {}
        }
    }

    /// Names what other stack slots hold too: it must be evaluated once.
    pub(super) fn name_shared(&mut self, value: &Value) -> LiftResult<()> {
        match *value {
            Value::Pending(id)
                if self.pending[id].references > 1 || self.pending[id].special.needs_statement() =>
            {
                self.name_until(id)
            }
            Value::Fresh(id) if self.fresh[id].named.is_none() => {
                if self.fresh[id].references > 1 && !self.is_constant_tuple(id) {
                    return self.name_fresh(id);
                }
                for at in 0..self.fresh[id].items.len() {
                    let item = self.fresh[id].items[at];
                    self.name_shared(&item)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Names pending values where moving `wanted` behind everything live, in that order, would show.
    fn restore_order(&mut self, wanted: &[PendingId]) -> LiftResult<()> {
        let is_wanted: HashSet<PendingId> = wanted.iter().copied().collect();
        let Some(last) = self.live.iter().rposition(|id| is_wanted.contains(id)) else { return Ok(()) };
        // What is not wanted stays behind, and comes after what is wanted of the places before it.
        let mut left_behind = Effects::NONE;
        let mut clash = false;
        for id in self.live.iter().rev() {
            let effects = &self.pending[*id].effects;
            if is_wanted.contains(id) {
                clash |= effects.conflicts(&left_behind);
            } else {
                left_behind.add(effects);
            }
        }
        if clash || self.exchange_conflicts(wanted) { self.name_until(self.live[last]) } else { Ok(()) }
    }

    /// Whether two of the values conflict that are wanted in another order than they were evaluated in.
    /// Pending values are numbered in that order.
    fn exchange_conflicts(&self, wanted: &[PendingId]) -> bool {
        if wanted.is_sorted() {
            return false;
        }
        if wanted.len() > FEW_EXCHANGED {
            return true;
        }
        wanted.iter().enumerate().any(|(at, &id)| {
            let effects = &self.pending[id].effects;
            let overtaken = wanted[at + 1..].iter().filter(|&&later| later < id);
            overtaken.into_iter().any(|&later| effects.conflicts(&self.pending[later].effects))
        })
    }
}
