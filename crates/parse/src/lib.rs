//! Python source to the syntax tree of [`depyf_syntax`], by ruff's parser.
//!
//! What a compiled program never shows is lost on the way, as in CPython's own tree: comments, parentheses,
//! quotes. Literals that stand side by side are one. What ruff cannot hold is decoded here from the text: lone
//! surrogates and integers of any size. `(x): int` and `x: int` are one tree, though the first keeps no
//! annotation.

mod expressions;
mod numbers;
mod statements;
mod strings;

use depyf_syntax::ast::{Block, Expr, Origin};
use ruff_text_size::{Ranged, TextRange, TextSize};

/// Source nested deeper than this is refused: CPython's parser allows 200 brackets and 100 indentations.
const DEEPEST: usize = 200;

/// The most operands of one chain, as in `a + b + c`.
const LONGEST_CHAIN: usize = 3000;

/// Why a text is no Python source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in that line, from 0, in bytes.
    pub column: u32,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Parses a module. The origin of each statement and expression is the number of its line, from 1.
///
/// # Errors
/// Where the text is no Python of any version up to 3.15, or is nested deeper than CPython's parser allows.
///
/// # Examples
/// ```
/// use depyf_syntax::ast::StmtKind;
///
/// let block = depyf_parse::parse_module("x = 1\npass\n")?;
/// assert!(matches!(block[1].kind, StmtKind::Pass));
/// assert_eq!(block[1].origin.0, 2);
/// # Ok::<(), depyf_parse::ParseError>(())
/// ```
pub fn parse_module(text: &str) -> Result<Block, ParseError> {
    let text = one_kind_of_line_break(text);
    let lines = Lines::new(&text);
    let parsed = ruff_python_parser::parse_module(&text).map_err(|error| {
        let (line, column) = lines.position(error.location.start());
        ParseError { message: error.error.to_string(), line, column }
    })?;
    let mut converter = Converter { text: &text, lines, depth: 0 };
    let result = converter.block(parsed.suite());
    if result.is_err() {
        // To drop a tree that is nested without a limit takes a stack without a limit.
        std::mem::forget(parsed);
    }
    result
}

/// Python reads `\r\n` and `\r` as `\n`.
fn one_kind_of_line_break(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// Where the lines of a text start.
struct Lines(Vec<u32>);

impl Lines {
    fn new(text: &str) -> Self {
        let behind_breaks = text.bytes().zip(1_u32..).filter(|&(byte, _)| byte == b'\n').map(|(_, at)| at);
        Self(std::iter::once(0).chain(behind_breaks).collect())
    }

    /// Line and column of a place.
    fn position(&self, at: TextSize) -> (u32, u32) {
        let at = at.to_u32();
        let line = self.0.partition_point(|&start| start <= at);
        let start = line.checked_sub(1).and_then(|line| self.0.get(line)).copied().unwrap_or(0);
        (line as u32, at - start)
    }
}

type Parsed<T> = Result<T, ParseError>;

/// Makes one tree of the other.
struct Converter<'a> {
    text: &'a str,
    lines: Lines,
    depth: usize,
}

impl<'a> Converter<'a> {
    fn origin(&self, node: &impl Ranged) -> Origin {
        Origin(self.lines.position(node.start()).0)
    }

    fn source(&self, range: TextRange) -> &'a str {
        self.text.get(range.start().to_usize()..range.end().to_usize()).unwrap_or_default()
    }

    fn error<T>(&self, node: &impl Ranged, message: &str) -> Parsed<T> {
        let (line, column) = self.lines.position(node.start());
        Err(ParseError { message: message.to_owned(), line, column })
    }

    fn deeper(&mut self, node: &impl Ranged) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error(node, "the source is nested too deeply");
        }
        Ok(())
    }

    fn shallower(&mut self) {
        self.depth -= 1;
    }

    fn exprs<'n>(&mut self, nodes: impl IntoIterator<Item = &'n ruff_python_ast::Expr>) -> Parsed<Vec<Expr>> {
        nodes.into_iter().map(|node| self.expr(node)).collect()
    }

    fn boxed(&mut self, node: &ruff_python_ast::Expr) -> Parsed<Box<Expr>> {
        self.expr(node).map(Box::new)
    }

    fn maybe(&mut self, node: Option<&ruff_python_ast::Expr>) -> Parsed<Option<Expr>> {
        node.map(|node| self.expr(node)).transpose()
    }

    fn maybe_boxed(&mut self, node: Option<&ruff_python_ast::Expr>) -> Parsed<Option<Box<Expr>>> {
        Ok(self.maybe(node)?.map(Box::new))
    }
}
