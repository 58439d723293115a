//! Pass: an `if` in an `if` is two statements, and so is one in a case with a guard.
//!
//! Where nothing else is in the body of the outer one, and neither has an `else`, both tests are to the bytecode what `and`
//! joins. But a statement stands deeper than the one that it is in, and its body is deeper by as much. In the last case of a
//! `match` it stands where the bodies of the others do, or twice as deep in the whole.
//!
//! Needs: statements stand as deep as their columns say; columns (3.11 and later), without which nothing changes.
//! Establishes: operands of `and` are the tests of statements in each other where they stand as those do.
//!
//! Example: of `if a and b: c()` with `a` at column 3 of a line, `b` at 7 of the next and `c` at 8 of the one below, `b` is the
//! test of an `if` in `if a`.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, BoolOp, Expr, ExprKind, MatchCase, Stmt, StmtKind};

use super::indentation::{Columns, ELIF, IF, Place};
use super::left_edges::STEPS;
use super::named_none::{RETURN, returns_none};
use super::open_arms::{elif, may_be_two};
use crate::visit::{each_block, holds_blocks};

/// How deep a statement may stand (MAXINDENT of CPython's `Parser/lexer/state.h`).
const DEEPEST: usize = 100;

/// So many parentheses that it does not need may stand in front of an operand.
const MOST_HIDDEN: u32 = 2;

/// So many `elif`s of an `if` are looked at.
const MOST_ELIFS: usize = 64;

/// By how much people indent blocks mostly.
const USUAL_STEP: u32 = 4;

/// See the module.
pub(crate) fn nest_tests(block: &mut Block, function: &Function) {
    if let Some(columns) = Columns::of(function) {
        let step = columns.any_step(block);
        nest(block, None, step, &columns);
    }
}

/// Where an `if` stands.
#[derive(Clone, Copy)]
struct Head {
    /// Its column, which is that of its `elif`s.
    column: Option<u32>,
    /// Whether no parenthesis can hide that column.
    is_exact: bool,
    /// By how much a block is deeper than what is around it.
    step: Option<u32>,
    /// The column of what is in the arm in front, if it is an `elif`.
    arm: Option<u32>,
    /// How long the word is that its test stands behind.
    keyword: u32,
}

/// Goes through a block, which is in a statement at a column. Others are a step deeper than what is around them, if that is
/// known.
fn nest(block: &mut Block, around: Option<u32>, step: Option<u32>, columns: &Columns<'_>) {
    if !block.iter().any(holds_blocks) {
        return;
    }
    // Most blocks have no test to ask for.
    let exact = if block.iter().any(has_and) { columns.exact(block) } else { None };
    let (column, is_exact) = (exact.or_else(|| columns.of_block(block)), exact.is_some());
    let own = column.zip(around).and_then(|(column, around)| column.checked_sub(around));
    let step = step.or(own.filter(|own| STEPS.contains(own)));
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::If { .. } => {
                nest_if(stmt, Head { column, is_exact, step, arm: None, keyword: IF }, columns);
            }
            StmtKind::Match { cases, .. } => nest_cases(cases, column, columns),
            _ => each_block(stmt, |inner| nest(inner, column, step, columns)),
        }
    }
}

/// Whether a statement is an `if` whose test, or that of its last `elif`, is an `and`. Of a long row of them that is not asked.
fn has_and(stmt: &Stmt) -> bool {
    fn next(stmt: &Stmt) -> Option<&Stmt> {
        match &stmt.kind {
            StmtKind::If { orelse, .. } => elif(orelse),
            _ => None,
        }
    }
    let row = std::iter::successors(Some(stmt), |stmt| next(stmt));
    row.take(MOST_ELIFS).last().is_none_or(may_be_two)
}

/// Goes through an `if` and its `elif`s.
fn nest_if(mut stmt: &mut Stmt, mut head: Head, columns: &Columns<'_>) {
    while let StmtKind::If { test, body, orelse } = &mut stmt.kind {
        nest(body, head.column, head.step, columns);
        if orelse.is_empty() {
            let heads = heads(test, body, head, columns);
            return heads.into_iter().for_each(|head| split(test, body, head));
        }
        if !matches!(orelse.as_slice(), [next] if columns.is_elif(next, head.column)) {
            return nest(orelse, head.column, head.step, columns);
        }
        head.keyword = ELIF;
        head.arm = columns.exact(body).or(head.arm).or_else(|| columns.of_block(body));
        stmt = &mut orelse[0];
    }
}

/// Goes through the cases of a `match` at a column. Only behind the last one a guard leads to where a test in it does.
fn nest_cases(cases: &mut [MatchCase], column: Option<u32>, columns: &Columns<'_>) {
    // The bodies have a column for themselves.
    cases.iter_mut().for_each(|case| nest(&mut case.body, None, None, columns));
    let Some((last, others)) = cases.split_last_mut() else { return };
    let (Some(guard), Some(inner)) = (&mut last.guard, columns.of_block(&last.body)) else { return };
    let known = others.iter().find_map(|case| columns.of_block(&case.body));
    let is_in_case = |own: u32, step: u32| match (known, column) {
        (Some(known), _) => own == known,
        (None, Some(column)) => own == column + 2 * step,
        // Nothing else stands where the `match` does: what is in it is as many steps deep as there are statements around.
        (None, None) => step > 1 && own.is_multiple_of(step),
    };
    // A body that begins on the line of its test does not tell how deep that is.
    let line = last.body.first().and_then(|stmt| columns.line(stmt));
    let heads = match head_on_line(guard, line, columns) {
        Some((head, own)) => {
            let is_deeper = |column: u32| {
                own.checked_sub(column).is_some_and(|deeper| deeper > 0 && deeper.is_multiple_of(2))
            };
            let is_in_case = known.map_or_else(|| is_deeper(column.unwrap_or(0)), |known| own == known);
            if is_in_case { vec![head] } else { Vec::new() }
        }
        None => guard_heads(guard, inner, is_in_case, columns),
    };
    for head in heads {
        split(guard, &mut last.body, head);
    }
}

/// The operand of a guard that is the first on the line on which the body begins, if others lie above, with the column of an
/// `if` in front of it.
fn head_on_line(guard: &Expr, line: Option<u32>, columns: &Columns<'_>) -> Option<(usize, u32)> {
    let ExprKind::Bool { op: BoolOp::And, values } = &guard.kind else { return None };
    let place = |at: usize| columns.operand_start_of(BoolOp::And, &values[at]);
    let is_on_line = |&at: &usize| place(at).is_some_and(|(own, _)| Some(own) == line);
    let head = (1..values.len()).rev().take_while(is_on_line).last()?;
    // Alone in a test it needs no parentheses.
    let is_alone = head + 1 == values.len() && matches!(values[head].kind, ExprKind::Bool { .. });
    let own = (place(head)?.1 + u32::from(is_alone)).checked_sub(IF)?;
    (place(head - 1)?.0 < line?).then_some((head, own))
}

/// Of the operands of a guard, those that are the first of a test in the case, where statements stand at a column, the last
/// one first. `is_in_case` tells whether what is deeper by a step than what it is in may stand right in the case.
fn guard_heads(
    guard: &Expr,
    mut inner: u32,
    is_in_case: impl Fn(u32, u32) -> bool,
    columns: &Columns<'_>,
) -> Vec<usize> {
    let ExprKind::Bool { op: BoolOp::And, values } = &guard.kind else { return Vec::new() };
    let places: Vec<Option<Place>> =
        values.iter().map(|value| columns.operand_start_of(BoolOp::And, value)).collect();
    let mut found: Vec<usize> = Vec::new();
    let mut step = None;
    for at in (1..values.len()).rev() {
        let (Some((above, _)), Some((line, column))) = (places[at - 1], places[at]) else {
            return Vec::new();
        };
        if above >= line {
            continue;
        }
        // Alone in a test it needs no parentheses.
        let next = found.last().copied().unwrap_or(values.len());
        let is_alone = at + 1 == next && matches!(values[at].kind, ExprKind::Bool { .. });
        let is_indented = |own: &u32| *own < inner && step.is_none_or(|step| step == inner - own);
        let own = (column + u32::from(is_alone)).checked_sub(IF);
        let Some(own) = own.filter(is_indented) else { return Vec::new() };
        found.push(at);
        // Operands on more lines than a statement can be deep are those of one test.
        if found.len() > DEEPEST {
            return Vec::new();
        }
        let deeper = inner - own;
        if is_in_case(own, deeper) {
            return found;
        }
        (step, inner) = (Some(deeper), own);
    }
    Vec::new()
}

/// Of the operands of a test, those that are the first of a test of their own, the last one first.
fn heads(test: &Expr, body: &Block, head: Head, columns: &Columns<'_>) -> Vec<usize> {
    let ExprKind::Bool { op: BoolOp::And, values } = &test.kind else { return Vec::new() };
    let operands: Vec<Operand<'_>> = values.iter().map(|value| Operand::of(value, columns)).collect();
    let is_below = |&at: &usize| match (operands[at - 1].place, operands[at].place) {
        (Some((above, _)), Some((line, _))) => above < line,
        _ => false,
    };
    let below: Vec<usize> = (1..values.len()).filter(is_below).collect();
    // Operands on more lines than a statement can be deep are those of one test.
    if !(1..=DEEPEST).contains(&below.len()) {
        return Vec::new();
    }
    let Some(inner) = columns.of_block(body) else { return Vec::new() };
    // A None that a `return` names may be taken for what ends the function.
    let named = if body.first().is_some_and(returns_none) { inner.checked_sub(RETURN) } else { None };
    let mut best: Option<(u32, Vec<usize>)> = None;
    for (column, hidden) in head.columns(&operands[0]) {
        for depth in [Some(inner), named].into_iter().flatten().filter_map(|inner| inner.checked_sub(column))
        {
            for tests in (1..=below.len() as u32 + 1).filter(|&tests| depth.is_multiple_of(tests)) {
                let step = depth / tests;
                let inner = (1..tests).map(|level| column + level * step);
                if !head.may_be_step(column, step, tests) {
                    continue;
                }
                let Some((more, heads)) = behind_columns(inner, &operands, &below) else { continue };
                let hidden = hidden + more;
                let is_known = head.step.is_some() || hidden == 0 || hidden == 1 && step == USUAL_STEP;
                if is_known && best.as_ref().is_none_or(|best| hidden < best.0) {
                    best = Some((hidden, heads));
                }
            }
        }
    }
    best.map(|(_, heads)| heads.into_iter().rev().collect()).unwrap_or_default()
}

/// Those of the operands below others that stand behind an `if` at each of some columns, one after the other, and how many
/// parentheses that they do not need are in front of them.
fn behind_columns(
    columns: impl Iterator<Item = u32>,
    operands: &[Operand<'_>],
    mut below: &[usize],
) -> Option<(u32, Vec<usize>)> {
    let mut found = (0, Vec::new());
    for column in columns {
        let fits = below
            .iter()
            .enumerate()
            .filter_map(|(skipped, &at)| operands[at].hidden(IF, column).map(|hidden| (hidden, skipped, at)));
        let (hidden, skipped, at) = fits.min()?;
        below = &below[skipped + 1..];
        found.0 += hidden;
        found.1.push(at);
    }
    Some(found)
}

/// An operand of `and`.
struct Operand<'a> {
    expr: &'a Expr,
    /// Where it begins, with the parentheses that it needs there.
    place: Option<Place>,
}

impl<'a> Operand<'a> {
    fn of(expr: &'a Expr, columns: &Columns<'_>) -> Self {
        Self { expr, place: columns.operand_start_of(BoolOp::And, expr) }
    }

    /// How many parentheses that it does not need stand in front of it if it stands behind a word at a column.
    fn hidden(&self, keyword: u32, column: u32) -> Option<u32> {
        let (_, begin) = self.place?;
        // Alone in a test it needs none.
        let needs = matches!(self.expr.kind, ExprKind::Bool { .. } | ExprKind::Named { .. });
        let hidden = (begin + u32::from(needs)).checked_sub(column + keyword)?;
        let hidden = hidden.saturating_sub(u32::from(needs));
        (hidden <= MOST_HIDDEN).then_some(hidden)
    }
}

impl Head {
    /// At which columns it may stand, each with how many parentheses that its first operand does not need are behind it.
    fn columns(self, first: &Operand<'_>) -> Vec<(u32, u32)> {
        let of = |column: u32| first.hidden(self.keyword, column).map(|hidden| (column, hidden));
        if self.is_exact || self.arm.is_some() {
            return self.column.and_then(of).into_iter().collect();
        }
        let Some(begin) = first.place.and_then(|(_, begin)| (begin + 1).checked_sub(self.keyword)) else {
            return Vec::new();
        };
        (begin.saturating_sub(MOST_HIDDEN + 1)..=begin).rev().filter_map(of).collect()
    }

    /// Whether blocks may be a step deeper than what is around them if it stands at a column and has so many tests.
    fn may_be_step(self, column: u32, step: u32, tests: u32) -> bool {
        match (self.arm, self.step) {
            (Some(arm), _) => arm == column + step,
            (None, Some(known)) => step == known,
            // Whether it has one test or more is not known.
            (None, None) => step >= STEPS[0] && tests > 1,
        }
    }
}

/// Makes the operands of `and` from one on the test of a statement in the body.
fn split(test: &mut Expr, body: &mut Block, head: usize) {
    let ExprKind::Bool { values, .. } = &test.kind else { return };
    let Some(origin) = values.last().map(|last| last.origin) else { return };
    let Some(inner) = split_bool(test, BoolOp::And, head) else { return };
    let inner = StmtKind::If { test: inner, body: std::mem::take(body), orelse: Vec::new() };
    body.push(Stmt::new(origin, inner));
}

/// Leaves a test the operands of its `and` or `or` in front of one, of which there are some, and returns what that makes of the
/// rest.
pub(super) fn split_bool(test: &mut Expr, wanted: BoolOp, at: usize) -> Option<Expr> {
    let origin = test.origin;
    let values = match &mut test.kind {
        ExprKind::Bool { op, values } if *op == wanted => values,
        _ => return None,
    };
    let of = |mut values: Vec<Expr>| match values.len() {
        1 => values.pop(),
        0 => None,
        _ => Some(Expr::new(origin, ExprKind::Bool { op: wanted, values })),
    };
    let inner = values.split_off(at);
    let outer = of(std::mem::take(values))?;
    *test = outer;
    of(inner)
}
