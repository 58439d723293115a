//! `match` and its patterns.

use crate::ast::{Expr, ExprKind, Ident, Literal, MatchCase, Pattern};
use crate::line::GroupStyle;
use crate::numbers::write_complex_bare;
use crate::original::LineKind;
use crate::precedence::Level;
use crate::printer::Printer;
use crate::sink::TokenKind;

/// How tightly a context binds patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    As,
    Or,
    Closed,
}

impl Printer<'_> {
    pub(crate) fn match_statement(&mut self, subject: &Expr, cases: &[MatchCase]) {
        self.keyword_space("match");
        self.named(subject);
        self.punctuation(":");
        self.end_line_of(LineKind::Alone);
        self.depth += 1;
        for case in cases {
            self.keyword_space("case");
            self.pattern(&case.pattern, Strength::As);
            if let Some(guard) = &case.guard {
                self.space();
                self.keyword_space("if");
                self.named(guard);
            }
            self.body(&case.body);
        }
        self.depth -= 1;
    }

    fn pattern(&mut self, pattern: &Pattern, min: Strength) {
        let strength = match pattern {
            Pattern::As { pattern: Some(_), .. } => Strength::As,
            Pattern::Or(_) => Strength::Or,
            _ => Strength::Closed,
        };
        if strength < min {
            self.open("(", GroupStyle::Plain);
            self.bare_pattern(pattern);
            self.close(")");
        } else {
            self.bare_pattern(pattern);
        }
    }

    fn bare_pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Value(value) => self.pattern_value(value),
            Pattern::Singleton(literal) => self.literal(literal, Level::Test),
            Pattern::Sequence(items) => {
                if items.is_empty() {
                    return self.punctuation("[]");
                }
                self.open("[", GroupStyle::Comma);
                self.separated(items, |printer, item| printer.pattern(item, Strength::As));
                self.close("]");
            }
            Pattern::Mapping { entries, rest } => self.mapping_pattern(entries, rest.as_ref()),
            Pattern::Class { class, positional, keywords } => {
                self.expr(class, Level::Atom);
                self.class_pattern_arguments(positional, keywords);
            }
            Pattern::Star(name) => {
                self.operator("*");
                self.capture(name.as_ref());
            }
            Pattern::As { pattern, name } => {
                if let Some(pattern) = pattern {
                    self.pattern(pattern, Strength::Or);
                    self.space();
                    self.keyword_space("as");
                }
                self.capture(name.as_ref());
            }
            Pattern::Or(alternatives) => {
                self.open_group(GroupStyle::Chain);
                for (index, alternative) in alternatives.iter().enumerate() {
                    if index > 0 {
                        self.may_break();
                        self.infix("|");
                    }
                    self.pattern(alternative, Strength::Closed);
                }
                self.close_group();
            }
        }
    }

    fn capture(&mut self, name: Option<&Ident>) {
        match name {
            Some(name) => self.name(name),
            None => self.token(TokenKind::Name, "_"),
        }
    }

    /// A literal or a dotted name; neither takes parentheses here.
    fn pattern_value(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Literal(Literal::Complex { real, imag }) => {
                self.node(value.origin, |printer| {
                    printer.line.begin(TokenKind::Number);
                    write_complex_bare(&mut printer.line.text, *real, *imag);
                });
            }
            _ => self.expr(value, Level::Test),
        }
    }

    fn mapping_pattern(&mut self, entries: &[(Expr, Pattern)], rest: Option<&Ident>) {
        if entries.is_empty() && rest.is_none() {
            return self.punctuation("{}");
        }
        self.open("{", GroupStyle::Comma);
        self.separated(entries, |printer, (key, pattern)| {
            printer.pattern_value(key);
            printer.punctuation(":");
            printer.space();
            printer.pattern(pattern, Strength::As);
        });
        if let Some(rest) = rest {
            if !entries.is_empty() {
                self.comma();
            }
            self.operator("**");
            self.name(rest);
        }
        self.close("}");
    }

    fn class_pattern_arguments(&mut self, positional: &[Pattern], keywords: &[(Ident, Pattern)]) {
        if positional.is_empty() && keywords.is_empty() {
            return self.punctuation("()");
        }
        self.open("(", GroupStyle::Comma);
        self.separated(positional, |printer, pattern| printer.pattern(pattern, Strength::As));
        if !positional.is_empty() && !keywords.is_empty() {
            self.comma();
        }
        self.separated(keywords, |printer, (name, pattern)| {
            printer.name(name);
            printer.operator("=");
            printer.pattern(pattern, Strength::As);
        });
        self.close(")");
    }
}
