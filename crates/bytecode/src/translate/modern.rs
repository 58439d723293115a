//! Instructions that came with 3.11 and later.

use super::Translator;
use crate::error::Error;
use crate::op::{CommonConst, Conversion, Intrinsic1, Intrinsic2, Op, UnaryOp};
use crate::versions::{ForLoopEnd, Mnemonic};

/// `opcode._common_constants`; 3.14 has the first five.
const COMMON_CONSTANTS: [CommonConst; 12] = [
    CommonConst::AssertionError,
    CommonConst::NotImplementedError,
    CommonConst::Tuple,
    CommonConst::All,
    CommonConst::Any,
    CommonConst::List,
    CommonConst::Set,
    CommonConst::None,
    CommonConst::EmptyStr,
    CommonConst::True,
    CommonConst::False,
    CommonConst::MinusOne,
];

impl Translator<'_> {
    /// Translates an instruction of the new versions; says whether it was one.
    pub(super) fn modern(&mut self, mnemonic: Mnemonic, arg: u32) -> Result<bool, Box<Error>> {
        use Mnemonic::*;
        match mnemonic {
            // The other cells are made before the function begins. That of a name which the function has from outside
            // takes the place of the cell from there.
            MAKE_CELL if matches!(self.instructions.last(), Some(last) if matches!(last.op, Op::LoadLocalAndClear(_))) =>
            {
                let id = self.deref(arg)?;
                self.emit(Op::MakeCell(id));
            }
            // What the interpreter does for itself.
            CACHE | RESUME | MAKE_CELL | COPY_FREE_VARS | NOT_TAKEN => {}
            // A generator's first value is dropped: both are the way in, not the function's own work.
            RETURN_GENERATOR if self.follows(&[(POP_TOP, 0)]) => self.at += 1,
            COPY if arg == 1 && self.enter_with() => {}
            COPY if arg > 0 => self.emit(Op::Copy(arg)),
            SWAP if arg > 0 => self.emit(Op::Swap(arg)),
            POP_ITER => (0..self.facts.iterator_slots).for_each(|_| self.emit(Op::Pop)),
            END_FOR => self.end_for(),
            RETURN_CONST => {
                let constant = self.constant(arg)?;
                self.emit_all([Op::Const(constant), Op::Return]);
            }
            LOAD_SMALL_INT => self.emit(Op::SmallInt(arg as i32)),
            LOAD_COMMON_CONSTANT => match COMMON_CONSTANTS.get(arg as usize) {
                Some(&constant) => self.emit(Op::Common(constant)),
                None => return Ok(false),
            },
            LOAD_LOCALS => self.emit(Op::LoadLocals),
            LOAD_FAST_CHECK | LOAD_FAST_BORROW => {
                let load = self.load_local(arg)?;
                self.emit(load);
            }
            LOAD_FAST_AND_CLEAR => {
                let id = self.local(arg)?;
                self.emit(Op::LoadLocalAndClear(id));
            }
            LOAD_FAST_LOAD_FAST | LOAD_FAST_BORROW_LOAD_FAST_BORROW => {
                let loads = [self.load_local(arg >> 4)?, self.load_local(arg & 15)?];
                self.emit_all(loads);
            }
            STORE_FAST_LOAD_FAST => {
                let ops = [Op::StoreLocal(self.local(arg >> 4)?), self.load_local(arg & 15)?];
                self.emit_all(ops);
            }
            STORE_FAST_STORE_FAST => {
                let ops = [Op::StoreLocal(self.local(arg >> 4)?), Op::StoreLocal(self.local(arg & 15)?)];
                self.emit_all(ops);
            }
            LOAD_FROM_DICT_OR_DEREF => {
                let id = self.deref(arg)?;
                self.emit(Op::LoadFromDictOrDeref(id));
            }
            LOAD_FROM_DICT_OR_GLOBALS => {
                let name = self.name(arg)?;
                self.emit(Op::LoadFromDictOrGlobals(name));
            }
            CALL_INTRINSIC_1 => match intrinsic_1(arg) {
                Some(op) => self.emit(op),
                None => return Ok(false),
            },
            CALL_INTRINSIC_2 => match intrinsic_2(arg) {
                Some(intrinsic) => self.emit(Op::Intrinsic2(intrinsic)),
                None => return Ok(false),
            },
            FORMAT_SIMPLE => self.emit(Op::Format { conversion: Conversion::None, spec: false }),
            FORMAT_WITH_SPEC => self.emit(Op::Format { conversion: Conversion::None, spec: true }),
            CONVERT_VALUE => self.emit(Op::Convert(conversion(arg))),
            BUILD_INTERPOLATION => {
                self.emit(Op::BuildInterpolation { conversion: conversion(arg >> 2), spec: arg & 1 != 0 });
            }
            BUILD_TEMPLATE => self.emit(Op::BuildTemplate),
            JUMP_BACKWARD | JUMP_BACKWARD_NO_INTERRUPT => {
                let target = self.jump_target()?;
                self.emit(Op::Jump(target));
            }
            PUSH_EXC_INFO => self.emit(Op::PushExcInfo),
            CHECK_EXC_MATCH => self.emit(Op::ExceptionMatch),
            CHECK_EG_MATCH => self.emit(Op::ExceptionGroupMatch),
            CLEANUP_THROW => self.emit(Op::CleanupThrow),
            SEND => {
                let target = self.jump_target()?;
                self.emit(Op::Send(target));
            }
            END_SEND => {
                if self.facts.iterator_slots == 2 {
                    self.emit_all([Op::Swap(2), Op::Pop]);
                }
                self.emit(Op::EndSend);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// END_FOR, which is most often the mark of a loop's end and nothing more.
    fn end_for(&mut self) {
        let end = self.facts.for_loop_end;
        if self.is_only_loop_end() {
            self.at +=
                usize::from(end == ForLoopEnd::LeavesIterator && self.follows(&[(Mnemonic::POP_TOP, 0)]));
            return;
        }
        let pops = if end == ForLoopEnd::PopsIterator { 2 } else { 1 };
        (0..pops).for_each(|_| self.emit(Op::Pop));
    }
}

/// FVC_x, the conversions of a replacement field.
pub(super) fn conversion(arg: u32) -> Conversion {
    match arg & 3 {
        1 => Conversion::Str,
        2 => Conversion::Repr,
        3 => Conversion::Ascii,
        _ => Conversion::None,
    }
}

/// `opcode._intrinsic_1_descs`.
fn intrinsic_1(arg: u32) -> Option<Op> {
    Some(Op::Intrinsic1(match arg {
        1 => Intrinsic1::Print,
        2 => Intrinsic1::ImportStar,
        3 => Intrinsic1::StopIterationError,
        4 => Intrinsic1::AsyncGenWrap,
        5 => return Some(Op::Unary(UnaryOp::Positive)),
        6 => return Some(Op::ListToTuple),
        7 => Intrinsic1::TypeVar,
        8 => Intrinsic1::ParamSpec,
        9 => Intrinsic1::TypeVarTuple,
        10 => Intrinsic1::SubscriptGeneric,
        11 => Intrinsic1::TypeAlias,
        _ => return None,
    }))
}

/// `opcode._intrinsic_2_descs`.
fn intrinsic_2(arg: u32) -> Option<Intrinsic2> {
    Some(match arg {
        1 => Intrinsic2::PrepReraiseStar,
        2 => Intrinsic2::TypeVarWithBound,
        3 => Intrinsic2::TypeVarWithConstraints,
        4 => Intrinsic2::SetFunctionTypeParams,
        5 => Intrinsic2::SetTypeparamDefault,
        _ => return None,
    })
}
