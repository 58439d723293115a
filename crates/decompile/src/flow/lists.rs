//! A list of numbers for each of many nodes, all in one allocation.

use std::ops::Index;

/// The lists, by node. Most have one or two members, so that a vector for each would be mostly its own head.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    /// How many nodes there are.
    count: usize,
    /// Where the list of each node begins, one more for the end of the last, and then the lists.
    starts_and_members: Vec<usize>,
}

impl Lists {
    /// The lists of `count` nodes that `pairs` of a node and a member make, members in the order of the pairs.
    pub(crate) fn of<I: Iterator<Item = (usize, usize)>>(count: usize, pairs: impl Fn() -> I) -> Self {
        // Half of all functions have no region to list the blocks of.
        if count == 0 {
            return Self { count, starts_and_members: Vec::new() };
        }
        // Hardly any graph has more edges than two a node.
        let mut all = Vec::with_capacity(3 * count + 1);
        all.resize(count + 1, 0);
        // How many members there are, kept one place behind where the list ends up to begin.
        pairs().for_each(|(node, _)| all[node + 1] += 1);
        let mut next = count + 1;
        all[0] = next;
        for start in &mut all[1..] {
            next += std::mem::replace(start, next);
        }
        all.resize(next, 0);
        pairs().for_each(|(node, member)| {
            let at = all[node + 1];
            all[at] = member;
            all[node + 1] += 1;
        });
        Self { count, starts_and_members: all }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }
}

impl Index<usize> for Lists {
    type Output = [usize];

    fn index(&self, node: usize) -> &[usize] {
        let all = &self.starts_and_members;
        &all[all[node]..all[node + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::Lists;

    #[test]
    fn each_node_has_its_members_in_order() {
        let pairs = [(2, 7), (0, 1), (2, 5), (3, 9), (2, 6)];
        let lists = Lists::of(5, || pairs.into_iter());
        let found: Vec<&[usize]> = (0..lists.len()).map(|node| &lists[node]).collect();
        assert_eq!(found, [&[1][..], &[], &[7, 5, 6], &[9], &[]]);
    }
}
