//! Places in `finally` bodies and in the copies of them: behind jumps, and behind what is dropped.

use depyf_bytecode::Op;

use super::{Block, BlockId, Graph, Landing, Step, Terminator};

/// A block, and how many of its steps lie before.
pub(super) type Place = (BlockId, usize);

/// Whether the jump that ends a block is known to be a `break` or `continue`.
fn is_written(block: &Block) -> bool {
    block.left_body || block.dead.behind == Some(Landing::Written)
}

/// Whether a block is all that the body of a `try` does, which is nothing: the statement is a part of what stands there.
pub(super) fn is_bare_body(graph: &Graph, block: BlockId) -> bool {
    let found = &graph.blocks[block];
    found.steps.is_empty() && found.region.is_some_and(|region| graph.regions[region].is_bare)
}

/// Notes the regions in which no block does anything.
pub(super) fn note_bare_regions(graph: &mut Graph) {
    let mut is_bare = vec![true; graph.regions.len()];
    for block in graph.blocks.iter().filter(|block| !block.steps.is_empty()) {
        if let Some(region) = block.region {
            is_bare[region] = false;
        }
    }
    for (region, is_bare) in graph.regions.iter_mut().zip(is_bare) {
        region.is_bare = is_bare;
    }
}

/// The first place that is not the end of a block that only goes on.
pub(super) fn skip_jumps(graph: &Graph, place: Place) -> Place {
    behind_jumps(graph, place, |block| !is_statement(graph, block))
}

/// Whether a block that only goes on is a statement all the same: a `break` or `continue`, the head of a loop, or the body of a
/// `try` that does nothing. Such a one lies behind the copy of a `finally` body.
pub(super) fn is_statement(graph: &Graph, block: BlockId) -> bool {
    let found = &graph.blocks[block];
    is_written(found) || found.is_outer_head || is_bare_body(graph, block)
}

/// The same, where not all such jumps may be passed.
pub(super) fn behind_jumps(graph: &Graph, mut place: Place, may_pass: impl Fn(BlockId) -> bool) -> Place {
    for _ in 0..graph.blocks.len() {
        let block = &graph.blocks[place.0];
        match block.end {
            Terminator::Jump(next) if block.steps.len() == place.1 && may_pass(place.0) => place = (next, 0),
            _ => break,
        }
    }
    place
}

/// The place behind so many values that are dropped, each maybe from below the value that is being returned.
pub(super) fn behind_dropped(graph: &Graph, mut place: Place, count: usize) -> Option<Place> {
    skip_moves(graph, &mut place);
    for _ in 0..count {
        if op_at(graph, &mut place)? != Op::Pop {
            return None;
        }
        place.1 += 1;
    }
    Some(place)
}

/// The steps in front of a copy that make room for the returned value, if there are any.
pub(super) fn room(graph: &Graph, copy: BlockId) -> Vec<Step> {
    let (mut place, mut steps) = ((copy, 0), Vec::new());
    while let Some(op @ (Op::Swap(_) | Op::Rot(_) | Op::Pop)) = op_at(graph, &mut place) {
        steps.push(graph.blocks[place.0].steps[place.1].clone());
        place.1 += 1;
        if op == Op::Pop {
            return steps;
        }
    }
    Vec::new()
}

pub(super) fn op_at(graph: &Graph, place: &mut Place) -> Option<Op> {
    *place = skip_jumps(graph, *place);
    graph.blocks[place.0].steps.get(place.1)?.op()
}

pub(super) fn skip_moves(graph: &Graph, place: &mut Place) {
    while let Some(Op::Swap(_) | Op::Rot(_)) = op_at(graph, place) {
        place.1 += 1;
    }
}

/// Whether the function does the same from both places on: they are one, or copies of its end, which may be cut into
/// blocks elsewhere.
pub(super) fn is_same_end(graph: &Graph, mut a: Place, mut b: Place) -> bool {
    // Each round comes to the end of a block on one side.
    for _ in 0..2 * graph.blocks.len() {
        (a, b) = (behind_jumps(graph, a, |_| true), behind_jumps(graph, b, |_| true));
        if a == b {
            return true;
        }
        let (x, y) = (&graph.blocks[a.0], &graph.blocks[b.0]);
        let (rest, others) = (&x.steps[a.1..], &y.steps[b.1..]);
        // What only drops values raises nothing: a `break` may have been brought into the region that it was written in.
        let same = rest.len().min(others.len());
        let only_drop = same > 0 && rest[..same].iter().all(Step::drops);
        if x.region != y.region && !only_drop || !rest.iter().zip(others).all(|(a, b)| a.same(b)) {
            return false;
        }
        if rest.is_empty() || others.is_empty() {
            let ends = rest.len() == others.len() && x.end == y.end;
            return ends && x.end.successors().next().is_none();
        }
        (a.1, b.1) = (a.1 + same, b.1 + same);
    }
    false
}

/// Whether two blocks end in one way, wherever that leads.
pub(super) fn same_shape(a: Terminator, b: Terminator) -> bool {
    let shape = |mut end: Terminator| {
        end.retarget(|_| 0);
        end
    };
    shape(a) == shape(b)
}
