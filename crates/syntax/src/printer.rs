//! The printer's state, its entry points, and how it writes a token.

use crate::ast::{Expr, Ident, Origin, Stmt};
use crate::grammar::Grammar;
use crate::layout::{self, Page};
use crate::line::{FunctionText, GroupStyle, Line, MarkKind};
use crate::original::{self, LineKind, Logical, Places};
use crate::precedence::Level;
use crate::sink::{MapSink, Sink, SourceMapEntry, TextSink, TokenKind};
use crate::strings::Quotes;
use depyf_value::{PyStr, PyVersion};

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct PrintOptions {
    /// What the target version can spell.
    pub grammar: Grammar,
    /// Blanks of one level of indentation.
    pub indent: usize,
    /// Lines longer than this are broken inside brackets; `None` never breaks.
    pub width: Option<usize>,
    /// The bodies of how many definitions, one in the other, are code whose origins the map holds; `None` for all.
    /// Offsets of other code objects mean other bytecode.
    pub mapped_definitions: Option<usize>,
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self {
            grammar: Grammar::of(PyVersion::NEWEST),
            indent: 4,
            width: Some(100),
            mapped_definitions: None,
        }
    }
}

/// Source, and where each instruction went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The source; it ends with a line break unless it is empty.
    pub text: String,
    /// One entry for each origin, sorted by offset: the first token of the first node that has it.
    ///
    /// It holds every origin but [`Origin::NONE`], as deep as [`PrintOptions::mapped_definitions`] says.
    pub map: Vec<SourceMapEntry>,
    /// The line of each `def` and `class`, from 1, in the order of the text.
    pub definitions: Vec<u32>,
}

/// Bytes of text of a function of usual size.
const USUAL_TEXT: usize = 2_048;

/// Prints statements as a module or as a part of one. An empty block prints nothing.
#[must_use]
pub fn print(block: &[Stmt], options: &PrintOptions) -> Printed {
    let mut sink = MapSink::with_room(USUAL_TEXT);
    print_to(block, options, &mut sink);
    let (text, map, definitions) = sink.finish();
    Printed { text, map, definitions }
}

/// Prints statements to any sink.
pub fn print_to(block: &[Stmt], options: &PrintOptions, sink: &mut dyn Sink) {
    Printer::new(options, sink).module(block);
}

/// A module (`<module>`), function or class that holds functions of one expression (lambdas, comprehensions) which only
/// their lines tell apart.
#[derive(Clone, Debug, Default)]
pub struct Parted {
    /// The names of the classes and functions that it stands in, and its own; of a module none.
    pub path: Vec<PyStr>,
    /// Which constant a function is, by the origin of its expression. Those that are one stand on one line.
    pub constants: Vec<(Origin, usize)>,
    /// Whether the constants are those of a function of one expression in it.
    pub is_nested: bool,
    /// Whether those that are no such constants, as they stand in another one, are told apart by their lines as well.
    pub parts_nested: bool,
    /// Whether those that stand in different ones are told apart by their lines, too.
    pub parts_holders: bool,
}

/// Where lines break, or stay whole, for the compiler: what it makes of them depends on that.
#[derive(Clone, Debug, Default)]
pub struct LineBreaks {
    /// The modules, functions and classes in which functions of one expression that are spelled alike in one statement stand
    /// on lines of their own.
    ///
    /// To 3.10 the compiler makes one constant of equal code objects, and their first line is all that tells two such
    /// functions apart.
    pub parted: Vec<Parted>,
    /// The names that lead to those whose lines of much code stay what they are.
    pub long: Vec<Vec<PyStr>>,
    /// Whether names are [`Pairing::Apart`](crate::ast::Pairing::Apart).
    pub pairs: bool,
}

/// As [`print_to`]; lines break for the compiler, too.
pub fn print_parted(block: &[Stmt], options: &PrintOptions, breaks: &LineBreaks, sink: &mut dyn Sink) {
    let mut printer = Printer::new(options, sink);
    printer.line.is_bare &= breaks.parted.is_empty() && !breaks.pairs;
    printer.parted.clone_from(&breaks.parted);
    printer.long.clone_from(&breaks.long);
    printer.begin_parted();
    printer.module(block);
}

/// Prints statements to any sink, each on the line that `places` has for it, and broken where the lines of its
/// expressions differ. The width is not regarded.
///
/// What no line is known of follows what comes before it, and what comes too late catches up where blank lines
/// were. The map of a [`MapSink`] holds the same nodes as that of [`print_to`].
pub fn print_original(block: &[Stmt], options: &PrintOptions, places: &dyn Places, sink: &mut dyn Sink) {
    let mut printer = Printer::new(options, sink);
    printer.logical_lines = Some(Vec::new());
    printer.line.is_bare = false;
    printer.module(block);
    let lines = printer.logical_lines.take().unwrap_or_default();
    original::write(&lines, places, options.indent, sink);
}

/// Prints one expression on one line, without a line break at the end.
#[must_use]
pub fn print_expr(expr: &Expr, options: &PrintOptions) -> String {
    let mut sink = TextSink::default();
    let mut printer = Printer::new(options, &mut sink);
    printer.expr(expr, Level::Yield);
    std::mem::take(&mut printer.line.text)
}

/// Which constants functions are, for each of several code objects.
type Constants = Vec<Vec<(Origin, usize)>>;

/// Writes a tree as tokens.
pub(crate) struct Printer<'a> {
    pub(crate) grammar: Grammar,
    pub(crate) line: Line,
    pub(crate) depth: usize,
    /// What string literals must avoid, inside the fields of an f-string.
    pub(crate) quotes: Quotes,
    page: Page,
    indent: usize,
    sink: &'a mut dyn Sink,
    /// Where lines are kept until all are known, instead of being written.
    logical_lines: Option<Vec<Logical>>,
    /// The names of the functions and classes around, the innermost last.
    path: Vec<PyStr>,
    /// See [`print_parted`].
    parted: Vec<Parted>,
    /// See [`print_parted`].
    long: Vec<Vec<PyStr>>,
    /// That of the node at hand.
    pub(crate) origin: Origin,
    /// Whether the function at hand is one of these.
    parts_equal_functions: bool,
    /// How many more definitions are mapped, see [`PrintOptions::mapped_definitions`].
    mapped_definitions: Option<usize>,
    /// Whether the code at hand is not mapped.
    is_unmapped: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(options: &PrintOptions, sink: &'a mut dyn Sink) -> Self {
        let width = options.width.filter(|width| *width > 0);
        Self {
            grammar: options.grammar,
            // What may have to be broken needs its tokens.
            line: Line::with_room(
                width.is_none() && sink.takes_text() && !options.grammar.optimizes_short_lines_only,
            ),
            depth: 0,
            quotes: Quotes::default(),
            page: Page::new(width, options.indent, options.grammar.optimizes_short_lines_only),
            indent: options.indent,
            sink,
            logical_lines: None,
            path: Vec::new(),
            parted: Vec::new(),
            long: Vec::new(),
            origin: Origin::NONE,
            parts_equal_functions: false,
            mapped_definitions: options.mapped_definitions,
            is_unmapped: false,
        }
    }

    #[inline]
    pub(crate) fn token(&mut self, kind: TokenKind, text: &str) {
        self.line.token(kind, text);
    }

    #[inline]
    pub(crate) fn keyword(&mut self, text: &str) {
        self.line.token(TokenKind::Keyword, text);
    }

    /// A keyword and a blank.
    #[inline]
    pub(crate) fn keyword_space(&mut self, text: &str) {
        self.keyword(text);
        self.space();
    }

    #[inline]
    pub(crate) fn punctuation(&mut self, text: &str) {
        self.line.token(TokenKind::Punctuation, text);
    }

    #[inline]
    pub(crate) fn operator(&mut self, text: &str) {
        self.line.token(TokenKind::Operator, text);
    }

    /// An operator between blanks.
    #[inline]
    pub(crate) fn infix(&mut self, text: &str) {
        self.space();
        self.operator(text);
        self.space();
    }

    #[inline]
    pub(crate) fn space(&mut self) {
        self.line.token(TokenKind::Space, " ");
    }

    #[inline]
    pub(crate) fn name(&mut self, name: &Ident) {
        self.ident(TokenKind::Name, name);
    }

    /// A name; a lone surrogate, which no identifier holds, shows as U+FFFD.
    #[inline]
    pub(crate) fn ident(&mut self, kind: TokenKind, name: &Ident) {
        match name.as_str() {
            Some(text) => self.line.token(kind, text),
            None => self.lossy_ident(kind, name),
        }
    }

    #[cold]
    fn lossy_ident(&mut self, kind: TokenKind, name: &Ident) {
        self.line.token(kind, &name.to_lossy());
    }

    /// A statement begins, or an expression that ends with its line.
    pub(crate) fn origin(&mut self, origin: Origin) {
        self.line.origin(self.mapped(origin));
    }

    /// The origin of a node, if the map holds those of the code at hand.
    fn mapped(&self, origin: Origin) -> Origin {
        if self.is_unmapped { Origin::NONE } else { origin }
    }

    /// Prints an expression and notes where it begins and ends.
    pub(crate) fn node(&mut self, origin: Origin, print: impl FnOnce(&mut Self)) {
        self.origin = origin;
        let origin = self.mapped(origin);
        let node = self.line.origin(origin);
        print(self);
        self.line.end_origin(node, origin);
    }

    /// Ends the header of a function or class, which belongs to the code around, and prints its body.
    pub(crate) fn definition(&mut self, name: &Ident, body: impl FnOnce(&mut Self)) {
        self.end_header();
        let around = (self.parts_equal_functions, self.mapped_definitions, self.is_unmapped);
        let (parts_nested, parts_holders) = (self.line.parts_nested, self.line.parts_holders);
        let short_lines = self.page.short_lines;
        self.path.push(name.clone());
        let (constants, nested) = self.begin_parted();
        match &mut self.mapped_definitions {
            Some(0) => self.is_unmapped = true,
            Some(more) => *more -= 1,
            None => {}
        }
        body(self);
        self.path.pop();
        (self.parts_equal_functions, self.mapped_definitions, self.is_unmapped) = around;
        (self.line.parts_nested, self.line.parts_holders) = (parts_nested, parts_holders);
        self.page.short_lines = short_lines;
        (self.line.constants, self.line.nested_constants) = (constants, nested);
    }

    /// Parts functions as those of the path ask for; gives what was known of constants before.
    fn begin_parted(&mut self) -> (Constants, Constants) {
        let found = || self.parted.iter().filter(|parted| parted.path == self.path);
        let (nested, own): (Vec<&Parted>, Vec<&Parted>) = found().partition(|parted| parted.is_nested);
        let [own, nested] =
            [own, nested].map(|all| all.iter().map(|parted| parted.constants.clone()).collect::<Vec<_>>());
        self.parts_equal_functions = !(own.is_empty() && nested.is_empty());
        self.line.parts_nested = found().any(|parted| parted.parts_nested || parted.parts_holders);
        self.line.parts_holders = found().any(|parted| parted.parts_holders);
        self.page.short_lines = self.grammar.optimizes_short_lines_only && !self.long.contains(&self.path);
        (
            std::mem::replace(&mut self.line.constants, own),
            std::mem::replace(&mut self.line.nested_constants, nested),
        )
    }

    /// Prints a function that is an expression. `print` gives the places of what it takes, but does not compute: the
    /// first iterable of a comprehension, the defaults of a lambda.
    pub(crate) fn function_expr<A>(&mut self, print: impl FnOnce(&mut Self) -> A)
    where
        A: IntoIterator<Item = (u32, u32)>,
    {
        let (mut start, origin) = (self.line.position(), self.origin);
        let arguments = print(self);
        if self.parts_equal_functions {
            let mut pieces = Vec::new();
            for (head, tail) in arguments {
                pieces.push((start, head));
                start = tail;
            }
            pieces.push((start, self.line.position()));
            self.line.functions.push(FunctionText { pieces, origin });
        }
    }

    /// Whether functions of one expression that are spelled alike stand on lines of their own.
    pub(crate) fn parts_equal_functions(&self) -> bool {
        self.parts_equal_functions
    }

    /// Whether lines of much code are broken.
    pub(crate) fn breaks_long_lines(&self) -> bool {
        self.page.short_lines && self.page.width.is_none()
    }

    /// A comma, and a place where the line may break.
    pub(crate) fn comma(&mut self) {
        self.punctuation(",");
        self.may_break();
        self.space();
    }

    /// Goes on in the next line, inside of brackets.
    pub(crate) fn break_inside(&mut self) {
        let blanks = format!("\n{:1$}", "", (self.depth + 1) * self.indent);
        self.token(TokenKind::Space, &blanks);
    }

    /// The line may break here, instead of the blank that follows.
    pub(crate) fn may_break(&mut self) {
        self.line.mark(MarkKind::Item);
    }

    pub(crate) fn open(&mut self, bracket: &str, style: GroupStyle) {
        self.punctuation(bracket);
        self.line.mark(MarkKind::Open(style));
    }

    pub(crate) fn close(&mut self, bracket: &str) {
        self.line.mark(MarkKind::Close);
        self.punctuation(bracket);
    }

    pub(crate) fn open_group(&mut self, style: GroupStyle) {
        self.line.mark(MarkKind::Open(style));
    }

    pub(crate) fn close_group(&mut self) {
        self.line.mark(MarkKind::Close);
    }

    /// Items behind commas.
    pub(crate) fn separated<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.comma();
            }
            print(self, item);
        }
    }

    /// Whether the lines of the source that was compiled are wanted.
    pub(crate) fn keeps_lines(&self) -> bool {
        self.logical_lines.is_some()
    }

    /// Ends the logical line of a simple statement.
    pub(crate) fn end_line(&mut self) {
        self.end_line_of(LineKind::Simple);
    }

    /// Ends the logical line: lays it out and hands it to the sink.
    pub(crate) fn end_line_of(&mut self, kind: LineKind) {
        if let Some(lines) = &mut self.logical_lines {
            lines.push(Logical { line: std::mem::take(&mut self.line), depth: self.depth, kind });
            return;
        }
        let indent = self.depth * self.indent;
        layout::write(&self.line, indent, &mut self.page, self.sink);
        self.line.clear();
    }

    pub(crate) fn blank_line(&mut self) {
        if !self.keeps_lines() {
            self.sink.newline();
        }
    }
}
