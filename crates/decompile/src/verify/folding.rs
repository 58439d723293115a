//! What the compiler computes: operators on constants.
//!
//! Only results that every version gives without an exception are computed; both sides are treated alike, so
//! computing more than a compiler does is no error.

use depyf_bytecode::{BinaryOp, UnaryOp};
use depyf_value::PyInt;

use super::terms::{Atom, Kind, Term, Terms};

/// Integers beyond this are not computed.
const LARGEST: i128 = 1 << 62;

impl Terms {
    /// Whether a term is a constant, or a tuple of such.
    pub(super) fn is_constant(&self, term: Term) -> bool {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            match self.kind(term) {
                Kind::Constant => {}
                Kind::Tuple => work.extend(self.children(term)),
                _ => return false,
            }
        }
        true
    }

    /// The truth of a term where its type and value decide it without running any code.
    pub(super) fn truth(&self, term: Term) -> Option<bool> {
        match self.kind(term) {
            Kind::Constant => Some(match self.as_atom(term)? {
                Atom::None => false,
                Atom::Bool(value) => *value,
                Atom::Ellipsis => true,
                Atom::Int(value) => !value.digits().is_empty(),
                Atom::Float(bits) => f64::from_bits(*bits) != 0.0,
                Atom::Complex(real, imaginary) => {
                    f64::from_bits(*real) != 0.0 || f64::from_bits(*imaginary) != 0.0
                }
                Atom::Str(text) => !text.is_empty(),
                Atom::Bytes(bytes) => !bytes.is_empty(),
                Atom::Opaque(_) => return None,
            }),
            Kind::Tuple => {
                let items = self.children(term);
                let known = items.iter().any(|&item| self.kind(item) != Kind::Star);
                (known || items.is_empty()).then_some(known)
            }
            Kind::FrozenSet => Some(!self.children(term).is_empty()),
            Kind::BuildClass | Kind::Cell | Kind::Slice | Kind::Code => Some(true),
            _ => None,
        }
    }

    /// `op operand`
    pub(super) fn fold_unary(&mut self, op: UnaryOp, operand: Term) -> Option<Term> {
        let negated = |bits: u64| (-f64::from_bits(bits)).to_bits();
        let atom = match (op, self.as_atom(operand)?) {
            (UnaryOp::Negative, Atom::Int(value)) => {
                Atom::Int(PyInt::from_digits(!value.is_negative(), value.digits().to_vec())?)
            }
            (UnaryOp::Negative, Atom::Float(bits)) => Atom::Float(negated(*bits)),
            (UnaryOp::Negative, Atom::Complex(real, imaginary)) => {
                Atom::Complex(negated(*real), negated(*imaginary))
            }
            (UnaryOp::Positive, value @ (Atom::Int(_) | Atom::Float(_) | Atom::Complex(..))) => value.clone(),
            (UnaryOp::Negative, Atom::Bool(value)) => Atom::Int((-i64::from(*value)).into()),
            (UnaryOp::Positive, Atom::Bool(value)) => Atom::Int(i64::from(*value).into()),
            (UnaryOp::Invert, Atom::Int(value)) => Atom::Int((!value.to_i64()?).into()),
            (UnaryOp::Not, _) => Atom::Bool(!self.truth(operand)?),
            _ => return None,
        };
        Some(self.atom(atom))
    }

    /// `left op right`
    pub(super) fn fold_binary(&mut self, op: BinaryOp, left: Term, right: Term) -> Option<Term> {
        if op == BinaryOp::Add && self.kind(left) == Kind::Tuple && self.kind(right) == Kind::Tuple {
            let items = [self.children(left), self.children(right)].concat();
            return Some(self.make(Kind::Tuple, 0, &items));
        }
        if let (BinaryOp::Multiply, Kind::Tuple, Some(Atom::Int(count))) =
            (op, self.kind(left), self.as_atom(right))
        {
            let count = usize::try_from(count.to_i64()?.max(0)).ok()?;
            let items = self.children(left).to_vec();
            let fits = items.len().checked_mul(count).is_some_and(|length| length <= 256);
            return fits.then(|| self.make(Kind::Tuple, 0, &items.repeat(count)));
        }
        let atom = match (self.as_atom(left)?, self.as_atom(right)?) {
            (Atom::Str(text), Atom::Int(count)) | (Atom::Int(count), Atom::Str(text))
                if op == BinaryOp::Multiply =>
            {
                let repeated = repeated(text.as_wtf8(), count.to_i64()?)?;
                Atom::Str(depyf_value::PyStr::from_wtf8(&repeated)?)
            }
            (Atom::Bytes(bytes), Atom::Int(count)) | (Atom::Int(count), Atom::Bytes(bytes))
                if op == BinaryOp::Multiply =>
            {
                Atom::Bytes(repeated(bytes, count.to_i64()?)?.into())
            }
            (Atom::Str(a), Atom::Str(b)) if op == BinaryOp::Add => {
                let joined = [a.as_wtf8(), b.as_wtf8()].concat();
                Atom::Str(depyf_value::PyStr::from_wtf8(&joined)?)
            }
            (Atom::Bytes(a), Atom::Bytes(b)) if op == BinaryOp::Add => {
                Atom::Bytes([&a[..], &b[..]].concat().into())
            }
            (a, b) => match (Number::of(a)?, Number::of(b)?) {
                (Number::Int(a), Number::Int(b)) => integers(op, a, b)?,
                (Number::Complex(a), b) => complexes(op, (Some(a.0), a.1), b.parts())?,
                (a, Number::Complex(b)) => complexes(op, a.parts(), (Some(b.0), b.1))?,
                (a, b) => floats(op, a.float(), b.float())?,
            },
        };
        Some(self.atom(atom))
    }
}

/// Text that is repeated, up to what compilers compute.
fn repeated(text: &[u8], count: i64) -> Option<Vec<u8>> {
    let count = usize::try_from(count.max(0)).ok()?;
    let fits = text.len().checked_mul(count).is_some_and(|length| length <= 4 * 4096);
    fits.then(|| text.repeat(count))
}

/// A constant number.
#[derive(Clone, Copy)]
enum Number {
    Int(i128),
    Float(f64),
    Complex((f64, f64)),
}

impl Number {
    fn of(atom: &Atom) -> Option<Self> {
        Some(match atom {
            Atom::Int(value) => Self::Int(i128::from(value.to_i64()?)),
            Atom::Bool(value) => Self::Int(i128::from(*value)),
            Atom::Float(bits) => Self::Float(f64::from_bits(*bits)),
            Atom::Complex(real, imaginary) => {
                Self::Complex((f64::from_bits(*real), f64::from_bits(*imaginary)))
            }
            _ => return None,
        })
    }

    fn float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
            Self::Complex((real, _)) => real,
        }
    }

    fn parts(self) -> (Option<f64>, f64) {
        match self {
            // Above this an integer has no exact float, and CPython may refuse it.
            Self::Int(value) => ((value.abs() < 1 << 53).then_some(value as f64), 0.0),
            Self::Float(value) => (Some(value), 0.0),
            Self::Complex((real, imaginary)) => (Some(real), imaginary),
        }
    }
}

fn integers(op: BinaryOp, a: i128, b: i128) -> Option<Atom> {
    let value = match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Subtract => a.checked_sub(b)?,
        BinaryOp::Multiply => a.checked_mul(b)?,
        BinaryOp::FloorDivide if b != 0 => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
        BinaryOp::Remainder if b != 0 => {
            let rest = a.rem_euclid(b);
            if b < 0 && rest != 0 { rest + b } else { rest }
        }
        BinaryOp::TrueDivide if b != 0 && a.abs() < 1 << 53 && b.abs() < 1 << 53 => {
            return Some(Atom::Float((a as f64 / b as f64).to_bits()));
        }
        BinaryOp::Power if (0..128).contains(&b) => a.checked_pow(u32::try_from(b).ok()?)?,
        BinaryOp::LeftShift if (0..100).contains(&b) => a.checked_mul(1_i128.checked_shl(b as u32)?)?,
        BinaryOp::RightShift if (0..100).contains(&b) => a >> b,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return None,
    };
    (value.abs() <= LARGEST).then(|| Atom::Int((value as i64).into()))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Option<Atom> {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::TrueDivide if b != 0.0 => a / b,
        _ => return None,
    };
    Some(Atom::Float(value.to_bits()))
}

/// Only what source writes complex constants with: `1+2j`, `1-2j`.
fn complexes(op: BinaryOp, a: (Option<f64>, f64), b: (Option<f64>, f64)) -> Option<Atom> {
    let (real, imaginary) = match op {
        BinaryOp::Add => (a.0? + b.0?, a.1 + b.1),
        BinaryOp::Subtract => (a.0? - b.0?, a.1 - b.1),
        _ => return None,
    };
    Some(Atom::Complex(real.to_bits(), imaginary.to_bits()))
}
