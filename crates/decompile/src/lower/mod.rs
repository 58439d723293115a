//! From a syntax tree back to neutral operations: one small code generator for all versions, no optimiser.
//!
//! The verifier compares what [`lower_module`] and [`lower_function`] make of the source with what was
//! decoded from the bytecode, by effects. So the order of evaluation, protected regions and what is bound
//! when are those of CPython's compiler; the shape of the operations is free, and always the same:
//!
//! - Handlers start with one exception on the stack (`six_value_handlers: false`), `Region::lasti` is false.
//!   Handlers that only restore the interpreter's state (`COPY 3; POP_EXCEPT; RERAISE`, and the one that makes
//!   a RuntimeError of a generator's StopIteration) are not made. Those that unbind the name of an
//!   `except .. as name` are, and so are those that give the locals of an inlined comprehension back.
//! - `finally` bodies and the exit calls of `with` are copied to every way out. An exit call is
//!   `exit None None None Call(3, Plain) Pop`; its handler is `PushExcInfo WithExceptStart JumpIf(True, s)
//!   Reraise; s: Pop PopExcept Pop`.
//! - Calls use [`CallLayout::Plain`](depyf_bytecode::CallLayout). A function is made from its code
//!   alone; `SetFunctionAttribute` adds its parts, as in 3.13.
//! - `await` and `yield from` are `GetAwaitable` or `GetYieldFromIter`, `Const(None)`, `YieldFrom`: what
//!   [`crate::flow::fold_delegation`] makes of the loops of 3.11 and later.
//! - A test is a `JumpIf` without `ToBool`. Short circuits are `Copy(1) JumpIf Pop`. Where CPython's optimiser
//!   tests a value once, a value may be tested twice here (`(a and b) or c`): truth is decided once a value.
//!   Where the optimiser leaves such a test without a handler (3.14 and later), it has [`NO_HANDLER`].
//! - Slices are `BuildSlice(2 or 3)` and a subscript, whatever the version. `AsyncGenWrap` is never made.
//! - Loops are `ForIter { slots: 1, pops: true }`; tests of loops are not copied.
//! - Nothing is folded: `-1` is a `Unary`, `(1, 2)` a `BuildTuple`. Only a literal that a jump would test is not
//!   tested.
//! - `match` keeps subjects and captures in variables named `.match_N`, which are values, not effects.
//! - A class stores `__firstlineno__` (3.13 and later) as the constant 0, since a tree knows no lines, and
//!   `__static_attributes__` as a sorted tuple; the interpreters' order is that of a set.

mod annotations;
mod assembler;
mod calls;
mod classes;
mod comprehensions;
mod docstrings;
mod exceptions;
mod expressions;
mod functions;
mod generator;
mod listing;
mod mentions;
mod patterns;
mod scope;
mod statements;
mod strings;
mod symbols;
mod unit;

pub(crate) use expressions::truth;
pub use listing::lowering;
pub(crate) use patterns::is_match_value;
pub(crate) use strings::{is_constant, is_formatting};

use depyf_bytecode::{
    CompilerFeatures, Const, Features, Function, Instruction, Offsets, Op, Region, Target, Variable,
};
use depyf_syntax::ast::{self, Origin, Stmt};
use depyf_value::PyStr;

/// Trees nested deeper than this are refused: CPython's parser allows 200 brackets and 100 indentations.
const DEEPEST: usize = 200;

/// The handler of a region that has none: what is raised there leaves the function at once, past all handlers around it and
/// past the one that makes a RuntimeError of a generator's StopIteration.
pub(crate) const NO_HANDLER: Target = Target::MAX;

/// Copies of `finally` bodies in `finally` bodies grow exponentially; CPython's own do too.
const MOST_OPERATIONS: usize = 1 << 24;

/// One code object as the source says it.
#[derive(Debug)]
pub(crate) struct Lowered {
    /// `co_name`: that of the function or class, `<lambda>`, `<listcomp>`, `<module>`.
    pub(crate) name: PyStr,
    /// The origin of the statement or expression that makes it; none for the outermost.
    pub(crate) origin: Origin,
    /// The definition that makes it, or that it stands in: the number of the function or class in the order of the text, the
    /// decorators, defaults and bases included. The module is number 0.
    pub(crate) definition: u32,
    /// As in [`depyf_bytecode::CodeObject`].
    pub(crate) argcount: u32,
    /// As in [`depyf_bytecode::CodeObject`].
    pub(crate) posonlyargcount: u32,
    /// As in [`depyf_bytecode::CodeObject`].
    pub(crate) kwonlyargcount: u32,
    /// Only OPTIMIZED, NEWLOCALS, VARARGS, VARKEYWORDS, GENERATOR, COROUTINE, ASYNC_GENERATOR.
    pub(crate) flags: u32,
    /// The docstring of a function. Modules and classes store theirs as `__doc__`.
    pub(crate) docstring: Option<PyStr>,
    /// A bound, default or value of a type parameter or alias: the interpreter takes the first constant of its code for
    /// a docstring, if it is a string.
    pub(crate) is_deferred: bool,
    /// The operations.
    pub(crate) ops: Vec<Op>,
    /// What protects them, sorted and disjoint.
    pub(crate) regions: Vec<Region>,
    /// Where the operation before an operation goes on to it, and jumps may lead to it, too.
    pub(crate) joins: Vec<u32>,
    /// Parameters are the first variables, in the order of `co_varnames`; free variables are sorted by name, and
    /// a closure is a tuple in their order.
    pub(crate) variables: Vec<Variable>,
    /// How the operations are to be read.
    pub(crate) features: Features,
    /// What a `NameId` indexes.
    pub(crate) names: Vec<PyStr>,
    /// What `Op::Const` indexes.
    pub(crate) consts: Vec<LoweredConst>,
    /// Where operations begin that belong to another statement or expression than those before, and its origin.
    pub(crate) locations: Vec<(u32, Origin)>,
    /// What `-O` and `-OO` would have left out up to here.
    pub(crate) optional: Optional,
}

impl Lowered {
    /// The origin of the statement or expression that an operation belongs to.
    pub(crate) fn location(&self, at: u32) -> Option<Origin> {
        let next = self.locations.partition_point(|(start, _)| *start <= at);
        self.locations.get(next.checked_sub(1)?).map(|&(_, origin)| origin)
    }

    /// As if it had been decoded: the offset of an operation is its index.
    pub(crate) fn to_function(&self) -> Function {
        let instruction = |(at, &op): (usize, &Op)| Instruction {
            op,
            offset: at as u32,
            line: None,
            column: None,
            width: 0,
        };
        Function {
            variables: self.variables.clone(),
            instructions: self.ops.iter().enumerate().map(instruction).collect(),
            regions: self.regions.clone(),
            features: self.features,
            offsets: Offsets::default(),
        }
    }
}

/// What a compiler that optimises leaves out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Optional {
    /// `assert` statements, and what depends on `__debug__`.
    pub(crate) assertions: bool,
    /// Docstrings.
    pub(crate) docstrings: bool,
}

/// A constant of a [`Lowered`].
#[derive(Debug)]
pub(crate) enum LoweredConst {
    /// A value.
    Value(Const),
    /// A nested function, class or comprehension.
    Code(Box<Lowered>),
}

/// Why a tree cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LowerError {
    /// What is wrong.
    pub(crate) message: String,
    /// The statement or expression at fault.
    pub(crate) origin: Origin,
}

/// Shorthand of this module. Errors are rare and large: results without a value fit into a register.
pub(crate) type LowerResult<T> = Result<T, Box<LowerError>>;

/// How the source is to be read.
#[derive(Clone, Debug)]
pub(crate) struct LowerOptions {
    /// The version whose compiler it is for.
    pub(crate) compiler: CompilerFeatures,
    /// `-O`: 1 drops `assert` and makes `__debug__` False, 2 drops docstrings too.
    pub(crate) optimize: u8,
    /// `from __future__ import annotations` is in force, whether or not the tree says so.
    pub(crate) future_annotations: bool,
    /// The tree has no text that it was parsed from: the fields of t-strings show what is printed of them, and its origins
    /// are no lines, so that they are not noted.
    pub(crate) is_unprinted: bool,
}

/// What surrounds a function that is lowered alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// Its free variables: names that enclosing functions bind.
    pub(crate) free: Vec<PyStr>,
    /// The class whose private names (`__x`) it uses.
    pub(crate) class_name: Option<PyStr>,
    /// What stands before its name in `__qualname__`, the dot included.
    pub(crate) qualname_prefix: String,
    /// How many definitions stand in front of it, see [`Lowered::definition`].
    pub(crate) definitions: u32,
}

/// Lowers a module.
///
/// # Errors
/// Where the tree is nested too deeply, holds what no compiler accepts (`break` outside of a loop), or what
/// only passes of the decompiler know (`Temp`, `Goto`, `Label`).
pub(crate) fn lower_module(block: &[Stmt], options: &LowerOptions) -> LowerResult<Box<Lowered>> {
    generator::module(block, options)
}

/// The variables that a comprehension takes for itself where it runs in the code around, in the order in which they are
/// set aside, and whether they are cells. None where it holds what no compiler accepts.
pub(crate) fn inlined_variables(
    comprehension: &ast::Expr,
    compiler: &CompilerFeatures,
) -> Option<Vec<(PyStr, bool)>> {
    let mut builder = symbols::Builder::new(compiler, false);
    builder.load(comprehension).ok()?;
    let scopes = builder.finish().ok()?;
    let node = symbols::address(comprehension);
    let scope = *scopes.by_node.get(&(node, scope::Role::Comprehension))?;
    Some(scopes.inlined_variables(scope))
}

/// Lowers the body of one function; its decorators, defaults and annotations belong to who defines it.
///
/// # Errors
/// As [`lower_module`].
pub(crate) fn lower_function(
    function: &ast::Function,
    surroundings: &Surroundings,
    options: &LowerOptions,
) -> LowerResult<Box<Lowered>> {
    generator::function(function, surroundings, options)
}
