//! Where the source's variables are live that the lowering made for `match`: what is looked at, and what was found in it.
//!
//! The bytecode has these values on its stack and drops them; a variable keeps its value when nothing reads it any more. A
//! state in which such a value is a fresh object would never meet one in which it is not.

use depyf_bytecode::{Instruction, Op, VarId};
use fixedbitset::FixedBitSet;

use super::program::ways;
use super::state::State;
use super::terms::{FastMap, Term};
use crate::flow::Lists;

/// By variable and instruction, where the value is read later on.
#[derive(Default)]
pub(super) struct OwnVariables {
    ids: Vec<VarId>,
    live: FastMap<(VarId, u32), ()>,
}

impl OwnVariables {
    /// Follows the ways back from each read to where the variable was stored. Handlers read none of these variables.
    pub(super) fn of(code: &[Instruction], ids: Vec<VarId>) -> Self {
        let mut found = Self { ids, live: FastMap::default() };
        if found.ids.is_empty() {
            return found;
        }
        let back = || ways(code).filter(|&(_, to)| to < code.len()).map(|(from, to)| (to, from));
        let predecessors = Lists::of(code.len(), back);
        let is_own: FixedBitSet = found.ids.iter().map(|&id| id as usize).collect();
        let reads = code.iter().zip(0..).filter_map(|(instruction, at)| match instruction.op {
            Op::LoadLocal(id) if is_own.contains(id as usize) => Some((id, at)),
            _ => None,
        });
        let mut work: Vec<(VarId, u32)> = reads.collect();
        while let Some((id, at)) = work.pop() {
            if found.live.insert((id, at), ()).is_none() {
                let before = predecessors[at as usize].iter().copied();
                let passes = |&before: &usize| code[before].op != Op::StoreLocal(id);
                work.extend(before.filter(passes).map(|before| (id, before as u32)));
            }
        }
        found
    }

    /// Takes values that nothing reads from a state.
    pub(super) fn forget_dead(&self, state: &mut State, unbound: Term) {
        for &id in &self.ids {
            if !self.live.contains_key(&(id, state.at))
                && let Some(value) = state.locals.get_mut(id as usize)
            {
                *value = unbound;
            }
        }
    }
}
