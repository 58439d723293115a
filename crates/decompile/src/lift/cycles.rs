//! Containers that come to hold themselves, or to be spliced into themselves.
//!
//! No compiler makes such code, but bytecode can: `DUP_TOP`, `LIST_APPEND`. A display cannot say it, so the
//! container gets a name first, and then holds that name.

use crate::hash::HashSet;

use super::value::FreshId;
use super::{LiftResult, Lifter, Value};

/// A shared sequence of more items is unpacked by its name: splicing one into the next, over and over, doubles
/// the items with each instruction.
const MOST_SPLICED: usize = 64;

impl Lifter<'_> {
    /// The container that a value is put into; named where the value holds it already.
    ///
    /// # Errors
    /// Where it needs a name and none can be given, inside of an expression.
    pub(super) fn apart_from(&mut self, target: Value, values: &[Value]) -> LiftResult<Value> {
        let target = self.resolve(target);
        if let Value::Fresh(id) = target
            && self.fresh[id].references > 1
            && self.is_held_by(id, values)
        {
            self.name_fresh(id)?;
            return Ok(self.resolve(target));
        }
        Ok(target)
    }

    /// Whether one of the values is the container, or holds it at any depth.
    pub(super) fn is_held_by(&self, id: FreshId, values: &[Value]) -> bool {
        let mut seen = HashSet::default();
        let mut work = values.to_vec();
        while let Some(value) = work.pop() {
            if let Value::Fresh(inner) = value
                && seen.insert(inner)
            {
                if inner == id {
                    return true;
                }
                work.extend(&self.fresh[inner].items);
            }
        }
        false
    }

    /// Whether the items of a sequence may be put into another one, as often as it is unpacked.
    pub(super) fn may_splice(&self, id: FreshId) -> bool {
        self.fresh[id].references <= 1 || self.fresh[id].items.len() <= MOST_SPLICED
    }
}
