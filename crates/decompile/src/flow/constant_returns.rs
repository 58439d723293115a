//! Pass: a `return` of what cannot fail stands in the `try` that all ways to it come from.
//!
//! Neither a constant nor the `return` can raise, so the compiler leaves both out of the region, and a local that is known to
//! have a value where it says so. Where ends are not copied and the code lies in the order of the source, what lies in
//! front of the handlers was written in the `try`; where they are, the copies have a line in front of those of the handlers.
//!
//! Needs: `join_shared_exits`, which knows the end of the function. Establishes: several ways through the body of a `try`
//! meet at such a `return` without leaving the region.
//!
//! Example: `try: if a: b()`, `else: c()`, `return 1` has one `return`, in the region.

use depyf_bytecode::{Features, Function, Op};

use super::places::{instructions_before, line_of};
use super::{BlockId, Graph, Protection, RegionKind, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn return_constants_inside_regions(graph: &mut Graph, function: &Function) {
    let Features { copies_ends, copies_implicit_end, .. } = function.features;
    if graph.regions.is_empty() || !copies_implicit_end {
        return;
    }
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors();
    for &block in order.iter() {
        let found = &graph.blocks[block];
        let cannot_fail = match found.steps[..] {
            [Step { kind: StepKind::Op(Op::Const(_) | Op::SmallInt(_)), .. }] => true,
            [Step { kind: StepKind::Op(Op::LoadLocal(_) | Op::Common(_)), .. }] => copies_ends,
            _ => false,
        };
        if found.end != Terminator::Return || !cannot_fail || graph.end == Some(block) {
            continue;
        }
        let mut regions = predecessors[block].iter().map(|&before| graph.blocks[before].region);
        let Some(Some(region)) = regions.next() else { continue };
        // A local that may have no value stands in an inner `try` for itself.
        if graph.regions_around(block).contains(&region) {
            continue;
        }
        let protection = &graph.regions[region];
        let is_in_front = || match copies_ends {
            true => predecessors[block].len() > 1 && has_line_in_front(graph, block, protection, function),
            false => protection.end != u32::MAX && found.start < graph.blocks[protection.handler].start,
        };
        if protection.kind == RegionKind::Try && regions.all(|other| other == Some(region)) && is_in_front() {
            graph.blocks[block].region = Some(region);
        }
    }
}

/// Whether what ends a block has a line in front of the first one of a handler.
fn has_line_in_front(graph: &Graph, block: BlockId, protection: &Protection, function: &Function) -> bool {
    // Without lines no handler is searched for one.
    let Some(own) = line_of(function, graph.blocks[block].end_offset) else { return false };
    let start = instructions_before(function, graph.blocks[protection.handler].start);
    let handler = function.instructions[start..].iter().find_map(|found| found.line);
    handler.is_some_and(|handler| own < handler)
}
