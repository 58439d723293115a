//! The steps of blocks: operations, and what was folded into values.

use depyf_bytecode::{Const, ConstId, Op};
use depyf_syntax::ast::{CompareOp, Expr};

use super::copied_ends::is_store;
use crate::lift::Effects;

/// One step of a block: a neutral operation, or a piece of control flow that was folded into a value.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Byte offset of the instruction.
    pub(crate) offset: u32,
    /// What it does.
    pub(crate) kind: StepKind,
}

impl Step {
    /// The operation, if the step is nothing else.
    pub(crate) fn op(&self) -> Option<Op> {
        match self.kind {
            StepKind::Op(op) => Some(op),
            _ => None,
        }
    }

    /// Whether it drops a value, as a `break` does with the iterator of its loop.
    pub(crate) fn drops(&self) -> bool {
        matches!(self.kind, StepKind::Op(Op::Pop))
    }

    /// Whether it takes off the stack what a statement around keeps there: an iterator, or the exception of a handler.
    pub(crate) fn unwinds(&self) -> bool {
        matches!(self.kind, StepKind::Op(Op::Pop | Op::PopExcept))
    }

    /// Whether it loads a constant.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(&self.kind, StepKind::Op(op) if op.is_constant())
    }

    /// Whether it stands between the value of a `return` and the end of the function: the exit of a `with` statement
    /// around, or a move of the value.
    pub(crate) fn carries_return(&self) -> bool {
        matches!(self.kind, StepKind::WithExit | StepKind::Op(Op::Swap(_) | Op::Rot(_)))
    }

    /// As [`Self::same`], of steps in copies of code. A tuple that was folded behind the tree is a constant of its own in
    /// each (3.9).
    pub(crate) fn same_with(&self, other: &Self, consts: &[Const]) -> bool {
        let tuple = |step: &Self| match step.kind {
            StepKind::Op(Op::Const(constant)) => match consts.get(constant as usize) {
                Some(Const::Tuple(items)) => Some(items),
                _ => None,
            },
            _ => None,
        };
        let are_same = |a: &[Const], b: &[Const]| a.len() == b.len() && a.iter().zip(b).all(is_same);
        self.same(other) || tuple(self).zip(tuple(other)).is_some_and(|(a, b)| are_same(a, b))
    }

    /// Whether both do the same, whatever instructions they came from.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (StepKind::Op(a), StepKind::Op(b)) => a == b,
            (StepKind::WithExit, StepKind::WithExit) | (StepKind::Never, StepKind::Never) => true,
            (StepKind::Annotation(a), StepKind::Annotation(b)) => a == b,
            (StepKind::AnnotationMark(a), StepKind::AnnotationMark(b)) => a == b,
            (StepKind::IsNone { negated: a }, StepKind::IsNone { negated: b }) => a == b,
            (StepKind::Piece(a), StepKind::Piece(b)) => a.same(b),
            _ => false,
        }
    }
}

/// Whether two constants without parts are the same value of the same type.
fn is_same((a, b): (&Const, &Const)) -> bool {
    match (a, b) {
        (Const::Float(a), Const::Float(b)) => a.to_bits() == b.to_bits(),
        (
            Const::None | Const::Bool(_) | Const::Ellipsis | Const::Int(_) | Const::Str(_) | Const::Bytes(_),
            _,
        ) => a == b,
        _ => false,
    }
}

/// What a [`Step`] does.
#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// A neutral operation that does not transfer control.
    Op(Op),
    /// Control flow that was folded. Most steps are operations, which take a third of its room.
    Piece(Box<Piece>),
    /// `x -> x is None`, or `is not None`.
    IsNone { negated: bool },
    /// `-> iterable`: that of a comprehension which is looked at by itself.
    Iterable,
    /// `exit ->`: the normal call of a `with` statement's exit function.
    WithExit,
    /// `value ->`: annotates the name, a constant; in an `__annotate__` function.
    Annotation(ConstId),
    /// The body comes to its annotation of that number.
    AnnotationMark(u32),
    /// `-> test`: one that never holds, in front of code that nothing reaches.
    Never,
    /// Dynamo's profiler prologue, where the view leaves a comment of it.
    Comment,
}

/// A piece of control flow that was folded into a value.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// `x -> x and b and a` (or `or`) for the values `a, b`: the last comes first, because chains grow at
    /// their front. `grouped`: the result is an operand of the same operator, as `(x and a)` in `(x and a) and b`.
    Bool { and: bool, values: Vec<Folded>, grouped: bool },
    /// `test -> body if test else orelse`
    Conditional { body: Folded, orelse: Folded },
    /// `x y -> x op y and y op ...`: a chained comparison; the last operand is folded.
    Chain { first: CompareOp, rest: Vec<(CompareOp, Folded)> },
    /// `iterable -> container`: a comprehension with a hole for its first iterable, or the iterator of that.
    Comprehension(Folded),
}

impl Piece {
    /// Whether both do the same, whatever instructions they came from.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Bool { and: a, values: x, grouped: left },
                Self::Bool { and: b, values: y, grouped: right },
            ) => a == b && left == right && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.same(y)),
            (Self::Conditional { body: a, orelse: x }, Self::Conditional { body: b, orelse: y }) => {
                a.same(b) && x.same(y)
            }
            (Self::Comprehension(a), Self::Comprehension(b)) => a.same(b),
            (Self::Chain { first: a, rest: x }, Self::Chain { first: b, rest: y }) => {
                a == b && x.len() == y.len() && x.iter().zip(y).all(|((a, x), (b, y))| a == b && x.same(y))
            }
            _ => false,
        }
    }
}

impl StepKind {
    /// A step for control flow that was folded.
    pub(crate) fn piece(piece: Piece) -> Self {
        Self::Piece(Box::new(piece))
    }

    /// The control flow that was folded into the step.
    pub(crate) fn as_piece(&self) -> Option<&Piece> {
        match self {
            Self::Piece(piece) => Some(piece),
            _ => None,
        }
    }
}

/// An expression that stands for steps, and what moving it would disturb.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    /// The value.
    pub(crate) expr: Expr,
    /// What evaluating it does.
    pub(crate) effects: Effects,
}

impl Folded {
    /// Whether both are the same expression, whatever instructions made them.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let bare = |folded: &Self| crate::visit::without_origins(folded.expr.clone());
        // Nearly all that are compared differ here already.
        std::mem::discriminant(&self.expr.kind) == std::mem::discriminant(&other.expr.kind)
            && bare(self) == bare(other)
    }
}

/// Whether the last of the steps ends a statement.
pub(super) fn ends_statement(steps: &[Step]) -> bool {
    let before = steps.len().checked_sub(2).and_then(|at| steps.get(at));
    match steps.last().and_then(Step::op) {
        Some(op) if op.stores_variable() => before.and_then(Step::op) != Some(Op::Copy(1)),
        Some(op) => is_store(op) || matches!(op, Op::StoreSlice | Op::Pop),
        None => false,
    }
}

/// Whether two runs of steps are the same.
pub(super) fn are_same(steps: &[Step], wanted: &[Step]) -> bool {
    steps.len() == wanted.len() && steps.iter().zip(wanted).all(|(a, b)| a.same(b))
}
