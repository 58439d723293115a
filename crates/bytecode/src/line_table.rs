//! Line tables of all versions, read and written: where in the source each instruction stands.
//!
//! CPython describes the formats in `Objects/lnotab_notes.txt` (to 3.10) and
//! `InternalDocs/code_objects.md` (3.11 and later). A table is a list of [`Row`]s. Reading keeps the rows
//! as they are, also empty ones and several alike, so that writing them gives the same bytes again.

use crate::code::CodeObject;
use crate::error::Error;
use crate::instructions::{RawInstruction, UNIT, instructions};
use crate::versions::{LineTableFormat, Mnemonic, VersionFacts, facts};

/// Where an instruction stands in the source, as `co_positions()` tells it.
///
/// To 3.10 tables hold lines only: `line` and `end_line` are the same, and there are no columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// The first line; `None` where the instruction has no place in the source.
    pub line: Option<u32>,
    /// The last line.
    pub end_line: Option<u32>,
    /// The first column, in bytes of UTF-8, from 0.
    pub column: Option<u32>,
    /// Behind the last column.
    pub end_column: Option<u32>,
}

impl Position {
    /// A whole line, without columns; `None` is no place at all.
    #[must_use]
    pub fn of_line(line: Option<u32>) -> Self {
        Self { line, end_line: line, column: None, end_column: None }
    }
}

/// One row of a line table: so many bytes of `co_code` stand there.
///
/// Before 3.11 rows may be empty, where a difference of lines does not fit into one byte, and before 3.10
/// their length may be odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Bytes of `co_code`.
    pub length: u32,
    /// Where they stand.
    pub position: Position,
}

/// Reads the line table of a code object, row by row.
///
/// A table that says nonsense gives nonsense, never an error: rows may end before `co_code` does, or
/// behind it.
///
/// # Errors
/// Where the version is not supported.
///
/// # Examples
/// ```
/// use depyf_bytecode::{CodeObject, read_line_table, write_line_table};
/// use depyf_value::PyVersion;
///
/// // 3.10: two bytes on the first line, then two bytes three lines below.
/// let code = CodeObject { first_line: 7, linetable: vec![2, 0, 2, 3], ..CodeObject::empty(PyVersion(10)) };
/// let rows = read_line_table(&code)?;
/// assert_eq!(rows[1].position.line, Some(10));
/// assert_eq!(write_line_table(code.version, code.first_line, &rows)?, code.linetable);
/// # Ok::<(), depyf_bytecode::Error>(())
/// ```
pub fn read_line_table(code: &CodeObject) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    each_row(code, supported(code.version)?, |length, position| rows.push(Row { length, position }));
    Ok(rows)
}

/// Writes rows as the line table of a version: `co_lnotab` (to 3.9) or `co_linetable`.
///
/// What [`read_line_table`] gave becomes the same bytes again. Rows longer or further apart than the format
/// can say are split as CPython splits them. `co_lnotab` gives the last row no length, and every row a line:
/// rows without one belong to the row before.
///
/// # Errors
/// Where the version is not supported.
pub fn write_line_table(
    version: depyf_value::PyVersion,
    first_line: u32,
    rows: &[Row],
) -> Result<Vec<u8>, Error> {
    Ok(match supported(version)?.line_table {
        LineTableFormat::Increments => write_increments(first_line, rows),
        LineTableFormat::Ranges => write_ranges(first_line, rows),
        LineTableFormat::Locations => write_locations(first_line, rows),
    })
}

/// Writes a new line table for a code object: `place` says where the instruction at an offset stands.
///
/// An offset is that of the opcode, as in [`crate::Instruction`]; its EXTENDED_ARGs and caches stand where
/// it does. Where `place` knows nothing, a NOP, which marks what is a statement elsewhere, stands nowhere; any
/// other instruction is a part of what comes before it.
///
/// # Errors
/// Where the version is not supported, or the code is cut off.
pub fn place_instructions(
    code: &CodeObject,
    first_line: u32,
    mut place: impl FnMut(u32) -> Option<Position>,
) -> Result<Vec<u8>, Error> {
    let mut rows: Vec<Row> = Vec::new();
    let mut before = Position::default();
    for raw in instructions(code, supported(code.version)?)? {
        let position = match place(raw.offset) {
            Some(position) => position,
            None if raw.mnemonic == Some(Mnemonic::NOP) => Position::default(),
            None => before,
        };
        before = position;
        let length = raw.end - raw.start;
        match rows.last_mut() {
            Some(last) if last.position == position => last.length += length,
            _ => rows.push(Row { length, position }),
        }
    }
    write_line_table(code.version, first_line, &rows)
}

/// Whether the compiler went over the bytecode once more when it was done (CPython `Python/peephole.c`): to 3.9 it leaves code
/// as it came if the line table has an increment of 255 bytes, as it has for a line of that much code or more. Later
/// versions have no such limit.
///
/// # Examples
/// ```
/// use depyf_bytecode::{CodeObject, was_optimized};
/// use depyf_value::PyVersion;
///
/// // The first line has 260 bytes.
/// let code = CodeObject { linetable: vec![0, 1, 255, 0, 5, 1], ..CodeObject::empty(PyVersion(9)) };
/// assert!(!was_optimized(&code));
/// ```
#[must_use]
pub fn was_optimized(code: &CodeObject) -> bool {
    let increments = facts(code.version).is_some_and(|facts| facts.line_table == LineTableFormat::Increments);
    !increments || code.linetable.chunks_exact(2).all(|pair| pair[0] != 255)
}

fn supported(version: depyf_value::PyVersion) -> Result<&'static VersionFacts, Error> {
    facts(version).ok_or_else(|| Error::new(0, format!("Python {version} is not supported")))
}

/// Where an instruction stands, as [`crate::Instruction`] says it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) width: u8,
}

/// What is made of a row while the table is read.
trait Spot: Copy {
    /// That of a row.
    fn of(position: Position) -> Self;

    /// That of a row on one line, which most are.
    fn on_line(line: Option<u32>, column: u32, end_column: u32) -> Self;
}

impl Spot for Position {
    #[inline]
    fn of(position: Position) -> Self {
        position
    }

    #[inline]
    fn on_line(line: Option<u32>, column: u32, end_column: u32) -> Self {
        Self { line, end_line: line, column: Some(column), end_column: Some(end_column) }
    }
}

impl Spot for Place {
    fn of(position: Position) -> Self {
        match (position.column, position.end_column) {
            (Some(column), Some(end)) if position.line == position.end_line => {
                Self::on_line(position.line, column, end)
            }
            (column, _) => Self { line: position.line, column, width: 0 },
        }
    }

    #[inline]
    fn on_line(line: Option<u32>, column: u32, end_column: u32) -> Self {
        let width = end_column.saturating_sub(column).min(u32::from(u8::MAX)) as u8;
        Self { line, column: Some(column), width }
    }
}

/// Gives each instruction the place of its opcode. A table that ends early or says nonsense leaves instructions
/// without: the places are a help to readers, and no reason to refuse a function.
#[inline(never)]
pub(crate) fn place_all(code: &CodeObject, facts: &VersionFacts, raw: &mut [RawInstruction]) {
    let mut rest = raw;
    // Rows may meet in the middle of a unit, which belongs to the row that it begins in.
    let mut at = 0_u32;
    each_row(code, facts, |length, place: Place| {
        at = at.saturating_add(length);
        while let Some(next) = rest.first_mut()
            && next.offset < at
        {
            next.place = place;
            rest = &mut std::mem::take(&mut rest)[1..];
        }
    });
}

/// Calls `take` for each row of the table, with its length.
fn each_row<T: Spot>(code: &CodeObject, facts: &VersionFacts, take: impl FnMut(u32, T)) {
    match facts.line_table {
        LineTableFormat::Increments => read_increments(code, take),
        LineTableFormat::Ranges => read_ranges(code, take),
        LineTableFormat::Locations => read_locations(code, take),
    }
}

/// Whether the table gives a line to the whole code and to nothing else, as every compiler's does.
pub(crate) fn covers_code(code: &CodeObject, facts: &VersionFacts) -> bool {
    let bytes = match facts.line_table {
        // What follows the last pair belongs to its line.
        LineTableFormat::Increments => {
            let pairs = code.linetable.chunks_exact(2);
            let covered: usize = pairs.map(|pair| usize::from(pair[0])).sum();
            return covered <= code.code.len() && code.linetable.len().is_multiple_of(2);
        }
        LineTableFormat::Ranges => code.linetable.chunks_exact(2).map(|pair| usize::from(pair[0])).sum(),
        LineTableFormat::Locations => {
            let heads = code.linetable.iter().filter(|byte| **byte & 0x80 != 0);
            heads.map(|head| (usize::from(head & 7) + 1) * UNIT).sum::<usize>()
        }
    };
    bytes == code.code.len()
}

fn at_line<T: Spot>(line: i64) -> T {
    T::of(Position::of_line(u32::try_from(line).ok()))
}

/// To 3.9: each pair says after how many bytes the line grows, and by how much.
fn read_increments<T: Spot>(code: &CodeObject, mut take: impl FnMut(u32, T)) {
    let mut line = i64::from(code.first_line);
    let mut covered = 0_u32;
    for pair in code.linetable.chunks_exact(2) {
        take(u32::from(pair[0]), at_line(line));
        covered = covered.saturating_add(u32::from(pair[0]));
        line += i64::from(pair[1] as i8);
    }
    let length = u32::try_from(code.code.len()).unwrap_or(u32::MAX);
    take(length.saturating_sub(covered), at_line(line));
}

fn write_increments(first_line: u32, rows: &[Row]) -> Vec<u8> {
    let mut table = Vec::with_capacity(rows.len() * 2);
    let mut line = i64::from(first_line);
    // Bytes since the last pair.
    let mut length = 0_u32;
    for (index, row) in rows.iter().enumerate() {
        if let Some(next) = row.position.line.map(i64::from) {
            // Before the first row there is nothing to say unless it starts on another line.
            if index > 0 || next != line {
                write_increment(&mut table, length, next - line);
                length = 0;
            }
            line = next;
        }
        length = length.saturating_add(row.length);
    }
    table
}

/// As `assemble_lnotab` of `Python/compile.c` does: first the bytes, then the lines.
fn write_increment(table: &mut Vec<u8>, mut length: u32, mut delta: i64) {
    while length > 255 {
        table.extend([255, 0]);
        length -= 255;
    }
    while !(-128..=127).contains(&delta) {
        let step = delta.clamp(-128, 127);
        table.extend([length as u8, step as i8 as u8]);
        length = 0;
        delta -= step;
    }
    table.extend([length as u8, delta as i8 as u8]);
}

/// 3.10: each pair is a number of bytes and the line's difference from the last one; -128 is "no line".
fn read_ranges<T: Spot>(code: &CodeObject, mut take: impl FnMut(u32, T)) {
    let mut line = i64::from(code.first_line);
    for pair in code.linetable.chunks_exact(2) {
        let delta = pair[1] as i8;
        let has_line = delta != i8::MIN;
        if has_line {
            line += i64::from(delta);
        }
        let place = if has_line { at_line(line) } else { T::of(Position::default()) };
        take(u32::from(pair[0]), place);
    }
}

/// As `assemble_line_range` of `Python/compile.c` does: first the lines, then the bytes.
fn write_ranges(first_line: u32, rows: &[Row]) -> Vec<u8> {
    let mut table = Vec::with_capacity(rows.len() * 2);
    let mut line = i64::from(first_line);
    for row in rows {
        let mut delta = i8::MIN;
        if let Some(next) = row.position.line.map(i64::from) {
            let mut rest = next - line;
            line = next;
            while !(-127..=127).contains(&rest) {
                let step = rest.clamp(-127, 127);
                table.extend([0, step as i8 as u8]);
                rest -= step;
            }
            delta = rest as i8;
        }
        let mut length = row.length;
        while length > 254 {
            table.extend([254, delta as u8]);
            // The rest stands on the same line.
            delta = if delta == i8::MIN { delta } else { 0 };
            length -= 254;
        }
        table.extend([length as u8, delta as u8]);
    }
    table
}

/// The kinds of entries from 3.11 on. Those below `ONE_LINE` hold the high bits of the first column.
mod kind {
    pub(super) const ONE_LINE: u8 = 10;
    pub(super) const NO_COLUMNS: u8 = 13;
    pub(super) const LONG: u8 = 14;
    pub(super) const NO_LINE: u8 = 15;
}

/// Code units that one entry can stand for.
const ENTRY_UNITS: u32 = 8;

/// From 3.11: entries of variable length, whose first byte alone has the highest bit set.
fn read_locations<T: Spot>(code: &CodeObject, mut take: impl FnMut(u32, T)) {
    let mut line = i64::from(code.first_line);
    // That of most entries is that of the one before.
    let mut same_line = u32::try_from(line).ok();
    let mut rest = Entry(&code.linetable);
    while let Some(head) = rest.0.split_off_first() {
        let found = match (head >> 3 & 15, rest.0) {
            // Nearly all entries: on one line, in two or three bytes that are all there.
            (high @ ..kind::ONE_LINE, &[low, ref behind @ ..]) if low < 0x80 => {
                rest.0 = behind;
                short(high, u32::from(low), same_line)
            }
            (kind @ kind::ONE_LINE..kind::NO_COLUMNS, &[column, end, ref behind @ ..])
                if column | end < 0x80 =>
            {
                rest.0 = behind;
                line += i64::from(kind - kind::ONE_LINE);
                same_line = u32::try_from(line).ok();
                T::on_line(same_line, u32::from(column), u32::from(end))
            }
            (kind, _) => {
                let found;
                (found, rest, line) = location(kind, rest, line);
                same_line = u32::try_from(line).ok();
                T::of(found)
            }
        };
        while rest.next().is_some() {}
        take((u32::from(head & 7) + 1) * UNIT as u32, found);
    }
}

/// What an entry of the shortest form says: the high bits of its column are its kind.
#[inline]
fn short<T: Spot>(high: u8, low: u32, line: Option<u32>) -> T {
    let column = u32::from(high) << 3 | low >> 4 & 7;
    T::on_line(line, column, column + (low & 15))
}

/// The position that an entry of any form says, the table behind it, and its line.
#[inline(never)]
fn location<'a>(kind: u8, mut body: Entry<'a>, line: i64) -> (Position, Entry<'a>, i64) {
    let line = line
        + match kind {
            kind::NO_COLUMNS | kind::LONG => body.signed(),
            11 => 1,
            12 => 2,
            _ => 0,
        };
    let shown = u32::try_from(line).ok();
    let position = match kind {
        kind::NO_LINE => Position::default(),
        kind::NO_COLUMNS => Position::of_line(shown),
        kind::LONG => {
            let end_line = u32::try_from(line + i64::from(body.number())).ok();
            // Columns are written one higher, so that zero is none.
            let (column, end_column) = (body.number().checked_sub(1), body.number().checked_sub(1));
            Position { line: shown, end_line, column, end_column }
        }
        kind::ONE_LINE..=12 => {
            let (column, end_column) = (body.byte(), body.byte());
            Position::on_line(shown, column, end_column)
        }
        high => short(high, body.byte(), shown),
    };
    (position, body, line)
}

/// The table from inside of an entry on. The entry ends before the next byte with the highest bit.
struct Entry<'a>(&'a [u8]);

impl Entry<'_> {
    /// The next byte of the entry.
    #[inline]
    fn next(&mut self) -> Option<u32> {
        match *self.0 {
            [byte, ref rest @ ..] if byte & 0x80 == 0 => {
                self.0 = rest;
                Some(u32::from(byte))
            }
            _ => None,
        }
    }

    /// The next byte; zero where the entry is cut off.
    #[inline]
    fn byte(&mut self) -> u32 {
        self.next().unwrap_or(0)
    }

    /// Six bits a byte, the lowest first.
    #[inline]
    fn number(&mut self) -> u32 {
        let byte = self.byte();
        if byte & 0x40 == 0 {
            return byte;
        }
        let (mut value, mut shift) = (byte & 0x3f, 6);
        loop {
            let byte = self.byte();
            value |= (byte & 0x3f).checked_shl(shift).unwrap_or(0);
            shift += 6;
            if byte & 0x40 == 0 {
                return value;
            }
        }
    }

    /// The lowest bit is the sign.
    fn signed(&mut self) -> i64 {
        let value = self.number();
        let half = i64::from(value >> 1);
        if value & 1 == 0 { half } else { -half }
    }
}

fn write_locations(first_line: u32, rows: &[Row]) -> Vec<u8> {
    let mut table = Vec::with_capacity(rows.len() * 4);
    let mut line = i64::from(first_line);
    for row in rows {
        let mut units = row.length.div_ceil(UNIT as u32);
        while units > 0 {
            let now = units.min(ENTRY_UNITS);
            write_location(&mut table, now, row.position, &mut line);
            units -= now;
        }
    }
    table
}

/// The shortest form that holds the position, as `write_location_info_entry` of `Python/assemble.c` chooses.
fn write_location(table: &mut Vec<u8>, units: u32, position: Position, line: &mut i64) {
    let head = |table: &mut Vec<u8>, kind: u8| table.push(0x80 | kind << 3 | (units - 1) as u8);
    let Some(start) = position.line.map(i64::from) else { return head(table, kind::NO_LINE) };
    let delta = start - std::mem::replace(line, start);
    let end_line = position.end_line.map_or(start, i64::from).max(start);
    let columns = position.column.zip(position.end_column);
    match columns {
        None if end_line == start && position.column.or(position.end_column).is_none() => {
            head(table, kind::NO_COLUMNS);
            write_signed(table, delta);
        }
        Some((column, end))
            if end_line == start && delta == 0 && column < 80 && (column..column + 16).contains(&end) =>
        {
            head(table, (column >> 3) as u8);
            table.push((column << 4 & 0x70 | (end - column)) as u8);
        }
        Some((column, end)) if end_line == start && (0..3).contains(&delta) && column < 128 && end < 128 => {
            head(table, kind::ONE_LINE + delta as u8);
            table.extend([column as u8, end as u8]);
        }
        _ => {
            head(table, kind::LONG);
            write_signed(table, delta);
            write_number(table, (end_line - start) as u32);
            for column in [position.column, position.end_column] {
                write_number(table, column.map_or(0, |column| column.saturating_add(1)));
            }
        }
    }
}

fn write_number(table: &mut Vec<u8>, mut value: u32) {
    while value >= 0x40 {
        table.push(0x40 | (value & 0x3f) as u8);
        value >>= 6;
    }
    table.push(value as u8);
}

fn write_signed(table: &mut Vec<u8>, value: i64) {
    // A difference of two lines takes 33 bits, but those of one file are far from that.
    let size = u32::try_from(value.unsigned_abs()).unwrap_or(u32::MAX >> 1).min(u32::MAX >> 1);
    write_number(table, size << 1 | u32::from(value < 0));
}
