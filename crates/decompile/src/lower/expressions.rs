//! Expressions: values on the stack, and tests that jump.

use depyf_bytecode as bytecode;
use depyf_bytecode::{Const, Op};
use depyf_syntax::ast::{BinaryOp, BoolOp, CompareOp, Expr, ExprKind, Literal, UnaryOp};

use super::assembler::Label;
use super::generator::{Done, Generator};

/// The operand of an expression that is evaluated first and stays on the stack while the rest is; chains
/// of these are lowered without recursion.
pub(super) fn first_operand(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => Some(value),
        ExprKind::Call(call) => Some(&call.func),
        ExprKind::Binary { left, .. } => Some(left),
        _ => None,
    }
}

impl<'a> Generator<'a> {
    /// Pushes the value of an expression.
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Done {
        // Most expressions hold no other.
        if let ExprKind::Name(_) | ExprKind::Literal(_) = expr.kind {
            return self.leaf(expr);
        }
        self.deeper()?;
        let below = self.spine.len();
        let mut node = expr;
        loop {
            if self.super_attribute(node)? || self.percent_format(node)? {
                break;
            }
            match first_operand(node) {
                Some(first) => {
                    self.spine.push(node);
                    node = first;
                }
                None => {
                    self.leaf(node)?;
                    break;
                }
            }
        }
        while self.spine.len() > below {
            let Some(node) = self.spine.pop() else { break };
            self.finish_expr(node)?;
        }
        self.shallower();
        Ok(())
    }

    /// The rest of an expression whose [`first_operand`] is on the stack.
    fn finish_expr(&mut self, expr: &'a Expr) -> Done {
        match &expr.kind {
            ExprKind::Attribute { attr, .. } => {
                let attr = self.mangled_id(attr);
                self.emit(Op::LoadAttr(attr));
            }
            ExprKind::Subscript { index, .. } => {
                self.expr(index)?;
                self.emit(Op::Subscript);
            }
            ExprKind::Call(call) => self.call(call)?,
            ExprKind::Binary { op, right, .. } => {
                self.expr(right)?;
                self.emit(Op::Binary(binary_op(*op)));
            }
            _ => {}
        }
        Ok(())
    }

    fn leaf(&mut self, expr: &'a Expr) -> Done {
        match &expr.kind {
            ExprKind::Name(name) if *name == "__debug__" => {
                self.optional.assertions = true;
                self.constant(Const::Bool(self.options.optimize == 0));
            }
            ExprKind::Name(name) => self.load(name),
            ExprKind::Temp(_) => return self.error("a temporary that no pass has named"),
            ExprKind::Literal(literal) => self.constant(constant(literal)),
            // `expr` has dealt with these.
            ExprKind::Attribute { .. }
            | ExprKind::Subscript { .. }
            | ExprKind::Call(_)
            | ExprKind::Binary { .. } => return self.error("an operand was not found"),
            ExprKind::Slice { lower, upper, step } => {
                for bound in [lower, upper] {
                    match bound {
                        Some(bound) => self.expr(bound)?,
                        None => self.none(),
                    }
                }
                if let Some(step) = step {
                    self.expr(step)?;
                }
                self.emit(Op::BuildSlice(2 + u32::from(step.is_some())));
            }
            ExprKind::Unary { op, operand } => {
                self.expr(operand)?;
                self.emit(Op::Unary(match op {
                    UnaryOp::Negative => bytecode::UnaryOp::Negative,
                    UnaryOp::Positive => bytecode::UnaryOp::Positive,
                    UnaryOp::Invert => bytecode::UnaryOp::Invert,
                    UnaryOp::Not => bytecode::UnaryOp::Not,
                }));
            }
            ExprKind::Bool { op, values } => self.short_circuit(*op, values, None)?,
            ExprKind::Compare { left, rest } => self.comparison(left, rest)?,
            ExprKind::IfExp { test, body, orelse } => self.conditional(test, body, orelse, None)?,
            ExprKind::Named { target, value } => {
                self.expr(value)?;
                self.emit(Op::Copy(1));
                self.store(target);
            }
            ExprKind::Lambda { params, body } => self.lambda(expr, params, body)?,
            ExprKind::Tuple(items) => self.tuple(items)?,
            ExprKind::List(items) => self.list(items)?,
            ExprKind::Set(items) => self.set(items)?,
            ExprKind::Dict(pairs) => self.dict(pairs)?,
            ExprKind::Comprehension { kind, element, clauses } => {
                self.comprehension(expr, *kind, element, clauses)?;
            }
            ExprKind::Joined(parts) => self.joined(parts)?,
            ExprKind::Template(parts) => self.template(parts)?,
            ExprKind::Await(value) => {
                self.expr(value)?;
                self.delegate();
            }
            ExprKind::Yield(value) => {
                match value {
                    Some(value) => self.expr(value)?,
                    None => self.none(),
                }
                self.emit(Op::Yield);
            }
            ExprKind::YieldFrom(value) => {
                self.expr(value)?;
                self.emit(Op::GetYieldFromIter);
                self.none();
                self.emit(Op::YieldFrom);
            }
            ExprKind::Verbatim(_) => return self.error("a text where a value is wanted"),
            ExprKind::Starred(_) => return self.error("a starred expression where one value is wanted"),
        }
        Ok(())
    }

    fn comparison(&mut self, left: &'a Expr, rest: &'a [(CompareOp, Expr)]) -> Done {
        self.expr(left)?;
        let Some(((op, last), inner)) = rest.split_last() else { return Ok(()) };
        let cleanup = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        for (op, value) in inner {
            self.expr(value)?;
            self.emit_all([Op::Swap(2), Op::Copy(2), compare_op(*op), Op::Copy(1)]);
            self.jump_on(false, cleanup);
            self.emit(Op::Pop);
        }
        self.expr(last)?;
        self.emit(compare_op(*op));
        if !inner.is_empty() {
            self.emit(Op::Jump(end.target()));
            self.unit.assembler.place(cleanup);
            self.emit_all([Op::Swap(2), Op::Pop]);
            self.unit.assembler.place(end);
        }
        Ok(())
    }

    /// `a and b` as a value; `before` is the operator that tests it next.
    fn short_circuit(&mut self, op: BoolOp, values: &'a [Expr], before: Option<BoolOp>) -> Done {
        let Some((last, inner)) = values.split_last() else {
            return self.error("`and` or `or` without operands");
        };
        let end = self.unit.assembler.label();
        for value in inner {
            self.operand(value, Some(op))?;
            self.emit(Op::Copy(1));
            let threaded = before == Some(op) && self.unit.assembler.features().threads_operands;
            if threaded && (self.unit.assembler.protects() || self.is_resumed()) {
                self.unit.assembler.leave_open();
                self.jump_on(op == BoolOp::Or, end);
                self.unit.assembler.unprotect();
            } else {
                self.jump_on(op == BoolOp::Or, end);
            }
            self.emit(Op::Pop);
        }
        self.operand(last, before)?;
        self.unit.assembler.place(end);
        Ok(())
    }

    /// A value that `before` tests next, if any operator does.
    fn operand(&mut self, value: &'a Expr, before: Option<BoolOp>) -> Done {
        self.deeper()?;
        match &value.kind {
            ExprKind::Bool { op, values } => self.short_circuit(*op, values, before)?,
            ExprKind::IfExp { test, body, orelse } => self.conditional(test, body, orelse, before)?,
            _ => {
                self.shallower();
                return self.expr(value);
            }
        }
        self.shallower();
        Ok(())
    }

    /// `body if test else orelse` as a value; a jump lies between `body` and the operator `before`.
    fn conditional(
        &mut self,
        test: &'a Expr,
        body: &'a Expr,
        orelse: &'a Expr,
        before: Option<BoolOp>,
    ) -> Done {
        let otherwise = self.unit.assembler.label();
        let end = self.unit.assembler.label();
        self.jump_if(test, false, otherwise)?;
        self.expr(body)?;
        self.emit(Op::Jump(end.target()));
        self.unit.assembler.place(otherwise);
        self.operand(orelse, before)?;
        self.unit.assembler.place(end);
        Ok(())
    }

    /// Jumps to `to` where the truth of a test is `when`, else goes on: the conditions of `if`, `while`,
    /// `assert`, conditional expressions and comprehensions, whose parts are tested once each.
    pub(super) fn jump_if(&mut self, test: &'a Expr, when: bool, to: Label) -> Done {
        self.deeper()?;
        match &test.kind {
            // What is known is not tested.
            ExprKind::Literal(literal) => {
                if truth(literal) == when {
                    self.emit(Op::Jump(to.target()));
                }
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.jump_if(operand, !when, to)?,
            ExprKind::Bool { op, values } => {
                // `or` is decided by a true value, `and` by a false one.
                let decisive = *op == BoolOp::Or;
                let Some((last, inner)) = values.split_last() else {
                    return self.error("`and` or `or` without operands");
                };
                let past = self.unit.assembler.label();
                for value in inner {
                    self.jump_if(value, decisive, if decisive == when { to } else { past })?;
                }
                self.jump_if(last, when, to)?;
                self.unit.assembler.place(past);
            }
            ExprKind::IfExp { test, body, orelse } => {
                let otherwise = self.unit.assembler.label();
                let end = self.unit.assembler.label();
                self.jump_if(test, false, otherwise)?;
                self.jump_if(body, when, to)?;
                self.emit(Op::Jump(end.target()));
                self.unit.assembler.place(otherwise);
                self.jump_if(orelse, when, to)?;
                self.unit.assembler.place(end);
            }
            ExprKind::Compare { left, rest } if rest.len() > 1 => {
                let cleanup = self.unit.assembler.label();
                let end = self.unit.assembler.label();
                self.expr(left)?;
                for (index, (op, value)) in rest.iter().enumerate() {
                    self.expr(value)?;
                    if index + 1 < rest.len() {
                        self.emit_all([Op::Swap(2), Op::Copy(2), compare_op(*op)]);
                        self.jump_on(false, cleanup);
                    } else {
                        self.emit(compare_op(*op));
                        self.jump_on(when, to);
                    }
                }
                self.emit(Op::Jump(end.target()));
                self.unit.assembler.place(cleanup);
                self.emit(Op::Pop);
                if !when {
                    self.emit(Op::Jump(to.target()));
                }
                self.unit.assembler.place(end);
            }
            _ => {
                self.expr(test)?;
                self.jump_on(when, to);
            }
        }
        self.shallower();
        Ok(())
    }
}

pub(super) fn compare_op(op: CompareOp) -> Op {
    use bytecode::CompareOp as Rich;
    match op {
        CompareOp::Less => Op::Compare(Rich::Less),
        CompareOp::LessEqual => Op::Compare(Rich::LessEqual),
        CompareOp::Equal => Op::Compare(Rich::Equal),
        CompareOp::NotEqual => Op::Compare(Rich::NotEqual),
        CompareOp::Greater => Op::Compare(Rich::Greater),
        CompareOp::GreaterEqual => Op::Compare(Rich::GreaterEqual),
        CompareOp::Is => Op::Is { negated: false },
        CompareOp::IsNot => Op::Is { negated: true },
        CompareOp::In => Op::Contains { negated: false },
        CompareOp::NotIn => Op::Contains { negated: true },
    }
}

pub(super) fn binary_op(op: BinaryOp) -> bytecode::BinaryOp {
    use bytecode::BinaryOp as Neutral;
    match op {
        BinaryOp::Add => Neutral::Add,
        BinaryOp::Subtract => Neutral::Subtract,
        BinaryOp::Multiply => Neutral::Multiply,
        BinaryOp::MatrixMultiply => Neutral::MatrixMultiply,
        BinaryOp::TrueDivide => Neutral::TrueDivide,
        BinaryOp::FloorDivide => Neutral::FloorDivide,
        BinaryOp::Remainder => Neutral::Remainder,
        BinaryOp::Power => Neutral::Power,
        BinaryOp::LeftShift => Neutral::LeftShift,
        BinaryOp::RightShift => Neutral::RightShift,
        BinaryOp::And => Neutral::And,
        BinaryOp::Or => Neutral::Or,
        BinaryOp::Xor => Neutral::Xor,
    }
}

/// The truth of a literal.
pub(crate) fn truth(literal: &Literal) -> bool {
    match literal {
        Literal::None => false,
        Literal::Bool(value) => *value,
        Literal::Int(value) => !value.digits().is_empty(),
        Literal::Float(value) => *value != 0.0,
        Literal::Complex { real, imag } => *real != 0.0 || *imag != 0.0,
        Literal::Str(text) => !text.is_empty(),
        Literal::Bytes(bytes) => !bytes.is_empty(),
        Literal::Tuple(items) | Literal::FrozenSet(items) => !items.is_empty(),
        Literal::Ellipsis | Literal::Slice(_) => true,
    }
}

/// The constant that a literal stands for. Literals nest no deeper than the reader of constants allows.
pub(super) fn constant(literal: &Literal) -> Const {
    let all = |items: &[Literal]| items.iter().map(constant).collect();
    match literal {
        Literal::None => Const::None,
        Literal::Bool(value) => Const::Bool(*value),
        Literal::Ellipsis => Const::Ellipsis,
        Literal::Int(value) => Const::Int(value.clone()),
        Literal::Float(value) => Const::Float(*value),
        Literal::Complex { real, imag } => Const::Complex(*real, *imag),
        Literal::Str(text) => Const::Str(text.clone()),
        Literal::Bytes(bytes) => Const::Bytes(bytes.clone().into()),
        Literal::Tuple(items) => Const::Tuple(all(items)),
        Literal::FrozenSet(items) => Const::FrozenSet(all(items)),
        Literal::Slice(parts) => {
            let [start, stop, step] = parts.as_ref();
            Const::Slice([constant(start), constant(stop), constant(step)].into())
        }
    }
}
