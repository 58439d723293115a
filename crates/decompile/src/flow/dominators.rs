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
    nodes: Vec<Node>,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The immediate dominator; the root's is itself, an unreachable node has none.
    immediate: u32,
    /// The position in reverse postorder.
    position: u32,
    /// Which part of a walk over the tree, from the root down, the node and those below it take: the first place of that
    /// part, and the place behind its last.
    start: u32,
    end: u32,
}

/// No node, and no position of one.
const NONE: u32 = u32::MAX;

impl Node {
    /// It dominates nothing.
    const UNREACHABLE: Self = Self { immediate: NONE, position: NONE, start: NONE, end: 0 };
}

impl Dominators {
    /// Computes the tree; `order` is a reverse postorder whose first node is the root.
    pub(crate) fn compute(order: &[usize], predecessors: &Lists) -> Self {
        let mut nodes = vec![Node::UNREACHABLE; predecessors.len()];
        let Some((&root, rest)) = order.split_first() else { return Self { nodes } };
        for (at, &node) in order.iter().enumerate() {
            nodes[node].position = at as u32;
        }
        nodes[root].immediate = root as u32;
        let mut climbs = vec![Climb { depth: 0, above: root as u32, far: root as u32 }; nodes.len()];
        let mut leads_back = false;
        loop {
            let mut changed = false;
            for &node in rest {
                let mut found = NONE;
                for &before in predecessors[node].iter().rev() {
                    if nodes[before].immediate == NONE {
                        leads_back = true;
                    } else if found == NONE {
                        found = before as u32;
                    } else {
                        found = common(&climbs, before as u32, found);
                    }
                }
                // In the last round none changes, so every climb is that of the final tree.
                if found != NONE {
                    climbs[node] = Climb::below(found, &climbs);
                    changed |= nodes[node].immediate != found;
                    nodes[node].immediate = found;
                }
            }
            walk(order, &mut nodes);
            let found = Self { nodes };
            // Without a way back, all that leads to a node is known when the node is come to; and a way back from what
            // the node dominates changes nothing. Only in damaged code are there others.
            if !changed || !leads_back || found.dominates_what_leads_back(order, predecessors) {
                return found;
            }
            Self { nodes } = found;
        }
    }

    /// Whether each node dominates all that leads back to it.
    fn dominates_what_leads_back(&self, order: &[usize], predecessors: &Lists) -> bool {
        order.iter().all(|&node| {
            let own = self.nodes[node].position;
            let mut before = predecessors[node].iter();
            before.all(|&before| {
                let at = self.nodes[before].position;
                at < own || at == NONE || self.dominates(node, before)
            })
        })
    }

    /// The immediate dominator; none for the root and for unreachable nodes.
    pub(crate) fn immediate(&self, node: usize) -> Option<usize> {
        let above = self.nodes[node].immediate;
        (above != NONE && above as usize != node).then_some(above as usize)
    }

    /// Whether every way to `node` leads through `above`.
    pub(crate) fn dominates(&self, above: usize, node: usize) -> bool {
        let (above, node) = (self.nodes[above], self.nodes[node]);
        above.start <= node.start && node.start < above.end
    }

    /// How many nodes a node dominates, itself included.
    pub(crate) fn count(&self, node: usize) -> usize {
        (self.nodes[node].end - self.nodes[node].start) as usize
    }

    /// Puts nodes in the order of a walk over the tree, in which those below a node stand together.
    pub(crate) fn sort(&self, nodes: &mut [usize]) {
        nodes.sort_unstable_by_key(|&node| self.nodes[node].start);
    }

    /// Those of sorted nodes that `above` dominates.
    pub(crate) fn below<'a>(&self, above: usize, sorted: &'a [usize]) -> &'a [usize] {
        let Node { start, end, .. } = self.nodes[above];
        let place = |at: u32| sorted.partition_point(|&node| self.nodes[node].start < at);
        &sorted[place(start)..place(end).max(place(start))]
    }

    /// The place in reverse postorder; `usize::MAX` for unreachable nodes.
    pub(crate) fn position(&self, node: usize) -> usize {
        match self.nodes[node].position {
            NONE => usize::MAX,
            position => position as usize,
        }
    }
}

/// Finds the parts of a walk over the tree that nodes take.
fn walk(order: &[usize], nodes: &mut [Node]) {
    // What no predecessor leads to has no dominator, and the root none but itself.
    let above = |node: usize, immediate: u32| {
        (immediate != NONE && immediate as usize != node).then_some(immediate as usize)
    };
    order.iter().for_each(|&node| nodes[node].end = 0);
    // A node comes behind its dominator in the order, so sizes are found backwards and places forwards.
    for &node in order.iter().rev() {
        nodes[node].end += 1;
        let Node { immediate, end, .. } = nodes[node];
        if let Some(above) = above(node, immediate) {
            nodes[above].end += end;
        }
    }
    // Where the next part below a node starts; the end of a part is known by its start and its size.
    let mut next = vec![0; nodes.len()];
    for &node in order {
        let Node { immediate, end: size, .. } = nodes[node];
        let start = above(node, immediate).map_or(0, |above| {
            let start = next[above];
            next[above] += size;
            start
        });
        (nodes[node].start, nodes[node].end) = (start, start + size);
        next[node] = start + 1;
    }
}

/// The ways up from a node.
#[derive(Clone, Copy, Debug)]
struct Climb {
    /// How many nodes lie above.
    depth: u32,
    /// The node right above; the root's is itself.
    above: u32,
    /// A node farther up, at a depth that only depends on that of this one.
    far: u32,
}

impl Climb {
    /// The ways up from a new leaf.
    fn below(above: u32, climbs: &[Self]) -> Self {
        let first = climbs[above as usize];
        let second = climbs[first.far as usize];
        let third = climbs[second.far as usize];
        // Two jumps of one length make a longer one.
        // Depths are those of an earlier round while the tree still changes.
        let joins = first.depth.wrapping_sub(second.depth) == second.depth.wrapping_sub(third.depth);
        Self { depth: first.depth + 1, above, far: if joins { second.far } else { above } }
    }
}

/// The lowest node that is above two nodes, or one of them.
fn common(climbs: &[Climb], a: u32, b: u32) -> u32 {
    let climb = |node: u32| climbs[node as usize];
    let (mut low, mut high) = if climb(a).depth < climb(b).depth { (b, a) } else { (a, b) };
    let depth = climb(high).depth;
    while climb(low).depth > depth {
        let Climb { above, far, .. } = climb(low);
        low = if climb(far).depth >= depth { far } else { above };
    }
    while low != high {
        let (one, other) = (climb(low), climb(high));
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
