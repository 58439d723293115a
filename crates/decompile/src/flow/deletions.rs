//! Pass (readable view only): deletions of locals that nothing reads again are left out.
//!
//! Dynamo deletes `graph_out_0` as soon as its items are taken, before it uses them. The deletion frees the
//! object a little earlier and has no other effect on a local that is stored before it is read again.
//!
//! Needs: the plain graph. Establishes: no `DeleteLocal` of a local that is dead behind it.

use crate::hash::HashSet;

use depyf_bytecode::{Op, VarId};

use super::{BlockId, Graph, Step, StepKind};

/// See the module.
pub(crate) fn erase_dead_deletions(graph: &mut Graph) {
    let deleted: HashSet<VarId> = operations(graph).filter_map(|(_, _, op)| deletion(op)).collect();
    if deleted.is_empty() {
        return;
    }
    let dead: Vec<(BlockId, usize)> = operations(graph)
        .filter(|&(block, at, op)| deletion(op).is_some_and(|local| is_dead(graph, block, at + 1, local)))
        .filter(|&(block, at, op)| !deletion(op).is_some_and(|local| unbinds(graph, block, at, local)))
        .map(|(block, at, _)| (block, at))
        .collect();
    for dead in dead.chunk_by(|(a, _), (b, _)| a == b) {
        let (mut at, mut dead) = (0, dead.iter().peekable());
        let Some(&&(block, _)) = dead.peek() else { continue };
        graph.blocks[block].steps.retain(|_| {
            at += 1;
            dead.next_if(|(_, erased)| erased + 1 == at).is_none()
        });
    }
}

fn operations(graph: &Graph) -> impl Iterator<Item = (BlockId, usize, Op)> {
    graph.blocks.iter().enumerate().flat_map(|(block, found)| {
        found.steps.iter().enumerate().filter_map(move |(at, step)| Some((block, at, step.op()?)))
    })
}

fn deletion(op: Op) -> Option<VarId> {
    match op {
        Op::DeleteLocal(local) => Some(local),
        _ => None,
    }
}

/// Whether the deletion is that of an exception's name, which a later pass takes for what it is.
fn unbinds(graph: &Graph, block: BlockId, at: usize, local: VarId) -> bool {
    let before = &graph.blocks[block].steps[..at];
    matches!(
        before,
        [.., Step { kind: StepKind::Op(Op::Const(_) | Op::Common(_)), .. }, Step { kind: StepKind::Op(Op::StoreLocal(stored)), .. }]
            if *stored == local
    )
}

/// Whether every way from a place on stores the local before it reads or deletes it.
fn is_dead(graph: &Graph, block: BlockId, from: usize, local: VarId) -> bool {
    let mut seen = HashSet::default();
    let mut work = vec![(block, from)];
    while let Some((block, from)) = work.pop() {
        let mut stored = false;
        for step in &graph.blocks[block].steps[from..] {
            match step.kind {
                StepKind::Op(Op::StoreLocal(other)) if other == local => stored = true,
                StepKind::Op(
                    Op::LoadLocal(other) | Op::DeleteLocal(other) | Op::LoadLocalAndClear(other),
                ) if other == local && !stored => {
                    return false;
                }
                // `locals()` may see it; so may whatever code asks for the frame, as for any local.
                _ => {}
            }
            if stored {
                break;
            }
        }
        // An exception may come before the store.
        let handler = graph.blocks[block].region.map(|region| graph.regions[region].handler);
        let ends = graph.blocks[block].end.successors().filter(|_| !stored);
        for next in ends.chain(handler) {
            if seen.insert(next) {
                work.push((next, 0));
            }
        }
    }
    true
}
