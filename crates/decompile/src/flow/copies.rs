//! Instructions that stand where another one is printed: the compiler wrote a piece of source several times, and
//! passes have joined the copies; or they are the end of a statement that its head stands for.

use crate::hash::HashMap;

use depyf_syntax::SourceMapEntry;
use depyf_syntax::ast::{Expr, Origin};

use super::{Folded, Piece, Step};

/// By the offset of an instruction that was erased, that of the one that stands for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    stand_for: HashMap<u32, u32>,
    /// Nobody will ask: the source map is that of the outermost code object.
    is_unasked: bool,
}

impl Copies {
    /// None so far, nor later if nobody will ask.
    pub(crate) fn asked(is_asked: bool) -> Self {
        Self { is_unasked: !is_asked, ..Self::default() }
    }

    /// Notes that one instruction stands for another, too.
    pub(crate) fn note(&mut self, erased: u32, kept: u32) {
        if erased != kept && !self.is_unasked {
            self.stand_for.entry(erased).or_insert(kept);
        }
    }

    /// The same for steps that do the same.
    pub(crate) fn note_steps(&mut self, erased: &[Step], kept: &[Step]) {
        if self.is_unasked {
            return;
        }
        for (erased, kept) in erased.iter().zip(kept) {
            self.note(erased.offset, kept.offset);
            for (erased, kept) in origins_in(erased).into_iter().zip(origins_in(kept)) {
                self.note(erased, kept);
            }
        }
    }

    /// Adds to a source map where the erased instructions would have been printed.
    pub(crate) fn complete(&self, map: &mut Vec<SourceMapEntry>) {
        if self.stand_for.is_empty() {
            return;
        }
        let printed: HashMap<u32, SourceMapEntry> = map.iter().map(|entry| (entry.offset, *entry)).collect();
        let places = self.stand_for.iter().filter_map(|(&erased, &kept)| {
            // What stands for a copy may have been joined with another copy later.
            let mut chain = std::iter::successors(Some(kept), |at| self.stand_for.get(at).copied()).take(8);
            let place = chain.find_map(|at| printed.get(&at))?;
            let is_printed = printed.contains_key(&erased);
            (!is_printed).then_some(SourceMapEntry { offset: erased, ..*place })
        });
        map.extend(places.collect::<Vec<_>>());
        map.sort_unstable_by_key(|entry| entry.offset);
    }
}

/// The instructions in what was folded into a step, in an order that equal steps share.
fn origins_in(step: &Step) -> Vec<u32> {
    let mut found = Vec::new();
    let mut add = |folded: &Folded| found.extend(origins(&folded.expr));
    match step.kind.as_piece() {
        Some(Piece::Bool { values, .. }) => values.iter().for_each(add),
        Some(Piece::Conditional { body, orelse }) => [body, orelse].into_iter().for_each(add),
        Some(Piece::Comprehension(value)) => add(value),
        Some(Piece::Chain { rest, .. }) => rest.iter().for_each(|(_, part)| add(part)),
        None => {}
    }
    found
}

/// The instructions in an expression, in an order that equal expressions share.
pub(crate) fn origins(expr: &Expr) -> Vec<u32> {
    let mut found = Vec::new();
    crate::visit::visit_origins(&mut expr.clone(), &mut |origin| {
        if origin != Origin::NONE {
            found.push(origin.0);
        }
    });
    found
}
