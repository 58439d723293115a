//! Compound conditions, a part of `reduce`.

use depyf_bytecode::{CommonConst, Op, UnaryOp};

use super::de_morgan::{first_not, negate_condition, removable_not};
use super::reduce::Reducer;
use super::{BlockId, Contents, Folded, Layout, Step, StepKind, Terminator};
use crate::names::negated;

/// Two tests, the second of which is made on one side of the first alone.
struct Tests {
    first: BlockId,
    second: BlockId,
    second_is_yes: bool,
    /// Where the other side of the first one leads.
    shared: BlockId,
    /// The block behind the second one that makes the test, if it does not do so itself.
    behind: Option<BlockId>,
    /// Where the second one leads.
    end: Terminator,
    layout: Layout,
    /// Where nothing is done whatever they give, whether the first one alone skips that.
    skips: Option<bool>,
}

/// How two tests are read as one.
struct Reading {
    and: bool,
    /// Whether the first one is negated.
    negate: bool,
    /// Whether the second one is.
    turned: bool,
    end: Terminator,
    /// Whether one is negated that was not.
    is_wrong: bool,
}

impl Reducer<'_> {
    /// `a and b`, `a or b` where both are conditions: the second is tested on one side of the first.
    pub(super) fn compound(&mut self, id: BlockId, yes: BlockId, no: BlockId, second_is_yes: bool) -> bool {
        let (second, shared) = if second_is_yes { (yes, no) } else { (no, yes) };
        if yes == no || !self.follows_only(id, second) {
            return false;
        }
        if !self.joins_brought && self.graph.blocks[id].steps.is_empty() && self.ways_in[id] > 1 {
            self.has_brought = true;
            return false;
        }
        let Some(tests) = self.tests(id, second, shared, second_is_yes) else { return false };
        let Some(reading) = self.reading(&tests) else { return false };
        self.join_tests(&tests, reading)
    }

    /// The two tests, if they may be one: where the first one alone decides, the second one may lead as well.
    fn tests(&self, first: BlockId, second: BlockId, shared: BlockId, second_is_yes: bool) -> Option<Tests> {
        let behind = self.test_behind(second);
        let end = behind.map_or(self.graph.blocks[second].end, |(_, end)| end);
        // Mostly the second block does not go where the first one alone does.
        let place = self.through(shared);
        let may_join = match end {
            Terminator::Branch { yes, no } => self.through(yes) == place || self.through(no) == place,
            Terminator::OrPop { other, .. } => self.through(other) == place,
            _ => false,
        };
        if !may_join || self.are_statements(first, second, shared) {
            return None;
        }
        let behind = behind.map(|(test, _)| test);
        let layout = self.layout_of_test(second);
        let skips = self.skips_idle_body(first, end, layout);
        Some(Tests { first, second, second_is_yes, shared: place, behind, end, layout, skips })
    }

    /// How the tests are read: so that none is negated that was not, if that can be.
    fn reading(&self, tests: &Tests) -> Option<Reading> {
        if self.are_no_assertion(tests) {
            return None;
        }
        let turned = self.is_turned(tests);
        let found = self.read(tests, turned)?;
        if found.is_wrong && matches!(tests.end, Terminator::Branch { .. }) {
            let other = self.read(tests, !turned).filter(|other| !other.is_wrong);
            return Some(other.unwrap_or(found));
        }
        Some(found)
    }

    /// Whether the second test is negated, as the blocks lie. A condition holds where its last test falls through: that is
    /// where the body of an `if` lies.
    fn is_turned(&self, tests: &Tests) -> bool {
        let start = |block: BlockId| self.graph.blocks[block].start;
        let (second, falls) = (start(tests.second), tests.layout.falls);
        match tests.end {
            Terminator::Branch { .. } if tests.skips.is_some() => falls == Some(false),
            Terminator::Branch { yes, no } => match falls {
                Some(truth) if start(if truth { no } else { yes }) > second => !truth,
                // The test at the end of a loop jumps back where it holds.
                _ => (second..start(yes)).contains(&start(no)),
            },
            _ => false,
        }
    }

    /// How the tests are read if the second one is `turned`, or is not.
    fn read(&self, tests: &Tests, turned: bool) -> Option<Reading> {
        let holds_turned = tests.layout.falls == Some(false);
        let skips = tests.skips.map(|skips| skips == (turned == holds_turned));
        let (and, negate, end) =
            self.operator(tests.end, tests.second_is_yes, tests.shared, turned, skips)?;
        let is_wrong = negate && self.is_there(tests.first) || turned && self.is_there(tests.second);
        Some(Reading { and, negate, turned, end, is_wrong })
    }

    /// Whether the test of a block is there as it is. The compiler writes `not a in b` as `a not in b`, and `not 1` as `False`:
    /// such a test was not negated itself. Nor was one with a `not` of its own, which only a value has: a test has a jump the
    /// other way.
    fn is_there(&self, block: BlockId) -> bool {
        let found = &self.graph.blocks[block];
        let turns = |step: &Step| match step.kind {
            StepKind::Op(Op::Is { .. } | Op::Contains { .. }) => true,
            StepKind::Op(Op::Unary(UnaryOp::Not)) => step.offset != found.end_offset,
            _ => false,
        };
        found.steps.last().is_some_and(turns) || self.tests_constant(block)
    }

    /// Whether the tests would be those of an assertion, and are none. That holds where it does not raise: only so may its test
    /// be read, unless the first one alone raises as well, as in `assert not (a in b or c)`: no other statement does.
    fn are_no_assertion(&self, tests: &Tests) -> bool {
        let Terminator::Branch { yes, no } = tests.end else { return false };
        if !self.graph.contents.meets(Contents::ASSERTIONS) || self.fails_assertion(tests.shared) {
            return false;
        }
        let fails = self.fails_assertion(yes);
        fails != self.fails_assertion(no) && self.read(tests, fails).is_some_and(|read| read.is_wrong)
    }

    /// Makes one test of two, if the second one is an expression.
    fn join_tests(&mut self, tests: &Tests, reading: Reading) -> bool {
        let Reading { mut and, negate, turned, end, .. } = reading;
        let &Tests { first, second, behind, layout, .. } = tests;
        let steps = &self.graph.blocks[first].steps;
        // A value is negated by an operation of its own, so what was read the wrong way round is all turned back.
        let removed = match end {
            Terminator::OrPop { .. } if negate => match first_not(steps) {
                Some(not) => Some(not),
                None => return false,
            },
            // Either operator does.
            Terminator::Branch { yes, no } if yes == no && tests.skips.is_none() => {
                removable_not(steps).inspect(|_| and = !and)
            }
            _ => None,
        };
        let values = if turned {
            self.fold(second).map(|value| vec![Folded { expr: negated(value.expr), effects: value.effects }])
        } else {
            self.fold_operand(second, and)
        };
        let Some(values) = values else { return false };
        let tested_at = self.graph.blocks[behind.unwrap_or(second)].end_offset;
        self.remove(second);
        self.drop_test(behind);
        match removed {
            Some(not) => negate_condition(&mut self.graph.blocks[first].steps, not),
            None if negate => {
                let last = self.graph.blocks[first].steps.last();
                if last.is_some_and(|last| last.kind.as_piece().is_some()) {
                    self.graph.contents.add(Contents::NEGATED_TESTS);
                }
                self.push(first, StepKind::Op(Op::Unary(UnaryOp::Not)));
            }
            None => {}
        }
        self.add_operands(first, and, values, tested_at);
        self.graph.contents.add(Contents::COMPOUND_TESTS);
        self.set_end(first, end);
        let falls = layout.falls.map(|truth| truth != turned);
        self.graph.blocks[first].layout = Layout { falls, ..layout };
        true
    }

    /// What two tests make together, where the second one is on one side of the first and the other side leads to
    /// `shared`: whether the operator is `and`, whether the first one is negated, and the end; `turned`, if the second
    /// one is negated. Where nothing is done whatever they give, `skips` tells whether the first one alone leads to where
    /// the second one does not hold.
    fn operator(
        &self,
        end: Terminator,
        second_is_yes: bool,
        shared: BlockId,
        turned: bool,
        skips: Option<bool>,
    ) -> Option<(bool, bool, Terminator)> {
        let end = match end {
            Terminator::Branch { yes, no } if turned => Terminator::Branch { yes: no, no: yes },
            end => end,
        };
        // Where nothing is done whatever they give, all that is known is which outcome of the first one needs the second.
        if let Terminator::Branch { yes, no } = end
            && yes == no
        {
            let (and, negate) = match skips {
                Some(skips) => (skips, second_is_yes != skips),
                None => (second_is_yes, false),
            };
            return (self.through(yes) == shared).then_some((and, negate, end));
        }
        // Where the first one alone decides, what must its outcome be, and what does it mean?
        let place = |block: BlockId| self.through(block);
        let (and, negate) = match end {
            Terminator::Branch { yes: then, no: otherwise } if then != otherwise => {
                match (second_is_yes, shared == place(then), shared == place(otherwise)) {
                    (true, false, true) => (true, false),
                    (true, true, false) => (false, true),
                    (false, true, false) => (false, false),
                    (false, false, true) => (true, true),
                    _ => return None,
                }
            }
            Terminator::OrPop { when: true, keep, other }
                if keep != other && second_is_yes && shared == place(other) =>
            {
                (true, false)
            }
            Terminator::OrPop { when: false, keep, other }
                if keep != other && !second_is_yes && shared == place(other) =>
            {
                (false, false)
            }
            // So far the first one was read the wrong way round.
            Terminator::OrPop { when, keep, other }
                if keep != other && second_is_yes != when && shared == place(other) =>
            {
                (when, true)
            }
            _ => return None,
        };
        Some((and, negate, end))
    }

    /// Whether a block raises what an `assert` raises.
    pub(super) fn fails_assertion(&self, block: BlockId) -> bool {
        let first = self.graph.blocks[block].steps.first().map(|step| &step.kind);
        matches!(first, Some(StepKind::Op(Op::Common(CommonConst::AssertionError))))
    }
}
