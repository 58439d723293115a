//! Operations that are equal on both sides, and what they do to the stack.

use depyf_bytecode::{Intrinsic1, Op};

use super::{Lockstep, Place};

/// What an operation that both sides have does to both stacks.
#[derive(Clone, Copy)]
pub(super) struct Effect {
    pub(super) pops: u32,
    pub(super) pushes: u32,
    pub(super) raises: bool,
}

const fn raising(pops: u32, pushes: u32) -> Effect {
    Effect { pops, pushes, raises: true }
}

const fn quiet(pops: u32, pushes: u32) -> Effect {
    Effect { pops, pushes, raises: false }
}

impl Lockstep<'_, '_> {
    /// The effect of an operation whose partner is the same operation on the same variable or name; `None`
    /// where the partner is another, or where it takes more than that to compare the operation.
    #[inline]
    pub(super) fn same(&mut self, place: &Place, first: Op, second: Op) -> Option<Effect> {
        use Op::*;
        Some(match (first, second) {
            (Const(a), Const(b)) if self.equal_constants(place, a, b) => quiet(0, 1),
            (LoadLocal(a), LoadLocal(b)) => self.local(a, b).map(|()| raising(0, 1))?,
            (StoreLocal(a), StoreLocal(b)) => self.local(a, b).map(|()| quiet(1, 0))?,
            (LoadLocalAndClear(a), LoadLocalAndClear(b)) => self.local(a, b).map(|()| quiet(0, 1))?,
            (MakeCell(a), MakeCell(b)) => self.same_variable(a, b).map(|()| quiet(0, 0))?,
            (DeleteLocal(a), DeleteLocal(b)) => self.local(a, b).map(|()| raising(0, 0))?,
            (LoadDeref(a), LoadDeref(b)) => self.same_variable(a, b).map(|()| raising(0, 1))?,
            (StoreDeref(a), StoreDeref(b)) => self.same_variable(a, b).map(|()| quiet(1, 0))?,
            (DeleteDeref(a), DeleteDeref(b)) => self.same_variable(a, b).map(|()| raising(0, 0))?,
            (LoadClosure(a), LoadClosure(b)) => self.same_variable(a, b).map(|()| quiet(0, 1))?,
            (LoadClassDeref(a), LoadClassDeref(b)) => self.same_variable(a, b).map(|()| raising(0, 1))?,
            (LoadFromDictOrDeref(a), LoadFromDictOrDeref(b)) => {
                self.same_variable(a, b).map(|()| raising(1, 1))?
            }
            (LoadFromDictOrGlobals(a), LoadFromDictOrGlobals(b)) => {
                self.name(a, b).map(|()| raising(1, 1))?
            }
            (LoadGlobal(a), LoadGlobal(b)) | (LoadName(a), LoadName(b)) => {
                self.name(a, b).map(|()| raising(0, 1))?
            }
            (StoreGlobal(a), StoreGlobal(b)) | (StoreName(a), StoreName(b)) => {
                self.name(a, b).map(|()| raising(1, 0))?
            }
            (DeleteGlobal(a), DeleteGlobal(b)) | (DeleteName(a), DeleteName(b)) => {
                self.name(a, b).map(|()| raising(0, 0))?
            }
            (LoadAttr(a), LoadAttr(b)) => self.attribute(a, b).map(|()| raising(1, 1))?,
            (StoreAttr(a), StoreAttr(b)) => self.name(a, b).map(|()| raising(2, 0))?,
            (DeleteAttr(a), DeleteAttr(b)) => self.name(a, b).map(|()| raising(1, 0))?,
            (ImportFrom(a), ImportFrom(b)) => self.name(a, b).map(|()| raising(1, 2))?,
            (ImportName { name: a, lazy }, ImportName { name: b, lazy: other }) if lazy == other => {
                self.name(a, b).map(|()| raising(2, 1))?
            }
            (LoadSuperAttr { name: a, two_arguments }, LoadSuperAttr { name: b, two_arguments: other })
                if two_arguments == other =>
            {
                self.name(a, b).map(|()| raising(3, 1))?
            }
            // What lies on the original's stack alone is passed over.
            (Pop, Pop) if !place.stack.top_hides() => quiet(1, 0),
            _ => equal(first).filter(|_| first == second)?,
        })
    }
}

/// The effect of an operation without an operand that means something on one side only.
fn equal(op: Op) -> Option<Effect> {
    Some(match op {
        Op::Intrinsic1(Intrinsic1::StopIterationError | Intrinsic1::AsyncGenWrap) => return None,
        Op::Intrinsic1(_)
        | Op::Unary(_)
        | Op::ListToTuple
        | Op::Convert(_)
        | Op::GetIter
        | Op::GetYieldFromIter
        | Op::GetAwaitable
        | Op::GetAiter => raising(1, 1),
        Op::Intrinsic2(_)
        | Op::Binary(_)
        | Op::Inplace(_)
        | Op::Compare(_)
        | Op::Contains { .. }
        | Op::Subscript
        | Op::BuildTemplate
        | Op::YieldFrom => raising(2, 1),
        Op::Is { .. } => quiet(2, 1),
        Op::StoreSubscript => raising(3, 0),
        Op::DeleteSubscript => raising(2, 0),
        Op::BuildSlice(count)
        | Op::BuildTuple(count)
        | Op::BuildList(count)
        | Op::BuildSet(count)
        | Op::BuildString(count) => quiet(count, 1),
        Op::BuildMap(pairs) => quiet(pairs.checked_mul(2)?, 1),
        Op::BuildUnpack(_, count) => raising(count, 1),
        Op::BuildConstKeyMap(count) => quiet(count.checked_add(1)?, 1),
        Op::Format { spec, .. } => raising(1 + u32::from(spec), 1),
        Op::BuildInterpolation { spec, .. } => raising(2 + u32::from(spec), 1),
        Op::Unpack(count) => raising(1, count),
        Op::UnpackEx { before, after } => raising(1, after.checked_add(u32::from(before))?.checked_add(1)?),
        Op::GetAnext => raising(1, 2),
        Op::LoadLocals | Op::LoadBuildClass => quiet(0, 1),
        Op::SetupAnnotations => raising(0, 0),
        Op::ImportStar => raising(1, 0),
        _ => return None,
    })
}
