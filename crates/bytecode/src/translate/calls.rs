//! Calls, the loads that prepare them, functions, and the way into `with`.

use super::Translator;
use crate::error::Error;
use crate::op::{CallLayout, FunctionParts, Op};
use crate::versions::{Mnemonic, NullFlag};

/// Arguments of LOAD_SPECIAL: `opcode._special_method_names`.
const ENTER: u32 = 0;
const EXIT: u32 = 1;
const ASYNC_ENTER: u32 = 2;
const ASYNC_EXIT: u32 = 3;

impl Translator<'_> {
    /// Translates what has to do with calls; says whether it was that.
    pub(super) fn call(&mut self, mnemonic: Mnemonic, arg: u32) -> Result<bool, Box<Error>> {
        use Mnemonic::*;
        match mnemonic {
            PUSH_NULL => self.emit(Op::PushNull),
            LOAD_GLOBAL => self.load_global(arg)?,
            LOAD_ATTR => self.load_attribute(arg)?,
            LOAD_METHOD => {
                let name = self.name(arg)?;
                self.emit_all([Op::LoadAttr(name), Op::PushNull, Op::Swap(2)]);
            }
            LOAD_SUPER_ATTR => {
                let op = Op::LoadSuperAttr { name: self.name(arg >> 2)?, two_arguments: arg & 2 != 0 };
                self.emit(op);
                if arg & 1 != 0 {
                    self.method_null();
                }
            }
            CALL_FUNCTION => self.emit(Op::Call { positional: arg, layout: CallLayout::Plain }),
            CALL_METHOD => self.emit(Op::Call { positional: arg, layout: CallLayout::NullBelow }),
            CALL_FUNCTION_KW => self.emit(Op::CallKeywords { arguments: arg, layout: CallLayout::Plain }),
            CALL_KW => self.emit(Op::CallKeywords { arguments: arg, layout: self.facts.call_layout }),
            CALL_FUNCTION_EX => {
                let keywords = self.facts.call_ex_keywords || arg & 1 != 0;
                self.emit(Op::CallEx { keywords, layout: self.facts.call_ex_layout });
            }
            PRECALL => {}
            // Jumps lead to KW_NAMES where the last argument is a conditional expression, so the
            // constant must be the first thing after it.
            KW_NAMES => self.keywords = Some(self.constant(arg)?),
            CALL => match self.keywords.take() {
                None => self.emit(Op::Call { positional: arg, layout: self.facts.call_layout }),
                Some(names) => {
                    let layout = self.facts.call_layout;
                    self.emit_all([Op::Const(names), Op::CallKeywords { arguments: arg, layout }]);
                }
            },
            MAKE_FUNCTION => {
                if self.facts.function_name_on_stack {
                    self.emit(Op::Pop);
                }
                self.emit(Op::MakeFunction(FunctionParts(arg)));
            }
            SET_FUNCTION_ATTRIBUTE => self.emit(Op::SetFunctionAttribute(FunctionParts(arg))),
            BEFORE_WITH => self.emit(Op::BeforeWith { slots: 1, is_async: false }),
            BEFORE_ASYNC_WITH => self.emit(Op::BeforeWith { slots: 1, is_async: true }),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn load_global(&mut self, arg: u32) -> Result<(), Box<Error>> {
        let flag = self.facts.global_null;
        if flag == NullFlag::Absent {
            let name = self.name(arg)?;
            self.emit(Op::LoadGlobal(name));
            return Ok(());
        }
        let load = Op::LoadGlobal(self.name(arg >> 1)?);
        match flag {
            NullFlag::Below if arg & 1 != 0 => self.emit_all([Op::PushNull, load]),
            NullFlag::Above if arg & 1 != 0 => self.emit_all([load, Op::PushNull]),
            _ => self.emit(load),
        }
        Ok(())
    }

    fn load_attribute(&mut self, arg: u32) -> Result<(), Box<Error>> {
        if self.facts.method_flag == NullFlag::Absent {
            let name = self.name(arg)?;
            self.emit(Op::LoadAttr(name));
            return Ok(());
        }
        let name = self.name(arg >> 1)?;
        self.emit(Op::LoadAttr(name));
        if arg & 1 != 0 {
            self.method_null();
        }
        Ok(())
    }

    /// The second slot of a method that was just loaded.
    fn method_null(&mut self) {
        self.emit(Op::PushNull);
        if self.facts.method_flag != NullFlag::Above {
            self.emit(Op::Swap(2));
        }
    }

    /// The compiler's sequence for `with` from 3.14: it loads the exit function with its self, calls the
    /// entry function, and leaves exit function, self and result.
    /// Says whether it comes.
    pub(super) fn enter_with(&mut self) -> bool {
        use Mnemonic::*;
        let sequence =
            |exit, enter| [(LOAD_SPECIAL, exit), (SWAP, 2), (SWAP, 3), (LOAD_SPECIAL, enter), (CALL, 0)];
        let is_async = self.follows(&sequence(ASYNC_EXIT, ASYNC_ENTER));
        if !is_async && !self.follows(&sequence(EXIT, ENTER)) {
            return false;
        }
        self.emit(Op::BeforeWith { slots: 2, is_async });
        self.at += sequence(EXIT, ENTER).len();
        true
    }
}
