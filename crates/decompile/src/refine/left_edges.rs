//! What statements and expressions begin with.

use std::collections::VecDeque;

use depyf_bytecode::{Instruction, Op};
use depyf_syntax::ast::{Expr, ExprKind, Literal, Origin, Stmt, StmtKind, UnaryOp};

use super::indentation::{Columns, ELIF, ELSE, NOT, Place};
use super::open_arms::may_be_two;
use super::operands::is_not;
use crate::flow::instructions_before;
use crate::visit::blocks;

/// So many statements of a block are asked for its column, and so many blocks of a function for how deep they are.
const MOST_OF_BLOCK: usize = 8;
const MOST_BLOCKS: usize = 64;

/// By how much people indent blocks.
pub(super) const STEPS: [u32; 3] = [2, 4, 8];

impl Columns<'_> {
    /// Whether a statement stands where its column seems to be: it begins with a name, or with a word that has a place of its
    /// own, and no parenthesis.
    pub(super) fn is_exact(&self, stmt: &Stmt) -> bool {
        let begins_with_name = |expr: &Expr| {
            let mut edge = std::iter::successors(Some(expr), |expr| left_operand(expr));
            edge.all(|expr| {
                matches!(
                    expr.kind,
                    ExprKind::Name(_)
                        | ExprKind::Attribute { .. }
                        | ExprKind::Subscript { .. }
                        | ExprKind::Call(_)
                )
            })
        };
        let is_known = match &stmt.kind {
            StmtKind::Expr(value) => begins_with_name(value),
            StmtKind::Assign { targets, .. } => targets.first().is_some_and(begins_with_name),
            StmtKind::AugAssign { target, .. } => begins_with_name(target),
            StmtKind::For { target, .. } => begins_with_name(target),
            // The place of the whole, or that of a constant.
            StmtKind::Return(Some(value)) => {
                let is_whole = || self.behind_word(stmt).is_some_and(|(word, _)| word.is_empty());
                matches!(value.kind, ExprKind::Literal(_)) || is_whole()
            }
            StmtKind::Raise { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Import { .. }
            | StmtKind::ImportFrom { .. }
            | StmtKind::Try(_) => true,
            _ => false,
        };
        is_known && self.of_statement(stmt).is_some()
    }

    /// The column of a block, if no parenthesis can hide it.
    pub(super) fn exact(&self, block: &[Stmt]) -> Option<u32> {
        let known = block.iter().take(MOST_OF_BLOCK).find(|stmt| self.is_exact(stmt))?;
        self.of_statement(known)
    }

    /// By how much blocks are deeper than what is around them, in the first of a function that tells.
    pub(super) fn any_step(&self, block: &[Stmt]) -> Option<u32> {
        let mut queue = VecDeque::from([block]);
        for _ in 0..MOST_BLOCKS {
            let block = queue.pop_front()?;
            if let found @ Some(_) = self.step(block) {
                return found;
            }
            queue.extend(block.iter().flat_map(blocks).take(MOST_BLOCKS).map(Vec::as_slice));
        }
        None
    }

    /// By how much the blocks in one are deeper than that, at least. Of an `if` whose test is an `and`, which may be two, nothing
    /// is known.
    pub(super) fn step(&self, block: &[Stmt]) -> Option<u32> {
        let own = self.exact(block)?;
        let is_one = |stmt: &&Stmt| !may_be_two(stmt) && !matches!(stmt.kind, StmtKind::Match { .. });
        let inner = block.iter().take(MOST_OF_BLOCK).filter(is_one).flat_map(blocks);
        inner.filter_map(|inner| self.exact(inner)?.checked_sub(own).filter(|&step| step > 0)).min()
    }

    /// Whether the second of the names that a statement assigns stands where it does if the first stands at a column: where one
    /// instruction stores both, it may have the place of the second.
    pub(super) fn begins_targets(&self, stmt: &Stmt, column: u32) -> bool {
        let StmtKind::Assign { targets, .. } = &stmt.kind else { return false };
        let Some(ExprKind::Tuple(items)) = targets.first().map(|first| &first.kind) else { return false };
        let [Expr { kind: ExprKind::Name(first), .. }, second, ..] = &items[..] else { return false };
        let second = self.place(second.origin).and_then(|(_, second)| second.checked_sub(column));
        second.is_some_and(|second| second as usize == first.as_wtf8().len() + ", ".len())
    }

    /// Where a `try` stands: what is left of it does nothing, and stands where the whole statement does. One that its body begins
    /// with comes behind it.
    pub(super) fn of_try(&self, stmt: &Stmt) -> Option<Place> {
        fn within(stmt: &Stmt) -> Option<&Stmt> {
            match &stmt.kind {
                StmtKind::Try(parts) => parts.body.first(),
                StmtKind::While { body, .. } => body.first(),
                _ => None,
            }
        }
        let is_try = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Try(_));
        let inner = std::iter::successors(within(stmt), |stmt| within(stmt)).filter(is_try);
        let inner = inner.take_while(|inner| inner.origin == stmt.origin).count();
        let mut tries = self.idle_before(stmt.origin).filter(|found| found.width == 0);
        let found = tries.nth(inner)?;
        Some((found.line?, found.column?))
    }

    /// Where the test of an endless loop stands, which has this origin, or none, and is a constant: what is left of it does nothing.
    pub(super) fn of_endless(&self, test: &Expr, origin: Origin, body: &[Stmt]) -> Option<Place> {
        let ExprKind::Literal(constant) = &test.kind else { return None };
        let width = if matches!(constant, Literal::Bool(_)) { "True" } else { "1" }.len();
        let is_test = |found: &&Instruction| found.op == Op::Nop && usize::from(found.width) == width;
        let start = if origin == Origin::NONE { first_origin(body.first()?) } else { origin };
        let at_start = self.instruction(origin).filter(is_test);
        let found = at_start.or_else(|| self.idle_before(start).find(is_test))?;
        Some((found.line?, found.column?))
    }

    /// The operations in front of an origin's instruction that do nothing, the last one first. What marks a call may stand
    /// between (to 3.12).
    fn idle_before(&self, origin: Origin) -> impl Iterator<Item = &Instruction> {
        let known = if origin == Origin::NONE { 0 } else { instructions_before(self.function, origin.0) };
        let before = self.function.instructions[..known].iter().rev();
        before.skip_while(|found| found.op == Op::PushNull).take_while(|found| found.op == Op::Nop)
    }

    /// Whether the test of an `if` stands behind an `elif` at a column, and behind a parenthesis perhaps.
    pub(super) fn is_elif(&self, stmt: &Stmt, column: Option<u32>) -> bool {
        let (Some(column), StmtKind::If { test, .. }) = (column, &stmt.kind) else { return false };
        if let Some(found) = self.of_statement(stmt) {
            return (column + ELSE..=column + ELSE + 1).contains(&found);
        }
        // Nothing else stands there, be it the `not` of the source or not, and with a parenthesis behind that.
        let behind = column + ELIF;
        let is_behind =
            |(_, begin): Place| begin == behind || (behind + NOT..=behind + NOT + 1).contains(&begin);
        let in_front = if is_not(test) { 0 } else { NOT };
        not_in_front(test).is_some()
            && self.operand_start(test).is_some_and(|(line, begin)| is_behind((line, begin + in_front)))
    }

    /// Where a test begins that stands behind a word. The jump behind an operand of it may have the place of the statement
    /// (CPython 3.11, `compiler_jump_if`), which begins as far in front of the operand as the word is long.
    pub(super) fn start_of_test(&self, test: &Expr, word: &str) -> Option<Place> {
        let (line, column) = self.start(test)?;
        // That is all there is to a test which needs no parentheses.
        if matches!(test.kind, ExprKind::Named { .. }) {
            return Some((line, column + 1));
        }
        let mut operand = test;
        while let ExprKind::Bool { values, .. } = &operand.kind {
            operand = values.first()?;
        }
        if std::ptr::eq(operand, test) {
            return Some((line, column));
        }
        let word = word.len() as u32;
        match self.start(operand) {
            // With a parenthesis or two behind the word, which an `elif` has as well.
            Some((same, begin)) if same == line => Some(match begin.saturating_sub(column) {
                far if (word..ELSE + word).contains(&far) => (line, column + word),
                far if (ELSE + word..=2 * ELSE + word).contains(&far) => (line, column + word + ELSE),
                _ => (line, column),
            }),
            Some(_) => Some((line, column + word)),
            None => Some((line, column)),
        }
    }
}

/// The origin of what a statement begins with, as far as it is known.
fn first_origin(stmt: &Stmt) -> Origin {
    let first = match &stmt.kind {
        StmtKind::Expr(value) | StmtKind::Assign { value, .. } => value,
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => test,
        StmtKind::For { iter, .. } => iter,
        StmtKind::With { items, .. } => match items.first() {
            Some(item) => &item.context,
            None => return stmt.origin,
        },
        _ => return stmt.origin,
    };
    let edge = std::iter::successors(Some(first), |expr| left_operand(expr));
    edge.map(|expr| expr.origin).filter(|&origin| origin != Origin::NONE).min().unwrap_or(stmt.origin)
}

/// What the targets of an assignment begin with: without parentheses a tuple of them begins where its first item does, unless an
/// instruction stores another one as well and has the place of that.
pub(super) fn first_target(target: &Expr) -> Option<&Expr> {
    match &target.kind {
        ExprKind::Tuple(items) => {
            let (first, others) = items.split_first()?;
            let is_alone = others.iter().all(|other| other.origin != first.origin);
            is_alone.then(|| first_target(first)).flatten()
        }
        _ => Some(target),
    }
}

/// What an expression begins with, if that is an expression as well.
pub(super) fn left_operand(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Attribute { value: first, .. }
        | ExprKind::Subscript { value: first, .. }
        | ExprKind::Binary { left: first, .. }
        | ExprKind::Compare { left: first, .. }
        | ExprKind::IfExp { body: first, .. } => Some(first),
        ExprKind::Call(call) => Some(&call.func),
        ExprKind::Bool { values, .. } => values.first(),
        _ => None,
    }
}

/// What the `not` that a test begins with negates.
pub(super) fn not_in_front(test: &Expr) -> Option<&Expr> {
    let mut edge = std::iter::successors(Some(test), |expr| left_operand(expr));
    edge.find_map(|expr| match &expr.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } => Some(&**operand),
        _ => None,
    })
}
