//! What each neutral operation does to the height of the stack.

use crate::function::Features;
use crate::op::{CallLayout, Op};

/// How much higher the stack is after an operation; `jump` asks for the way of the jump.
///
/// For a `CallFinally` the jump is the call itself; the fall-through is its return. A `SetupBlock` has no
/// effect here: what its handler starts with is in [`crate::Function::regions`]. Operands of hostile
/// bytecode saturate.
#[must_use]
pub fn stack_effect(op: Op, jump: bool, features: &Features) -> i64 {
    let slots = |layout| if layout == CallLayout::Plain { 1 } else { 2 };
    match op {
        Op::Nop | Op::MakeCell(_) | Op::Swap(_) | Op::Rot(_) => 0,
        Op::Pop | Op::StoreLocal(_) | Op::StoreDeref(_) | Op::StoreGlobal(_) | Op::StoreName(_) => -1,
        Op::Copy(_)
        | Op::PushNull
        | Op::Const(_)
        | Op::SmallInt(_)
        | Op::Common(_)
        | Op::LoadLocal(_)
        | Op::LoadLocalAndClear(_)
        | Op::LoadDeref(_)
        | Op::LoadClosure(_)
        | Op::LoadClassDeref(_)
        | Op::LoadGlobal(_)
        | Op::LoadName(_)
        | Op::LoadLocals
        | Op::LoadBuildClass => 1,
        Op::DeleteLocal(_) | Op::DeleteDeref(_) | Op::DeleteGlobal(_) | Op::DeleteName(_) => 0,
        Op::LoadFromDictOrDeref(_) | Op::LoadFromDictOrGlobals(_) | Op::LoadAttr(_) => 0,
        Op::StoreAttr(_) => -2,
        Op::DeleteAttr(_) => -1,
        Op::LoadSuperAttr { .. } => -2,

        Op::Call { positional, layout } => 1 - slots(layout) - i64::from(positional),
        Op::CallKeywords { arguments, layout } => -slots(layout) - i64::from(arguments),
        Op::CallEx { keywords, layout } => -slots(layout) - i64::from(keywords),
        Op::Intrinsic1(_) | Op::Unary(_) | Op::ToBool | Op::ListToTuple | Op::Convert(_) => 0,
        Op::Intrinsic2(_) | Op::Binary(_) | Op::Inplace(_) | Op::Compare(_) => -1,
        Op::Is { .. } | Op::Contains { .. } | Op::Subscript => -1,
        Op::StoreSubscript => -3,
        Op::DeleteSubscript | Op::BinarySlice => -2,
        Op::StoreSlice => -4,

        Op::BuildSlice(count)
        | Op::BuildTuple(count)
        | Op::BuildList(count)
        | Op::BuildSet(count)
        | Op::BuildString(count)
        | Op::BuildUnpack(_, count) => 1 - i64::from(count),
        Op::BuildMap(pairs) => 1 - 2 * i64::from(pairs),
        Op::BuildConstKeyMap(values) => -i64::from(values),
        Op::ListAppend(_) | Op::SetAdd(_) | Op::ListExtend(_) | Op::SetUpdate(_) => -1,
        Op::MapAdd(_) => -2,
        Op::DictUpdate(_) | Op::DictMerge(_) => -1,
        Op::Format { spec, .. } => -i64::from(spec),
        Op::BuildInterpolation { spec, .. } => -1 - i64::from(spec),
        Op::BuildTemplate => -1,
        Op::Unpack(count) => i64::from(count) - 1,
        Op::UnpackEx { before, after } => i64::from(before) + i64::from(after),

        Op::GetIter | Op::GetYieldFromIter | Op::GetAwaitable | Op::GetAiter => 0,
        Op::ForIter { slots, pops, .. } if jump => -i64::from(slots) * i64::from(pops),
        Op::ForIter { .. } => 1,
        Op::Jump(_) => 0,
        Op::JumpIf(..) => -1,
        Op::JumpIfOrPop(..) => -i64::from(!jump),
        Op::Return => -1,
        Op::Raise(operands) => -i64::from(operands),
        Op::Reraise(_) | Op::PopExcept => {
            if features.six_value_handlers {
                -3
            } else {
                -1
            }
        }

        Op::PushExcInfo => 1,
        Op::ExceptionMatch => -i64::from(features.six_value_handlers),
        Op::ExceptionGroupMatch => 0,
        Op::BeforeWith { slots, .. } => i64::from(slots),
        Op::WithExceptStart => 1,
        // As on the normal way, where NULL lies on the exit function.
        Op::WithCleanupStart => 1,
        Op::WithCleanupFinish => -2,
        Op::BeginFinally => 1,
        Op::CallFinally(_) => i64::from(jump),
        Op::EndFinally { .. } | Op::PopFinally(_) => -1,
        Op::PopBlock | Op::SetupBlock(_) => 0,

        Op::Yield => 0,
        Op::YieldFrom => -1,
        Op::Send(_) => -i64::from(jump && features.send_drops_iterator),
        Op::EndSend => -1,
        Op::GetAnext => 1,
        Op::EndAsyncFor => {
            if features.six_value_handlers {
                -7
            } else {
                -2
            }
        }
        Op::CleanupThrow => -1,

        Op::MakeFunction(parts) => -i64::from((parts.0 & 15).count_ones()),
        Op::SetFunctionAttribute(_) => -1,
        Op::SetupAnnotations => 0,
        Op::ImportName { .. } => -1,
        Op::ImportFrom(_) => 1,
        Op::ImportStar => -1,

        Op::MatchClass(_) => -2 + i64::from(features.six_value_handlers),
        Op::MatchMapping | Op::MatchSequence | Op::GetLen => 1,
        Op::MatchKeys => 1 + i64::from(features.six_value_handlers),
        Op::CopyDictWithoutKeys => 0,
        Op::Unknown(_) => 0,
    }
}
