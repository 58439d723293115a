//! The handlers of statements whose bodies do nothing.
//!
//! What cannot raise is in no row of the exception table, so none leads to the handler of `try: pass`. CPython 3.11 keeps that
//! handler nevertheless, where what jumps over it has a line of its own (`Python/compile.c`, `mark_reachable`). The `pass` or
//! the `try` itself is an instruction that does nothing, in front: a region of that alone leads to the handler.
//!
//! Needs: all instructions of the bytecode, before those out of reach are erased. Establishes: such handlers are reached.
//!
//! Example: `Nop; Jump(b); a: PushExcInfo; ..` has a region around `Nop`, with `a` as its handler.

use depyf_bytecode::{Function, Instruction, Op, Region};

use crate::hash::HashSet;

/// So far in front of a handler the instruction may stand: an `else` lies between.
const MOST_BETWEEN: usize = 64;

/// Whether a function may have such handlers: as long as nothing is known of them, what stands behind a jump is erased.
pub(crate) fn may_have_idle_bodies(function: &Function) -> bool {
    let keeps_handlers = function.features.source_order && !function.features.six_value_handlers;
    let stands_behind = |pair: &[Instruction]| !pair[0].op.falls_through() && pair[1].op == Op::Nop;
    keeps_handlers && function.instructions.windows(2).any(stands_behind)
}

/// See the module. Tells whether there are any.
pub(crate) fn protect_idle_bodies(function: &mut Function) -> bool {
    let known: HashSet<u32> = function.regions.iter().map(|region| region.handler).collect();
    let is_lost = |at: &u32| function.instructions[*at as usize].op == Op::PushExcInfo && !known.contains(at);
    let mut added: Vec<Region> = Vec::new();
    for handler in (0..function.instructions.len() as u32).filter(is_lost) {
        let free = added.last().map_or(0, |last| last.end);
        added.extend(idle_body(function, handler).filter(|found| found.start >= free));
    }
    if added.is_empty() {
        return false;
    }
    for region in &added {
        // As earlier versions have it, it ends the body.
        function.instructions[region.start as usize].op = Op::PopBlock;
    }
    function.regions = joined(&function.regions, &added);
    true
}

/// A region of the instruction that does nothing, and belongs to a handler that no row leads to.
fn idle_body(function: &Function, handler: u32) -> Option<Region> {
    // What runs in a handler is protected, and keeps the exception that was handled before.
    let cleanup = Region::around(&function.regions, handler).filter(|cleanup| cleanup.lasti)?;
    let depth = cleanup.depth.checked_sub(1)?;
    // The end of the body leads behind the statement, which ends with three instructions that restore state: a `break` or
    // `return` would lead elsewhere.
    let before = handler.checked_sub(1)?;
    if function.instructions[before as usize].op != Op::Jump(cleanup.handler + 3) {
        return None;
    }
    let between = function.instructions[..handler as usize].iter().enumerate().rev().take(MOST_BETWEEN);
    // Where what lies between branches, it may be a loop, which keeps more on the stack.
    let (start, _) = between
        .take_while(|(_, found)| {
            !matches!(
                found.op,
                Op::PushExcInfo | Op::JumpIf(..) | Op::JumpIfOrPop(..) | Op::ForIter { .. } | Op::Send(_)
            )
        })
        .find(|(_, found)| found.op == Op::Nop)?;
    let start = start as u32;
    Some(Region { start, end: start + 1, handler, depth, lasti: false })
}

/// Regions with others of one instruction each, around which some of them may lie.
fn joined(regions: &[Region], added: &[Region]) -> Vec<Region> {
    let mut found = Vec::with_capacity(regions.len() + 2 * added.len());
    let mut added = added.iter().copied().peekable();
    for &region in regions {
        let mut rest = region;
        while let Some(inner) = added.next_if(|inner| inner.start < region.end) {
            found.extend((rest.start < inner.start).then_some(Region { end: inner.start, ..rest }));
            found.push(inner);
            rest.start = rest.start.max(inner.end);
        }
        found.extend((rest.start < rest.end).then_some(rest));
    }
    found.extend(added);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: u32, end: u32) -> Region {
        Region { start, end, handler: 90 + start, depth: 0, lasti: false }
    }

    #[test]
    fn a_region_around_is_cut_in_two() {
        let spans = |regions: &[Region], added: &[Region]| {
            let found = joined(regions, added);
            found.iter().map(|found| (found.start, found.end, found.handler)).collect::<Vec<_>>()
        };
        let (outer, inner) = (region(2, 8), region(4, 5));
        assert_eq!(
            spans(&[outer], &[region(0, 1), inner, region(9, 10)]),
            [(0, 1, 90), (2, 4, 92), (4, 5, 94), (5, 8, 92), (9, 10, 99)]
        );
        assert_eq!(spans(&[outer], &[region(2, 3), region(7, 8)]), [(2, 3, 92), (3, 7, 92), (7, 8, 97)]);
    }
}
