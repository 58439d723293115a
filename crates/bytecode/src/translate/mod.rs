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
pub(crate) struct Translation {
    /// The operations; jumps hold indexes.
    pub(crate) instructions: Vec<Instruction>,
    /// How many operations the code became: one more stands behind them where a jump leads to erased instructions at
    /// its end.
    count: usize,
    /// Bytes of the code.
    end: usize,
    /// The `SetupBlock`s of `with`, which keep the exit function below what `__enter__` gave, in order.
    pub(crate) with_setups: Vec<Target>,
}

impl Translation {
    /// The first operation at or behind a byte offset; `None` behind the end of the code.
    pub(crate) fn index_at(&self, offset: usize) -> Option<Target> {
        // The middle of a code unit belongs to it.
        let offset = offset / UNIT * UNIT;
        if offset > self.end {
            return None;
        }
        let operations = self.instructions.get(..self.count)?;
        Some(operations.partition_point(|operation| (operation.offset as usize) < offset) as Target)
    }
}

/// Translates all instructions of a code object.
///
/// Needs: jump targets are marked; `jumps`, which lends its memory, is empty.
///
/// # Errors
/// Where an argument is outside of the table that it indexes, or a jump leads to the end of the code.
pub(crate) fn translate(
    code: &CodeObject,
    facts: &VersionFacts,
    raw: &[RawInstruction],
    variables: &Variables,
    jumps: &mut Vec<usize>,
) -> Result<Translation, Box<Error>> {
    let mut translator = Translator {
        code,
        facts,
        raw,
        variables,
        at: 0,
        current: &RawInstruction::NONE,
        // Some instructions are several operations.
        instructions: Vec::with_capacity(raw.len() + raw.len() / 4 + 2),
        jumps,
        keywords: None,
        with_setups: Vec::new(),
        unpacked: 0,
    };
    while let Some(next) = raw.get(translator.at) {
        translator.current = next;
        translator.translate_current()?;
        translator.at += 1;
    }
    if translator.keywords.is_some() {
        return Err(Error::boxed(code.code.len(), "KW_NAMES without a call"));
    }
    let Translator { instructions, jumps, with_setups, .. } = translator;
    let count = instructions.len();
    let mut translation = Translation { instructions, count, end: code.code.len(), with_setups };
    for &mut position in jumps {
        let Instruction { op, offset, .. } = translation.instructions[position];
        let Some(byte) = op.target() else { continue };
        let index = translation.index_at(byte as usize);
        let index = index.ok_or_else(|| Error::boxed(offset as usize, "a jump leads outside of the code"))?;
        let instructions = &mut translation.instructions;
        instructions[position].op = op.with_target(index);
        if index as usize == count && instructions.len() == count {
            // The jump leads to erased instructions at the very end: something must stay there.
            instructions.push(Instruction { op: Op::Nop, offset: byte, line: None, column: None, width: 0 });
        }
    }
    Ok(translation)
}

/// Marks the instructions that others jump to. A FOR_ITER is taken by where it really goes.
///
/// # Errors
/// Where a jump leads nowhere.
pub(crate) fn mark_jump_targets(
    code: &CodeObject,
    facts: &VersionFacts,
    raw: &mut [RawInstruction],
) -> Result<(), Box<Error>> {
    for at in 0..raw.len() {
        let instruction = &raw[at];
        if instruction.jump.is_none() {
            continue;
        }
        let Some(target) = instruction.target(facts) else { continue };
        // END_ASYNC_FOR names the loop that it ends, but does not jump there.
        if instruction.mnemonic == Some(Mnemonic::END_ASYNC_FOR) {
            continue;
        }
        let (offset, marks) = (instruction.offset as usize, instruction.mnemonic != Some(Mnemonic::FOR_ITER));
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
    current: &'a RawInstruction,
    /// Its index.
    at: usize,
    instructions: Vec<Instruction>,
    /// The operations that jump; they hold byte offsets.
    jumps: &'a mut Vec<usize>,
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

    fn emit(&mut self, op: Op) {
        let &RawInstruction { offset, place: Place { line, column, width }, .. } = self.current;
        self.instructions.push(Instruction { op, offset, line, column, width });
    }

    fn emit_all<const N: usize>(&mut self, ops: [Op; N]) {
        ops.into_iter().for_each(|op| self.emit(op));
    }

    /// Translates the current instruction, and what belongs to it, which it passes by.
    #[inline]
    fn translate_current(&mut self) -> Result<(), Box<Error>> {
        let &RawInstruction { opcode, arg, offset, mnemonic, .. } = self.current;
        let Some(mnemonic) = mnemonic else {
            self.emit(Op::Unknown(opcode));
            return Ok(());
        };
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
        Ok(())
    }

    /// Whether exactly these instructions come next, and no jump leads to one of them.
    fn follows(&self, expected: &[(Mnemonic, u32)]) -> bool {
        let next = self.raw.get(self.at + 1..).unwrap_or_default();
        next.len() >= expected.len()
            && expected.iter().zip(next).all(|(&(mnemonic, arg), raw)| {
                raw.mnemonic == Some(mnemonic) && raw.arg == arg && !raw.is_target
            })
    }

    /// Whether the current END_FOR is reached by the exhaustion of its loop alone, which skips it.
    fn is_only_loop_end(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|before| self.raw.get(before));
        before.is_some_and(|raw| !raw.falls_through()) && !self.current.is_target
    }

    /// The instruction that the current jump leads to, in bytes; checked by [`mark_jump_targets`]. The operation that is
    /// emitted next is the jump.
    fn jump_target(&mut self) -> Result<Target, Box<Error>> {
        self.jumps.push(self.instructions.len());
        let current = self.current;
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
        let Some(end_for) = self.raw.get(end).filter(|raw| raw.mnemonic == Some(Mnemonic::END_FOR)) else {
            return Err(Error::boxed(self.current.offset as usize, "FOR_ITER does not lead to END_FOR"));
        };
        let next = self.raw.get(end + 1).filter(|raw| raw.mnemonic == Some(Mnemonic::POP_TOP));
        let (exhausted, pops) = match (self.facts.for_loop_end, next) {
            (ForLoopEnd::LeavesIterator, Some(pop)) => (pop.end, true),
            (ForLoopEnd::LeavesIterator, None) => (end_for.end, false),
            _ => (end_for.end, true),
        };
        if exhausted as usize >= self.code.code.len() {
            return Err(Error::boxed(self.current.offset as usize, "a loop ends at the end of the code"));
        }
        self.emit(Op::ForIter { exhausted, slots, pops });
        Ok(())
    }

    /// NOP marks a `try` or a `pass` that has no other instruction; elsewhere it says nothing.
    fn nop(&mut self) {
        let line = self.current.place.line;
        let before = self.at.checked_sub(1).and_then(|before| self.raw.get(before));
        let neighbours = before.into_iter().chain(self.raw.get(self.at + 1));
        let shares_line = { neighbours }.any(|neighbour| neighbour.place.line == line);
        if self.current.is_target || (line.is_some() && !shares_line) {
            self.emit(Op::Nop);
        }
    }

    fn local(&self, arg: u32) -> Result<VarId, Box<Error>> {
        self.variables.local(arg, self.current.offset)
    }

    fn deref(&self, arg: u32) -> Result<VarId, Box<Error>> {
        self.variables.deref(arg, self.current.offset)
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
        Err(Error::boxed(self.current.offset as usize, "more values are unpacked than the code can store"))
    }

    #[inline]
    fn in_table(&self, arg: u32, length: usize, what: &str) -> Result<u32, Box<Error>> {
        if (arg as usize) < length { Ok(arg) } else { Err(missing(self.current.offset, what, arg)) }
    }

    /// LOAD_FAST in any variant.
    fn load_local(&self, arg: u32) -> Result<Op, Box<Error>> {
        let id = self.local(arg)?;
        let is_cell = self.facts.load_fast_loads_cells && self.variables.is_cell(id);
        Ok(if is_cell { Op::LoadClosure(id) } else { Op::LoadLocal(id) })
    }
}
