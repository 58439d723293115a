//! Chained comparisons, a part of `reduce`.
//!
//! `a < b < c` keeps a copy of `b` below the first result and drops it on the way out if that is false.

use depyf_bytecode::{Op, UnaryOp};
use depyf_syntax::ast::CompareOp;

use super::reduce::Reducer;
use super::same_ends::does_the_same;
use super::{BlockId, Folded, Step, StepKind, Terminator};
use crate::lift::{Lifter, compare};

/// Folds a chain that starts at the end of block `id`.
pub(super) fn fold_chain(reducer: &mut Reducer<'_>, id: BlockId) -> bool {
    let Some(first) = link(&reducer.graph.blocks[id].steps) else { return false };
    let mut rest: Vec<(CompareOp, Folded)> = Vec::new();
    let mut used = Vec::new();
    let mut cleanup = None;
    let mut at = id;
    let (end, tail) = loop {
        // On the way on, the copy of the operand is on the stack; on the way out it is dropped.
        let (next, out) = match reducer.graph.blocks[at].end {
            Terminator::OrPop { when: false, keep, other } => (other, keep),
            Terminator::Branch { yes, no } => (yes, no),
            _ => return false,
        };
        if *cleanup.get_or_insert(out) != out || !reducer.follows_only(id, next) {
            return false;
        }
        used.push(next);
        if link(&reducer.graph.blocks[next].steps).is_none() {
            // The way on leaves the result where the copy of the operand was, the way out below it.
            reducer.share_tail([(next, 0), (out, -1)], true);
        }
        let steps = &reducer.graph.blocks[next].steps;
        let (operand, op, last) = match link(steps) {
            Some(op) if ends_open(reducer.graph.blocks[next].end) => (&steps[..steps.len() - 3], op, None),
            _ => {
                // The condition that the chain is a part of may have been folded onto its last comparison.
                let tail = steps.iter().rev().take_while(|step| combines(step)).count();
                let Some((step, operand)) = steps[..steps.len() - tail].split_last() else { return false };
                let tail = steps[steps.len() - tail..].to_vec();
                match (comparison(step), &step.kind) {
                    (Some(op), _) => (operand, op, Some((tail, Vec::new()))),
                    // The later links have been folded before this one.
                    (None, StepKind::Chain { first, rest }) => (operand, *first, Some((tail, rest.clone()))),
                    (None, _) => return false,
                }
            }
        };
        let operand = operand.to_vec();
        match Lifter::fold(reducer.context, reducer.temporaries, Vec::new(), &operand) {
            Some(folded) => rest.push((op, folded)),
            None => return false,
        }
        if let Some((tail, links)) = last {
            rest.extend(links);
            break (reducer.graph.blocks[next].end, tail);
        }
        at = next;
    };
    let Some(cleanup) = cleanup else { return false };
    let graph = &reducer.graph;
    let drop = &graph.blocks[cleanup];
    let starts_with = |kinds: &[Op]| {
        drop.steps.len() >= kinds.len()
            && drop
                .steps
                .iter()
                .zip(kinds)
                .all(|(step, op)| matches!(&step.kind, StepKind::Op(found) if found == op))
    };
    let mut joined_end = None;
    let joined = match end {
        // As a value: the cleanup drops the operand below the result.
        Terminator::Jump(_) | Terminator::Return => {
            let drops = [Op::Swap(2), Op::Pop];
            joined_end = reducer.same_way(end, drop.end);
            tail.is_empty() && joined_end.is_some() && drop.steps.len() == drops.len() && starts_with(&drops)
        }
        // As a condition: the cleanup drops the operand and goes where a false comparison goes, or does
        // what is done there.
        Terminator::Branch { yes, no } => {
            let decided = truth_behind(&tail).map(|truth| if truth { yes } else { no });
            starts_with(&[Op::Pop])
                && decided.is_some_and(|decided| {
                    let wanted = &graph.blocks[decided];
                    match drop.end {
                        Terminator::Jump(next) if drop.steps.len() == 1 => {
                            let next = (next != decided).then_some(&graph.blocks[next]);
                            next.is_none_or(|next| does_the_same(&next.steps, next, wanted))
                        }
                        _ => does_the_same(&drop.steps[1..], drop, wanted),
                    }
                })
        }
        _ => false,
    };
    if !joined {
        return false;
    }
    for block in used {
        reducer.remove(block);
    }
    let length = reducer.graph.blocks[id].steps.len() - 3;
    reducer.graph.blocks[id].steps.truncate(length);
    let offset = reducer.graph.blocks[id].end_offset;
    reducer.graph.blocks[id].steps.push(Step { offset, kind: StepKind::Chain { first, rest } });
    reducer.graph.blocks[id].steps.extend(tail);
    reducer.set_end(id, joined_end.unwrap_or(end));
    if reducer.ways_in[cleanup] == 0 {
        reducer.remove(cleanup);
    }
    true
}

/// Whether a step makes a larger condition of the one below it.
pub(super) fn combines(step: &Step) -> bool {
    matches!(step.kind, StepKind::Bool { .. } | StepKind::Op(Op::Unary(UnaryOp::Not) | Op::ToBool))
}

/// The truth of a condition whose first part is false and decides it; `steps` combine the first part.
fn truth_behind(steps: &[Step]) -> Option<bool> {
    steps.iter().try_fold(false, |truth, step| match step.kind {
        StepKind::Op(Op::Unary(UnaryOp::Not)) => Some(!truth),
        StepKind::Bool { and, .. } => (truth != and).then_some(truth),
        _ => Some(truth),
    })
}

/// Whether a link of a chain may end so: with a test of its comparison.
fn ends_open(end: Terminator) -> bool {
    matches!(end, Terminator::OrPop { when: false, .. } | Terminator::Branch { .. })
}

/// The comparison of a link that is not the last: it keeps a copy of its right operand.
fn link(steps: &[Step]) -> Option<CompareOp> {
    let [.., a, b, c] = steps else { return None };
    match (&a.kind, &b.kind) {
        (StepKind::Op(Op::Copy(1)), StepKind::Op(Op::Rot(3)))
        | (StepKind::Op(Op::Swap(2)), StepKind::Op(Op::Copy(2))) => comparison(c),
        _ => None,
    }
}

fn comparison(step: &Step) -> Option<CompareOp> {
    match step.kind {
        StepKind::Op(Op::Compare(op)) => Some(compare(op)),
        StepKind::Op(Op::Is { negated }) => Some(if negated { CompareOp::IsNot } else { CompareOp::Is }),
        StepKind::Op(Op::Contains { negated }) => {
            Some(if negated { CompareOp::NotIn } else { CompareOp::In })
        }
        _ => None,
    }
}
