//! What the symbolic stack holds.

use super::type_params::{Generic, TypeAlias};
use depyf_bytecode::VarId;
use depyf_syntax::ast::{BinaryOp, Class, Expr, Function, TypeParam};

/// Index into the lifter's table of pending expressions.
pub(crate) type PendingId = usize;
/// Index into the lifter's table of fresh containers.
pub(crate) type FreshId = usize;
/// Index into the lifter's table of atoms.
pub(crate) type AtomId = usize;

/// One stack slot. Expressions lie in the lifter's tables, so that slots are small and are copied.
///
/// What holds an atom owns it; see [`Lifter::duplicate`](super::Lifter::duplicate).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// The NULL of a call, and a local that `LoadLocalAndClear` found unbound.
    Null,
    /// An expression without effect whose value never changes, such as a literal.
    Atom(AtomId),
    /// A temporary, and the offset of the instruction that pushed it (of [`Origin`]).
    ///
    /// [`Origin`]: depyf_syntax::ast::Origin
    Temp(u32, u32),
    /// The name that an expression got, which was evaluated before.
    Named(PendingId),
    /// A read of a local that has not been printed yet; a store to the local names it first.
    Local(VarId, u32),
    /// An expression that has been evaluated but not printed yet.
    Pending(PendingId),
    /// A container that was built here and that nothing else has seen.
    Fresh(FreshId),
    /// `*iterable` inside a fresh container, already evaluated into the atom, which may be in several places.
    Starred(AtomId),
    /// The exit function of a `with` statement.
    Exit,
    /// Part of what a handler starts with.
    Exception(ExceptionPart),
    /// The result of matching the handled exception against a type.
    ExceptionMatch(AtomId),
    /// What a local held before an inlined comprehension took its name.
    Saved,
    /// What lies below a handler where the ways into it disagree; nothing may use it.
    Unknown,
    /// `__build_class__`
    BuildClass,
    /// The cell of a variable itself, to build a closure.
    Cell(VarId, u32),
    /// The code object with this index among the constants.
    Code(u32),
}

impl Value {
    /// Whether it is an expression without effect whose value never changes.
    pub(crate) fn is_atom(self) -> bool {
        matches!(self, Self::Atom(_) | Self::Temp(..) | Self::Named(_))
    }
}

/// What an exception handler finds on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExceptionPart {
    /// The exception itself, of the handler that starts at the block.
    Raised(usize),
    /// Its type (to 3.10).
    Type(usize),
    /// The exception that was handled before it: on the stack as long as this handler runs.
    Previous(usize),
    /// What only other exception operations take: the traceback, the exception handled before, an offset.
    Internal,
}

/// An expression that has been evaluated but not printed.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// The expression; taken when it becomes part of another.
    pub(crate) expr: Option<Expr>,
    /// What evaluating it does.
    pub(crate) effects: Effects,
    /// How many stack slots and fresh containers hold it.
    pub(crate) references: u32,
    /// More than an expression: see [`Special`].
    pub(crate) special: Special,
    /// Whether it still waits.
    pub(crate) place: Place,
}

/// Where a pending expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the lifter's list of what is live.
    Live,
    /// Out of the list, on its way into another expression.
    Taken,
    /// Part of another expression, printed, or dropped.
    Gone,
}

/// Pending values that a store turns into a statement of their own.
#[derive(Clone, Debug)]
pub(crate) enum Special {
    /// Just an expression.
    None,
    /// `left op= right`, unless it is stored back to where `left` came from.
    Inplace(Box<Inplace>),
    /// A `def`.
    Function(Box<Function>),
    /// The body of a comprehension (to 3.11, and generator expressions).
    Comprehension(Box<Body>),
    /// A type parameter; a tuple of them goes to a definition.
    TypeParam(Box<TypeParam>),
    /// A function that makes type parameters and a definition, which is called at once.
    Generic(Box<Generic>),
    /// A `type` statement.
    TypeAlias(Box<TypeAlias>),
    /// A `class`.
    Class(Box<Class>),
    /// An iterator: prints as its iterable where a `for` takes it.
    Iterator,
    /// An asynchronous iterator, likewise.
    AsyncIterator,
    /// What the body of an asynchronous comprehension returned: awaiting it is part of the comprehension.
    Coroutine,
    /// A field that only a t-string takes.
    Interpolation,
    /// A value that was converted for the field of an f-string (3.13 on).
    Converted,
    /// What `await` waits for; only `YieldFrom` takes it.
    Awaitable,
    /// `*iterable`: named as a list where it cannot stay in place.
    Starred,
    /// A tuple of arguments with unpacked ones among them, or a dict of keywords, which a call takes (3.8): no display
    /// of its own.
    Arguments,
}

/// `left op= right`.
#[derive(Clone, Debug)]
pub(crate) struct Inplace {
    pub(crate) op: BinaryOp,
    pub(crate) left: Expr,
    pub(crate) right: Expr,
}

/// The body of a comprehension.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// With a hole for its first iterable.
    pub(crate) expr: Expr,
    /// Whether calling it gives a coroutine.
    pub(crate) awaited: bool,
}

impl Special {
    /// Whether only statements can spell the value.
    pub(crate) fn needs_statement(&self) -> bool {
        match self {
            Self::Inplace(_)
            | Self::Function(_)
            | Self::Comprehension(_)
            | Self::Class(_)
            | Self::TypeParam(_)
            | Self::Generic(_)
            | Self::TypeAlias(_) => true,
            Self::None
            | Self::Iterator
            | Self::AsyncIterator
            | Self::Coroutine
            | Self::Interpolation
            | Self::Converted
            | Self::Awaitable
            | Self::Starred
            | Self::Arguments => false,
        }
    }
}

/// A container that was built here and that nothing else has seen, so operations on it are computed now.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    /// Which container.
    pub(crate) kind: FreshKind,
    /// The items; a dict alternates keys and values, `Null` as key means `**value`.
    pub(crate) items: Vec<Value>,
    /// How many stack slots and fresh containers hold it.
    pub(crate) references: u32,
    /// The temporary that holds it, once it had to be printed.
    pub(crate) named: Option<u32>,
    /// Offset of the instruction that built it.
    pub(crate) origin: u32,
    /// How many items that instruction took.
    pub(crate) built_from: usize,
    /// The constant that an empty list or set was filled from, if nothing was added since.
    pub(crate) filled_from: Option<Box<Expr>>,
    /// Where the items begin that were added last: behind a mapping that is unpacked, or behind a part of a large display.
    pub(crate) part: usize,
}

/// Containers that can be fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FreshKind {
    /// `[...]`
    List,
    /// `(...)`
    Tuple,
    /// `{...}`
    Set,
    /// `{k: v}`
    Dict,
    /// `start:stop:step`, always three items.
    Slice,
}

/// Which locals the stack may hold reads of: one bit for each number modulo 64. It says no quickly, so that
/// storing many locals over a deep stack does not search the stack for each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pushed(u64);

impl Pushed {
    /// The stack may hold any.
    pub(crate) const ANY: Self = Self(u64::MAX);

    /// Adds what is pushed.
    pub(crate) fn add(&mut self, value: &Value) {
        if let Value::Local(local, _) = value {
            self.0 |= 1 << (local % 64);
        }
    }

    /// Whether the stack may hold a read of the local.
    pub(crate) fn may_hold(self, local: VarId) -> bool {
        self.0 >> (local % 64) & 1 != 0
    }
}

/// What evaluating an expression does, as far as moving it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Runs user code or raises in a way that user code sees: keeps its place among all such.
    pub(crate) acts: bool,
    /// Reads a global, a name or a cell, which anything that acts may change. Which of two reads finds no value
    /// is seen as well.
    pub(crate) reads: bool,
    /// Locals that it reads.
    pub(crate) locals: Locals,
    /// Locals that it stores (an assignment expression, or a statement of one target).
    pub(crate) stores: Stores,
}

/// The locals that an expression or a statement stores, in that order: nearly always none or one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stores {
    first: Option<VarId>,
    others: Option<Box<Later>>,
}

/// What is stored behind the first local.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Later {
    locals: Vec<VarId>,
}

impl Stores {
    /// None.
    pub(crate) const NONE: Self = Self { first: None, others: None };

    /// Whether nothing is stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Adds a local.
    pub(crate) fn push(&mut self, local: VarId) {
        match self.first {
            None => self.first = Some(local),
            Some(_) => self.others.get_or_insert_default().locals.push(local),
        }
    }

    /// The locals, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        self.first.into_iter().chain(self.others.iter().flat_map(|others| others.locals.iter().copied()))
    }

    fn contains(&self, local: VarId) -> bool {
        self.iter().any(|stored| stored == local)
    }
}

impl Effects {
    /// Nothing.
    pub(crate) const NONE: Self =
        Self { acts: false, reads: false, locals: Locals::NONE, stores: Stores::NONE };

    /// Runs user code.
    pub(crate) fn acting() -> Self {
        Self { acts: true, ..Self::NONE }
    }

    /// Reads a global, a name or a cell.
    pub(crate) fn reading() -> Self {
        Self { reads: true, ..Self::NONE }
    }

    /// Reads a local.
    pub(crate) fn reading_local(local: VarId) -> Self {
        let mut effects = Self::NONE;
        effects.locals.add(local);
        effects
    }

    /// Stores a local.
    pub(crate) fn storing(local: VarId) -> Self {
        let mut effects = Self::NONE;
        effects.stores.push(local);
        effects
    }

    /// Adds what another expression does.
    pub(crate) fn add(&mut self, other: &Self) {
        self.acts |= other.acts;
        self.reads |= other.reads;
        self.locals.add_all(&other.locals);
        if !other.stores.is_empty() {
            for local in other.stores.iter() {
                if !self.stores.contains(local) {
                    self.stores.push(local);
                }
            }
        }
    }

    /// Whether the two may not change places.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        let store_seen = |stores: &Stores, seen: &Self| {
            !stores.is_empty()
                && stores.iter().any(|local| seen.locals.may_hold(local) || seen.stores.contains(local))
        };
        (self.acts || self.reads) && (other.acts || other.reads)
            || store_seen(&self.stores, other)
            || store_seen(&other.stores, self)
    }
}

/// A set of locals, cheap to make and to join: one bit for each of the first, a list of the few others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Locals {
    first: u64,
    others: Option<Box<Others>>,
}

/// The locals of a set that have no bit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Others {
    known: Vec<VarId>,
    /// There are so many that any may be among them.
    any: bool,
}

impl Locals {
    /// None.
    pub(crate) const NONE: Self = Self { first: 0, others: None };

    /// More others than this are not told apart: looking for one must not take long.
    const FEW: usize = 64;

    /// Adds a local.
    pub(crate) fn add(&mut self, local: VarId) {
        if local < u64::BITS {
            self.first |= 1 << local;
            return;
        }
        let others = self.others.get_or_insert_default();
        if !others.known.contains(&local) {
            if others.known.len() < Self::FEW {
                others.known.push(local);
            } else {
                others.any = true;
            }
        }
    }

    /// Adds the locals of another set.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.first |= other.first;
        if let Some(others) = &other.others {
            others.known.iter().for_each(|&local| self.add(local));
            self.others.get_or_insert_default().any |= others.any;
        }
    }

    /// Whether the local may be in the set.
    pub(crate) fn may_hold(&self, local: VarId) -> bool {
        if local < u64::BITS {
            return self.first >> local & 1 != 0;
        }
        self.others.as_ref().is_some_and(|others| others.any || others.known.contains(&local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_keeps_its_order_and_counts_once() {
        let mut effects = Effects::storing(3);
        for local in [1, 3, 2, 1] {
            effects.add(&Effects::storing(local));
        }
        assert_eq!(effects.stores.iter().collect::<Vec<_>>(), [3, 1, 2]);
        assert!(effects.conflicts(&Effects::storing(2)) && Effects::storing(1).conflicts(&effects));
        assert!(
            effects.conflicts(&Effects::reading_local(1)) && Effects::reading_local(3).conflicts(&effects)
        );
        assert!(!effects.conflicts(&Effects::reading_local(4)) && !Effects::storing(4).conflicts(&effects));
        assert!(Effects::NONE.stores.is_empty() && !effects.conflicts(&Effects::acting()));
    }
}
