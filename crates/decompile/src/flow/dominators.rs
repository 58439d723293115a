//! Dominators of a graph given by predecessors, after Cooper, Harvey and Kennedy,
//! "A Simple, Fast Dominance Algorithm" (2001).
//!
//! A handler is entered from every block of a long `try`, and each of them lies deep in the tree. So each node also
//! points far up, after Myers, "An Applicative Random-Access Stack" (1983): the common dominator of two nodes takes a
//! number of steps that grows with the logarithm of their depth.

use super::Lists;

/// The dominator tree of the reachable part of a graph.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// The immediate dominator of each node; the root's is itself, an unreachable node has none.
    immediate: Vec<Option<usize>>,
    /// The position of each node in reverse postorder.
    position: Vec<usize>,
    /// Which part of a walk over the tree, from the root down, each node and those below it take.
    spans: Vec<Span>,
}

/// The first place of a node's own part of the walk, and the place behind its last.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
}

impl Dominators {
    /// Computes the tree; `order` is a reverse postorder whose first node is the root.
    pub(crate) fn compute(order: &[usize], predecessors: &Lists) -> Self {
        let mut position = vec![usize::MAX; predecessors.len()];
        for (at, &node) in order.iter().enumerate() {
            position[node] = at;
        }
        let mut immediate = vec![None; predecessors.len()];
        let Some((&root, rest)) = order.split_first() else {
            return Self { immediate, position, spans: Vec::new() };
        };
        immediate[root] = Some(root);
        let mut climbs = vec![Climb { depth: 0, above: root, far: root }; predecessors.len()];
        let (mut changed, mut leads_back) = (true, false);
        while changed {
            changed = false;
            for &node in rest {
                let mut found: Option<usize> = None;
                for &before in predecessors[node].iter().rev() {
                    if immediate[before].is_none() {
                        leads_back = true;
                    } else {
                        found = Some(match found {
                            None => before,
                            Some(other) => common(&climbs, before, other),
                        });
                    }
                }
                // In the last round nothing changes, so every climb is that of the final tree.
                if let Some(above) = found {
                    climbs[node] = Climb::below(above, &climbs);
                    changed |= immediate[node] != found;
                    immediate[node] = found;
                }
            }
            // Without a way back, all that leads to a node is known when the node is come to.
            changed &= leads_back;
        }
        let spans = spans(order, &immediate);
        Self { immediate, position, spans }
    }

    /// The immediate dominator; none for the root and for unreachable nodes.
    pub(crate) fn immediate(&self, node: usize) -> Option<usize> {
        self.immediate[node].filter(|&above| above != node)
    }

    /// Whether every way to `node` leads through `above`.
    pub(crate) fn dominates(&self, above: usize, node: usize) -> bool {
        let (above, node) = (self.spans[above], self.spans[node]);
        above.start <= node.start && node.start < above.end
    }

    /// How many nodes a node dominates, itself included.
    pub(crate) fn count(&self, node: usize) -> usize {
        self.spans[node].end - self.spans[node].start
    }

    /// Puts nodes in the order of a walk over the tree, in which those below a node stand together.
    pub(crate) fn sort(&self, nodes: &mut [usize]) {
        nodes.sort_unstable_by_key(|&node| self.spans[node].start);
    }

    /// Those of sorted nodes that `above` dominates.
    pub(crate) fn below<'a>(&self, above: usize, sorted: &'a [usize]) -> &'a [usize] {
        let Span { start, end } = self.spans[above];
        let place = |at: usize| sorted.partition_point(|&node| self.spans[node].start < at);
        &sorted[place(start)..place(end).max(place(start))]
    }

    /// The place in reverse postorder; `usize::MAX` for unreachable nodes.
    pub(crate) fn position(&self, node: usize) -> usize {
        self.position[node]
    }
}

/// The spans of all nodes. Unreachable ones have empty ones: they dominate nothing.
fn spans(order: &[usize], immediate: &[Option<usize>]) -> Vec<Span> {
    let mut spans = vec![Span { start: usize::MAX, end: 0 }; immediate.len()];
    let above = |node: usize| immediate[node].filter(|&above| above != node);
    // A node comes behind its dominator in the order, so sizes are found backwards and places forwards.
    for &node in order.iter().rev() {
        spans[node].end += 1;
        if let Some(above) = above(node) {
            spans[above].end += spans[node].end;
        }
    }
    let mut next = vec![0; immediate.len()];
    for &node in order {
        let size = spans[node].end;
        let start = above(node).map_or(0, |above| next[above]);
        if let Some(above) = above(node) {
            next[above] += size;
        }
        spans[node] = Span { start, end: start + size };
        next[node] = start + 1;
    }
    spans
}

/// The ways up from a node.
#[derive(Clone, Copy, Debug)]
struct Climb {
    /// How many nodes lie above.
    depth: usize,
    /// The node right above; the root's is itself.
    above: usize,
    /// A node farther up, at a depth that only depends on that of this one.
    far: usize,
}

impl Climb {
    /// The ways up from a new leaf.
    fn below(above: usize, climbs: &[Self]) -> Self {
        let first = climbs[above];
        let second = climbs[first.far];
        let third = climbs[second.far];
        // Two jumps of one length make a longer one.
        // Depths are those of an earlier round while the tree still changes.
        let joins = first.depth.wrapping_sub(second.depth) == second.depth.wrapping_sub(third.depth);
        Self { depth: first.depth + 1, above, far: if joins { second.far } else { above } }
    }
}

/// The lowest node that is above two nodes, or one of them.
fn common(climbs: &[Climb], a: usize, b: usize) -> usize {
    let (mut low, mut high) = if climbs[a].depth < climbs[b].depth { (b, a) } else { (a, b) };
    let depth = climbs[high].depth;
    while climbs[low].depth > depth {
        let Climb { above, far, .. } = climbs[low];
        low = if climbs[far].depth >= depth { far } else { above };
    }
    while low != high {
        let (one, other) = (climbs[low], climbs[high]);
        (low, high) = if one.far == other.far { (one.above, other.above) } else { (one.far, other.far) };
    }
    low
}

#[cfg(test)]
mod tests {
    use super::{Dominators, Lists};

    #[test]
    fn a_join_is_dominated_by_its_branch() {
        // 0 -> 1 -> 3, 0 -> 2 -> 3, 3 -> 1 is no edge; 3 -> 4
        let predecessors = Lists::of(5, || [(1, 0), (2, 0), (3, 1), (3, 2), (4, 3)].into_iter());
        let tree = Dominators::compute(&[0, 1, 2, 3, 4], &predecessors);
        assert_eq!(
            (1..5).map(|node| tree.immediate(node)).collect::<Vec<_>>(),
            [Some(0), Some(0), Some(0), Some(3)]
        );
        assert!(tree.dominates(0, 4) && tree.dominates(3, 4) && !tree.dominates(1, 3));
        assert!(tree.dominates(3, 3) && !tree.dominates(4, 3) && !tree.dominates(2, 1));
        assert_eq!((0..5).map(|node| tree.count(node)).collect::<Vec<_>>(), [5, 1, 1, 2, 1]);
        let mut nodes = [4, 2, 3, 1];
        tree.sort(&mut nodes);
        assert_eq!(tree.below(3, &nodes), [3, 4]);
        assert_eq!(tree.below(2, &nodes), [2]);
    }

    #[test]
    fn unreachable_nodes_dominate_nothing() {
        let tree = Dominators::compute(&[0, 1], &Lists::of(3, || [(1, 0), (2, 1)].into_iter()));
        assert!(!tree.dominates(2, 1) && !tree.dominates(0, 2) && !tree.dominates(2, 2));
        assert!(tree.below(2, &[0, 1]).is_empty());
    }
}
