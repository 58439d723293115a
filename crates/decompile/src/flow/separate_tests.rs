//! Which tests are those of statements of their own, though they could be operands of one condition.

use depyf_bytecode::Op;

use super::places::{instruction_at, instructions_before, line_of};
use super::reduce::Reducer;
use super::{BlockId, Contents, Layout, Step, Terminator};

/// Of more operands of an assertion's test than this, that it is one is not looked for.
const MOST_OPERANDS: usize = 100;

impl Reducer<'_> {
    /// Whether two tests are those of two statements, though one goes where the other does: each has a jump of its
    /// own (`if a: continue` and `if b: continue`), or only the second one has (`while a: if b: break`), or only one of
    /// them is compiled again at the end of a loop (`if a: while b: ..`).
    pub(super) fn are_statements(&self, id: BlockId, second: BlockId, shared: BlockId) -> bool {
        let is_repeated = |block: BlockId| self.repeated.contains(&self.graph.blocks[block].end_offset);
        // The test of a constant is no statement: that is not compiled. Nor is one for which values wait.
        if self.is_expression || self.tests_constant(id) || self.tests_constant(second) {
            return false;
        }
        if self.tests_inside_expression(id) {
            return false;
        }
        // Neither is what a value is kept of.
        if matches!(self.graph.blocks[second].end, Terminator::OrPop { .. }) {
            return false;
        }
        let repeats = is_repeated(second);
        if is_repeated(id) != repeats {
            return true;
        }
        let line = |offset: u32| line_of(self.context.function, offset);
        let (start, above) = (self.graph.blocks[second].start, self.graph.blocks[id].end_offset);
        let begins_below = || line(start) > line(above);
        let tested = self.graph.blocks[second].end_offset;
        let has_columns =
            instruction_at(self.context.function, tested).is_some_and(|found| found.column.is_some());
        if self.guards.contains(&id) {
            // A guard is no part of an assertion. Where no columns tell, a test on a line below is the first statement in the
            // case, if both lead behind the whole `match`.
            let is_next = || matches!(self.graph.blocks[self.through(shared)].end, Terminator::Case { .. });
            if self.asserts(second, shared) || !has_columns && begins_below() && !is_next() {
                return true;
            }
        }
        let jumps_by_itself = has_columns && self.jumps_by_itself(second) == Some(true);
        let (first, second, end) =
            (self.graph.blocks[id].layout, self.graph.blocks[second].layout, self.graph.blocks[second].end);
        if first.jump.is_some() {
            return true;
        }
        match (end, second.falls) {
            (Terminator::Branch { yes, no }, _) if yes == no => begins_below(),
            (Terminator::Branch { yes, no }, Some(truth)) => {
                let body = if truth { yes } else { no };
                let stays = self.context.function.features.jump_statements_stay;
                if stays {
                    // The test below the body of a loop jumps back to that, or else to the loop around.
                    let other = if truth { no } else { yes };
                    let start = |block: BlockId| self.graph.blocks[block].start;
                    let is_test_below = repeats && start(other) <= start(id);
                    return body == shared
                        && second.jump.is_some()
                        && second.jump != first.to
                        && !is_test_below
                        && !jumps_by_itself;
                }
                // To 3.9 the test in front of a `break` goes where that goes, as that of `if not a or b: break` does.
                let (body, shared) = (self.through(body), self.through(shared));
                body == shared && first.falls == Some(true) && begins_below() && self.jumps_to(tested, body)
            }
            _ => false,
        }
    }

    /// Whether a test, or one of those that it leads to, is that of an assertion that goes on at a block where it holds.
    fn asserts(&self, test: BlockId, holds: BlockId) -> bool {
        if !self.graph.contents.meets(Contents::ASSERTIONS) {
            return false;
        }
        let holds = self.through(holds);
        let fails = |&block: &BlockId| match self.graph.blocks[block].end {
            Terminator::Branch { yes, no } if self.through(yes) == holds => Some(no),
            Terminator::Branch { yes, no } if self.through(no) == holds => Some(yes),
            _ => None,
        };
        let mut tests = std::iter::successors(fails(&test), fails).take(MOST_OPERANDS);
        tests.any(|block| self.fails_assertion(block))
    }

    /// Whether a test alone leads past a body that does nothing, as the last test of the condition does that ends with
    /// `end` and lies as `last` tells; else it leads to that body. Jumps in front of one place tell, which are one place
    /// since they were threaded. `None` where something is done, or nothing tells.
    pub(super) fn skips_idle_body(&self, id: BlockId, end: Terminator, last: Layout) -> Option<bool> {
        // To 3.9 a test that leads to such a body jumps over that, too.
        let is_idle = matches!(end, Terminator::Branch { yes, no } if yes == no);
        if !is_idle || !self.context.function.features.jump_statements_stay {
            return None;
        }
        let to = self.graph.blocks[id].layout.to?;
        let (body, past) = (last.jump? == to, last.to? == to);
        (body != past).then_some(past)
    }

    /// Whether what lies behind a test is a jump forward to a block.
    fn jumps_to(&self, tested: u32, block: BlockId) -> bool {
        let function = self.context.function;
        let start = self.graph.blocks[block].start;
        let behind = function.instructions.get(instructions_before(function, tested + 1));
        behind.is_some_and(|behind| matches!(behind.op, Op::Jump(_)) && behind.offset < start)
    }

    /// Whether a block ends with the test of a constant.
    pub(super) fn tests_constant(&self, block: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        matches!(found.end, Terminator::Branch { .. }) && found.steps.last().is_some_and(Step::is_constant)
    }
}
