//! A list of numbers for each of many nodes, all in one allocation.

use std::ops::Index;

/// The lists, by node. Most have one or two members, so that a vector for each would be mostly its own head.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    /// Where the list of each node begins in `members`; one more for the end of the last.
    starts: Vec<u32>,
    members: Vec<usize>,
}

impl Lists {
    /// The lists of `count` nodes that `pairs` of a node and a member make, members in the order of the pairs.
    pub(crate) fn of<I: Iterator<Item = (usize, usize)>>(count: usize, pairs: impl Fn() -> I) -> Self {
        let mut starts = vec![0_u32; count + 1];
        // How many members there are, kept one place behind where the list ends up to begin.
        pairs().for_each(|(node, _)| starts[node + 1] += 1);
        let mut total = 0;
        for start in &mut starts[1..] {
            let length = std::mem::replace(start, total);
            total += length;
        }
        let mut members = vec![0; total as usize];
        for (node, member) in pairs() {
            let next = &mut starts[node + 1];
            members[*next as usize] = member;
            *next += 1;
        }
        Self { starts, members }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

impl Index<usize> for Lists {
    type Output = [usize];

    fn index(&self, node: usize) -> &[usize] {
        &self.members[self.starts[node] as usize..self.starts[node + 1] as usize]
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
