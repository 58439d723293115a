//! Instructions that 3.11 and 3.12 removed.

use super::Translator;
use crate::error::Error;
use crate::op::{CommonConst, Intrinsic1, Intrinsic2, JumpCondition, Op, UnpackKind};
use crate::versions::Mnemonic;

impl Translator<'_> {
    /// Translates an instruction of the old versions; says whether it was one.
    pub(super) fn legacy(&mut self, mnemonic: Mnemonic, arg: u32) -> Result<bool, Box<Error>> {
        use Mnemonic::*;
        match mnemonic {
            ROT_TWO => self.emit(Op::Swap(2)),
            ROT_THREE => self.emit(Op::Rot(3)),
            ROT_FOUR => self.emit(Op::Rot(4)),
            ROT_N => self.emit(Op::Rot(arg)),
            DUP_TOP => self.emit(Op::Copy(1)),
            DUP_TOP_TWO => self.emit_all([Op::Copy(2), Op::Copy(2)]),
            PRINT_EXPR => self.emit_all([Op::Intrinsic1(Intrinsic1::Print), Op::Pop]),
            IMPORT_STAR => self.emit(Op::ImportStar),
            LIST_TO_TUPLE => self.emit(Op::ListToTuple),
            ASYNC_GEN_WRAP => self.emit(Op::Intrinsic1(Intrinsic1::AsyncGenWrap)),
            PREP_RERAISE_STAR => self.emit(Op::Intrinsic2(Intrinsic2::PrepReraiseStar)),
            LOAD_ASSERTION_ERROR => self.emit(Op::Common(CommonConst::AssertionError)),
            LOAD_CLASSDEREF => {
                let id = self.deref(arg)?;
                self.emit(Op::LoadClassDeref(id));
            }
            LOAD_CLOSURE => {
                let id = self.deref(arg)?;
                self.emit(Op::LoadClosure(id));
            }
            BUILD_LIST_UNPACK => self.emit(Op::BuildUnpack(UnpackKind::List, arg)),
            BUILD_TUPLE_UNPACK => self.emit(Op::BuildUnpack(UnpackKind::Tuple, arg)),
            BUILD_TUPLE_UNPACK_WITH_CALL => self.emit(Op::BuildUnpack(UnpackKind::TupleForCall, arg)),
            BUILD_SET_UNPACK => self.emit(Op::BuildUnpack(UnpackKind::Set, arg)),
            BUILD_MAP_UNPACK => self.emit(Op::BuildUnpack(UnpackKind::Map, arg)),
            BUILD_MAP_UNPACK_WITH_CALL => self.emit(Op::BuildUnpack(UnpackKind::MapForCall, arg)),
            COPY_DICT_WITHOUT_KEYS => self.emit(Op::CopyDictWithoutKeys),
            YIELD_FROM => self.emit(Op::YieldFrom),
            // The value that starts a generator is dropped; nothing of the source stands behind it.
            GEN_START => {}
            JUMP_ABSOLUTE => {
                let target = self.jump_target()?;
                self.emit(Op::Jump(target));
            }
            JUMP_IF_FALSE_OR_POP | JUMP_IF_TRUE_OR_POP => {
                let op = Op::JumpIfOrPop(mnemonic == JUMP_IF_TRUE_OR_POP, self.jump_target()?);
                self.emit(op);
            }
            JUMP_IF_NOT_EXC_MATCH => {
                self.emit(Op::ExceptionMatch);
                let jump = Op::JumpIf(JumpCondition::False, self.jump_target()?);
                self.emit(jump);
            }
            SETUP_FINALLY => {
                let handler = self.jump_target()?;
                self.emit(Op::SetupBlock(handler));
            }
            SETUP_WITH => {
                self.emit(Op::BeforeWith { slots: 1, is_async: false });
                self.with_setups.push(self.next_index());
                let handler = self.jump_target()?;
                self.emit(Op::SetupBlock(handler));
            }
            SETUP_ASYNC_WITH => {
                let handler = self.jump_target()?;
                self.with_setups.push(self.next_index());
                self.emit(Op::SetupBlock(handler));
            }
            POP_BLOCK => self.emit(Op::PopBlock),
            WITH_CLEANUP_START => self.emit(Op::WithCleanupStart),
            WITH_CLEANUP_FINISH => self.emit(Op::WithCleanupFinish),
            BEGIN_FINALLY => self.emit(Op::BeginFinally),
            CALL_FINALLY => {
                let target = self.jump_target()?;
                self.emit(Op::CallFinally(target));
            }
            END_FINALLY => self.emit(Op::EndFinally { falls: true }),
            POP_FINALLY => self.emit(Op::PopFinally(arg != 0)),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
