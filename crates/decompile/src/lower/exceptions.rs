//! `try` in all its forms, `with`, and the ways out of both.

use depyf_bytecode::{CallLayout, Intrinsic2, JumpCondition, Op};
use depyf_syntax::ast::{Block, Handler, Stmt, Try, WithItem};
use depyf_value::PyStr;

use super::assembler::Label;
use super::generator::{Access, Done, Generator};

/// A statement that `return`, `break` and `continue` must leave in order.
#[derive(Clone, Copy)]
pub(super) enum Frame<'a> {
    /// A loop; `for` loops hold an iterator on the stack.
    Loop { start: Label, end: Label, iterator: bool },
    /// A region without anything to do on the way out.
    Protected,
    /// The body of a `try` with `finally`.
    Finally(&'a [Stmt]),
    /// The exceptional copy of a `finally` body: the previous and the pending exception are on the stack.
    Pending,
    /// The body of a handler: the previous exception is on the stack.
    Handler(Option<&'a PyStr>),
    /// The body of a `with`: the exit function is on the stack.
    With { is_async: bool },
    /// A value to be returned is on the stack.
    Value,
}

impl<'a> Generator<'a> {
    /// Leaves the statements around, from the inside, up to the loop that `break` and `continue` mean or
    /// out of the function. With `keeps_value`, the top of the stack is kept.
    pub(super) fn leave_frames(
        &mut self,
        to_loop: bool,
        keeps_value: bool,
    ) -> super::LowerResult<Option<Frame<'a>>> {
        let mut left = Vec::new();
        let mut found = None;
        while let Some(&frame) = self.unit.frames.last() {
            if to_loop && matches!(frame, Frame::Loop { .. }) {
                found = Some(frame);
                break;
            }
            self.unit.frames.pop();
            left.push(frame);
            self.leave(frame, keeps_value)?;
        }
        self.unit.frames.extend(left.into_iter().rev());
        Ok(found)
    }

    /// Does what has to be done on the way out of one statement.
    fn leave(&mut self, frame: Frame<'a>, keeps_value: bool) -> Done {
        let below = |generator: &mut Self| {
            if keeps_value {
                generator.emit(Op::Swap(2));
            }
        };
        match frame {
            Frame::Loop { iterator: false, .. } => {}
            Frame::Loop { .. } | Frame::Value => {
                below(self);
                self.emit(Op::Pop);
            }
            Frame::Protected => self.unit.assembler.unprotect(),
            Frame::Finally(body) => {
                self.unit.assembler.unprotect();
                if keeps_value {
                    self.unit.frames.push(Frame::Value);
                }
                self.branch(body)?;
                if keeps_value {
                    self.unit.frames.pop();
                }
            }
            Frame::Pending => {
                below(self);
                self.emit(Op::Pop);
                below(self);
                self.emit(Op::PopExcept);
            }
            Frame::Handler(name) => {
                if name.is_some() {
                    self.unit.assembler.unprotect();
                }
                below(self);
                self.emit(Op::PopExcept);
                self.unbind(name);
            }
            Frame::With { is_async } => {
                self.unit.assembler.unprotect();
                below(self);
                self.call_exit(is_async);
            }
        }
        Ok(())
    }

    /// `name = None; del name`
    fn unbind(&mut self, name: Option<&PyStr>) {
        if let Some(name) = name {
            self.none();
            self.store(name);
            self.access(name, Access::Delete);
        }
    }

    pub(super) fn try_statement(&mut self, statement: &'a Try) -> Done {
        if statement.finalbody.is_empty() {
            return self.try_handlers(statement);
        }
        let handler = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        let height = self.unit.assembler.height();
        self.unit.assembler.protect(handler, height);
        self.unit.frames.push(Frame::Finally(&statement.finalbody));
        self.try_handlers(statement)?;
        self.unit.frames.pop();
        self.unit.assembler.unprotect();
        self.branch(&statement.finalbody)?;
        self.emit(Op::Jump(end.target()));

        self.unit.assembler.place(handler);
        self.emit(Op::PushExcInfo);
        self.unit.frames.push(Frame::Pending);
        self.branch(&statement.finalbody)?;
        self.unit.frames.pop();
        self.emit(Op::Reraise(false));
        self.unit.assembler.place(end);
        Ok(())
    }

    /// Everything of a `try` but its `finally`.
    fn try_handlers(&mut self, statement: &'a Try) -> Done {
        if statement.handlers.is_empty() {
            self.branch(&statement.body)?;
            return self.branch(&statement.orelse);
        }
        let handler = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        let height = self.unit.assembler.height();
        self.unit.assembler.protect(handler, height);
        self.unit.frames.push(Frame::Protected);
        self.branch(&statement.body)?;
        self.unit.frames.pop();
        self.unit.assembler.unprotect();
        self.branch(&statement.orelse)?;
        self.emit(Op::Jump(end.target()));

        self.unit.assembler.place(handler);
        self.emit(Op::PushExcInfo);
        if statement.is_star {
            self.group_handlers(&statement.handlers, end)?;
        } else {
            self.handlers(&statement.handlers, end)?;
        }
        self.unit.assembler.place(end);
        Ok(())
    }

    fn handlers(&mut self, handlers: &'a [Handler], end: Label) -> Done {
        for handler in handlers {
            self.come_to(handler.origin);
            let next = self.unit.assembler.label();
            if let Some(kind) = &handler.kind {
                self.expr(kind)?;
                self.emit_all([Op::ExceptionMatch, Op::JumpIf(JumpCondition::False, next.target())]);
            }
            let name = handler.name.as_ref();
            match name {
                Some(name) => self.store(name),
                None => self.emit(Op::Pop),
            }
            let cleanup = self.unit.assembler.label();
            let height = self.unit.assembler.height();
            if name.is_some() {
                self.unit.assembler.protect(cleanup, height);
            }
            self.unit.frames.push(Frame::Handler(name));
            self.branch(&handler.body)?;
            self.unit.frames.pop();
            if name.is_some() {
                self.unit.assembler.unprotect();
            }
            self.emit(Op::PopExcept);
            self.unbind(name);
            self.emit(Op::Jump(end.target()));
            if name.is_some() {
                self.unit.assembler.place(cleanup);
                self.unbind(name);
                self.emit(Op::Reraise(false));
            }
            if handler.kind.is_some() {
                self.unit.assembler.place(next);
            }
        }
        self.emit(Op::Reraise(false));
        Ok(())
    }

    /// `except*`: the stack holds the previous exception and the group; a list collects what is raised.
    fn group_handlers(&mut self, handlers: &'a [Handler], end: Label) -> Done {
        self.emit_all([Op::BuildList(0), Op::Copy(2)]);
        for handler in handlers {
            self.come_to(handler.origin);
            let no_match = self.unit.assembler.label();
            let next = self.unit.assembler.label();
            let raised = self.unit.assembler.label();
            let Some(kind) = &handler.kind else {
                return self.error("`except*` without a type");
            };
            self.expr(kind)?;
            self.emit_all([
                Op::ExceptionGroupMatch,
                Op::Copy(1),
                Op::JumpIf(JumpCondition::None, no_match.target()),
            ]);
            let name = handler.name.as_ref();
            match name {
                Some(name) => self.store(name),
                None => self.emit(Op::Pop),
            }
            let height = self.unit.assembler.height();
            self.unit.assembler.protect(raised, height);
            self.unit.frames.push(Frame::Protected);
            self.branch(&handler.body)?;
            self.unit.frames.pop();
            self.unit.assembler.unprotect();
            self.unbind(name);
            self.emit(Op::Jump(next.target()));
            self.unit.assembler.place(raised);
            self.unbind(name);
            // Above the list lies the rest of the group.
            self.emit_all([Op::ListAppend(2), Op::Jump(next.target())]);
            self.unit.assembler.place(no_match);
            self.emit(Op::Pop);
            self.unit.assembler.place(next);
        }
        let reraise = self.unit.assembler.label();
        self.emit_all([
            Op::ListAppend(1),
            Op::Intrinsic2(Intrinsic2::PrepReraiseStar),
            Op::Copy(1),
            Op::JumpIf(JumpCondition::NotNone, reraise.target()),
            Op::Pop,
            Op::PopExcept,
            Op::Jump(end.target()),
        ]);
        self.unit.assembler.place(reraise);
        self.emit_all([Op::Swap(2), Op::PopExcept, Op::Reraise(false)]);
        Ok(())
    }

    pub(super) fn with(&mut self, items: &'a [WithItem], body: &'a Block, is_async: bool) -> Done {
        let Some((item, rest)) = items.split_first() else { return self.branch(body) };
        self.deeper()?;
        let handler = self.unit.assembler.label();
        let swallowed = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        self.expr(&item.context)?;
        self.emit(Op::BeforeWith { slots: 1, is_async });
        if is_async {
            self.delegate();
        }
        let height = self.unit.assembler.height();
        self.unit.assembler.protect(handler, height - 1);
        self.unit.frames.push(Frame::With { is_async });
        match &item.target {
            Some(target) => self.assign(target)?,
            None => self.emit(Op::Pop),
        }
        self.with(rest, body, is_async)?;
        self.unit.frames.pop();
        self.unit.assembler.unprotect();
        self.call_exit(is_async);
        self.emit(Op::Jump(end.target()));

        self.unit.assembler.place(handler);
        self.emit_all([Op::PushExcInfo, Op::WithExceptStart]);
        if is_async {
            self.delegate();
        }
        self.emit_all([Op::JumpIf(JumpCondition::True, swallowed.target()), Op::Reraise(false)]);
        self.unit.assembler.place(swallowed);
        self.emit_all([Op::Pop, Op::PopExcept, Op::Pop]);
        self.unit.assembler.place(end);
        self.shallower();
        Ok(())
    }

    /// Calls the exit function on the stack.
    fn call_exit(&mut self, is_async: bool) {
        (0..3).for_each(|_| self.none());
        self.emit(Op::Call { positional: 3, layout: CallLayout::Plain });
        if is_async {
            self.delegate();
        }
        self.emit(Op::Pop);
    }

    /// Awaits what is on the stack.
    pub(super) fn delegate(&mut self) {
        self.emit(Op::GetAwaitable);
        self.none();
        self.emit(Op::YieldFrom);
    }
}
