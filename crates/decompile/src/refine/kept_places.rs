//! Where in the tree code stands that never runs: a part of [`keep_nested_code`](super::keep_nested_code).

use depyf_syntax::ast::{Block, Expr, Origin, Stmt, StmtKind};

use super::declarations::stays_first;
use super::kept_inside::{keep_beside, keep_in_head, keep_inside};
use crate::visit::{blocks, blocks_mut};

/// Between which instructions code objects are kept, see [`Group`](super::kept).
#[derive(Clone, Copy)]
pub(super) struct Border {
    pub(super) load: u32,
    pub(super) ahead: Option<u32>,
    pub(super) namesake: Option<u32>,
    /// Where the statement around begins.
    pub(super) begins: Option<u32>,
}

/// What is kept if it is expressions, which may stand in another one.
pub(super) struct Inside<'a> {
    pub(super) kept: Vec<Expr>,
    /// Where all code objects are loaded.
    pub(super) loads: &'a [u32],
}

impl Inside<'_> {
    /// How many code objects are loaded behind one offset, up to another one.
    fn loaded_between(&self, from: u32, to: u32) -> usize {
        let loaded_to = |offset: u32| self.loads.partition_point(|&load| load <= offset);
        loaded_to(to).saturating_sub(loaded_to(from))
    }
}

/// Puts statements behind the one that an instruction belongs to, and behind those that stay first. The origin of a
/// statement with a body of its own is where it begins, that of all others where it ends. If constants that follow are of
/// the same statement, only what is called alike need be in front.
pub(super) fn put_behind(block: &mut Block, border: Border, hidden: Block, inside: Option<Inside<'_>>) {
    let load = border.load;
    let at = block.iter().position(|statement| is_reached(statement, load)).unwrap_or(block.len());
    if let Some(inside) = &inside
        && keep_in_last_head(&mut block[..at], border, inside)
    {
        return;
    }
    // All that lies between a statement and the origin of the `for` behind it is the head of that.
    let is_followed = matches!(block.get(at), Some(Stmt { kind: StmtKind::For { .. }, .. }));
    if let Some(before) = block[..at].last_mut() {
        let begins = Some(before.origin.0);
        if let Some(inner) = list_of(before, load, is_followed) {
            return put_behind(inner, Border { begins, ..border }, hidden, inside);
        }
    }
    // A `try` has no head: it begins with the statement that the instruction belongs to.
    if let Some(Stmt { kind: StmtKind::Try(inner), .. }) = block.get_mut(at) {
        return put_behind(&mut inner.body, border, hidden, inside);
    }
    let begins = block[..at].last().map_or(border.begins, |before| Some(before.origin.0));
    let is_inside =
        block.get(at).is_some_and(|statement| border.ahead.is_some_and(|ahead| ahead <= statement.origin.0));
    let is_in_front = is_inside && border.namesake <= begins;
    if is_inside
        && !is_in_front
        && let Some(inside) = inside
        && let Some(statement) = block.get_mut(at)
    {
        let followed = inside.loaded_between(load, statement.origin.0);
        if keep_inside(statement, followed, inside.kept) {
            return;
        }
    }
    let at = if is_in_front { at } else { at + 1 };
    let at = at.min(block.len()).max(count_first(block));
    block.splice(at..at, hidden);
}

/// How many statements nothing may stand in front of.
fn count_first(block: &[Stmt]) -> usize {
    block.iter().take_while(|statement| stays_first(statement)).count()
}

/// Puts statements in front of all that need not stay first.
pub(super) fn put_first(block: &mut Block, hidden: Block) {
    let head = count_first(block);
    block.splice(head..head, hidden);
}

/// Keeps expressions in the head of the last statement, an `if` that goes on behind an instruction; says whether it does.
fn keep_in_last_head(block: &mut [Stmt], border: Border, inside: &Inside<'_>) -> bool {
    let [others @ .., last @ Stmt { kind: StmtKind::If { .. }, .. }] = block else { return false };
    let begins = match others.last() {
        Some(before) if blocks(before).next().is_some() => return false,
        Some(before) => before.origin.0,
        None => border.begins.unwrap_or(0),
    };
    keep_in_head(last, inside.loaded_between(begins, border.load), &inside.kept)
}

/// The list of statements in one that an instruction belongs to: one that ends behind it, or else, if it is not in the head
/// of a `for` that follows, the last one that begins in front of it, with the head of whose last statement it is.
fn list_of(statement: &mut Stmt, load: u32, is_followed: bool) -> Option<&mut Block> {
    let begins = |inner: &[Stmt]| {
        let first = inner.first().map(|statement| statement.origin);
        !is_followed && first.is_some_and(|origin| origin != Origin::NONE && origin.0 <= load)
    };
    let found = blocks(statement).position(|inner| reaches(inner, load)).or_else(|| {
        blocks(statement).enumerate().filter(|(_, inner)| begins(inner)).last().map(|(at, _)| at)
    })?;
    blocks_mut(statement).nth(found)
}

fn is_reached(statement: &Stmt, load: u32) -> bool {
    statement.origin != Origin::NONE && statement.origin.0 >= load
}

/// Whether statements, or those in them, end behind an instruction.
fn reaches(block: &[Stmt], load: u32) -> bool {
    block
        .iter()
        .any(|statement| is_reached(statement, load) || blocks(statement).any(|inner| reaches(inner, load)))
}

/// Puts statements behind the first `return` that follows an instruction, or else one at the end of the function.
pub(super) fn put_behind_return(block: &mut Block, load: Option<u32>, hidden: &mut Block) {
    match first_end(block, load, is_return) {
        Some(list) => list.append(hidden),
        None => {
            if !crate::structure::leaves(block) {
                block.push(Stmt::new(Origin::NONE, StmtKind::Return(None)));
            }
            block.append(hidden);
        }
    }
}

/// The list of statements that ends with the first `return`, `raise` or jump, if that lies in front of an offset.
pub(super) fn first_left(block: &mut Block, limit: u32) -> Option<&mut Block> {
    let first = ends_behind(block, None, never_goes_on).into_iter().min()?;
    if first < limit { list_with_end(block, first, never_goes_on) } else { None }
}

/// The list that the first statement of a kind ends, of those behind an instruction.
fn first_end(block: &mut Block, load: Option<u32>, is_end: fn(&Stmt) -> bool) -> Option<&mut Block> {
    let first = ends_behind(block, load, is_end).into_iter().min()?;
    list_with_end(block, first, is_end)
}

/// A list that ends with a jump which is always taken: the first behind an instruction, if one is known to be behind it.
pub(super) fn list_that_goes_elsewhere(block: &mut Block, load: Option<u32>) -> Option<&mut Block> {
    match ends_behind(block, load, goes_elsewhere).into_iter().min() {
        Some(first) => list_with_end(block, first, goes_elsewhere),
        None => any_list_that_goes_elsewhere(block),
    }
}

/// An endless loop need not have an instruction of its own.
fn any_list_that_goes_elsewhere(block: &mut Block) -> Option<&mut Block> {
    if block.last().is_some_and(goes_elsewhere) {
        return Some(block);
    }
    block.iter_mut().flat_map(blocks_mut).find_map(any_list_that_goes_elsewhere)
}

/// Whether a statement is compiled to end with a jump that is always taken.
fn goes_elsewhere(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::While { .. } => crate::structure::leaves(std::slice::from_ref(stmt)),
        _ => false,
    }
}

fn is_return(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_))
}

pub(super) fn never_goes_on(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Raise { .. }) || goes_elsewhere(stmt)
}

/// The offsets of the statements of a kind that end a list, behind an instruction.
fn ends_behind(block: &[Stmt], load: Option<u32>, is_end: fn(&Stmt) -> bool) -> Vec<u32> {
    let inner = block.iter().flat_map(blocks);
    let mut found: Vec<u32> = inner.flat_map(|inner| ends_behind(inner, load, is_end)).collect();
    if let Some(last) = block.last()
        && is_end(last)
        && last.origin != Origin::NONE
        && Some(last.origin.0) > load
    {
        found.push(last.origin.0);
    }
    found
}

/// The list of statements that the one of a kind at an offset ends.
fn list_with_end(block: &mut Block, offset: u32, is_end: fn(&Stmt) -> bool) -> Option<&mut Block> {
    if block.last().is_some_and(|last| is_end(last) && last.origin == Origin(offset)) {
        return Some(block);
    }
    block.iter_mut().flat_map(blocks_mut).find_map(|inner| list_with_end(inner, offset, is_end))
}

/// Puts what never runs beside the value of the first statement behind an instruction that has one; says whether there is
/// such a statement.
pub(super) fn keep_beside_value(block: &mut Block, load: Option<u32>, kept: Vec<Expr>) -> bool {
    let mut kept = Some(kept);
    keep_beside_first(block, load, &mut kept);
    kept.is_none()
}

fn keep_beside_first(block: &mut Block, load: Option<u32>, kept: &mut Option<Vec<Expr>>) {
    for statement in block {
        if statement.origin != Origin::NONE && Some(statement.origin.0) >= load {
            keep_beside(statement, kept);
        }
        blocks_mut(statement).for_each(|inner| keep_beside_first(inner, load, kept));
        if kept.is_none() {
            return;
        }
    }
}
