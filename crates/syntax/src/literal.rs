//! Literals, the nested ones included.

use crate::ast::Literal;
use crate::line::GroupStyle;
use crate::numbers::{write_complex, write_float, write_int};
use crate::precedence::{Level, of_literal};
use crate::printer::Printer;
use crate::sink::TokenKind;

impl Printer<'_> {
    /// A literal in a context that takes `min` bare.
    pub(crate) fn literal(&mut self, literal: &Literal, min: Level) {
        if of_literal(literal) < min {
            self.open("(", GroupStyle::Plain);
            self.literal_bare(literal);
            self.close(")");
        } else {
            self.literal_bare(literal);
        }
    }

    fn literal_bare(&mut self, literal: &Literal) {
        match literal {
            Literal::None => self.token(TokenKind::Constant, "None"),
            Literal::Bool(true) => self.token(TokenKind::Constant, "True"),
            Literal::Bool(false) => self.token(TokenKind::Constant, "False"),
            Literal::Ellipsis => self.token(TokenKind::Constant, "..."),
            Literal::Int(value) => {
                self.line.begin(TokenKind::Number);
                write_int(&mut self.line.text, value);
            }
            Literal::Float(value) => {
                self.line.begin(TokenKind::Number);
                write_float(&mut self.line.text, *value);
            }
            Literal::Complex { real, imag } => {
                self.line.begin(TokenKind::Number);
                write_complex(&mut self.line.text, *real, *imag);
            }
            Literal::Str(text) => self.string(text),
            Literal::Bytes(bytes) => self.bytes(bytes),
            Literal::Tuple(items) => self.literal_tuple(items),
            Literal::FrozenSet(items) => self.frozen_set(items),
            Literal::Slice(parts) => {
                self.token(TokenKind::Name, "slice");
                self.open("(", GroupStyle::Comma);
                self.separated(parts.as_slice(), |printer, part| printer.literal(part, Level::Test));
                self.close(")");
            }
        }
    }

    fn literal_tuple(&mut self, items: &[Literal]) {
        match items {
            [] => self.punctuation("()"),
            [only] => {
                self.open("(", GroupStyle::Plain);
                self.literal(only, Level::Test);
                self.punctuation(",");
                self.close(")");
            }
            _ => {
                self.open("(", GroupStyle::Comma);
                self.separated(items, |printer, item| printer.literal(item, Level::Test));
                self.close(")");
            }
        }
    }

    fn frozen_set(&mut self, items: &[Literal]) {
        self.token(TokenKind::Name, "frozenset");
        if items.is_empty() {
            self.punctuation("()");
            return;
        }
        self.open("(", GroupStyle::Plain);
        self.set_of_literals(items);
        self.close(")");
    }

    /// The right side of `in`: a set display becomes a constant frozenset there.
    pub(crate) fn set_of_literals(&mut self, items: &[Literal]) {
        if items.is_empty() {
            return self.frozen_set(items);
        }
        self.open("{", GroupStyle::Comma);
        self.separated(items, |printer, item| printer.literal(item, Level::Test));
        self.close("}");
    }

    /// A constant index: slices in it are spelled with colons.
    pub(crate) fn literal_index(&mut self, literal: &Literal) {
        match literal {
            Literal::Slice(parts) => self.literal_slice(parts),
            Literal::Tuple(items) if items.iter().any(|item| matches!(item, Literal::Slice(_))) => {
                self.separated(items, |printer, item| printer.literal_index_item(item));
                if items.len() == 1 {
                    self.punctuation(",");
                }
            }
            Literal::Tuple(items) if items.len() > 1 => {
                self.separated(items, |printer, item| printer.literal(item, Level::Test));
            }
            other => self.literal(other, Level::Test),
        }
    }

    fn literal_index_item(&mut self, item: &Literal) {
        match item {
            Literal::Slice(parts) => self.literal_slice(parts),
            other => self.literal(other, Level::Test),
        }
    }

    fn literal_slice(&mut self, [lower, upper, step]: &[Literal; 3]) {
        if *lower != Literal::None {
            self.literal(lower, Level::Test);
        }
        self.punctuation(":");
        if *upper != Literal::None {
            self.literal(upper, Level::Test);
        }
        if *step != Literal::None {
            self.punctuation(":");
            self.literal(step, Level::Test);
        }
    }
}
