//! String literals, f-strings and t-strings.

use depyf_syntax::ast::{ExprKind, Literal, StringPart};
use depyf_value::PyStr;
use ruff_python_ast as ruff;
use ruff_text_size::{Ranged, TextRange};

use crate::{Converter, Parsed};

/// What ruff puts where a lone surrogate was written.
const REPLACEMENT: char = '\u{fffd}';

impl Converter<'_> {
    /// The value of literals that stand side by side.
    pub(crate) fn string(&self, value: &ruff::StringLiteralValue) -> PyStr {
        let mut bytes = Vec::new();
        for literal in value {
            self.push_literal(literal, &mut bytes);
        }
        PyStr::from_wtf8(&bytes).unwrap_or_else(|| PyStr::new(value.to_str()))
    }

    fn push_literal(&self, literal: &ruff::StringLiteral, bytes: &mut Vec<u8>) {
        if literal.flags.prefix().is_raw() || !literal.value.contains(REPLACEMENT) {
            return bytes.extend_from_slice(literal.value.as_bytes());
        }
        let source = self.source(literal.range());
        let body = source.find(['\'', '"']).map_or("", |quote| &source[quote..]);
        let quotes = if body.starts_with("\"\"\"") || body.starts_with("'''") { 3 } else { 1 };
        let body = body.get(quotes..body.len().saturating_sub(quotes)).unwrap_or_default();
        push_with_surrogates(body, &literal.value, false, bytes);
    }

    fn push_element(&self, range: TextRange, value: &str, raw: bool, bytes: &mut Vec<u8>) {
        if raw || !value.contains(REPLACEMENT) {
            return bytes.extend_from_slice(value.as_bytes());
        }
        push_with_surrogates(self.source(range), value, true, bytes);
    }

    pub(crate) fn f_string(&mut self, value: &ruff::FStringValue) -> Parsed<ExprKind> {
        let mut parts = Parts::default();
        for part in value {
            match part {
                ruff::FStringPart::Literal(literal) => self.push_literal(literal, &mut parts.text),
                ruff::FStringPart::FString(string) => {
                    let raw = string.flags.prefix().is_raw();
                    self.elements(&string.elements, raw, false, &mut parts)?;
                }
            }
        }
        Ok(ExprKind::Joined(parts.finish()))
    }

    pub(crate) fn t_string(&mut self, value: &ruff::TStringValue) -> Parsed<ExprKind> {
        let mut parts = Parts::default();
        for string in value {
            let raw = string.flags.prefix().is_raw();
            self.elements(&string.elements, raw, true, &mut parts)?;
        }
        Ok(ExprKind::Template(parts.finish()))
    }

    fn elements(
        &mut self,
        elements: &ruff::InterpolatedStringElements,
        raw: bool,
        template: bool,
        parts: &mut Parts,
    ) -> Parsed<()> {
        for element in elements {
            match element {
                ruff::InterpolatedStringElement::Literal(literal) => {
                    self.push_element(literal.range(), &literal.value, raw, &mut parts.text);
                }
                ruff::InterpolatedStringElement::Interpolation(field) => {
                    self.deeper(field)?;
                    self.field(field, raw, template, parts)?;
                    self.shallower();
                }
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &ruff::InterpolatedElement,
        raw: bool,
        template: bool,
        parts: &mut Parts,
    ) -> Parsed<()> {
        let mut conversion = match field.conversion {
            ruff::ConversionFlag::None => None,
            ruff::ConversionFlag::Str => Some('s'),
            ruff::ConversionFlag::Ascii => Some('a'),
            ruff::ConversionFlag::Repr => Some('r'),
        };
        if let Some(debug) = &field.debug_text {
            parts.text.extend_from_slice(debug.as_str().as_bytes());
            if conversion.is_none() && field.format_spec.is_none() {
                conversion = Some('r');
            }
        }
        let value = self.boxed(&field.expression)?;
        let spec = match &field.format_spec {
            None => None,
            Some(spec) => {
                let mut inner = Parts::default();
                self.elements(&spec.elements, raw, false, &mut inner)?;
                Some(inner.finish())
            }
        };
        let text = template.then(|| PyStr::new(self.field_text(field)));
        parts.push(StringPart::Field { value, conversion, spec, text });
        Ok(())
    }

    /// The text of a field up to what follows the expression: blanks and parentheses belong to it.
    fn field_text(&self, field: &ruff::InterpolatedElement) -> &str {
        let (start, end) = (field.start().to_usize() + 1, field.expression.end().to_usize());
        let rest = self.text.get(end..field.end().to_usize()).unwrap_or_default();
        let behind = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ')');
        self.text.get(start..end + rest.len() - behind.len()).unwrap_or_default()
    }

    pub(crate) fn bytes(value: &ruff::BytesLiteralValue) -> ExprKind {
        ExprKind::Literal(Literal::Bytes(value.bytes().collect()))
    }
}

/// Parts of an f-string or t-string; text that stands side by side is one part.
#[derive(Default)]
struct Parts {
    done: Vec<StringPart>,
    text: Vec<u8>,
}

impl Parts {
    fn push(&mut self, field: StringPart) {
        self.end_text();
        self.done.push(field);
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            let text = PyStr::from_wtf8(&text);
            self.done.push(StringPart::Literal(text.unwrap_or_else(|| PyStr::new(""))));
        }
    }

    fn finish(mut self) -> Vec<StringPart> {
        self.end_text();
        self.done
    }
}

/// Walks a literal's text and its value side by side, and puts the surrogates that are written as escapes
/// where the value has a replacement. In an f-string, braces are doubled.
fn push_with_surrogates(body: &str, value: &str, braces: bool, bytes: &mut Vec<u8>) {
    let mut rest = body;
    let mut values = value.chars();
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        let mut surrogate = None;
        if letter == '\\' {
            let escape = rest[1..].chars().next().unwrap_or('\\');
            let hex =
                |digits: usize| rest.get(2..2 + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
            length = match escape {
                '\n' => {
                    rest = &rest[2..];
                    continue;
                }
                'x' => 4,
                'u' | 'U' => {
                    let digits = if escape == 'u' { 4 } else { 8 };
                    surrogate = hex(digits).filter(|point| (0xd800..0xe000).contains(point));
                    2 + digits
                }
                'N' => rest.find('}').map_or(2, |end| end + 1),
                '0'..='7' => {
                    1 + rest[1..].bytes().take(3).take_while(|byte| (b'0'..b'8').contains(byte)).count()
                }
                // An unknown escape is two characters.
                other if !"\\'\"abfnrtv".contains(other) => 1,
                other => 1 + other.len_utf8(),
            };
        } else if braces && (rest.starts_with("{{") || rest.starts_with("}}")) {
            length = 2;
        }
        let value = values.next();
        match (surrogate, value) {
            (Some(point), _) => {
                bytes.extend([0xed, 0x80 | (point >> 6 & 0x3f) as u8, 0x80 | (point & 0x3f) as u8]);
            }
            (None, Some(value)) => bytes.extend_from_slice(value.encode_utf8(&mut [0; 4]).as_bytes()),
            (None, None) => return,
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}
