//! Pass: a `return` of a constant stands in the `try` that all ways to it come from.
//!
//! Neither the constant nor the `return` can raise, so the compiler leaves both out of the region. Where ends are not
//! copied and the code lies in the order of the source, what lies in front of the handlers was written in the `try`.
//!
//! Needs: `join_shared_exits`, which knows the end of the function. Establishes: several ways through the body of a `try`
//! meet at such a `return` without leaving the region.
//!
//! Example: `try: if a: b()`, `else: c()`, `return 1` has one `return`, in the region.

use depyf_bytecode::Op;

use super::{Graph, RegionKind, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn return_constants_inside_regions(graph: &mut Graph) {
    if graph.regions.iter().all(|region| region.end == u32::MAX) {
        return;
    }
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors();
    for &block in order.iter() {
        let found = &graph.blocks[block];
        let is_constant =
            matches!(found.steps[..], [Step { kind: StepKind::Op(Op::Const(_) | Op::SmallInt(_)), .. }]);
        if found.end != Terminator::Return || !is_constant || graph.end == Some(block) {
            continue;
        }
        let mut regions = predecessors[block].iter().map(|&before| graph.blocks[before].region);
        let (Some(Some(region)), start) = (regions.next(), found.start) else { continue };
        let protection = &graph.regions[region];
        let is_in_front = protection.end != u32::MAX && start < graph.blocks[protection.handler].start;
        if is_in_front && protection.kind == RegionKind::Try && regions.all(|other| other == Some(region)) {
            graph.blocks[block].region = Some(region);
        }
    }
}
