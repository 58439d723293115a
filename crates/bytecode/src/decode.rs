//! From a code object to a [`Function`]: the order of the steps.

use crate::block_stack::{self, Unreached};
use crate::code::CodeObject;
use crate::error::Error;
use crate::exception_table::exception_rows;
use crate::function::{Function, Offsets, Region};
use crate::instructions::{RawInstruction, split};
use crate::line_table::place_all;
use crate::op::Target;
use crate::translate::{Translation, mark_jump_targets, translate};
use crate::variables::Variables;
use crate::versions::facts;

/// Decodes a code object into neutral operations.
///
/// # Errors
/// Where the version is not supported, the code is cut off, a jump leads nowhere, or an argument is
/// outside of the table that it indexes. The error's offset is in `co_code` unless it names a table.
///
/// # Examples
/// ```
/// use depyf_bytecode::{CodeObject, Const, Op, decode};
/// use depyf_value::PyVersion;
///
/// // LOAD_CONST 0, RETURN_VALUE
/// let code = CodeObject { code: vec![100, 0, 83, 0], consts: vec![Const::None], ..CodeObject::empty(PyVersion(10)) };
/// let ops: Vec<Op> = decode(&code)?.instructions.iter().map(|instruction| instruction.op).collect();
/// assert_eq!(ops, [Op::Const(0), Op::Return]);
/// # Ok::<(), depyf_bytecode::Error>(())
/// ```
pub fn decode(code: &CodeObject) -> Result<Function, Error> {
    Decoder::default().decode(code)
}

/// As [`decode`], with the protected regions of code that stands behind statements though no way leads to it (to 3.9), and
/// where that is.
///
/// # Errors
/// As [`decode`].
pub fn decode_unreached(code: &CodeObject) -> Result<(Function, Vec<Unreached>), Error> {
    Decoder::default().decode_with(code, true)
}

/// As [`decode`], for one code object after the other: their raw instructions take the same memory.
#[derive(Debug, Default)]
pub struct Decoder {
    raw: Vec<RawInstruction>,
    /// The operations that jump.
    jumps: Vec<usize>,
}

impl Decoder {
    /// Decodes a code object into neutral operations.
    ///
    /// # Errors
    /// As [`decode()`].
    pub fn decode(&mut self, code: &CodeObject) -> Result<Function, Error> {
        self.decode_with(code, false).map(|(function, _)| function)
    }

    fn decode_with(&mut self, code: &CodeObject, all: bool) -> Result<(Function, Vec<Unreached>), Error> {
        let facts = facts(code.version)
            .ok_or_else(|| Error::new(0, format!("Python {} is not supported", code.version)))?;
        let Self { raw, jumps } = self;
        raw.clear();
        jumps.clear();
        split(code, facts, raw).map_or(Ok(()), Err)?;
        place_all(code, facts, raw);
        mark_jump_targets(code, facts, raw)?;
        let variables = Variables::new(code, facts);
        let mut translation = translate(code, facts, raw, &variables, jumps)?;
        let mut unreached = Vec::new();
        let regions = if facts.exception_table {
            table_regions(code, &translation)?
        } else {
            let found = block_stack::regions(&translation, &facts.features, all)?;
            for (at, op) in found.ends {
                translation.instructions[at].op = op;
            }
            unreached = found.unreached;
            found.protected
        };
        let function = Function {
            variables: variables.table,
            instructions: translation.instructions,
            regions,
            features: facts.features,
            offsets: Offsets::default(),
        };
        Ok((function, unreached))
    }
}

/// The variables of a code object and what its version does, without any operation: what is known where
/// [`decode`] fails. `None` for a version that is not supported.
#[must_use]
pub fn without_instructions(code: &CodeObject) -> Option<Function> {
    let facts = facts(code.version)?;
    Some(Function {
        variables: Variables::new(code, facts).table,
        instructions: Vec::new(),
        regions: Vec::new(),
        features: facts.features,
        offsets: Offsets::default(),
    })
}

/// The regions that the exception table lists, in indexes of neutral operations.
fn table_regions(code: &CodeObject, translation: &Translation) -> Result<Vec<Region>, Error> {
    let index = |offset: usize, row: usize| -> Result<Target, Error> {
        translation
            .index_at(offset)
            .ok_or_else(|| Error::new(row, "the exception table leads outside of the code"))
    };
    let rows = exception_rows(&code.exceptiontable)?;
    let mut regions: Vec<Region> = Vec::with_capacity(rows.len());
    for (row, entry) in rows.into_iter().enumerate() {
        let region = Region {
            start: index(entry.start, row)?,
            end: index(entry.end, row)?,
            handler: index(entry.handler, row)?,
            depth: entry.depth,
            lasti: entry.lasti,
        };
        if region.handler as usize >= translation.instructions.len() {
            return Err(Error::new(row, "the exception table leads outside of the code"));
        }
        if regions.last().is_some_and(|last| last.end > region.start) {
            return Err(Error::new(row, "the exception table is not sorted"));
        }
        // A row that covers erased instructions only protects nothing.
        if region.start < region.end {
            regions.push(region);
        }
    }
    Ok(regions)
}
