//! Chained comparisons, a part of `reduce`.
//!
//! `a < b < c` keeps a copy of `b` below the first result and drops it on the way out if that is false.

use depyf_bytecode::{Op, UnaryOp};
use depyf_syntax::ast::{CompareOp, Expr, ExprKind, Literal, Origin};

use super::expression_ends::is;
use super::reduce::Reducer;
use super::same_ends::{does_the_same, leads_to_the_same};
use super::{BlockId, Folded, Layout, Piece, Step, StepKind, Terminator};
use crate::lift::{Effects, Lifter, compare};

/// A chain of comparisons behind its first one.
struct Chain {
    rest: Vec<(CompareOp, Folded)>,
    /// The blocks that make these comparisons.
    used: Vec<BlockId>,
    /// Where the copy of an operand is dropped if a comparison is false.
    cleanup: BlockId,
    /// What makes a larger condition of the last comparison.
    tail: Vec<Step>,
    end: Terminator,
    /// Whether a jump makes the last comparison, with None.
    tests_none: bool,
}

/// Folds a chain that starts at the end of block `id`.
pub(super) fn fold_chain(reducer: &mut Reducer<'_>, id: BlockId) -> bool {
    let Some(first) = link(&reducer.graph.blocks[id].steps) else { return false };
    if continues_chain(reducer, id) {
        return false;
    }
    let Some(mut chain) = follow(reducer, id) else { return false };
    turn_none_test(reducer, &mut chain);
    let Some(end) = joined_end(reducer, &chain) else { return false };
    let Chain { rest, used, cleanup, tail, .. } = chain;
    // Behind the last comparison lies the jump over the cleanup.
    let layout = used.last().map_or(Layout::default(), |&last: &usize| reducer.graph.blocks[last].layout);
    for block in used {
        reducer.remove(block);
    }
    let length = reducer.graph.blocks[id].steps.len() - 3;
    reducer.graph.blocks[id].steps.truncate(length);
    reducer.push(id, StepKind::piece(Piece::Chain { first, rest }));
    reducer.graph.blocks[id].steps.extend(tail);
    reducer.set_end(id, end);
    reducer.graph.blocks[id].layout = Layout { falls: layout.falls, to: layout.to, ..Layout::default() };
    if reducer.ways_in[cleanup] == 0 {
        reducer.remove(cleanup);
    }
    true
}

/// Follows a chain from its first comparison to the last one, if all of them are expressions.
fn follow(reducer: &mut Reducer<'_>, id: BlockId) -> Option<Chain> {
    let (_, cleanup) = ways(reducer.graph.blocks[id].end)?;
    let (mut rest, mut used, mut at) = (Vec::new(), Vec::new(), id);
    loop {
        // On the way on, the copy of the operand is on the stack; on the way out it is dropped.
        let (next, out) = ways(reducer.graph.blocks[at].end)?;
        if out != cleanup || !reducer.follows_only(id, next) {
            return None;
        }
        used.push(next);
        if link(&reducer.graph.blocks[next].steps).is_none() {
            // The way on leaves the result where the copy of the operand was, the way out below it.
            reducer.share_tail([(next, 0), (out, -1)], true);
        }
        let steps = &reducer.graph.blocks[next].steps;
        let end = reducer.graph.blocks[next].end;
        let (operand, op, last) = match link(steps) {
            Some(op) if ways(end).is_some() => (Operand::Steps(steps[..steps.len() - 3].to_vec()), op, None),
            _ => {
                let (operand, op, tail) = last_link(steps)?;
                (operand, op, Some(tail))
            }
        };
        // Of a chain the compiler looks at the last comparison only.
        let holds = last.is_some() && matches!(op, CompareOp::In | CompareOp::NotIn);
        let fold = if holds { Lifter::fold_container } else { Lifter::fold };
        let folded = match operand {
            Operand::Steps(steps) => fold(reducer.context, reducer.temporaries, &steps)?,
            Operand::None => none(),
        };
        rest.push((op, folded));
        if let Some(tail) = last {
            let tests_none = matches!(steps.first(), Some(Step { kind: StepKind::IsNone { .. }, .. }));
            return Some(Chain { rest, used, cleanup, tail, end, tests_none });
        }
        at = next;
    }
}

/// `a < b is not None` jumps where `a < b is None` falls through.
fn turn_none_test(reducer: &Reducer<'_>, chain: &mut Chain) {
    if let (Terminator::Branch { yes, no }, [], Some((op @ CompareOp::Is, _))) =
        (chain.end, &chain.tail[..], chain.rest.last_mut())
        && chain.tests_none
        && drops_to(reducer, chain.cleanup, yes)
    {
        (*op, chain.end) = (CompareOp::IsNot, Terminator::Branch { yes: no, no: yes });
    }
}

/// How a chain ends, if a false comparison leads there, too, behind the cleanup.
fn joined_end(reducer: &Reducer<'_>, chain: &Chain) -> Option<Terminator> {
    let (end, drop) = (chain.end, &reducer.graph.blocks[chain.cleanup]);
    match end {
        // As a value: the cleanup drops the operand below the result.
        Terminator::Jump(_) | Terminator::Return | Terminator::Raise(_) => {
            let [swap, pop] = &drop.steps[..] else { return None };
            if !chain.tail.is_empty() || !is(swap, Op::Swap(2)) || !pop.drops() {
                return None;
            }
            // A `raise` is copied as a `return` is; two of one chain's result can be no others.
            let raises = matches!(end, Terminator::Raise(_)) && end == drop.end;
            if raises { Some(end) } else { reducer.same_way(end, drop.end) }
        }
        // As a condition: the cleanup drops the operand and goes where a false comparison goes, or does
        // what is done there.
        Terminator::Branch { yes, no } => {
            let decided = if truth_behind(&chain.tail)? { yes } else { no };
            drops_to(reducer, chain.cleanup, decided).then_some(end)
        }
        _ => None,
    }
}

/// Where a link goes on, and where it leads if its comparison is false.
const fn ways(end: Terminator) -> Option<(BlockId, BlockId)> {
    match end {
        Terminator::OrPop { when: false, keep, other } => Some((other, keep)),
        Terminator::Branch { yes, no } => Some((yes, no)),
        _ => None,
    }
}

/// Whether a link is not the first of its chain: its left operand was there before, and other links leave
/// through its cleanup.
fn continues_chain(reducer: &Reducer<'_>, id: BlockId) -> bool {
    let block = &reducer.graph.blocks[id];
    let Some((_, out)) = ways(block.end) else { return false };
    // Statements may lie in front of the operands in the block: what counts is whether both were made in it.
    let mut needed = 2;
    let operands = &block.steps[..block.steps.len() - 3];
    let mut makes = operands.iter().rev().map(|step| {
        needed -= reducer.effect(step);
        needed
    });
    reducer.ways_in[out] > 1 && makes.all(|needed| needed > 0)
}

/// What a comparison has on its right side.
enum Operand {
    /// The value of these steps.
    Steps(Vec<Step>),
    /// None, which the jump compares with.
    None,
}

fn none() -> Folded {
    let expr = Expr::new(Origin::NONE, ExprKind::Literal(Literal::None));
    Folded { expr, effects: Effects::NONE }
}

/// The last comparison of a chain: its right operand, and the steps behind it, which make a larger condition of the
/// chain that may have been folded onto it.
fn last_link(steps: &[Step]) -> Option<(Operand, CompareOp, Vec<Step>)> {
    let tail = steps.iter().rev().take_while(|step| combines(step)).count();
    let (link, tail) = steps.split_at(steps.len() - tail);
    if let [Step { kind: StepKind::IsNone { negated }, .. }] = link {
        let (turned, tail) = match tail {
            [Step { kind: StepKind::Op(Op::Unary(UnaryOp::Not)), .. }, tail @ ..] => (true, tail),
            tail => (false, tail),
        };
        let op = if *negated == turned { CompareOp::Is } else { CompareOp::IsNot };
        return Some((Operand::None, op, tail.to_vec()));
    }
    let (last, operand) = link.split_last()?;
    Some((Operand::Steps(operand.to_vec()), comparison(last)?, tail.to_vec()))
}

/// Whether a block drops the operand of a comparison and goes to a block, or does what is done there. One of both ways may
/// lead past a jump that the other one could not: to 3.9 that takes an argument that is not too large.
fn drops_to(reducer: &Reducer<'_>, cleanup: BlockId, to: BlockId) -> bool {
    let graph = &*reducer.graph;
    let drop = &graph.blocks[cleanup];
    let Some((Step { kind: StepKind::Op(Op::Pop), .. }, rest)) = drop.steps.split_first() else {
        return false;
    };
    match drop.end {
        Terminator::Jump(next) if rest.is_empty() => {
            leads_to_the_same(graph, reducer.through(next), reducer.through(to))
        }
        _ => does_the_same(rest, drop, &graph.blocks[to]),
    }
}

/// Whether a step makes a larger condition of the one below it.
pub(super) fn combines(step: &Step) -> bool {
    match &step.kind {
        StepKind::Op(op) => matches!(op, Op::Unary(UnaryOp::Not) | Op::ToBool),
        kind => matches!(kind.as_piece(), Some(Piece::Bool { .. })),
    }
}

/// The truth of a condition whose first part is false and decides it; `steps` combine the first part.
fn truth_behind(steps: &[Step]) -> Option<bool> {
    steps.iter().try_fold(false, |truth, step| match (&step.kind, step.kind.as_piece()) {
        (StepKind::Op(Op::Unary(UnaryOp::Not)), _) => Some(!truth),
        (_, Some(Piece::Bool { and, .. })) => (truth != *and).then_some(truth),
        _ => Some(truth),
    })
}

/// Whether steps end with a comparison that keeps a copy of its right operand.
pub(super) fn keeps_operand(steps: &[Step]) -> bool {
    link(steps).is_some()
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
