//! String and bytes literals.

use crate::line::GroupStyle;
use crate::printer::Printer;
use crate::sink::TokenKind;
use depyf_value::PyStr;
use std::fmt::Write;

/// The four ways to delimit a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Single,
    Double,
    TripleSingle,
    TripleDouble,
}

impl Quote {
    pub(crate) const ALL: [Self; 4] = [Self::Single, Self::Double, Self::TripleSingle, Self::TripleDouble];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Single => "'",
            Self::Double => "\"",
            Self::TripleSingle => "'''",
            Self::TripleDouble => "\"\"\"",
        }
    }

    fn byte(self) -> u8 {
        match self {
            Self::Single | Self::TripleSingle => b'\'',
            Self::Double | Self::TripleDouble => b'"',
        }
    }

    pub(crate) fn is_triple(self) -> bool {
        matches!(self, Self::TripleSingle | Self::TripleDouble)
    }
}

/// What a literal inside the field of an f-string must avoid. Before 3.12 a field held neither a
/// backslash nor anything that ends the f-string; since then any literal will do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quotes {
    /// The delimiters of the f-strings around.
    around: [bool; 4],
    /// The delimiter of the f-string right around.
    innermost: Option<Quote>,
    /// Whether the rules before 3.12 hold here.
    restricted: bool,
    /// Spell what no literal can spell by calls, rather than fail.
    pub(crate) by_calls: bool,
    /// Some literal had no spelling.
    pub(crate) failed: bool,
}

impl Quotes {
    /// Inside the fields of an f-string with this delimiter.
    pub(crate) fn inside(mut self, quote: Quote, restricted: bool) -> Self {
        self.around[quote as usize] = true;
        self.innermost = Some(quote);
        self.restricted |= restricted;
        self
    }

    /// Whether there is an f-string around.
    pub(crate) fn is_inside(self) -> bool {
        self.innermost.is_some()
    }

    /// The delimiter to use where any will do: `repr`'s choice, but not the one right around, as readers
    /// know it from the times when it could not be.
    pub(crate) fn preferred(self, text: &[u8]) -> Quote {
        let (single, double) = (text.contains(&b'\''), text.contains(&b'"'));
        let around_single = matches!(self.innermost, Some(Quote::Single | Quote::TripleSingle));
        if (single && !double) || (around_single && single == double) { Quote::Double } else { Quote::Single }
    }

    pub(crate) fn is_restricted(self) -> bool {
        self.restricted
    }

    /// Whether a literal may be delimited so.
    pub(crate) fn allows(self, quote: Quote) -> bool {
        let [single, double, triple_single, triple_double] = self.around;
        !self.restricted
            || match quote {
                Quote::Single => !single,
                Quote::Double => !double,
                Quote::TripleSingle => !single && !triple_single,
                Quote::TripleDouble => !double && !triple_double,
            }
    }

    /// Whether the body of a literal may stand here as it is.
    pub(crate) fn allows_body(self, body: &str) -> bool {
        let [single, double, triple_single, triple_double] = self.around;
        !self.restricted
            || !(body.contains('\\')
                || ((single || double) && body.contains('\n'))
                || (single && body.contains('\''))
                || (double && body.contains('"'))
                || (triple_single && body.contains("'''"))
                || (triple_double && body.contains("\"\"\"")))
    }
}

/// How to write a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyStyle {
    pub(crate) quote: Quote,
    /// Write what `repr` would escape as it is, where a literal can hold it.
    pub(crate) raw: bool,
    /// Line breaks stay line breaks: a docstring.
    pub(crate) keeps_lines: bool,
    /// How braces are written: doubled in the text of an f-string, escaped in a format specification.
    pub(crate) braces: Braces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Braces {
    Plain,
    Doubled,
    Escaped,
}

impl BodyStyle {
    /// Whether a byte stands as it is. Without branches: long strings are asked for many bytes at once.
    #[inline]
    fn is_plain(self, byte: u8) -> bool {
        let is_letter = byte.wrapping_sub(b' ') <= b'~' - b' ';
        let is_line = (byte == b'\n') & self.keeps_lines;
        let is_brace = (byte == b'{') | (byte == b'}');
        (is_letter | is_line)
            & (byte != self.quote.byte())
            & (byte != b'\\')
            & (!is_brace | (self.braces == Braces::Plain))
    }
}

/// How many bytes at the start stand as they are.
fn plain_length(bytes: &[u8], style: BodyStyle) -> usize {
    const MANY: usize = 32;
    let chunks = bytes.chunks_exact(MANY);
    let plain = |chunk: &&[u8]| chunk.iter().fold(true, |plain, &byte| plain & style.is_plain(byte));
    let start = chunks.take_while(plain).count() * MANY;
    let rest = &bytes[start..];
    let is_plain = |byte: u8| PLAIN[usize::from(byte)] || style.is_plain(byte);
    start + rest.iter().position(|&byte| !is_plain(byte)).unwrap_or(rest.len())
}

/// Whether a text stands as it is in any style, as most do. Long ones are left to [`write_body`].
fn is_short_and_plain(text: &str) -> bool {
    const SHORT: usize = 64;
    text.len() <= SHORT && text.bytes().all(|byte| PLAIN[usize::from(byte)])
}

/// The bytes that stand as they are in any style.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        plain[byte as usize] = !matches!(byte, b'\'' | b'"' | b'\\' | b'{' | b'}');
        byte += 1;
    }
    plain
};

/// Writes the characters of a string between its quotes.
pub(crate) fn write_body(out: &mut String, text: &PyStr, style: BodyStyle) {
    // Most text stands as it is, piece by piece.
    if let Some(mut rest) = text.as_str() {
        while !rest.is_empty() {
            let length = plain_length(rest.as_bytes(), style);
            // A run of quotes is written as one.
            let others = rest.as_bytes()[length..].iter();
            let special = others.take_while(|byte| !style.is_plain(**byte)).count();
            let (piece, behind) = rest.split_at(length + special);
            out.push_str(&piece[..length]);
            write_special(out, piece[length..].chars().map(u32::from), behind.is_empty(), style);
            rest = behind;
        }
    } else {
        write_special(out, text.code_points(), true, style);
    }
}

/// Writes characters of which some do not stand as they are. `is_end` says whether the literal ends behind them.
fn write_special(out: &mut String, points: impl Iterator<Item = u32>, is_end: bool, style: BodyStyle) {
    let quote = style.quote.byte();
    // Consecutive quotes, of which three would end a triple-quoted literal.
    let mut quotes = 0;
    let mut rest = points.peekable();
    while let Some(point) = rest.next() {
        let Some(char) = char::from_u32(point) else {
            let _ = write!(out, "\\u{point:04x}");
            continue;
        };
        if point == u32::from(quote) {
            quotes += 1;
            if !style.quote.is_triple() || quotes == 3 || is_end && rest.peek().is_none() {
                out.push('\\');
                quotes = 0;
            }
            out.push(char);
            continue;
        }
        quotes = 0;
        match char {
            '\\' => out.push_str("\\\\"),
            '\n' if style.keeps_lines || style.quote.is_triple() && style.raw => out.push('\n'),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\x00"),
            '\t' if !style.raw => out.push_str("\\t"),
            '{' | '}' => match style.braces {
                Braces::Plain => out.push(char),
                Braces::Doubled => out.extend([char, char]),
                Braces::Escaped => {
                    let _ = write!(out, "\\x{point:02x}");
                }
            },
            ' '..='~' => out.push(char),
            _ if style.raw || is_printable(char) => out.push(char),
            _ => write_escape(out, point),
        }
    }
}

fn write_escape(out: &mut String, point: u32) {
    let _ = match point {
        0..=0xff => write!(out, "\\x{point:02x}"),
        0x100..=0xffff => write!(out, "\\u{point:04x}"),
        _ => write!(out, "\\U{point:08x}"),
    };
}

/// Whether the standard library shows the character as it is; combining characters count as not.
fn is_printable(char: char) -> bool {
    char.escape_debug().next() == Some(char)
}

/// Writes the bytes of a bytes literal between its quotes.
fn write_bytes_body(out: &mut String, bytes: &[u8], quote: Quote) {
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ if byte == quote.byte() => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
}

impl Printer<'_> {
    /// A `str` literal.
    pub(crate) fn string(&mut self, text: &PyStr) {
        if self.quotes.is_restricted() {
            let done = self.restricted("", |out, quote| {
                write_body(
                    out,
                    text,
                    BodyStyle { quote, raw: true, keeps_lines: false, braces: Braces::Plain },
                );
            });
            if !done {
                self.string_by_calls(text);
            }
            return;
        }
        self.line.begin(TokenKind::String);
        if let Some(plain) = text.as_str().filter(|text| is_short_and_plain(text)) {
            let quote = self.quotes.preferred(&[]).text();
            self.line.text.extend([quote, plain, quote]);
            return;
        }
        let quote = self.quotes.preferred(text.as_wtf8());
        let out = &mut self.line.text;
        out.push_str(quote.text());
        write_body(out, text, BodyStyle { quote, raw: false, keeps_lines: false, braces: Braces::Plain });
        out.push_str(quote.text());
    }

    /// A `bytes` literal.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if self.quotes.is_restricted() {
            let done = self.restricted("b", |out, quote| write_bytes_body(out, bytes, quote));
            if !done {
                self.bytes_by_calls(bytes);
            }
            return;
        }
        let quote = self.quotes.preferred(bytes);
        self.line.begin(TokenKind::String);
        let out = &mut self.line.text;
        out.push('b');
        out.push_str(quote.text());
        write_bytes_body(out, bytes, quote);
        out.push_str(quote.text());
    }

    /// A string at the start of a body: triple-quoted, on several lines where it has several.
    pub(crate) fn docstring(&mut self, text: &PyStr) {
        let bytes = text.as_wtf8();
        let quote = if bytes.contains(&b'"') && bytes.windows(3).any(|three| three == b"\"\"\"") {
            Quote::TripleSingle
        } else {
            Quote::TripleDouble
        };
        self.line.begin(TokenKind::String);
        let out = &mut self.line.text;
        out.push_str(quote.text());
        // Line breaks stay; all else as in any literal, so that the value is the same.
        write_body(out, text, BodyStyle { quote, raw: false, keeps_lines: true, braces: Braces::Plain });
        out.push_str(quote.text());
    }

    /// Writes a literal by the first delimiter that may stand inside the f-strings around.
    fn restricted(&mut self, prefix: &str, body: impl Fn(&mut String, Quote)) -> bool {
        let start = self.line.text.len();
        for quote in Quote::ALL.into_iter().filter(|quote| self.quotes.allows(*quote)) {
            let out = &mut self.line.text;
            out.push_str(prefix);
            out.push_str(quote.text());
            let from = out.len();
            body(out, quote);
            if self.quotes.allows_body(&out[from..]) {
                out.push_str(quote.text());
                self.line.tokens.push(crate::sink::Token { kind: TokenKind::String, start: start as u32 });
                return true;
            }
            out.truncate(start);
        }
        false
    }

    /// The last resort inside a field before 3.12: `'a' + chr(92)`.
    fn string_by_calls(&mut self, text: &PyStr) {
        if !self.quotes.by_calls {
            self.quotes.failed = true;
            return;
        }
        self.open("(", GroupStyle::Plain);
        for (index, point) in text.code_points().enumerate() {
            if index > 0 {
                self.infix("+");
            }
            self.character_by_call(point);
        }
        self.close(")");
    }

    pub(crate) fn character_by_call(&mut self, point: u32) {
        self.token(TokenKind::Name, "chr");
        self.punctuation("(");
        self.token(TokenKind::Number, &point.to_string());
        self.punctuation(")");
    }

    fn bytes_by_calls(&mut self, bytes: &[u8]) {
        if !self.quotes.by_calls {
            self.quotes.failed = true;
            return;
        }
        self.token(TokenKind::Name, "bytes");
        self.punctuation("([");
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 {
                self.punctuation(",");
                self.space();
            }
            self.token(TokenKind::Number, &byte.to_string());
        }
        self.punctuation("])");
    }
}
