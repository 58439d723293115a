//! Python integers of any size.

use std::fmt;

/// A Python `int`, sign and magnitude.
///
/// The magnitude is a list of base-2^15 digits, least significant first and without leading zeros:
/// marshal's own layout (CPython `Python/marshal.c`, `w_PyLong`), so no arithmetic is needed to read one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyInt(Repr);

/// Digits that are kept without an allocation: those of 64 bits.
const FEW: usize = 5;

/// Each magnitude has one form, so that equal integers are equal.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// The digits behind `length` are zero.
    Few {
        negative: bool,
        length: u8,
        digits: [u16; FEW],
    },
    Many {
        negative: bool,
        digits: Box<[u16]>,
    },
}

impl PyInt {
    /// Bits in one digit.
    pub const DIGIT_BITS: u32 = 15;

    /// Makes an integer from marshal's digits; leading zeros are dropped.
    ///
    /// Returns `None` where a digit does not fit 15 bits.
    #[must_use]
    pub fn from_digits(negative: bool, mut digits: Vec<u16>) -> Option<Self> {
        if digits.iter().any(|digit| digit >> Self::DIGIT_BITS != 0) {
            return None;
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        if digits.len() > FEW {
            return Some(Self(Repr::Many { negative, digits: digits.into() }));
        }
        let mut few = [0; FEW];
        few[..digits.len()].copy_from_slice(&digits);
        Some(Self::few(negative, digits.len(), few))
    }

    fn few(negative: bool, length: usize, digits: [u16; FEW]) -> Self {
        Self(Repr::Few { negative: negative && length > 0, length: length as u8, digits })
    }

    /// Makes an integer from hexadecimal digits, most significant first, without prefix; `None` where
    /// a character is no hexadecimal digit.
    #[must_use]
    pub fn from_hex(negative: bool, text: &str) -> Option<Self> {
        let mut digits = Vec::with_capacity(text.len() * 4 / 15 + 1);
        let (mut pending, mut bits) = (0_u32, 0);
        for digit in text.bytes().rev() {
            pending |= char::from(digit).to_digit(16)? << bits;
            bits += 4;
            if bits >= Self::DIGIT_BITS {
                digits.push((pending & 0x7fff) as u16);
                pending >>= Self::DIGIT_BITS;
                bits -= Self::DIGIT_BITS;
            }
        }
        digits.push(pending as u16);
        Self::from_digits(negative, digits)
    }

    /// Whether the integer is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self.0 {
            Repr::Few { negative, .. } | Repr::Many { negative, .. } => negative,
        }
    }

    /// The integer without its sign.
    #[must_use]
    pub fn magnitude(&self) -> Self {
        let mut magnitude = self.clone();
        match &mut magnitude.0 {
            Repr::Few { negative, .. } | Repr::Many { negative, .. } => *negative = false,
        }
        magnitude
    }

    /// Base-2^15 digits of the magnitude, least significant first.
    #[must_use]
    pub fn digits(&self) -> &[u16] {
        match &self.0 {
            Repr::Few { length, digits, .. } => &digits[..usize::from(*length)],
            Repr::Many { digits, .. } => digits,
        }
    }

    /// The value where it fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        if self.digits().len() > FEW {
            return None;
        }
        let magnitude = self.digits().iter().rev().fold(0_i128, |sum, &digit| sum << 15 | i128::from(digit));
        i64::try_from(if self.is_negative() { -magnitude } else { magnitude }).ok()
    }

    /// Hexadecimal digits of the magnitude, without prefix or sign.
    #[must_use]
    pub fn to_hex(&self) -> String {
        let mut nibbles = Vec::with_capacity(self.digits().len() * 4 + 1);
        let (mut pending, mut bits) = (0_u32, 0);
        for &digit in self.digits() {
            pending |= u32::from(digit) << bits;
            bits += Self::DIGIT_BITS;
            while bits >= 4 {
                nibbles.push(char::from_digit(pending & 15, 16).unwrap_or('0'));
                pending >>= 4;
                bits -= 4;
            }
        }
        nibbles.push(char::from_digit(pending, 16).unwrap_or('0'));
        while nibbles.len() > 1 && nibbles.last() == Some(&'0') {
            nibbles.pop();
        }
        nibbles.iter().rev().collect()
    }

    /// Decimal digits of the magnitude, without sign. Quadratic in the number of digits, so the
    /// printer asks for it only up to 4,300 digits, CPython's own limit.
    #[must_use]
    pub fn to_decimal(&self) -> String {
        let mut rest: Vec<u32> = self.digits().iter().map(|&digit| u32::from(digit)).collect();
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let mut remainder = 0_u64;
            for digit in rest.iter_mut().rev() {
                let value = remainder << 15 | u64::from(*digit);
                *digit = (value / 1_000_000_000) as u32;
                remainder = value % 1_000_000_000;
            }
            while rest.last() == Some(&0) {
                rest.pop();
            }
            chunks.push(remainder);
        }
        let Some(first) = chunks.pop() else { return "0".to_owned() };
        let mut text = first.to_string();
        for chunk in chunks.iter().rev() {
            text.push_str(&format!("{chunk:09}"));
        }
        text
    }
}

impl From<i64> for PyInt {
    fn from(value: i64) -> Self {
        let mut magnitude = value.unsigned_abs();
        let (mut digits, mut length) = ([0; FEW], 0);
        while magnitude != 0 {
            digits[length] = (magnitude & 0x7fff) as u16;
            length += 1;
            magnitude >>= Self::DIGIT_BITS;
        }
        Self::few(value < 0, length, digits)
    }
}

impl fmt::Debug for PyInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, digits) = (self.is_negative(), self.digits());
        f.debug_struct("PyInt").field("negative", &negative).field("digits", &digits).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::PyInt;

    #[test]
    fn decimal_and_hex_agree_with_known_values() {
        let big = PyInt::from_hex(false, "de0b6b3a7640000").expect("hex");
        assert_eq!(big.to_decimal(), "1000000000000000000");
        assert_eq!(big.to_hex(), "de0b6b3a7640000");
        assert_eq!(PyInt::from(0).to_decimal(), "0");
        assert_eq!(PyInt::from(i64::MIN).to_i64(), Some(i64::MIN));
        assert_eq!(PyInt::from_hex(true, "0").expect("hex"), PyInt::from(0));
    }

    #[test]
    fn integers_of_all_lengths_keep_their_digits() {
        for length in 1..9 {
            let digits: Vec<u16> = (1..=length).collect();
            let value = PyInt::from_digits(true, digits.clone()).expect("digits");
            assert_eq!((value.digits(), value.is_negative()), (&digits[..], true));
            let zeros = [&digits[..], &[0, 0]].concat();
            assert_eq!(PyInt::from_digits(true, zeros).expect("digits"), value);
            assert_eq!(PyInt::from_digits(false, digits).expect("digits"), value.magnitude());
        }
    }
}
