//! Dominators of a graph given by predecessors, after Cooper, Harvey and Kennedy,
//! "A Simple, Fast Dominance Algorithm" (2001).

/// The dominator tree of the reachable part of a graph.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// The immediate dominator of each node; the root's is itself, an unreachable node has none.
    immediate: Vec<Option<usize>>,
    /// The position of each node in reverse postorder.
    position: Vec<usize>,
}

impl Dominators {
    /// Computes the tree; `order` is a reverse postorder whose first node is the root.
    pub(crate) fn compute(order: &[usize], predecessors: &[Vec<usize>]) -> Self {
        let mut position = vec![usize::MAX; predecessors.len()];
        for (at, &node) in order.iter().enumerate() {
            position[node] = at;
        }
        let mut immediate = vec![None; predecessors.len()];
        let Some((&root, rest)) = order.split_first() else { return Self { immediate, position } };
        immediate[root] = Some(root);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in rest {
                let mut found: Option<usize> = None;
                for &before in &predecessors[node] {
                    if immediate[before].is_some() {
                        found = Some(match found {
                            None => before,
                            Some(other) => common(&immediate, &position, before, other),
                        });
                    }
                }
                if found.is_some() && immediate[node] != found {
                    immediate[node] = found;
                    changed = true;
                }
            }
        }
        Self { immediate, position }
    }

    /// The immediate dominator; none for the root and for unreachable nodes.
    pub(crate) fn immediate(&self, node: usize) -> Option<usize> {
        self.immediate[node].filter(|&above| above != node)
    }

    /// Whether every way to `node` leads through `above`.
    pub(crate) fn dominates(&self, above: usize, mut node: usize) -> bool {
        while self.position[node] > self.position[above] {
            match self.immediate(node) {
                Some(next) => node = next,
                None => return false,
            }
        }
        node == above
    }

    /// The place in reverse postorder; `usize::MAX` for unreachable nodes.
    pub(crate) fn position(&self, node: usize) -> usize {
        self.position[node]
    }
}

fn common(immediate: &[Option<usize>], position: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if position[a] < position[b] {
            std::mem::swap(&mut a, &mut b);
        }
        match immediate[a] {
            Some(above) => a = above,
            None => return b,
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::Dominators;

    #[test]
    fn a_join_is_dominated_by_its_branch() {
        // 0 -> 1 -> 3, 0 -> 2 -> 3, 3 -> 1 is no edge; 3 -> 4
        let predecessors = vec![vec![], vec![0], vec![0], vec![1, 2], vec![3]];
        let tree = Dominators::compute(&[0, 1, 2, 3, 4], &predecessors);
        assert_eq!(
            (1..5).map(|node| tree.immediate(node)).collect::<Vec<_>>(),
            [Some(0), Some(0), Some(0), Some(3)]
        );
        assert!(tree.dominates(0, 4) && tree.dominates(3, 4) && !tree.dominates(1, 3));
    }
}
