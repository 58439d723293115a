//! Pass: `except*` gets the shape of `except`.
//!
//! The handler of `except*` tries all types, one after the other, and collects in a list what the bodies raise
//! and what no type takes; from that it makes the exception that it raises in the end, if any (CPython
//! `Python/codegen.c`, `codegen_try_star_except`).
//!
//! Needs: `erase_cleanup_regions`. Establishes: the handler matches, stores and ends as that of an `except` does;
//! the list and the regions that fill it are gone, and the region says that it is a `TryStar`. No path leads from
//! one body to the next type any more: that is what the statement means.
//!
//! Example: `Copy(1), BuildList(0), Swap(2), T, ExceptionGroupMatch, Copy(1), IsNone -> n, b` becomes
//! `T, ExceptionMatch -> b, n`.

use depyf_bytecode::{Function, Intrinsic2, Op};

use super::copied_tails::cut;
use super::dominators::Dominators;
use super::places::{instructions_before, line_of};
use super::step::are_same;
use super::{Block, BlockId, Contents, Graph, RegionId, RegionKind, Step, StepKind, Terminator};

/// See the module.
pub(crate) fn find_exception_groups(graph: &mut Graph, function: &Function) {
    // Statements whose clauses all leave, the body of the last of these, and what stands behind each.
    let mut left: Vec<(RegionId, BlockId, BlockId)> = Vec::new();
    for region in 0..graph.regions.len() {
        let handler = graph.regions[region].handler;
        let ops: Vec<Option<Op>> = graph.blocks[handler].steps.iter().take(4).map(Step::op).collect();
        let skip = match ops[..] {
            [Some(Op::PushExcInfo), Some(Op::Copy(1)), Some(Op::BuildList(0)), Some(Op::Swap(2))] => 4,
            [Some(Op::PushExcInfo), Some(Op::BuildList(0)), Some(Op::Copy(2)), ..] => 3,
            _ => continue,
        };
        let Some(clauses) = clauses(graph, handler) else { continue };
        let Some(after) = clauses.last().and_then(|last| outcome(graph, last.next)) else { continue };
        let follow = shared_end(graph, region, after, function);
        graph.regions[region].kind = RegionKind::TryStar { follow };
        graph.blocks[handler].steps.drain(1..skip);
        if !rewrite(graph, handler, &clauses, follow)
            && let Some(last) = clauses.last()
        {
            left.push((region, last.body, follow));
        }
    }
    if left.is_empty() {
        return;
    }
    let (order, predecessors) = (graph.reverse_postorder(), graph.predecessors());
    let dominators = Dominators::compute(&order, &graph.all_predecessors());
    // The block of each region that all ways into it lead to.
    let mut entries = vec![None; graph.regions.len()];
    for &block in order.iter() {
        for region in graph.regions_around(block) {
            entries[region].get_or_insert(block);
        }
    }
    left.retain(|&(region, _, follow)| {
        let Some(entry) = entries[region] else { return true };
        !predecessors[follow].iter().any(|&before| dominators.dominates(entry, before))
    });
    for (_, clause, follow) in left {
        lead_behind(graph, clause, follow);
    }
}

/// Lets a test that never holds, at the head of a clause's body, lead to what stands behind a statement whose body and clauses
/// all leave: it runs where what a clause raised was an empty group.
fn lead_behind(graph: &mut Graph, clause: BlockId, follow: BlockId) {
    // The body begins with what the exception becomes; that of damaged code may not.
    if graph.blocks[clause].steps.is_empty() {
        return;
    }
    let rest = cut(graph, clause, 1);
    let Block { region, start, .. } = graph.blocks[rest];
    let leave = graph.blocks.len();
    let steps = vec![Step { offset: start, kind: StepKind::Op(Op::PopExcept) }];
    graph.blocks.push(Block { steps, ..Block::empty(start, Terminator::Jump(follow), region) });
    let steps = vec![Step { offset: start, kind: StepKind::Never }];
    let end = Terminator::Branch { yes: leave, no: rest };
    graph.blocks.push(Block { steps, ..Block::empty(start, end, region) });
    graph.blocks[clause].end = Terminator::Jump(leave + 1);
    graph.contents.add(Contents::JUMPS.and(Contents::TESTS).and(Contents::UNREACHED));
}

/// How many values of the handler lie on the stack in a body and are gone afterwards: the group, the list and
/// the rest of the group.
const EXTRA: u32 = 3;

/// One `except*` clause.
struct Clause {
    /// The block that ends with the match.
    tests: BlockId,
    /// Where the body starts.
    body: BlockId,
    /// Where the next type is tried, and whether the way there adds the rest of the group to the list.
    next: BlockId,
    /// The blocks of the body.
    members: Vec<BlockId>,
    /// The regions that collect what the body raises.
    collects: Vec<RegionId>,
}

/// All clauses of a handler, and behind the last one the block that puts the results together.
fn clauses(graph: &Graph, handler: BlockId) -> Option<Vec<Clause>> {
    let mut found: Vec<Clause> = Vec::new();
    let mut start = handler;
    for _ in 0..graph.blocks.len() {
        if !found.is_empty() && outcome(graph, start).is_some() {
            return Some(found);
        }
        let clause = clause(graph, handler, start)?;
        start = clause.next;
        found.push(clause);
    }
    None
}

/// The clause whose type is computed from a block on.
fn clause(graph: &Graph, handler: BlockId, start: BlockId) -> Option<Clause> {
    let matches = |block: BlockId| match &graph.blocks[block].steps[..] {
        [.., group, copy, Step { kind: StepKind::IsNone { negated: false }, .. }] => {
            group.op() == Some(Op::ExceptionGroupMatch) && copy.op() == Some(Op::Copy(1))
        }
        _ => false,
    };
    let mut seen = vec![start];
    let mut at = 0;
    let tests = loop {
        let block = *seen.get(at)?;
        at += 1;
        if matches(block) {
            break block;
        }
        for next in graph.blocks[block].end.successors() {
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
    };
    let Terminator::Branch { yes: none, no: body } = graph.blocks[tests].end else { return None };
    let Terminator::Jump(next) = graph.blocks[none].end else { return None };
    let drops: Vec<Option<Op>> = graph.blocks[none].steps.iter().map(Step::op).collect();
    if !matches!(drops[..], [Some(Op::Pop)] | [Some(Op::Pop), Some(Op::ListAppend(1))]) {
        return None;
    }
    let around = graph.regions_around(handler);
    let mut members = vec![body];
    let mut collects = Vec::new();
    let mut at = 0;
    while let Some(&block) = members.get(at) {
        at += 1;
        let mut following: Vec<BlockId> = graph.blocks[block].end.successors().collect();
        if let Some(region) = graph.blocks[block].region.filter(|region| !around.contains(region)) {
            let handler = graph.regions[region].handler;
            if is_collector(graph, handler, next) {
                if !collects.contains(&region) {
                    collects.push(region);
                }
            } else {
                following.push(handler);
            }
        }
        for block in following {
            if block != next && !members.contains(&block) {
                members.push(block);
            }
        }
    }
    // A region around an inner one may be that of the body.
    for &block in &members {
        for region in graph.regions_around(block) {
            if !around.contains(&region)
                && !collects.contains(&region)
                && is_collector(graph, graph.regions[region].handler, next)
            {
                collects.push(region);
            }
        }
    }
    Some(Clause { tests, body, next, members, collects })
}

/// Whether a handler adds what a body raised to the list.
fn is_collector(graph: &Graph, handler: BlockId, next: BlockId) -> bool {
    let ops: Vec<Option<Op>> = graph.blocks[handler].steps.iter().map(Step::op).collect();
    let ops = match &ops[..] {
        [rest @ .., Some(Op::ListAppend(1))] => rest,
        all => all,
    };
    let collects = match ops {
        // A name is unbound before; the readable view may have left out its deletion.
        [rest @ .., Some(Op::ListAppend(3)), Some(Op::Pop)] => rest.len() <= 3,
        _ => false,
    };
    collects && graph.blocks[handler].end == Terminator::Jump(next)
}

/// Where the statement goes on when nothing is left to raise, if the block makes the final exception.
fn outcome(graph: &Graph, block: BlockId) -> Option<BlockId> {
    let steps = &graph.blocks[block].steps;
    let skip = usize::from(steps.first().and_then(Step::op) == Some(Op::ListAppend(1)));
    let [prepare, copy, Step { kind: StepKind::IsNone { negated: false }, .. }] = steps.get(skip..)? else {
        return None;
    };
    if prepare.op() != Some(Op::Intrinsic2(Intrinsic2::PrepReraiseStar)) || copy.op() != Some(Op::Copy(1)) {
        return None;
    }
    let Terminator::Branch { yes, .. } = graph.blocks[block].end else { return None };
    let mut ops: Vec<Option<Op>> = Vec::new();
    let mut block = yes;
    while ops.len() < 2 {
        ops.extend(graph.blocks[block].steps.iter().map(Step::op));
        let Terminator::Jump(next) = graph.blocks[block].end else { return None };
        block = next;
        if graph.blocks[block].steps.is_empty() {
            break;
        }
    }
    matches!(ops[..], [Some(Op::Pop), Some(Op::PopExcept)]).then_some(block)
}

/// Where the body of the statement goes on in a copy of what follows the handler, the copy: it has the line of the original.
/// The end that no `return` was written for has no line of its own, and `join_shared_exits` finds its copies.
fn shared_end(graph: &Graph, region: RegionId, after: BlockId, function: &Function) -> BlockId {
    let wanted = &graph.blocks[after];
    if !matches!(wanted.end, Terminator::Return | Terminator::Raise(_)) {
        return after;
    }
    let same = |block: BlockId| {
        let found = &graph.blocks[block];
        found.region == wanted.region && found.end == wanted.end && are_same(&found.steps, &wanted.steps)
    };
    let line = |block: BlockId| line_of(function, graph.blocks[block].end_offset);
    let own = line(after);
    let first =
        instructions_before(function, wanted.steps.first().map_or(wanted.end_offset, |first| first.offset));
    let before = first.checked_sub(1).and_then(|at| function.instructions.get(at));
    if own.is_none() || before.is_some_and(|before| before.line == own) {
        return after;
    }
    let inside = graph.blocks.iter().filter(|block| block.region == Some(region));
    let exits = inside.flat_map(|block| block.end.successors()).filter(|&exit| same(exit));
    exits.max_by_key(|&exit| (line(exit) == own, graph.blocks[exit].start)).unwrap_or(after)
}

/// Writes the clauses as those of an `except`. Says whether a way out of one of them leads behind the statement.
fn rewrite(graph: &mut Graph, handler: BlockId, clauses: &[Clause], after: BlockId) -> bool {
    let Some(last) = clauses.last() else { return false };
    let mut goes_on = false;
    let around = graph.blocks[handler].region;
    let finish = |offset: u32, steps: Vec<Op>, end: Terminator| Block {
        steps: steps.into_iter().map(|op| Step { offset, kind: StepKind::Op(op) }).collect(),
        ..Block::empty(offset, end, around)
    };
    let raises = graph.blocks.len();
    let offset = graph.blocks[last.next].start;
    graph.blocks.push(finish(offset, Vec::new(), Terminator::Reraise));
    for clause in clauses {
        let tests = &mut graph.blocks[clause.tests];
        let length = tests.steps.len() - 3;
        let offset = tests.steps[length].offset;
        tests.steps.truncate(length);
        tests.steps.push(Step { offset, kind: StepKind::Op(Op::ExceptionMatch) });
        let next = if outcome(graph, clause.next).is_some() { raises } else { clause.next };
        graph.blocks[clause.tests].end = Terminator::Branch { yes: clause.body, no: next };
        let name = graph.blocks[clause.body].steps.first().and_then(Step::op);
        let leave = graph.blocks.len();
        let offset = graph.blocks[clause.tests].end_offset;
        graph.blocks.push(finish(offset, vec![Op::PopExcept], Terminator::Jump(after)));
        let mut inner: Vec<RegionId> = Vec::new();
        for &block in &clause.members {
            for region in graph.regions_around(block) {
                if clause.members.contains(&graph.regions[region].handler) && !inner.contains(&region) {
                    inner.push(region);
                }
            }
        }
        for &block in &clause.members {
            let found = &mut graph.blocks[block];
            if found.end.successors().any(|to| to == clause.next) {
                goes_on = true;
                found.end.retarget(|to| if to == clause.next { leave } else { to });
                let adds = found.steps.last().and_then(Step::op) == Some(Op::ListAppend(1));
                found.steps.truncate(found.steps.len() - usize::from(adds));
                unbind(&mut found.steps, name);
            }
            if found.region.is_some_and(|region| clause.collects.contains(&region)) {
                found.region = around;
            }
        }
        // What only unbound the name does nothing now.
        let empty = |graph: &Graph, block: BlockId| {
            block != clause.body
                && clause.members.contains(&block)
                && graph.blocks[block].steps.is_empty()
                && graph.blocks[block].end == Terminator::Jump(leave)
        };
        for &block in &clause.members {
            let mut end = graph.blocks[block].end;
            end.retarget(|to| if empty(graph, to) { leave } else { to });
            graph.blocks[block].end = end;
        }
        for region in inner {
            let depth = &mut graph.regions[region].depth;
            *depth = depth.saturating_sub(EXTRA);
        }
        for &region in &clause.collects {
            let collector = graph.regions[region].handler;
            graph.blocks[collector].steps.clear();
            graph.blocks[collector].end = Terminator::Nowhere;
        }
    }
    goes_on
}

/// Removes the end of a name's scope, `None -> name; del name`, from the end of the steps.
fn unbind(steps: &mut Vec<Step>, name: Option<Op>) {
    if let [.., none, store] = &steps[..]
        && matches!(none.op(), Some(Op::Const(_) | Op::Common(_)))
        && matches!(store.op(), Some(Op::StoreLocal(_)))
        && store.op() == name
    {
        return steps.truncate(steps.len() - 2);
    }
    let [.., none, store, delete] = &steps[..] else { return };
    let deleted = match (store.op(), delete.op()) {
        (Some(Op::StoreLocal(a)), Some(Op::DeleteLocal(b)))
        | (Some(Op::StoreDeref(a)), Some(Op::DeleteDeref(b)))
        | (Some(Op::StoreGlobal(a)), Some(Op::DeleteGlobal(b)))
        | (Some(Op::StoreName(a)), Some(Op::DeleteName(b))) => a == b,
        _ => false,
    };
    let binds = store.op() == name && matches!(none.op(), Some(Op::Const(_) | Op::Common(_)));
    if deleted && binds {
        steps.truncate(steps.len() - 3);
    }
}
