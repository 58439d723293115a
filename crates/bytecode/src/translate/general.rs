//! Instructions that most versions share.

use super::Translator;
use super::modern::conversion;
use crate::error::Error;
use crate::op::{JumpCondition, Op};
use crate::versions::Mnemonic;

impl Translator<'_> {
    /// Translates loads, stores and deletions; says whether it was one.
    pub(super) fn variable(&mut self, mnemonic: Mnemonic, arg: u32) -> Result<bool, Box<Error>> {
        use Mnemonic::*;
        let op = match mnemonic {
            LOAD_CONST => Op::Const(self.constant(arg)?),
            LOAD_FAST => self.load_local(arg)?,
            STORE_FAST => Op::StoreLocal(self.local(arg)?),
            DELETE_FAST => Op::DeleteLocal(self.local(arg)?),
            LOAD_DEREF => Op::LoadDeref(self.deref(arg)?),
            STORE_DEREF => Op::StoreDeref(self.deref(arg)?),
            DELETE_DEREF => Op::DeleteDeref(self.deref(arg)?),
            STORE_GLOBAL => Op::StoreGlobal(self.name(arg)?),
            DELETE_GLOBAL => Op::DeleteGlobal(self.name(arg)?),
            LOAD_NAME => Op::LoadName(self.name(arg)?),
            STORE_NAME => Op::StoreName(self.name(arg)?),
            DELETE_NAME => Op::DeleteName(self.name(arg)?),
            STORE_ATTR => Op::StoreAttr(self.name(arg)?),
            DELETE_ATTR => Op::DeleteAttr(self.name(arg)?),
            LOAD_BUILD_CLASS => Op::LoadBuildClass,
            SETUP_ANNOTATIONS => Op::SetupAnnotations,
            IMPORT_NAME if self.facts.lazy_imports => {
                Op::ImportName { name: self.name(arg >> 2)?, lazy: arg & 1 != 0 }
            }
            IMPORT_NAME => Op::ImportName { name: self.name(arg)?, lazy: false },
            IMPORT_FROM => Op::ImportFrom(self.name(arg)?),
            _ => return Ok(false),
        };
        self.emit(op);
        Ok(true)
    }

    /// The same for jumps, loops, exceptions and suspension.
    pub(super) fn control(&mut self, mnemonic: Mnemonic, arg: u32) -> Result<bool, Box<Error>> {
        use Mnemonic::*;
        let op = match mnemonic {
            NOP => {
                self.nop();
                return Ok(true);
            }
            FOR_ITER => {
                self.for_iter()?;
                return Ok(true);
            }
            GET_ITER => {
                self.emit(Op::GetIter);
                (1..self.facts.iterator_slots).for_each(|_| self.emit(Op::PushNull));
                return Ok(true);
            }
            JUMP_FORWARD => Op::Jump(self.jump_target()?),
            POP_JUMP_IF_TRUE | POP_JUMP_FORWARD_IF_TRUE | POP_JUMP_BACKWARD_IF_TRUE => {
                Op::JumpIf(JumpCondition::True, self.jump_target()?)
            }
            POP_JUMP_IF_FALSE | POP_JUMP_FORWARD_IF_FALSE | POP_JUMP_BACKWARD_IF_FALSE => {
                Op::JumpIf(JumpCondition::False, self.jump_target()?)
            }
            POP_JUMP_IF_NONE | POP_JUMP_FORWARD_IF_NONE | POP_JUMP_BACKWARD_IF_NONE => {
                Op::JumpIf(JumpCondition::None, self.jump_target()?)
            }
            POP_JUMP_IF_NOT_NONE | POP_JUMP_FORWARD_IF_NOT_NONE | POP_JUMP_BACKWARD_IF_NOT_NONE => {
                Op::JumpIf(JumpCondition::NotNone, self.jump_target()?)
            }
            RETURN_VALUE => Op::Return,
            RAISE_VARARGS if arg <= 2 => Op::Raise(arg),
            RERAISE => Op::Reraise(arg != 0),
            POP_EXCEPT => Op::PopExcept,
            WITH_EXCEPT_START => Op::WithExceptStart,
            YIELD_VALUE => Op::Yield,
            GET_YIELD_FROM_ITER => Op::GetYieldFromIter,
            GET_AWAITABLE => Op::GetAwaitable,
            GET_AITER => Op::GetAiter,
            GET_ANEXT => Op::GetAnext,
            END_ASYNC_FOR => Op::EndAsyncFor,
            _ => return Ok(false),
        };
        self.emit(op);
        Ok(true)
    }

    /// The same for the stack and what is built on it.
    pub(super) fn value(&mut self, mnemonic: Mnemonic, arg: u32) -> Result<bool, Box<Error>> {
        use Mnemonic::*;
        let op = match mnemonic {
            POP_TOP => Op::Pop,
            BUILD_TUPLE => Op::BuildTuple(arg),
            BUILD_LIST => Op::BuildList(arg),
            BUILD_SET => Op::BuildSet(arg),
            BUILD_MAP => Op::BuildMap(arg),
            BUILD_CONST_KEY_MAP => Op::BuildConstKeyMap(arg),
            BUILD_STRING => Op::BuildString(arg),
            BUILD_SLICE if arg == 2 || arg == 3 => Op::BuildSlice(arg),
            LIST_APPEND => Op::ListAppend(arg),
            SET_ADD => Op::SetAdd(arg),
            MAP_ADD => Op::MapAdd(arg),
            LIST_EXTEND => Op::ListExtend(arg),
            SET_UPDATE => Op::SetUpdate(arg),
            DICT_UPDATE => Op::DictUpdate(arg),
            DICT_MERGE => Op::DictMerge(arg),
            FORMAT_VALUE => Op::Format { conversion: conversion(arg), spec: arg & 4 != 0 },
            UNPACK_SEQUENCE => {
                self.count_unpacked(arg)?;
                Op::Unpack(arg)
            }
            UNPACK_EX => {
                let (before, after) = (arg as u8, arg >> 8);
                self.count_unpacked(u32::from(before) + after)?;
                Op::UnpackEx { before, after }
            }
            MATCH_CLASS => Op::MatchClass(arg),
            MATCH_MAPPING => Op::MatchMapping,
            MATCH_SEQUENCE => Op::MatchSequence,
            MATCH_KEYS => Op::MatchKeys,
            GET_LEN => Op::GetLen,
            _ => return Ok(false),
        };
        self.emit(op);
        Ok(true)
    }
}
