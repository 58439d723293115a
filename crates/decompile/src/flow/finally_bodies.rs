//! Pass: the copies of a `finally` body become one.
//!
//! From 3.9 on CPython copies the body of `finally` to every way out of the `try`, and once more into the
//! handler, where it ends by raising again (`Python/compile.c`, `compiler_try_finally`).
//!
//! Needs: `erase_cleanup_regions`, `find_with_statements`. Establishes: where every way out of a region starts
//! with the steps of its handler, those copies are gone and the region is a `try` with `finally`.
//!
//! Example: `region: x -> e; e: body, y; handler: body, Reraise` becomes `region: x -> y; finally: body`.

use std::collections::HashMap;

use depyf_bytecode::Op;

use super::{Block, BlockId, Graph, RegionId, RegionKind, Step, StepKind, Terminator};

/// The body as the handler has it.
struct Template {
    /// The handler's first block, and how many of its steps only set the handler up.
    start: BlockId,
    skip: usize,
    /// The one block that raises again.
    last: BlockId,
}

/// A copy of the body.
struct BodyCopy {
    /// Where it ends: in a block, behind so many of its steps.
    end: (BlockId, usize),
    /// The blocks of the body, each with its copy.
    pairs: Vec<(BlockId, BlockId)>,
}

/// See the module.
pub(crate) fn join_finally_bodies(graph: &mut Graph) {
    for region in 0..graph.regions.len() {
        if graph.regions[region].kind != RegionKind::Try {
            continue;
        }
        let Some(template) = template(graph, region) else { continue };
        let Some(copies) = copies(graph, region, &template) else { continue };
        for (start, copy) in copies {
            note_copy(graph, &template, &copy);
            erase_copy(graph, region, start, copy.end);
        }
        graph.regions[region].kind = RegionKind::Finally { last: template.last };
    }
}

/// The body of a handler that does nothing but run it and raise again.
fn template(graph: &Graph, region: RegionId) -> Option<Template> {
    let start = graph.regions[region].handler;
    let around = graph.blocks[start].region;
    let is = |step: &Step, op: Op| matches!(step.kind, StepKind::Op(found) if found == op);
    let skip = usize::from(graph.blocks[start].steps.first().is_some_and(|step| is(step, Op::PushExcInfo)));
    let mut last = None;
    let mut seen = vec![start];
    let mut work = vec![start];
    while let Some(block) = work.pop() {
        let found = &graph.blocks[block];
        let handles = |step: &Step| {
            matches!(
                step.kind,
                StepKind::Op(
                    Op::ExceptionMatch | Op::ExceptionGroupMatch | Op::PopExcept | Op::WithExceptStart
                )
            )
        };
        if found.region != around || found.steps.iter().any(handles) {
            return None;
        }
        match found.end {
            Terminator::Reraise if last.is_none() => last = Some(block),
            Terminator::Jump(_)
            | Terminator::Branch { .. }
            | Terminator::OrPop { .. }
            | Terminator::ForIter { .. }
            | Terminator::AsyncFor { .. } => {}
            _ => return None,
        }
        for next in found.end.successors() {
            if !seen.contains(&next) {
                seen.push(next);
                work.push(next);
            }
        }
    }
    let last = last?;
    // A handler without a body is no `finally`.
    let works = seen.len() > 1 || graph.blocks[start].steps.len() > skip;
    works.then_some(Template { start, skip, last })
}

/// Every way out of the region with the end of the copy that it starts with.
fn copies(graph: &Graph, region: RegionId, template: &Template) -> Option<Vec<(BlockId, BodyCopy)>> {
    let inside: Vec<bool> = (0..graph.blocks.len())
        .map(|block| graph.blocks[block].region.is_some() && graph.regions_around(block).contains(&region))
        .collect();
    let order = graph.reverse_postorder();
    let predecessors = graph.predecessors(&order);
    let mut found: Vec<(BlockId, BodyCopy)> = Vec::new();
    for &block in &order {
        if !inside[block] {
            continue;
        }
        for next in graph.blocks[block].end.successors() {
            if inside[next] || found.iter().any(|(known, _)| *known == next) {
                continue;
            }
            if !predecessors[next].iter().all(|&before| inside[before]) {
                return None;
            }
            found.push((next, copy_of(graph, template, next)?));
        }
    }
    Some(found)
}

/// The copy that starts at a block, if it is one.
fn copy_of(graph: &Graph, template: &Template, copy: BlockId) -> Option<BodyCopy> {
    let mut pairs: HashMap<BlockId, BlockId> = HashMap::from([(template.start, copy)]);
    let mut work = vec![(template.start, copy)];
    let mut end = None;
    let mut joined = Vec::new();
    while let Some((original, copy)) = work.pop() {
        joined.push((original, copy));
        let skip = if original == template.start { template.skip } else { 0 };
        let (wanted, found) = (&graph.blocks[original], &graph.blocks[copy]);
        let steps = &wanted.steps[skip..];
        let equal =
            steps.len() <= found.steps.len() && steps.iter().zip(&found.steps).all(|(a, b)| a.same(b));
        if !equal || found.region != graph.blocks[template.start].region {
            return None;
        }
        if original == template.last {
            end = Some((copy, steps.len()));
            continue;
        }
        if steps.len() != found.steps.len() || !same_shape(wanted.end, found.end) {
            return None;
        }
        for (a, b) in wanted.end.successors().zip(found.end.successors()) {
            match pairs.insert(a, b) {
                None => work.push((a, b)),
                Some(known) if known == b => {}
                Some(_) => return None,
            }
        }
    }
    end.map(|end| BodyCopy { end, pairs: joined })
}

fn same_shape(a: Terminator, b: Terminator) -> bool {
    let shape = |mut end: Terminator| {
        end.retarget(|_| 0);
        end
    };
    shape(a) == shape(b)
}

/// Notes which instructions of the body stand for those of the copy.
fn note_copy(graph: &mut Graph, template: &Template, copy: &BodyCopy) {
    for &(original, copy) in &copy.pairs {
        let skip = if original == template.start { template.skip } else { 0 };
        let (kept, erased) = (&graph.blocks[original], &graph.blocks[copy]);
        graph.copies.note_steps(&erased.steps, &kept.steps[skip..]);
        if original != template.last {
            graph.copies.note(erased.end_offset, kept.end_offset);
        }
    }
}

/// Replaces a copy by an empty block of the region that goes on behind it.
fn erase_copy(graph: &mut Graph, region: RegionId, start: BlockId, (end, length): (BlockId, usize)) {
    let mut rest = graph.blocks[end].clone();
    rest.steps.drain(..length);
    rest.start = rest.steps.first().map_or(rest.end_offset, |step| step.offset);
    let new = graph.blocks.len();
    graph.blocks.push(rest);
    let offset = graph.blocks[start].start;
    graph.blocks[start] = Block {
        steps: Vec::new(),
        end: Terminator::Jump(new),
        end_offset: offset,
        region: Some(region),
        start: offset,
    };
}
