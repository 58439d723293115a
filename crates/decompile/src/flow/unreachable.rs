//! Instructions that no path reaches are erased before anything looks at them.
//!
//! To torch 2.8 a resume function is the user's whole function with a jump to the place where it resumes;
//! what lies before must not count as a store, a use of a global or a use of a nested code object.

use depyf_bytecode::{Function, Instruction, Op, Region, VariableKind};
use fixedbitset::FixedBitSet;

use super::target_of;

/// Turns unreachable instructions into `Nop`, but for those that do nothing and tell where a statement ends: jumps,
/// and what the compiler puts behind the last handler.
pub(crate) fn erase_unreachable(function: &mut Function) {
    if !is_reached_in_order(function) {
        erase_unreachable_but(function, &[]);
    }
}

/// As [`erase_unreachable`], where some code is taken to be reached.
pub(crate) fn erase_unreachable_but(function: &mut Function, reached: &[u32]) {
    let count = function.instructions.len();
    let mut seen = FixedBitSet::with_capacity(count);
    let mut work = vec![0];
    work.extend(reached.iter().map(|&start| start as usize));
    while let Some(start) = work.pop() {
        let mut at: usize = start;
        // Up to here the region is known.
        let mut border = 0;
        while at < count && !seen.put(at) {
            if at >= border {
                let (before, behind) = function
                    .regions
                    .split_at(function.regions.partition_point(|region| region.start as usize <= at));
                border = behind.first().map_or(count, |region| region.start as usize);
                if let Some(region) = before.last().filter(|region| at < region.end as usize) {
                    border = region.end as usize;
                    if may_raise(function, region) {
                        work.push(region.handler as usize);
                    }
                }
            }
            match function.instructions[at].op {
                Op::Jump(to) => {
                    (at, border) = (to as usize, 0);
                    continue;
                }
                Op::JumpIf(_, to)
                | Op::JumpIfOrPop(_, to)
                | Op::Send(to)
                | Op::CallFinally(to)
                | Op::ForIter { exhausted: to, .. } => work.push(to as usize),
                Op::Return | Op::Raise(_) | Op::Reraise(_) | Op::EndFinally { falls: false } => break,
                _ => {}
            }
            at += 1;
        }
    }
    for (at, instruction) in function.instructions.iter_mut().enumerate() {
        if !seen.contains(at)
            && !matches!(instruction.op, Op::Jump(_) | Op::EndFinally { .. } | Op::Reraise(_))
        {
            instruction.op = Op::Nop;
        }
    }
    // What protects nothing that may raise protects nothing: its handler is gone.
    function.regions.retain(|region| seen.contains(region.handler as usize));
}

/// Looks at each instruction once: whether each is reached from one before it, by falling through, by a jump, or by an
/// exception of a protected one. So it is in nearly all functions.
fn is_reached_in_order(function: &Function) -> bool {
    let count = function.instructions.len();
    let mut targets = Targets { count, seen: FixedBitSet::new() };
    let mut regions = function.regions.as_slice();
    for (at, instruction) in function.instructions.iter().enumerate() {
        // Behind most instructions control goes on with the next one, and nowhere else.
        if !transfers(&instruction.op) {
            continue;
        }
        let next = at + 1;
        if targets.is_passed(instruction.op) || next == count {
            continue;
        }
        while let [region, rest @ ..] = regions
            && (region.start as usize) < next
        {
            if may_raise(function, region) {
                targets.add(region.handler);
            }
            regions = rest;
        }
        if !targets.seen.contains(next) {
            return false;
        }
    }
    true
}

/// Whether an instruction of a region may raise. A body that does nothing has one to protect, all the same (3.11 on); a jump
/// back looks for signals. To 3.10 it enters its `try`, which is done by an instruction of its own.
fn may_raise(function: &Function, region: &Region) -> bool {
    let end = (region.end as usize).min(function.instructions.len());
    let protected = function.instructions.get(region.start as usize..end).unwrap_or_default();
    let raises = |(found, at): (&Instruction, u32)| match found.op {
        Op::Nop => false,
        Op::Jump(to) => to <= at,
        _ => true,
    };
    function.features.six_value_handlers || protected.iter().zip(region.start..).any(raises)
}

/// Whether control may go on elsewhere than right behind an operation.
#[inline]
fn transfers(op: &Op) -> bool {
    matches!(
        op,
        Op::ForIter { .. }
            | Op::Jump(_)
            | Op::JumpIf(..)
            | Op::JumpIfOrPop(..)
            | Op::Return
            | Op::Raise(_)
            | Op::Reraise(_)
            | Op::CallFinally(_)
            | Op::EndFinally { .. }
            | Op::Send(_)
    )
}

/// Where jumps lead to.
struct Targets {
    count: usize,
    /// Has no room before there is a jump.
    seen: FixedBitSet,
}

impl Targets {
    fn add(&mut self, target: u32) {
        if self.seen.is_empty() {
            self.seen.grow(self.count);
        }
        self.seen.grow_and_insert(target as usize);
    }

    /// Adds where an operation jumps to; says whether control may go on behind it.
    #[inline(never)]
    fn is_passed(&mut self, op: Op) -> bool {
        if let Some(target) = target_of(op) {
            self.add(target);
        }
        op.falls_through() && op != (Op::EndFinally { falls: false })
    }
}

/// Inside an inlined comprehension a cell variable of the function may be a plain local of the comprehension:
/// its cell was set aside by `LoadLocalAndClear`, and no other was made.
///
/// Establishes: between that and the end of the loop, `LoadClosure` of the variable is `LoadLocal`; but not in a
/// comprehension inside that makes a cell.
pub(crate) fn separate_comprehension_locals(function: &mut Function) {
    if function.variables.iter().all(|variable| variable.kind == VariableKind::Local) {
        return;
    }
    let clears = |instruction: &Instruction| matches!(instruction.op, Op::LoadLocalAndClear(_));
    let Some(first) = function.instructions.iter().position(clears) else { return };
    let mut shared = FixedBitSet::with_capacity(function.variables.len());
    for instruction in &function.instructions[first..] {
        match instruction.op {
            Op::LoadClosure(variable) if (variable as usize) < shared.len() => {
                shared.insert(variable as usize)
            }
            _ => {}
        }
    }
    // Comprehensions inside others come behind these.
    for at in first..function.instructions.len() {
        let Op::LoadLocalAndClear(variable) = function.instructions[at].op else { continue };
        if !shared.contains(variable as usize) {
            continue;
        }
        let end = end_of_loop(&function.instructions, at);
        let Some(end) = end.filter(|&end| end > at && end <= function.instructions.len()) else { continue };
        let is_cell =
            matches!(function.instructions.get(at + 1), Some(next) if matches!(next.op, Op::MakeCell(_)));
        for inner in &mut function.instructions[at..end] {
            match inner.op {
                Op::LoadClosure(id) if id == variable && !is_cell => inner.op = Op::LoadLocal(id),
                Op::LoadLocal(id) if id == variable && is_cell => inner.op = Op::LoadClosure(id),
                _ => {}
            }
        }
    }
}

/// Where the first loop behind an instruction ends.
pub(crate) fn end_of_loop(instructions: &[Instruction], at: usize) -> Option<usize> {
    let is_head = |instruction: &Instruction| matches!(instruction.op, Op::ForIter { .. } | Op::GetAnext);
    let head = at + instructions[at..].iter().position(is_head)?;
    match instructions[head].op {
        Op::ForIter { exhausted, .. } => Some(exhausted as usize),
        // Behind the last jump back to it lies what handles the end of the iteration.
        _ => Some(1 + instructions.iter().rposition(|instruction| instruction.op == Op::Jump(head as u32))?),
    }
}
