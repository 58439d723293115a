//! The exception table of 3.11 and later.

use crate::error::Error;
use crate::instructions::UNIT;

/// One row, in byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExceptionRow {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) handler: usize,
    pub(crate) depth: u32,
    pub(crate) lasti: bool,
}

/// Reads the table: rows of four numbers (start, length, handler, depth and the flag in the lowest bit),
/// six bits a byte with the highest first; bit 7 marks the first byte of a row.
///
/// # Errors
/// Where the table ends inside of a row.
pub(crate) fn exception_rows(table: &[u8]) -> Result<Vec<ExceptionRow>, Error> {
    // Most rows take four or five bytes.
    let mut rows = Vec::with_capacity(table.len().div_ceil(4));
    let mut at = 0;
    while at < table.len() {
        let mut number = || {
            let mut value = 0_usize;
            loop {
                let byte = *table.get(at).ok_or_else(|| Error::new(at, "the exception table is cut off"))?;
                at += 1;
                if value > u32::MAX as usize >> 8 {
                    return Err(Error::new(at, "a number in the exception table is too large"));
                }
                value = value << 6 | usize::from(byte & 0x3f);
                if byte & 0x40 == 0 {
                    return Ok(value);
                }
            }
        };
        let (start, length, handler, tail) = (number()?, number()?, number()?, number()?);
        rows.push(ExceptionRow {
            start: start * UNIT,
            end: (start + length) * UNIT,
            handler: handler * UNIT,
            depth: (tail >> 1) as u32,
            lasti: tail & 1 != 0,
        });
    }
    Ok(rows)
}
