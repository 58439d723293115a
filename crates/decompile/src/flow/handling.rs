//! Which handlers run where: a handler begins with its exception and ends with POP_EXCEPT.

use crate::hash::HashMap;

use depyf_bytecode::{Features, Op, stack_effect};
use fixedbitset::FixedBitSet;

use super::{BlockId, Graph, Protection, Step, StepKind, Terminator};

impl Graph {
    /// The blocks that handlers start with.
    pub(crate) fn handler_heads(&self) -> FixedBitSet {
        let mut heads = FixedBitSet::new();
        if !self.regions.is_empty() {
            heads.grow(self.blocks.len());
            self.regions.iter().for_each(|region| heads.insert(region.handler));
        }
        heads
    }
}

/// A stack of running handlers; equal stacks have equal numbers.
pub(crate) type HandlingId = usize;

/// The handlers that run at the start of each block, and the height of the stack there.
#[derive(Debug)]
pub(crate) struct Handling {
    /// No number for what no path reaches.
    at: Vec<Option<(HandlingId, i64)>>,
    /// The innermost handler, and the stack below it; the first is the empty stack.
    stacks: Vec<Option<(BlockId, HandlingId)>>,
    /// The slots that the exit function of a `with` statement takes.
    exit: i64,
}

impl Handling {
    /// Follows all paths from the entry, once through each block.
    pub(crate) fn of(graph: &Graph, features: &Features) -> Self {
        let exit = exit_slots(graph);
        let mut found = Self { at: vec![None; graph.blocks.len()], stacks: vec![None], exit };
        let mut numbers: HashMap<(BlockId, HandlingId), HandlingId> = HashMap::default();
        // How high the stack of values is with what each stack's innermost handler keeps until it ends: the exception
        // that was handled before.
        let mut heights = vec![0];
        let mut work = vec![(0, 0, 0)];
        while let Some((block, stack, height)) = work.pop() {
            if found.at[block].is_some() {
                continue;
            }
            found.at[block] = Some((stack, height));
            if let Some(region) = graph.blocks[block].region {
                let Protection { handler, depth, lasti, .. } = graph.regions[region];
                // Handlers inside the region, whose exceptions lie above what it keeps, are left for this one.
                let mut around = stack;
                while heights[around] > i64::from(depth) {
                    around = found.stacks[around].map_or(0, |(_, below)| below);
                }
                let pushed = if features.six_value_handlers { 6 } else { 1 + i64::from(lasti) };
                let kept = if features.six_value_handlers { 3 } else { pushed };
                let number = *numbers.entry((handler, around)).or_insert_with(|| {
                    found.stacks.push(Some((handler, around)));
                    heights.push(i64::from(depth) + kept);
                    found.stacks.len() - 1
                });
                work.push((handler, number, i64::from(depth) + pushed));
            }
            let (mut stack, mut height) = (stack, height);
            for step in &graph.blocks[block].steps {
                if matches!(step.kind, StepKind::Op(Op::PopExcept)) {
                    stack = found.stacks[stack].map_or(0, |(_, below)| below);
                }
                height += found.effect(step, features);
            }
            work.extend(ways(graph.blocks[block].end).map(|(next, effect)| (next, stack, height + effect)));
        }
        found
    }

    /// What a step does to the height of the stack.
    pub(crate) fn effect(&self, step: &Step, features: &Features) -> i64 {
        match step.kind {
            StepKind::Op(op) => stack_effect(op, false, features),
            StepKind::WithExit => -self.exit,
            StepKind::Never => 1,
            _ => 0,
        }
    }

    /// The stack of running handlers at a block; none where no path leads.
    pub(crate) fn at(&self, block: BlockId) -> Option<HandlingId> {
        self.at[block].map(|(stack, _)| stack)
    }

    /// The handlers of a stack, the innermost first.
    pub(crate) fn handlers(&self, stack: HandlingId) -> impl Iterator<Item = BlockId> + '_ {
        let top = self.stacks[stack];
        std::iter::successors(top, |&(_, below)| self.stacks[below]).map(|(handler, _)| handler)
    }

    /// How many values lie on the stack when a block begins; none where no path leads, or did when this was found.
    pub(crate) fn height(&self, block: BlockId) -> Option<i64> {
        self.at.get(block)?.map(|(_, height)| height)
    }

    /// Whether the first stack is the second or lies above it.
    pub(crate) fn is_within(&self, mut stack: HandlingId, around: HandlingId) -> bool {
        // A stack is made after the one below it.
        while stack > around {
            stack = self.stacks[stack].map_or(0, |(_, below)| below);
        }
        stack == around
    }
}

/// The slots that the exit function of a `with` statement takes; one number for each version.
pub(super) fn exit_slots(graph: &Graph) -> i64 {
    let mut steps = graph.blocks.iter().flat_map(|block| &block.steps);
    let slots = steps.find_map(|step| match step.kind {
        StepKind::Op(Op::BeforeWith { slots, .. }) => Some(slots),
        _ => None,
    });
    i64::from(slots.unwrap_or(1))
}

/// Where a block may go, and what its end does to the height of the stack on the way.
pub(super) fn ways(end: Terminator) -> impl Iterator<Item = (BlockId, i64)> {
    let effects = match end {
        Terminator::Branch { .. } | Terminator::Case { .. } => [-1, -1],
        Terminator::OrPop { .. } => [0, -1],
        Terminator::ForIter { slots, pops, .. } => [1, if pops { -i64::from(slots) } else { 0 }],
        // The exhausted iterator is gone.
        Terminator::AsyncFor { .. } => [1, -1],
        _ => [0, 0],
    };
    end.successors().zip(effects)
}
