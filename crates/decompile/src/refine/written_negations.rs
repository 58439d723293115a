//! Pass: tests are negated where the source has a `not`.
//!
//! `not (a and b)` and `not a or not b` are the same tests and jumps. But ` or not ` is longer than ` and `, and columns
//! say how long that is which stands between two operands.
//!
//! Needs: tests are spelled, and each statement has its own; columns (3.11 and later), without which nothing changes.
//! Establishes: between operands on one line stands as much as columns say.
//!
//! Example: `if not a or not b` with `a` at column 8 and `b` at 14 becomes `if not (a and b)`.

use depyf_bytecode::Function;
use depyf_syntax::ast::{Block, BoolOp, Expr, ExprKind, Origin, UnaryOp};

use super::indentation::{Columns, NOT};
use super::negated_tests::each_test;
use super::operands::{between, inner, is_not, word};
use crate::flow::Contents;
use crate::names::{compares_with_none, unary};

/// So many parentheses more than an operand needs may stand around it.
const PARENTHESES: u32 = 2;

/// See the module.
pub(crate) fn negate_by_columns(block: &mut Block, function: &Function, contents: Contents) {
    if let Some(columns) = Columns::of(function) {
        let places = Places { columns, turns: function.features.negates_comparisons };
        each_test(block, contents, &|test| places.negate(test));
    }
}

/// What columns say of two operands that stand next to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// What joins them is what was written.
    AsIs,
    /// Their negations were joined.
    Negated,
    /// The one or the other: people negate all at once rather than each.
    Either,
    Unknown,
}

/// Where operands stand.
struct Places<'a> {
    columns: Columns<'a>,
    /// Whether the compiler turns comparisons: then no `not` of the source stands in front of one.
    turns: bool,
}

impl Places<'_> {
    /// Negates the parts of a test that stand behind a `not`.
    fn negate(&self, test: &mut Expr) {
        match &mut test.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                self.negate(operand);
                if is_not(operand) {
                    *test = not(std::mem::replace(&mut **operand, Expr::name("_")));
                } else if let ExprKind::Bool { op, values } = &operand.kind
                    && values.iter().any(is_not)
                {
                    // A part may be what the source negates, instead of the whole. Its operands have been looked at.
                    let values = values.iter().cloned().map(not).collect();
                    let other = self.joined_by_columns(op.other(), values, operand.origin);
                    if nots(&other) < nots(test) {
                        *test = other;
                    }
                }
            }
            ExprKind::Bool { op, values } => {
                values.iter_mut().for_each(|value| self.negate(value));
                *test = self.joined_by_columns(*op, std::mem::take(values), test.origin);
            }
            _ => {}
        }
    }

    /// Joins operands, of which those in a row stand behind one `not` that were written so.
    fn joined_by_columns(&self, op: BoolOp, values: Vec<Expr>, origin: Origin) -> Expr {
        let values = parts(op, values);
        let mut pairs: Vec<Written> = values.windows(2).map(|pair| self.written(op, pair)).collect();
        let are_nots = values.iter().all(is_not);
        let either = if are_nots { Written::Negated } else { Written::AsIs };
        pairs.iter_mut().filter(|pair| **pair == Written::Either).for_each(|pair| *pair = either);
        if !pairs.contains(&Written::Negated) {
            return joined(op, values, origin);
        }
        // One `not` stands in front of what is on several lines.
        if are_nots && !pairs.contains(&Written::AsIs) {
            pairs.fill(Written::Negated);
        }
        join(op, values, &pairs, origin)
    }

    /// How operands of an operator that follow each other were joined.
    fn written(&self, op: BoolOp, pair: &[Expr]) -> Written {
        let [first, second] = pair else { return Written::Unknown };
        let (Some((line, end)), Some((below, begin))) =
            (self.columns.operand_end(first), self.columns.operand_start(second))
        else {
            return Written::Unknown;
        };
        if line + 1 == below {
            return self.written_below(op, [first, second]);
        }
        let Some(length) = begin.checked_sub(end).filter(|_| line == below) else { return Written::Unknown };
        let as_is = between(op, [first, second].map(|operand| (operand, is_not(operand))));
        let negated = [first, second].map(|operand| Some((operand, self.is_not_negated(operand)?)));
        let negated = match negated {
            [Some(first), Some(second)] => Some(between(op.other(), [first, second])),
            _ => None,
        };
        let is_near = |least: u32| (least..=least + PARENTHESES).contains(&length);
        let near = (is_near(as_is), negated.is_some_and(is_near));
        match near {
            _ if length == as_is => Written::AsIs,
            _ if Some(length) == negated => Written::Negated,
            (true, false) => Written::AsIs,
            (false, true) => Written::Negated,
            _ => Written::Unknown,
        }
    }

    /// The same of operands on lines one below the other. The word stands behind the first one, and the second begins where
    /// that does, or it stands in front of the second.
    fn written_below(&self, op: BoolOp, [first, second]: [&Expr; 2]) -> Written {
        let (Some((_, above)), Some((_, begin))) =
            (self.columns.operand_start(first), self.columns.operand_start(second))
        else {
            return Written::Unknown;
        };
        let fits = |op: BoolOp, [first, second]: [bool; 2]| {
            let [in_front, behind] = [first, second].map(|is_not| if is_not { NOT } else { 0 });
            [0, word(op)].contains(&(begin + in_front).wrapping_sub(above + behind))
        };
        let nots = [first, second].map(is_not);
        // One `not` in front of both is one or two less.
        let is_less = nots.contains(&true)
            && [first, second].iter().all(|operand| self.is_not_negated(operand) == Some(false));
        match (fits(op, nots), is_less && fits(op.other(), [false; 2])) {
            (true, false) => Written::AsIs,
            (false, true) => Written::Negated,
            // People indent by even numbers: then a parenthesis is between the `not` and both.
            (true, true) if above.is_multiple_of(2) => Written::Either,
            (true, true) => Written::AsIs,
            (false, false) => Written::Unknown,
        }
    }

    /// Whether the negation of an operand has a `not` in front. None if the compiler makes another test of it.
    fn is_not_negated(&self, operand: &Expr) -> Option<bool> {
        match compares_with_none(inner(operand)) {
            Some(true) => Some(is_not(operand)),
            Some(false) if self.turns => None,
            _ => Some(!is_not(operand)),
        }
    }
}

/// Joins the negations of those operands in a row that were written so.
fn join(op: BoolOp, values: Vec<Expr>, pairs: &[Written], origin: Origin) -> Expr {
    let mut values = values.into_iter();
    let mut rows: Vec<Vec<Expr>> = vec![values.next().into_iter().collect()];
    for (value, written) in values.zip(pairs) {
        match rows.last_mut() {
            Some(row) if *written == Written::Negated => row.push(value),
            _ => rows.push(vec![value]),
        }
    }
    let rows = rows.into_iter().map(|row| match row.len() {
        1 => joined(op, row, origin),
        _ => not(joined(op.other(), parts(op.other(), row.into_iter().map(not).collect()), origin)),
    });
    joined(op, parts(op, rows.collect()), origin)
}

/// How many `not`s a test has, but for those in operands of other operators.
fn nots(test: &Expr) -> usize {
    match &test.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => 1 + nots(operand),
        ExprKind::Bool { values, .. } => values.iter().map(nots).sum(),
        _ => 0,
    }
}

/// What an operator makes of operands, or the only one.
fn joined(op: BoolOp, mut values: Vec<Expr>, origin: Origin) -> Expr {
    match values.pop() {
        Some(only) if values.is_empty() => only,
        last => {
            values.extend(last);
            Expr::new(origin, ExprKind::Bool { op, values })
        }
    }
}

/// Operands of an operator, of which those that it joins itself are several.
fn parts(op: BoolOp, values: Vec<Expr>) -> Vec<Expr> {
    let is_part = |value: &Expr| matches!(&value.kind, ExprKind::Bool { op: inner, .. } if *inner == op);
    if !values.iter().any(is_part) {
        return values;
    }
    let parts = |value: Expr| match value.kind {
        ExprKind::Bool { op: inner, values } if inner == op => values,
        _ => vec![value],
    };
    values.into_iter().flat_map(parts).collect()
}

/// An expression with a `not` more, or one less.
fn not(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => *operand,
        _ => Expr::new(expr.origin, unary(UnaryOp::Not, expr)),
    }
}
