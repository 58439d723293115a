//! Where the source's variables are live that the lowering made for `match`: what is looked at, and what was found in it.
//!
//! The bytecode has these values on its stack and drops them; a variable keeps its value when nothing reads it any more. A
//! state in which such a value is a fresh object would never meet one in which it is not.

use depyf_bytecode::{Instruction, Op, VarId};
use fixedbitset::FixedBitSet;

use super::state::State;
use super::terms::{FastMap, Term};

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
        let predecessors = Predecessors::of(code);
        let is_own: FixedBitSet = found.ids.iter().map(|&id| id as usize).collect();
        let reads = code.iter().zip(0..).filter_map(|(instruction, at)| match instruction.op {
            Op::LoadLocal(id) if is_own.contains(id as usize) => Some((id, at)),
            _ => None,
        });
        let mut work: Vec<(VarId, u32)> = reads.collect();
        while let Some((id, at)) = work.pop() {
            if found.live.insert((id, at), ()).is_none() {
                let before = predecessors.of_instruction(at).iter().copied();
                let passes = |&before: &u32| code[before as usize].op != Op::StoreLocal(id);
                work.extend(before.filter(passes).map(|before| (id, before)));
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

/// Which instructions lead to which, but for exceptions.
struct Predecessors {
    /// Where those of an instruction begin in `all`.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Predecessors {
    fn of(code: &[Instruction]) -> Self {
        let mut starts = vec![0; code.len() + 2];
        each_way(code, |_, to| starts[to as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut all = vec![0; starts.last().copied().unwrap_or(0) as usize];
        each_way(code, |from, to| {
            all[next[to as usize] as usize] = from;
            next[to as usize] += 1;
        });
        Self { starts, all }
    }

    fn of_instruction(&self, at: u32) -> &[u32] {
        let [start, end] = [self.starts[at as usize], self.starts[at as usize + 1]];
        &self.all[start as usize..end as usize]
    }
}

/// Calls `way` with both ends of each way between two instructions.
fn each_way(code: &[Instruction], mut way: impl FnMut(u32, u32)) {
    for (at, instruction) in code.iter().enumerate() {
        let at = at as u32;
        let (to, falls) = match instruction.op {
            Op::Jump(to) => (Some(to), false),
            Op::JumpIf(_, to) | Op::JumpIfOrPop(_, to) | Op::Send(to) | Op::ForIter { exhausted: to, .. } => {
                (Some(to), true)
            }
            Op::Return | Op::Raise(_) | Op::Reraise(_) => (None, false),
            _ => (None, true),
        };
        let ways = to.into_iter().chain(falls.then_some(at + 1));
        ways.filter(|&to| (to as usize) < code.len()).for_each(|to| way(at, to));
    }
}
