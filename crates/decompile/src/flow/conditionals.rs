//! Conditional expressions, a part of `reduce`.

use depyf_bytecode::{Function, Instruction, Intrinsic1, Op, Region, UnaryOp};
use depyf_syntax::ast::Expr;

use super::de_morgan::nots;
use super::folded_arms::unfold_arms;
use super::places::{instruction_at, instructions_before, is_same_place};
use super::reduce::Reducer;
use super::shared_exits::returns_none;
use super::{Block, BlockId, Contents, Piece, Step, StepKind, Terminator};
use crate::lift::Context;

/// How the two arms of an expression go on.
struct Met {
    /// As the first one does.
    end: Terminator,
    exchanged: Option<Exchanged>,
    /// The block behind one of them that tests its value.
    test: Option<BlockId>,
}

/// How the second arm goes on where one leads if it holds to where the other one leads if it does not.
struct Exchanged {
    end: Terminator,
    /// Whether the test falls into where the first one leads if that holds.
    body_falls: Option<bool>,
}

impl Reducer<'_> {
    /// `test ? body : orelse`, as a value or as a condition.
    pub(super) fn conditional(&mut self, id: BlockId, yes: BlockId, no: BlockId) -> bool {
        if yes == no || !self.follows_only(id, yes) || !self.follows_only(id, no) {
            return false;
        }
        if [yes, no].into_iter().all(|arm| self.tests_a_written_jump(arm)) {
            return false;
        }
        self.share_tail([(yes, 1), (no, 1)], self.are_operands(id, [yes, no]));
        let Some(Met { mut end, exchanged, test }) = self.met(id, [yes, no]) else { return false };
        let Some(mut body) = self.fold(yes) else { return false };
        let Some(mut orelse) = self.fold(no) else { return false };
        let steps = |arm: BlockId| &self.graph.blocks[arm].steps[..];
        let mut behind = Vec::new();
        match &exchanged {
            None => behind = unfold_arms([(steps(yes), &mut body), (steps(no), &mut orelse)]),
            Some(exchanged) => {
                let negates_orelse = self.negates_orelse(end, exchanged, [&body.expr, &orelse.expr]);
                let arm = if negates_orelse { &mut orelse } else { &mut body };
                arm.expr = crate::names::negated(arm.expr.clone());
                if !negates_orelse {
                    end = exchanged.end;
                }
            }
        }
        // What lies right behind the test is the body.
        let turned = self.graph.blocks[id].layout.falls == Some(false);
        let (body, orelse) = if turned { (orelse, body) } else { (body, orelse) };
        let mut layout = self.layout_of_test(if turned { yes } else { no });
        // The test of the arm whose outcomes were exchanged falls the other way.
        if exchanged.is_some_and(|exchanged| turned == (end == exchanged.end)) {
            layout.falls = layout.falls.map(|truth| !truth);
        }
        let leaves = matches!(end, Terminator::Return | Terminator::Raise(_));
        let whole_end = leaves.then(|| self.whole_end(id, [yes, no]));
        self.remove(yes);
        self.remove(no);
        self.drop_test(test);
        if turned {
            self.push(id, StepKind::Op(Op::Unary(UnaryOp::Not)));
        }
        self.push(id, StepKind::piece(Piece::Conditional { body, orelse }));
        self.graph.contents.add(Contents::CONDITIONALS);
        self.graph.blocks[id].steps.extend(behind);
        self.set_end(id, end);
        self.graph.blocks[id].layout = layout;
        if let Some(offset) = whole_end {
            self.graph.blocks[id].end_offset = offset;
        }
        true
    }

    /// How the arms of a test go on, if they meet.
    fn met(&self, id: BlockId, [yes, no]: [BlockId; 2]) -> Option<Met> {
        let (a, b) = (self.graph.blocks[yes].end, self.graph.blocks[no].end);
        // An arm that decides the test behind the expression goes past it.
        let (test, a, b) = match (a, b) {
            (Terminator::Jump(x), Terminator::Jump(y)) if x == y => (None, a, b),
            _ => {
                let (x, y) = (self.test_behind(yes), self.test_behind(no));
                (x.or(y).map(|(test, _)| test), x.map_or(a, |(_, end)| end), y.map_or(b, |(_, end)| end))
            }
        };
        match (a, b) {
            (Terminator::Branch { .. } | Terminator::OrPop { .. }, _) if a == b => {
                Some(Met { end: a, exchanged: None, test })
            }
            (Terminator::Branch { yes: x, no: y }, Terminator::Branch { yes: z, no: w })
                if (x, y) == (w, z) =>
            {
                let falls = self.graph.blocks[no].layout.falls;
                let body_falls = falls.map(|truth| if truth { z == x } else { w == x });
                Some(Met { end: a, exchanged: Some(Exchanged { end: b, body_falls }), test })
            }
            (Terminator::Return, Terminator::Return) if !self.is_one_return(id, [yes, no]) => None,
            (Terminator::Raise(1), Terminator::Raise(1)) if self.is_one_raise(id, [yes, no]) => {
                Some(Met { end: a, exchanged: None, test: None })
            }
            (a, b) => Some(Met { end: self.same_way(a, b)?, exchanged: None, test }),
        }
    }

    /// Whether the second of two arms whose outcomes are exchanged is the one that is negated: so that fewer negations are
    /// written, or else so that what the test falls into is where it holds.
    fn negates_orelse(&self, end: Terminator, exchanged: &Exchanged, [body, orelse]: [&Expr; 2]) -> bool {
        // An assertion holds where it does not raise.
        let asserts = |end: Terminator| match end {
            Terminator::Branch { no, .. } => self.fails_assertion(no),
            _ => false,
        };
        if self.graph.contents.meets(Contents::ASSERTIONS) && asserts(end) != asserts(exchanged.end) {
            return asserts(end);
        }
        let [kept, turned] = [false, true].map(|turned| nots(body, turned) + nots(orelse, !turned));
        kept < turned || kept == turned && exchanged.body_falls == Some(true)
    }

    /// Whether the arms of a test are no statements: a constant that is dropped would not be compiled, and what a test
    /// chooses does not stand in front of it. In 3.11 the test's jump has the place of the whole expression, or statement.
    fn are_operands(&self, test: BlockId, arms: [BlockId; 2]) -> bool {
        let function = self.context.function;
        let place = |offset: u32| {
            instruction_at(function, offset).and_then(|found| Some((found.line?, found.column)))
        };
        // The jump of a test may have the place of the whole, what it tests has its own.
        let test = &self.graph.blocks[test];
        let own = place(test.end_offset).max(test.steps.last().and_then(|last| place(last.offset)));
        let is_in_front = |offset: u32| match (place(offset), own) {
            (Some(arm @ (_, Some(_))), Some(own @ (_, Some(_)))) => arm <= own,
            (Some((arm, _)), Some((own, _))) => arm < own,
            _ => false,
        };
        arms.into_iter().any(|arm| match &self.graph.blocks[arm].steps[..] {
            [first, second, ..] if first.is_constant() && second.drops() => true,
            [first, ..] if self.effect(first) > 0 => is_in_front(first.offset),
            _ => false,
        })
    }

    /// Whether a block ends with the test of a `break` or `continue`, which has a place of its own: it is a statement. At
    /// most one arm of a conditional expression has the body of a statement right behind it.
    fn tests_a_written_jump(&self, block: BlockId) -> bool {
        self.context.function.features.jump_statements_stay && self.jumps_by_itself(block) == Some(false)
    }

    /// Whether the jump right behind the test that ends a block has the place of a test in front of it: then it is none that
    /// was written, but one of the compiler's own. `None` where there is no such jump, or its place is not known.
    pub(super) fn jumps_by_itself(&self, block: BlockId) -> Option<bool> {
        let function = self.context.function;
        let Block { start, layout, .. } = self.graph.blocks[block];
        let [tests, at] = [start, layout.jump?].map(|offset| instructions_before(function, offset));
        let place = |found: &Instruction| found.line.map(|line| (line, found.column));
        let own = function.instructions.get(at).and_then(place)?;
        let mut tests = function.instructions.get(tests..at)?.iter();
        Some(tests.any(|test| place(test) == Some(own)))
    }

    /// Whether two returns that a test chooses between are one `return x if test else y`, which the compiler
    /// ended twice: in a lambda, which has no statements, and where both stand on one line, with a part of what
    /// they return, or an arm in front of the test: inside of `with` all have the line of that. What returns None is asked
    /// for more, because where a function ends without `return` it has the place of its jump.
    fn is_one_return(&self, test: BlockId, arms: [BlockId; 2]) -> bool {
        let Context { code, function, .. } = self.context;
        // One that yields has no `return` of its own, so that its end is copied in 3.11, too.
        if code.name == "<lambda>" {
            return true;
        }
        if function.features.keeps_ends() {
            return false;
        }
        let mut constants = arms.into_iter().filter_map(|arm| self.is_protected_constant(test, arm));
        if let Some(first) = constants.next() {
            return first || constants.any(|is_protected| is_protected);
        }
        let at = |block: BlockId| instruction_at(function, self.graph.blocks[block].end_offset);
        // Outside of `with`, a line above all of them is that of the statement.
        let is_free = self.graph.blocks[test].region.is_none();
        let are_operands = || self.are_operands(test, arms);
        let (Some(test), [Some(yes), Some(no)]) = (at(test), arms.map(at)) else { return false };
        let is_explicit = |(arm, end): (BlockId, &Instruction)| {
            let is_none = match &self.graph.blocks[arm].steps[..] {
                [Step { kind: StepKind::Op(op), .. }] => returns_none(&[*op], code),
                _ => false,
            };
            let is_above = end.line < test.line;
            !is_none || is_above || end.column.is_some() && !is_same_place(end, test)
        };
        let first = |arm: BlockId| instruction_at(function, self.graph.blocks[arm].start)?.line;
        let is_own = yes.line == test.line || arms.into_iter().any(|arm| first(arm) == yes.line);
        let is_one = yes.line.is_some()
            && yes.line == no.line
            && (is_own || is_free && yes.line < test.line || are_operands());
        is_one && arms.into_iter().zip([yes, no]).all(is_explicit)
    }

    /// The end of the arms of a test that has the place of the statement: one that loads a constant as well has that of it.
    fn whole_end(&self, test: BlockId, arms: [BlockId; 2]) -> u32 {
        let blocks = &self.graph.blocks;
        let has_own = |arm: &BlockId| {
            let block = &blocks[*arm];
            block.steps.last().is_none_or(|last| last.offset != block.end_offset)
        };
        let whole = arms.into_iter().find(has_own);
        blocks[whole.unwrap_or(test)].end_offset
    }

    /// The same of what is raised, where an arm begins in front of the test.
    fn is_one_raise(&self, test: BlockId, arms: [BlockId; 2]) -> bool {
        let function = self.context.function;
        let [yes, no] = arms.map(|arm| instruction_at(function, self.graph.blocks[arm].end_offset));
        let is_one = yes.zip(no).is_some_and(|(yes, no)| yes.line.is_some() && is_same_place(yes, no));
        is_one && self.are_operands(test, arms)
    }

    /// Whether an arm that is nothing but a constant was loaded in the `try` of the test. A statement that returns a
    /// constant leaves the `try` first (`return` in `Python/compile.c` or `Python/codegen.c`). `None` for other arms, and
    /// where the test is in no `try`.
    fn is_protected_constant(&self, test: BlockId, arm: BlockId) -> Option<bool> {
        let function = self.context.function;
        let [load] = &self.graph.blocks[arm].steps[..] else { return None };
        if !load.is_constant() {
            return None;
        }
        let around = handler_of(function, self.graph.blocks[test].end_offset)?;
        Some(handler_of(function, load.offset) == Some(around))
    }
}

/// The handler of the instruction at an offset, unless it is that around a whole generator or coroutine, which no
/// statement leaves.
fn handler_of(function: &Function, offset: u32) -> Option<u32> {
    let at = instructions_before(function, offset) as u32;
    let handler = Region::around(&function.regions, at)?.handler;
    let first = function.instructions.get(handler as usize)?;
    (first.op != Op::Intrinsic1(Intrinsic1::StopIterationError)).then_some(handler)
}
