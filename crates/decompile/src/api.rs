//! The entry point and its types.

use std::collections::VecDeque;
use std::rc::Rc;

use depyf_bytecode::{CodeObject, CompilerFeatures, Const, decode, was_optimized};
use depyf_syntax::ast::{Origin, Stmt, StmtKind};
use depyf_syntax::{ColorSink, Grammar, LineBreaks, MapSink, Parted, PrintOptions, Sink};

use depyf_value::PyStr;

use crate::flow::Copies;
use crate::hash::HashMap;
use crate::layout::RecordedLines;
use crate::made_functions::{constants_of_functions, makes_one_twice};
use crate::marks;
use crate::scope::Scope;

/// How close to the bytecode the source stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Runs like the bytecode: the same calls, attribute reads, subscripts and stores in the same order.
    #[default]
    Exact,
    /// As `Exact`, but Dynamo's profiler prologue is folded to one comment.
    Readable,
}

/// What becomes of a function that cannot be written as Python.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It is the error of the whole call.
    #[default]
    Error,
    /// It is printed with `# unverified: <reason>`, its listing in comments and a `raise`, and what
    /// stands beside it stays intact.
    Mark,
}

/// Where statements stand on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One statement a line; lines that are too long are broken, and so are those of a module which the same bytecode needs
    /// broken (from 3.13 on, between two locals that the compiler did not join).
    #[default]
    Plain,
    /// Where the line table has them: blank lines before, several on a line, and expressions broken where the
    /// table says so (to 3.10 it tells lines of beginnings only). The width is not regarded.
    Original,
}

/// What to print and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which view.
    pub view: View,
    /// The name that the `def` takes instead of the code object's own.
    pub function_name: Option<String>,
    /// Where statements stand.
    pub layout: Layout,
    /// Lines longer than this are broken inside brackets; `None` never breaks.
    pub width: Option<usize>,
    /// Spaces of one level of indentation; 0 means 4.
    pub indent: usize,
    /// Prefix of temporaries; empty means `__temp_`.
    pub temp_prefix: String,
    /// What becomes of a function that cannot be written as Python.
    pub on_failure: OnFailure,
    /// The text gets ANSI colours; lines and columns count without them.
    pub color: bool,
    /// The tree that is printed is compared with the bytecode, and [`FunctionReport::verdict`] says the
    /// result. The readable view differs on purpose: its verdicts are those of the exact one.
    pub verify: bool,
    /// What the code was compiled with, as `optimize` of Python's `compile`: 0 where nobody knows, 1 where nothing came of
    /// `assert`, 2 where nothing came of docstrings either. Then none is printed: who compiles the text like that would
    /// lose what it does.
    pub optimization: u8,
}

/// Source, and where each instruction went.
#[derive(Clone, Debug)]
pub struct Decompiled {
    /// The source: one `def`, or a module.
    pub text: String,
    /// Bytecode offset of the outermost code object to line and column, sorted by offset.
    pub map: Vec<SourceMapEntry>,
    /// The module, or the outermost function, and every `def` and `class` in it, in the order of the text.
    pub functions: Vec<FunctionReport>,
}

/// What is known about one function, class body or module that was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionReport {
    /// The names of what it is nested in and its own, as `co_qualname` has them; `<module>` for a module.
    pub qualname: String,
    /// The line of its `def` or `class` in the source, from 1.
    pub line: u32,
    /// Whether the source is known to do what the bytecode does.
    pub verdict: Verdict,
}

/// Whether source is known to do what the bytecode does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The source, lowered to operations, is bisimilar to the bytecode.
    Verified,
    /// It is not, or that could not be shown.
    Unverified(Divergence),
    /// Nobody looked.
    Unchecked,
}

/// Where source and bytecode part, or why there is no source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// One sentence.
    pub message: String,
    /// Byte offset of the instruction in the function's own bytecode.
    pub offset: u32,
    /// The instruction's operation.
    pub opcode: String,
    /// The line of the source, from 1, where it is known.
    pub line: Option<u32>,
}

/// The message, and where that is in the bytecode.
impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { message, offset, opcode, .. } = self;
        match opcode.as_str() {
            "" => write!(f, "{message} (offset {offset})"),
            opcode => write!(f, "{message} (offset {offset}, {opcode})"),
        }
    }
}

/// How source is compared with a code object.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The function of the source that stands for the code object; `None` takes the one of its name, or the
    /// only one that there is.
    pub function_name: Option<String>,
}

pub use depyf_syntax::SourceMapEntry;

/// Why a function could not be turned into source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// One sentence.
    pub message: String,
    /// Byte offset of the instruction at fault in `co_code` of `function`.
    pub offset: u32,
    /// The instruction's operation.
    pub opcode: String,
    /// `co_qualname` of the function, which may be nested in the one that was asked for.
    pub function: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (in {}, offset {}, {})", self.message, self.function, self.offset, self.opcode)
    }
}

impl std::error::Error for Error {}

/// Decompiles a code object and everything nested in it.
///
/// A code object named `<module>` gives a module, any other one `def`.
///
/// # Errors
/// Where a function holds something that cannot be expressed; never wrong source. With
/// [`OnFailure::Mark`] only where there is no place for a mark: the outermost function is a lambda.
pub fn decompile(code: &CodeObject, options: &Options) -> Result<Decompiled, Error> {
    let is_module = code.name == "<module>";
    let lines = (options.layout == Layout::Original).then(|| Rc::new(RecordedLines::of(code)));
    let (mut block, scope) = tree(code, options, lines.as_ref())?;
    let (copies, decoded) = (scope.copies(), scope.decoded());
    let breaks = Breaks::of(code, lines.as_deref(), options.width, scope.broken_lines() == Some(true));
    let failures = scope.into_failures();
    let mut printed = Page::print(&block, code, options, &copies, &breaks);
    let mut functions = marks::reports(&block, is_module, &printed.definitions, &failures);
    if options.verify && options.view == View::Exact {
        crate::verify::verify_printed(code, &block, &mut functions, &decoded);
    } else if options.verify {
        adopt_verdicts(&mut functions, exact_verdicts(code, options));
    }
    if marks::missing(&functions, failures.len()) {
        marks::insert(&mut block, code, &functions);
        printed = Page::print(&block, code, options, &copies, &breaks);
        for (report, line) in functions.iter_mut().skip(usize::from(is_module)).zip(&printed.definitions) {
            report.line = *line;
        }
    }
    Ok(Decompiled { text: printed.text, map: printed.map, functions })
}

/// The tree of a code object, with what became of it on the way.
fn tree<'a>(
    code: &CodeObject,
    options: &'a Options,
    lines: Option<&Rc<RecordedLines>>,
) -> Result<(Vec<Stmt>, Scope<'a>), Error> {
    let scope = match lines {
        Some(lines) => Scope::with_lines(options, Rc::clone(lines)),
        // Who has a module compiles it again. One function alone is read.
        None if code.name == "<module>" && options.width.is_none() && pairs_locals(code) => {
            Scope::with_broken_lines(options)
        }
        None => Scope::new(options),
    };
    let block = if code.name == "<module>" {
        scope.module(code)?
    } else {
        let mut function = scope.function(code, &[])?;
        if let Some(name) = &options.function_name {
            function.name = name.as_str().into();
        }
        let origin = if lines.is_some() { RecordedLines::head(code) } else { Origin::NONE };
        vec![Stmt::new(origin, StmtKind::Function(Box::new(function)))]
    };
    Ok((block, scope))
}

/// Where lines break, besides those that are too long.
struct Breaks<'a> {
    /// Where they did in the source that was compiled.
    lines: Option<&'a RecordedLines>,
    /// Where the compiler asks for it.
    asked: LineBreaks,
}

impl<'a> Breaks<'a> {
    fn of(code: &CodeObject, lines: Option<&'a RecordedLines>, width: Option<usize>, pairs: bool) -> Self {
        // A line of much code is broken on some versions even so, but not between functions that are one constant.
        let breaks_lines = width.is_some() || Grammar::of(code.version).optimizes_short_lines_only;
        let asked = match lines {
            Some(_) => LineBreaks::default(),
            None => LineBreaks { parted: parted(code, breaks_lines), long: with_long_lines(code), pairs },
        };
        Self { lines, asked }
    }
}

/// Whether the compiler made one instruction of two on locals if they stood on one line.
fn pairs_locals(code: &CodeObject) -> bool {
    CompilerFeatures::of(code.version).is_some_and(|compiler| compiler.pairs_locals)
}

/// A tree as text.
struct Page {
    text: String,
    map: Vec<SourceMapEntry>,
    definitions: Vec<u32>,
}

impl Page {
    fn print(
        block: &[Stmt],
        code: &CodeObject,
        options: &Options,
        copies: &Copies,
        breaks: &Breaks<'_>,
    ) -> Self {
        let print = PrintOptions {
            grammar: Grammar::of(code.version),
            indent: if options.indent == 0 { 4 } else { options.indent },
            width: options.width,
            // Lines of the source that was compiled are known of all code.
            mapped_definitions: breaks.lines.is_none().then(|| usize::from(code.name != "<module>")),
        };
        let mut sink = MapSink::with_room(usual_text(code));
        write(block, &print, breaks, &mut sink);
        let (mut text, mut map, definitions) = sink.finish();
        if breaks.lines.is_some() {
            map.retain(|entry| (entry.offset as usize) < code.code.len());
        }
        copies.complete(&mut map);
        if options.color {
            let mut sink = ColorSink::default();
            write(block, &print, breaks, &mut sink);
            text = sink.text;
        }
        Self { text, map, definitions }
    }
}

/// Bytes of text that a code object and what is nested in it mostly take.
fn usual_text(code: &CodeObject) -> usize {
    let nested = code.consts.iter().map(|value| match value {
        Const::Code(nested) => usual_text(nested),
        _ => 0,
    });
    let docstring = match code.consts.first() {
        Some(Const::Str(text)) => text.as_wtf8().len(),
        _ => 0,
    };
    code.code.len() * 2 + docstring + nested.sum::<usize>()
}

/// The functions, classes and modules that hold two functions of one expression which only their lines tell apart, on a
/// version where it counts.
fn parted(code: &CodeObject, breaks_lines: bool) -> Vec<Parted> {
    let mut found: Vec<Parted> = Vec::new();
    if !CompilerFeatures::of(code.version).is_some_and(|compiler| compiler.lines_tell_code_apart) {
        return found;
    }
    // What a comprehension or lambda holds stands in the function around it.
    let mut work = vec![(code, path_of(code))];
    let mut others: Vec<(&CodeObject, Vec<PyStr>)> = Vec::new();
    // Those of one function or class, whatever they stand in: the qualified names tell where that is.
    let mut anywhere: HashMap<(Vec<PyStr>, &PyStr, &[u8]), &CodeObject> = HashMap::default();
    let mut across: Vec<Vec<PyStr>> = Vec::new();
    while let Some((code, home)) = work.pop() {
        let mut first: HashMap<(&PyStr, &[u8]), u32> = HashMap::default();
        let (mut is_parted, mut holds_functions) = (false, false);
        for value in &code.consts {
            let Const::Code(nested) = value else { continue };
            let is_expr = nested.name.as_str().is_some_and(|name| name.starts_with('<'));
            holds_functions |= is_expr;
            if is_expr {
                let line = *first.entry((&nested.name, &nested.code)).or_insert(nested.first_line);
                is_parted |= line != nested.first_line;
                let equal = *anywhere.entry((home.clone(), &nested.name, &nested.code)).or_insert(nested);
                if equal.qualname != nested.qualname && equal.first_line != nested.first_line {
                    across.push(home.clone());
                }
            }
            // What holds no code makes no functions.
            if nested.consts.iter().any(Const::is_code) {
                work.push((nested, if is_expr { home.clone() } else { inside(&home, nested) }));
            }
        }
        let has_joined = || decode(code).is_ok_and(|function| makes_one_twice(code, &function));
        if is_parted || holds_functions && breaks_lines && has_joined() {
            found.push(parted_code(code, home, is_parted));
        } else if holds_functions {
            others.push((code, home));
        }
    }
    // Only names tell where functions are parted: what others of such names hold may be one function.
    others.retain(|(_, home)| across.contains(home) || found.iter().any(|parted| parted.path == *home));
    found.extend(others.into_iter().map(|(code, home)| parted_code(code, home, false)));
    found.extend(across.into_iter().map(|path| Parted { path, parts_holders: true, ..Parted::default() }));
    found
}

/// What a code object at a path makes; functions in one that is an expression are parted as well if it `is_parted`.
fn parted_code(code: &CodeObject, path: Vec<PyStr>, is_parted: bool) -> Parted {
    let is_nested = path_of(code).last() != path.last();
    let constants =
        decode(code).map_or_else(|_| Vec::new(), |function| constants_of_functions(code, &function));
    Parted { path, constants, is_nested, parts_nested: is_parted && is_nested, parts_holders: false }
}

/// The names of classes and functions from a module to a code object that stands in one; a module has none.
fn path_of(code: &CodeObject) -> Vec<PyStr> {
    if code.name == "<module>" { Vec::new() } else { vec![code.name.clone()] }
}

/// The same of a code object that stands in another one.
fn inside(around: &[PyStr], code: &CodeObject) -> Vec<PyStr> {
    around.iter().chain([&code.name]).cloned().collect()
}

/// The modules, functions and classes with a line of so much code that the compiler left them as they came. Only names tell
/// them apart: all of such names have one.
fn with_long_lines(code: &CodeObject) -> Vec<Vec<PyStr>> {
    if !Grammar::of(code.version).optimizes_short_lines_only {
        return Vec::new();
    }
    let mut paths: HashMap<Vec<PyStr>, bool> = HashMap::default();
    let mut work = vec![(code, path_of(code))];
    while let Some((code, path)) = work.pop() {
        work.extend(code.consts.iter().filter_map(|value| match value {
            Const::Code(nested) => Some((&**nested, inside(&path, nested))),
            _ => None,
        }));
        *paths.entry(path).or_insert(true) &= !was_optimized(code);
    }
    let mut long: Vec<Vec<PyStr>> =
        paths.into_iter().filter(|&(_, is_long)| is_long).map(|(path, _)| path).collect();
    long.sort_unstable();
    long
}

fn write(block: &[Stmt], print: &PrintOptions, breaks: &Breaks<'_>, sink: &mut dyn Sink) {
    match breaks.lines {
        Some(lines) => depyf_syntax::print_original(block, print, lines, sink),
        None => depyf_syntax::print_parted(block, print, &breaks.asked, sink),
    }
}

/// The verdicts of the exact view, in the order of its text.
fn exact_verdicts(code: &CodeObject, options: &Options) -> Result<Vec<FunctionReport>, Error> {
    let options = Options { view: View::Exact, ..options.clone() };
    let (block, scope) = tree(code, &options, None)?;
    let decoded = scope.decoded();
    let mut functions = marks::reports(&block, code.name == "<module>", &[], &scope.into_failures());
    crate::verify::verify_printed(code, &block, &mut functions, &decoded);
    Ok(functions)
}

/// Gives the functions of the readable view the verdicts of the exact one.
///
/// The views may have other nested functions, because the readable one folds more. One without a partner of
/// its name counts as what is worst in the exact view.
///
/// Establishes: none is unchecked, for what nobody looked at would go without a mark.
fn adopt_verdicts(functions: &mut [FunctionReport], exact: Result<Vec<FunctionReport>, Error>) {
    let exact = exact.unwrap_or_default();
    let is_bad = |report: &&FunctionReport| report.verdict != Verdict::Verified;
    let worst = match exact.first() {
        Some(first) => exact.iter().find(is_bad).unwrap_or(first).verdict.clone(),
        None => Verdict::Unchecked,
    };
    let mut partners: HashMap<String, VecDeque<Verdict>> = HashMap::default();
    for report in exact {
        partners.entry(report.qualname).or_default().push_back(report.verdict);
    }
    for function in functions.iter_mut().filter(|function| function.verdict == Verdict::Unchecked) {
        let partner = partners.get_mut(&function.qualname).and_then(VecDeque::pop_front);
        function.verdict = match partner.unwrap_or_else(|| worst.clone()) {
            Verdict::Verified => Verdict::Verified,
            Verdict::Unverified(divergence) => Verdict::Unverified(Divergence { line: None, ..divergence }),
            Verdict::Unchecked => Verdict::Unverified(Divergence {
                message: "there is no exact view to compare".to_owned(),
                offset: 0,
                opcode: String::new(),
                line: None,
            }),
        };
    }
}

/// Compares source with a code object and everything nested in it.
///
/// `block` is the module that was parsed, its origins being line numbers. A code object named `<module>` is
/// compared with all of it, any other with one function at its top level. The first report is that of the
/// code object itself; those of nested ones follow.
///
/// # Errors
/// Where the source has no such function, or cannot be compiled by any Python.
///
/// # Examples
/// ```
/// use depyf_bytecode::{CodeObject, Const};
/// use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin, Stmt, StmtKind};
/// use depyf_value::PyVersion;
///
/// // LOAD_CONST 0, RETURN_VALUE: an empty module.
/// let code = CodeObject {
///     name: "<module>".into(),
///     code: vec![100, 0, 83, 0],
///     consts: vec![Const::None],
///     ..CodeObject::empty(PyVersion(10))
/// };
/// let pass = vec![Stmt::new(Origin(1), StmtKind::Pass)];
/// let reports = depyf_decompile::verify(&code, &pass, &Default::default())?;
/// assert_eq!(reports[0].verdict, depyf_decompile::Verdict::Verified);
/// # Ok::<(), depyf_decompile::Error>(())
/// ```
pub fn verify(
    code: &CodeObject,
    block: &[Stmt],
    options: &VerifyOptions,
) -> Result<Vec<FunctionReport>, Error> {
    crate::verify::verify_tree(code, block, options)
}
