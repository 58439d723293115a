//! The meaning of each instruction, as neutral operations.
//!
//! One pass over the raw instructions in the order of the bytecode. Jumps hold byte offsets until all
//! operations are there; then they become indexes.

mod calls;
mod general;
mod legacy;
mod modern;
mod operators;

use crate::code::CodeObject;
use crate::error::{Error, missing};
use crate::function::Instruction;
use crate::instructions::{RawInstruction, UNIT};
use crate::line_table::Place;
use crate::op::{ConstId, NameId, Op, Target, VarId};
use crate::variables::Variables;
use crate::versions::{ForLoopEnd, Mnemonic, VersionFacts};

/// The operations of a function, and where each code unit went.
#[derive(Debug)]
pub(crate) struct Translation<'a> {
    /// The operations; jumps hold indexes.
    pub(crate) instructions: Vec<Instruction>,
    /// Where each instruction went.
    starts: Starts<'a>,
    /// The `SetupBlock`s of `with`, which keep the exit function below what `__enter__` gave, in order.
    pub(crate) with_setups: Vec<Target>,
}

impl Translation<'_> {
    /// The first operation at or behind a byte offset; `None` behind the end of the code.
    pub(crate) fn index_at(&self, offset: usize) -> Option<Target> {
        self.starts.index_at(offset)
    }
}

/// Where each instruction went: the first of its operations, and at last the end of the code. Few offsets are looked
/// up, so that a list by offset costs more than it saves.
#[derive(Debug)]
struct Starts<'a> {
    raw: &'a [RawInstruction],
    operations: &'a [Target],
    /// Bytes of the code.
    end: usize,
}

impl Starts<'_> {
    fn index_at(&self, offset: usize) -> Option<Target> {
        // The middle of a code unit belongs to it.
        let offset = offset / UNIT * UNIT;
        if offset > self.end {
            return None;
        }
        let at = self.raw.partition_point(|raw| (raw.start as usize) < offset);
        self.operations.get(at).copied()
    }
}

/// Translates all instructions of a code object.
///
/// Needs: jump targets are marked; `jumps` has the indexes of all jumps; `operations` is empty.
///
/// # Errors
/// Where an argument is outside of the table that it indexes, or a jump leads to the end of the code.
pub(crate) fn translate<'a>(
    code: &CodeObject,
    facts: &VersionFacts,
    raw: &'a [RawInstruction],
    jumps: &[usize],
    variables: &Variables,
    operations: &'a mut Vec<Target>,
) -> Result<Translation<'a>, Box<Error>> {
    let mut translator = Translator {
        code,
        facts,
        raw,
        variables,
        at: 0,
        offset: 0,
        place: Place::default(),
        // Some instructions are several operations.
        instructions: Vec::with_capacity(raw.len() + raw.len() / 4 + 2),
        keywords: None,
        with_setups: Vec::new(),
        unpacked: 0,
    };
    operations.reserve(raw.len() + 1);
    while let Some(first) = raw.get(translator.at) {
        (translator.offset, translator.place) = (first.offset, first.place);
        operations.push(translator.next_index());
        let used = translator.translate_next(first)?;
        if used > 1 {
            operations.extend(std::iter::repeat_n(translator.next_index(), used - 1));
        }
        translator.at += used;
    }
    if translator.keywords.is_some() {
        return Err(Error::boxed(code.code.len(), "KW_NAMES without a call"));
    }
    operations.push(translator.next_index());
    let Translator { mut instructions, with_setups, .. } = translator;
    let starts = Starts { raw, operations, end: code.code.len() };
    let end = instructions.len();
    let of_jump = |&at: &usize| starts.operations[at] as usize..starts.operations[at + 1] as usize;
    for position in jumps.iter().flat_map(of_jump) {
        let Instruction { op, offset, .. } = instructions[position];
        let Some(byte) = target(op) else { continue };
        let index = starts.index_at(byte as usize);
        let index = index.ok_or_else(|| Error::boxed(offset as usize, "a jump leads outside of the code"))?;
        instructions[position].op = with_target(op, index);
        if index as usize == end && instructions.len() == end {
            // The jump leads to erased instructions at the very end: something must stay there.
            instructions.push(Instruction { op: Op::Nop, offset: byte, line: None, column: None, width: 0 });
        }
    }
    Ok(Translation { instructions, starts, with_setups })
}

/// The target of an operation that has one.
pub(crate) fn target(op: Op) -> Option<Target> {
    match op {
        Op::ForIter { exhausted: target, .. }
        | Op::Jump(target)
        | Op::JumpIf(_, target)
        | Op::JumpIfOrPop(_, target)
        | Op::CallFinally(target)
        | Op::SetupBlock(target)
        | Op::Send(target) => Some(target),
        _ => None,
    }
}

fn with_target(op: Op, target: Target) -> Op {
    match op {
        Op::ForIter { slots, pops, .. } => Op::ForIter { exhausted: target, slots, pops },
        Op::Jump(_) => Op::Jump(target),
        Op::JumpIf(condition, _) => Op::JumpIf(condition, target),
        Op::JumpIfOrPop(flag, _) => Op::JumpIfOrPop(flag, target),
        Op::CallFinally(_) => Op::CallFinally(target),
        Op::SetupBlock(_) => Op::SetupBlock(target),
        Op::Send(_) => Op::Send(target),
        other => other,
    }
}

/// Marks the instructions that others jump to. A FOR_ITER is taken by where it really goes.
///
/// # Errors
/// Where a jump leads nowhere.
pub(crate) fn mark_jump_targets(
    code: &CodeObject,
    facts: &VersionFacts,
    raw: &mut [RawInstruction],
    jumps: &[usize],
) -> Result<(), Box<Error>> {
    for &at in jumps {
        let instruction = &raw[at];
        let Some(target) = instruction.target(facts) else { continue };
        // END_ASYNC_FOR names the loop that it ends, but does not jump there.
        if instruction.mnemonic() == Some(Mnemonic::END_ASYNC_FOR) {
            continue;
        }
        let (offset, marks) =
            (instruction.offset as usize, instruction.mnemonic() != Some(Mnemonic::FOR_ITER));
        let target = usize::try_from(target).ok().filter(|target| target % UNIT == 0);
        let Some(target) = target.filter(|&target| target < code.code.len()) else {
            return Err(Error::boxed(offset, "a jump leads outside of the code"));
        };
        let index = raw.partition_point(|raw| (raw.start as usize) < target);
        match raw.get_mut(index) {
            Some(raw) if raw.start as usize == target => raw.is_target |= marks,
            _ => return Err(Error::boxed(offset, "a jump leads into the middle of an instruction")),
        }
    }
    Ok(())
}

/// The state of the one pass.
struct Translator<'a> {
    code: &'a CodeObject,
    facts: &'a VersionFacts,
    raw: &'a [RawInstruction],
    variables: &'a Variables,
    /// The raw instruction that is translated.
    at: usize,
    /// The offset of its opcode.
    offset: u32,
    /// Where it stands.
    place: Place,
    instructions: Vec<Instruction>,
    /// The constant of a KW_NAMES whose call has not come yet.
    keywords: Option<ConstId>,
    with_setups: Vec<Target>,
    /// How many values all unpacking so far puts on the stack.
    unpacked: usize,
}

impl Translator<'_> {
    fn next_index(&self) -> Target {
        self.instructions.len() as Target
    }

    fn current(&self) -> &RawInstruction {
        &self.raw[self.at]
    }

    /// The line of a raw instruction.
    fn line(&self, at: usize) -> Option<u32> {
        self.raw.get(at).and_then(|raw| raw.place.line)
    }

    fn emit(&mut self, op: Op) {
        let Place { line, column, width } = self.place;
        self.instructions.push(Instruction { op, offset: self.offset, line, column, width });
    }

    fn emit_all<const N: usize>(&mut self, ops: [Op; N]) {
        ops.into_iter().for_each(|op| self.emit(op));
    }

    /// Translates the instruction at `self.at`; returns how many raw instructions were used.
    fn translate_next(&mut self, current: &RawInstruction) -> Result<usize, Box<Error>> {
        let &RawInstruction { opcode, arg, offset, .. } = current;
        let Some(mnemonic) = current.mnemonic() else {
            self.emit(Op::Unknown(opcode));
            return Ok(1);
        };
        if let Some(used) = self.sequence(mnemonic)? {
            return Ok(used);
        }
        if self.keywords.is_some() && !matches!(mnemonic, Mnemonic::PRECALL | Mnemonic::CALL | Mnemonic::NOP)
        {
            return Err(Error::boxed(offset as usize, "KW_NAMES without a call"));
        }
        // The most frequent ones first.
        let known = self.variable(mnemonic, arg)?
            || self.call(mnemonic, arg)?
            || self.control(mnemonic, arg)?
            || self.value(mnemonic, arg)?
            || self.operator(mnemonic, arg)
            || self.modern(mnemonic, arg)?
            || self.legacy(mnemonic, arg)?;
        if !known {
            self.emit(Op::Unknown(opcode));
        }
        Ok(1)
    }

    /// Instructions that mean something together. Nothing may jump between them.
    fn sequence(&mut self, mnemonic: Mnemonic) -> Result<Option<usize>, Box<Error>> {
        Ok(match mnemonic {
            // A generator's first value is dropped: both are the way in, not the function's own work.
            Mnemonic::RETURN_GENERATOR if self.follows(&[(Mnemonic::POP_TOP, 0)]) => Some(2),
            Mnemonic::COPY if self.current().arg == 1 => self.enter_with(),
            Mnemonic::END_FOR if self.is_only_loop_end(self.at) => {
                let pops = self.facts.for_loop_end == ForLoopEnd::LeavesIterator
                    && self.follows(&[(Mnemonic::POP_TOP, 0)]);
                Some(if pops { 2 } else { 1 })
            }
            _ => None,
        })
    }

    /// Whether exactly these instructions come next, and no jump leads to one of them.
    fn follows(&self, expected: &[(Mnemonic, u32)]) -> bool {
        let next = self.raw.get(self.at + 1..).unwrap_or_default();
        next.len() >= expected.len()
            && expected.iter().zip(next).all(|(&(mnemonic, arg), raw)| {
                raw.mnemonic() == Some(mnemonic) && raw.arg == arg && !raw.is_target
            })
    }

    /// Whether an END_FOR is reached by the exhaustion of its loop alone, which skips it.
    fn is_only_loop_end(&self, at: usize) -> bool {
        let falls_in =
            at.checked_sub(1).and_then(|before| self.raw.get(before)).is_none_or(|raw| raw.falls_through());
        !falls_in && self.raw.get(at).is_some_and(|raw| !raw.is_target)
    }

    /// The instruction that the current jump leads to, in bytes; checked by [`mark_jump_targets`].
    fn jump_target(&self) -> Result<Target, Box<Error>> {
        let current = self.current();
        let target = current.target(self.facts).and_then(|target| Target::try_from(target).ok());
        target.ok_or_else(|| Error::boxed(current.offset as usize, "a jump leads outside of the code"))
    }

    /// FOR_ITER with the place where control really goes on exhaustion.
    fn for_iter(&mut self) -> Result<(), Box<Error>> {
        let target = self.jump_target()?;
        let slots = self.facts.iterator_slots;
        if self.facts.for_loop_end == ForLoopEnd::Direct {
            self.emit(Op::ForIter { exhausted: target, slots, pops: true });
            return Ok(());
        }
        let end = self.raw.partition_point(|raw| raw.start < target);
        let Some(end_for) = self.raw.get(end).filter(|raw| raw.mnemonic() == Some(Mnemonic::END_FOR)) else {
            return Err(Error::boxed(self.current().offset as usize, "FOR_ITER does not lead to END_FOR"));
        };
        let next = self.raw.get(end + 1).filter(|raw| raw.mnemonic() == Some(Mnemonic::POP_TOP));
        let (exhausted, pops) = match (self.facts.for_loop_end, next) {
            (ForLoopEnd::LeavesIterator, Some(pop)) => (pop.end, true),
            (ForLoopEnd::LeavesIterator, None) => (end_for.end, false),
            _ => (end_for.end, true),
        };
        if exhausted as usize >= self.code.code.len() {
            return Err(Error::boxed(self.current().offset as usize, "a loop ends at the end of the code"));
        }
        self.emit(Op::ForIter { exhausted, slots, pops });
        Ok(())
    }

    /// NOP marks a `try` or a `pass` that has no other instruction; elsewhere it says nothing.
    fn nop(&mut self) {
        let current = self.current();
        let line = self.line(self.at);
        let before = self.at.checked_sub(1);
        let behind = Some(self.at + 1).filter(|&behind| behind < self.raw.len());
        let shares_line = before.into_iter().chain(behind).any(|neighbour| self.line(neighbour) == line);
        if current.is_target || (line.is_some() && !shares_line) {
            self.emit(Op::Nop);
        }
    }

    fn local(&self, arg: u32) -> Result<VarId, Box<Error>> {
        self.variables.local(arg, self.offset)
    }

    fn deref(&self, arg: u32) -> Result<VarId, Box<Error>> {
        self.variables.deref(arg, self.offset)
    }

    fn name(&self, arg: u32) -> Result<NameId, Box<Error>> {
        self.in_table(arg, self.code.names.len(), "name")
    }

    fn constant(&self, arg: u32) -> Result<ConstId, Box<Error>> {
        self.in_table(arg, self.code.consts.len(), "constant")
    }

    /// Counts values that an instruction unpacks.
    ///
    /// # Errors
    /// Where they are more than the code could take from the stack: that is damage, and memory for all of them
    /// is not to be had.
    fn count_unpacked(&mut self, count: u32) -> Result<(), Box<Error>> {
        self.unpacked = self.unpacked.saturating_add(count as usize);
        if self.unpacked <= self.code.code.len() {
            return Ok(());
        }
        Err(Error::boxed(self.current().offset as usize, "more values are unpacked than the code can store"))
    }

    #[inline]
    fn in_table(&self, arg: u32, length: usize, what: &str) -> Result<u32, Box<Error>> {
        if (arg as usize) < length { Ok(arg) } else { Err(missing(self.offset, what, arg)) }
    }

    /// LOAD_FAST in any variant.
    fn load_local(&self, arg: u32) -> Result<Op, Box<Error>> {
        let id = self.local(arg)?;
        let is_cell = self.facts.load_fast_loads_cells && self.variables.is_cell(id);
        Ok(if is_cell { Op::LoadClosure(id) } else { Op::LoadLocal(id) })
    }
}
