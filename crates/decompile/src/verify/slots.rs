//! Stores into the places of cells, which an inlined comprehension takes for variables of its own (3.12 and later).

use depyf_bytecode::Op;

use super::effects::{Effect, EffectKind};
use super::machine::Machine;
use super::state::Stuck;
use super::terms::{Kind, Name, Term};

impl Machine<'_, '_> {
    /// Stores one behind the other into the places of cells, as what a comprehension gives back:
    /// one effect, since nothing sees their order, and the compiler changes it (`Python/flowgraph.c`, `apply_static_swaps`).
    pub(super) fn store_slots(&mut self) -> Result<Effect, Stuck> {
        let mut stored: Vec<(Name, Term)> = Vec::new();
        let mut at = self.state.at;
        while let Some(Op::StoreLocal(id)) = self.side.op(at) {
            let variable = self.side.variable(id).ok_or("there is no such variable")?;
            let (name, is_local) = (variable.name, variable.is_local);
            if stored.iter().any(|(known, _)| *known == name) {
                break;
            }
            let value = self.pop()?;
            if is_local {
                let place = self.state.locals.get_mut(id as usize).ok_or("there is no such local")?;
                *place = value;
            } else {
                stored.push((name, value));
            }
            self.state.at = at;
            at += 1;
        }
        stored.sort_unstable_by_key(|&(name, _)| name);
        let first = stored.first().ok_or("nothing is stored")?.0;
        let mut operands = Vec::with_capacity(2 * stored.len());
        for (name, value) in stored {
            operands.extend([self.shared.terms.make(Kind::Cell, name, &[]), value]);
        }
        Ok(Effect::new(EffectKind::Op(Op::StoreLocal(0)), operands, 0).named(first))
    }
}
