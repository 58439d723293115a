//! Where tokens go: plain text, text with a source map, coloured text.

use crate::ast::Origin;
use std::mem;

/// What a token is, for colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A reserved word or a soft keyword in its place.
    Keyword,
    /// A name that is read or bound.
    Name,
    /// The name in `def name` and `class name`.
    Definition,
    /// `None`, `True`, `False`, `...`
    Constant,
    /// A number.
    Number,
    /// A string or bytes literal, or the literal text of an f-string.
    String,
    /// An operator, `=` included.
    Operator,
    /// Brackets, commas, colons, dots.
    Punctuation,
    /// A comment, `#` included.
    Comment,
    /// Blanks between tokens.
    Space,
}

/// A token of a [`Run`]: it ends where the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Byte position of its start.
    pub start: u32,
}

/// A stretch of tokens on one line of output. Token and origin positions count from the start of a
/// longer text, of which `text` is what begins at `start`.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The text of the tokens.
    pub text: &'a str,
    /// Where `text` begins, in the positions that `tokens` and `origins` use.
    pub start: u32,
    /// The tokens, which tile `text`.
    pub tokens: &'a [Token],
    /// Where nodes begin, in order, and what instruction made them. Several may begin at one token.
    pub origins: &'a [(u32, Origin)],
}

/// Takes the printed tokens, in order.
pub trait Sink {
    /// The line begins with this many blanks.
    fn indent(&mut self, columns: usize);

    /// One token. `text` may hold line breaks (a docstring).
    fn token(&mut self, kind: TokenKind, text: &str);

    /// A node begins here that the instruction `origin` made.
    fn origin(&mut self, _origin: Origin) {}

    /// The line ends.
    fn newline(&mut self);

    /// Several tokens at once. Sinks that care for no single token take the text as a whole.
    fn run(&mut self, run: Run<'_>) {
        let mut origins = run.origins.iter().peekable();
        for (index, token) in run.tokens.iter().enumerate() {
            while let Some((_, origin)) = origins.next_if(|(at, _)| *at <= token.start) {
                self.origin(*origin);
            }
            let from = (token.start - run.start) as usize;
            let to =
                run.tokens.get(index + 1).map_or(run.text.len(), |next| (next.start - run.start) as usize);
            self.token(token.kind, &run.text[from..to]);
        }
    }
}

fn push_blanks(text: &mut String, mut count: usize) {
    const BLANKS: &str = "                                ";
    while count > 0 {
        let now = count.min(BLANKS.len());
        text.push_str(&BLANKS[..now]);
        count -= now;
    }
}

/// Plain text.
#[derive(Clone, Debug, Default)]
pub struct TextSink {
    /// What was printed so far.
    pub text: String,
}

impl Sink for TextSink {
    fn indent(&mut self, columns: usize) {
        push_blanks(&mut self.text, columns);
    }

    fn token(&mut self, _kind: TokenKind, text: &str) {
        self.text.push_str(text);
    }

    fn newline(&mut self) {
        self.text.push('\n');
    }

    fn run(&mut self, run: Run<'_>) {
        self.text.push_str(run.text);
    }
}

/// One entry of the source map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceMapEntry {
    /// Byte offset of the instruction.
    pub offset: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in Unicode characters, from 0.
    pub column: u32,
}

/// Plain text, and where each instruction went.
#[derive(Clone, Debug, Default)]
pub struct MapSink {
    text: String,
    entries: Vec<SourceMapEntry>,
    definitions: Vec<u32>,
    line: u32,
    column: u32,
}

impl MapSink {
    /// An empty sink with room for a function of usual size.
    pub(crate) fn with_room() -> Self {
        Self { text: String::with_capacity(2_048), entries: Vec::with_capacity(128), ..Self::default() }
    }

    /// The text; the entries, sorted by offset: of the nodes that one instruction made, the first; and the
    /// lines of the names in `def name` and `class name`, in the order of the text.
    #[must_use]
    pub fn finish(mut self) -> (String, Vec<SourceMapEntry>, Vec<u32>) {
        let entries = &mut self.entries;
        entries.sort_by_key(|entry| entry.offset);
        entries.dedup_by_key(|entry| entry.offset);
        (self.text, mem::take(entries), self.definitions)
    }

    fn advance(&mut self, text: &str) {
        if text.contains('\n') {
            self.line += text.bytes().filter(|byte| *byte == b'\n').count() as u32;
            self.column = 0;
        }
        let last = text.rsplit('\n').next().unwrap_or_default();
        self.column += count_chars(last);
    }
}

fn count_chars(text: &str) -> u32 {
    if text.is_ascii() { text.len() as u32 } else { text.chars().count() as u32 }
}

impl Sink for MapSink {
    fn indent(&mut self, columns: usize) {
        push_blanks(&mut self.text, columns);
        self.column += columns as u32;
    }

    fn token(&mut self, kind: TokenKind, text: &str) {
        if kind == TokenKind::Definition {
            self.definitions.push(self.line + 1);
        }
        self.text.push_str(text);
        self.advance(text);
    }

    fn origin(&mut self, origin: Origin) {
        self.entries.push(SourceMapEntry { offset: origin.0, line: self.line + 1, column: self.column });
    }

    fn newline(&mut self) {
        self.text.push('\n');
        self.line += 1;
        self.column = 0;
    }

    fn run(&mut self, run: Run<'_>) {
        self.text.push_str(run.text);
        // The head of a definition holds no line break before the name.
        let names = run.tokens.iter().filter(|token| token.kind == TokenKind::Definition);
        self.definitions.extend(names.map(|_| self.line + 1));
        if run.text.is_ascii() && !run.text.as_bytes().contains(&b'\n') {
            let (line, column) = (self.line + 1, self.column);
            self.entries.extend(run.origins.iter().map(|(at, origin)| SourceMapEntry {
                offset: origin.0,
                line,
                column: column + (at - run.start),
            }));
            self.column += run.text.len() as u32;
            return;
        }
        let mut done = 0;
        for (at, origin) in run.origins {
            let at = at.saturating_sub(run.start) as usize;
            if let Some(text) = run.text.get(done..at) {
                self.advance(text);
                done = at;
            }
            self.origin(*origin);
        }
        self.advance(run.text.get(done..).unwrap_or_default());
    }
}

/// Text with ANSI colours.
#[derive(Clone, Debug, Default)]
pub struct ColorSink {
    /// What was printed so far.
    pub text: String,
}

impl Sink for ColorSink {
    fn indent(&mut self, columns: usize) {
        push_blanks(&mut self.text, columns);
    }

    fn token(&mut self, kind: TokenKind, text: &str) {
        let color = match kind {
            TokenKind::Keyword => "\x1b[35m",
            TokenKind::Definition => "\x1b[1;34m",
            TokenKind::Constant | TokenKind::Number => "\x1b[36m",
            TokenKind::String => "\x1b[32m",
            TokenKind::Comment => "\x1b[90m",
            TokenKind::Name | TokenKind::Operator | TokenKind::Punctuation | TokenKind::Space => {
                self.text.push_str(text);
                return;
            }
        };
        self.text.push_str(color);
        self.text.push_str(text);
        self.text.push_str("\x1b[0m");
    }

    fn newline(&mut self) {
        self.text.push('\n');
    }
}
