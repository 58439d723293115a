//! Where the instructions of a code object and of all nested code stand in the source that was compiled.
//!
//! The trees of nested code stand in one tree, so their origins must not be told by offsets alone: here every
//! code object has numbers of its own, which begin behind those of the code before: one for each byte, and one for
//! its head. Those of the outermost one are its offsets.

use depyf_bytecode::{CodeObject, Const, read_line_table};
use depyf_syntax::ast::Origin;
use depyf_syntax::{Place, Places};

use crate::hash::HashMap;

/// The line tables of a code object and of all nested code.
#[derive(Debug, Default)]
pub(crate) struct RecordedLines {
    /// By the address of a code object, where its numbers begin.
    bases: HashMap<usize, u32>,
    /// Number of the first byte of a row, and its lines; in order.
    rows: Vec<(u32, Option<Place>)>,
}

impl RecordedLines {
    /// Reads all line tables. Code that is nested several times is read once.
    pub(crate) fn of(code: &CodeObject) -> Self {
        let mut found = Self::default();
        let mut next = 0_u32;
        let mut work = vec![code];
        while let Some(code) = work.pop() {
            if found.bases.contains_key(&address(code)) {
                continue;
            }
            found.bases.insert(address(code), next);
            found.add(code, next);
            next = next.saturating_add(size(code)).saturating_add(1);
            work.extend(code.consts.iter().filter_map(|value| match value {
                Const::Code(nested) => Some(&**nested),
                _ => None,
            }));
        }
        found
    }

    fn add(&mut self, code: &CodeObject, base: u32) {
        let mut at = 0_u32;
        for row in read_line_table(code).unwrap_or_default() {
            if at as usize >= code.code.len() {
                break;
            }
            if row.length > 0 {
                let place = row.position.line.map(|line| Place {
                    line,
                    end_line: row.position.end_line.filter(|_| row.position.end_column.is_some()),
                });
                self.rows.push((base.saturating_add(at), place));
            }
            at = at.saturating_add(row.length);
        }
        let head = Some(code.first_line).filter(|line| *line > 0);
        self.rows.push((base.saturating_add(size(code)), head.map(|line| Place { line, end_line: None })));
    }

    /// The number that stands for the `def` of the outermost code object.
    pub(crate) fn head(code: &CodeObject) -> Origin {
        Origin(size(code))
    }

    /// The number of an instruction of a code object, as an origin.
    pub(crate) fn number(&self, code: &CodeObject, origin: Origin) -> Origin {
        match (origin, self.bases.get(&address(code))) {
            (Origin::NONE, _) | (_, None) => Origin::NONE,
            // Numbers of code nested in this one are told already.
            (Origin(offset), _) if offset as usize >= code.code.len() => origin,
            (Origin(offset), Some(base)) => Origin(base.saturating_add(offset)),
        }
    }
}

fn size(code: &CodeObject) -> u32 {
    u32::try_from(code.code.len()).unwrap_or(u32::MAX)
}

fn address(code: &CodeObject) -> usize {
    std::ptr::from_ref(code).addr()
}

impl Places for RecordedLines {
    fn place(&self, origin: Origin) -> Option<Place> {
        if origin == Origin::NONE {
            return None;
        }
        let behind = self.rows.partition_point(|&(start, _)| start <= origin.0);
        self.rows.get(behind.checked_sub(1)?)?.1
    }
}
