//! Statements, loops, and the targets of assignments.

use depyf_bytecode::{CallLayout, CommonConst, Const, Intrinsic1, JumpCondition, Op};
use depyf_syntax::ast::{Alias, BinaryOp, Expr, ExprKind, Stmt, StmtKind};
use depyf_value::{PyInt, PyStr};

use super::exceptions::Frame;
use super::expressions::binary_op;
use super::generator::{Access, Done, Generator};

impl<'a> Generator<'a> {
    pub(super) fn block(&mut self, block: &'a [Stmt]) -> Done {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    /// A block that may not run.
    pub(super) fn branch(&mut self, block: &'a [Stmt]) -> Done {
        self.conditional += 1;
        let result = self.block(block);
        self.conditional -= 1;
        result
    }

    pub(super) fn statement(&mut self, statement: &'a Stmt) -> Done {
        self.deeper()?;
        self.come_to(statement.origin);
        let mark = self.unit.assembler.mark();
        self.statement_kind(statement)?;
        self.unit.assembler.restore(mark);
        self.shallower();
        Ok(())
    }

    fn statement_kind(&mut self, statement: &'a Stmt) -> Done {
        match &statement.kind {
            StmtKind::Expr(value) => {
                self.expr(value)?;
                self.emit(Op::Pop);
                Ok(())
            }
            StmtKind::Assign { targets, value } => {
                self.expr(value)?;
                for (index, target) in targets.iter().enumerate() {
                    if index + 1 < targets.len() {
                        self.emit(Op::Copy(1));
                    }
                    self.assign(target)?;
                }
                Ok(())
            }
            StmtKind::AugAssign { target, op, value } => self.augmented(target, *op, value),
            StmtKind::AnnAssign { target, annotation, value, simple } => {
                self.annotated(target, *simple, annotation, value.as_ref())
            }
            StmtKind::Delete(targets) => targets.iter().try_for_each(|target| self.delete(target)),
            StmtKind::Pass | StmtKind::Comment(_) | StmtKind::SameLine => Ok(()),
            StmtKind::Global(_) | StmtKind::Nonlocal(_) => Ok(()),
            StmtKind::Return(value) => {
                let scope = &self.scopes.all[self.unit.scope];
                if value.is_some() && scope.is_async && scope.is_generator {
                    return self.error("`return` with a value in an asynchronous generator");
                }
                match value {
                    Some(value) if !matches!(value.kind, ExprKind::Literal(_)) => {
                        self.expr(value)?;
                        self.leave_frames(false, true)?;
                    }
                    // A constant need not be kept while statements are left.
                    constant => {
                        self.leave_frames(false, false)?;
                        match constant {
                            Some(value) => self.expr(value)?,
                            None => self.none(),
                        }
                    }
                }
                self.emit(Op::Return);
                Ok(())
            }
            StmtKind::Raise { exc, cause } => {
                let mut operands = 0;
                for value in exc.iter().chain(cause) {
                    self.expr(value)?;
                    operands += 1;
                }
                self.emit(Op::Raise(operands));
                Ok(())
            }
            StmtKind::Assert { test, message } => self.assert(test, message.as_ref()),
            StmtKind::Import { names, lazy } => names.iter().try_for_each(|alias| self.import(alias, *lazy)),
            StmtKind::ImportFrom { module, names, level, lazy } => {
                self.import_from(module.as_ref(), names, *level, *lazy)
            }
            StmtKind::If { .. } => self.if_chain(statement),
            StmtKind::While { test, body, orelse } => self.while_loop(test, body, orelse),
            StmtKind::For { target, iter, body, orelse, is_async: false } => {
                self.for_loop(target, iter, body, orelse)
            }
            StmtKind::For { target, iter, body, orelse, is_async: true } => {
                self.async_for_loop(target, iter, body, orelse)
            }
            StmtKind::With { items, body, is_async } => self.with(items, body, *is_async),
            StmtKind::Try(statement) => self.try_statement(statement),
            StmtKind::Match { subject, cases } => self.match_statement(subject, cases),
            StmtKind::Function(function) => self.definition(function),
            StmtKind::Class(class) => self.class(class),
            StmtKind::TypeAlias { name, type_params, value } => {
                self.type_alias(statement, name, type_params, value)
            }
            StmtKind::Break | StmtKind::Continue => {
                let Some(Frame::Loop { start, end, iterator }) = self.leave_frames(true, false)? else {
                    return self.error("`break` or `continue` outside of a loop");
                };
                if matches!(statement.kind, StmtKind::Continue) {
                    self.emit(Op::Jump(start.target()));
                    return Ok(());
                }
                if iterator {
                    self.emit(Op::Pop);
                }
                self.emit(Op::Jump(end.target()));
                Ok(())
            }
            StmtKind::Goto(_) | StmtKind::Label(_) => self.error("a jump that no pass has structured"),
        }
    }

    fn if_chain(&mut self, statement: &'a Stmt) -> Done {
        let end = self.unit.assembler.label();
        let mut next = statement;
        while let StmtKind::If { test, body, orelse } = &next.kind {
            let otherwise = self.unit.assembler.label();
            self.jump_if(test, false, otherwise)?;
            self.branch(body)?;
            self.emit(Op::Jump(end.target()));
            self.unit.assembler.place(otherwise);
            match &orelse[..] {
                [only @ Stmt { kind: StmtKind::If { .. }, .. }] => {
                    next = only;
                    self.come_to(only.origin);
                }
                _ => {
                    self.branch(orelse)?;
                    break;
                }
            }
        }
        self.unit.assembler.place(end);
        Ok(())
    }

    fn while_loop(&mut self, test: &'a Expr, body: &'a [Stmt], orelse: &'a [Stmt]) -> Done {
        let start = self.unit.assembler.label();
        let otherwise = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        self.unit.assembler.place(start);
        self.jump_if(test, false, otherwise)?;
        self.unit.frames.push(Frame::Loop { start, end, iterator: false });
        self.branch(body)?;
        self.unit.frames.pop();
        self.emit(Op::Jump(start.target()));
        self.unit.assembler.place(otherwise);
        self.branch(orelse)?;
        self.unit.assembler.place(end);
        Ok(())
    }

    fn for_loop(&mut self, target: &'a Expr, iter: &'a Expr, body: &'a [Stmt], orelse: &'a [Stmt]) -> Done {
        let start = self.unit.assembler.label();
        let exhausted = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        self.expr(iter)?;
        self.emit(Op::GetIter);
        self.unit.assembler.place(start);
        self.emit(Op::ForIter { exhausted: exhausted.target(), slots: 1, pops: true });
        self.assign(target)?;
        self.unit.frames.push(Frame::Loop { start, end, iterator: true });
        self.branch(body)?;
        self.unit.frames.pop();
        self.emit(Op::Jump(start.target()));
        self.unit.assembler.place(exhausted);
        self.branch(orelse)?;
        self.unit.assembler.place(end);
        Ok(())
    }

    fn async_for_loop(
        &mut self,
        target: &'a Expr,
        iter: &'a Expr,
        body: &'a [Stmt],
        orelse: &'a [Stmt],
    ) -> Done {
        let start = self.unit.assembler.label();
        let exhausted = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        self.expr(iter)?;
        self.emit(Op::GetAiter);
        self.unit.assembler.place(start);
        self.next_item(exhausted);
        self.assign(target)?;
        self.unit.frames.push(Frame::Loop { start, end, iterator: true });
        self.branch(body)?;
        self.unit.frames.pop();
        self.emit(Op::Jump(start.target()));
        self.unit.assembler.place(exhausted);
        self.emit(Op::EndAsyncFor);
        self.branch(orelse)?;
        self.unit.assembler.place(end);
        Ok(())
    }

    /// Awaits the next item of the asynchronous iterator on the stack; its end leads to `exhausted`.
    pub(super) fn next_item(&mut self, exhausted: super::assembler::Label) {
        let height = self.unit.assembler.height();
        self.unit.assembler.protect(exhausted, height);
        self.emit(Op::GetAnext);
        self.none();
        self.emit(Op::YieldFrom);
        self.unit.assembler.unprotect();
    }

    fn assert(&mut self, test: &'a Expr, message: Option<&'a Expr>) -> Done {
        self.optional.assertions = true;
        if self.options.optimize >= 1 {
            return Ok(());
        }
        let end = self.unit.assembler.label();
        self.jump_if(test, true, end)?;
        if self.compiler().assertion_error_by_name {
            let name = self.name_id(&"AssertionError".into());
            self.emit(Op::LoadGlobal(name));
        } else {
            self.emit(Op::Common(CommonConst::AssertionError));
        }
        if let Some(message) = message {
            self.expr(message)?;
            self.emit(Op::Call { positional: 1, layout: CallLayout::Plain });
        }
        self.emit(Op::Raise(1));
        self.unit.assembler.place(end);
        Ok(())
    }

    fn import(&mut self, alias: &'a Alias, lazy: bool) -> Done {
        self.constant(Const::Int(PyInt::from(0)));
        self.none();
        let name = self.mangled_id(&alias.name);
        self.emit(Op::ImportName { name, lazy });
        let mut parts = alias.name.as_wtf8().split(|&byte| byte == b'.').filter_map(PyStr::from_wtf8);
        let first = parts.next();
        let Some(asname) = &alias.asname else {
            if let Some(first) = first {
                self.store(&first);
            }
            return Ok(());
        };
        let rest: Vec<PyStr> = parts.collect();
        for (index, part) in rest.iter().enumerate() {
            // Of all names of an import only these are not mangled.
            let part = self.name_id(part);
            self.emit(Op::ImportFrom(part));
            if index + 1 < rest.len() {
                self.emit_all([Op::Swap(2), Op::Pop]);
            }
        }
        self.store(asname);
        if !rest.is_empty() {
            self.emit(Op::Pop);
        }
        Ok(())
    }

    fn import_from(&mut self, module: Option<&PyStr>, names: &'a [Alias], level: u32, lazy: bool) -> Done {
        self.constant(Const::Int(PyInt::from(i64::from(level))));
        let wanted: Vec<Const> = names.iter().map(|alias| Const::Str(alias.name.clone())).collect();
        self.constant(Const::Tuple(wanted.into()));
        let name = self.mangled_id(module.unwrap_or(&PyStr::new("")));
        self.emit(Op::ImportName { name, lazy });
        if matches!(names, [only] if only.name == "*") {
            if self.compiler().star_import_is_intrinsic {
                self.emit_all([Op::Intrinsic1(Intrinsic1::ImportStar), Op::Pop]);
            } else {
                self.emit(Op::ImportStar);
            }
            return Ok(());
        }
        for alias in names {
            let name = self.mangled_id(&alias.name);
            self.emit(Op::ImportFrom(name));
            self.store(alias.asname.as_ref().unwrap_or(&alias.name));
        }
        self.emit(Op::Pop);
        Ok(())
    }

    /// Binds a target to the value on the stack.
    pub(super) fn assign(&mut self, target: &'a Expr) -> Done {
        self.deeper()?;
        match &target.kind {
            ExprKind::Name(name) => self.store(name),
            ExprKind::Attribute { value, attr } => {
                self.note_static_attribute(value, attr);
                self.expr(value)?;
                let attr = self.mangled_id(attr);
                self.emit(Op::StoreAttr(attr));
            }
            ExprKind::Subscript { value, index } => {
                self.expr(value)?;
                self.expr(index)?;
                self.emit(Op::StoreSubscript);
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                let star = items.iter().position(|item| matches!(item.kind, ExprKind::Starred(_)));
                self.unpack(items.len(), star)?;
                for item in items {
                    match &item.kind {
                        ExprKind::Starred(inner) => self.assign(inner)?,
                        _ => self.assign(item)?,
                    }
                }
            }
            _ => return self.error("this cannot be assigned to"),
        }
        self.shallower();
        Ok(())
    }

    /// Unpacks a value into so many, one of which may have a star.
    pub(super) fn unpack(&mut self, count: usize, star: Option<usize>) -> Done {
        self.emit(match star {
            None => Op::Unpack(count as u32),
            Some(at) => match u8::try_from(at) {
                Ok(before) => Op::UnpackEx { before, after: (count - at - 1) as u32 },
                // CPython `Python/compile.c`, `unpack_helper`.
                Err(_) => return self.error("too many expressions before the star"),
            },
        });
        Ok(())
    }

    fn delete(&mut self, target: &'a Expr) -> Done {
        self.deeper()?;
        match &target.kind {
            ExprKind::Name(name) => self.access(name, Access::Delete),
            ExprKind::Attribute { value, attr } => {
                self.expr(value)?;
                let attr = self.mangled_id(attr);
                self.emit(Op::DeleteAttr(attr));
            }
            ExprKind::Subscript { value, index } => {
                self.expr(value)?;
                self.expr(index)?;
                self.emit(Op::DeleteSubscript);
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                items.iter().try_for_each(|item| self.delete(item))?;
            }
            _ => return self.error("this cannot be deleted"),
        }
        self.shallower();
        Ok(())
    }

    fn augmented(&mut self, target: &'a Expr, op: BinaryOp, value: &'a Expr) -> Done {
        let op = Op::Inplace(binary_op(op));
        match &target.kind {
            ExprKind::Name(name) => {
                self.load(name);
                self.expr(value)?;
                self.emit(op);
                self.store(name);
            }
            ExprKind::Attribute { value: object, attr } => {
                self.expr(object)?;
                let attr = self.mangled_id(attr);
                self.emit_all([Op::Copy(1), Op::LoadAttr(attr)]);
                self.expr(value)?;
                self.emit_all([op, Op::Swap(2), Op::StoreAttr(attr)]);
            }
            ExprKind::Subscript { value: object, index } => {
                self.expr(object)?;
                self.expr(index)?;
                self.emit_all([Op::Copy(2), Op::Copy(2), Op::Subscript]);
                self.expr(value)?;
                self.emit_all([op, Op::Swap(3), Op::Swap(2), Op::StoreSubscript]);
            }
            _ => return self.error("this cannot be assigned to"),
        }
        Ok(())
    }

    /// Pops the condition: jumps where its truth is `when`.
    pub(super) fn jump_on(&mut self, when: bool, to: super::assembler::Label) {
        let condition = if when { JumpCondition::True } else { JumpCondition::False };
        self.emit(Op::JumpIf(condition, to.target()));
    }
}
