//! What the compiler would have folded, and did not: an operation on constants one of which a jump led to.
//!
//! In `(1 or 2, 3)` the compiler finds out that the jump goes to the tuple when it has folded all that is constant (3.10
//! and later); what stays is a tuple built of 1 and 3. Printed as `(1, 3)` it would be a constant. So one of its operands
//! is spelled such that it becomes a constant as late: `(1, 1 and 3)`, and as the key of a dict, where a string without
//! fields is as good, `f'a'`.

use depyf_bytecode::{CompilerFeatures, Instruction, Op, Region, was_optimized};
use depyf_syntax::ast::{BinaryOp, BoolOp, Expr, ExprKind, Literal, StringPart, UnaryOp};
use depyf_value::PyInt;

use crate::flow::{Step, StepKind, instructions_before};

use super::keys::{as_operation, is_constant_of_source};
use super::value::FreshId;
use super::{Lifter, Value};

/// So many constants of a display are one: fewer are loaded one after the other.
pub(super) const SHORTEST_CONSTANT: usize = 3;

/// So many values are exchanged on the stack and not packed to be unpacked (CPython `Python/flowgraph.c`).
const MOST_EXCHANGED: usize = 3;

/// Whether a constant is a text that an f-string without fields is as good as. An empty one of those is built of nothing.
fn is_text(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Str(text)) if !text.is_empty())
}

impl Lifter<'_> {
    /// Spells an operation so that the compiler does not fold it.
    pub(super) fn keep_unfolded(&self, kind: &mut ExprKind) {
        if self.context.packs_values {
            return;
        }
        let folded_again = matches!(kind, ExprKind::Tuple(_) | ExprKind::Unary { .. });
        let operand = match kind {
            ExprKind::Unary { op, operand } if folds_unary(*op, operand) => &mut **operand,
            ExprKind::Binary { op, left, right } if folds_binary(*op, left, right) => &mut **right,
            ExprKind::Subscript { value, index } if folds_subscript(value, index) => &mut **index,
            // To 3.9 the compiler folds the tuples that it makes itself, such as that of the defaults, in the bytecode.
            ExprKind::Tuple(items) if items.iter().all(is_constant) && was_optimized(self.context.code) => {
                match items.last_mut() {
                    Some(last) => last,
                    None => return,
                }
            }
            _ => return,
        };
        self.spell_late(operand, folded_again);
    }

    /// The same of a list, set or dict.
    pub(super) fn keep_display_unfolded(&self, id: FreshId, kind: &mut ExprKind) {
        let Some(compiler) = CompilerFeatures::of(self.context.code.version) else { return };
        if self.context.packs_values {
            return;
        }
        let fresh = &self.fresh[id];
        let operand = match kind {
            ExprKind::List(items) | ExprKind::Set(items) => {
                // What is folded late is filled item by item if it is large.
                let folds = compiler.folds_on_tree || fresh.built_from == items.len();
                let fills = folds && compiler.fills_from_constants && fresh.filled_from.is_none();
                if !fills || items.len() < SHORTEST_CONSTANT || !items.iter().all(is_constant) {
                    return;
                }
                let late = items.iter().rposition(is_text).unwrap_or(items.len() - 1);
                &mut items[late]
            }
            ExprKind::Dict(pairs) => {
                let built = fresh.built_from / 2;
                let is_key = |pair: &(Option<Expr>, Expr)| pair.0.as_ref().is_some_and(is_constant);
                let keys = pairs.get_mut(..built).unwrap_or_default();
                if built < 2 || !compiler.constant_key_maps || !keys.iter().all(is_key) {
                    return;
                }
                match keys.first_mut() {
                    Some((Some(key), _)) => key,
                    _ => return,
                }
            }
            _ => return,
        };
        self.spell_late(operand, false);
    }

    /// Spells a tuple that is unpacked at once so that it is a constant. Of up to three values that are built for as many
    /// targets none ever is one (where constants are folded on the graph): a test that the compiler decided chose it.
    pub(super) fn keep_packed(&mut self, value: Value) {
        let Value::Atom(id) = value else { return };
        let Some(compiler) = CompilerFeatures::of(self.context.code.version) else { return };
        let Some(constant @ Expr { kind: ExprKind::Literal(Literal::Tuple(values)), .. }) = &self.atoms[id]
        else {
            return;
        };
        let function = self.context.function;
        let loaded = instructions_before(function, constant.origin.0);
        let at_once = loaded + 1 == instructions_before(function, self.offset);
        if !compiler.folds_on_tree && values.len() <= MOST_EXCHANGED && at_once && !self.context.packs_values
        {
            let mut constant = constant.clone();
            self.spell_late(&mut constant, true);
            self.atoms[id] = Some(constant);
        }
    }

    /// Spells a returned constant so that it is loaded as a value that had to be evaluated. The compiler leaves the
    /// statements around before it loads a constant, and keeps any other value while it does: `return f'a'` in a loop.
    pub(super) fn keep_evaluated(&self, value: &mut Expr) {
        let Some(compiler) = CompilerFeatures::of(self.context.code.version) else { return };
        let is_late = compiler.folds_on_tree && is_constant(value);
        if self.context.packs_values || !is_late && !is_constant_of_source(value) {
            return;
        }
        let function = self.context.function;
        let loaded = instructions_before(function, value.origin.0);
        match is_kept(&function.instructions, &function.regions, loaded) {
            true if is_late => self.spell_late(value, false),
            true => self.spell_operation(value),
            false => {}
        }
    }

    /// Spells a constant so that it is one only when all others have been folded. Tuples, and the `not` of constants,
    /// are folded again behind the tree.
    fn spell_late(&self, constant: &mut Expr, folded_again: bool) {
        let Some(compiler) = CompilerFeatures::of(self.context.code.version) else { return };
        if let ExprKind::Literal(Literal::Str(text)) = &constant.kind
            && compiler.folds_on_tree
            && !folded_again
            && !text.is_empty()
        {
            constant.kind = ExprKind::Joined(vec![StringPart::Literal(text.clone())]);
            return;
        }
        // A tuple that holds one is folded behind the tree.
        if let ExprKind::Literal(Literal::Tuple(_)) = &constant.kind
            && compiler.folds_on_tree
            && !folded_again
            && let Some(items) = with_late_text(constant)
        {
            constant.kind = items;
            return;
        }
        let one = Expr::new(constant.origin, ExprKind::Literal(Literal::Int(1.into())));
        let value = std::mem::replace(constant, one.clone());
        constant.kind = if compiler.decides_constant_jumps {
            ExprKind::Bool { op: BoolOp::And, values: vec![one, value] }
        } else {
            let none = Expr::new(constant.origin, ExprKind::Literal(Literal::None));
            ExprKind::IfExp { test: Box::new(one), body: Box::new(value), orelse: Box::new(none) }
        };
    }

    /// Spells a global that is called so that the compiler does not load it and the NULL of the call at once: a constant
    /// stood between the two when it looked, as that of `(None or f)()`. `next` is the step behind the load.
    pub(super) fn keep_apart(&self, load: Op, name: &mut Expr, steps: &[Step], next: usize) {
        let null = |at: Option<usize>| {
            let step = at.and_then(|at| steps.get(at));
            step.filter(|step| matches!(step.kind, StepKind::Op(Op::PushNull)) && step.offset != self.offset)
        };
        let (before, behind) = (null(next.checked_sub(2)), null(Some(next)));
        if (before.is_some() || behind.is_some())
            && matches!(load, Op::LoadGlobal(_))
            && !self.context.packs_values
            && let Some(compiler) = CompilerFeatures::of(self.context.code.version)
            && let Some(null) = if compiler.null_above_callee { behind } else { before }
            && self.is_all_between(null.offset)
        {
            self.spell_late(name, true);
        }
    }

    /// Whether nothing lies between the instruction at hand and another one: passes have taken nothing out there, such as the
    /// question for the builtin in `any(x for x in y)` (3.14 and later).
    fn is_all_between(&self, other: u32) -> bool {
        let function = self.context.function;
        let (first, last) = (self.offset.min(other), self.offset.max(other));
        let between = instructions_before(function, first)..instructions_before(function, last);
        function.instructions[between].iter().all(|found| found.op == Op::Nop || found.offset == first)
    }

    /// Spells a constant so that it is one only when the tree has been looked at (3.14 and later).
    pub(super) fn spell_operation(&self, constant: &mut Expr) {
        match &constant.kind {
            ExprKind::Literal(Literal::Int(_) | Literal::Float(_) | Literal::Complex { .. }) => {
                as_operation(constant);
            }
            ExprKind::Literal(Literal::Str(text)) => {
                constant.kind = ExprKind::Joined(vec![StringPart::Literal(text.clone())]);
            }
            _ => self.spell_late(constant, true),
        }
    }

    /// Spells a constant that `and` or `or` tests so that the compiler does not decide the test.
    pub(super) fn keep_undecided(&self, test: &mut Expr) {
        self.keep_tested_operations(test);
        let Some(compiler) = CompilerFeatures::of(self.context.code.version) else { return };
        let decided = if compiler.folds_on_tree { is_constant(test) } else { is_constant_of_source(test) };
        if compiler.decides_constant_jumps && !self.context.packs_values && decided {
            self.spell_late(test, true);
        }
    }

    /// Something is added to a list or set that was filled from a constant. The compiler fills only those that hold
    /// nothing else so, or where folding is late, those that something is unpacked to: this one was unpacked itself.
    pub(super) fn restore_star(&mut self, id: FreshId, unpacks: bool) {
        let Some(constant) = self.fresh[id].filled_from.take() else { return };
        let late =
            CompilerFeatures::of(self.context.code.version).is_some_and(|compiler| !compiler.folds_on_tree);
        let is_set = matches!(constant.kind, ExprKind::Literal(Literal::FrozenSet(_)));
        if !(self.context.packs_values || is_set || late && unpacks) {
            self.atoms.push(Some(*constant));
            self.fresh[id].items = vec![Value::Starred(self.atoms.len() - 1)];
        }
    }
}

/// Whether a returned constant is loaded before the statements around are left: other than a `return` stands behind it, or
/// one that their handlers no longer protect.
fn is_kept(instructions: &[Instruction], regions: &[Region], loaded: usize) -> bool {
    let Some([load, next, ..]) = instructions.get(loaded..) else { return false };
    let is_load = load.op.is_constant();
    // All of a coroutine is protected.
    let handler = |at: usize| Region::around(regions, at as u32).map(|region| region.handler);
    match next.op {
        Op::Return => is_load && handler(loaded).is_some_and(|own| handler(loaded + 1) != Some(own)),
        Op::Jump(_) => false,
        _ => is_load,
    }
}

/// Whether an expression is a constant that has a display of its own.
fn is_constant(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(literal) if !matches!(literal, Literal::Slice(_) | Literal::FrozenSet(_)))
}

/// The items of a constant tuple, the first string among them as one without fields.
fn with_late_text(constant: &Expr) -> Option<ExprKind> {
    let ExprKind::Literal(Literal::Tuple(values)) = &constant.kind else { return None };
    let text = values.iter().position(|value| matches!(value, Literal::Str(_)))?;
    let item = |(at, value): (usize, &Literal)| {
        let kind = match value {
            Literal::Str(written) if at == text => {
                ExprKind::Joined(vec![StringPart::Literal(written.clone())])
            }
            _ => ExprKind::Literal(value.clone()),
        };
        Expr::new(constant.origin, kind)
    };
    Some(ExprKind::Tuple(values.iter().enumerate().map(item).collect()))
}

/// The constant without the spelling that keeps an operation from being folded.
pub(crate) fn without_late_spelling(expr: &Expr) -> Expr {
    match &expr.kind {
        ExprKind::Bool { op: BoolOp::And, values } => match &values[..] {
            [one, value] if one.kind == ExprKind::Literal(Literal::Int(1.into())) && is_constant(value) => {
                value.clone()
            }
            _ => expr.clone(),
        },
        ExprKind::Unary { op: UnaryOp::Positive, operand } if is_constant(operand) => (**operand).clone(),
        ExprKind::IfExp { test, body, .. }
            if test.kind == ExprKind::Literal(Literal::Int(1.into())) && is_constant(body) =>
        {
            (**body).clone()
        }
        ExprKind::Joined(parts) => match &parts[..] {
            [StringPart::Literal(text)] => {
                Expr::new(expr.origin, ExprKind::Literal(Literal::Str(text.clone())))
            }
            _ => expr.clone(),
        },
        _ => expr.clone(),
    }
}

fn folds_unary(op: UnaryOp, operand: &Expr) -> bool {
    let ExprKind::Literal(operand) = &operand.kind else { return false };
    match (op, operand) {
        (UnaryOp::Not, _) => true,
        (UnaryOp::Invert, Literal::Int(_) | Literal::Bool(_)) => true,
        (UnaryOp::Invert, _) => false,
        (_, Literal::Int(_) | Literal::Bool(_) | Literal::Float(_) | Literal::Complex { .. }) => true,
        _ => false,
    }
}

/// The bits of an integer.
fn bits(value: &PyInt) -> u64 {
    let last = value.digits().last().map_or(0, |digit| u64::from(u16::BITS - digit.leading_zeros()));
    (value.digits().len() as u64).saturating_sub(1) * DIGIT_BITS + last
}

/// A digit of a Python integer, as it is stored in a code object.
const DIGIT_BITS: u64 = 15;

/// Larger results the compiler leaves to the program (CPython, `safe_multiply` and its kin).
const MOST_BITS: u64 = 128;
const LONGEST_TUPLE: u64 = 256;
const LONGEST_STRING: u64 = 4096;

/// Whether the compiler folds `left op right`; those that raise it does not.
fn folds_binary(op: BinaryOp, left: &Expr, right: &Expr) -> bool {
    let (ExprKind::Literal(left), ExprKind::Literal(right)) = (&left.kind, &right.kind) else { return false };
    let real = |literal: &Literal| matches!(literal, Literal::Int(_) | Literal::Bool(_) | Literal::Float(_));
    let number = |literal: &Literal| real(literal) || matches!(literal, Literal::Complex { .. });
    let integer = |literal: &Literal| match literal {
        Literal::Int(value) => Some(value.clone()),
        Literal::Bool(value) => Some(i64::from(*value).into()),
        _ => None,
    };
    let repeated = |length: usize, most: u64, count: &PyInt| match count.to_i64() {
        Some(count) => (length as u64).saturating_mul(count.max(0).unsigned_abs()) <= most,
        None => length == 0 || count.is_negative(),
    };
    let is_zero = |literal: &Literal| match literal {
        Literal::Float(value) => *value == 0.0,
        Literal::Complex { real, imag } => *real == 0.0 && *imag == 0.0,
        other => integer(other).is_some_and(|value| value.digits().is_empty()),
    };
    let float = |literal: &Literal| match literal {
        Literal::Float(value) => Some(*value),
        other => integer(other)?.to_i64().map(|value| value as f64),
    };
    let overflows = |base: &Literal, power: &Literal| {
        float(base).zip(float(power)).is_some_and(|(base, power)| !base.powf(power).is_finite())
    };
    match (op, integer(left), integer(right)) {
        (BinaryOp::MatrixMultiply, ..) => false,
        (BinaryOp::TrueDivide, ..) => number(left) && number(right) && !is_zero(right),
        (BinaryOp::FloorDivide | BinaryOp::Remainder, ..) => real(left) && real(right) && !is_zero(right),
        (BinaryOp::Multiply, Some(a), Some(b)) => bits(&a) + bits(&b) <= MOST_BITS,
        (BinaryOp::Power, Some(a), Some(b)) => {
            let fits = |power: u64| bits(&a).saturating_mul(power) <= MOST_BITS;
            b.to_i64().is_some_and(|power| power <= 0 || fits(power.unsigned_abs()))
        }
        (BinaryOp::LeftShift, Some(a), Some(b)) => {
            let fits = |shift: u64| bits(&a).saturating_add(shift) <= MOST_BITS;
            b.to_i64().is_some_and(|shift| shift >= 0 && fits(shift.unsigned_abs()))
        }
        (BinaryOp::RightShift, Some(_), Some(b)) => !b.is_negative(),
        (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, Some(_), Some(_)) => true,
        (BinaryOp::Add, ..) if !number(left) => {
            std::mem::discriminant(left) == std::mem::discriminant(right)
                && matches!(left, Literal::Str(_) | Literal::Bytes(_) | Literal::Tuple(_))
        }
        (BinaryOp::Multiply, a, b) if a.is_some() != b.is_some() && !(number(left) && number(right)) => {
            let Some(count) = a.clone().or(b) else { return false };
            match if a.is_some() { right } else { left } {
                Literal::Str(text) => repeated(text.as_wtf8().len(), LONGEST_STRING, &count),
                Literal::Bytes(bytes) => repeated(bytes.len(), LONGEST_STRING, &count),
                Literal::Tuple(items) => repeated(items.len(), LONGEST_TUPLE, &count),
                _ => false,
            }
        }
        // A power of zero may be infinite, and that of a float too large.
        (BinaryOp::Power, ..) => number(left) && number(right) && !is_zero(left) && !overflows(left, right),
        (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, ..) => number(left) && number(right),
        _ => false,
    }
}

/// Whether the compiler folds `value[index]`.
fn folds_subscript(value: &Expr, index: &Expr) -> bool {
    let (ExprKind::Literal(value), ExprKind::Literal(index)) = (&value.kind, &index.kind) else {
        return false;
    };
    let length = match value {
        Literal::Str(text) => text.code_points().count(),
        Literal::Bytes(bytes) => bytes.len(),
        Literal::Tuple(items) => items.len(),
        _ => return false,
    };
    let index = match index {
        Literal::Int(value) => value.to_i64(),
        Literal::Bool(value) => Some(i64::from(*value)),
        _ => None,
    };
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    index.is_some_and(|index| (-length..length).contains(&index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(value: Literal) -> Expr {
        Expr::new(depyf_syntax::ast::Origin::NONE, ExprKind::Literal(value))
    }

    fn int(value: i64) -> Expr {
        literal(Literal::Int(value.into()))
    }

    fn text(text: &str) -> Expr {
        literal(Literal::Str(text.into()))
    }

    #[test]
    fn what_the_compiler_folds_is_known() {
        let folds = |op, left: &Expr, right: &Expr| folds_binary(op, left, right);
        assert!(folds(BinaryOp::Add, &int(1), &int(2)) && folds(BinaryOp::Add, &text("a"), &text("b")));
        assert!(
            folds(BinaryOp::Multiply, &text("ab"), &int(2048)) && folds(BinaryOp::Power, &int(2), &int(64))
        );
        assert!(
            folds(BinaryOp::LeftShift, &int(1), &int(127)) && folds(BinaryOp::FloorDivide, &int(1), &int(2))
        );
        let folded = [literal(Literal::Bool(true)), literal(Literal::Float(1.5))];
        assert!(folds(BinaryOp::Subtract, &folded[0], &folded[1]));
        assert!(folds_unary(UnaryOp::Negative, &folded[1]) && folds_unary(UnaryOp::Not, &text("a")));
        assert!(folds_subscript(&text("ab"), &int(-2)));
    }

    #[test]
    fn a_constant_is_kept_while_statements_are_left() {
        let kept = |ops: &[Op], regions: &[Region]| {
            let instruction = |(at, &op): (usize, &Op)| Instruction {
                op,
                offset: 2 * at as u32,
                line: Some(1),
                column: None,
                width: 0,
            };
            let all: Vec<Instruction> = ops.iter().enumerate().map(instruction).collect();
            is_kept(&all, regions, 0)
        };
        assert!(kept(&[Op::Const(0), Op::Swap(2), Op::Pop, Op::Return], &[]));
        assert!(
            !kept(&[Op::Const(0), Op::Return], &[]) && !kept(&[Op::Const(0), Op::Jump(2), Op::Return], &[])
        );
        assert!(!kept(&[Op::Copy(1), Op::Swap(2), Op::Return], &[]));
        // In a `try` only the value is protected.
        let around = |end| [Region { start: 0, end, handler: 2, depth: 0, lasti: false }];
        assert!(kept(&[Op::Const(0), Op::Return], &around(1)));
        assert!(!kept(&[Op::Const(0), Op::Return], &around(2)));
    }

    #[test]
    fn what_raises_or_is_large_is_left_to_the_program() {
        let folds = |op, left: &Expr, right: &Expr| folds_binary(op, left, right);
        assert!(!folds(BinaryOp::TrueDivide, &int(1), &int(0)) && !folds(BinaryOp::Add, &int(1), &text("b")));
        assert!(
            !folds(BinaryOp::Multiply, &text("ab"), &int(2049)) && !folds(BinaryOp::Power, &int(2), &int(65))
        );
        assert!(
            !folds(BinaryOp::LeftShift, &int(1), &int(128))
                && !folds(BinaryOp::Remainder, &text("a"), &int(1))
        );
        assert!(
            !folds(BinaryOp::MatrixMultiply, &int(1), &int(1)) && !folds(BinaryOp::Or, &int(1), &text("a"))
        );
        assert!(
            !folds_unary(UnaryOp::Negative, &text("a"))
                && !folds_unary(UnaryOp::Invert, &literal(Literal::Float(1.0)))
        );
        let complex = literal(Literal::Complex { real: 1.0, imag: 1.0 });
        assert!(
            !folds(BinaryOp::FloorDivide, &complex, &int(1))
                && folds(BinaryOp::TrueDivide, &complex, &int(1))
        );
        assert!(!folds(BinaryOp::Power, &literal(Literal::Float(0.0)), &complex));
        assert!(!folds(BinaryOp::Power, &literal(Literal::Float(1e200)), &int(2)));
        assert!(!folds_subscript(&text("ab"), &int(2)) && !folds_subscript(&int(1), &int(0)));
    }
}
