//! Pass: statements stand as deep as the columns of the line table say.
//!
//! Behind a `try` whose handlers all leave, an `else` and what follows the statement are the same to the bytecode; so
//! they are behind an `if` whose body leaves, behind a loop without `break`, and in a case of a `match` where all others
//! leave. The column that a statement begins at tells them apart: all statements of a block begin at one.
//!
//! Needs: the structure, with all `return` and `continue` that may be implied; columns (3.11 and later), without which
//! nothing changes. Establishes: where a statement could stand behind another or as well in one of its arms, it stands
//! where statements of its column do.
//!
//! Example: of `try: a()`, `except E: return`, `b()` with `b` as deep as `a`, the last becomes `else: b()`.

use std::collections::VecDeque;

use depyf_bytecode::{CodeObject, CommonConst, Function, Instruction, Op};
use depyf_syntax::ast::{Block, Expr, ExprKind, Origin, Stmt, StmtKind, UnaryOp};

use super::left_edges::{first_target, left_operand, not_in_front};
use super::open_arms::{
    begins_at_its_column, drop_empty_default, elif, holds_handled, is_if, is_turned, leaves_at_once,
    leaves_by_word, leaves_itself, leaving_arms, may_be_two, may_change, offer_default, open_arm,
};
use crate::flow::{instruction_at, instructions_before};
use crate::scope::is_expression;
use crate::structure::leaves;
use crate::visit::{blocks, each_block, holds_blocks};

/// See the module.
pub(crate) fn indent_by_columns(block: &mut Block, code: &CodeObject, function: &Function) {
    // What was an expression, or the annotations of a body, has no statements that stand anywhere.
    if !is_expression(code)
        && let Some(columns) = Columns::of(function)
    {
        let columns = Columns { known_step: columns.any_step(block), ..columns };
        columns.indent(block, None);
    }
}

/// What the line table says of columns.
pub(super) struct Columns<'a> {
    pub(super) function: &'a Function,
    /// By how much blocks are deeper than what is around them, where that was looked for.
    known_step: Option<u32>,
}

/// By how much `elif` is longer than `if`.
pub(super) const ELSE: u32 = 2;
pub(super) const IF: u32 = "if ".len() as u32;
pub(super) const ELIF: u32 = "elif ".len() as u32;
pub(super) const NOT: u32 = "not ".len() as u32;

/// So many instructions of a test are looked at, for what lies behind it.
const MOST_OF_TEST: usize = 1 << 12;

/// So many instructions are looked at in front of a `break`: it drops a value, and may return None.
const MOST_OF_BREAK: usize = 4;

/// A line, and a column in it: in the order of the source.
pub(super) type Place = (u32, u32);

/// Where one statement stands with regard to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// As deep as the arms of the other.
    Inside,
    /// As deep as the other.
    Outside,
}

/// Most blocks hold no more statements.
const USUAL_LENGTH: usize = 8;

/// How deep the last of the statements stand that come next in a block, with regard to arms at a column.
struct Seen {
    /// The column of the statement with the arms.
    column: Option<u32>,
    /// The column of what its arms hold.
    inner: u32,
    /// How many the last ones are, in front of which none stands in the arms. `None`, if the very last one stands there,
    /// and so all do.
    outside: Option<usize>,
}

impl<'a> Columns<'a> {
    /// The columns of a function, if its line table has any.
    pub(super) fn of(function: &'a Function) -> Option<Self> {
        let are_known = function.instructions.iter().any(|instruction| instruction.column.is_some());
        are_known.then_some(Self { function, known_step: None })
    }

    /// Moves statements within a block. It stands at the column that its own statements tell, unless `around` says
    /// what counts in its place.
    fn indent(&self, block: &mut Block, around: Option<Option<u32>>) {
        if block.iter_mut().any(may_change) {
            *block = self.indented(VecDeque::from(std::mem::take(block)), around, None);
        } else {
            block.iter_mut().for_each(|stmt| each_block(stmt, |arm| self.indent(arm, None)));
        }
    }

    /// The block that statements are. `known` are the columns of a statement and of its arms such that the last of
    /// these stands in them.
    fn indented(
        &self,
        mut rest: VecDeque<Stmt>,
        around: Option<Option<u32>>,
        known: Option<(Option<u32>, u32)>,
    ) -> Block {
        let column = around.unwrap_or_else(|| self.of_block(rest.make_contiguous()));
        // Room for all may be too much: of a long row of `elif`s each moves all behind it.
        let mut block = Vec::with_capacity(rest.len().min(USUAL_LENGTH));
        let mut seen = known.map(|(column, inner)| Seen { column, inner, outside: None });
        while let Some(mut stmt) = rest.pop_front() {
            if !holds_blocks(&stmt) {
                block.push(stmt);
                continue;
            }
            offer_default(&mut stmt);
            // Nothing is moved where no arm is open, or nothing stands in it nor behind; nor asked where there is no `elif`.
            let has_elif = blocks(&stmt).any(|arm| elif(arm).is_some());
            let moves = |arm: &mut Block| !arm.is_empty() || !rest.is_empty();
            let is_open = open_arm(&mut stmt).is_some_and(moves);
            self.take_into_else(&mut stmt);
            let inner = if is_open || has_elif { self.inside(&stmt) } else { None };
            // What comes next stands deeper than the statement, and so in it.
            let deeper = || self.deeper(rest.make_contiguous(), column.filter(|_| is_open)?);
            let inner = inner.or_else(deeper);
            // What stands two deeper than an `if` is an `elif` of it, unless its arms do.
            let has_elif_behind = is_if(&stmt)
                && column.is_some_and(|column| {
                    self.known_step.is_some_and(|step| step != ELSE)
                        || inner.or_else(|| self.inside(&stmt)).is_none_or(|inner| inner != column + ELSE)
                });
            // The arms of an `elif` stand as deep as those of the `if`, and what follows it as what follows that.
            let around = |arm: &[Stmt]| {
                let is_elif = elif(arm).is_some_and(|next| self.inside(next) == inner)
                    || has_elif_behind && arm.iter().any(|next| self.is_elif(next, column));
                is_elif.then_some(column)
            };
            let mut filled = None;
            let may_take = is_open && !rest.front().is_some_and(|next| self.is_below_else(&stmt, next));
            if let Some(inner) = inner.filter(|_| may_take) {
                // What is known to stand there may be what is to be moved.
                let column = column.filter(|&column| column < inner);
                if let Some(arm) = self.take_in(&mut stmt, column, inner, &mut rest, &mut seen) {
                    let around = around(rest.make_contiguous());
                    let all = std::mem::take(&mut rest);
                    filled = Some((arm, self.indented(all, around, Some((column, inner)))));
                }
            }
            each_block(&mut stmt, |arm| match filled.take_if(|(own, _)| std::ptr::eq(*own, arm)) {
                Some((_, block)) => *arm = block,
                None => self.indent(arm, around(arm)),
            });
            let mut behind = match inner {
                Some(inner) if column.is_none_or(|column| column < inner) => {
                    self.take_out(&mut stmt, column, inner)
                }
                _ => Vec::new(),
            };
            let mut last = self.take_out_of_else(&mut stmt, column);
            drop_empty_default(&mut stmt);
            block.push(stmt);
            block.append(&mut behind);
            block.append(&mut last);
        }
        block
    }

    /// Moves what comes next into an arm of a statement, as far as it stands as deep as the arms. Those of
    /// which it was `seen` are not looked at again. Returns the arm if it is empty, and all that comes next stands there:
    /// of a long row of `elif`s each would move all behind it.
    fn take_in(
        &self,
        stmt: &mut Stmt,
        column: Option<u32>,
        inner: u32,
        rest: &mut VecDeque<Stmt>,
        seen: &mut Option<Seen>,
    ) -> Option<*const Block> {
        let known = seen.as_ref().filter(|seen| (seen.column, seen.inner) == (column, inner));
        let mut count = match known {
            Some(Seen { outside: None, .. }) => rest.len(),
            Some(&Seen { outside: Some(outside), .. }) if outside < rest.len() => return None,
            _ => 0,
        };
        let mut outside = 0;
        for (at, next) in rest.iter().enumerate().skip(count) {
            match self.depth(next, column, inner) {
                Some(Depth::Inside) => count = at + 1,
                Some(Depth::Outside) => {
                    outside = rest.len() - at;
                    break;
                }
                None => {}
            }
        }
        if holds_handled(stmt) && !rest.iter().take(count).all(leaves_at_once) {
            count = 0;
        }
        if count > 0 {
            let arm = self.last_arm(stmt, inner)?;
            if arm.is_empty() && count == rest.len() {
                return Some(arm);
            }
            arm.extend(rest.drain(..count));
        }
        *seen = Some(Seen { column, inner, outside: Some(outside) });
        None
    }

    /// Whether what comes next lies below an `else` that leaves, and so in no body above that.
    fn is_below_else(&self, stmt: &Stmt, next: &Stmt) -> bool {
        let StmtKind::If { body, orelse, .. } = &stmt.kind else { return false };
        let line = |stmt: &Stmt| self.line(stmt).or_else(|| Some(self.place(stmt.origin)?.0));
        let lines = [body.iter().find_map(line), orelse.iter().find_map(line), line(next)];
        matches!(lines, [Some(first), Some(other), Some(next)] if first < other && other < next)
            && leaves(orelse)
    }

    /// The arm of a statement, or of its last `elif`, at the end of which a statement means what it means behind.
    fn last_arm<'s>(&self, mut stmt: &'s mut Stmt, inner: u32) -> Option<&'s mut Block> {
        loop {
            let is_elif = |next: &Stmt| self.inside(next) == Some(inner);
            if !elif(open_arm(stmt)?).is_some_and(is_elif) {
                return open_arm(stmt);
            }
            stmt = open_arm(stmt)?.last_mut()?;
        }
    }

    /// Takes what stands at the end of an arm, but no deeper than the statement itself.
    fn take_out(&self, stmt: &mut Stmt, column: Option<u32>, inner: u32) -> Block {
        let is_body = matches!(&stmt.kind, StmtKind::If { body, .. } if !leaves(body));
        let is_handler = holds_handled(stmt);
        let Some(arm) = open_arm(stmt) else { return Vec::new() };
        let outside = self.first_outside(arm, column, inner);
        // A body that is empty was none.
        let stays = is_body && outside == 0 || is_handler && !arm[outside..].iter().all(leaves_at_once);
        if !stays && outside < arm.len() {
            return arm.split_off(outside);
        }
        // Whether all arms leave is asked last: of a long row of `elif`s each would look at all behind it.
        let is_if = is_if(stmt);
        let outside = |arm: &Block| {
            let outside = self.first_outside(arm, column, inner);
            Some(outside).filter(|&outside| outside < arm.len() && !(is_if && outside == 0))
        };
        if !blocks(stmt).any(|arm| outside(arm).is_some()) {
            return Vec::new();
        }
        let mut leaving = leaving_arms(stmt).into_iter();
        leaving.find_map(|arm| outside(arm).map(|at| arm.split_off(at))).unwrap_or_default()
    }

    /// How many statements of an arm stand in it. Behind what stands no deeper than the statement, nothing does.
    fn first_outside(&self, arm: &[Stmt], column: Option<u32>, inner: u32) -> usize {
        let mut outside = arm.len();
        for (at, stmt) in arm.iter().enumerate() {
            match self.depth(stmt, column, inner) {
                Some(Depth::Inside) => outside = arm.len(),
                Some(Depth::Outside) => outside = outside.min(at),
                None => {}
            }
        }
        outside
    }

    /// The column of statements, of which the first stands deeper than a column. An `elif` does not stand where others do.
    fn deeper(&self, stmts: &[Stmt], column: u32) -> Option<u32> {
        let is_deeper = |stmt: &Stmt| self.of_statement(stmt).filter(|&found| found > column);
        let first = is_deeper(stmts.first()?)?;
        let plain = stmts.iter().filter(|stmt| !self.is_elif(stmt, Some(column)));
        plain.map_while(is_deeper).next().or(Some(first))
    }

    /// Moves what ends the body of a `try`, but stands behind its handlers, into the `else`. It does nothing that they could
    /// handle.
    fn take_into_else(&self, stmt: &mut Stmt) {
        let StmtKind::Try(parts) = &mut stmt.kind else { return };
        let Some(handler) = parts.handlers.last().filter(|_| parts.orelse.is_empty() && parts.body.len() > 1)
        else {
            return;
        };
        let line = |stmt: &Stmt| self.behind_word(stmt).map(|(_, (line, _))| line);
        let matched = handler.kind.as_ref().and_then(|expr| self.start(expr)).map(|(line, _)| line);
        let handled = matched.or_else(|| handler.body.iter().find_map(line));
        let is_behind = parts.body.last().is_some_and(|last| {
            leaves_at_once(last)
                && handled.is_some_and(|handled| line(last).is_some_and(|line| line > handled))
        });
        if is_behind {
            parts.orelse.extend(parts.body.pop());
        }
    }

    /// Takes what stands at the end of the `else` of a `try`, but no deeper than the statement itself, where all handlers
    /// leave.
    fn take_out_of_else(&self, stmt: &mut Stmt, column: Option<u32>) -> Block {
        let StmtKind::Try(parts) = &mut stmt.kind else { return Vec::new() };
        let handlers_leave = parts.handlers.iter().all(|handler| leaves(&handler.body));
        if !handlers_leave || parts.handlers.is_empty() || !parts.finalbody.is_empty() {
            return Vec::new();
        }
        // Others may tell the column of the block that they do not belong to.
        let arms = || parts.handlers.iter().map(|handler| &handler.body).chain([&parts.body]);
        let inner = arms().filter_map(|arm| self.of_block(arm)).min();
        let (Some(column), Some(inner)) = (column, inner) else { return Vec::new() };
        if column >= inner {
            return Vec::new();
        }
        // What stands behind a parenthesis begins in front of where it seems to.
        let is_exact = |stmt: &Stmt| begins_at_its_column(stmt) && self.of_statement(stmt) == Some(inner);
        let is_known = arms().filter_map(|arm| arm.first()).any(is_exact);
        let is_outside = |stmt: &Stmt| {
            self.of_statement(stmt).is_some_and(|found| found == column || is_known && found < inner)
        };
        let outside = parts.orelse.iter().rposition(|stmt| !is_outside(stmt)).map_or(0, |last| last + 1);
        parts.orelse.split_off(outside)
    }

    /// Whether a statement stands as deep as one at a column, or as deep as what that one's arms hold.
    fn depth(&self, stmt: &Stmt, column: Option<u32>, inner: u32) -> Option<Depth> {
        match self.of_statement(stmt).or_else(|| self.of_negated(stmt)) {
            // A `not` in front of the test may be what the comparison was turned for.
            Some(found) if found == inner => {
                let turned = is_turned(stmt) && column.is_some_and(|column| column + NOT == found);
                let is_inside = !turned || self.inside(stmt) != Some(inner);
                return Some(if is_inside { Depth::Inside } else { Depth::Outside });
            }
            Some(found) if Some(found) == column => return Some(Depth::Outside),
            // A parenthesis stands in front of the test.
            Some(found) if is_if(stmt) && column.is_some_and(|column| column + 1 == found) => {
                return Some(Depth::Outside);
            }
            // It stands in what the arm ends with; or a parenthesis hides where the arm stands, and none what leaves by a word.
            Some(found) if found > inner && column.is_some() && leaves_itself(stmt) => {
                return Some(Depth::Inside);
            }
            Some(found) if column.is_some_and(|column| column < found) && leaves_by_word(stmt) => {
                return Some(Depth::Inside);
            }
            _ => {}
        }
        if self.is_elif(stmt, column) {
            return Some(Depth::Inside);
        }
        if column.is_some_and(|column| self.begins_targets(stmt, column)) {
            return Some(Depth::Outside);
        }
        // The other may be all that is known to stand where it does.
        let is_outside = |found: u32| found < inner;
        if column.is_none()
            && (self.behind_word(stmt).is_some_and(|(_, (_, column))| is_outside(column))
                || leaves_at_once(stmt) && self.of_statement(stmt).is_some_and(is_outside))
        {
            return Some(Depth::Outside);
        }
        // Arms of statements that stand equally deep do so as well. An `elif` is a part of the one before.
        match self.inside(stmt)? {
            found
                if (!may_be_two(stmt) || self.of_statement(stmt).is_some_and(|own| own >= inner))
                    && column.is_some_and(|column| {
                        column < inner && found - inner.min(found) == inner - column
                    }) =>
            {
                Some(Depth::Inside)
            }
            found if column.is_none() && found > inner && self.begins_below(stmt) => Some(Depth::Inside),
            found if found == inner && !matches!(stmt.kind, StmtKind::If { .. }) => Some(Depth::Outside),
            _ => None,
        }
    }

    /// Whether the body of an `if` begins on a line below its test.
    fn begins_below(&self, stmt: &Stmt) -> bool {
        let StmtKind::If { test, body, .. } = &stmt.kind else { return false };
        let mut operand = test;
        while let ExprKind::Unary { op: UnaryOp::Not, operand: inner } = &operand.kind {
            operand = inner;
        }
        let first = body.first().and_then(|first| self.behind_word(first));
        match (self.start(operand), first) {
            (Some((test, _)), Some((_, (first, _)))) => test < first,
            _ => false,
        }
    }

    /// The column of the statements in the arms of a statement. One that stands no deeper than that may not belong there, and of
    /// two `if`s at one column the second is an `elif`, as the first is.
    pub(super) fn inside(&self, stmt: &Stmt) -> Option<u32> {
        let own = self.of_statement(stmt);
        let columns = || blocks(stmt).filter_map(|arm| Some((arm, self.of_block(arm)?)));
        let is_elif =
            |arm: &Block, column: u32| is_if(stmt) && arm.first().is_some_and(is_if) && own == Some(column);
        let deeper = columns().find(|&(_, column)| own.is_none_or(|own| own < column));
        let found = deeper.or_else(|| columns().find(|&(arm, column)| !is_elif(arm, column)));
        found.map(|(_, column)| column)
    }

    /// The column of the statements of a block: that of the first where it is known. One that does not belong there
    /// comes behind another.
    pub(super) fn of_block(&self, block: &[Stmt]) -> Option<u32> {
        let known = block.iter().enumerate().find_map(|(at, stmt)| Some((at, self.of_statement(stmt)?)));
        // Whether the source has the `not` that the first begins with is not known, but that an `elif` of it follows.
        if let Some(negated) = self.of_negated(block.first()?)
            && known.is_none_or(|(_, known)| known == negated + ELSE)
        {
            return Some(negated);
        }
        let (at, known) = known?;
        // A parenthesis may hide the column of a test that has several operands.
        let is_hidden = match &block[at].kind {
            StmtKind::If { test, .. } | StmtKind::While { test, .. } => {
                matches!(test.kind, ExprKind::Bool { .. })
            }
            _ => false,
        };
        let exact = if is_hidden { self.exact(&block[at + 1..]) } else { None };
        exact.filter(|exact| (1..=2).contains(&known.saturating_sub(*exact))).or(Some(known))
    }

    /// The column of an `if` that begins with a `not`, if the source has that.
    fn of_negated(&self, stmt: &Stmt) -> Option<u32> {
        let StmtKind::If { test, .. } = &stmt.kind else { return None };
        let (_, column) = self.start(not_in_front(test)?)?;
        column.checked_sub(IF + NOT)
    }

    /// The line of what a statement begins with.
    pub(super) fn line(&self, stmt: &Stmt) -> Option<u32> {
        self.behind_word(stmt).map(|(_, (line, _))| line)
    }

    /// The column that a statement begins at.
    pub(super) fn of_statement(&self, stmt: &Stmt) -> Option<u32> {
        let (word, (_, column)) = self.behind_word(stmt)?;
        column.checked_sub(word.len() as u32)
    }

    /// The word of known length that a statement begins with, and the place of what stands behind it, where an instruction
    /// was made of that. A parenthesis between both is not known of.
    pub(super) fn behind_word(&self, stmt: &Stmt) -> Option<(&'static str, Place)> {
        Some(match &stmt.kind {
            StmtKind::Expr(value) => ("", self.start(value)?),
            StmtKind::Assign { targets, .. } => {
                let first = targets.first()?;
                ("", self.start_of_target(first).or_else(|| self.start_of_target(first_target(first)?))?)
            }
            StmtKind::AugAssign { target, .. } => ("", self.start_of_target(target)?),
            StmtKind::Delete(targets) => ("del ", self.start(targets.first()?)?),
            StmtKind::Return(Some(value)) => match (self.of_return(stmt.origin), self.start(value)) {
                (Some(whole), Some(value)) if whole < value => ("", whole),
                // What negates a value is an operation of its own, which is not looked at.
                (Some(whole), None) => ("", whole),
                (_, value) => ("return ", value?),
            },
            // A `break` out of the last loop may have become a `return`.
            StmtKind::Return(None) => {
                let word = self.word(stmt.origin, &["return", "pass"]);
                ("", word.or_else(|| self.of_break(stmt.origin))?)
            }
            StmtKind::Break => ("", self.of_break(stmt.origin)?),
            StmtKind::Continue => ("", self.word(stmt.origin, &["continue", "pass"])?),
            StmtKind::Try(_) => ("", self.of_try(stmt)?),
            StmtKind::Raise { .. } | StmtKind::Import { .. } | StmtKind::ImportFrom { .. } => {
                ("", self.place(stmt.origin)?)
            }
            StmtKind::If { test, .. } => ("if ", self.start_of_test(test, "if ")?),
            StmtKind::While { test, body, .. } => {
                let endless = || self.of_endless(test, stmt.origin, body);
                ("while ", self.start_of_test(test, "while ").or_else(endless)?)
            }
            StmtKind::Assert { test, .. } => ("", self.of_assertion(stmt.origin, test.origin)?),
            StmtKind::Function(_) | StmtKind::Class(_) => ("", self.place(stmt.origin)?),
            StmtKind::For { target, is_async, .. } => {
                (if *is_async { "async for " } else { "for " }, self.start_of_target(target)?)
            }
            StmtKind::Match { subject, .. } => ("match ", self.start(subject)?),
            StmtKind::With { items, is_async, .. } => {
                let context = self.start(&items.first()?.context)?;
                match self.place(stmt.origin) {
                    Some(whole) if whole < context => ("", whole),
                    _ => (if *is_async { "async with " } else { "with " }, context),
                }
            }
            _ => return None,
        })
    }

    /// Where a target begins: a name where it is stored, and a tuple where it is unpacked, or the first of it is stored.
    fn start_of_target(&self, target: &Expr) -> Option<Place> {
        match &target.kind {
            ExprKind::Name(_) | ExprKind::Tuple(_) => self.place(target.origin),
            _ => self.start(target),
        }
    }

    /// Where an expression begins, which is where the first of those on its left edge does.
    pub(super) fn start(&self, expr: &Expr) -> Option<Place> {
        let mut first = None;
        for expr in std::iter::successors(Some(expr), |expr| left_operand(expr)) {
            // A test may be the negation of what was written, and a string may begin in front of the only value in it. A walrus
            // begins with a parenthesis.
            match &expr.kind {
                ExprKind::Unary { op: UnaryOp::Not, .. } => return None,
                ExprKind::Joined(parts) if parts.len() == 1 => return None,
                ExprKind::Named { .. } => {
                    let (line, column) = self.place(expr.origin)?;
                    let begins = (line, column.checked_sub(1)?);
                    return Some(first.map_or(begins, |first| begins.min(first)));
                }
                _ => {}
            }
            // An instruction that stores one local and loads another has the place of the first.
            let is_behind =
                self.instruction(expr.origin).is_some_and(|found| matches!(found.op, Op::StoreLocal(_)));
            first = match (first, self.place(expr.origin).filter(|_| !is_behind)) {
                (Some(first), Some(place)) => Some(place.min(first)),
                (first, place) => first.or(place),
            };
        }
        first
    }

    /// Where an expression ends that is on one line.
    pub(super) fn end(&self, expr: &Expr) -> Option<Place> {
        let found = self.instruction(expr.origin)?;
        let is_whole = self.start(expr)? == (found.line?, found.column?);
        // A width that is larger than this is not known.
        let is_known = (1..u8::MAX).contains(&found.width);
        (is_whole && is_known).then_some((found.line?, found.column? + u32::from(found.width)))
    }

    /// Where an `assert` stands that tests something from an origin on: what that leads to if it fails has the place of the
    /// statement (CPython `Python/compile.c`, `compiler_assert`).
    fn of_assertion(&self, origin: Origin, test: Origin) -> Option<Place> {
        let at = instructions_before(self.function, origin.0);
        let (before, behind) = self.function.instructions.split_at_checked(at)?;
        let is_error = |found: &&Instruction| found.op == Op::Common(CommonConst::AssertionError);
        // Of a test that never holds nothing is left, and what raises comes last.
        let found = match test {
            Origin::NONE => before.iter().rev().take(MOST_OF_TEST).find(is_error),
            _ => behind.iter().take(MOST_OF_TEST).find(is_error),
        }?;
        Some((found.line?, found.column?))
    }

    /// Where a `return` stands, unless its value is a constant: then it is the place of that (CPython `codegen_return`). What
    /// has left a `with` before has the place of that.
    fn of_return(&self, origin: Origin) -> Option<Place> {
        let place = self.place(origin)?;
        let before = self.instruction_before(origin)?;
        (before.line.zip(before.column) != Some(place)).then_some(place)
    }

    /// Where a statement of one of these words stands, if the width of its instruction does not tell otherwise.
    fn word(&self, origin: Origin, words: &[&str]) -> Option<Place> {
        let found = self.instruction(origin)?;
        let is_word = found.width == 0 || words.iter().any(|word| word.len() == usize::from(found.width));
        Some((found.line.filter(|_| is_word)?, found.column?))
    }

    /// Where a `break` stands.
    fn of_break(&self, origin: Origin) -> Option<Place> {
        self.word(origin, &["break"]).filter(|_| self.is_own(origin))
    }

    /// Whether the place of a `break` is its own: where a `with` or a `finally` was left before, it is the place of that.
    fn is_own(&self, origin: Origin) -> bool {
        let place = self.place(origin);
        let at = instructions_before(self.function, origin.0);
        let mut before = self.function.instructions[..at].iter().rev().take(MOST_OF_BREAK);
        let is_here = |found: &Instruction| found.line.zip(found.column) == place;
        before.all(|found| {
            !is_here(found) || matches!(found.op, Op::Nop | Op::Pop | Op::Jump(_) | Op::Const(_))
        })
    }

    /// One of the operations that an origin's instruction was decoded to. They stand in one place.
    pub(super) fn instruction(&self, origin: Origin) -> Option<&'a Instruction> {
        if origin == Origin::NONE { None } else { instruction_at(self.function, origin.0) }
    }

    /// The operation in front of those that an origin's instruction was decoded to.
    fn instruction_before(&self, origin: Origin) -> Option<&'a Instruction> {
        if origin == Origin::NONE {
            return None;
        }
        let at = instructions_before(self.function, origin.0).checked_sub(1)?;
        self.function.instructions.get(at)
    }

    /// The line and the column of an instruction.
    pub(super) fn place(&self, origin: Origin) -> Option<Place> {
        let found = self.instruction(origin)?;
        Some((found.line?, found.column?))
    }
}
