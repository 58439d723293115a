//! The blocks of each protected region, while passes move blocks from one region to another.

use super::{BlockId, Graph, Lists, RegionId};

/// The blocks whose innermost region each region is. What has left a region may still be listed, so that a block
/// is never searched for.
pub(super) struct Members {
    /// As it was at first.
    first: Lists,
    /// What was added to each region since; nothing, if nothing was added to any.
    added: Vec<Vec<BlockId>>,
}

impl Members {
    /// The blocks of all regions.
    pub(super) fn of(graph: &Graph) -> Self {
        let member = |(id, block): (BlockId, &super::Block)| Some((block.region?, id));
        let first = Lists::of(graph.regions.len(), || graph.blocks.iter().enumerate().filter_map(member));
        Self { first, added: Vec::new() }
    }

    /// Notes that a block belongs to a region now.
    pub(super) fn add(&mut self, region: Option<RegionId>, block: BlockId) {
        if let Some(region) = region {
            self.added.resize_with(self.first.len(), Vec::new);
            self.added[region].push(block);
        }
    }

    /// The blocks whose innermost region it is, in order.
    pub(super) fn in_region(&self, graph: &Graph, region: RegionId) -> Vec<BlockId> {
        let added = self.added.get(region).map_or(&[][..], Vec::as_slice);
        let mut members = Vec::with_capacity(self.first[region].len() + added.len());
        let listed = self.first[region].iter().chain(added).copied();
        members.extend(listed.filter(|&block| graph.blocks[block].region == Some(region)));
        if !added.is_empty() {
            members.sort_unstable();
            members.dedup();
        }
        members
    }

    /// The blocks of a region and of the regions inside of it, in order. `inner` lists the regions whose handlers
    /// each region protects.
    pub(super) fn inside(&self, graph: &Graph, inner: &Lists, region: RegionId) -> Vec<BlockId> {
        let mut found = Vec::new();
        let mut work = vec![region];
        let mut seen = vec![region];
        while let Some(next) = work.pop() {
            found.extend(self.in_region(graph, next));
            for &region in &inner[next] {
                if !seen.contains(&region) {
                    seen.push(region);
                    work.push(region);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
