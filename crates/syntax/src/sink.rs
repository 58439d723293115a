//! Where tokens go: plain text, text with a source map, coloured text.

use crate::ast::Origin;

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

/// Where the text of a node begins and ends, and what instruction made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Byte position of its first token.
    pub start: u32,
    /// Byte position behind its last token; `u32::MAX` for what ends with the logical line: a statement.
    pub end: u32,
    /// The instruction.
    pub origin: Origin,
}

/// A stretch of tokens on one line of output. Token and node positions count from the start of a
/// longer text, of which `text` is what begins at `start`.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The text of the tokens.
    pub text: &'a str,
    /// Where `text` begins, in the positions that `tokens` and `origins` use.
    pub start: u32,
    /// The tokens, which tile `text`; none where the sink asks for none, see [`Sink::takes_text`].
    pub tokens: &'a [Token],
    /// How many of them are names in `def name` and `class name`.
    pub definitions: u32,
    /// The nodes that begin here, in the order of their starts. Several may begin at one token. They may
    /// end behind this run.
    pub origins: &'a [Node],
    /// Whether the logical line ends with this run.
    pub is_last: bool,
}

/// Takes the printed tokens, in order.
pub trait Sink {
    /// The line begins with this many blanks.
    fn indent(&mut self, columns: usize);

    /// One token. `text` may hold line breaks (a docstring).
    fn token(&mut self, kind: TokenKind, text: &str);

    /// A node begins here.
    fn origin(&mut self, _node: Node) {}

    /// The line ends.
    fn newline(&mut self);

    /// Whether runs need no tokens: the sink takes their text as a whole.
    fn takes_text(&self) -> bool {
        false
    }

    /// Several tokens at once. Sinks that care for no single token take the text as a whole.
    fn run(&mut self, run: Run<'_>) {
        let mut origins = run.origins.iter().peekable();
        for (index, token) in run.tokens.iter().enumerate() {
            while let Some(node) = origins.next_if(|node| node.start <= token.start) {
                self.origin(*node);
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

    fn takes_text(&self) -> bool {
        true
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
    /// Line of the end of the expression, or of the head of the statement.
    pub end_line: u32,
    /// Column behind the end.
    pub end_column: u32,
}

/// Plain text, and where each instruction went.
#[derive(Clone, Debug, Default)]
pub struct MapSink {
    text: String,
    entries: Vec<Found>,
    /// Nodes that have begun and not ended, in no order: where each ends, and its place among the entries.
    open: Vec<(u32, usize)>,
    definitions: Vec<u32>,
    line: u32,
    column: u32,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    /// What the whole statement stands for gives way to an expression of the same instruction.
    is_statement: bool,
    entry: SourceMapEntry,
}

impl MapSink {
    /// An empty sink with room for so many bytes of text.
    #[must_use]
    pub fn with_room(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), entries: Vec::with_capacity(128), ..Self::default() }
    }

    /// The text; the entries, sorted by offset: of the nodes that one instruction made, the first expression,
    /// or else the first statement; and the lines of the names in `def name` and `class name`, in the order
    /// of the text.
    #[must_use]
    pub fn finish(self) -> (String, Vec<SourceMapEntry>, Vec<u32>) {
        // What is sorted is a number each: the offset, whether it is a statement, and the place in the text.
        let key = |(at, found): (usize, &Found)| {
            u64::from(found.entry.offset) << 32 | u64::from(found.is_statement) << 31 | at as u64
        };
        let mut order: Vec<u64> = self.entries.iter().enumerate().map(key).collect();
        order.sort_unstable();
        order.dedup_by_key(|key| *key >> 32);
        let places = order.into_iter().map(|key| (key & (u64::MAX >> 33)) as usize);
        let entries = places.map(|at| self.entries[at].entry).collect();
        (self.text, entries, self.definitions)
    }

    fn advance(&mut self, text: &str) {
        let mut last = text;
        if let Some(end) = text.bytes().rposition(|byte| byte == b'\n') {
            self.line += count_lines(&text.as_bytes()[..=end]);
            self.column = 0;
            last = &text[end + 1..];
        }
        self.column += count_chars(last);
    }

    /// Goes on in the text of a run, from one byte position in it to another.
    fn advance_to(&mut self, run: &Run<'_>, done: &mut usize, to: u32) {
        let to = to.saturating_sub(run.start) as usize;
        if let Some(text) = run.text.get(*done..to) {
            self.advance(text);
            *done = to;
        }
    }

    /// Ends the nodes that end at or before a position, in the order of their ends.
    fn end_nodes(&mut self, run: &Run<'_>, done: &mut usize, to: u32) {
        // Nodes are nested, so that those opened last end first.
        while let Some(&(end, index)) = self.open.last().filter(|(end, _)| *end <= to) {
            self.open.pop();
            self.advance_to(run, done, end);
            let entry = &mut self.entries[index].entry;
            (entry.end_line, entry.end_column) = (self.line + 1, self.column);
        }
    }
}

/// Whether a text is one line of ASCII. Eight bytes are looked at together.
fn is_plain(text: &str) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = EACH << 7;
    let odd = |piece: &[u8; 8]| {
        let bytes = u64::from_le_bytes(*piece);
        let from_break = bytes ^ (EACH * b'\n' as u64);
        // Only a byte of zero borrows for its highest bit (or one behind such a byte).
        (bytes | from_break.wrapping_sub(EACH) & !from_break) & HIGHEST
    };
    let bytes = text.as_bytes();
    match bytes.last_chunk() {
        // What the pieces leave is in the last eight bytes.
        Some(last) => bytes.as_chunks().0.iter().fold(odd(last), |found, piece| found | odd(piece)) == 0,
        None => bytes.iter().all(|byte| byte.is_ascii() && *byte != b'\n'),
    }
}

/// How many line breaks there are. In pieces that a byte can count, so that many bytes are looked at together.
fn count_lines(text: &[u8]) -> u32 {
    let in_piece = |piece: &[u8]| piece.iter().fold(0_u8, |count, byte| count + u8::from(*byte == b'\n'));
    text.chunks(usize::from(u8::MAX)).map(|piece| u32::from(in_piece(piece))).sum()
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

    fn origin(&mut self, node: Node) {
        let (line, column) = (self.line + 1, self.column);
        let entry =
            SourceMapEntry { offset: node.origin.0, line, column, end_line: line, end_column: column };
        self.open.push((node.end, self.entries.len()));
        self.entries.push(Found { is_statement: node.end == u32::MAX, entry });
    }

    fn newline(&mut self) {
        self.text.push('\n');
        self.line += 1;
        self.column = 0;
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn run(&mut self, run: Run<'_>) {
        self.text.push_str(run.text);
        // The head of a definition holds no line break before the name.
        self.definitions.extend((0..run.definitions).map(|_| self.line + 1));
        let is_whole = run.is_last && run.start == 0;
        if is_whole && is_plain(run.text) {
            let (line, column) = (self.line + 1, self.column);
            let length = run.text.len() as u32;
            self.entries.extend(run.origins.iter().map(|node| Found {
                is_statement: node.end == u32::MAX,
                entry: SourceMapEntry {
                    offset: node.origin.0,
                    line,
                    column: column + node.start,
                    end_line: line,
                    end_column: column + node.end.min(length),
                },
            }));
            self.column += length;
            return;
        }
        let mut done = 0;
        for node in run.origins {
            self.end_nodes(&run, &mut done, node.start);
            self.advance_to(&run, &mut done, node.start);
            self.origin(*node);
        }
        let end = run.start + run.text.len() as u32;
        self.end_nodes(&run, &mut done, if run.is_last { u32::MAX - 1 } else { end });
        self.advance_to(&run, &mut done, end);
        if run.is_last {
            // Statements end with the line.
            self.end_nodes(&run, &mut done, u32::MAX);
        }
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
