//! Python integers of any size.

/// A Python `int`, sign and magnitude.
///
/// The magnitude is a list of base-2^15 digits, least significant first and without leading zeros:
/// marshal's own layout (CPython `Python/marshal.c`, `w_PyLong`), so no arithmetic is needed to read one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PyInt {
    negative: bool,
    digits: Vec<u16>,
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
        let negative = negative && !digits.is_empty();
        Some(Self { negative, digits })
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
        self.negative
    }

    /// Base-2^15 digits of the magnitude, least significant first.
    #[must_use]
    pub fn digits(&self) -> &[u16] {
        &self.digits
    }

    /// The value where it fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        if self.digits.len() > 5 {
            return None;
        }
        let magnitude = self.digits.iter().rev().fold(0_i128, |sum, &digit| sum << 15 | i128::from(digit));
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Hexadecimal digits of the magnitude, without prefix or sign.
    #[must_use]
    pub fn to_hex(&self) -> String {
        let mut nibbles = Vec::with_capacity(self.digits.len() * 4 + 1);
        let (mut pending, mut bits) = (0_u32, 0);
        for &digit in &self.digits {
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
        let mut rest: Vec<u32> = self.digits.iter().map(|&digit| u32::from(digit)).collect();
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
        let mut digits = Vec::new();
        while magnitude != 0 {
            digits.push((magnitude & 0x7fff) as u16);
            magnitude >>= 15;
        }
        Self { negative: value < 0, digits }
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
}
