//! Pass: the loop of an inlined comprehension is one step (3.12 and later).
//!
//! The compiler puts the loop of a comprehension into the function around, at a stack that may hold half an
//! expression. Lifted as a loop, it would give a name to all that lies there. But the loop takes nothing from that
//! stack but its iterable, and leaves nothing but the container: so it is a graph of its own, with an expression as
//! its source.
//!
//! Needs: asynchronous loops and `await` are found, cleanup regions are gone, `restore_or_pop`. Establishes: a
//! container that is built empty below an iterator, and the loop that fills it, are one step; inner ones first.
//! Where the loop is no expression, nothing changes.
//!
//! Example: `[]; SWAP 2; h: ForIter(body, end); body: -> x; x; LIST_APPEND 2 -> h` is `Comprehension; -> end`.

use depyf_bytecode::Op;
use depyf_syntax::Grammar;
use depyf_syntax::ast::{Expr, ExprKind, Ident, Stmt, StmtKind};
use fixedbitset::FixedBitSet;

use super::comprehension_variables::{has_all, restore_variables, set_aside};
use super::{Block, BlockId, Folded, Graph, Lists, Piece, Step, StepKind, Terminator};
use crate::lift::{Context, Effects, HOLE, LiftResult, Temporaries, lift_blocks};
use crate::{refine, structure, visit};

/// A comprehension in the graph.
struct Found {
    /// The block that builds the container, and at which step.
    before: BlockId,
    at: usize,
    /// The blocks of the loop, its head first.
    body: Vec<BlockId>,
    /// Where it goes on, and how many values are dropped there that belong to the iterator.
    behind: BlockId,
    drops: usize,
}

/// See the module.
pub(crate) fn fold_comprehensions(graph: &mut Graph, context: &Context<'_>, temporaries: &mut Temporaries) {
    if !(0..graph.blocks.len()).any(|block| start(graph, block).is_some()) {
        return;
    }
    let is_loop =
        |block: &Block| matches!(block.end, Terminator::ForIter { .. } | Terminator::AsyncFor { .. });
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors();
    // Inner loops come behind outer ones.
    for &head in order.iter().rev() {
        if !is_loop(&graph.blocks[head]) {
            continue;
        }
        let Some(found) = find(graph, &predecessors, head) else { continue };
        let mut part = part_of(graph, &found);
        let own = set_aside(graph, &predecessors, (found.before, found.at));
        let is_complete = has_all(&part, &own);
        let effects = effects(&part);
        std::mem::swap(&mut part.copies, &mut graph.copies);
        let value = expression(context, &mut part, temporaries);
        std::mem::swap(&mut part.copies, &mut graph.copies);
        if let Some(mut expr) = value {
            if !is_complete {
                restore_variables(&mut expr, &own, context);
            }
            replace(graph, &found, Folded { expr, effects });
        }
    }
}

/// The step with which a block builds an empty container below an iterator, and the loop that the block goes to.
fn start(graph: &Graph, block: BlockId) -> Option<(usize, BlockId)> {
    let Block { steps, end: Terminator::Jump(head), .. } = &graph.blocks[block] else { return None };
    if !matches!(graph.blocks[*head].end, Terminator::ForIter { .. } | Terminator::AsyncFor { .. }) {
        return None;
    }
    // What follows the two makes the iterator, where that is the comprehension's own (3.15).
    let making = steps.iter().rev();
    let making = making
        .take_while(|step| is(step, |op| matches!(op, Op::GetIter | Op::GetAiter | Op::PushNull)))
        .count();
    let at = steps.len().checked_sub(making + 2)?;
    let builds = is(&steps[at], |op| matches!(op, Op::BuildList(0) | Op::BuildSet(0) | Op::BuildMap(0)))
        && is(&steps[at + 1], |op| op == Op::Swap(2));
    builds.then_some((at, *head))
}

fn is(step: &Step, wanted: fn(Op) -> bool) -> bool {
    matches!(step.kind, StepKind::Op(op) if wanted(op))
}

/// The comprehension whose outermost loop starts at a block.
fn find(graph: &Graph, predecessors: &Lists, head: BlockId) -> Option<Found> {
    let (first, behind, slots, pops) = match graph.blocks[head].end {
        Terminator::ForIter { body, exhausted, slots, pops } => (body, exhausted, slots as usize, pops),
        Terminator::AsyncFor { body, exhausted } => (body, exhausted, 1, true),
        _ => return None,
    };
    let drops = if pops { 0 } else { slots };
    let mut starts = predecessors[head].iter().filter_map(|&from| Some((from, start(graph, from)?.0)));
    let (Some((before, at)), None) = (starts.next(), starts.next()) else { return None };
    let dropped = graph.blocks[behind].steps.iter().take_while(|step| is(step, |op| op == Op::Pop)).count();
    if dropped < drops || drops > 0 && predecessors[behind] != [head] {
        return None;
    }
    // All that the head leads to before the loop ends, under the same handler.
    let region = graph.blocks[head].region;
    let mut seen = FixedBitSet::with_capacity(graph.blocks.len());
    seen.insert(head);
    let mut body = vec![head];
    let mut work = vec![first];
    while let Some(block) = work.pop() {
        if seen.put(block) {
            continue;
        }
        let mut next = graph.blocks[block].end.successors().peekable();
        if block == behind || block == before || graph.blocks[block].region != region || next.peek().is_none()
        {
            return None;
        }
        work.extend(next);
        body.push(block);
    }
    // The loops of inner comprehensions are gone; what followed them still knows of them.
    let outside = |from: &BlockId| {
        *from != before && !seen.contains(*from) && !matches!(graph.blocks[*from].end, Terminator::Nowhere)
    };
    let entered = body.iter().any(|&block| predecessors[block].iter().any(outside));
    (!entered && graph.blocks[before].region == region).then_some(Found { before, at, body, behind, drops })
}

/// The loop as a graph of its own: it starts with the iterable and returns the container.
fn part_of(graph: &Graph, found: &Found) -> Graph {
    let numbers: crate::hash::HashMap<BlockId, BlockId> =
        found.body.iter().enumerate().map(|(at, &block)| (block, at + 1)).collect();
    let last = found.body.len() + 1;
    let before = &graph.blocks[found.before];
    let start = before.steps[found.at].offset;
    let mut steps = vec![Step { offset: start, kind: StepKind::Iterable }];
    steps.extend_from_slice(&before.steps[found.at..]);
    let new = |steps: Vec<Step>, end, end_offset, start| Block {
        steps,
        end_offset,
        ..Block::empty(start, end, None)
    };
    let entry = new(steps, Terminator::Jump(1), before.end_offset, start);
    let inner = found.body.iter().map(|&block| {
        let mut block = Block { region: None, ..graph.blocks[block].clone() };
        block.end.retarget(|to| numbers.get(&to).copied().unwrap_or(last));
        block
    });
    let behind = &graph.blocks[found.behind];
    let dropped = behind.steps[..found.drops].to_vec();
    let exit = new(dropped, Terminator::Return, behind.start, behind.start);
    let jumps = found.body.iter().map(|&block| graph.blocks[block].end_offset);
    let threaded = jumps.filter(|jump| graph.threaded.contains(jump)).collect();
    let blocks = std::iter::once(entry).chain(inner).chain([exit]).collect();
    Graph { threaded, ..Graph::of(blocks, Vec::new(), graph.contents) }
}

/// What evaluating the comprehension does to what is around it.
fn effects(part: &Graph) -> Effects {
    let mut effects = Effects::acting();
    for block in part.blocks.iter() {
        for (at, step) in block.steps.iter().enumerate() {
            let copied = at.checked_sub(1).map(|before| &block.steps[before].kind);
            match &step.kind {
                StepKind::Op(Op::LoadLocal(local)) => effects.locals.add(*local),
                // An assignment expression; what the loops store is the comprehension's own.
                StepKind::Op(Op::StoreLocal(local)) if matches!(copied, Some(StepKind::Op(Op::Copy(1)))) => {
                    effects.stores.push(*local);
                }
                kind => {
                    if let Some(Piece::Comprehension(inner)) = kind.as_piece() {
                        effects.add(&inner.effects);
                    }
                }
            }
        }
    }
    effects
}

/// The comprehension that the graph computes, with a hole for its first iterable.
fn expression(context: &Context<'_>, part: &mut Graph, temporaries: &mut Temporaries) -> Option<Expr> {
    let mut block = statements(context, part, temporaries).ok()?;
    refine::restore_targets(&mut block, context.names.variables());
    refine::inline_temporaries(&mut block, context.names);
    refine::restore_comprehensions(&mut block, context.names, Grammar::of(context.code.version));
    refine::inline_temporaries(&mut block, context.names);
    let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = &mut block[..] else { return None };
    let ExprKind::Comprehension { clauses, .. } = &mut value.kind else { return None };
    let iterable = &mut clauses.first_mut()?.iter;
    if iterable.kind != ExprKind::Name(Ident::new(ITERABLE)) {
        return None;
    }
    iterable.kind = ExprKind::Temp(HOLE);
    let mut left = 0;
    visit::walk(&mut block, &mut |expr| left += u32::from(matches!(expr.kind, ExprKind::Temp(_))));
    match block.pop()?.kind {
        StmtKind::Return(value) if left == 1 => value,
        _ => None,
    }
}

fn statements(
    context: &Context<'_>,
    part: &mut Graph,
    temporaries: &mut Temporaries,
) -> LiftResult<depyf_syntax::ast::Block> {
    super::reduce(part, context, temporaries);
    structure::structure(&mut lift_blocks(context, part, temporaries)?, &mut part.contents)
}

/// Puts the step where the container was built.
fn replace(graph: &mut Graph, found: &Found, value: Folded) {
    graph.blocks[found.behind].steps.drain(..found.drops);
    for &block in &found.body {
        graph.blocks[block].steps.clear();
        graph.blocks[block].end = Terminator::Nowhere;
    }
    let before = &mut graph.blocks[found.before];
    let offset = before.steps[found.at].offset;
    before.steps.truncate(found.at);
    before.steps.push(Step { offset, kind: StepKind::piece(Piece::Comprehension(value)) });
    before.end = Terminator::Jump(found.behind);
}

/// The name of the first iterable while it is unknown; nobody's, as the compiler's own `.0` is.
pub(crate) const ITERABLE: &str = ".0";
