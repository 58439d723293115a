//! Operations with the regions that protect them, and the shapes in them that mean one thing.

use std::ops::Range;

use depyf_bytecode::{CommonConst, Instruction, Intrinsic1, Op, Region};

use crate::flow::target_of;

/// What lists of operations consist of.
pub(super) trait Operation {
    fn op(&self) -> Op;
}

impl Operation for Instruction {
    fn op(&self) -> Op {
        self.op
    }
}

impl Operation for Op {
    fn op(&self) -> Op {
        *self
    }
}

/// The operations of one side.
pub(super) struct Program<'a, I = Instruction> {
    pub(super) code: &'a [I],
    /// Sorted and disjoint.
    pub(super) regions: &'a [Region],
}

/// Both ends of each way from one instruction to another, but for those of exceptions; the last may lead behind all.
pub(super) fn ways(code: &[Instruction]) -> impl Iterator<Item = (usize, usize)> {
    code.iter().enumerate().flat_map(|(at, instruction)| {
        let (to, falls) = match instruction.op {
            Op::Jump(to) => (Some(to), false),
            Op::JumpIf(_, to) | Op::JumpIfOrPop(_, to) | Op::Send(to) | Op::ForIter { exhausted: to, .. } => {
                (Some(to), true)
            }
            Op::Return | Op::Raise(_) | Op::Reraise(_) => (None, false),
            _ => (None, true),
        };
        let ends = to.map(|to| to as usize).into_iter().chain(falls.then_some(at + 1));
        ends.map(move |to| (at, to))
    })
}

/// Some instructions that one region protects, or none does.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    span: Range<u32>,
    region: Option<Region>,
}

impl Near {
    /// Whether an instruction is one of these.
    #[inline]
    pub(super) fn protects(&self, at: u32) -> bool {
        self.span.contains(&at)
    }

    pub(super) fn region(&self) -> Option<Region> {
        self.region
    }
}

impl<I> Clone for Program<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for Program<'_, I> {}

impl<I: Operation> Program<'_, I> {
    pub(super) fn op(self, at: u32) -> Option<Op> {
        self.code.get(at as usize).map(Operation::op)
    }

    /// The region that protects an instruction.
    pub(super) fn region(self, at: u32) -> Option<Region> {
        Region::around(self.regions, at).copied()
    }

    /// As [`Program::region`]. Most instructions are protected as the one before is, of which `near` knows.
    pub(super) fn region_near(self, at: u32, near: &mut Near) -> Option<Region> {
        if !near.protects(at) {
            let next = self.regions.partition_point(|region| region.start <= at);
            let before = next.checked_sub(1).map(|before| self.regions[before]);
            near.region = before.filter(|region| at < region.end);
            near.span = match (near.region, before) {
                (Some(region), _) => region.start..region.end,
                (None, before) => {
                    let start = before.map_or(0, |before| before.end);
                    start..self.regions.get(next).map_or(u32::MAX, |behind| behind.start)
                }
            };
        }
        near.region
    }

    pub(super) fn skip_nops(self, mut at: u32) -> u32 {
        while self.op(at) == Some(Op::Nop) {
            at += 1;
        }
        at
    }

    /// Whether an exception at the instruction leaves the function at once. In a generator it may have to pass
    /// a handler that turns StopIteration into RuntimeError.
    pub(super) fn lets_out(self, at: u32, wrapped: bool) -> bool {
        match self.region(at) {
            None => !wrapped,
            Some(region) => wrapped && self.wraps_stop_iteration(region.handler),
        }
    }

    pub(super) fn jumps_back(self, at: u32) -> bool {
        self.op(at).and_then(target_of).is_some_and(|to| to <= at)
    }

    /// Whether a handler that was written protects an instruction.
    pub(super) fn catches(self, at: u32) -> bool {
        self.region(at).is_some_and(|region| !self.wraps_stop_iteration(region.handler))
    }

    /// Whether a handler only turns StopIteration into RuntimeError and lets that out.
    pub(super) fn wraps_stop_iteration(self, handler: u32) -> bool {
        let first = self.skip_nops(handler);
        self.op(first) == Some(Op::Intrinsic1(Intrinsic1::StopIterationError))
            && matches!(self.op(first + 1), Some(Op::Reraise(_)))
            && self.region(first).is_none()
            && self.region(first + 1).is_none()
    }

    /// Whether the instruction gets the iterator of a generator expression's argument, asynchronous or not, first
    /// of all.
    pub(super) fn starts_with_iterator(self, at: u32) -> bool {
        let first = self.skip_nops(0);
        self.op(first) == Some(Op::LoadLocal(0))
            && self.skip_nops(first + 1) == at
            && matches!(self.op(at), Some(Op::GetIter | Op::GetAiter))
            && self.region(at).is_none()
    }

    /// Whether `yield from` or `await` starts its loop here: where the loop goes on at the end.
    pub(super) fn delegation(self, at: u32) -> Option<u32> {
        let Some(Op::Send(done)) = self.op(at) else { return None };
        let next = self.skip_nops(at + 1);
        if self.op(next) != Some(Op::Yield) {
            return None;
        }
        // What is thrown into the suspended function goes to what it waits for; that is part of the loop.
        if let Some(region) = self.region(next)
            && self.region(at).is_none_or(|outer| outer.handler != region.handler)
            && self.op(region.handler) != Some(Op::CleanupThrow)
        {
            return None;
        }
        match self.op(self.skip_nops(next + 1)) {
            Some(Op::Jump(back)) if back == at || self.skip_nops(back) == at => Some(done),
            _ => None,
        }
    }

    /// Whether the iterator that is made here is that of `yield from` (3.15 has no operation of its own for it).
    pub(super) fn starts_delegation(self, at: u32) -> bool {
        let next = |at: u32| self.op(self.skip_nops(at));
        let mut at = self.skip_nops(at + 1);
        if next(at) == Some(Op::PushNull) {
            at = self.skip_nops(at + 1);
        }
        matches!(next(at), Some(Op::Const(_) | Op::Common(CommonConst::None)))
            && matches!(next(at + 1), Some(Op::Send(_) | Op::YieldFrom))
    }
}
