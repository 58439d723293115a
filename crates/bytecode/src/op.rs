//! The neutral operations: what an instruction means, the same for every CPython.
//!
//! [`crate::decode()`] turns each instruction of any version into zero or more of these. They work on an
//! abstract stack; "top" is the last value pushed, and a *depth* counts from the top, the top being 1.
//! `NULL` is a stack slot like any other. Each operation's comment gives its effect as `before -> after`,
//! the top at the right.

/// Index into [`crate::Function::variables`]: locals, cells and free variables in one table.
pub type VarId = u32;
/// Index into [`crate::CodeObject::names`].
pub type NameId = u32;
/// Index into [`crate::CodeObject::consts`].
pub type ConstId = u32;
/// Index into [`crate::Function::instructions`].
pub type Target = u32;

/// One neutral operation. Its fields are as narrow as they may be, so that it fits into a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `->` Nothing; kept where it is a jump target or alone on a line (it marks `try`, `pass`).
    Nop,
    /// `x ->`
    Pop,
    /// `x_n .. x_1 -> x_n .. x_1 x_n`: DUP_TOP is `Copy(1)`, DUP_TOP_TWO is `Copy(2) Copy(2)`.
    Copy(u32),
    /// Exchanges the top with the value at depth n: ROT_TWO is `Swap(2)`.
    Swap(u32),
    /// Lifts the second..n-th up by one and puts the top at depth n: ROT_THREE is `Rot(3)`.
    Rot(u32),
    /// `-> NULL`
    PushNull,

    /// `-> co_consts[i]`
    Const(ConstId),
    /// `-> int` (LOAD_SMALL_INT)
    SmallInt(i32),
    /// `-> object` that the interpreter itself holds.
    Common(CommonConst),

    /// `-> value` (LOAD_FAST in all its variants)
    LoadLocal(VarId),
    /// `-> value or NULL`, and the local becomes unbound (inlined comprehensions, 3.12 and later).
    LoadLocalAndClear(VarId),
    /// `->`: the local that was just cleared holds a new cell (MAKE_CELL of an inlined comprehension).
    MakeCell(VarId),
    /// `value ->`; a NULL unbinds (only after `LoadLocalAndClear`).
    StoreLocal(VarId),
    /// `->`
    DeleteLocal(VarId),
    /// `-> value` of a cell or free variable.
    LoadDeref(VarId),
    /// `value ->`
    StoreDeref(VarId),
    /// `->`
    DeleteDeref(VarId),
    /// `-> cell` itself, to build a closure (LOAD_CLOSURE; a LOAD_FAST of a cell from 3.13).
    LoadClosure(VarId),
    /// `-> value`: class scope, the class namespace first, then the cell (LOAD_CLASSDEREF).
    LoadClassDeref(VarId),
    /// `mapping -> value`: LOAD_FROM_DICT_OR_DEREF.
    LoadFromDictOrDeref(VarId),
    /// `mapping -> value`: LOAD_FROM_DICT_OR_GLOBALS.
    LoadFromDictOrGlobals(NameId),
    /// `-> value`
    LoadGlobal(NameId),
    /// `value ->`
    StoreGlobal(NameId),
    /// `->`
    DeleteGlobal(NameId),
    /// `-> value` (module and class scope)
    LoadName(NameId),
    /// `value ->`
    StoreName(NameId),
    /// `->`
    DeleteName(NameId),
    /// `-> locals()`
    LoadLocals,
    /// `-> __build_class__`
    LoadBuildClass,

    /// `object -> value`. A method load is `LoadAttr` and a `PushNull` in the order of the call layout.
    LoadAttr(NameId),
    /// `value object ->`
    StoreAttr(NameId),
    /// `object ->`
    DeleteAttr(NameId),
    /// `super class self -> value`: LOAD_SUPER_ATTR; `two_arguments` where the source wrote both.
    LoadSuperAttr {
        /// The attribute.
        name: NameId,
        /// `super(class, self)` rather than `super()`.
        two_arguments: bool,
    },

    /// `[callee slots] a_1 .. a_n -> result`. See [`CallLayout`].
    Call {
        /// Positional arguments.
        positional: u32,
        /// Where the callee lies.
        layout: CallLayout,
    },
    /// `[callee slots] a_1 .. a_n names -> result`: the last arguments are keywords, `names` a constant
    /// tuple. KW_NAMES (3.11, 3.12) becomes a `Const` right before this.
    CallKeywords {
        /// Positional and keyword arguments together.
        arguments: u32,
        /// Where the callee lies.
        layout: CallLayout,
    },
    /// `[callee slots] args [kwargs] -> result`: `f(*args, **kwargs)`. From 3.14 the `kwargs` slot is
    /// always there and may be NULL.
    CallEx {
        /// Whether the slot for keywords is on the stack.
        keywords: bool,
        /// Where the callee lies.
        layout: CallLayout,
    },
    /// `x -> result`: CALL_INTRINSIC_1.
    Intrinsic1(Intrinsic1),
    /// `x y -> result`: CALL_INTRINSIC_2.
    Intrinsic2(Intrinsic2),

    /// `x -> result`
    Unary(UnaryOp),
    /// `x y -> result`
    Binary(BinaryOp),
    /// `x y -> result`, as `x += y` does it.
    Inplace(BinaryOp),
    /// `x y -> result`: `<`, `<=`, `==`, `!=`, `>`, `>=`.
    Compare(CompareOp),
    /// `x y -> bool`: `x is y`, or `is not`.
    Is {
        /// `is not`.
        negated: bool,
    },
    /// `x y -> bool`: `x in y`, or `not in`.
    Contains {
        /// `not in`.
        negated: bool,
    },
    /// `x -> bool(x)`: TO_BOOL. The jump or `not` that follows takes the result.
    ToBool,
    /// `object key -> value`
    Subscript,
    /// `value object key ->`
    StoreSubscript,
    /// `object key ->`
    DeleteSubscript,
    /// `object start stop -> value`
    BinarySlice,
    /// `value object start stop ->`
    StoreSlice,
    /// `start stop [step] -> slice`; the number is 2 or 3.
    BuildSlice(u32),

    /// `x_1 .. x_n -> tuple`
    BuildTuple(u32),
    /// `x_1 .. x_n -> list`
    BuildList(u32),
    /// `x_1 .. x_n -> set`
    BuildSet(u32),
    /// `k_1 v_1 .. k_n v_n -> dict`
    BuildMap(u32),
    /// `v_1 .. v_n keys -> dict`: `keys` is a constant tuple.
    BuildConstKeyMap(u32),
    /// `s_1 .. s_n -> str`: joins the parts of an f-string.
    BuildString(u32),
    /// `x ->`: appends to the list at depth i, counted after the pop (so LIST_APPEND's own argument).
    ListAppend(u32),
    /// `x ->`: adds to the set at depth i.
    SetAdd(u32),
    /// `key value ->`: sets in the dict at depth i.
    MapAdd(u32),
    /// `iterable ->`: extends the list at depth i.
    ListExtend(u32),
    /// `iterable ->`: updates the set at depth i.
    SetUpdate(u32),
    /// `mapping ->`: `{**m}` into the dict at depth i.
    DictUpdate(u32),
    /// `mapping ->`: `f(**m)`, as DictUpdate but a repeated key raises.
    DictMerge(u32),
    /// `list -> tuple` (LIST_TO_TUPLE; an intrinsic from 3.12, decoded to this as well).
    ListToTuple,
    /// `x_1 .. x_n -> collection` of all items: the BUILD_x_UNPACK of 3.8.
    BuildUnpack(UnpackKind, u32),

    /// `value [spec] -> str`: FORMAT_VALUE to 3.12, FORMAT_SIMPLE and FORMAT_WITH_SPEC later.
    Format {
        /// `!s`, `!r`, `!a`, applied when the value is formatted.
        conversion: Conversion,
        /// Whether a format specification is on the stack.
        spec: bool,
    },
    /// `value -> str`: CONVERT_VALUE (3.13 and later), before the specification is evaluated.
    Convert(Conversion),
    /// `value text [spec] -> interpolation` (t-strings, 3.14 and later).
    BuildInterpolation {
        /// `!s`, `!r`, `!a`.
        conversion: Conversion,
        /// Whether a format specification is on the stack.
        spec: bool,
    },
    /// `strings interpolations -> template`
    BuildTemplate,

    /// `sequence -> x_n .. x_1`: the first item ends on top.
    Unpack(u32),
    /// `sequence -> ...`: `a, *b, c = x`, the first item on top.
    UnpackEx {
        /// Names before the star; the compiler allows no more than 255.
        before: u8,
        /// Names after it.
        after: u32,
    },
    /// `iterable -> iterator`. Where the interpreter pushes a second slot (3.15), a `PushNull` follows.
    GetIter,
    /// `iterable -> iterator` for `yield from` (3.8 to 3.14; 3.15 uses `GetIter`).
    GetYieldFromIter,
    /// `iterator -> iterator item`, or a jump on exhaustion.
    ForIter {
        /// Where an exhausted loop goes: behind the END_FOR, END_FOR + POP_TOP of 3.12 and 3.13.
        exhausted: Target,
        /// Slots of the iterator: 1, or 2 (3.15).
        slots: u8,
        /// Whether exhaustion pops those slots itself (to 3.13); later POP_ITER, decoded to `Pop`, does.
        pops: bool,
    },

    /// `->`
    Jump(Target),
    /// `x ->`
    JumpIf(JumpCondition, Target),
    /// Jumps and keeps `x` where its truth is the flag, else pops it (JUMP_IF_x_OR_POP, to 3.11).
    JumpIfOrPop(bool, Target),
    /// `x ->`
    Return,
    /// `[exception [cause]] ->`: the number of operands, 0 to 2.
    Raise(u32),
    /// Raises the exception on the stack again. To 3.10 it pops three values; from 3.11 `exception ->`.
    /// A flag says that `f_lasti` is restored from the stack.
    Reraise(bool),

    /// `exception -> previous exception` (3.11 and later; to 3.10 the handler starts with six values).
    PushExcInfo,
    /// `previous ->` (to 3.10 pops three values)
    PopExcept,
    /// `exception type -> exception bool` (3.11 and later), `type_of_exception type -> bool` (to 3.10).
    ExceptionMatch,
    /// `group type -> rest match` (`except*`)
    ExceptionGroupMatch,
    /// `manager -> exit [NULL] entered`: BEFORE_WITH, the second half of SETUP_WITH, or the LOAD_SPECIAL
    /// sequence of 3.14. `slots` is 1, or 2 where the exit function lies with its `self` or NULL.
    BeforeWith {
        /// Slots that the exit function takes.
        slots: u32,
        /// `async with`: what lies on top is awaited next.
        is_async: bool,
    },
    /// Calls the exit function below the handler's exception and pushes its result.
    WithExceptStart,
    /// The handler's part of 3.8: `.. exception values -> .. exit's result` (WITH_CLEANUP_START).
    WithCleanupStart,
    /// 3.8: WITH_CLEANUP_FINISH.
    WithCleanupFinish,
    /// 3.8: `-> NULL`, on the normal way into a `finally` body.
    BeginFinally,
    /// 3.8: calls the `finally` body at the target as a subroutine.
    CallFinally(Target),
    /// 3.8: the end of a `finally` body, both on the normal and on the exceptional way. Where control did not fall
    /// into the body, but was called or raised, it does not go on behind it.
    EndFinally {
        /// Whether control may have fallen into the body.
        falls: bool,
    },
    /// 3.8: drops what a `finally` body was entered with; the flag says that a result lies above it.
    PopFinally(bool),
    /// To 3.10, leaves the innermost protected region. Only a marker here: the regions are in
    /// [`crate::Function::regions`].
    PopBlock,
    /// To 3.10, enters a protected region whose handler is at the target. Only a marker, like `PopBlock`.
    SetupBlock(Target),

    /// `value -> sent`
    Yield,
    /// `iterator sent -> result`: YIELD_FROM, to 3.10.
    YieldFrom,
    /// `iterator sent -> iterator yielded`, or a jump with `iterator result` (3.11: `result`) at the end.
    /// In 3.15 a NULL lies between the two slots.
    Send(Target),
    /// `iterator value -> value` (END_SEND, 3.12 and later; in 3.15 `Swap(2)` and `Pop` drop the NULL first).
    EndSend,
    /// `awaitable -> iterator`
    GetAwaitable,
    /// `aiterable -> aiterator`
    GetAiter,
    /// `aiterator -> aiterator awaitable`
    GetAnext,
    /// Ends `async for` when the exception on the stack is StopAsyncIteration.
    EndAsyncFor,
    /// The handler of a suspended `await` (3.12 and later).
    CleanupThrow,

    /// Makes a function. To 3.12 the parts flagged lie below the code object (and, to 3.10, its name,
    /// which the decoder drops as a `Pop`): see [`FunctionParts`].
    MakeFunction(FunctionParts),
    /// `part function -> function` (3.13 and later): exactly one flag is set.
    SetFunctionAttribute(FunctionParts),
    /// `->`: SETUP_ANNOTATIONS
    SetupAnnotations,

    /// `level fromlist -> module`
    ImportName {
        /// The module.
        name: NameId,
        /// `lazy import` (3.15).
        lazy: bool,
    },
    /// `module -> module value`
    ImportFrom(NameId),
    /// `module ->`
    ImportStar,

    /// `subject class keywords -> attributes or None` (to 3.10 a bool is pushed as well)
    MatchClass(u32),
    /// `subject -> subject bool`
    MatchMapping,
    /// `subject -> subject bool`
    MatchSequence,
    /// `subject keys -> subject keys values_or_None` (to 3.10 a bool is pushed as well)
    MatchKeys,
    /// `object -> object len(object)`
    GetLen,
    /// 3.10: `mapping keys -> mapping copy-without-the-keys` (COPY_DICT_WITHOUT_KEYS).
    CopyDictWithoutKeys,

    /// An instruction that nothing else in this list describes: the raw opcode number.
    Unknown(u8),
}

const _: () = assert!(size_of::<Op>() == 8, "an operation fits into a register");

/// Where a call's callee lies below its arguments.
///
/// Two-slot layouts are read alike: one of the two slots is NULL and the other the callee, or, where
/// neither is, the lower is the callee and the upper its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallLayout {
    /// One slot: the callee (CALL_FUNCTION, to 3.10).
    Plain,
    /// Two slots: `NULL callee` or `method self` (CALL_METHOD to 3.10; CALL in 3.11, 3.12).
    NullBelow,
    /// Two slots: `callee NULL` or `method self` (3.13 and later).
    NullAbove,
}

/// LOAD_COMMON_CONSTANT, LOAD_ASSERTION_ERROR: objects that no name is looked up for.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommonConst {
    AssertionError,
    NotImplementedError,
    Tuple,
    All,
    Any,
    List,
    Set,
    None,
    EmptyStr,
    True,
    False,
    MinusOne,
}

/// CALL_INTRINSIC_1 (CPython `Include/internal/pycore_intrinsics.h`).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic1 {
    Print,
    ImportStar,
    StopIterationError,
    AsyncGenWrap,
    UnaryPositive,
    ListToTuple,
    TypeVar,
    ParamSpec,
    TypeVarTuple,
    SubscriptGeneric,
    TypeAlias,
}

/// CALL_INTRINSIC_2.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic2 {
    PrepReraiseStar,
    TypeVarWithBound,
    TypeVarWithConstraints,
    SetFunctionTypeParams,
    SetTypeparamDefault,
}

/// Unary operators.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Negative,
    Positive,
    Invert,
    Not,
}

/// Binary operators.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Rich comparisons.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
}

/// What a conditional jump tests.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JumpCondition {
    True,
    False,
    None,
    NotNone,
}

/// Conversions of a replacement field.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    None,
    Str,
    Repr,
    Ascii,
}

/// The collections that BUILD_x_UNPACK of 3.8 makes.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnpackKind {
    List,
    Tuple,
    /// BUILD_TUPLE_UNPACK_WITH_CALL
    TupleForCall,
    Set,
    Map,
    /// BUILD_MAP_UNPACK_WITH_CALL
    MapForCall,
}

/// Flags of MAKE_FUNCTION and SET_FUNCTION_ATTRIBUTE (CPython `Python/compile.c`). The parts lie on the
/// stack in this order, the first deepest: defaults, keyword defaults, annotations, closure, code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FunctionParts(pub u32);

impl Op {
    /// Whether it does nothing but load a constant, be that in `co_consts` or not.
    #[must_use]
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::Const(_) | Self::SmallInt(_) | Self::Common(_))
    }

    /// Whether it stores to a variable, of whichever scope.
    #[must_use]
    pub const fn stores_variable(&self) -> bool {
        matches!(self, Self::StoreLocal(_) | Self::StoreDeref(_) | Self::StoreGlobal(_) | Self::StoreName(_))
    }

    /// Whether it leaves the function, or what is protected, for good.
    #[must_use]
    pub const fn leaves(&self) -> bool {
        matches!(self, Self::Return | Self::Raise(_) | Self::Reraise(_))
    }

    /// Where it may jump to, or what its handler is.
    #[must_use]
    pub const fn target(&self) -> Option<Target> {
        match *self {
            Self::ForIter { exhausted: target, .. }
            | Self::Jump(target)
            | Self::JumpIf(_, target)
            | Self::JumpIfOrPop(_, target)
            | Self::CallFinally(target)
            | Self::SetupBlock(target)
            | Self::Send(target) => Some(target),
            _ => None,
        }
    }

    /// The same operation, with another target if it has one.
    #[must_use]
    pub const fn with_target(self, target: Target) -> Self {
        match self {
            Self::ForIter { slots, pops, .. } => Self::ForIter { exhausted: target, slots, pops },
            Self::Jump(_) => Self::Jump(target),
            Self::JumpIf(condition, _) => Self::JumpIf(condition, target),
            Self::JumpIfOrPop(flag, _) => Self::JumpIfOrPop(flag, target),
            Self::CallFinally(_) => Self::CallFinally(target),
            Self::SetupBlock(_) => Self::SetupBlock(target),
            Self::Send(_) => Self::Send(target),
            other => other,
        }
    }

    /// Whether what stands behind it may be next. What ends a `finally` body counts, though it may never go on there.
    #[must_use]
    pub const fn falls_through(&self) -> bool {
        !matches!(self, Self::Jump(_)) && !self.leaves()
    }
}

impl FunctionParts {
    /// A tuple of positional defaults.
    pub const DEFAULTS: u32 = 1;
    /// A dict of keyword-only defaults.
    pub const KEYWORD_DEFAULTS: u32 = 2;
    /// A tuple (3.10 and later) or dict of annotations.
    pub const ANNOTATIONS: u32 = 4;
    /// A tuple of cells.
    pub const CLOSURE: u32 = 8;
    /// The `__annotate__` function (3.14 and later).
    pub const ANNOTATE: u32 = 16;

    /// Whether the part is there.
    #[must_use]
    pub fn has(self, part: u32) -> bool {
        self.0 & part != 0
    }
}
