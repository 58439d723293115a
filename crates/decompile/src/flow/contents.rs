//! What a function holds. Most functions are a few statements one behind the other: a pass that looks for a kind of
//! operation which the function does not hold is not run at all.

use depyf_bytecode::{CodeObject, CommonConst, Const, Function, Instruction, JumpCondition, Op, flags};

use crate::View;
use crate::lift::{Context, Temporaries};
use crate::names::is_identifier;
use crate::scope::{is_comprehension, is_expression};

/// A set of kinds of operations, found while the graph is built. A pass only ever takes kinds away, except for
/// those that the set has a method for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contents(u64);

impl Contents {
    /// No kind: no pass is for a function that holds this.
    pub(crate) const NOTHING: Self = Self(0);
    /// What every function holds.
    pub(crate) const ANYTHING: Self = Self(1);
    /// An operation after which control may go on somewhere else.
    pub(crate) const JUMPS: Self = Self(1 << 1);
    /// Tests that decide where control goes on.
    pub(crate) const TESTS: Self = Self(1 << 2);
    /// Protected regions, and so handlers.
    pub(crate) const REGIONS: Self = Self(1 << 3);
    /// The loop of `await` and `yield from` (3.11 on).
    pub(crate) const SENDS: Self = Self(1 << 4);
    /// The end of an `async for`.
    pub(crate) const ASYNC_LOOPS: Self = Self(1 << 5);
    /// The beginning of a `with` statement, or its handler.
    pub(crate) const MANAGERS: Self = Self(1 << 6);
    /// Copies of the value on top of the stack. Those of what lies below are the interpreter's own, as in each handler.
    pub(crate) const COPIES: Self = Self(1 << 7);
    /// What only patterns of a `match` statement do.
    pub(crate) const PATTERNS: Self = Self(1 << 8);
    /// `SETUP_ANNOTATIONS`.
    pub(crate) const ANNOTATIONS: Self = Self(1 << 9);
    /// The constant `AssertionError`.
    pub(crate) const ASSERTIONS: Self = Self(1 << 10);
    /// `del` of a local.
    pub(crate) const DELETIONS: Self = Self(1 << 11);
    /// A value that is dropped.
    pub(crate) const POPS: Self = Self(1 << 12);
    /// A global, or a variable of an enclosing function, that is stored or deleted.
    pub(crate) const SHARED_STORES: Self = Self(1 << 14);
    /// An item that is added to a container on the stack.
    pub(crate) const ADDITIONS: Self = Self(1 << 15);
    /// A code object among the constants.
    pub(crate) const NESTED_CODE: Self = Self(1 << 16);
    /// The code is that of a generator.
    pub(crate) const GENERATOR: Self = Self(1 << 17);
    /// The code is the body of a module or class.
    pub(crate) const BODY: Self = Self(1 << 18);
    /// Temporaries that statements assign; known when the function has been lifted.
    pub(crate) const ASSIGNED_TEMPORARIES: Self = Self(1 << 19);
    /// A `return` of None for which none was written, as far as is known.
    pub(crate) const IMPLIED_RETURNS: Self = Self(1 << 20);
    /// The tree may hold temporaries; known when the function has been lifted.
    pub(crate) const TEMPORARIES: Self = Self(1 << 13);

    /// A comparison by membership or identity, in a function that has tests.
    pub(crate) const MEMBERSHIP: Self = Self(1 << 21);

    /// Ends of the function that passes may have moved, see `join_copied_ends`.
    pub(crate) const MOVED_ENDS: Self = Self(1 << 25);
    /// Locals that are set aside for an inlined comprehension.
    pub(crate) const CLEARED_LOCALS: Self = Self(1 << 24);
    /// An operation behind which a block ends, though it goes on nowhere else; asked while the graph is built.
    pub(super) const BORDERS: Self = Self(1 << 22);
    /// The end of the body of a `try` or `with` (POP_BLOCK, to 3.10).
    pub(super) const BODY_ENDS: Self = Self(1 << 23);

    /// A function around the code, which has variables.
    pub(crate) const INNER: Self = Self(1 << 26);

    /// A jump that tests for None by itself (3.11 on).
    pub(crate) const NONE_TESTS: Self = Self(1 << 27);

    /// A comparison by identity, in a function that has tests.
    pub(crate) const IDENTITY_TESTS: Self = Self(1 << 38);

    /// Tests that became operands of one.
    pub(crate) const COMPOUND_TESTS: Self = Self(1 << 29);

    /// A compound test that was negated when it became an operand of another.
    pub(crate) const NEGATED_TESTS: Self = Self(1 << 28);

    /// Code that stands behind statements though no way leads to it, and is to be printed.
    pub(crate) const UNREACHED: Self = Self(1 << 30);

    /// What nothing reaches is left in the code, and tells of the source (to 3.9).
    pub(crate) const LEFT_OVER: Self = Self(1 << 31);

    /// The operations lie in the order of the source (to 3.11).
    pub(crate) const SOURCE_ORDER: Self = Self(1 << 32);

    /// Annotations are functions (3.14 on).
    pub(crate) const DEFERRED_ANNOTATIONS: Self = Self(1 << 33);

    /// The readable view is asked for.
    pub(crate) const READABLE: Self = Self(1 << 34);

    /// The lines of the text are to break where the compiler asks for that (3.13 on).
    pub(crate) const BROKEN_LINES: Self = Self(1 << 39);

    /// What no operation tells, and no pass changes.
    pub(crate) const GIVEN: Self = Self::LEFT_OVER
        .and(Self::SOURCE_ORDER)
        .and(Self::DEFERRED_ANNOTATIONS)
        .and(Self::READABLE)
        .and(Self::BROKEN_LINES)
        .and(Self::UNREACHED);

    /// A statement that may be part of another one: an import, or a deletion.
    pub(crate) const JOINABLE: Self = Self(1 << 35);

    /// A loop among the statements; known when there are such.
    pub(crate) const LOOPS: Self = Self(1 << 36);

    /// A conditional expression that was found among jumps, or made of two assignments of a temporary. What a constant may be
    /// spelled as tests another one.
    pub(crate) const CONDITIONALS: Self = Self(1 << 37);

    /// A code object among the constants that is an expression in the source, such as a lambda.
    pub(crate) const NESTED_EXPRESSIONS: Self = Self(1 << 40);

    /// An instruction that does nothing, such as what is left of a constant that was tested.
    pub(crate) const NOPS: Self = Self(1 << 41);

    /// A case of a `match` statement; known when these are found.
    pub(crate) const CASES: Self = Self(1 << 42);

    /// A value that is stored or dropped on a line below that of what computed it, as the subject of a `match` is by a case
    /// with nothing but a guard.
    pub(crate) const STORED_BELOW: Self = Self(1 << 43);

    /// What expressions have tests of: a conditional one, or the conditions of a comprehension.
    pub(crate) const INNER_TESTS: Self =
        Self::CONDITIONALS.and(Self::ADDITIONS).and(Self::NESTED_EXPRESSIONS);

    /// What a name may have to be declared for.
    pub(crate) const DECLARED: Self =
        Self::SHARED_STORES.and(Self::NESTED_CODE).and(Self::ADDITIONS).and(Self::INNER).and(Self::BODY);

    /// All kinds that operations tell of: what a pass says of a graph that it has made anew.
    pub(crate) const ALL_OPERATIONS: Self = Self(!Self::GIVEN.0);

    /// All kinds.
    #[cfg(test)]
    pub(crate) const EVERYTHING: Self = Self(u64::MAX);

    /// What a function holds whose operations hold this.
    pub(super) fn completed(self, function: &Function) -> Self {
        let regions = if function.regions.is_empty() { Self::ANYTHING } else { Self::REGIONS };
        let found = self.and(Self::IMPLIED_RETURNS).and(regions);
        if found.meets(Self::TESTS) {
            found
        } else {
            Self(found.0 & !Self::MEMBERSHIP.and(Self::IDENTITY_TESTS).0)
        }
    }

    /// What a code object says without its operations.
    pub(crate) fn of_code(code: &CodeObject) -> Self {
        let mut found = Self::ANYTHING;
        for value in &code.consts {
            let Const::Code(nested) = value else { continue };
            found.add(Self::NESTED_CODE);
            // The bodies of functions and classes are not looked into from around them.
            if !is_identifier(&nested.name) || is_expression(nested) {
                found.add(Self::NESTED_EXPRESSIONS);
            }
        }
        if code.flags & (flags::GENERATOR | flags::ASYNC_GENERATOR) != 0 {
            found.add(Self::GENERATOR);
        }
        if code.flags & flags::OPTIMIZED == 0 {
            found.add(Self::BODY);
        }
        // One that the compiler found never to add anything is a comprehension all the same.
        if is_comprehension(code) {
            found.add(Self::ADDITIONS);
        }
        found
    }

    /// What is known of a function without its operations, and what is asked for.
    pub(crate) fn of_context(context: &Context<'_>) -> Self {
        let features = &context.function.features;
        let found = [
            (context.scope.bound_around().is_some(), Self::INNER),
            (!context.unreached.is_empty(), Self::UNREACHED),
            (!features.copies_implicit_end, Self::LEFT_OVER),
            (features.source_order, Self::SOURCE_ORDER),
            (features.deferred_annotations, Self::DEFERRED_ANNOTATIONS),
            (context.scope.options.view == View::Readable, Self::READABLE),
            (context.scope.broken_lines().is_some(), Self::BROKEN_LINES),
        ];
        let kinds = found.into_iter().filter(|(holds, _)| *holds).map(|(_, kind)| kind);
        kinds.fold(Self::of_code(context.code), Self::and)
    }

    /// What an operation is. The walk that asks it of every instruction has its cases for its own.
    #[inline(always)]
    pub(super) fn of_operation(op: &Op) -> Self {
        match op {
            Op::JumpIf(JumpCondition::None | JumpCondition::NotNone, _) => {
                Self::JUMPS.and(Self::TESTS).and(Self::MEMBERSHIP).and(Self::NONE_TESTS)
            }
            Op::JumpIf(..) | Op::JumpIfOrPop(..) => Self::JUMPS.and(Self::TESTS),
            Op::Contains { .. } => Self::MEMBERSHIP,
            Op::Is { .. } => Self::MEMBERSHIP.and(Self::IDENTITY_TESTS),
            Op::Send(_) => Self::JUMPS.and(Self::SENDS),
            Op::Jump(_) | Op::CallFinally(_) | Op::ForIter { .. } => Self::JUMPS,
            Op::EndAsyncFor => Self::JUMPS.and(Self::ASYNC_LOOPS),
            Op::Return | Op::Raise(_) | Op::Reraise(_) | Op::EndFinally { .. } | Op::PopExcept => {
                Self::BORDERS
            }
            Op::PopBlock => Self::BODY_ENDS,
            Op::Nop => Self::NOPS,
            Op::LoadLocalAndClear(_) => Self::CLEARED_LOCALS,
            Op::BeforeWith { .. } => Self::MANAGERS.and(Self::BORDERS),
            Op::WithExceptStart | Op::WithCleanupStart => Self::MANAGERS,
            Op::Copy(1) => Self::COPIES,
            Op::MatchSequence | Op::MatchMapping | Op::MatchClass(_) | Op::MatchKeys => Self::PATTERNS,
            Op::SetupAnnotations => Self::ANNOTATIONS,
            Op::Common(CommonConst::AssertionError) => Self::ASSERTIONS,
            Op::DeleteLocal(_) => Self::DELETIONS.and(Self::JOINABLE),
            Op::Pop => Self::POPS,
            Op::StoreGlobal(_) | Op::StoreDeref(_) => Self::SHARED_STORES,
            Op::DeleteGlobal(_) | Op::DeleteDeref(_) => Self::SHARED_STORES.and(Self::JOINABLE),
            Op::DeleteName(_) | Op::DeleteAttr(_) | Op::DeleteSubscript | Op::ImportName { .. } => {
                Self::JOINABLE
            }
            Op::ListAppend(_)
            | Op::SetAdd(_)
            | Op::MapAdd(_)
            | Op::ListExtend(_)
            | Op::SetUpdate(_)
            | Op::DictUpdate(_) => Self::ADDITIONS,
            _ => Self::ANYTHING,
        }
    }

    /// What an instruction is, behind the one before it.
    #[inline(always)]
    pub(super) fn of_store(before: Option<&Instruction>, store: &Instruction) -> Self {
        let is_below = || before.is_some_and(|before| before.line.is_some() && before.line < store.line);
        let takes = store.op.stores_variable() || store.op == Op::Pop;
        if takes && is_below() { Self::STORED_BELOW } else { Self::ANYTHING }
    }

    /// What either holds.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether both hold something of one kind.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Adds a kind that a pass has made.
    pub(crate) fn add(&mut self, made: Self) {
        *self = self.and(made);
    }

    /// Notes that every `return` of None was written that is still there.
    pub(crate) fn note_written_returns(&mut self) {
        self.0 &= !Self::IMPLIED_RETURNS.0;
    }

    /// Adds the temporaries, if lifting has made any. Deferred annotations have some of their own.
    pub(crate) fn note_temporaries(&mut self, function: &Function, found: &Temporaries) {
        if found.are_mentioned() || function.features.deferred_annotations {
            self.add(Self::TEMPORARIES);
        }
        if found.is_used() {
            self.add(Self::ASSIGNED_TEMPORARIES);
        }
    }

    /// Notes that no temporary is left.
    pub(crate) fn note_no_temporaries(&mut self) {
        self.0 &= !Self::TEMPORARIES.0;
    }
}

/// Whether an operation may add an item of a comprehension to its container, or all items of one (3.15).
pub(crate) fn fills_container(op: Op) -> bool {
    Contents::of_operation(&op).meets(Contents::ADDITIONS)
}
