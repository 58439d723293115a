//! Python strings, lone surrogates included.

use smol_str::SmolStr;
use std::fmt;

/// A Python `str`: any sequence of code points, lone surrogates included.
///
/// Nearly all strings are valid Unicode and are kept as a small UTF-8 string; one that holds a lone
/// surrogate is kept as the bytes that `str.encode("utf-8", "surrogatepass")` gives, which is also
/// what marshal stores (CPython `Python/marshal.c`, `w_complex_object`).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PyStr(Repr);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Unicode(SmolStr),
    Surrogates(Box<[u8]>),
}

impl PyStr {
    /// The string without letters.
    pub const EMPTY: Self = Self(Repr::Unicode(SmolStr::new_inline("")));

    /// Makes a string of valid Unicode.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Repr::Unicode(SmolStr::new(text)))
    }

    /// Reads UTF-8 with surrogates (`surrogatepass`); `None` where the bytes are neither.
    #[must_use]
    pub fn from_wtf8(bytes: &[u8]) -> Option<Self> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Some(Self::new(text));
        }
        let candidate = Self(Repr::Surrogates(bytes.into()));
        candidate.is_well_formed().then_some(candidate)
    }

    /// The text, or `None` where the string holds a lone surrogate.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Unicode(text) => Some(text),
            Repr::Surrogates(_) => None,
        }
    }

    /// UTF-8 with surrogates, as marshal stores it.
    #[must_use]
    pub fn as_wtf8(&self) -> &[u8] {
        match &self.0 {
            Repr::Unicode(text) => text.as_bytes(),
            Repr::Surrogates(bytes) => bytes,
        }
    }

    /// The code points, surrogates included.
    pub fn code_points(&self) -> impl Iterator<Item = u32> + '_ {
        CodePoints { bytes: self.as_wtf8(), at: 0 }
    }

    /// The text with each lone surrogate shown as U+FFFD: for messages, never for source.
    #[must_use]
    pub fn to_lossy(&self) -> String {
        match self.as_str() {
            Some(text) => text.to_owned(),
            None => self.code_points().map(|point| char::from_u32(point).unwrap_or('\u{fffd}')).collect(),
        }
    }

    /// Whether the string is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.as_wtf8().is_empty()
    }

    fn is_well_formed(&self) -> bool {
        let bytes = self.as_wtf8();
        let mut at = 0;
        while at < bytes.len() {
            match decode_point(&bytes[at..]) {
                Some((_, width)) => at += width,
                None => return false,
            }
        }
        true
    }
}

struct CodePoints<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (point, width) = decode_point(self.bytes.get(self.at..)?)?;
        self.at += width;
        Some(point)
    }
}

/// One code point of WTF-8 and its width in bytes; `None` at the end and on malformed bytes.
fn decode_point(bytes: &[u8]) -> Option<(u32, usize)> {
    let first = u32::from(*bytes.first()?);
    let (mut point, width, least) = match first {
        0..=0x7f => return Some((first, 1)),
        0xc2..=0xdf => (first & 0x1f, 2, 0x80),
        0xe0..=0xef => (first & 0x0f, 3, 0x800),
        0xf0..=0xf4 => (first & 0x07, 4, 0x1_0000),
        _ => return None,
    };
    for byte in bytes.get(1..width)? {
        if byte & 0xc0 != 0x80 {
            return None;
        }
        point = point << 6 | u32::from(byte & 0x3f);
    }
    (point >= least && point <= 0x0010_ffff).then_some((point, width))
}

impl From<&str> for PyStr {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl PartialEq<str> for PyStr {
    fn eq(&self, other: &str) -> bool {
        self.as_wtf8() == other.as_bytes()
    }
}

impl PartialEq<&str> for PyStr {
    fn eq(&self, other: &&str) -> bool {
        self.as_wtf8() == other.as_bytes()
    }
}

impl fmt::Debug for PyStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_lossy())
    }
}

impl fmt::Display for PyStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::PyStr;

    #[test]
    fn lone_surrogates_survive() {
        let text = PyStr::from_wtf8(b"a\xed\xa0\x80b").expect("surrogatepass bytes");
        assert_eq!(text.as_str(), None);
        assert_eq!(text.code_points().collect::<Vec<_>>(), [0x61, 0xd800, 0x62]);
    }

    #[test]
    fn malformed_bytes_are_refused() {
        for bytes in [&b"\xff"[..], b"\xc0\x80", b"\xed\xa0", b"\xf5\x80\x80\x80"] {
            assert_eq!(PyStr::from_wtf8(bytes), None, "{bytes:x?}");
        }
    }
}
