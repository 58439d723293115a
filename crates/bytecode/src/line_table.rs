//! Lines of the source, one for each code unit, from any version's line table.

use crate::code::CodeObject;
use crate::instructions::UNIT;
use crate::versions::{LineTableFormat, VersionFacts};

/// The line of each code unit. A table that ends early or says nonsense leaves units without a line: the
/// lines are a help to readers, and no reason to refuse a function.
pub(crate) fn lines(code: &CodeObject, facts: &VersionFacts) -> Vec<Option<u32>> {
    let mut units = Units { lines: vec![None; code.code.len().div_ceil(UNIT)], filled: 0 };
    match facts.line_table {
        LineTableFormat::Increments => increments(code, &mut units),
        LineTableFormat::Ranges => ranges(code, &mut units),
        LineTableFormat::Locations => locations(code, &mut units),
    }
    units.lines
}

struct Units {
    lines: Vec<Option<u32>>,
    filled: usize,
}

impl Units {
    /// Gives the next units a line; says whether there is room for more.
    fn fill(&mut self, count: usize, line: Option<i64>) -> bool {
        let line = line.and_then(|line| u32::try_from(line).ok());
        let end = self.filled.saturating_add(count).min(self.lines.len());
        self.lines[self.filled..end].fill(line);
        self.filled = end;
        self.filled < self.lines.len()
    }
}

/// To 3.9: each pair says after how many bytes the line grows, and by how much.
fn increments(code: &CodeObject, units: &mut Units) {
    let mut line = i64::from(code.first_line);
    for pair in code.linetable.chunks_exact(2) {
        if !units.fill(usize::from(pair[0]) / UNIT, Some(line)) {
            return;
        }
        line += i64::from(pair[1] as i8);
    }
    units.fill(usize::MAX, Some(line));
}

/// 3.10: each pair is a number of bytes and the line's difference from the last one; -128 is "no line".
fn ranges(code: &CodeObject, units: &mut Units) {
    let mut line = i64::from(code.first_line);
    for pair in code.linetable.chunks_exact(2) {
        let delta = pair[1] as i8;
        let has_line = delta != i8::MIN;
        if has_line {
            line += i64::from(delta);
        }
        if !units.fill(usize::from(pair[0]) / UNIT, has_line.then_some(line)) {
            return;
        }
    }
}

/// From 3.11: entries of variable length, whose first byte alone has the highest bit set.
fn locations(code: &CodeObject, units: &mut Units) {
    let mut line = i64::from(code.first_line);
    let mut bytes = code.linetable.iter().copied().peekable();
    while let Some(head) = bytes.next() {
        let kind = head >> 3 & 15;
        let mut varint = || {
            let (mut value, mut shift) = (0_i64, 0);
            while let Some(byte) = bytes.next_if(|byte| byte & 0x80 == 0) {
                value |= i64::from(byte & 0x3f).checked_shl(shift).unwrap_or(0);
                shift += 6;
                if byte & 0x40 == 0 || shift > 30 {
                    break;
                }
            }
            value
        };
        line += match kind {
            // The lowest bit is the sign.
            13 | 14 => {
                let value = varint();
                if value & 1 == 0 { value >> 1 } else { -(value >> 1) }
            }
            11 => 1,
            12 => 2,
            _ => 0,
        };
        let count = usize::from(head & 7) + 1;
        if !units.fill(count, (kind != 15).then_some(line)) {
            return;
        }
        // Columns and the last line are of no use here.
        while bytes.next_if(|byte| byte & 0x80 == 0).is_some() {}
    }
}
