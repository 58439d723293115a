//! f-strings and t-strings.
//!
//! Since 3.12 a field holds any expression. Before, it held no backslash and nothing that ends a string
//! around it: the delimiters are found by trying, outermost first, and a literal that no delimiter
//! allows is spelled by calls, or with `%` where the compiler makes the same of that (3.11).

use crate::ast::{BinaryOp, Expr, ExprKind, Literal, Origin, StringPart};
use crate::layout::{FIELD_NODES, MOST_NODES};
use crate::line::Seam;
use crate::precedence::Level;
use crate::printer::{PrintOptions, Printer, print_expr};
use crate::sink::TokenKind;
use crate::strings::{BodyStyle, Braces, Quote, Quotes, write_body};
use depyf_value::PyStr;

/// Where the line stood, so that an attempt can be taken back.
struct Checkpoint {
    text: usize,
    tokens: usize,
    origins: usize,
    seams: usize,
    functions: usize,
    /// Whether something in front of it had no spelling.
    failed: bool,
}

impl Printer<'_> {
    /// An f-string or t-string.
    pub(crate) fn interpolated(&mut self, prefix: &'static str, parts: &[StringPart]) {
        let (marks, pairs) = (self.line.marks.len(), self.line.pairs.len());
        let start = self.line.position();
        let before = self.checkpoint();
        self.without_line_breaks(prefix, parts);
        if !self.quotes.is_inside() && (self.holds_equal_functions(&before) || self.is_long(parts, &before)) {
            self.part_by_lines(prefix, parts, &before);
        }
        // No line breaks inside of fields: before 3.12 there could be none.
        self.line.marks.truncate(marks);
        // So the first name is all that may go with what stands in front.
        self.line.pairs.truncate(pairs + 1);
        self.line.pairs.iter_mut().skip(pairs).for_each(|pair| pair.0 = start);
        // Those inside are parts of this one.
        while self.line.solid.last().is_some_and(|&(inner, _)| inner >= start) {
            self.line.solid.pop();
        }
        self.line.solid.push((start, self.line.position()));
    }

    /// Whether fields of the string that was written hold functions that only their lines tell apart.
    fn holds_equal_functions(&self, before: &Checkpoint) -> bool {
        self.parts_equal_functions() && !self.line.equal_functions(before.functions).is_empty()
    }

    /// Whether the string that was written is too much code for one line.
    fn is_long(&self, parts: &[StringPart], before: &Checkpoint) -> bool {
        let fields = parts.iter().filter(|part| matches!(part, StringPart::Field { .. })).count();
        let nodes = self.line.origins.len() - before.origins;
        self.breaks_long_lines() && nodes + fields * FIELD_NODES > MOST_NODES
    }

    /// Writes the line breaks of the text as they are, if it has any: they part what is in its fields.
    ///
    /// To 3.8 the line of what is in a field is known by them only.
    fn part_by_lines(&mut self, prefix: &'static str, parts: &[StringPart], before: &Checkpoint) {
        let has_lines =
            |part: &StringPart| matches!(part, StringPart::Literal(text) if text.as_wtf8().contains(&b'\n'));
        if !parts.iter().any(has_lines) {
            return;
        }
        for quote in [Quote::TripleDouble, Quote::TripleSingle] {
            self.restore(before);
            if self.attempt(prefix, parts, quote, true) {
                return;
            }
        }
        self.restore(before);
        self.without_line_breaks(prefix, parts);
    }

    /// Writes the string with line breaks of its text as escapes.
    fn without_line_breaks(&mut self, prefix: &'static str, parts: &[StringPart]) {
        if self.grammar.nested_quotes {
            self.attempt(prefix, parts, self.usual_quote(parts), false);
        } else {
            self.restricted_interpolated(prefix, parts);
        }
    }

    /// The delimiter where any will do: the one that the texts need least escapes in.
    fn usual_quote(&self, parts: &[StringPart]) -> Quote {
        let usual = self.quotes.preferred(b"");
        let mut wanted = parts.iter().filter_map(|part| match part {
            StringPart::Literal(text) => Some(self.quotes.preferred(text.as_wtf8())),
            StringPart::Field { .. } => None,
        });
        wanted.find(|quote| *quote != usual).unwrap_or(usual)
    }

    fn restricted_interpolated(&mut self, prefix: &'static str, parts: &[StringPart]) {
        let outer = self.quotes;
        let start = self.checkpoint();
        let usual = self.usual_quote(parts);
        let others = Quote::ALL.into_iter().filter(|quote| *quote != usual);
        for quote in std::iter::once(usual).chain(others).filter(|quote| outer.allows(*quote)) {
            if self.attempt(prefix, parts, quote, false) {
                return;
            }
            self.restore(&start);
        }
        if outer.is_inside() {
            self.quotes.failed = true;
            return;
        }
        if self.grammar.percent_is_formatting
            && prefix == "f"
            && let Some(formatting) = as_percent(parts)
        {
            return self.expr(&formatting, Level::Atom);
        }
        // The triple quotes first: the more delimiters are left for what is inside, the more fits.
        self.quotes.by_calls = true;
        for quote in Quote::ALL.into_iter().rev() {
            if self.attempt(prefix, parts, quote, false) {
                self.quotes = outer;
                return;
            }
            self.restore(&start);
        }
        self.quotes = outer;
        // Deeper than four delimiters reach: no source had it. Shown as a newer version spells it.
        self.grammar.nested_quotes = true;
        self.attempt(prefix, parts, usual, false);
        self.grammar.nested_quotes = false;
    }

    /// Writes the string with this delimiter, and line breaks of its text as they are if it keeps them; whether that gave a
    /// valid literal.
    fn attempt(
        &mut self,
        prefix: &'static str,
        parts: &[StringPart],
        quote: Quote,
        keeps_lines: bool,
    ) -> bool {
        let outer = self.quotes;
        self.line.begin(TokenKind::String);
        self.line.text.push_str(prefix);
        self.line.text.push_str(quote.text());
        for part in parts {
            let valid = match part {
                StringPart::Literal(text) => self.text_part(text, quote, Braces::Doubled, keeps_lines),
                StringPart::Field { .. } => {
                    let may_part =
                        self.keeps_lines() || self.parts_equal_functions() || self.breaks_long_lines();
                    if may_part && !outer.is_inside() {
                        let at = self.line.position();
                        self.line.seams.push(Seam { at, prefix, quote: quote.text() });
                    }
                    self.field(part, quote, outer)
                }
            };
            if !valid {
                return false;
            }
        }
        self.token(TokenKind::String, quote.text());
        true
    }

    /// Literal text of the f-string itself; whether it may stand here.
    fn text_part(&mut self, text: &PyStr, quote: Quote, braces: Braces, keeps_lines: bool) -> bool {
        self.line.begin(TokenKind::String);
        let start = self.line.text.len();
        let raw = self.quotes.is_restricted();
        write_body(&mut self.line.text, text, BodyStyle { quote, raw, keeps_lines, braces });
        if self.quotes.allows_body(&self.line.text[start..]) {
            return true;
        }
        if self.quotes.by_calls {
            self.line.text.truncate(start);
            self.text_by_calls(text);
        }
        self.quotes.by_calls
    }

    /// The last resort for the text of an f-string within a field: `a{chr(10)}b`.
    fn text_by_calls(&mut self, text: &PyStr) {
        for point in text.code_points() {
            match char::from_u32(point) {
                Some(char) if char.is_ascii_alphanumeric() || char == ' ' => self.line.text.push(char),
                _ => {
                    self.punctuation("{");
                    self.character_by_call(point);
                    self.punctuation("}");
                    self.line.begin(TokenKind::String);
                }
            }
        }
    }

    /// `{value!r:spec}` of an f-string that stands where `outer` holds; whether it may stand there.
    fn field(&mut self, part: &StringPart, quote: Quote, outer: Quotes) -> bool {
        let StringPart::Field { value, conversion, spec, text } = part else { return true };
        self.quotes = outer.inside(quote, !self.grammar.nested_quotes);
        self.punctuation("{");
        self.field_value(value, text.as_ref().and_then(PyStr::as_str));
        let mut valid = !self.quotes.failed;
        self.quotes = outer;
        if let Some(conversion) = conversion {
            self.operator("!");
            self.token(TokenKind::Name, conversion.encode_utf8(&mut [0; 4]));
        }
        if let Some(spec) = spec {
            self.punctuation(":");
            for part in spec {
                valid &= match part {
                    StringPart::Literal(text) => self.text_part(text, quote, Braces::Escaped, false),
                    StringPart::Field { .. } => self.field(part, quote, outer),
                };
            }
        }
        self.punctuation("}");
        valid
    }

    fn field_value(&mut self, value: &Expr, recorded: Option<&str>) {
        let (start, first_token) = (self.line.text.len(), self.line.tokens.len());
        let first_origin = self.line.origins.len();
        let min = if ends_in_lambda(value) { Level::Or } else { Level::Test };
        self.expr(value, min);
        // A t-string shows the text of its fields to the program, so they are spelled as they were,
        // unless the expression is another by now.
        if let Some(recorded) = recorded.filter(|text| is_same_but_for_layout(text, &self.line.text[start..]))
        {
            self.line.text.truncate(start);
            self.line.tokens.truncate(first_token);
            self.line.origins.truncate(first_origin);
            self.node(value.origin, |printer| printer.token(TokenKind::Name, recorded));
        } else if self.line.text[start..].starts_with('{') {
            // `{{` would be a brace.
            self.line.text.insert(start, ' ');
            for token in &mut self.line.tokens[first_token..] {
                token.start += 1;
            }
            for node in &mut self.line.origins[first_origin..] {
                node.start += 1;
                node.end = node.end.saturating_add(1);
            }
            let blank = crate::sink::Token { kind: TokenKind::Space, start: start as u32 };
            self.line.tokens.insert(first_token, blank);
        }
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            text: self.line.text.len(),
            tokens: self.line.tokens.len(),
            origins: self.line.origins.len(),
            seams: self.line.seams.len(),
            functions: self.line.functions.len(),
            failed: self.quotes.failed,
        }
    }

    fn restore(&mut self, to: &Checkpoint) {
        self.line.text.truncate(to.text);
        self.line.tokens.truncate(to.tokens);
        self.line.origins.truncate(to.origins);
        self.line.seams.truncate(to.seams);
        self.line.functions.truncate(to.functions);
        self.quotes.failed = to.failed;
    }
}

/// `"..%s.." % (..)`, of which the compiler makes the f-string (CPython `Python/ast_opt.c`, `optimize_format`). A tuple of
/// constants would be folded instead.
fn as_percent(parts: &[StringPart]) -> Option<Expr> {
    let (mut text, mut values) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            StringPart::Literal(literal) => {
                let doubled = literal.as_wtf8().iter().flat_map(|&byte| {
                    let percent = (byte == b'%').then_some(byte);
                    percent.into_iter().chain([byte])
                });
                text.extend(doubled);
            }
            StringPart::Field { value, conversion: Some(letter), spec: None, .. } => {
                text.extend([b'%', u8::try_from(*letter).ok()?]);
                values.push(value.as_ref().clone());
            }
            StringPart::Field { .. } => return None,
        }
    }
    let computes = |value: &Expr| {
        !matches!(
            value.kind,
            ExprKind::Literal(_) | ExprKind::Tuple(_) | ExprKind::Unary { .. } | ExprKind::Binary { .. }
        )
    };
    if !values.iter().any(computes) {
        return None;
    }
    let expr = |kind| Expr::new(Origin::NONE, kind);
    let left = Box::new(expr(ExprKind::Literal(Literal::Str(PyStr::from_wtf8(&text)?))));
    let right = Box::new(expr(ExprKind::Tuple(values)));
    Some(expr(ExprKind::Binary { op: BinaryOp::Remainder, left, right }))
}

/// Whether the colon of a lambda would end the field.
fn ends_in_lambda(mut value: &Expr) -> bool {
    while let ExprKind::IfExp { orelse, .. } = &value.kind {
        value = orelse;
    }
    matches!(value.kind, ExprKind::Lambda { .. })
}

/// Whether the field of a t-string that shows a text for its expression is printed with that text. Where it is not, the
/// expression has become another: the compiler computed a part of it.
///
/// ```
/// use depyf_syntax::{ast::Expr, shows_text};
/// use depyf_value::PyStr;
///
/// assert!(shows_text(&Expr::name("a"), &PyStr::new("( a )")));
/// assert!(!shows_text(&Expr::name("a"), &PyStr::new("b")));
/// ```
#[must_use]
pub fn shows_text(value: &Expr, text: &PyStr) -> bool {
    let options = PrintOptions { width: None, ..PrintOptions::default() };
    text.as_str().is_some_and(|text| is_same_but_for_layout(text, &print_expr(value, &options)))
}

/// Whether two spellings have the same tokens but for blanks, parentheses, trailing commas, the way in which strings are
/// quoted, and what the compiler makes the same: the tests of a comprehension may be one or several, an f-string without
/// fields is a string, and what a test of membership looks in is a tuple where it was a list.
fn is_same_but_for_layout(first: &str, second: &str) -> bool {
    Significant::of(first).eq(Significant::of(second))
}

/// The letters of an expression that tell it from another one.
struct Significant<'a> {
    left: &'a str,
    /// A word that has been met, but for what was given of it.
    word: std::str::Chars<'a>,
    /// The word `in` came last.
    is_behind_in: bool,
    /// The brackets that are open, and whether each may be a parenthesis.
    open: Vec<bool>,
}

impl<'a> Significant<'a> {
    fn of(text: &'a str) -> Self {
        Self { left: text, word: "".chars(), is_behind_in: false, open: Vec::new() }
    }
}

impl Iterator for Significant<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            if let Some(letter) = self.word.next() {
                return Some(letter);
            }
            let first = self.left.chars().next()?;
            let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
            let end = match self.left.find(|letter| !is_part(letter)) {
                Some(0) => first.len_utf8(),
                Some(end) => end,
                None => self.left.len(),
            };
            let (token, rest) = self.left.split_at(end);
            self.left = rest;
            let is_behind_in = std::mem::replace(&mut self.is_behind_in, token == "in");
            match token {
                "if" => self.word = "and".chars(),
                "f" | "F" if rest.starts_with(['\'', '"']) => {}
                "(" | ")" | "," | "'" | "\"" | "\\" => {}
                "[" => {
                    self.open.push(is_behind_in);
                    if !is_behind_in {
                        return Some(first);
                    }
                }
                "]" if self.open.pop() == Some(true) => {}
                _ if first.is_whitespace() => self.is_behind_in = is_behind_in,
                _ => self.word = token.chars(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_same_but_for_layout;

    #[test]
    fn what_the_compiler_makes_the_same_is_the_same() {
        let same = is_same_but_for_layout;
        assert!(same("[x for x in y if a if b]", "[x for x in y if a and b]"));
        assert!(same("f'' + a[0]", "\"\" + a[0]"));
        assert!(same("a not in [b, c[0]]", "a not in (b, c[0])"));
        assert!(!same("a[b]", "a(b)"));
        assert!(!same("a or b", "a and b"));
        assert!(!same("f'{a}'", "''"));
        assert!(!same("[a]", "(a)"));
    }
}
