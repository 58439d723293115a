//! Pass: a `return` or `continue` stands where the source has one, though falling off the end would do the same.
//!
//! The compiler leaves no jump to where control goes on anyway, and one `return` may be a copy of another. But what leaves a
//! handler or a `with` statement stands where that word stood.
//!
//! Needs: implied ends are dropped; columns (3.11 and later), without which nothing changes. Establishes: each word that the
//! line table tells stands at the end of the block that its place is in, where that means the same.
//!
//! Example: of `try: a()`, `except E: pass`, whose handler is left on a line of its own, 6 wide, the last is a `return`.

use depyf_bytecode::{Op, flags};
use depyf_syntax::ast::{Block, Expr, ExprKind, Literal, Origin, Stmt, StmtKind};

use super::indentation::{Columns, Place};
use super::named_none::{RETURN, returns_none};
use super::words::{Word, Words};
use crate::structure::leaves;
use crate::visit::{each_block, walk_expr, walk_exprs, walk_pattern};

/// See the module.
pub(crate) fn place_words(block: &mut Block, words: &Words<'_>) {
    if !words.are_told() {
        return;
    }
    let mut unplaced: Vec<Unplaced> = words
        .function
        .instructions
        .iter()
        // What leaves a handler or a `with`, and the function.
        .filter(|found| matches!(found.op, Op::PopExcept | Op::Return | Op::Jump(_) | Op::Nop))
        .filter_map(|found| {
            let word = words.of_instruction(found)?;
            let may_be_left_out = match word {
                Word::Return | Word::Continue => true,
                // An asynchronous generator may return no value.
                Word::PassOrNone => words.code.flags & flags::ASYNC_GENERATOR == 0,
                Word::Break | Word::Ellipsis => false,
            };
            let place = (found.line?, found.column?);
            may_be_left_out.then_some(Unplaced { place, word, offset: found.offset, before: (0, 0) })
        })
        .collect();
    if unplaced.is_empty() {
        return;
    }
    unplaced.sort_unstable_by_key(|unplaced| unplaced.place);
    let Some(columns) = Columns::of(words.function) else { return };
    // Nearly all are printed, as statements.
    note_words(block, &columns, &mut unplaced);
    unplaced.retain(Unplaced::is_left);
    let is_left = |is_round: bool| unplaced.iter().any(|left| is_round == (left.word == Word::Continue));
    if unplaced.is_empty() || !may_hold(block, Some(Tail::FUNCTION), &is_left) {
        return;
    }
    note_places(block, &columns, &mut unplaced);
    if unplaced.iter().any(Unplaced::is_left) {
        Placing { columns, unplaced }.block(block, Some(Tail::FUNCTION), (0, 0), Indentation::Unknown);
    }
}

/// A word that may not be printed.
struct Unplaced {
    place: Place,
    word: Word,
    /// The offset of an instruction of it.
    offset: u32,
    /// The last place, up to its own, of what is printed.
    before: Place,
}

impl Unplaced {
    /// Whether nothing is printed in its place.
    fn is_left(&self) -> bool {
        self.before < self.place
    }
}

/// Takes note of a place at which something is printed. The words are in order.
fn note(place: Place, unplaced: &mut [Unplaced]) {
    let next = unplaced.partition_point(|unplaced| unplaced.place < place);
    if let Some(next) = unplaced.get_mut(next) {
        next.before = next.before.max(place);
    }
}

/// What comes behind a block.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tail {
    /// The end of the function, or the next round of a loop.
    is_round: bool,
    /// Whether a handler or a `with` statement is left, which leaves instructions: elsewhere nothing is left of a word.
    leaves: bool,
}

impl Tail {
    const FUNCTION: Self = Self { is_round: false, leaves: false };
    const ROUND: Self = Self { is_round: true, leaves: false };

    /// Where a `return` of None ends a block.
    const RETURN: Self = Self { is_round: false, leaves: true };

    fn behind_cleanup(self) -> Self {
        Self { leaves: true, ..self }
    }
}

/// Whether a word may be placed at the end of a block or further inside, as [`Placing::block`] does. `is_left` says whether any
/// is left of a loop, or of the function. Mostly a `pass` in a handler is, and statements come behind its `try`.
fn may_hold(block: &[Stmt], tail: Option<Tail>, is_left: &impl Fn(bool) -> bool) -> bool {
    let (block, tail, inner) = match block {
        [block @ .., last] if returns_none(last) => (block, Some(Tail::RETURN), None),
        _ => (block, tail, tail),
    };
    let in_statement = |(at, stmt): (usize, &Stmt)| {
        let tail = inner.filter(|_| at + 1 == block.len());
        let may_hold = |block: &[Stmt], tail: Option<Tail>| may_hold(block, tail, is_left);
        let in_else = |orelse: &[Stmt]| !orelse.is_empty() && may_hold(orelse, tail);
        match &stmt.kind {
            StmtKind::Try(parts) => {
                let of_handlers = tail.filter(|_| !parts.is_star).map(Tail::behind_cleanup);
                may_hold(&parts.body, tail.filter(|_| parts.orelse.is_empty()))
                    || parts.handlers.iter().any(|handler| may_hold(&handler.body, of_handlers))
                    || in_else(&parts.orelse)
                    || may_hold(&parts.finalbody, None)
            }
            StmtKind::Match { cases, .. } => cases.iter().any(|case| may_hold(&case.body, tail)),
            StmtKind::If { body, orelse, .. } => may_hold(body, tail) || in_else(orelse),
            StmtKind::While { body, orelse, .. } | StmtKind::For { body, orelse, .. } => {
                may_hold(body, Some(Tail::ROUND)) || in_else(orelse)
            }
            StmtKind::With { body, .. } => may_hold(body, tail.map(Tail::behind_cleanup)),
            _ => false,
        }
    };
    tail.is_some_and(|tail| tail.leaves && is_left(tail.is_round)) && !leaves(block)
        || block.iter().enumerate().any(in_statement)
}

/// Which column the statements of a block stand at.
#[derive(Clone, Copy)]
enum Indentation {
    At(u32),
    /// One behind that of what is around the block.
    Behind(u32),
    Unknown,
}

/// What the pass knows.
struct Placing<'a> {
    columns: Columns<'a>,
    /// In order.
    unplaced: Vec<Unplaced>,
}

impl Placing<'_> {
    /// Goes through a block that lies behind a place. Returns the last place in it.
    fn block(&self, block: &mut Block, tail: Option<Tail>, before: Place, indentation: Indentation) -> Place {
        let indentation = self.columns.of_block(block).map_or(indentation, Indentation::At);
        // One `return` of None may be printed in several places.
        let returned = block.pop_if(|stmt| returns_none(stmt));
        let tail = if returned.is_some() { Some(Tail::RETURN) } else { tail };
        let count = if returned.is_some() { usize::MAX } else { block.len() };
        let mut last = before;
        for (at, stmt) in block.iter_mut().enumerate() {
            let tail = tail.filter(|_| at + 1 == count);
            last = self.statement(stmt, tail, last, indentation);
        }
        if let Some(tail) = tail.filter(|tail| tail.leaves)
            && !leaves(block)
            && let Some((place, stmt)) = self.next(tail, last, indentation)
        {
            block.push(stmt);
            last = place;
        } else if let Some(returned) = returned {
            last = self.behind(last, returned.origin);
            block.push(returned);
        }
        last
    }

    /// The same of a statement.
    fn statement(
        &self,
        stmt: &mut Stmt,
        tail: Option<Tail>,
        before: Place,
        indentation: Indentation,
    ) -> Place {
        // Arms of one statement are as deep as each other.
        let inner = match (self.columns.inside(stmt), indentation) {
            (Some(inner), Indentation::At(column)) if inner <= column => Indentation::Behind(column),
            (Some(inner), _) => Indentation::At(inner),
            (None, Indentation::At(column) | Indentation::Behind(column)) => Indentation::Behind(column),
            (None, Indentation::Unknown) => Indentation::Unknown,
        };
        let mut last = if self.stands_elsewhere(stmt) { before } else { self.behind(before, stmt.origin) };
        match &mut stmt.kind {
            StmtKind::Try(parts) => {
                let is_last = parts.orelse.is_empty();
                last = self.block(&mut parts.body, tail.filter(|_| is_last), last, inner);
                // No jump may leave the handler of an exception group.
                let of_handlers = tail.filter(|_| !parts.is_star).map(Tail::behind_cleanup);
                for handler in &mut parts.handlers {
                    let mut note = |expr: &mut Expr| last = self.behind(last, expr.origin);
                    handler.kind.iter_mut().for_each(|kind| walk_expr(kind, &mut note));
                    last = self.block(&mut handler.body, of_handlers, last, inner);
                }
                last = self.orelse(&mut parts.orelse, tail, last, inner);
                // To leave a `finally` drops the exception.
                return self.block(&mut parts.finalbody, None, last, inner);
            }
            StmtKind::Match { subject, cases } => {
                walk_expr(subject, &mut |expr| last = self.behind(last, expr.origin));
                for case in cases {
                    let mut note = |expr: &mut Expr| last = self.behind(last, expr.origin);
                    walk_pattern(&mut case.pattern, &mut note);
                    case.guard.iter_mut().for_each(|guard| walk_expr(guard, &mut note));
                    last = self.block(&mut case.body, tail, last, inner);
                }
                return last;
            }
            _ => {}
        }
        walk_exprs(stmt, &mut |expr| last = self.behind(last, expr.origin));
        match &mut stmt.kind {
            StmtKind::If { body, orelse, .. } => {
                last = self.block(body, tail, last, inner);
                self.orelse(orelse, tail, last, inner)
            }
            StmtKind::While { body, orelse, .. } | StmtKind::For { body, orelse, .. } => {
                last = self.block(body, Some(Tail::ROUND), last, inner);
                self.orelse(orelse, tail, last, inner)
            }
            StmtKind::With { body, .. } => self.block(body, tail.map(Tail::behind_cleanup), last, inner),
            _ => last,
        }
    }

    /// The same of an `else`, where there is one.
    fn orelse(
        &self,
        block: &mut Block,
        tail: Option<Tail>,
        before: Place,
        indentation: Indentation,
    ) -> Place {
        self.block(block, tail.filter(|_| !block.is_empty()), before, indentation)
    }

    /// Whether what is left of a `break` has another place than the word: that of a `finally` body or of a `with`, which it
    /// leaves first.
    fn stands_elsewhere(&self, stmt: &Stmt) -> bool {
        let width = |origin| self.columns.instruction(origin).map(|found| usize::from(found.width));
        stmt.kind == StmtKind::Break && width(stmt.origin).is_some_and(|width| width != "break".len())
    }

    /// The later of a place and that of an origin.
    fn behind(&self, last: Place, origin: Origin) -> Place {
        self.columns.place(origin).map_or(last, |place| place.max(last))
    }

    /// The word that comes next behind a place, where nothing else does, as a statement that stands where those of a
    /// block do.
    fn next(&self, tail: Tail, last: Place, indentation: Indentation) -> Option<(Place, Stmt)> {
        let next = self.unplaced.partition_point(|unplaced| unplaced.place <= last);
        let &Unplaced { place, word, offset, before } = self.unplaced.get(next)?;
        if before > last {
            return None;
        }
        let origin = Origin(offset);
        let (line, found) = place;
        let stands = |column: u32| match indentation {
            Indentation::At(expected) => column == expected,
            // What is a `pass` one behind would be the None of a `return`.
            Indentation::Behind(around) => {
                line > last.0 && column > around + u32::from(word == Word::PassOrNone)
            }
            Indentation::Unknown => false,
        };
        let kind = match (tail.is_round, word) {
            (false, Word::Return) if stands(found) => StmtKind::Return(None),
            (false, Word::PassOrNone) if found.checked_sub(RETURN).is_some_and(stands) => {
                StmtKind::Return(Some(Expr::new(origin, ExprKind::Literal(Literal::None))))
            }
            (true, Word::Continue) if stands(found) => StmtKind::Continue,
            _ => return None,
        };
        Some((place, Stmt::new(origin, kind)))
    }
}

/// Takes note of where the statements of one word stand.
fn note_words(block: &mut Block, columns: &Columns<'_>, unplaced: &mut [Unplaced]) {
    for stmt in block {
        if matches!(stmt.kind, StmtKind::Return(None) | StmtKind::Continue | StmtKind::Pass)
            && let Some(place) = columns.place(stmt.origin)
        {
            note(place, unplaced);
        }
        each_block(stmt, |inner| note_words(inner, columns, unplaced));
    }
}

/// Takes note of where statements and expressions stand.
fn note_places(block: &mut Block, columns: &Columns<'_>, unplaced: &mut [Unplaced]) {
    let note_origin = |origin: Origin, unplaced: &mut [Unplaced]| {
        if let Some(place) = columns.place(origin) {
            note(place, unplaced);
        }
    };
    for stmt in block {
        note_origin(stmt.origin, unplaced);
        walk_exprs(stmt, &mut |expr| note_origin(expr.origin, unplaced));
        each_block(stmt, |inner| note_places(inner, columns, unplaced));
    }
}
