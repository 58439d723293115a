//! Functions inside functions: what a code object and those nested in it share, and what the passes do not do.
//!
//! [`crate::pipeline`] makes statements of one code object. A `Scope` asks it for them and puts the rest around:
//! parameters and docstring, the names that the function around chose, a mark where a function failed, and
//! errors that say which function they come from. Lifting asks the scope in turn for what an operation makes a
//! function, class or comprehension of.

mod comprehensions;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use depyf_bytecode::{CodeObject, CompilerFeatures, Const, Function, Unreached, flags};
use depyf_syntax::ast::{self, Block, Expr, ExprKind, Ident, Origin, Param, Params, Stmt, StmtKind};
use depyf_value::PyStr;

use crate::decoded::{self, Decoded};
use crate::flow::{self, Copies};
use crate::layout::RecordedLines;
use crate::lift::{Context, LiftError, LiftResult, Tables};
use crate::names::Names;
use crate::pipeline::{self, Observe};
use crate::siblings::{self, Siblings};
use crate::{Error, OnFailure, Options, View, marks, refine, visit};

/// The statements of a code object, its operations and its names, or why there are none.
pub(crate) type Outcome<'a> = Result<(Block, Rc<Function>, Names<'a>), Error>;

/// What a function and those nested in it share.
pub(crate) struct Scope<'a> {
    /// How to print.
    pub(crate) options: &'a Options,
    /// How many functions are around this one.
    depth: usize,
    /// Why functions are marked, in the order in which that was found out.
    failures: Rc<RefCell<Vec<Error>>>,
    /// Whether this prints what is nested in a function that failed. Nested code that fails as well shows
    /// its listing only, so that the work stays bounded whatever fails.
    below_failure: bool,
    /// Whether annotations are texts: the module around asks for that, and says so in the source.
    pub(crate) annotation_texts: bool,
    /// Whether the code is that of a module, all of which the compiler made.
    pub(crate) is_of_module: bool,
    /// The innermost class around, whose private names are mangled.
    class: Option<PyStr>,
    /// What the functions around the code that this is for bind, and what those around the code in it do.
    bound_around: Option<Rc<refine::BoundAround>>,
    bound_inside: Option<Rc<refine::BoundAround>>,
    /// The copies that were joined in the outermost code object.
    copies: Rc<RefCell<Copies>>,
    /// The lines of the source that was compiled, where they are wanted: then nested code keeps its origins,
    /// as numbers that no other code object has.
    recorded: Option<Rc<RecordedLines>>,
    /// Whether any line must break, where that is asked for: in modules, which who has the text compiles again.
    broken_lines: Option<Rc<Cell<bool>>>,
    /// What was decoded, for the verifier, which asks for it again.
    decoded: Rc<RefCell<Decoded>>,
    /// The tables of lifters that are done, for the next ones.
    tables: Rc<RefCell<Vec<Tables>>>,
    /// The functions that the code around asks for, and that were decompiled before it.
    siblings: Siblings,
}

/// Functions nested deeper than this are not tried with the code that nothing reaches: where that fails, all in them is
/// tried again.
const DEEPEST_TRIED_TWICE: usize = 8;

/// Functions nested deeper than this are refused; CPython's own parser stops earlier.
const DEEPEST: usize = 100;

impl<'a> Scope<'a> {
    /// The outermost scope.
    pub(crate) fn new(options: &'a Options) -> Self {
        Self {
            options,
            depth: 0,
            failures: Rc::default(),
            below_failure: false,
            annotation_texts: false,
            is_of_module: false,
            class: None,
            bound_around: None,
            bound_inside: None,
            copies: Rc::default(),
            recorded: None,
            broken_lines: None,
            decoded: Rc::default(),
            tables: Rc::default(),
            siblings: Siblings::default(),
        }
    }

    /// The outermost scope of a tree whose nodes keep what the line tables say of them.
    pub(crate) fn with_lines(options: &'a Options, recorded: Rc<RecordedLines>) -> Self {
        Self { recorded: Some(recorded), ..Self::new(options) }
    }

    /// The outermost scope of a tree whose names tell where lines must break.
    pub(crate) fn with_broken_lines(options: &'a Options) -> Self {
        Self { broken_lines: Some(Rc::default()), ..Self::new(options) }
    }

    /// Whether a line must break; none where nobody asks.
    pub(crate) fn broken_lines(&self) -> Option<bool> {
        self.broken_lines.as_ref().map(|found| found.get())
    }

    /// Notes whether a line of a function must break.
    pub(crate) fn note_lines(&self, breaks: bool) {
        if let Some(found) = &self.broken_lines {
            found.set(found.get() || breaks);
        }
    }

    /// The copies that were joined in the outermost code object.
    pub(crate) fn copies(&self) -> Copies {
        self.copies.take()
    }

    /// What was decoded on the way.
    pub(crate) fn decoded(&self) -> Decoded {
        self.decoded.take()
    }

    /// Tables for a lifter, empty.
    pub(crate) fn tables(&self) -> Tables {
        self.tables.borrow_mut().pop().unwrap_or_default()
    }

    /// Keeps the tables of a lifter that is done.
    pub(crate) fn keep_tables(&self, tables: Tables) {
        self.tables.borrow_mut().push(tables);
    }

    /// Why functions are marked, in the order in which that was found out.
    pub(crate) fn into_failures(self) -> Vec<Error> {
        self.failures.take()
    }

    /// Tells why a part of a function is marked.
    pub(crate) fn note_failure(&self, error: Error) {
        self.failures.borrow_mut().push(error);
    }

    /// The functions that were decompiled before the code around asks for them.
    pub(crate) fn siblings(&self) -> &Siblings {
        &self.siblings
    }

    /// Whether functions in this scope are refused.
    pub(crate) fn is_too_deep(&self) -> bool {
        self.depth > DEEPEST
    }

    /// Whether this is the scope of what is nested in the outermost code object.
    pub(crate) fn is_of_outermost(&self) -> bool {
        self.depth == 1
    }

    /// Keeps the copies that were joined, if this is the scope of what is nested in the outermost code object.
    pub(crate) fn keep_copies(&self, copies: Copies) {
        if self.is_of_outermost() {
            self.copies.replace(copies);
        }
    }

    /// The `def` of a code object. `outer` names its free variables, see [`Names::choose`].
    ///
    /// # Errors
    /// Where the body cannot be written as Python and failures are errors, or it belongs to an expression.
    pub(crate) fn function(&self, code: &CodeObject, outer: &[Ident]) -> Result<ast::Function, Error> {
        let (params, body) = match self.body(code, outer) {
            Ok((body, function, names)) => (params(code, &function, &names), with_docstring(code, body)),
            Err(error) if self.may_mark(code) => self.marked(code, outer, error),
            Err(error) => return Err(error),
        };
        let mut name = code.name.clone();
        if !crate::names::is_identifier(&name) {
            name = identifier_of(&name);
        }
        Ok(ast::Function {
            name,
            decorators: Vec::new(),
            type_params: Vec::new(),
            params,
            returns: None,
            body,
            is_async: code.flags & (flags::COROUTINE | flags::ASYNC_GENERATOR) != 0,
        })
    }

    /// The `class` of a code object that is the body of one, without bases.
    ///
    /// # Errors
    /// Where the body cannot be written as Python and failures are errors.
    pub(crate) fn class(&self, code: &CodeObject) -> Result<ast::Class, Error> {
        let ast::Function { name, body, .. } = self.function(code, &[])?;
        Ok(ast::Class {
            name,
            decorators: Vec::new(),
            type_params: Vec::new(),
            bases: Vec::new(),
            keywords: Vec::new(),
            body,
        })
    }

    /// The body of a module.
    ///
    /// # Errors
    /// Where it cannot be written as Python and failures are errors.
    pub(crate) fn module(&self, code: &CodeObject) -> Result<Block, Error> {
        // Without the statement, the module was compiled by who had one: its source alone says no more than the texts.
        let imports = |module: &str| code.names.iter().any(|name| *name == module);
        let annotation_texts = code.has_annotation_texts() && imports("__future__") && imports("annotations");
        let scope = Scope { annotation_texts, is_of_module: true, depth: self.depth, ..self.nested() };
        match scope.body(code, &[]) {
            Ok((body, ..)) => Ok(body),
            Err(error) if self.options.on_failure == OnFailure::Mark => Ok(self.marked(code, &[], error).1),
            Err(error) => Err(error),
        }
    }

    /// Whether a function that fails becomes a marked one: a lambda has no place for the mark.
    fn may_mark(&self, code: &CodeObject) -> bool {
        self.options.on_failure == OnFailure::Mark && crate::names::is_identifier(&code.name)
    }

    /// The parameters and the body of a function that failed: mark, listing, and the functions in it.
    fn marked(&self, code: &CodeObject, outer: &[Ident], error: Error) -> (Params, Block) {
        let mut body = marks::failed(code, &error);
        self.failures.borrow_mut().push(error);
        // The signature does not depend on the bytecode, which may be what is damaged.
        let params = match depyf_bytecode::without_instructions(code) {
            Some(function) => {
                let names = Names::choose(code, &function, outer, self.class_around(code));
                params(code, &function, &names)
            }
            None => Params::default(),
        };
        if !self.below_failure && self.depth < DEEPEST {
            let inner = Scope { below_failure: true, ..self.nested() };
            let nested = code.consts.iter().filter_map(|value| match value {
                Const::Code(code) if inner.may_mark(code) => inner.function(code, &[]).ok(),
                _ => None,
            });
            body.extend(
                nested.map(|function| Stmt::new(Origin::NONE, StmtKind::Function(Box::new(function)))),
            );
        }
        body.push(marks::failing_statement());
        if code.flags & flags::OPTIMIZED != 0 {
            // What nested functions share with this one is a variable of it.
            let names = code
                .cellvars
                .iter()
                .filter(|name| crate::names::is_identifier(name) && **name != "__class__");
            body.extend(names.map(|name| {
                let target = Expr::new(Origin::NONE, ExprKind::Name(name.clone()));
                let value = Expr::new(Origin::NONE, ExprKind::Literal(ast::Literal::None));
                Stmt::new(Origin::NONE, StmtKind::Assign { targets: vec![target], value })
            }));
        }
        self.keep_kind(code, &mut body);
        (params, body)
    }

    /// Makes a body that only raises one of the same kind of function: whoever makes the function, or looks at
    /// it without calling it, finds what the bytecode makes. That code is verified for itself.
    fn keep_kind(&self, code: &CodeObject, body: &mut Block) {
        if code.flags & flags::OPTIMIZED == 0 {
            return;
        }
        if code.flags & (flags::GENERATOR | flags::ASYNC_GENERATOR) != 0 {
            let never = Expr::new(Origin::NONE, ExprKind::Yield(None));
            body.push(Stmt::new(Origin::NONE, StmtKind::Expr(never)));
        }
        // The mark stands first, where readers look for it; a comment is no statement.
        let comments = body.iter().take_while(|statement| matches!(statement.kind, StmtKind::Comment(_)));
        let behind = comments.count();
        if self.depth > 0 && !code.freevars.is_empty() {
            let names = code.freevars.iter().map(|name| Ident::from(name.clone())).collect();
            body.insert(behind, Stmt::new(Origin::NONE, StmtKind::Nonlocal(names)));
        }
        if let Some(text) = docstring(code) {
            body.insert(behind, text);
        }
    }

    /// The scope of the functions in this one.
    fn nested(&self) -> Self {
        Scope {
            depth: self.depth + 1,
            failures: Rc::clone(&self.failures),
            copies: Rc::clone(&self.copies),
            decoded: Rc::clone(&self.decoded),
            tables: Rc::clone(&self.tables),
            class: self.class.clone(),
            bound_around: self.bound_around.clone(),
            bound_inside: self.bound_inside.clone(),
            recorded: self.recorded.clone(),
            broken_lines: self.broken_lines.clone(),
            options: self.options,
            below_failure: self.below_failure,
            annotation_texts: self.annotation_texts,
            is_of_module: self.is_of_module,
            siblings: Siblings::default(),
        }
    }

    /// What the functions around the code that this scope is for bind.
    pub(crate) fn bound_around(&self) -> Option<&refine::BoundAround> {
        self.bound_around.as_deref()
    }

    /// The class whose private names a code object of this scope mangles: itself, or the innermost around it.
    fn class_around<'b>(&'b self, code: &'b CodeObject) -> Option<&'b PyStr> {
        if flow::is_class_body(code) { Some(&code.name) } else { self.class.as_ref() }
    }

    /// The annotations that an `__annotate__` function gives.
    pub(crate) fn annotations(&self, code: &CodeObject) -> Result<Vec<refine::Deferred>, Error> {
        let (block, function, _) = self.tree(code, &[])?;
        refine::deferred_annotations(&block, &function).ok_or_else(|| Error {
            message: "the annotations of a body are no list of them".to_owned(),
            offset: 0,
            opcode: String::new(),
            function: code.qualname.to_lossy(),
        })
    }

    /// Runs all passes on a code object. What is nested in another one has no origins of its own bytecode, but for
    /// the bodies of definitions, whose origins are not looked at.
    pub(crate) fn body<'b>(&'b self, code: &'b CodeObject, outer: &[Ident]) -> Outcome<'b> {
        let (mut block, function, names) = self.tree(code, outer)?;
        if self.depth > 0 {
            match &self.recorded {
                Some(lines) => visit::renumber_origins(&mut block, &|origin| lines.number(code, origin)),
                None if is_definition(code) => {}
                None => visit::forget_origins(&mut block),
            }
        }
        Ok((block, function, names))
    }

    /// What nested code gives as an expression of the code around, where its origins mean nothing.
    pub(crate) fn adopted(&self, expr: Expr) -> Expr {
        if self.recorded.is_some() { expr } else { visit::without_origins(expr) }
    }

    fn tree<'b>(&'b self, code: &'b CodeObject, outer: &[Ident]) -> Outcome<'b> {
        self.run(code, outer, None)
    }

    /// Runs all passes on a code object, and shows what each makes of it.
    pub(crate) fn observed(&self, code: &CodeObject, observe: &mut Observe<'_>) -> Result<(), Error> {
        self.run(code, &[], Some(observe)).map(|_| ())
    }

    fn run<'b>(
        &'b self,
        code: &'b CodeObject,
        outer: &[Ident],
        observe: Option<&mut Observe<'_>>,
    ) -> Outcome<'b> {
        if observe.is_none()
            && let Some(outcome) = self.together(code, outer)
        {
            return outcome;
        }
        let function = self.decode(code)?;
        if let Some((whole, unreached)) = self.with_unreached(code, &function) {
            if observe.is_some() {
                return self.run_on(code, whole, &unreached, outer, observe);
            }
            if let Ok(found) = self.run_on(code, whole, &unreached, outer, None) {
                return Ok(found);
            }
        }
        self.run_on(code, function, &[], outer, observe)
    }

    /// The operations of a code object.
    pub(crate) fn decode(&self, code: &CodeObject) -> Result<Rc<Function>, Error> {
        let keeps = self.options.verify && self.options.view == View::Exact;
        self.decoded.borrow_mut().decode(code, keeps).map_err(|error| Error {
            message: error.message.clone(),
            offset: error.offset as u32,
            opcode: String::new(),
            function: code.qualname.to_lossy(),
        })
    }

    /// The operations with those that nothing leads to, where they are worth a try.
    pub(crate) fn with_unreached(
        &self,
        code: &CodeObject,
        function: &Function,
    ) -> Option<(Rc<Function>, Vec<Unreached>)> {
        (self.depth < DEEPEST_TRIED_TWICE).then(|| decoded::with_unreached(code, function)).flatten()
    }

    /// Runs all passes on the operations of a code object.
    fn run_on<'b>(
        &'b self,
        code: &'b CodeObject,
        function: Rc<Function>,
        unreached: &[Unreached],
        outer: &[Ident],
        observe: Option<&mut Observe<'_>>,
    ) -> Outcome<'b> {
        if self.is_too_deep() {
            return Err(Error {
                message: "the functions are nested too deeply".to_owned(),
                offset: 0,
                opcode: String::new(),
                function: code.qualname.to_lossy(),
            });
        }
        let frame = self.frame(code, function, outer);
        let context = frame.context(unreached);
        let block = match observe {
            Some(observe) => pipeline::run_observed(&context, observe),
            None => {
                siblings::decompile_made(std::slice::from_ref(&frame));
                pipeline::run(std::slice::from_ref(&context)).swap_remove(0)
            }
        };
        frame.finish(block)
    }

    /// What the passes are told of a code object.
    pub(crate) fn frame<'b>(
        &'b self,
        code: &'b CodeObject,
        function: Rc<Function>,
        outer: &[Ident],
    ) -> Frame<'b> {
        let names = Names::choose(code, &function, outer, self.class_around(code));
        let inner = Scope {
            class: self.class_around(code).cloned(),
            bound_around: self.bound_inside.clone(),
            bound_inside: refine::BoundAround::inside(code, &function, self.bound_inside.clone()),
            ..self.nested()
        };
        Frame { code, function, names, inner }
    }
}

/// A code object with what the passes are told of it.
pub(crate) struct Frame<'a> {
    code: &'a CodeObject,
    function: Rc<Function>,
    names: Names<'a>,
    inner: Scope<'a>,
}

impl<'a> Frame<'a> {
    /// The frame for the passes.
    pub(crate) fn context<'b>(&'b self, unreached: &'b [Unreached]) -> Context<'b> {
        let Self { code, function, names, inner } = self;
        let packs_values = crate::dynamo::packs_values(code);
        Context {
            code,
            function,
            names,
            scope: inner,
            packs_values,
            unreached,
            words: OnceCell::new(),
            names_in_use: OnceCell::new(),
            first_handler: OnceCell::new(),
            borrowing_loads: OnceCell::new(),
        }
    }

    /// The code object.
    pub(crate) fn code(&self) -> &'a CodeObject {
        self.code
    }

    /// Its operations.
    pub(crate) fn function(&self) -> &Function {
        &self.function
    }

    /// The scope of what is nested in it.
    pub(crate) fn inner(&self) -> &Scope<'a> {
        &self.inner
    }

    /// Keeps why functions in it are marked apart from what the others have.
    pub(crate) fn with_failures_of_its_own(mut self) -> Self {
        self.inner.failures = Rc::default();
        self
    }

    /// Why functions in it are marked.
    pub(crate) fn failures(&self) -> Vec<Error> {
        self.inner.failures.take()
    }

    /// What the passes made.
    pub(crate) fn finish(self, block: LiftResult<Block>) -> Outcome<'a> {
        let Self { code, function, names, .. } = self;
        let block = block.map_err(|error| locate(*error, code, &function))?;
        if code.flags & flags::OPTIMIZED == 0 && refine::returns(&block) {
            return Err(Error {
                message: "a module or class body returns a value, as what `compile` makes of an \
                          expression (`eval`): it has no source as statements"
                    .to_owned(),
                offset: 0,
                opcode: "Return".to_owned(),
                function: code.qualname.to_lossy(),
            });
        }
        Ok((block, function, names))
    }
}

/// The error as the caller sees it: with the opcode and the function at fault.
fn locate(error: LiftError, code: &CodeObject, function: &Function) -> Error {
    if let Some(nested) = error.nested {
        return *nested;
    }
    let at = function.instructions.iter().find(|instruction| instruction.offset >= error.offset);
    let opcode = at.map_or_else(String::new, |instruction| {
        let text = format!("{:?}", instruction.op);
        text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("").to_owned()
    });
    Error { message: error.message, offset: error.offset, opcode, function: code.qualname.to_lossy() }
}

/// The parameters of a code object, without defaults.
fn params(code: &CodeObject, function: &Function, names: &Names) -> Params {
    let mut next = 0_u32;
    let mut take = |count: u32| -> Vec<Param> {
        let range = next..next.saturating_add(count).min(function.variables.len() as u32);
        next = range.end;
        range.map(|at| Param { name: names.variable(at), annotation: None, default: None }).collect()
    };
    let posonly = take(code.posonlyargcount);
    let regular = take(code.argcount.saturating_sub(code.posonlyargcount));
    let kwonly = take(code.kwonlyargcount);
    let vararg = if code.flags & flags::VARARGS != 0 { take(1).pop().map(Box::new) } else { None };
    let kwarg = if code.flags & flags::VARKEYWORDS != 0 { take(1).pop().map(Box::new) } else { None };
    Params { posonly, regular, vararg, kwonly, kwarg }
}

/// Puts the docstring in front of the body.
fn with_docstring(code: &CodeObject, mut body: Block) -> Block {
    body.splice(0..0, docstring(code));
    body
}

/// The docstring of a function, as a statement.
///
/// To 3.13 the first constant of a function is its docstring or None; later a flag says whether it is.
fn docstring(code: &CodeObject) -> Option<Stmt> {
    let by_flag = CompilerFeatures::of(code.version)?.features.docstring_by_flag;
    let marked = code.flags & flags::HAS_DOCSTRING != 0 || !by_flag;
    let is_function = code.flags & flags::OPTIMIZED != 0 && !code.name.as_wtf8().starts_with(b"<");
    match code.consts.first() {
        Some(Const::Str(text)) if marked && is_function => {
            let text = Expr::new(Origin::NONE, ExprKind::Literal(ast::Literal::Str(text.clone())));
            Some(Stmt::new(Origin::NONE, StmtKind::Expr(text)))
        }
        _ => None,
    }
}

/// Whether the body of a code object becomes that of a `def` or `class`, as a whole. The annotations of a body do
/// not.
fn is_definition(code: &CodeObject) -> bool {
    crate::names::is_identifier(&code.name) && code.name != "__annotate__"
}

/// Whether a code object is the body of a comprehension or generator expression.
pub(crate) fn is_comprehension(code: &CodeObject) -> bool {
    let name = code.name.as_wtf8();
    name.starts_with(b"<") && matches!(name, b"<listcomp>" | b"<setcomp>" | b"<dictcomp>" | b"<genexpr>")
}

/// Whether a code object was no body of statements in the source: a comprehension, a lambda, or what the compiler made of
/// annotations or a type alias, whose parameter no user can name (3.14 on).
pub(crate) fn is_expression(code: &CodeObject) -> bool {
    is_comprehension(code)
        || code.name == "<lambda>"
        || code.name == "__annotate__"
        || code.posonlyargcount == 1 && code.varnames.first().is_some_and(|name| *name == ".format")
}

/// An identifier for a function whose own name is none, such as `<lambda>`.
fn identifier_of(name: &PyStr) -> Ident {
    let text: String =
        name.to_lossy().chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    Ident::new(&format!("__{}", if text.is_empty() { "function" } else { &text }))
}
