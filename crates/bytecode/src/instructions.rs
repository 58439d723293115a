//! The walk over `co_code`: opcodes, full arguments, inline caches and jump targets, of any version.

use crate::code::CodeObject;
use crate::error::Error;
use crate::line_table::Place;
use crate::versions::{Jump, Mnemonic, Row, VersionFacts};

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
    /// What the version's table says; `None` for an opcode that it lacks.
    pub(crate) row: Option<&'static Row>,
    /// Where its opcode stands in the source, once [`crate::line_table::place_all`] has read that.
    pub(crate) place: Place,
    /// The opcode's number.
    pub(crate) opcode: u8,
    /// Whether an instruction jumps to it, once that is known.
    pub(crate) is_target: bool,
}

impl RawInstruction {
    /// The opcode's name; `None` for an opcode that the version lacks.
    pub(crate) fn mnemonic(&self) -> Option<Mnemonic> {
        self.row.map(|row| row.mnemonic)
    }

    /// Byte offset that the instruction jumps to, if it is a jump. It may lie outside of the code.
    pub(crate) fn target(&self, facts: &VersionFacts) -> Option<i64> {
        let distance = i64::from(self.arg) * i64::from(facts.jump_unit);
        Some(match self.row?.jump? {
            Jump::Absolute => distance,
            Jump::Forward => i64::from(self.end) + distance,
            Jump::Backward => i64::from(self.end) - distance,
        })
    }

    /// Whether control can reach the next instruction.
    pub(crate) fn falls_through(&self) -> bool {
        use Mnemonic::*;
        !matches!(
            self.mnemonic(),
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

/// The indexes of the instructions that jump, in order.
///
/// Jumps are few: what is to be done about each begins here.
pub(crate) fn jumps(raw: &[RawInstruction]) -> impl Iterator<Item = usize> + '_ {
    let jumps = |raw: &RawInstruction| raw.row.is_some_and(|row| row.jump.is_some());
    raw.iter().enumerate().filter(move |(_, raw)| jumps(raw)).map(|(at, _)| at)
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
    let most = bytes.len() / UNIT;
    if found.capacity() < most {
        // A list that grows would be copied, empty or not.
        *found = Vec::with_capacity(most);
    }
    let (mut at, mut start, mut prefix) = (0_u32, 0_u32, 0_u32);
    while let Some(&[opcode, low]) = bytes.get(at as usize..).and_then(<[u8]>::first_chunk) {
        let row = facts.opcodes.get(opcode);
        // The interpreter keeps 32 bits of an argument and lets the rest fall off.
        let mut arg = prefix << 8 | u32::from(low);
        let mut end = at + UNIT as u32;
        if let Some(row) = row {
            if row.mnemonic == Mnemonic::EXTENDED_ARG {
                prefix = arg;
                at = end;
                continue;
            }
            if !row.has_arg {
                arg = 0;
            }
            end = end.saturating_add(UNIT as u32 * u32::from(row.caches));
            if end > length {
                return Some(Error::new(at as usize, "co_code ends inside of an inline cache"));
            }
        }
        let place = Place::default();
        found.push(RawInstruction { start, offset: at, end, arg, row, place, opcode, is_target: false });
        (at, start, prefix) = (end, end, 0);
    }
    if at < length {
        return Some(Error::new(at as usize, "co_code ends inside of an instruction"));
    }
    (start != at).then(|| Error::new(start as usize, "co_code ends with an EXTENDED_ARG"))
}
