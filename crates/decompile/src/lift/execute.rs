//! One step of symbolic execution.

use depyf_bytecode::{self as bytecode, CommonConst, Intrinsic1, NameId, Op};
use depyf_syntax::ast::{
    BinaryOp, BoolOp, CompareOp, Expr, ExprKind, Literal, Origin, StmtKind, TypeParamKind, UnaryOp, WithItem,
};

use super::keys::spell_in_place;
use super::value::Inplace;
use super::{
    Effects, ExceptionPart, FreshKind, LiftResult, Lifter, Pending, Special, Value, constants, literal,
};
use crate::flow::{PROFILER_COMMENT, Piece, Step, StepKind};

impl Lifter<'_> {
    /// Executes a step; those from `next` on follow it. Returns how many of these it used up.
    #[inline(always)]
    pub(super) fn execute(&mut self, step: &Step, steps: &[Step], next: usize) -> LiftResult<usize> {
        match &step.kind {
            StepKind::Op(op) => return self.execute_op(*op, steps, next),
            StepKind::Piece(piece) => self.execute_piece(piece)?,
            StepKind::IsNone { negated } => {
                let op = if *negated { CompareOp::IsNot } else { CompareOp::Is };
                self.combine(1, false, |mut operands| {
                    let none = Expr::new(depyf_syntax::ast::Origin::NONE, ExprKind::Literal(Literal::None));
                    Some(ExprKind::Compare { left: Box::new(operands.next()?), rest: vec![(op, none)] })
                })?;
            }
            StepKind::Iterable => {
                let iterable = self.atom(Expr::name(crate::flow::ITERABLE));
                self.push(iterable);
            }
            StepKind::WithExit => {
                while matches!(self.stack.last(), Some(Value::Null)) {
                    self.stack.pop();
                }
                if self.stack.pop() != Some(Value::Exit) {
                    return self.error("a `with` statement ends without its exit function");
                }
            }
            StepKind::Annotation(name) => {
                let value = self.pop()?;
                let (annotation, effects) = self.take_one(value)?;
                let Some(bytecode::Const::Str(name)) = self.context.code.consts.get(*name as usize) else {
                    return self.error("an annotation of something without a name");
                };
                let target = self.expr(ExprKind::Name(self.context.names.unmangled(name)));
                let (target, annotation) = (Box::new(target), Box::new(annotation));
                let kind = StmtKind::AnnAssign { target, annotation, value: None, simple: true };
                self.print(kind, &effects)?;
            }
            StepKind::AnnotationMark(number) => {
                let target = Box::new(super::annotation_target(*number));
                let annotation = Box::new(Expr::name("_"));
                let mark = StmtKind::AnnAssign { target, annotation, value: None, simple: true };
                self.print(mark, &Effects::acting())?;
            }
            StepKind::Never => {
                self.temporaries.note_own();
                self.push(Value::Temp(super::NEVER, self.offset));
            }
            StepKind::Comment => {
                self.print(StmtKind::Comment(PROFILER_COMMENT.to_owned()), &Effects::NONE)?;
            }
        }
        Ok(0)
    }

    /// Executes control flow that was folded into a value.
    fn execute_piece(&mut self, piece: &Piece) -> LiftResult<()> {
        match piece {
            Piece::Bool { and, values, grouped } => {
                let left = self.pop()?;
                let (mut left, mut effects) = self.take_one(left)?;
                self.keep_undecided(&mut left);
                effects.acts = true;
                let op = if *and { BoolOp::And } else { BoolOp::Or };
                // `(a and b) and c` stays as it is: 3.12 and 3.13 test the value of `a and b` once more. Only in a group that
                // passes a test as a whole, another one says nothing.
                let mut operands = vec![left];
                for (behind, value) in values.iter().enumerate().rev() {
                    effects.add(&value.effects);
                    self.read_stored(&value.effects);
                    let mut operand = value.expr.clone();
                    if behind > 0 && matches!(operand.kind, ExprKind::Literal(_)) {
                        self.keep_undecided(&mut operand);
                        operands.push(operand);
                    } else {
                        join_operand(op, *grouped, &mut operands, operand);
                    }
                }
                self.push_expr(ExprKind::Bool { op, values: operands }, effects);
            }
            Piece::Conditional { body, orelse } => {
                let test = self.pop()?;
                let (mut test, mut effects) = self.take_one(test)?;
                self.keep_tested_operations(&mut test);
                effects.acts = true;
                for arm in [body, orelse] {
                    effects.add(&arm.effects);
                    self.read_stored(&arm.effects);
                }
                let (body, orelse) = (Box::new(body.expr.clone()), Box::new(orelse.expr.clone()));
                self.push_expr(ExprKind::IfExp { test: Box::new(test), body, orelse }, effects);
            }
            Piece::Chain { first, rest } => {
                let (mut left, mut middle, mut effects) = self.take_pair()?;
                [&mut left, &mut middle].into_iter().for_each(spell_in_place);
                effects.acts = true;
                let mut parts = vec![(*first, middle)];
                for (op, operand) in rest {
                    effects.add(&operand.effects);
                    self.read_stored(&operand.effects);
                    parts.push((*op, operand.expr.clone()));
                }
                self.push_expr(ExprKind::Compare { left: Box::new(left), rest: parts }, effects);
            }
            Piece::Comprehension(value) => {
                let iterable = self.pop()?;
                self.read_stored(&value.effects);
                self.comprehension(value.expr.clone(), &value.effects, iterable)?;
            }
        }
        Ok(())
    }

    /// Reads the locals on the stack that an assignment expression is about to store.
    fn read_stored(&mut self, effects: &Effects) {
        effects.stores.iter().for_each(|local| self.read_local(local));
    }

    #[inline(always)]
    fn execute_op(&mut self, op: Op, steps: &[Step], next: usize) -> LiftResult<usize> {
        // Few operations ask what follows.
        let rest = || steps.get(next..).unwrap_or_default();
        match op {
            Op::Nop | Op::PopBlock | Op::SetupBlock(_) | Op::SetupAnnotations => {}
            Op::Pop => self.discard(rest())?,
            Op::Copy(1) if self.chained_assignment(rest())? => {}
            Op::Copy(1) if self.is_walrus(rest()) => return self.walrus(rest()),
            Op::Copy(depth) => {
                let value = self.resolve(self.at_depth(depth)?);
                let value = self.duplicate(value);
                self.push(value);
            }
            Op::Swap(_) | Op::Rot(_) if let Some(used) = self.exchanged_assignment(op, rest())? => {
                return Ok(used);
            }
            Op::Swap(depth) => {
                let top = self.index(1)?;
                let other = self.index(depth)?;
                self.stack.swap(top, other);
            }
            Op::Rot(depth) => {
                let at = self.index(depth)?;
                self.stack[at..].rotate_right(1);
            }
            Op::PushNull => self.push(Value::Null),
            Op::Const(index) => self.push_const(index)?,
            Op::SmallInt(value) => {
                self.push_literal(Literal::Int(i64::from(value).into()));
            }
            Op::Common(common) => self.push_common(common),
            Op::LoadLocal(local) => self.push(Value::Local(local, self.offset)),
            Op::LoadLocalAndClear(_) => self.push(Value::Saved),
            Op::MakeCell(_) => {}
            Op::LoadDeref(variable) => {
                let name = self.context.variable(variable);
                self.push_expr(ExprKind::Name(name), Effects::reading());
            }
            Op::LoadClassDeref(variable) => {
                let name = self.context.variable(variable);
                self.push_expr(ExprKind::Name(name), Effects::reading());
            }
            Op::LoadFromDictOrDeref(variable) => {
                self.discard_quietly()?;
                let name = self.context.variable(variable);
                self.push_expr(ExprKind::Name(name), Effects::reading());
            }
            Op::LoadFromDictOrGlobals(name) => {
                self.discard_quietly()?;
                let kind = self.context.names.global(name);
                self.push_expr(kind, Effects::reading());
            }
            Op::LoadClosure(variable) => {
                self.push(Value::Cell(variable, self.offset));
            }
            Op::LoadGlobal(name) | Op::LoadName(name) => {
                let kind = self.context.names.global(name);
                if crate::dynamo::is_installed_global(self.context.names.raw(name)) {
                    let global = self.atom(self.expr(kind));
                    self.push(global);
                } else {
                    let mut name = self.expr(kind);
                    self.keep_apart(op, &mut name, steps, next);
                    self.push_expr(name.kind, Effects::reading());
                }
            }
            Op::LoadLocals => {
                let kind = ExprKind::call(Expr::name("locals"), Vec::new(), Vec::new());
                self.push_expr(kind, Effects::reading());
            }
            Op::LoadBuildClass => self.push(Value::BuildClass),
            Op::LoadAttr(name) => self.load_attribute(name)?,
            Op::LoadSuperAttr { name, two_arguments } => self.load_super(name, two_arguments)?,
            Op::Call { positional, layout } => self.call(positional, layout)?,
            Op::CallKeywords { arguments, layout } => self.call_keywords(arguments, layout)?,
            Op::CallEx { keywords, layout } => self.call_ex(keywords, layout)?,
            Op::Intrinsic1(intrinsic) => self.intrinsic(intrinsic)?,
            Op::Intrinsic2(intrinsic) => self.intrinsic_two(intrinsic)?,
            // As it was written: what CPython turns, it has turned.
            Op::Unary(op) => {
                let op = unary(op);
                self.combine(1, true, |mut operands| {
                    Some(ExprKind::Unary { op, operand: Box::new(operands.next()?) })
                })?;
            }
            // Only its truth is used next; a use as a value is spelled `not not`. That of a test is none of its steps.
            Op::ToBool => match rest().first().map(|step| &step.kind) {
                Some(StepKind::Op(Op::Unary(bytecode::UnaryOp::Not))) => {}
                _ => self.combine(1, true, |mut operands| {
                    let inner = ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operands.next()?) };
                    let inner = Box::new(Expr::new(depyf_syntax::ast::Origin::NONE, inner));
                    Some(ExprKind::Unary { op: UnaryOp::Not, operand: inner })
                })?,
            },
            Op::Binary(bytecode::BinaryOp::Remainder) => self.remainder()?,
            Op::Binary(op) => {
                let op = binary(op);
                let (mut left, mut right, mut effects) = self.take_pair()?;
                effects.acts = true;
                [&mut left, &mut right].into_iter().for_each(spell_in_place);
                let (left, right) = (Box::new(left), Box::new(right));
                let mut kind = ExprKind::Binary { op, left, right };
                self.keep_unfolded(&mut kind);
                self.push_expr(kind, effects);
            }
            Op::Inplace(op) => {
                let (mut left, mut right, mut effects) = self.take_pair()?;
                effects.acts = true;
                [&mut left, &mut right].into_iter().for_each(spell_in_place);
                let value = self.defer_special(
                    Special::Inplace(Box::new(Inplace { op: binary(op), left, right })),
                    effects,
                );
                self.push(value);
            }
            Op::Compare(op) => self.compare(compare(op), true)?,
            Op::Is { negated } => {
                self.compare(if negated { CompareOp::IsNot } else { CompareOp::Is }, false)?
            }
            Op::Contains { negated } => {
                self.compare(if negated { CompareOp::NotIn } else { CompareOp::In }, true)?;
            }
            Op::Subscript => self.subscript()?,
            Op::BinarySlice => {
                let bounds: [Value; 2] = self.pop_array()?;
                self.push_slice(&bounds);
                self.subscript()?;
            }
            Op::StoreSubscript => self.store_subscript()?,
            Op::StoreSlice => {
                let bounds: [Value; 2] = self.pop_array()?;
                self.push_slice(&bounds);
                self.store_subscript()?;
            }
            Op::DeleteSubscript => self.delete_subscript()?,
            Op::BuildSlice(count) => {
                let bounds = self.pop_many(count as usize)?;
                self.push_slice(&bounds);
            }
            Op::BuildTuple(count) => self.build(FreshKind::Tuple, count as usize)?,
            Op::BuildList(count) => self.build(FreshKind::List, count as usize)?,
            Op::BuildSet(count) => self.build(FreshKind::Set, count as usize)?,
            Op::BuildMap(count) => self.build(FreshKind::Dict, 2 * count as usize)?,
            Op::BuildConstKeyMap(count) => self.build_const_key_map(count as usize)?,
            Op::BuildUnpack(kind, count) => self.build_unpack(kind, count as usize)?,
            Op::ListAppend(depth) => self.add_item(FreshKind::List, depth, false)?,
            Op::SetAdd(depth) => self.add_item(FreshKind::Set, depth, false)?,
            Op::MapAdd(depth) => self.add_pair(depth)?,
            Op::ListExtend(depth) => self.add_item(FreshKind::List, depth, true)?,
            Op::SetUpdate(depth) => self.add_item(FreshKind::Set, depth, true)?,
            Op::DictUpdate(depth) => self.add_mapping(depth, false)?,
            Op::DictMerge(depth) => self.add_mapping(depth, true)?,
            Op::ListToTuple => self.list_to_tuple()?,
            Op::BuildString(count) => self.join(count as usize)?,
            Op::Format { conversion, spec } => self.format(conversion, spec)?,
            Op::Convert(conversion) => self.convert_value(conversion)?,
            Op::BuildInterpolation { conversion, spec } => self.interpolation(conversion, spec)?,
            Op::BuildTemplate => self.template()?,
            Op::Unpack(count) => self.unpack(count as usize, rest())?,
            Op::UnpackEx { before, after } => self.unpack_ex(before as usize, after as usize)?,
            Op::GetIter | Op::GetYieldFromIter => {
                let value = self.pop()?;
                // The compiler makes a frozenset of the constants in a set that a loop goes over.
                let is_set =
                    matches!(self.literal_of(value), Some(Literal::FrozenSet(set)) if !set.is_empty());
                let value = match is_set.then(|| self.constant_items(value)).flatten() {
                    Some(items) => self.atom(self.expr(ExprKind::Set(items))),
                    None => value,
                };
                let (expr, mut effects) = self.take_one(value)?;
                effects.acts = true;
                let value = self.defer(expr, effects, Special::Iterator);
                self.push(value);
            }
            Op::StoreLocal(variable) if let Some(used) = self.reversed_assignment(variable, rest())? => {
                return Ok(used);
            }
            Op::StoreLocal(variable) => self.store_variable(variable)?,
            Op::StoreDeref(variable) => {
                let value = self.resolve(self.at_depth(1)?);
                if self.stores_type_params(variable, &value) {
                    self.stack.pop();
                    return Ok(0);
                }
                let target = self.expr(ExprKind::Name(self.context.variable(variable)));
                self.store_shared(target)?;
            }
            Op::StoreGlobal(name) | Op::StoreName(name) => {
                let target = self.context.names.global(name);
                let target = self.expr(target);
                self.store_shared(target)?;
            }
            Op::StoreAttr(name) => self.store_attribute(name)?,
            Op::DeleteLocal(variable) => {
                self.name_local(variable)?;
                let target = self.expr(ExprKind::Name(self.context.variable(variable)));
                let effects = Effects::storing(variable);
                self.print(StmtKind::Delete(vec![target]), &effects)?;
            }
            Op::DeleteDeref(variable) => {
                let target = self.expr(ExprKind::Name(self.context.variable(variable)));
                self.print(StmtKind::Delete(vec![target]), &Effects::acting())?;
            }
            Op::DeleteGlobal(name) | Op::DeleteName(name) => {
                let target = self.context.names.global(name);
                let target = self.expr(target);
                self.print(StmtKind::Delete(vec![target]), &Effects::acting())?;
            }
            Op::DeleteAttr(name) => {
                let object = self.pop()?;
                let (object, mut effects) = self.take_one(object)?;
                effects.acts = true;
                let target = self.expr(self.context.names.place(object, self.context.names.attribute(name)));
                self.print(StmtKind::Delete(vec![target]), &effects)?;
            }
            Op::MakeFunction(parts) => return self.make_function(parts, rest()),
            Op::SetFunctionAttribute(part) => self.set_function_attribute(part)?,
            Op::ImportName { name, lazy } => return self.import(name, lazy, rest()),
            Op::Yield => {
                self.combine(1, true, |mut operands| {
                    let value = operands.next()?;
                    let none = matches!(value.kind, ExprKind::Literal(Literal::None));
                    Some(ExprKind::Yield((!none).then(|| Box::new(value))))
                })?;
            }
            // One with code behind it that nothing reaches; see `flow/unreached_code.rs`.
            Op::Raise(count) => {
                let values = self.pop_many(count as usize)?;
                let (exprs, mut effects) = self.take(&values)?;
                effects.acts = true;
                let mut exprs = exprs.into_iter();
                let kind = StmtKind::Raise { exc: exprs.next(), cause: exprs.next() };
                self.print(kind, &effects)?;
            }
            Op::GetAiter => self.asynchronous_iterator()?,
            Op::GetAwaitable => self.awaitable()?,
            Op::YieldFrom => self.delegate()?,
            Op::PushExcInfo => {
                let raised = self.pop()?;
                self.push(match raised {
                    Value::Exception(ExceptionPart::Raised(handler)) => {
                        Value::Exception(ExceptionPart::Previous(handler))
                    }
                    _ => Value::Exception(ExceptionPart::Internal),
                });
                self.push(raised);
            }
            Op::PopExcept => {
                let count = if self.context.function.features.six_value_handlers { 3 } else { 1 };
                let start = self.top(count)?;
                self.stack.truncate(start);
            }
            Op::ExceptionMatch => self.exception_match()?,
            Op::WithExceptStart => self.push(Value::Exception(ExceptionPart::Internal)),
            Op::BeforeWith { slots, is_async } => {
                let manager = self.pop()?;
                let (context, effects) = self.take_one(manager)?;
                self.name_all()?;
                let items = vec![WithItem { context, target: None }];
                self.print(StmtKind::With { items, body: Vec::new(), is_async }, &effects)?;
                self.push(Value::Exit);
                if slots == 2 {
                    self.push(Value::Null);
                }
                self.push(Value::Temp(super::entered_temporary(self.offset), self.offset));
            }
            other => return self.error(format!("{other:?} has no source yet")),
        }
        Ok(0)
    }

    fn compare(&mut self, op: CompareOp, acts: bool) -> LiftResult<()> {
        let (mut left, mut right, mut effects) = self.take_pair()?;
        effects.acts |= acts;
        // The compiler makes a frozenset of a constant set behind `in`, which prints as that set.
        let folded = matches!(op, CompareOp::In | CompareOp::NotIn);
        if !folded {
            spell_in_place(&mut right);
        }
        spell_in_place(&mut left);
        self.push_expr(ExprKind::Compare { left: Box::new(left), rest: vec![(op, right)] }, effects);
        Ok(())
    }

    fn load_attribute(&mut self, name: NameId) -> LiftResult<()> {
        let names = self.context.names;
        let name = names.attribute(name);
        let origin = Origin(self.offset);
        if let Some(Pending { expr: Some(value), effects, .. }) = self.last_on_stack() {
            // It stays the last.
            let mut object = std::mem::replace(value, Expr::new(origin, ExprKind::Temp(0)));
            spell_in_place(&mut object);
            value.kind = names.read(object, name);
            effects.acts = true;
            return Ok(());
        }
        let value = self.pop()?;
        let settled = self.is_settled(value);
        let (value, mut effects) = self.take_one(value)?;
        let kind = names.read(value, name);
        if settled {
            let attribute = self.atom(self.expr(kind));
            self.push(attribute);
            return Ok(());
        }
        effects.acts = true;
        self.push_expr(kind, effects);
        Ok(())
    }

    fn exception_match(&mut self) -> LiftResult<()> {
        let kind = self.pop()?;
        let (kind, _) = self.take_one(kind)?;
        if self.context.function.features.six_value_handlers {
            match self.pop()? {
                Value::Exception(ExceptionPart::Type(_)) => {}
                _ => return self.error("an exception match without the exception's type"),
            }
        }
        self.atoms.push(Some(kind));
        self.push(Value::ExceptionMatch(self.atoms.len() - 1));
        Ok(())
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic1) -> LiftResult<()> {
        match intrinsic {
            Intrinsic1::ListToTuple => self.list_to_tuple(),
            Intrinsic1::UnaryPositive => self.combine(1, true, |mut operands| {
                Some(ExprKind::Unary { op: UnaryOp::Positive, operand: Box::new(operands.next()?) })
            }),
            // `async` generators wrap what they yield; the source does not say so.
            Intrinsic1::AsyncGenWrap => Ok(()),
            Intrinsic1::TypeVar => self.type_param(TypeParamKind::TypeVar),
            Intrinsic1::ParamSpec => self.type_param(TypeParamKind::ParamSpec),
            Intrinsic1::TypeVarTuple => self.type_param(TypeParamKind::TypeVarTuple),
            Intrinsic1::TypeAlias => self.type_alias(),
            // The base class `Generic[T]`, which nothing but the class's own call uses.
            Intrinsic1::SubscriptGeneric => self.discard_quietly().map(|()| self.push(Value::Saved)),
            Intrinsic1::Print => {
                self.error("a prompt prints a value (`compile` with `single`): no source does")
            }
            other => self.error(format!("{other:?} has no source yet")),
        }
    }

    fn push_common(&mut self, common: CommonConst) {
        let literal = match common {
            CommonConst::None => Literal::None,
            CommonConst::True => Literal::Bool(true),
            CommonConst::False => Literal::Bool(false),
            CommonConst::MinusOne => Literal::Int((-1).into()),
            CommonConst::EmptyStr => Literal::Str("".into()),
            CommonConst::AssertionError => {
                return self.push(Value::Temp(super::ASSERTION_ERROR, self.offset));
            }
            name => {
                let name = match name {
                    CommonConst::NotImplementedError => "NotImplementedError",
                    CommonConst::Tuple => "tuple",
                    CommonConst::All => "all",
                    CommonConst::Any => "any",
                    CommonConst::Set => "set",
                    _ => "list",
                };
                let name = self.atom(self.expr(ExprKind::Name(name.into())));
                return self.push(name);
            }
        };
        self.push_literal(literal);
    }

    fn push_literal(&mut self, literal: Literal) {
        let value = self.atom(self.expr(ExprKind::Literal(literal)));
        self.push(value);
    }

    fn push_const(&mut self, index: u32) -> LiftResult<()> {
        let Some(value) = self.context.code.consts.get(index as usize) else {
            return self.error("a constant is missing");
        };
        if let bytecode::Const::Code(_) = value {
            self.push(Value::Code(index));
            return Ok(());
        }
        let kind = match value {
            // Nearly all constants are of these.
            bytecode::Const::Str(text) => {
                self.push_literal(Literal::Str(text.clone()));
                return Ok(());
            }
            bytecode::Const::None => {
                self.push_literal(Literal::None);
                return Ok(());
            }
            value if let Some(fault) = constants::fault(value) => return self.error(fault),
            bytecode::Const::Opaque(opaque) => ExprKind::Name(opaque.name.as_str().into()),
            value => match literal(value) {
                Some(literal) => ExprKind::Literal(literal),
                None => constants::display(value),
            },
        };
        let value = self.atom(self.expr(kind));
        self.push(value);
        Ok(())
    }

    /// The stack index of a depth.
    pub(super) fn index(&self, depth: u32) -> LiftResult<usize> {
        match self.stack.len().checked_sub(depth as usize) {
            Some(index) if depth > 0 => Ok(index),
            _ => self.error("the stack holds too few values"),
        }
    }

    pub(super) fn at_depth(&self, depth: u32) -> LiftResult<Value> {
        self.index(depth).map(|index| self.stack[index])
    }
}

/// Adds an operand behind others, or its own where that is the same evaluation: `a and (b and c)` tests the
/// same values in the same order as `a and b and c`.
fn join_operand(op: BoolOp, joins: bool, operands: &mut Vec<Expr>, operand: Expr) {
    match operand.kind {
        ExprKind::Bool { op: inner, values } if inner == op && joins => operands.extend(values),
        _ => operands.push(operand),
    }
}

fn unary(op: bytecode::UnaryOp) -> UnaryOp {
    match op {
        bytecode::UnaryOp::Negative => UnaryOp::Negative,
        bytecode::UnaryOp::Positive => UnaryOp::Positive,
        bytecode::UnaryOp::Invert => UnaryOp::Invert,
        bytecode::UnaryOp::Not => UnaryOp::Not,
    }
}

fn binary(op: bytecode::BinaryOp) -> BinaryOp {
    use bytecode::BinaryOp as From;
    match op {
        From::Add => BinaryOp::Add,
        From::Subtract => BinaryOp::Subtract,
        From::Multiply => BinaryOp::Multiply,
        From::MatrixMultiply => BinaryOp::MatrixMultiply,
        From::TrueDivide => BinaryOp::TrueDivide,
        From::FloorDivide => BinaryOp::FloorDivide,
        From::Remainder => BinaryOp::Remainder,
        From::Power => BinaryOp::Power,
        From::LeftShift => BinaryOp::LeftShift,
        From::RightShift => BinaryOp::RightShift,
        From::And => BinaryOp::And,
        From::Or => BinaryOp::Or,
        From::Xor => BinaryOp::Xor,
    }
}

/// The comparison in the syntax tree.
pub(crate) fn compare(op: bytecode::CompareOp) -> CompareOp {
    match op {
        bytecode::CompareOp::Less => CompareOp::Less,
        bytecode::CompareOp::LessEqual => CompareOp::LessEqual,
        bytecode::CompareOp::Equal => CompareOp::Equal,
        bytecode::CompareOp::NotEqual => CompareOp::NotEqual,
        bytecode::CompareOp::Greater => CompareOp::Greater,
        bytecode::CompareOp::GreaterEqual => CompareOp::GreaterEqual,
    }
}
