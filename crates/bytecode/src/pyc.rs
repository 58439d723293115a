//! The header of `.pyc` files.

use depyf_value::PyVersion;

use crate::code::CodeObject;
use crate::error::Error;
use crate::marshal::{into_code, read_object};
use crate::versions::version_of_magic;

/// Bytes in front of the code object.
const HEADER: usize = 16;

/// What follows the magic number: a file that was copied as text loses it.
pub(crate) const MAGIC_TAIL: [u8; 2] = *b"\r\n";

/// A `.pyc` file.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyc {
    /// The interpreter that wrote it.
    pub version: PyVersion,
    /// The magic number, the first two bytes.
    pub magic: u16,
    /// What tells whether the file is up to date.
    pub source: SourceStamp,
    /// The code of the module.
    pub code: CodeObject,
}

/// How a `.pyc` file names the source that it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceStamp {
    /// Time of the last change in seconds, and size in bytes, both modulo 2^32.
    Modified {
        /// Seconds since 1970.
        time: u32,
        /// Bytes.
        size: u32,
    },
    /// A hash of the content (PEP 552).
    Hash {
        /// SipHash of the source.
        hash: u64,
        /// Whether the interpreter compares it.
        checked: bool,
    },
}

/// Reads a `.pyc` file of any supported version.
///
/// # Errors
/// Where the magic number is none of 3.8 to 3.15, or the code object cannot be read.
pub fn read_pyc(bytes: &[u8]) -> Result<Pyc, Error> {
    let Some((&[m0, m1, cr, lf, f0, f1, f2, f3, s0, s1, s2, s3, s4, s5, s6, s7], _)) =
        bytes.split_first_chunk::<HEADER>()
    else {
        return Err(Error::new(bytes.len(), "the file is shorter than the header of a .pyc"));
    };
    let magic = u16::from_le_bytes([m0, m1]);
    let version = version_of_magic(magic)
        .filter(|_| [cr, lf] == MAGIC_TAIL)
        .ok_or_else(|| Error::new(0, format!("{magic} is the magic number of no Python from 3.8 to 3.15")))?;
    let flags = u32::from_le_bytes([f0, f1, f2, f3]);
    let source = match flags {
        0 => SourceStamp::Modified {
            time: u32::from_le_bytes([s0, s1, s2, s3]),
            size: u32::from_le_bytes([s4, s5, s6, s7]),
        },
        1 | 3 => SourceStamp::Hash {
            hash: u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]),
            checked: flags & 2 != 0,
        },
        _ => return Err(Error::new(4, format!("{flags:#x} are no flags of a .pyc"))),
    };
    let code = into_code(read_object(bytes, HEADER, version)?, HEADER)?;
    Ok(Pyc { version, magic, source, code })
}
