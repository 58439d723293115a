//! The syntax tree: Python source, of any version from 3.8 to 3.15.
//!
//! One tree type serves all passes of the decompiler. [`ExprKind::Temp`] and [`StmtKind::Goto`] are
//! internal: passes remove them, and `depyf_decompile` checks that none reaches the printer (which
//! shows them anyway, so that every stage prints as pseudo-Python).

use depyf_value::{PyInt, PyStr};

/// The bytecode offset that a node came from; [`Origin::NONE`] where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(pub u32);

impl Origin {
    /// The node came from no instruction.
    pub const NONE: Self = Self(u32::MAX);
}

/// A name; valid identifiers only reach the printer.
pub type Ident = PyStr;

/// Whether the line of a local must break in front of it, or must not: the compiler makes one instruction of two that load or
/// store locals only where both stand on one line (3.13 and later; CPython `Python/flowgraph.c`, `insert_superinstructions`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// Nobody asks.
    #[default]
    None,
    /// The first of a pair.
    First,
    /// One instruction does this and what the local in front of it does: both stand on one line.
    Joined,
    /// Two do, though one could: they stand on different lines.
    Apart,
}

/// An expression and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The instruction that computes it (its last, where there are several).
    pub origin: Origin,
    /// Of a name: how it goes with the one in front of it.
    pub pairing: Pairing,
    /// What it is.
    pub kind: ExprKind,
}

/// Expressions, as in the `ast` module. Expressions in binding position are of the same type.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Name(Ident),
    /// A value that a pass has named; internal.
    Temp(u32),
    Literal(Literal),
    Attribute {
        value: Box<Expr>,
        attr: Ident,
    },
    Subscript {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    /// Only as the index of a subscript, alone or in a tuple.
    Slice {
        lower: Option<Box<Expr>>,
        upper: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
    },
    Call(Box<Call>),
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// Two or more values.
    Bool {
        op: BoolOp,
        values: Vec<Expr>,
    },
    Compare {
        left: Box<Expr>,
        rest: Vec<(CompareOp, Expr)>,
    },
    IfExp {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    Named {
        target: Ident,
        value: Box<Expr>,
    },
    Lambda {
        params: Box<Params>,
        body: Box<Expr>,
    },
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Set(Vec<Expr>),
    /// A pair without key is `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    Comprehension {
        kind: ComprehensionKind,
        element: Box<Expr>,
        clauses: Vec<Clause>,
    },
    /// An f-string.
    Joined(Vec<StringPart>),
    /// A t-string (3.14).
    Template(Vec<StringPart>),
    Await(Box<Expr>),
    Yield(Option<Box<Expr>>),
    YieldFrom(Box<Expr>),
    Starred(Box<Expr>),
    /// Source text that the compiler keeps as text: an annotation under `from __future__ import annotations`.
    Verbatim(PyStr),
}

/// Constants that have a literal.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    None,
    Bool(bool),
    Ellipsis,
    Int(PyInt),
    Float(f64),
    Complex {
        real: f64,
        imag: f64,
    },
    Str(PyStr),
    Bytes(Vec<u8>),
    /// A constant tuple: prints like a tuple display of literals.
    Tuple(Vec<Literal>),
    /// A constant frozenset: prints as the set display that the compiler folds where it stands behind
    /// `in`, else as `frozenset({..})`.
    FrozenSet(Vec<Literal>),
    /// A constant slice.
    Slice(Box<[Literal; 3]>),
}

/// `func(args, keywords)`
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub func: Expr,
    /// Positional arguments (with `Starred`) come first, then keywords: the order of evaluation.
    pub args: Vec<Expr>,
    pub keywords: Vec<Keyword>,
}

/// `name=value`, or `**value` without a name.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Keyword {
    pub name: Option<Ident>,
    pub value: Expr,
}

/// `for target in iter if cond ...`
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    pub is_async: bool,
    pub target: Expr,
    pub iter: Expr,
    pub conditions: Vec<Expr>,
}

/// Comprehensions. `Dict`'s element is a `Tuple` of key and value.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComprehensionKind {
    List,
    Set,
    Dict,
    Generator,
}

/// A part of an f-string or t-string.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum StringPart {
    Literal(PyStr),
    Field {
        value: Box<Expr>,
        /// `s`, `r` or `a`.
        conversion: Option<char>,
        /// The format specification, itself made of parts.
        spec: Option<Vec<StringPart>>,
        /// t-strings record the text of the expression.
        text: Option<PyStr>,
    },
}

#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Negative,
    Positive,
    Invert,
    Not,
}

#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    MatrixMultiply,
    TrueDivide,
    FloorDivide,
    Remainder,
    Power,
    LeftShift,
    RightShift,
    And,
    Or,
    Xor,
}

#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoolOp {
    And,
    Or,
}

impl BoolOp {
    /// What joins the negations of operands to the negation of what this one joins.
    pub fn other(self) -> Self {
        match self {
            Self::And => Self::Or,
            Self::Or => Self::And,
        }
    }
}

#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Is,
    IsNot,
    In,
    NotIn,
}

impl CompareOp {
    /// The operator that is true where this one is false, if it has one by its meaning: `a < b` may be anything.
    pub fn negated(self) -> Option<Self> {
        Some(match self {
            Self::Is => Self::IsNot,
            Self::IsNot => Self::Is,
            Self::In => Self::NotIn,
            Self::NotIn => Self::In,
            _ => return None,
        })
    }
}

/// A statement and where it came from.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    pub origin: Origin,
    pub kind: StmtKind,
}

/// A list of statements; an empty one prints as `pass`.
pub type Block = Vec<Stmt>;

/// Statements, as in the `ast` module.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    Expr(Expr),
    /// `a = b = value`
    Assign {
        targets: Vec<Expr>,
        value: Expr,
    },
    AugAssign {
        target: Expr,
        op: BinaryOp,
        value: Expr,
    },
    AnnAssign {
        target: Box<Expr>,
        annotation: Box<Expr>,
        value: Option<Expr>,
        /// Whether the target is a name without parentheses: nothing keeps the annotation of any other target.
        simple: bool,
    },
    Delete(Vec<Expr>),
    Pass,
    Return(Option<Expr>),
    Raise {
        exc: Option<Expr>,
        cause: Option<Expr>,
    },
    Assert {
        test: Expr,
        message: Option<Expr>,
    },
    Import {
        names: Vec<Alias>,
        lazy: bool,
    },
    /// `level` counts the leading dots; a single alias named `*` is a star import.
    ImportFrom {
        module: Option<Ident>,
        names: Vec<Alias>,
        level: u32,
        lazy: bool,
    },
    Global(Vec<Ident>),
    Nonlocal(Vec<Ident>),
    If {
        test: Expr,
        body: Block,
        orelse: Block,
    },
    While {
        test: Expr,
        body: Block,
        orelse: Block,
    },
    For {
        target: Box<Expr>,
        iter: Box<Expr>,
        body: Block,
        orelse: Block,
        is_async: bool,
    },
    With {
        items: Vec<WithItem>,
        body: Block,
        is_async: bool,
    },
    Try(Box<Try>),
    Match {
        subject: Expr,
        cases: Vec<MatchCase>,
    },
    Function(Box<Function>),
    Class(Box<Class>),
    TypeAlias {
        name: Ident,
        type_params: Vec<TypeParam>,
        value: Expr,
    },
    Break,
    Continue,
    /// A comment on lines of its own, `#` not included; line breaks make several.
    Comment(String),
    /// The simple statement behind it stands on the line where the one in front of it, or the header of the body that it
    /// begins, ends.
    SameLine,
    /// A jump that no pass has structured; internal.
    Goto(u32),
    /// The place that a `Goto` names; internal.
    Label(u32),
}

/// `name as asname`
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    pub name: Ident,
    pub asname: Option<Ident>,
}

#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct WithItem {
    pub context: Expr,
    pub target: Option<Expr>,
}

#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    pub body: Block,
    pub handlers: Vec<Handler>,
    pub orelse: Block,
    pub finalbody: Block,
    /// `except*`
    pub is_star: bool,
}

/// `except kind as name:`
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    pub origin: Origin,
    pub kind: Option<Expr>,
    pub name: Option<Ident>,
    pub body: Block,
}

#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct MatchCase {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Block,
}

impl MatchCase {
    /// Whether it is `case _`, which takes all that is left and gives it no name.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.guard.is_none() && self.pattern.is_wildcard()
    }

    /// Whether it takes all that is left, with a name or without.
    #[must_use]
    pub fn always_matches(&self) -> bool {
        self.guard.is_none() && self.pattern.always_matches()
    }
}

/// Patterns of `match`.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    Value(Expr),
    Singleton(Literal),
    Sequence(Vec<Pattern>),
    /// `{key: pattern, **rest}`
    Mapping {
        entries: Vec<(Expr, Pattern)>,
        rest: Option<Ident>,
    },
    Class {
        class: Expr,
        positional: Vec<Pattern>,
        keywords: Vec<(Ident, Pattern)>,
    },
    /// `*name`, or `*_`
    Star(Option<Ident>),
    /// `pattern as name`; both absent is `_`
    As {
        pattern: Option<Box<Pattern>>,
        name: Option<Ident>,
    },
    Or(Vec<Pattern>),
}

impl Pattern {
    /// `_`, which takes everything and binds nothing.
    pub const WILDCARD: Self = Self::As { pattern: None, name: None };

    /// Whether it is `_`.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        matches!(self, Self::As { pattern: None, name: None })
    }

    /// Whether it takes everything: `_`, a name, and alternatives that end with one (CPython `Python/codegen.c`,
    /// `allow_irrefutable`).
    #[must_use]
    pub fn always_matches(&self) -> bool {
        match self {
            Self::As { pattern, .. } => pattern.as_ref().is_none_or(|inner| inner.always_matches()),
            Self::Or(alternatives) => alternatives.last().is_some_and(Self::always_matches),
            _ => false,
        }
    }
}

/// `def` and `async def`
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: Ident,
    pub decorators: Vec<Expr>,
    pub type_params: Vec<TypeParam>,
    pub params: Params,
    pub returns: Option<Expr>,
    pub body: Block,
    pub is_async: bool,
}

/// `class`
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    pub name: Ident,
    pub decorators: Vec<Expr>,
    pub type_params: Vec<TypeParam>,
    pub bases: Vec<Expr>,
    pub keywords: Vec<Keyword>,
    pub body: Block,
}

/// Parameters in the order of the signature.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params {
    pub posonly: Vec<Param>,
    pub regular: Vec<Param>,
    /// `*args`
    pub vararg: Option<Box<Param>>,
    pub kwonly: Vec<Param>,
    /// `**kwargs`
    pub kwarg: Option<Box<Param>>,
}

#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub name: Ident,
    pub annotation: Option<Expr>,
    pub default: Option<Expr>,
}

/// `T: bound = default`, `*Ts`, `**P`
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct TypeParam {
    pub kind: TypeParamKind,
    pub name: Ident,
    pub bound: Option<Expr>,
    pub default: Option<Expr>,
}

#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeParamKind {
    TypeVar,
    TypeVarTuple,
    ParamSpec,
}

impl Expr {
    /// An expression made by the instruction at `origin`.
    #[must_use]
    pub fn new(origin: Origin, kind: ExprKind) -> Self {
        Self { origin, pairing: Pairing::None, kind }
    }

    /// A name that no instruction made.
    #[must_use]
    pub fn name(name: impl Into<Ident>) -> Self {
        Self::new(Origin::NONE, ExprKind::Name(name.into()))
    }
}

impl ExprKind {
    /// A call.
    #[must_use]
    pub fn call(func: Expr, args: Vec<Expr>, keywords: Vec<Keyword>) -> Self {
        Self::Call(Box::new(Call { func, args, keywords }))
    }
}

impl Stmt {
    /// A statement whose effect the instruction at `origin` has.
    #[must_use]
    pub fn new(origin: Origin, kind: StmtKind) -> Self {
        Self { origin, kind }
    }
}

impl Function {
    /// A function without parameters, decorators and annotations.
    #[must_use]
    pub fn plain(name: Ident, body: Block) -> Self {
        Self {
            name,
            decorators: Vec::new(),
            type_params: Vec::new(),
            params: Params::default(),
            returns: None,
            body,
            is_async: false,
        }
    }
}
