//! Python's operators on constant numbers, as the compiler computes them (CPython `Objects/longobject.c`,
//! `floatobject.c`, `complexobject.c`).

use depyf_bytecode::{BinaryOp, UnaryOp};
use depyf_value::PyInt;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{FromPrimitive, ToPrimitive};

use super::terms::Atom;

/// Integers of more bits are not computed. Compilers stop at 128 bits where an operator could make them longer.
const MOST_BITS: u64 = 4096;

/// What a real operand of an operator is that has a complex one, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mixing {
    /// A complex number whose imaginary part is zero (to 3.13).
    Converts,
    /// Itself, without an imaginary part (3.14 and later).
    StaysReal,
}

/// A constant number.
enum Number {
    Int(BigInt),
    Float(f64),
    Complex(f64, f64),
}

/// `op operand`
pub(super) fn unary(op: UnaryOp, operand: &Atom) -> Option<Atom> {
    // A sign takes no arithmetic, so the integer may be of any length.
    if let (UnaryOp::Negative | UnaryOp::Positive, Atom::Int(value)) = (op, operand) {
        let negative = value.is_negative() != (op == UnaryOp::Negative);
        return PyInt::from_digits(negative, value.digits().to_vec()).map(Atom::Int);
    }
    let number = match (op, Number::of(operand)?) {
        (UnaryOp::Positive, number) => number,
        (UnaryOp::Negative, Number::Int(value)) => Number::Int(-value),
        (UnaryOp::Negative, Number::Float(value)) => Number::Float(-value),
        (UnaryOp::Negative, Number::Complex(real, imaginary)) => Number::Complex(-real, -imaginary),
        (UnaryOp::Invert, Number::Int(value)) => Number::Int(!value),
        _ => return None,
    };
    Some(number.into_atom())
}

/// `left op right`; `None` where it raises, or is not computed.
pub(super) fn binary(op: BinaryOp, left: &Atom, right: &Atom, mixing: Mixing) -> Option<Atom> {
    if let (&Atom::Bool(a), &Atom::Bool(b)) = (left, right) {
        match op {
            BinaryOp::And => return Some(Atom::Bool(a & b)),
            BinaryOp::Or => return Some(Atom::Bool(a | b)),
            BinaryOp::Xor => return Some(Atom::Bool(a ^ b)),
            _ => {}
        }
    }
    // A power is that of complex numbers in all versions.
    let mixing = if op == BinaryOp::Power { Mixing::Converts } else { mixing };
    let number = match (Number::of(left)?, Number::of(right)?) {
        (Number::Int(a), Number::Int(b)) => integers(op, &a, &b)?,
        (Number::Complex(a, b), Number::Complex(c, d)) => complexes(op, (a, b), (c, d), mixing)?,
        (Number::Complex(a, b), right) => match mixing {
            Mixing::Converts => complexes(op, (a, b), (right.real()?, 0.0), mixing)?,
            Mixing::StaysReal => complex_and_real(op, (a, b), right.real()?)?,
        },
        (left, Number::Complex(c, d)) => match mixing {
            Mixing::Converts => complexes(op, (left.real()?, 0.0), (c, d), mixing)?,
            Mixing::StaysReal => real_and_complex(op, left.real()?, (c, d))?,
        },
        (left, right) => floats(op, left.real()?, right.real()?)?,
    };
    Some(number.into_atom())
}

/// The integer that equals a number of any type.
pub(super) fn as_integer(atom: &Atom) -> Option<Atom> {
    let value = match Number::of(atom)? {
        Number::Int(value) => value,
        Number::Float(value) | Number::Complex(value, 0.0) if value.fract() == 0.0 => {
            BigInt::from_f64(value)?
        }
        Number::Float(_) | Number::Complex(..) => return None,
    };
    Some(Atom::Int(small(&value)))
}

impl Number {
    fn of(atom: &Atom) -> Option<Self> {
        Some(match atom {
            Atom::Int(value) => Self::Int(big(value)?),
            Atom::Bool(value) => Self::Int(u8::from(*value).into()),
            Atom::Float(bits) => Self::Float(f64::from_bits(*bits)),
            Atom::Complex(real, imaginary) => {
                Self::Complex(f64::from_bits(*real), f64::from_bits(*imaginary))
            }
            _ => return None,
        })
    }

    fn into_atom(self) -> Atom {
        match self {
            Self::Int(value) => Atom::Int(small(&value)),
            Self::Float(value) => Atom::Float(value.to_bits()),
            Self::Complex(real, imaginary) => Atom::Complex(real.to_bits(), imaginary.to_bits()),
        }
    }

    /// The number as a float; `None` where there is none.
    fn real(&self) -> Option<f64> {
        match self {
            Self::Int(value) => value.to_f64().filter(|value| value.is_finite()),
            Self::Float(value) => Some(*value),
            Self::Complex(..) => None,
        }
    }
}

/// `None` where the integer is too long to be computed with.
fn big(value: &PyInt) -> Option<BigInt> {
    let digits = value.digits();
    if digits.len() as u64 * u64::from(PyInt::DIGIT_BITS) > MOST_BITS {
        return None;
    }
    let magnitude = digits.iter().rev().fold(BigUint::ZERO, |sum, &digit| (sum << PyInt::DIGIT_BITS) + digit);
    Some(BigInt::from_biguint(if value.is_negative() { Sign::Minus } else { Sign::Plus }, magnitude))
}

fn small(value: &BigInt) -> PyInt {
    let hexadecimal = value.magnitude().to_str_radix(16);
    PyInt::from_hex(value.sign() == Sign::Minus, &hexadecimal)
        .unwrap_or_else(|| unreachable!("hexadecimal digits"))
}

fn integers(op: BinaryOp, a: &BigInt, b: &BigInt) -> Option<Number> {
    let fits = |bits: u64| (bits <= MOST_BITS).then_some(());
    let is_zero = |value: &BigInt| value.sign() == Sign::NoSign;
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => {
            fits(a.bits() + b.bits())?;
            a * b
        }
        BinaryOp::FloorDivide if !is_zero(b) => floored(a, b).0,
        BinaryOp::Remainder if !is_zero(b) => floored(a, b).1,
        BinaryOp::TrueDivide if !is_zero(b) => return Some(Number::Float(divided(a, b)?)),
        BinaryOp::Power if b.sign() == Sign::Minus => return floats(op, a.to_f64()?, b.to_f64()?),
        BinaryOp::Power => {
            // Of 0, 1 and -1 only the parity matters.
            let exponent = match b.to_u32() {
                None if a.bits() <= 1 => 2 + u32::from(b.bit(0)),
                exponent => exponent?,
            };
            fits(a.bits() * u64::from(exponent))?;
            a.pow(exponent)
        }
        BinaryOp::LeftShift if is_zero(a) && b.sign() != Sign::Minus => a.clone(),
        BinaryOp::LeftShift => {
            let count = b.to_u64()?;
            fits(a.bits().checked_add(count)?)?;
            a << count
        }
        BinaryOp::RightShift if b.sign() != Sign::Minus => a >> b.to_u64().unwrap_or(u64::MAX),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return None,
    };
    Some(Number::Int(value))
}

/// Quotient and rest, which has the sign of the divisor.
fn floored(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (a / b, a % b);
    if rest.sign() != Sign::NoSign && rest.sign() != b.sign() {
        return (quotient - 1, rest + b);
    }
    (quotient, rest)
}

/// The float next to the quotient of two integers.
fn divided(a: &BigInt, b: &BigInt) -> Option<f64> {
    // So many bits that rounding the quotient depends only on whether there is a rest, which becomes its last bit. The
    // divisor then is no smaller than the least normal float allows.
    let shift = (66 + b.bits()).saturating_sub(a.bits());
    if shift > 960 {
        return None;
    }
    let dividend = a.magnitude() << shift;
    let (quotient, rest) = (&dividend / b.magnitude(), &dividend % b.magnitude());
    let sticky = if rest == BigUint::ZERO { quotient } else { quotient | BigUint::from(1_u8) };
    let value = sticky.to_f64()? / 2_f64.powi(shift as i32);
    let negative = (a.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    value.is_finite().then_some(if negative { -value } else { value })
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Option<Number> {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::TrueDivide if b != 0.0 => a / b,
        BinaryOp::FloorDivide if b != 0.0 => floored_floats(a, b).0,
        BinaryOp::Remainder if b != 0.0 => floored_floats(a, b).1,
        BinaryOp::Power => {
            let raises = a == 0.0 && b < 0.0;
            let is_complex = a < 0.0 && a.is_finite() && b.is_finite() && b.fract() != 0.0;
            let power = a.powf(b);
            let overflows = power.is_infinite() && a.is_finite() && b.is_finite();
            if raises || is_complex || overflows {
                return None;
            }
            power
        }
        _ => return None,
    };
    Some(Number::Float(value))
}

/// `_float_div_mod`: zeros take the sign of the divisor.
fn floored_floats(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0_f64.copysign(b);
    } else if (rest < 0.0) != (b < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (0_f64.copysign(a / b), rest);
    }
    let floor = quotient.floor();
    (if quotient - floor > 0.5 { floor + 1.0 } else { floor }, rest)
}

type Complex = (f64, f64);

fn complexes(op: BinaryOp, (a, b): Complex, (c, d): Complex, mixing: Mixing) -> Option<Number> {
    let (real, imaginary) = match op {
        BinaryOp::Add => (a + c, b + d),
        BinaryOp::Subtract => (a - c, b - d),
        BinaryOp::Multiply => product((a, b), (c, d)),
        BinaryOp::TrueDivide => quotient(a, Some(b), (c, d))?,
        BinaryOp::Power => power((a, b), (c, d))?,
        _ => return None,
    };
    // What 3.14 and later make of infinities is not computed.
    let is_plain = mixing == Mixing::Converts || matches!(op, BinaryOp::Add | BinaryOp::Subtract);
    if !is_plain && (real.is_nan() || imaginary.is_nan()) {
        return None;
    }
    Some(Number::Complex(real, imaginary))
}

fn complex_and_real(op: BinaryOp, (a, b): Complex, real: f64) -> Option<Number> {
    Some(match op {
        BinaryOp::Add => Number::Complex(a + real, b),
        BinaryOp::Subtract => Number::Complex(a - real, b),
        BinaryOp::Multiply => Number::Complex(a * real, b * real),
        BinaryOp::TrueDivide if real != 0.0 => Number::Complex(a / real, b / real),
        _ => return None,
    })
}

fn real_and_complex(op: BinaryOp, real: f64, (c, d): Complex) -> Option<Number> {
    Some(match op {
        BinaryOp::Add => Number::Complex(real + c, d),
        BinaryOp::Subtract => Number::Complex(real - c, -d),
        BinaryOp::Multiply => Number::Complex(real * c, real * d),
        BinaryOp::TrueDivide => {
            let (real, imaginary) = quotient(real, None, (c, d))?;
            if real.is_nan() || imaginary.is_nan() {
                return None;
            }
            Number::Complex(real, imaginary)
        }
        _ => return None,
    })
}

/// `(a + bi) / (c + di)` (`_Py_c_quot` and `_Py_rc_quot`): scaled by the larger part of the divisor.
fn quotient(a: f64, b: Option<f64>, (c, d): Complex) -> Option<Complex> {
    if c == 0.0 && d == 0.0 {
        return None;
    }
    if c.abs() >= d.abs() {
        let ratio = d / c;
        let divisor = c + d * ratio;
        let (real, imaginary) = b.map_or((a, -a * ratio), |b| (a + b * ratio, b - a * ratio));
        return Some((real / divisor, imaginary / divisor));
    }
    let ratio = c / d;
    let divisor = c * ratio + d;
    let (real, imaginary) = b.map_or((a * ratio, -a), |b| (a * ratio + b, b * ratio - a));
    Some((real / divisor, imaginary / divisor))
}

fn product((a, b): Complex, (c, d): Complex) -> Complex {
    (a * c - b * d, a * d + b * c)
}

/// `complex_pow`: by multiplications where the exponent is a small integer, else by logarithms.
fn power(base: Complex, (c, d): Complex) -> Option<Complex> {
    let found = if d == 0.0 && c.fract() == 0.0 && c.abs() <= 100.0 {
        let power = power_of_integer(base, c.abs() as u32);
        if c < 0.0 { quotient(1.0, Some(0.0), power)? } else { power }
    } else if base == (0.0, 0.0) {
        if d != 0.0 || c < 0.0 {
            return None;
        }
        (0.0, 0.0)
    } else {
        let (length, angle) = (base.0.hypot(base.1), base.1.atan2(base.0));
        let (mut scale, mut phase) = (length.powf(c), angle * c);
        if d != 0.0 {
            scale /= (angle * d).exp();
            phase += d * length.ln();
        }
        (scale * phase.cos(), scale * phase.sin())
    };
    (found.0.is_finite() && found.1.is_finite()).then_some(found)
}

fn power_of_integer(base: Complex, exponent: u32) -> Complex {
    let (mut found, mut square) = ((1.0, 0.0), base);
    let mut left = exponent;
    while left > 0 {
        if left & 1 != 0 {
            found = product(found, square);
        }
        square = product(square, square);
        left >>= 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(digits: &str) -> Atom {
        Atom::Int(small(&digits.parse().unwrap()))
    }

    #[test]
    fn integers_are_of_any_size_and_floored() {
        let found = |op, a: &str, b: &str| binary(op, &int(a), &int(b), Mixing::Converts);
        assert_eq!(found(BinaryOp::Power, "2", "128"), Some(int("340282366920938463463374607431768211456")));
        assert_eq!(found(BinaryOp::FloorDivide, "-7", "2"), Some(int("-4")));
        assert_eq!(found(BinaryOp::Remainder, "-7", "2"), Some(int("1")));
        assert_eq!(found(BinaryOp::Remainder, "7", "-2"), Some(int("-1")));
        assert_eq!(found(BinaryOp::RightShift, "-7", "99999999999999999999"), Some(int("-1")));
        for (op, a, b) in [
            (BinaryOp::Power, "3", "4096"),
            (BinaryOp::LeftShift, "1", "-1"),
            (BinaryOp::RightShift, "1", "-1"),
            (BinaryOp::LeftShift, "1", "99999999999999999999"),
            (BinaryOp::Remainder, "1", "0"),
        ] {
            assert_eq!(found(op, a, b), None, "{a} {b}");
        }
    }

    #[test]
    fn signs_are_those_of_integers_of_any_length() {
        let long = PyInt::from_hex(false, &"f".repeat(5000)).unwrap();
        let found = unary(UnaryOp::Negative, &Atom::Int(long.clone())).unwrap();
        assert_eq!(found, Atom::Int(PyInt::from_hex(true, &"f".repeat(5000)).unwrap()));
        assert_eq!(unary(UnaryOp::Negative, &found), Some(Atom::Int(long)));
        assert_eq!(unary(UnaryOp::Positive, &found), Some(found));
        assert_eq!(unary(UnaryOp::Negative, &Atom::Bool(true)), Some(int("-1")));
        assert_eq!(unary(UnaryOp::Invert, &int("18446744073709551615")), Some(int("-18446744073709551616")));
    }

    #[test]
    fn quotients_of_long_integers_are_rounded_once() {
        let quotient = |a: &str, b: &str| binary(BinaryOp::TrueDivide, &int(a), &int(b), Mixing::Converts);
        let float = |value: f64| Some(Atom::Float(value.to_bits()));
        assert_eq!(quotient("100000000000000000000", "3"), float(3.333_333_333_333_333e19));
        assert_eq!(quotient("9007199254740993", "2"), float(4_503_599_627_370_496.5));
        assert_eq!(quotient("-1", "9007199254740993"), float(-1.110_223_024_625_156_4e-16));
        assert_eq!(quotient("0", "-5"), float(-0.0));
    }

    #[test]
    fn a_real_operand_has_an_imaginary_part_to_3_13() {
        let zero = Atom::Complex(0, 0);
        let found = |mixing| binary(BinaryOp::Subtract, &int("1"), &zero, mixing);
        let complex = |imaginary: f64| Some(Atom::Complex(1_f64.to_bits(), imaginary.to_bits()));
        assert_eq!(found(Mixing::Converts), complex(0.0));
        assert_eq!(found(Mixing::StaysReal), complex(-0.0));
    }
}
