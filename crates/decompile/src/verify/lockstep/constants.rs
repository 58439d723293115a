//! Constants of both sides.

use depyf_bytecode::{CommonConst, Const, Op, UnaryOp};
use depyf_value::PyInt;

use super::super::side::Nested;
use super::{Lockstep, Place};
use crate::lower::LoweredConst;

/// Constants nested deeper than this are left to the full comparison.
const DEEPEST: u32 = 20;

/// How many values a constant holds.
#[inline]
pub(super) fn size(value: &Const) -> usize {
    match value {
        Const::Tuple(items) | Const::FrozenSet(items) => size_of_all(items),
        Const::Slice(items) => size_of_all(&items[..]),
        _ => 1,
    }
}

fn size_of_all(items: &[Const]) -> usize {
    1 + items.iter().map(size).sum::<usize>()
}

impl<'a> Lockstep<'a, '_> {
    /// Whether two constants are the same value, or the same code was found behind both before.
    #[inline]
    pub(super) fn equal_constants(&mut self, place: &Place, a: u32, b: u32) -> bool {
        // To 3.10 one constant may be copied to be several arguments.
        let copied = Some(Op::Copy(1));
        if self.features.six_value_handlers && self.original.op(place.original + 1) == copied {
            return false;
        }
        if self.memory.consts.get(a as usize) == Some(&b) {
            return true;
        }
        let (code, lowered) = (self.code, self.lowered);
        match (code.consts.get(a as usize), lowered.consts.get(b as usize)) {
            (Some(value), Some(LoweredConst::Value(other))) => self.is_same(value, other, 0),
            _ => false,
        }
    }

    /// Where the source goes on that pushes the constant which the original's operation pushes.
    pub(super) fn constant(&mut self, op: Op, at: u32) -> Option<u32> {
        let value = match op {
            Op::Const(index) => return self.co_const(index, at),
            Op::SmallInt(value) => Const::Int(PyInt::from(i64::from(value))),
            Op::Common(CommonConst::None) => Const::None,
            Op::Common(CommonConst::True) => Const::Bool(true),
            Op::Common(CommonConst::False) => Const::Bool(false),
            Op::Common(CommonConst::EmptyStr) => Const::Str("".into()),
            Op::Common(CommonConst::MinusOne) => Const::Int(PyInt::from(-1)),
            _ => return (self.source.op(at) == Some(op)).then_some(at + 1),
        };
        self.pushes(&value, at, 0)
    }

    fn co_const(&mut self, index: u32, at: u32) -> Option<u32> {
        let code: &'a depyf_bytecode::CodeObject = self.code;
        let value = code.consts.get(index as usize)?;
        let Some(Op::Const(other)) = self.source.op(at) else { return self.pushes(value, at, 0) };
        if self.memory.consts[index as usize] == other {
            return Some(at + 1);
        }
        if let (Const::Code(first), LoweredConst::Code(second)) =
            (value, self.lowered.consts.get(other as usize)?)
        {
            let [a, b] = crate::verify::headers(Nested::Code(first), Nested::Lowered(second));
            if a != b {
                return None;
            }
            self.nested.push((index, other));
        } else {
            let next = self.pushes(value, at, 0)?;
            if next != at + 1 {
                return Some(next);
            }
        }
        self.memory.consts[index as usize] = other;
        Some(at + 1)
    }

    /// Where the source goes on that pushes `value`, computing it if need be, from `at` on.
    pub(super) fn pushes(&mut self, value: &Const, at: u32, depth: u32) -> Option<u32> {
        self.spend()?;
        let at = self.source.skip_nops(at);
        let lowered = self.lowered;
        if let Op::Const(index) = self.source.op(at)?
            && let LoweredConst::Value(other) = lowered.consts.get(index as usize)?
            && self.is_same(value, other, 0)
        {
            return Some(at + 1);
        }
        if depth > DEEPEST {
            return None;
        }
        let positive = match value {
            Const::Tuple(items) => {
                let end = self.push_all(items, at, depth)?;
                let made = self.source.op(end) == Some(Op::BuildTuple(items.len() as u32));
                return made.then_some(end + 1);
            }
            Const::Slice(parts) => {
                let [start, stop, step] = &**parts;
                let end = self.push_all(&[start.clone(), stop.clone()], at, depth)?;
                if self.source.op(end) == Some(Op::BuildSlice(2)) && *step == Const::None {
                    return Some(end + 1);
                }
                let end = self.push_all(std::slice::from_ref(step), end, depth)?;
                return (self.source.op(end) == Some(Op::BuildSlice(3))).then_some(end + 1);
            }
            Const::Int(value) if value.is_negative() => Const::Int(value.magnitude()),
            Const::Float(value) if value.is_sign_negative() => Const::Float(-value),
            _ => return None,
        };
        let end = self.pushes(&positive, at, DEEPEST + 1)?;
        let end = self.source.skip_nops(end);
        (self.source.op(end) == Some(Op::Unary(UnaryOp::Negative))).then_some(end + 1)
    }

    /// As [`Lockstep::pushes`], for values one above the other; nothing but `Nop`s lies behind the last.
    pub(super) fn push_all(&mut self, values: &[Const], mut at: u32, depth: u32) -> Option<u32> {
        for value in values {
            at = self.pushes(value, at, depth + 1)?;
        }
        Some(self.source.skip_nops(at))
    }

    /// Whether two constants are the same value of the same type.
    fn is_same(&mut self, a: &Const, b: &Const, depth: u32) -> bool {
        let items = match (a, b) {
            (Const::None, Const::None) | (Const::Ellipsis, Const::Ellipsis) => return true,
            (Const::Bool(a), Const::Bool(b)) => return a == b,
            (Const::Int(a), Const::Int(b)) => return a == b,
            (Const::Float(a), Const::Float(b)) => return a.to_bits() == b.to_bits(),
            (Const::Complex(a, x), Const::Complex(b, y)) => {
                return a.to_bits() == b.to_bits() && x.to_bits() == y.to_bits();
            }
            (Const::Str(a), Const::Str(b)) => return a == b,
            (Const::Bytes(a), Const::Bytes(b)) => return a == b,
            (Const::Opaque(a), Const::Opaque(b)) => return a.name == b.name,
            // Of a frozenset the order does not matter, but that is for the full comparison.
            (Const::Tuple(a), Const::Tuple(b)) | (Const::FrozenSet(a), Const::FrozenSet(b)) => {
                (&a[..], &b[..])
            }
            (Const::Slice(a), Const::Slice(b)) => (&a[..], &b[..]),
            _ => return false,
        };
        items.0.len() == items.1.len()
            && depth <= DEEPEST
            && items
                .0
                .iter()
                .zip(items.1)
                .all(|(a, b)| self.spend().is_some() && self.is_same(a, b, depth + 1))
    }
}
