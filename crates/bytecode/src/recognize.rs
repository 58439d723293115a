//! Files whose header does not tell their version: headerless marshal, cut or foreign headers.
//!
//! What the bytes hold is told from their content: the code is read as that of each version in turn, and
//! the version whose rules the most of it follows is taken. A compiler keeps rules that code of another
//! version breaks at once: opcodes exist, inline caches are zero, jumps meet instructions, the last
//! instruction leaves, the line table covers the code.

use depyf_value::PyVersion;

use crate::code::{CodeObject, Const};
use crate::decode::decode;
use crate::error::Error;
use crate::instructions::{UNIT, whole_instructions};
use crate::line_table::covers_code;
use crate::marshal::{into_code, read_object};
use crate::op::Op;
use crate::pyc::{MAGIC_TAIL, read_pyc};
use crate::versions::{facts, versions};

/// How a file says which version wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// The header of a `.pyc` with the magic number of a supported version.
    Known,
    /// A header with a magic number that no release of a supported version writes.
    Foreign(u16),
    /// None: the file is the marshalled code object alone.
    Missing,
}

/// What [`recognize`] found in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognized {
    /// The code object; its version is told by the header, else by its content.
    pub code: CodeObject,
    /// How the version was told.
    pub header: Header,
}

/// Reads the code object of a `.pyc` file, also where its header is missing or unknown.
///
/// `version` says that the file was written by that version, whatever its header says.
///
/// # Errors
/// Where a known header is followed by something that cannot be read, or the content follows the rules of
/// no supported version.
///
/// # Examples
/// ```
/// use depyf_bytecode::{Header, recognize};
///
/// assert!(recognize(b"no code at all", None).is_err());
/// ```
pub fn recognize(bytes: &[u8], version: Option<PyVersion>) -> Result<Recognized, Error> {
    let known = match (read_pyc(bytes), version) {
        (Ok(pyc), None) => return Ok(Recognized { code: pyc.code, header: Header::Known }),
        (known, _) => known,
    };
    let magic = match bytes {
        [low, high, tail @ ..] if tail.starts_with(&MAGIC_TAIL) => Some(u16::from_le_bytes([*low, *high])),
        _ => None,
    };
    let header = magic.map_or(Header::Missing, Header::Foreign);
    // The header was eight bytes long at first, then twelve; sixteen since 3.7.
    let starts: &[usize] = if magic.is_some() { &[16, 12, 8] } else { &[0, 16] };
    let mut best: Option<(Faults, CodeObject)> = None;
    let candidates = version.map_or_else(|| versions().rev().collect(), |version| vec![version]);
    for &start in starts {
        if bytes.get(start).is_none_or(|kind| kind & !REF_FLAG != b'c') {
            continue;
        }
        for &candidate in &candidates {
            let code = read_object(bytes, start, candidate).and_then(|found| into_code(found, start));
            let Ok(code) = code else { continue };
            let faults = faults(&code);
            if best.as_ref().is_none_or(|(least, _)| faults.is_less_than(*least)) {
                best = Some((faults, code));
            }
        }
    }
    match (best, known) {
        (Some((faults, code)), _) if version.is_some() || faults.is_plausible() => {
            Ok(Recognized { code, header })
        }
        (_, Ok(_)) => Err(Error::new(0, "the content is not what that version writes")),
        (_, Err(error)) => Err(error),
    }
}

/// The flag of a type byte that marks an object for references.
const REF_FLAG: u8 = 0x80;

/// How many code objects of a file break a version's rules.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    broken: usize,
    all: usize,
}

impl Faults {
    fn is_less_than(self, other: Self) -> bool {
        self.broken * other.all < other.broken * self.all
    }

    /// Damaged files keep most of their code objects.
    fn is_plausible(self) -> bool {
        self.broken * 2 < self.all
    }
}

fn faults(module: &CodeObject) -> Faults {
    let mut faults = Faults::default();
    let mut work = vec![module];
    while let Some(code) = work.pop() {
        faults.all += 1;
        faults.broken += usize::from(!follows_rules(code));
        work.extend(code.consts.iter().filter_map(|constant| match constant {
            Const::Code(inner) => Some(&**inner),
            _ => None,
        }));
    }
    faults
}

/// Whether the code is such as a compiler of its version writes.
fn follows_rules(code: &CodeObject) -> bool {
    let Some(facts) = facts(code.version) else { return false };
    let (raw, None) = whole_instructions(code, facts) else { return false };
    let caches_are_zero = raw.iter().all(|instruction| {
        let caches = code.code.get(instruction.offset as usize + UNIT..instruction.end as usize);
        caches.is_some_and(|caches| caches.iter().all(|&byte| byte == 0))
    });
    let leaves = raw.last().is_some_and(|last| !last.falls_through());
    let is_known = |op: Op| !matches!(op, Op::Unknown(_));
    caches_are_zero
        && leaves
        && covers_code(code, facts)
        && decode(code).is_ok_and(|function| function.instructions.iter().all(|found| is_known(found.op)))
}
