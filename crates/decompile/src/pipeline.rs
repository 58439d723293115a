//! The ordered list of passes.
//!
//! Each entry says why it stands where it stands; what a pass needs and establishes, with an example, is
//! told in its own file. [`PASSES`] is the whole way from decoded operations to the tree that is printed.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use depyf_bytecode::{CodeObject, CompilerFeatures, Const, Function, flags};
use depyf_syntax::ast::{
    self, Block, ComprehensionKind, Expr, ExprKind, Ident, Origin, Param, Params, Stmt, StmtKind,
};
use depyf_value::PyStr;

use crate::flow::{self, Copies, Graph};
use crate::lift::{self, Context, HOLE, LiftError, LiftResult, Lifted, Temporaries};
use crate::names::Names;
use crate::steps::Stage;
use crate::{Error, OnFailure, Options, View, marks, refine, structure};

/// One pass.
struct Pass {
    name: &'static str,
    place: &'static str,
    run: Run,
}

/// What a pass works on.
enum Run {
    /// The graph of neutral operations.
    Graph(fn(&mut Graph, &Context<'_>, &mut Temporaries)),
    /// From operations to statements in blocks.
    Lift(fn(&Context<'_>, &Graph, &mut Temporaries) -> LiftResult<Lifted>),
    /// From blocks to a tree.
    Structure(fn(&Lifted) -> LiftResult<Block>),
    /// The tree.
    Tree(fn(&mut Block, &Context<'_>)),
}

/// All passes, in order.
const PASSES: &[Pass] = &[
    Pass {
        name: "fold_profiler",
        place: "first, while the prologue still has the shape in which Dynamo writes it",
        run: Run::Graph(|graph, context, _| {
            if context.scope.options.view == View::Readable {
                flow::fold_profiler(graph, context.code);
            }
        }),
    },
    Pass {
        name: "erase_class_bookkeeping",
        place: "before anything looks at statements: what the compiler adds is none",
        run: Run::Graph(|graph, context, _| {
            flow::erase_class_bookkeeping(graph, context.code, context.function);
        }),
    },
    Pass {
        name: "mark_annotations",
        place: "behind the bookkeeping of classes; the marks are statements, as the annotations were",
        run: Run::Graph(|graph, context, _| {
            if context.function.features.deferred_annotations && context.code.flags & flags::OPTIMIZED == 0 {
                flow::mark_annotations(graph, context.code, context.function);
            }
        }),
    },
    Pass {
        name: "spell_annotations",
        place: "before the dict of the annotations is taken for one that somebody built",
        run: Run::Graph(|graph, context, _| {
            if context.function.features.deferred_annotations {
                flow::spell_annotations(graph, context.code);
            }
        }),
    },
    Pass {
        name: "find_assertions",
        place: "while a test and its raise still are the blocks that the compiler made",
        run: Run::Graph(|graph, context, _| {
            if compiler(context).is_some_and(|compiler| compiler.assertion_error_by_name) {
                flow::find_assertions(graph, context.code, context.function);
            }
        }),
    },
    Pass {
        name: "erase_dead_deletions",
        place: "before anything is lifted: a deletion forces a name on every pending read of the local",
        run: Run::Graph(|graph, context, _| {
            if context.scope.options.view == View::Readable {
                flow::erase_dead_deletions(graph);
            }
        }),
    },
    Pass {
        name: "copy_finally_bodies",
        place: "before jumps are threaded, which hides where a region is entered",
        run: Run::Graph(|graph, context, _| {
            if context.function.features.finally_subroutines {
                flow::copy_finally_bodies(graph, context.function);
            }
        }),
    },
    Pass {
        name: "thread_jumps",
        place: "before anything looks at regions, which have holes where only jumps are",
        run: Run::Graph(|graph, _, _| flow::thread_jumps(graph)),
    },
    Pass {
        name: "fill_region_holes",
        place: "behind the threading of jumps, which would look like ways out of a region",
        run: Run::Graph(|graph, _, _| flow::fill_region_holes(graph)),
    },
    Pass {
        name: "fold_delegation",
        place: "before regions: the handlers of a suspended `await` go with its loop",
        run: Run::Graph(|graph, context, _| {
            flow::fold_delegation(graph, context.function.features.send_drops_iterator);
        }),
    },
    Pass {
        name: "fold_async_loops",
        place: "behind delegation: the item of an `async for` is awaited",
        run: Run::Graph(|graph, _, _| flow::fold_async_loops(graph)),
    },
    Pass {
        name: "erase_manager_awaits",
        place: "behind delegation, before `with` statements are looked for",
        run: Run::Graph(|graph, _, _| flow::erase_manager_awaits(graph)),
    },
    Pass {
        name: "erase_cleanup_regions",
        place: "before `with` statements and joins, which cleanup regions would split",
        run: Run::Graph(|graph, _, _| flow::erase_cleanup_regions(graph)),
    },
    Pass {
        name: "find_exception_groups",
        place: "behind the erasure of cleanup regions; before all that look at handlers",
        run: Run::Graph(|graph, _, _| flow::find_exception_groups(graph)),
    },
    Pass {
        name: "find_with_statements",
        place: "before blocks are joined: the exit call must start its block",
        run: Run::Graph(|graph, _, _| flow::find_with_statements(graph)),
    },
    Pass {
        name: "join_copied_ends",
        place: "behind the erasure of what unbinds a handler's name, which copies differ in",
        run: Run::Graph(|graph, context, _| flow::join_copied_ends(graph, context)),
    },
    Pass {
        name: "join_copied_raises",
        place: "before `finally` bodies, whose copies end where the body raises again",
        run: Run::Graph(|graph, _, _| flow::join_copied_raises(graph)),
    },
    Pass {
        name: "join_finally_bodies",
        place: "behind `with`, whose exits a body may hold; before reductions, which would split copies",
        run: Run::Graph(|graph, context, _| flow::join_finally_bodies(graph, context)),
    },
    Pass {
        name: "join_copied_ends",
        place: "once more: what follows the copies of a `finally` body is a block of its own now",
        run: Run::Graph(|graph, context, _| flow::join_copied_ends(graph, context)),
    },
    Pass {
        name: "return_inside_regions",
        place: "behind `with` and `finally`, which know a return by what stands before it",
        run: Run::Graph(|graph, _, _| flow::return_inside_regions(graph)),
    },
    Pass {
        name: "find_matches",
        place: "behind the joining of copies, which compares steps; before short circuits, which test copies too",
        run: Run::Graph(flow::find_matches),
    },
    Pass {
        name: "join_shared_exits",
        place: "behind `finally` and `match`, whose ways are told apart by the exits that they have for themselves",
        run: Run::Graph(|graph, context, _| {
            flow::join_shared_exits(graph, context.code, context.function);
        }),
    },
    Pass {
        name: "undo_builtin_shortcuts",
        place: "before short circuits: the shortcut copies the callee as they copy a value",
        run: Run::Graph(|graph, _, _| flow::undo_builtin_shortcuts(graph)),
    },
    Pass {
        name: "restore_or_pop",
        place: "before the reductions, which know one form of short circuit",
        run: Run::Graph(|graph, _, _| flow::restore_or_pop(graph)),
    },
    Pass {
        name: "reduce",
        place: "when only structure is left to find: what remains is control flow between statements",
        run: Run::Graph(flow::reduce),
    },
    Pass {
        name: "fold_guards",
        place: "behind the reductions, which make one expression of a guard",
        run: Run::Graph(flow::fold_guards),
    },
    Pass {
        name: "join_rotated_tests",
        place: "behind the reductions, which make one run of steps of a compound test",
        run: Run::Graph(flow::join_rotated_tests),
    },
    Pass { name: "lift", place: "needs whole expressions in blocks", run: Run::Lift(lift::lift_blocks) },
    Pass { name: "structure", place: "needs statements", run: Run::Structure(structure::structure) },
    Pass {
        name: "restore_targets",
        place: "before temporaries are inlined, which would hide an item's store",
        run: Run::Tree(|block, _| refine::restore_targets(block)),
    },
    Pass {
        name: "join_chained_assignments",
        place: "behind targets, which may be unpackings; before inlining, which moves values",
        run: Run::Tree(|block, _| refine::join_chained_assignments(block)),
    },
    Pass {
        name: "inline_temporaries",
        place: "behind targets; brings the iterables to their loops, which comprehensions look for",
        run: Run::Tree(|block, context| refine::inline_temporaries(block, context.names)),
    },
    Pass {
        name: "restore_asserts",
        place: "behind inlining, which brings the message into the `raise`",
        run: Run::Tree(|block, _| refine::restore_asserts(block)),
    },
    Pass {
        name: "restore_comprehensions",
        place: "behind targets and iterables, which are parts of a comprehension",
        run: Run::Tree(|block, context| refine::restore_comprehensions(block, context.names)),
    },
    Pass {
        name: "inline_temporaries",
        place: "once more: moves comprehensions to where they are used",
        run: Run::Tree(|block, context| refine::inline_temporaries(block, context.names)),
    },
    Pass {
        name: "restore_while",
        place: "behind inlining, so that a condition is one expression",
        run: Run::Tree(|block, _| refine::restore_while(block)),
    },
    Pass {
        name: "drop_implied",
        place: "behind all passes that read `return` and `continue`",
        run: Run::Tree(|block, _| refine::drop_implied(block)),
    },
    Pass {
        name: "spell_without_return",
        place: "behind the removal of what is implied; modules and classes have no `return`",
        run: Run::Tree(|block, context| {
            if context.code.flags & flags::OPTIMIZED == 0 {
                refine::spell_without_return(block);
            }
        }),
    },
    Pass {
        name: "restore_docstring",
        place: "on the final statements, before annotations are put in front",
        run: Run::Tree(|block, context| {
            if context.code.flags & flags::OPTIMIZED == 0 {
                let cleaned = compiler(context).is_some_and(|compiler| compiler.cleans_docstrings);
                refine::restore_docstring(block, cleaned);
            }
        }),
    },
    Pass {
        name: "place_annotations",
        place: "on the final statements, while their origins tell lines; before marks would be named",
        run: Run::Tree(|block, context| {
            if context.function.features.deferred_annotations && context.code.flags & flags::OPTIMIZED == 0 {
                place_annotations(block, context);
            }
        }),
    },
    Pass {
        name: "name_temporaries",
        place: "when the last temporary has found its place",
        run: Run::Tree(|block, context| {
            let prefix = match &context.scope.options.temp_prefix {
                empty if empty.is_empty() => "__temp_",
                prefix => prefix,
            };
            refine::name_temporaries(block, prefix, &taken(context));
        }),
    },
    Pass {
        name: "restore_annotations",
        place: "on the final statements of a body",
        run: Run::Tree(|block, context| {
            let texts = context.scope.annotation_texts;
            refine::restore_annotations(block, texts, context.function, context.names);
        }),
    },
    Pass {
        name: "keep_nested_code",
        place: "before declarations: what it adds may store names that are not the function's own",
        run: Run::Tree(refine::keep_nested_code),
    },
    Pass {
        name: "declare",
        place: "last: declarations go to the head of the final body",
        run: Run::Tree(|block, context| {
            refine::declare(block, context.code, context.function, context.names)
        }),
    },
];

/// Puts the annotations of a module or class body where they were written. One that cannot be read is a failure
/// of the body, whose source would lack it.
fn place_annotations(block: &mut Block, context: &Context<'_>) {
    let Some(annotate) = flow::own_annotations(context.code, context.function) else { return };
    match context.scope.annotations(annotate) {
        Ok(annotations) => refine::place_annotations(block, annotations, context),
        Err(error) => {
            block.splice(0..0, marks::failed(annotate, &error));
            context.scope.failures.borrow_mut().push(error);
        }
    }
}

/// What the compiler that made the code does.
fn compiler(context: &Context<'_>) -> Option<CompilerFeatures> {
    CompilerFeatures::of(context.code.version)
}

/// Names that temporaries must not take.
fn taken(context: &Context<'_>) -> HashSet<PyStr> {
    context.code.names.iter().chain(context.names.variables()).cloned().collect()
}

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
    /// The innermost class around, whose private names are mangled.
    class: Option<PyStr>,
    /// The copies that were joined in the outermost code object.
    copies: Rc<RefCell<Copies>>,
}

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
            class: None,
            copies: Rc::default(),
        }
    }

    /// The copies that were joined in the outermost code object.
    pub(crate) fn copies(&self) -> Copies {
        self.copies.take()
    }

    /// Why functions are marked, in the order in which that was found out.
    pub(crate) fn into_failures(self) -> Vec<Error> {
        self.failures.take()
    }

    /// The `def` of a code object. `outer` names its free variables, see [`Names::choose`].
    ///
    /// # Errors
    /// Where the body cannot be written as Python and failures are errors, or it belongs to an expression.
    pub(crate) fn function(&self, code: &CodeObject, outer: &[Ident]) -> Result<ast::Function, Error> {
        let (params, body) = match self.body(code, outer) {
            Ok((body, function, names)) => {
                (params(code, &function, &names), with_docstring(code, &function, body))
            }
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

    /// The body of a module.
    ///
    /// # Errors
    /// Where it cannot be written as Python and failures are errors.
    pub(crate) fn module(&self, code: &CodeObject) -> Result<Block, Error> {
        let annotation_texts = code.flags & flags::FUTURE_ANNOTATIONS != 0;
        let scope = Scope { annotation_texts, depth: self.depth, ..self.nested() };
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
        let params = match depyf_bytecode::decode(code) {
            Ok(function) => {
                let names = Names::choose(code, &function, outer, self.class_around(code));
                params(code, &function, &names)
            }
            Err(_) => Params::default(),
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
        (params, body)
    }

    /// The scope of the functions in this one.
    fn nested(&self) -> Self {
        Scope {
            depth: self.depth + 1,
            failures: Rc::clone(&self.failures),
            copies: Rc::clone(&self.copies),
            class: self.class.clone(),
            ..*self
        }
    }

    /// The class whose private names a code object of this scope mangles: itself, or the innermost around it.
    fn class_around<'b>(&'b self, code: &'b CodeObject) -> Option<&'b PyStr> {
        if flow::is_class_body(code) { Some(&code.name) } else { self.class.as_ref() }
    }

    /// The comprehension that a code object computes; its first iterable is a hole.
    pub(crate) fn comprehension(&self, code: &CodeObject, outer: &[Ident]) -> Result<Expr, Error> {
        let (mut body, _, names) = self.body(code, outer)?;
        // The function around declares what the body stores.
        body.retain(|statement| !matches!(statement.kind, StmtKind::Global(_) | StmtKind::Nonlocal(_)));
        let wrong = |message: &str| Error {
            message: message.to_owned(),
            offset: 0,
            opcode: String::new(),
            function: code.qualname.to_lossy(),
        };
        let mut expr = match &body[..] {
            [Stmt { kind: StmtKind::Return(Some(value)), .. }] => value.clone(),
            [statement] => {
                let Some((clauses, last)) = refine::clauses(statement) else {
                    return Err(wrong("a generator expression is no loop"));
                };
                let element = match &last.kind {
                    StmtKind::Expr(Expr { kind: ExprKind::Yield(value), .. }) => match value {
                        Some(value) => value.clone(),
                        None => Box::new(Expr::new(Origin::NONE, ExprKind::Literal(ast::Literal::None))),
                    },
                    _ => return Err(wrong("a generator expression yields nothing")),
                };
                Expr::new(
                    last.origin,
                    ExprKind::Comprehension { kind: ComprehensionKind::Generator, element, clauses },
                )
            }
            _ => return Err(wrong("a comprehension is no single loop")),
        };
        match &mut expr.kind {
            ExprKind::Comprehension { clauses, .. } => match clauses.first_mut() {
                Some(first)
                    if names
                        .variables()
                        .first()
                        .is_some_and(|name| first.iter.kind == ExprKind::Name(name.clone())) =>
                {
                    first.iter.kind = ExprKind::Temp(HOLE);
                }
                _ => return Err(wrong("a comprehension does not loop over its argument")),
            },
            _ => return Err(wrong("a comprehension is no loop")),
        }
        Ok(refine::without_origins(expr))
    }

    /// The annotations that an `__annotate__` function gives.
    fn annotations(&self, code: &CodeObject) -> Result<Vec<refine::Deferred>, Error> {
        let (block, function, _) = self.tree(code, &[])?;
        refine::deferred_annotations(&block, &function).ok_or_else(|| Error {
            message: "the annotations of a body are no list of them".to_owned(),
            offset: 0,
            opcode: String::new(),
            function: code.qualname.to_lossy(),
        })
    }

    /// Runs all passes on a code object. What is nested in another one has no origins.
    pub(crate) fn body(&self, code: &CodeObject, outer: &[Ident]) -> Result<(Block, Function, Names), Error> {
        let (mut block, function, names) = self.tree(code, outer)?;
        if self.depth > 0 {
            refine::forget_origins(&mut block);
        }
        Ok((block, function, names))
    }

    fn tree(&self, code: &CodeObject, outer: &[Ident]) -> Result<(Block, Function, Names), Error> {
        self.run(code, outer, &mut |_, _, _, _| {})
    }

    /// Runs all passes on a code object, and shows what each makes of it.
    pub(crate) fn observed(&self, code: &CodeObject, observe: &mut Observe<'_>) -> Result<(), Error> {
        self.run(code, &[], observe).map(|_| ())
    }

    fn run(
        &self,
        code: &CodeObject,
        outer: &[Ident],
        observe: &mut Observe<'_>,
    ) -> Result<(Block, Function, Names), Error> {
        let mut function = depyf_bytecode::decode(code).map_err(|error| Error {
            message: error.message.clone(),
            offset: error.offset as u32,
            opcode: String::new(),
            function: code.qualname.to_lossy(),
        })?;
        flow::erase_unreachable(&mut function);
        flow::separate_comprehension_locals(&mut function);
        if self.depth > DEEPEST {
            return Err(Error {
                message: "the functions are nested too deeply".to_owned(),
                offset: 0,
                opcode: String::new(),
                function: code.qualname.to_lossy(),
            });
        }
        let names = Names::choose(code, &function, outer, self.class_around(code));
        let inner = Scope { class: self.class_around(code).cloned(), ..self.nested() };
        let context = Context { code, function: &function, names: &names, scope: &inner };
        let mut block = run(&context, observe).map_err(|error| locate(error, code, &function))?;
        if code.flags & flags::OPTIMIZED == 0 && refine::returns(&mut block) {
            return Err(Error {
                message: "a module or class body is left early in a way that has no spelling".to_owned(),
                offset: 0,
                opcode: "Return".to_owned(),
                function: code.qualname.to_lossy(),
            });
        }
        Ok((block, function, names))
    }
}

/// Sees the function after each pass: the pass's name, the reason for its place, and what there is now.
pub(crate) type Observe<'a> = dyn FnMut(&'static str, &'static str, &Context<'_>, Stage<'_>) + 'a;

/// Runs the list.
fn run(context: &Context<'_>, observe: &mut Observe<'_>) -> LiftResult<Block> {
    let mut temporaries = Temporaries::default();
    let mut graph = Graph::build(context.function);
    observe(
        "decode",
        "what every version's bytecode becomes, cut into blocks",
        context,
        Stage::Graph(&graph),
    );
    let mut lifted = None;
    let mut block = Block::new();
    for pass in PASSES {
        match &pass.run {
            Run::Graph(run) => run(&mut graph, context, &mut temporaries),
            Run::Lift(run) => lifted = Some(run(context, &graph, &mut temporaries)?),
            Run::Structure(run) => {
                if let Some(lifted) = &lifted {
                    block = run(lifted)?;
                }
            }
            Run::Tree(run) => run(&mut block, context),
        }
        let stage = match &pass.run {
            Run::Graph(_) => Stage::Graph(&graph),
            Run::Structure(_) | Run::Tree(_) => Stage::Tree(&block),
            Run::Lift(_) => match &lifted {
                Some(lifted) => Stage::Lifted(lifted),
                None => Stage::Graph(&graph),
            },
        };
        observe(pass.name, pass.place, context, stage);
    }
    if context.scope.depth == 1 {
        // The scope is that of what is nested in the outermost code object.
        context.scope.copies.replace(graph.copies);
    }
    Ok(block)
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
    let vararg = if code.flags & flags::VARARGS != 0 { take(1).pop() } else { None };
    let kwarg = if code.flags & flags::VARKEYWORDS != 0 { take(1).pop() } else { None };
    Params { posonly, regular, vararg, kwonly, kwarg }
}

/// Puts the docstring in front of the body.
///
/// To 3.13 the first constant of a function is its docstring or None; later a flag says whether it is.
fn with_docstring(code: &CodeObject, function: &Function, mut body: Block) -> Block {
    let marked = code.flags & flags::HAS_DOCSTRING != 0 || !function.features.docstring_by_flag;
    let is_function = code.flags & flags::OPTIMIZED != 0 && !code.name.as_wtf8().starts_with(b"<");
    if let (Some(Const::Str(text)), true, true) = (code.consts.first(), marked, is_function) {
        let text = Expr::new(Origin::NONE, ExprKind::Literal(ast::Literal::Str(text.clone())));
        body.insert(0, Stmt::new(Origin::NONE, StmtKind::Expr(text)));
    }
    body
}

/// Whether a code object is the body of a comprehension or generator expression.
pub(crate) fn is_comprehension(code: &CodeObject) -> bool {
    ["<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"].iter().any(|name| code.name == *name)
}

/// An identifier for a function whose own name is none, such as `<lambda>`.
fn identifier_of(name: &PyStr) -> Ident {
    let text: String =
        name.to_lossy().chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    Ident::new(&format!("__{}", if text.is_empty() { "function" } else { &text }))
}
