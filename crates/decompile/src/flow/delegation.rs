//! Pass: `yield from` and `await` become one operation again.
//!
//! From 3.11 on both are a loop around SEND and YIELD_VALUE (CPython `Python/codegen.c`, `ADD_YIELD_FROM`).
//!
//! Needs: the plain graph, jumps threaded. Establishes: such a loop is the single step `YieldFrom`, which pops
//! the iterator and the value sent first, as in 3.10, and lies in one block with what is before and behind it.
//!
//! Example: `it, None -> b; b: Send(on c, done d); c: Yield -> b; d: EndSend` becomes `it, None, YieldFrom -> d`.

use depyf_bytecode::Op;
use fixedbitset::FixedBitSet;

use super::{Block, BlockId, Graph, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn fold_delegation(graph: &mut Graph, send_drops_iterator: bool) {
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors();
    let mut joiner = Joiner::new(graph);
    for &send in order.iter() {
        let Terminator::Send { on, done } = graph.blocks[send].end else { continue };
        let yields = |block: BlockId| {
            matches!(&graph.blocks[block].steps[..], [Step { kind: StepKind::Op(Op::Yield), .. }])
                && graph.blocks[block].end == Terminator::Jump(send)
        };
        if !graph.blocks[send].steps.is_empty() || !yields(on) {
            continue;
        }
        let Some(skip) = end_of_send(&graph.blocks[done].steps, send_drops_iterator) else { continue };
        // What closes a suspended generator joins at the end of the loop, and goes with it.
        let throws: Vec<BlockId> = predecessors[done].iter().copied().filter(|&from| from != send).collect();
        let cleanup = |block: BlockId| {
            matches!(&graph.blocks[block].steps[..], [Step { kind: StepKind::Op(Op::CleanupThrow), .. }])
        };
        // In 3.11 nothing marks the end of the loop, so other ways may lead there.
        let ends_alone = throws.iter().all(|&block| cleanup(block));
        if !ends_alone && !send_drops_iterator {
            continue;
        }
        for block in throws.into_iter().filter(|_| ends_alone) {
            graph.blocks[block].steps.clear();
            graph.blocks[block].end = Terminator::Nowhere;
        }
        let offset = graph.blocks[send].end_offset;
        graph.blocks[send].steps.push(Step { offset, kind: StepKind::Op(Op::YieldFrom) });
        graph.blocks[send].end = Terminator::Jump(done);
        graph.blocks[done].steps.drain(..skip);
        if ends_alone {
            joiner.join(graph, send, done);
        }
        let mut before = predecessors[send].iter().copied().filter(|&from| from != on);
        if let (Some(from), None) = (before.next(), before.next()) {
            if skip == WITH_SLOT {
                erase_slot(&mut graph.blocks[joiner.home(from)].steps);
            }
            joiner.join(graph, from, send);
        }
    }
}

/// Erases the NULL that lies between the iterator and the first value that is sent: the end of the loop, which dropped
/// it, is gone.
fn erase_slot(steps: &mut Vec<Step>) {
    if let [.., slot, _] = &steps[..]
        && matches!(slot.kind, StepKind::Op(Op::PushNull))
    {
        steps.remove(steps.len() - 2);
    }
}

/// So many steps end a loop with a NULL above the iterator (3.15).
const WITH_SLOT: usize = 3;

/// Joins the blocks that the loops split one run of steps into.
struct Joiner {
    /// The block that the steps of each block have moved to.
    home: Vec<BlockId>,
    handlers: FixedBitSet,
}

impl Joiner {
    fn new(graph: &Graph) -> Self {
        Self { home: (0..graph.blocks.len()).collect(), handlers: graph.handler_heads() }
    }

    fn home(&self, mut block: BlockId) -> BlockId {
        while self.home[block] != block {
            block = self.home[block];
        }
        block
    }

    /// Joins `to` with the block before it, if that only goes there; no other way may lead to `to`.
    fn join(&mut self, graph: &mut Graph, before: BlockId, to: BlockId) {
        let from = self.home(before);
        if graph.blocks[from].end != Terminator::Jump(to)
            || graph.blocks[from].region != graph.blocks[to].region
            || from == to
            || self.handlers.contains(to)
            || to == 0
            || borders(graph.blocks[from].steps.last())
        {
            return;
        }
        let steps = std::mem::take(&mut graph.blocks[to].steps);
        let Block { end, end_offset, layout, dead, jumps, written, .. } = graph.blocks[to];
        graph.blocks[to].end = Terminator::Nowhere;
        let block = &mut graph.blocks[from];
        block.steps.extend(steps);
        (block.end, block.end_offset) = (end, end_offset);
        (block.layout, block.jumps, block.written) = (layout, jumps, written);
        block.dead.behind = dead.behind;
        self.home[to] = from;
    }
}

/// Whether other passes look for what follows this step at the head of a block.
fn borders(step: Option<&Step>) -> bool {
    matches!(step.map(|step| &step.kind), Some(StepKind::Op(Op::BeforeWith { .. } | Op::PopExcept)))
}

/// How many steps at the head of a block drop the iterator from under the result.
fn end_of_send(steps: &[Step], send_drops_iterator: bool) -> Option<usize> {
    let op = |at: usize| steps.get(at)?.op();
    match (op(0), op(1), op(2)) {
        _ if send_drops_iterator => Some(0),
        (Some(Op::EndSend), ..) => Some(1),
        (Some(Op::Swap(2)), Some(Op::Pop), Some(Op::EndSend)) => Some(WITH_SLOT),
        _ => None,
    }
}
