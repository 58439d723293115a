//! Which blocks lead where, for the structure: also by jumps that nothing reaches.

use crate::hash::HashMap;

use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin};

use crate::flow::{BlockId, DeadJumps, Landing, Layout, RegionId, RegionList, Ways};
use crate::lift::{Lifted, LiftedBlock, LiftedEnd};

/// No more blocks than this are added for one way out: CPython nests 20 statements.
const MOST_ADDED: usize = 40;

/// Where the unreachable jump behind each block leads (`note_dead_jumps`). The structure takes it for an edge: what
/// it leads to stands behind the statement that the block leaves, in whatever way it does.
///
/// Empty where no such jump leads to a block.
pub(super) struct DeadWays(Vec<Option<BlockId>>);

impl DeadWays {
    /// No unreachable jump is known.
    pub(super) fn unknown() -> Self {
        Self(Vec::new())
    }

    /// Finds the blocks; the end of the function that nothing reaches becomes a block of its own.
    pub(super) fn of(graph: &mut Lifted) -> Self {
        if graph.blocks.iter().all(|block| block.dead.behind.is_none()) {
            return Self::unknown();
        }
        let mut starts: HashMap<u32, Option<BlockId>> = HashMap::default();
        for (id, block) in graph.blocks.iter().enumerate() {
            if !matches!(block.end, LiftedEnd::Nowhere) {
                let id = behind_added(graph, id);
                // Copies of a block stand in several places.
                starts
                    .entry(block.start)
                    .and_modify(|known| *known = known.filter(|&known| known == id))
                    .or_insert(Some(id));
            }
        }
        let end = graph.blocks.len();
        let mut ways: Vec<Option<BlockId>> = Vec::with_capacity(end + 1);
        for block in &graph.blocks {
            ways.push(match block.dead.behind {
                Some(Landing::At(start)) => starts.get(&start).copied().flatten(),
                Some(Landing::End) => Some(end),
                Some(Landing::Unreached | Landing::Written) | None => None,
            });
        }
        if ways.contains(&Some(end)) {
            let none = Expr::new(Origin::NONE, ExprKind::Literal(Literal::None));
            graph.blocks.push(LiftedBlock {
                statements: Vec::new(),
                end: LiftedEnd::Return(none),
                end_offset: u32::MAX,
                start: u32::MAX,
                region: None,
                handling: 0,
                depth: 0,
                carries: true,
                layout: Layout::default(),
                dead: DeadJumps::default(),
                written: None,
            });
            ways.push(None);
        }
        // Asked for at every test: it must not take a look at all blocks.
        if ways.iter().all(Option::is_none) { Self::unknown() } else { Self(ways) }
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Where the unreachable jump behind a block leads.
    pub(super) fn from(&self, block: BlockId) -> Option<BlockId> {
        self.0.get(block).copied().flatten()
    }
}

/// The block that one without an instruction of its own leads to, if that one stands where it does: the ways out of a
/// `finally` statement lead through such blocks.
fn behind_added(graph: &Lifted, mut block: BlockId) -> BlockId {
    for _ in 0..MOST_ADDED {
        let found = &graph.blocks[block];
        match found.end {
            LiftedEnd::Jump(next)
                if found.statements.is_empty() && graph.blocks[next].start == found.start =>
            {
                block = next;
            }
            _ => break,
        }
    }
    block
}

/// A region and those around it, innermost first: a handler runs under whatever protects it.
pub(super) fn nest(graph: &Lifted, region: RegionId) -> RegionList {
    let mut found = RegionList::new();
    let mut next = Some(region);
    while let Some(region) = next.filter(|region| !found.contains(region)) {
        found.push(region);
        next = graph.blocks[graph.regions[region].handler].region;
    }
    found
}

/// Where control may go from a block, by its unreachable ways as well.
///
/// What an unreachable jump stands behind has one ordinary way at most.
pub(super) fn ways(graph: &Lifted, dead: &DeadWays, block: BlockId) -> Ways {
    let found = &graph.blocks[block];
    let ordinary = found.end.successors().and(dead.from(block));
    Ways::of(ordinary, found.region.map(|region| graph.regions[region].handler))
}
