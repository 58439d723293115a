//! The walk over `co_code`: opcodes, full arguments, inline caches and jump targets, of any version.

use crate::code::CodeObject;
use crate::error::Error;
use crate::line_table::Place;
use crate::versions::{Jump, Mnemonic, VersionFacts, facts};

/// Bytes in a code unit: an opcode and one byte of argument.
pub(crate) const UNIT: usize = 2;

/// One instruction as the bytes have it, its EXTENDED_ARGs and caches included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawInstruction {
    /// Where it starts, at its first EXTENDED_ARG.
    pub(crate) start: u32,
    /// Where its opcode is.
    pub(crate) offset: u32,
    /// Behind its caches.
    pub(crate) end: u32,
    /// The argument, zero where the opcode has none.
    pub(crate) arg: u32,
    /// Where its opcode stands in the source, once [`crate::line_table::place_all`] has read that.
    pub(crate) place: Place,
    /// The opcode's name; `None` for an opcode that the version lacks.
    pub(crate) mnemonic: Option<Mnemonic>,
    /// How the argument of a jump is counted.
    pub(crate) jump: Option<Jump>,
    /// The opcode's number.
    pub(crate) opcode: u8,
    /// Whether an instruction jumps to it, once that is known.
    pub(crate) is_target: bool,
}

impl RawInstruction {
    /// An instruction of no code.
    pub(crate) const NONE: Self = Self {
        start: 0,
        offset: 0,
        end: 0,
        arg: 0,
        place: Place { line: None, column: None, width: 0 },
        mnemonic: None,
        jump: None,
        opcode: 0,
        is_target: false,
    };

    /// Byte offset that the instruction jumps to, if it is a jump. It may lie outside of the code.
    pub(crate) fn target(&self, facts: &VersionFacts) -> Option<i64> {
        let distance = i64::from(self.arg) * i64::from(facts.jump_unit);
        Some(match self.jump? {
            Jump::Absolute => distance,
            Jump::Forward => i64::from(self.end) + distance,
            Jump::Backward => i64::from(self.end) - distance,
        })
    }

    /// Whether control can reach the next instruction.
    pub(crate) fn falls_through(&self) -> bool {
        use Mnemonic::*;
        !matches!(
            self.mnemonic,
            Some(
                JUMP_FORWARD
                    | JUMP_ABSOLUTE
                    | JUMP_BACKWARD
                    | JUMP_BACKWARD_NO_INTERRUPT
                    | RETURN_VALUE
                    | RETURN_CONST
                    | RAISE_VARARGS
                    | RERAISE
            )
        )
    }
}

/// Whether the instruction at an offset jumps to a place that it names; others name the distance. To 3.9 that is how the
/// compiler writes a `break`, while what skips an `else` is counted from where it stands.
#[must_use]
pub fn names_target(code: &CodeObject, offset: u32) -> bool {
    let row = || facts(code.version)?.opcodes.get(*code.code.get(offset as usize)?);
    row().is_some_and(|row| row.jump == Some(Jump::Absolute))
}

/// Splits `co_code` into instructions.
///
/// # Errors
/// Where the code has an odd length, or ends inside of an instruction.
pub(crate) fn instructions(code: &CodeObject, facts: &VersionFacts) -> Result<Vec<RawInstruction>, Error> {
    match whole_instructions(code, facts) {
        (found, None) => Ok(found),
        (_, Some(error)) => Err(error),
    }
}

/// The instructions up to the end of the code, or up to where something is wrong with it.
pub(crate) fn whole_instructions(
    code: &CodeObject,
    facts: &VersionFacts,
) -> (Vec<RawInstruction>, Option<Error>) {
    let mut found = Vec::new();
    let error = split(code, facts, &mut found);
    (found, error)
}

/// As [`whole_instructions`], into a list that is empty.
pub(crate) fn split(
    code: &CodeObject,
    facts: &VersionFacts,
    found: &mut Vec<RawInstruction>,
) -> Option<Error> {
    let bytes = &code.code[..];
    let Ok(length) = u32::try_from(bytes.len()) else {
        return Some(Error::new(0, "co_code is larger than 4 GiB"));
    };
    let (units, _) = bytes.as_chunks::<UNIT>();
    if found.capacity() < units.len() {
        // A list that grows would be copied, empty or not.
        *found = Vec::with_capacity(units.len());
    }
    let offset = |unit: usize| (unit * UNIT) as u32;
    let (mut at, mut start, mut prefix) = (0, 0, 0_u32);
    while let Some(&[opcode, low]) = units.get(at) {
        // The interpreter keeps 32 bits of an argument and lets the rest fall off.
        let mut arg = prefix << 8 | u32::from(low);
        let mut end = at + 1;
        let (mut mnemonic, mut jump) = (None, None);
        if let Some(row) = facts.opcodes.get(opcode) {
            if row.mnemonic == Mnemonic::EXTENDED_ARG {
                prefix = arg;
                at = end;
                continue;
            }
            if !row.has_arg {
                arg = 0;
            }
            end += usize::from(row.caches);
            if end > units.len() {
                return Some(Error::new(at * UNIT, "co_code ends inside of an inline cache"));
            }
            (mnemonic, jump) = (Some(row.mnemonic), row.jump);
        }
        found.push(RawInstruction {
            start: offset(start),
            offset: offset(at),
            end: offset(end),
            arg,
            mnemonic,
            jump,
            opcode,
            ..RawInstruction::NONE
        });
        (at, start, prefix) = (end, end, 0);
    }
    if offset(at) < length {
        return Some(Error::new(at * UNIT, "co_code ends inside of an instruction"));
    }
    (start != at).then(|| Error::new(start * UNIT, "co_code ends with an EXTENDED_ARG"))
}
