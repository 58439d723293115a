//! The graph between lifting and structuring: blocks of statements, and how each ends.

use std::rc::Rc;

use depyf_bytecode::Features;
use depyf_syntax::ast::{Expr, Pattern, Stmt};

use super::Evidence;
use crate::flow::{
    BlockId, DeadJumps, Graph, Layout, Lists, Protection, RegionId, Successors, Ways, reverse_postorder,
};

/// A block as statements.
#[derive(Clone, Debug)]
pub(crate) struct LiftedBlock {
    /// What it does.
    pub(crate) statements: Vec<Stmt>,
    /// How it ends.
    pub(crate) end: LiftedEnd,
    /// Offset of the instruction that ends it.
    pub(crate) end_offset: u32,
    /// Offset of its first instruction.
    pub(crate) start: u32,
    /// The innermost region that protects it.
    pub(crate) region: Option<RegionId>,
    /// How much of the stack belongs to exceptions that are being handled: more inside a handler than
    /// around it.
    pub(crate) handling: usize,
    /// How many values lie on the stack when the block begins: more inside a `for` loop than around it.
    pub(crate) depth: usize,
    /// Whether what the end of the block takes was on the stack already when the block began.
    pub(crate) carries: bool,
    /// How the test that ends it lies.
    pub(crate) layout: Layout,
    /// The unreachable jumps beside it.
    pub(crate) dead: DeadJumps,
    /// See [`crate::flow::Block::written`].
    pub(crate) written: Option<u32>,
}

/// How a lifted block ends.
#[derive(Clone, Debug)]
pub(crate) enum LiftedEnd {
    /// Goes on.
    Jump(BlockId),
    /// Tests an expression.
    Branch { test: Expr, yes: BlockId, no: BlockId },
    /// Tests whether the handled exception is of a type.
    ExceptMatch { kind: Expr, yes: BlockId, no: BlockId },
    /// Takes the next item of `iter` into the temporary `item`. The iterator has so many slots of the stack.
    For { iter: Expr, item: u32, slots: u32, body: BlockId, exhausted: BlockId, is_async: bool },
    /// Compares a value with a pattern.
    Case { case: Box<LiftedCase>, yes: BlockId, no: Option<BlockId> },
    /// Returns.
    Return(Expr),
    /// `raise exc from cause`
    Raise { exc: Option<Expr>, cause: Option<Box<Expr>> },
    /// Raises the exception again that the handler at the block got.
    Reraise(Option<BlockId>),
    /// The end of a `finally` body.
    Done,
    /// Not reached.
    Nowhere,
}

/// What a case compares.
#[derive(Clone, Debug)]
pub(crate) struct LiftedCase {
    /// The value.
    pub(crate) subject: Expr,
    /// The pattern.
    pub(crate) pattern: Pattern,
    /// The condition behind the pattern.
    pub(crate) guard: Option<Expr>,
    /// Whether the tests work on a copy of the subject: in the source another case follows, though none may be left of it.
    pub(crate) has_next: bool,
}

impl LiftedBlock {
    /// A block that no path reaches.
    pub(super) fn unreached() -> Self {
        Self {
            statements: Vec::new(),
            end: LiftedEnd::Nowhere,
            end_offset: 0,
            start: u32::MAX,
            region: None,
            handling: 0,
            depth: 0,
            carries: false,
            layout: Layout::default(),
            dead: DeadJumps::default(),
            written: None,
        }
    }
}

impl LiftedEnd {
    /// The blocks it may go to.
    #[inline]
    pub(crate) fn successors(&self) -> Successors {
        match *self {
            Self::Jump(to) | Self::Case { yes: to, no: None, .. } => Successors::one(to),
            Self::Branch { yes: first, no: second, .. }
            | Self::ExceptMatch { yes: first, no: second, .. }
            | Self::For { body: first, exhausted: second, .. }
            | Self::Case { yes: first, no: Some(second), .. } => Successors::two(first, second),
            Self::Return(_) | Self::Raise { .. } | Self::Reraise(_) | Self::Done | Self::Nowhere => {
                Successors::NONE
            }
        }
    }

    /// Leads to another block than it did.
    pub(super) fn retarget(&mut self, from: BlockId, to: BlockId) {
        let change = |block: &mut BlockId| {
            if *block == from {
                *block = to;
            }
        };
        match self {
            Self::Jump(a) => change(a),
            Self::Branch { yes: a, no: b, .. }
            | Self::ExceptMatch { yes: a, no: b, .. }
            | Self::For { body: a, exhausted: b, .. } => {
                change(a);
                change(b);
            }
            Self::Case { yes, no, .. } => {
                change(yes);
                no.iter_mut().for_each(change);
            }
            Self::Return(_) | Self::Raise { .. } | Self::Reraise(_) | Self::Done | Self::Nowhere => {}
        }
    }
}

/// A graph of lifted blocks; block numbers are those of the [`Graph`], new ones follow.
#[derive(Clone, Debug)]
pub(crate) struct Lifted<'a> {
    /// The blocks; block 0 is the entry. Unreachable ones are empty.
    pub(crate) blocks: Vec<LiftedBlock>,
    /// The protected regions.
    pub(crate) regions: Vec<Protection>,
    /// Constants are folded before the compiler looks at what a `return` returns.
    pub(crate) folds_on_tree: bool,
    /// Behaviour of the version.
    pub(crate) features: Features,
    /// What else tells about the source.
    pub(crate) evidence: Evidence<'a>,
    /// See [`Graph::end`].
    pub(crate) end: Option<BlockId>,
    /// The blocks that are reached; `None` if lifting changed where they lead.
    pub(crate) reached: Option<Reached>,
}

/// The blocks that a path from the entry reaches.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// In reverse postorder.
    pub(crate) order: Rc<Vec<BlockId>>,
    /// Where the ways into each block come from.
    pub(crate) predecessors: Rc<Lists>,
}

impl Reached {
    /// Those of a graph of `count` blocks.
    pub(crate) fn by(count: usize, ways: impl Fn(BlockId) -> Ways) -> Self {
        let order = reverse_postorder(count, &ways);
        let edges = |&block: &BlockId| ways(block).iter().map(move |next| (next, block));
        let predecessors = Rc::new(Lists::of(count, || order.iter().flat_map(edges)));
        Self { order: Rc::new(order), predecessors }
    }

    /// Those of a graph before it was lifted.
    pub(super) fn of(graph: &Graph) -> Self {
        Self { order: graph.reverse_postorder(), predecessors: graph.all_predecessors() }
    }
}
