//! The code object: what a `.pyc` file and a live function have in common.

use std::sync::Arc;

use depyf_value::{PyInt, PyStr, PyVersion};

use crate::CompilerFeatures;

/// One code object, with the fields of `types.CodeType`.
///
/// Both readers (marshal bytes, and live objects through PyO3) fill the same structure. `varnames`,
/// `cellvars` and `freevars` are those that Python shows; [`crate::decode()`] merges them into one table.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeObject {
    /// The interpreter that made the bytecode.
    pub version: PyVersion,
    /// `co_name`.
    pub name: PyStr,
    /// `co_qualname`; equal to `name` before 3.11.
    pub qualname: PyStr,
    /// `co_filename`.
    pub filename: PyStr,
    /// `co_firstlineno`.
    pub first_line: u32,
    /// `co_argcount`: positional parameters, positional-only ones included.
    pub argcount: u32,
    /// `co_posonlyargcount`.
    pub posonlyargcount: u32,
    /// `co_kwonlyargcount`.
    pub kwonlyargcount: u32,
    /// `co_stacksize`.
    pub stacksize: u32,
    /// `co_flags`, see [`flags`].
    pub flags: u32,
    /// `co_code`: without caches' contents and specialised instructions.
    pub code: Vec<u8>,
    /// `co_consts`.
    pub consts: Vec<Const>,
    /// `co_names`.
    pub names: Vec<PyStr>,
    /// `co_varnames`.
    pub varnames: Vec<PyStr>,
    /// `co_cellvars`.
    pub cellvars: Vec<PyStr>,
    /// `co_freevars`.
    pub freevars: Vec<PyStr>,
    /// `co_lnotab` (to 3.9) or `co_linetable`.
    pub linetable: Vec<u8>,
    /// `co_exceptiontable`; empty before 3.11.
    pub exceptiontable: Vec<u8>,
}

impl CodeObject {
    /// How many variables are parameters, `*args` and `**kwargs` included. They are the first ones.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        let stars = [flags::VARARGS, flags::VARKEYWORDS].map(|flag| usize::from(self.flags & flag != 0));
        self.argcount.saturating_add(self.kwonlyargcount) as usize + stars[0] + stars[1]
    }

    /// A code object without any content, to be filled by struct update.
    #[must_use]
    pub fn empty(version: PyVersion) -> Self {
        Self {
            version,
            name: PyStr::EMPTY,
            qualname: PyStr::EMPTY,
            filename: PyStr::EMPTY,
            first_line: 0,
            argcount: 0,
            posonlyargcount: 0,
            kwonlyargcount: 0,
            stacksize: 0,
            flags: 0,
            code: Vec::new(),
            consts: Vec::new(),
            names: Vec::new(),
            varnames: Vec::new(),
            cellvars: Vec::new(),
            freevars: Vec::new(),
            linetable: Vec::new(),
            exceptiontable: Vec::new(),
        }
    }

    /// Whether annotations became texts: `from __future__ import annotations` was in force, by a statement of the module
    /// or by that of who called `compile` (`inherit_flags` of `Python/bltinmodule.c`).
    #[must_use]
    pub fn has_annotation_texts(&self) -> bool {
        CompilerFeatures::of(self.version)
            .is_some_and(|compiler| self.flags & compiler.future_annotations_flags != 0)
    }
}

/// Bits of `co_flags` (CPython `Include/cpython/code.h`).
pub mod flags {
    /// Locals are fast locals: a function, not a module or class body.
    pub const OPTIMIZED: u32 = 0x1;
    /// A new namespace is made for each call.
    pub const NEWLOCALS: u32 = 0x2;
    /// The function takes `*args`.
    pub const VARARGS: u32 = 0x4;
    /// The function takes `**kwargs`.
    pub const VARKEYWORDS: u32 = 0x8;
    /// A generator function.
    pub const GENERATOR: u32 = 0x20;
    /// A coroutine function (`async def`).
    pub const COROUTINE: u32 = 0x80;
    /// An asynchronous generator function.
    pub const ASYNC_GENERATOR: u32 = 0x200;
    /// The first constant is a docstring (3.14 and later).
    pub const HAS_DOCSTRING: u32 = 0x0400_0000;
}

/// One constant of a code object. Shared parts stay shared, so a deeply shared constant costs what it
/// costs on disk; whoever prints one must bound the expansion.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// `None`.
    None,
    /// `True` and `False`.
    Bool(bool),
    /// `...`.
    Ellipsis,
    /// An `int`.
    Int(PyInt),
    /// A `float`; equality is by value, so compare bits where `-0.0` and `nan` matter.
    Float(f64),
    /// A `complex`: real and imaginary part.
    Complex(f64, f64),
    /// A `str`.
    Str(PyStr),
    /// A `bytes`.
    Bytes(Arc<[u8]>),
    /// A `tuple`.
    Tuple(Arc<[Const]>),
    /// A `frozenset`, in marshal's order.
    FrozenSet(Arc<[Const]>),
    /// A `slice` (3.14 and later): start, stop, step.
    Slice(Arc<[Const; 3]>),
    /// A nested code object.
    Code(Arc<CodeObject>),
    /// Any other live object. Dynamo puts dtypes, devices, dicts and bound methods into `co_consts`.
    Opaque(Arc<Opaque>),
}

impl Const {
    /// Whether it is a nested code object.
    ///
    /// ```
    /// assert!(!depyf_bytecode::Const::None.is_code());
    /// ```
    #[must_use]
    pub fn is_code(&self) -> bool {
        matches!(self, Self::Code(_))
    }
}

/// A constant that has no literal: it is printed as a name and bound again when the source runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Opaque {
    /// `type(value).__qualname__`.
    pub type_name: String,
    /// `repr(value)`, for comments; never parsed.
    pub repr: String,
    /// The name that stands for the object in the source, e.g. `__const_3`: one name an object.
    pub name: String,
}
