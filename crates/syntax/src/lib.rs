//! What is Python source? The syntax tree, what each version can spell, and the printer.
//!
//! [`print()`] turns statements into text and a source map; [`print_to`] feeds any [`Sink`].

mod annotation_text;
pub mod ast;
mod comprehension;
mod definition;
mod expr;
mod fstring;
mod grammar;
mod layout;
mod line;
mod literal;
mod numbers;
mod original;
mod pattern;
mod precedence;
mod printer;
mod sink;
mod stmt;
mod strings;

pub use fstring::shows_text;
pub use grammar::Grammar;
pub use numbers::is_plain_nan;
pub use original::{Place, Places};
pub use printer::{
    LineBreaks, Parted, PrintOptions, Printed, print, print_expr, print_original, print_parted, print_to,
};
pub use sink::{ColorSink, MapSink, Node, Run, Sink, SourceMapEntry, TextSink, Token, TokenKind};
