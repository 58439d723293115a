//! Numbers, spelled so that they evaluate to the identical value.

use depyf_value::PyInt;
use std::fmt::Write;

/// CPython refuses decimal literals of more than 4,300 digits; magnitudes below 2^14284 have at most
/// that many.
const DECIMAL_BITS: usize = 14_284;

/// Writes an integer: decimal where CPython reads it back, else hexadecimal.
pub(crate) fn write_int(text: &mut String, value: &PyInt) {
    if let Some(small) = value.to_i64() {
        return write_small(text, small);
    }
    if value.is_negative() {
        text.push('-');
    }
    if value.digits().len() * PyInt::DIGIT_BITS as usize <= DECIMAL_BITS {
        text.push_str(&value.to_decimal());
    } else {
        text.push_str("0x");
        text.push_str(&value.to_hex());
    }
}

/// Writes an integer as `{}` does, which takes ten times as long.
fn write_small(text: &mut String, value: i64) {
    let mut digits = [b'0'; 20];
    let (mut rest, mut first) = (value.unsigned_abs(), digits.len());
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit += (rest % 10) as u8;
        (rest, first) = (rest / 10, at);
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        text.push('-');
    }
    text.extend(digits[first..].iter().map(|&digit| char::from(digit)));
}

/// The NaN that the compiler folds `1e309 - 1e309` to. Which sign it has is the processor's choice.
fn difference_of_infinities() -> f64 {
    let [left, right] = std::hint::black_box([f64::INFINITY; 2]);
    left - right
}

/// Whether an expression that the compiler folds gives this NaN, sign and payload: there is one of each sign.
///
/// # Example
///
/// ```
/// assert!(depyf_syntax::is_plain_nan(-f64::NAN));
/// assert!(!depyf_syntax::is_plain_nan(f64::from_bits(0x7ff8_0000_0000_0001)));
/// ```
pub fn is_plain_nan(value: f64) -> bool {
    let made = difference_of_infinities().to_bits();
    value.to_bits() == made || (-value).to_bits() == made
}

/// Writes a float as `repr` does; infinity as a literal that overflows, NaN as the difference of two,
/// which the compiler folds.
pub(crate) fn write_float(text: &mut String, value: f64) {
    if value.is_nan() {
        let turned = value.is_sign_negative() != difference_of_infinities().is_sign_negative();
        text.push_str(if turned { "(-(1e309 - 1e309))" } else { "(1e309 - 1e309)" });
        return;
    }
    if value.is_sign_negative() {
        text.push('-');
    }
    write_magnitude(text, value.abs());
    if value.fract() == 0.0 && value.abs() < 1e16 {
        text.push_str(".0");
    }
}

/// Digits of a float without a sign; whole numbers have no point.
fn write_magnitude(text: &mut String, value: f64) {
    if value.is_infinite() {
        text.push_str("1e309");
    } else if value == 0.0 || (1e-4..1e16).contains(&value) {
        let _ = write!(text, "{value}");
    } else {
        let start = text.len();
        let _ = write!(text, "{value:e}");
        // Python writes the exponent with a sign and at least two digits.
        if let Some(at) = text[start..].find('e').map(|at| start + at + 1) {
            let exponent = text.split_off(at);
            let (sign, digits) =
                exponent.strip_prefix('-').map_or(('+', exponent.as_str()), |digits| ('-', digits));
            let _ = write!(text, "{sign}{digits:0>2}");
        }
    }
}

fn write_imaginary(text: &mut String, value: f64) {
    write_magnitude(text, value);
    text.push('j');
}

/// Writes a complex number whose imaginary part is NaN. The difference of two imaginary infinities has the real part
/// 0.0, its negation -0.0, and neither changes what it is added to.
fn write_imaginary_nan(text: &mut String, real: f64, imag: f64) {
    let turned = imag.is_sign_negative() != difference_of_infinities().is_sign_negative();
    text.push('(');
    match (real == 0.0, real.is_sign_negative(), turned) {
        (true, false, false) => text.push_str("1e309j - 1e309j"),
        (true, true, true) => text.push_str("-(1e309j - 1e309j)"),
        // What is negated has the signs that it should not have.
        (true, true, false) => text.push_str("-(0.0+-(1e309j - 1e309j))"),
        (_, _, turned) => {
            write_float(text, real);
            text.push_str(if turned { "+-(1e309j - 1e309j)" } else { "+(1e309j - 1e309j)" });
        }
    }
    text.push(')');
}

/// Writes a complex number: an atom, in parentheses unless it is purely imaginary.
///
/// Signed zeros decide the form: up to 3.13 `x + yj` first makes `x` complex, so that `-0.0 + 1j` and
/// `1 - 0j` lose a sign; from 3.14 on they keep it. The forms chosen give the same value in both.
pub(crate) fn write_complex(text: &mut String, real: f64, imag: f64) {
    if imag.is_nan() {
        return write_imaginary_nan(text, real, imag);
    }
    let negative = imag.is_sign_negative();
    if !negative && real == 0.0 && real.is_sign_positive() {
        write_imaginary(text, imag);
        return;
    }
    text.push('(');
    write_sum(text, real, imag, negative);
    text.push(')');
}

/// Writes the complex number of a pattern, which is nothing but `-x`, `x + yj` or `x - yj`.
///
/// A zero whose sign that form loses up to 3.13 cannot come from a pattern of those versions.
pub(crate) fn write_complex_bare(text: &mut String, real: f64, imag: f64) {
    let negative = imag.is_sign_negative();
    if real == 0.0 && real.is_sign_negative() == negative {
        text.push_str(if negative { "-" } else { "" });
    } else {
        write_float(text, real);
        text.push(if negative { '-' } else { '+' });
    }
    write_imaginary(text, imag.abs());
}

fn write_sum(text: &mut String, real: f64, imag: f64, negative: bool) {
    let real_is_negative_zero = real == 0.0 && real.is_sign_negative();
    if negative && imag != 0.0 {
        if real_is_negative_zero {
            text.push('-');
        } else {
            write_float(text, real);
            text.push('-');
        }
        write_imaginary(text, -imag);
    } else if negative {
        // The imaginary part is -0.0.
        if real_is_negative_zero {
            text.push_str("-0j");
        } else if real == 0.0 {
            text.push_str("-0j * (1+0j)");
        } else {
            text.push_str("-(");
            write_float(text, -real);
            text.push_str("+0j)");
        }
    } else if real_is_negative_zero {
        if imag == 0.0 {
            text.push_str("-(-0j * (1+0j))");
        } else {
            text.push_str("-(0.0-");
            write_imaginary(text, imag);
            text.push(')');
        }
    } else {
        write_float(text, real);
        text.push('+');
        write_imaginary(text, imag);
    }
}

#[cfg(test)]
mod tests {
    use super::{write_complex, write_complex_bare, write_float, write_int};
    use depyf_value::PyInt;

    fn float(value: f64) -> String {
        let mut text = String::new();
        write_float(&mut text, value);
        text
    }

    #[test]
    fn a_pattern_holds_a_plain_sum() {
        let bare = |real: f64, imag: f64| {
            let mut text = String::new();
            write_complex_bare(&mut text, real, imag);
            text
        };
        assert_eq!(bare(0.0, 2.0), "2j");
        assert_eq!(bare(-0.0, -2.0), "-2j");
        assert_eq!(bare(0.0, -0.0), "0.0-0j");
        assert_eq!(bare(-0.0, 1.0), "-0.0+1j");
        assert_eq!(bare(1.0, -0.0), "1.0-0j");
        assert_eq!(bare(-1.5, -2.5), "-1.5-2.5j");
    }

    fn complex(real: f64, imag: f64) -> String {
        let mut text = String::new();
        write_complex(&mut text, real, imag);
        text
    }

    #[test]
    fn floats_read_as_python_prints_them() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (5e-324, "5e-324"),
            (f64::NEG_INFINITY, "-1e309"),
        ] {
            assert_eq!(float(value), expected);
        }
    }

    #[test]
    fn a_nan_keeps_its_sign_and_what_else_has_one_is_told() {
        let made = super::difference_of_infinities();
        assert_eq!(float(made), "(1e309 - 1e309)");
        assert_eq!(float(-made), "(-(1e309 - 1e309))");
        assert_eq!(complex(0.0, made), "(1e309j - 1e309j)");
        assert_eq!(complex(-0.0, -made), "(-(1e309j - 1e309j))");
        assert_eq!(complex(1.0, -made), "(1.0+-(1e309j - 1e309j))");
        assert_eq!(complex(-made, made), "((-(1e309 - 1e309))+(1e309j - 1e309j))");
        assert!(super::is_plain_nan(made) && super::is_plain_nan(-made));
        assert!(!super::is_plain_nan(f64::from_bits(made.to_bits() | 1)));
    }

    #[test]
    fn zeros_of_complex_numbers_keep_their_signs() {
        assert_eq!(complex(0.0, 2.0), "2j");
        assert_eq!(complex(-0.0, -2.0), "(-2j)");
        assert_eq!(complex(1.0, -2.5), "(1.0-2.5j)");
        assert_eq!(complex(-0.0, 1.0), "(-(0.0-1j))");
        assert_eq!(complex(1.0, -0.0), "(-(-1.0+0j))");
    }

    #[test]
    fn long_integers_turn_hexadecimal() {
        let mut text = String::new();
        write_int(&mut text, &PyInt::from(-12));
        assert_eq!(text, "-12");
        text.clear();
        let long = PyInt::from_hex(false, &"f".repeat(4000)).expect("hexadecimal");
        write_int(&mut text, &long);
        assert_eq!(text, format!("0x{}", "f".repeat(4000)));
    }
}
