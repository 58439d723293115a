//! The blocks of each protected region, while passes move blocks from one region to another.

use super::{BlockId, Graph, RegionId};

/// The blocks whose innermost region each region is. What has left a region may still be listed, so that a block
/// is never searched for.
pub(super) struct Members(Vec<Vec<BlockId>>);

impl Members {
    /// The blocks of all regions.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut found = vec![Vec::new(); graph.regions.len()];
        for (block, region) in
            graph.blocks.iter().enumerate().filter_map(|(id, block)| Some((id, block.region?)))
        {
            found[region].push(block);
        }
        Self(found)
    }

    /// Notes that a block belongs to a region now.
    pub(super) fn add(&mut self, region: Option<RegionId>, block: BlockId) {
        if let Some(region) = region {
            self.0[region].push(block);
        }
    }

    /// The blocks whose innermost region it is, in order.
    pub(super) fn in_region(&mut self, graph: &Graph, region: RegionId) -> &[BlockId] {
        let members = &mut self.0[region];
        members.retain(|&block| graph.blocks[block].region == Some(region));
        members.sort_unstable();
        members.dedup();
        members
    }

    /// The blocks of a region and of the regions inside of it, in order. `inner` lists the regions whose handlers
    /// each region protects.
    pub(super) fn inside(&mut self, graph: &Graph, inner: &super::Lists, region: RegionId) -> Vec<BlockId> {
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
