//! What the numbers of names tell: the compiler numbers each name, local and code object when it first meets it, so of two
//! pieces of source the one with the lower numbers was compiled first (CPython `Python/compile.c`, `dict_add_o`).

use std::cell::OnceCell;
use std::cmp::Ordering;

use depyf_bytecode::{CodeObject, Const, Function, Instruction, Op, VariableKind};

use super::{Evidence, LiftedBlock};
use crate::hash::HashMap;

/// So many instructions of a piece are looked at.
const MOST: usize = 512;

/// What the compiler numbers; each kind by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Numbered {
    Name(u32),
    Local(u32),
    Code(u32),
}

/// How often a function mentions what is numbered; counted when it is first asked for.
pub(super) type Mentions = OnceCell<HashMap<Numbered, usize>>;

impl Evidence<'_> {
    /// Which of two pieces of a function was compiled first, or in part before the other one; `None` where no number tells.
    /// What is mentioned elsewhere, too, tells nothing. The second piece is looked at first: where that has nothing of its
    /// own, as a short handler, the first one need not be, which may be as long as the function.
    pub(crate) fn compiled_first<'b>(
        &self,
        one: impl Iterator<Item = &'b LiftedBlock>,
        other: impl Iterator<Item = &'b LiftedBlock>,
    ) -> Option<Ordering> {
        let other = self.least_own(other);
        if other.iter().all(Option::is_none) {
            return None;
        }
        let one = self.least_own(one);
        let same_kind = |(one, other): (Option<Numbered>, Option<Numbered>)| Some(one?.cmp(&other?));
        one.into_iter().zip(other).find_map(same_kind)
    }

    /// Of each kind the first that only these blocks mention.
    fn least_own<'b>(&self, blocks: impl Iterator<Item = &'b LiftedBlock>) -> [Option<Numbered>; 3] {
        let all =
            self.mentions.get_or_init(|| count(self.function.instructions.iter(), self.code, self.function));
        // What is moved away from the middle of a block is none of it.
        let blocks = blocks.filter(|block| !self.becomes_cold(block));
        let inside = blocks.flat_map(|block| self.within(block).0).take(MOST);
        let mut least = [None; 3];
        #[expect(clippy::iter_over_hash_type, reason = "the least is the least in any order")]
        for (numbered, mentioned) in count(inside, self.code, self.function) {
            let kind = match numbered {
                Numbered::Code(_) => 0,
                Numbered::Name(_) => 1,
                Numbered::Local(_) => 2,
            };
            if all.get(&numbered) == Some(&mentioned) && least[kind].is_none_or(|least| numbered < least) {
                least[kind] = Some(numbered);
            }
        }
        least
    }
}

fn count<'i>(
    instructions: impl Iterator<Item = &'i Instruction>,
    code: &CodeObject,
    function: &Function,
) -> HashMap<Numbered, usize> {
    let mut found = HashMap::default();
    for numbered in instructions.filter_map(|instruction| numbered(instruction.op, code, function)) {
        *found.entry(numbered).or_default() += 1;
    }
    found
}

/// What an operation mentions. Parameters have their numbers from the head of the function, cells from the alphabet, and
/// constants that are no code may be folded later.
fn numbered(op: Op, code: &CodeObject, function: &Function) -> Option<Numbered> {
    match op {
        Op::LoadName(name)
        | Op::StoreName(name)
        | Op::DeleteName(name)
        | Op::LoadGlobal(name)
        | Op::StoreGlobal(name)
        | Op::DeleteGlobal(name)
        | Op::LoadFromDictOrGlobals(name)
        | Op::LoadAttr(name)
        | Op::StoreAttr(name)
        | Op::DeleteAttr(name)
        | Op::LoadSuperAttr { name, .. }
        | Op::ImportName { name, .. }
        | Op::ImportFrom(name) => Some(Numbered::Name(name)),
        Op::LoadLocal(local)
        | Op::LoadLocalAndClear(local)
        | Op::StoreLocal(local)
        | Op::DeleteLocal(local) => {
            let is_numbered = function.variables.get(local as usize)?.kind == VariableKind::Local
                && local as usize >= code.parameter_count();
            is_numbered.then_some(Numbered::Local(local))
        }
        Op::Const(index) => {
            matches!(code.consts.get(index as usize), Some(Const::Code(_))).then_some(Numbered::Code(index))
        }
        _ => None,
    }
}
