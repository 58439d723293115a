//! Integers of any size.

use depyf_value::PyInt;

/// CPython refuses longer decimal literals (`sys.int_info.default_max_str_digits`).
const MOST_DECIMAL_DIGITS: usize = 4300;

/// The value of an integer literal as it is written; `None` where it is none, or too long.
pub(crate) fn integer(text: &str) -> Option<PyInt> {
    let digits: String = text.chars().filter(|&letter| letter != '_').collect();
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return PyInt::from_hex(false, hex);
    }
    let (digits, bits) = match (lower.strip_prefix("0o"), lower.strip_prefix("0b")) {
        (Some(octal), _) => (octal, 3),
        (_, Some(binary)) => (binary, 1),
        _ => return decimal(&lower),
    };
    // The digits of the result have 15 bits, a multiple of both.
    let per_digit = 15 / bits;
    let mut result = Vec::with_capacity(digits.len() / per_digit + 1);
    for chunk in digits.as_bytes().rchunks(per_digit) {
        result.push(u16::from_str_radix(std::str::from_utf8(chunk).ok()?, 1 << bits).ok()?);
    }
    PyInt::from_digits(false, result)
}

fn decimal(text: &str) -> Option<PyInt> {
    if text.len() > MOST_DECIMAL_DIGITS {
        return None;
    }
    let mut digits: Vec<u16> = Vec::new();
    for letter in text.chars() {
        let mut carry = letter.to_digit(10)?;
        for digit in &mut digits {
            let value = u32::from(*digit) * 10 + carry;
            *digit = (value & 0x7fff) as u16;
            carry = value >> 15;
        }
        if carry > 0 {
            digits.push(carry as u16);
        }
    }
    PyInt::from_digits(false, digits)
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn every_base_gives_the_same_number() {
        let value = integer("18_446_744_073_709_551_616");
        assert!(value.is_some());
        for text in ["0x1_0000_0000_0000_0000", "0o2_000_000_000_000_000_000_000"] {
            assert_eq!(integer(text), value);
        }
        assert_eq!(integer(&format!("0b1{}", "0".repeat(64))), value);
        assert_eq!(integer("00"), integer("0"));
    }
}
