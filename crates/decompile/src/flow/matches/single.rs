//! A `match` whose case is told by its place alone: one that compares its subject with a value does what the test of an `if`
//! does, and one that tests nothing what an assignment does.

use depyf_bytecode::{CompareOp, Function, Instruction, Op};

use super::loads;
use crate::flow::places::instruction_at;
use crate::flow::step::ends_statement;
use crate::flow::{Block, Step, StepKind, Terminator};

/// Where the value of a pattern is loaded, if what a block ends with is its test: the comparison has the place of the
/// pattern, while that of an expression begins where its left side does (`pattern_helper_expr`).
pub(super) fn pattern_value(block: &Block, function: &Function) -> Option<usize> {
    let Terminator::Branch { .. } = block.end else { return None };
    if let [.., Step { kind: StepKind::IsNone { negated: false }, offset }] = block.steps[..] {
        let at = block.steps.len() - 1;
        return is_pattern_none(block, offset, function).then_some(at);
    }
    let steps = match &block.steps[..] {
        [steps @ .., Step { kind: StepKind::Op(Op::ToBool), .. }] => steps,
        steps => steps,
    };
    let [operands @ .., Step { kind: StepKind::Op(Op::Compare(CompareOp::Equal) | Op::Is { .. }), offset }] =
        steps
    else {
        return None;
    };
    let is_attribute = |step: &Step| matches!(step.kind, StepKind::Op(Op::LoadAttr(_)));
    let at = operands.iter().rposition(|step| !is_attribute(step))?;
    let is_value = match operands[at].kind {
        StepKind::Op(op) => op.is_constant() || at + 1 < operands.len() && loads(op),
        _ => false,
    };
    // One instruction may load both sides, in the place of the first.
    if at.checked_sub(1).is_some_and(|before| operands[before].offset == operands[at].offset) {
        return None;
    }
    let [test, value] = [*offset, operands[at].offset].map(|offset| instruction_at(function, offset));
    let (test, value) = (test?, value?);
    let before = at.checked_sub(1).and_then(|before| instruction_at(function, operands[before].offset));
    let begins = |found: &Instruction| (found.line, found.column);
    let is_apart = match (value.column, before) {
        // A subject at the place of the pattern is none: the places are copied.
        (Some(_), Some(before)) => begins(before) != begins(value),
        (Some(_), None) => true,
        // Where only lines are known, the subject must stand on another one.
        (None, Some(before)) => before.line < value.line,
        (None, None) => false,
    };
    (is_value && is_apart && value.line.is_some() && begins(test) == begins(value)).then_some(at)
}

/// Where a case that tests nothing takes its subject, if one is told by its line: what an assignment stores is written behind
/// its target, and what a statement drops has its line, but a pattern stands below the subject.
pub(super) fn captured(block: &Block, function: &Function) -> Option<usize> {
    let line = |step: &Step| instruction_at(function, step.offset)?.line;
    let takes_below = |pair: &[Step]| {
        let [value, store] = pair else { return false };
        let takes = matches!(
            store.op(),
            Some(Op::StoreLocal(_) | Op::StoreDeref(_) | Op::StoreGlobal(_) | Op::StoreName(_) | Op::Pop)
        );
        takes && value.op().is_some_and(computes) && line(value).is_some() && line(value) < line(store)
    };
    let at = block.steps.windows(2).position(takes_below)?;
    // What decorates a function stands above its name, too.
    let makes = |step: &Step| matches!(step.op(), Some(Op::MakeFunction(_) | Op::LoadBuildClass));
    let mut statement = (0..=at).rev().take_while(|&at| !ends_statement(&block.steps[..=at]));
    (!statement.any(|at| makes(&block.steps[at]))).then_some(at + 1)
}

/// Whether an operation leaves a value that a statement computes, and nothing below or above it.
fn computes(op: Op) -> bool {
    op.is_constant()
        || loads(op)
        || matches!(
            op,
            Op::LoadAttr(_)
                | Op::LoadSuperAttr { .. }
                | Op::Call { .. }
                | Op::CallKeywords { .. }
                | Op::CallEx { .. }
                | Op::Unary(_)
                | Op::Binary(_)
                | Op::Compare(_)
                | Op::Is { .. }
                | Op::Contains { .. }
                | Op::Subscript
                | Op::BinarySlice
                | Op::BuildTuple(_)
                | Op::BuildList(_)
                | Op::BuildSet(_)
                | Op::BuildMap(_)
                | Op::BuildConstKeyMap(_)
                | Op::BuildString(_)
                | Op::ListToTuple
        )
}

/// Whether the jump that is the last step of a block tests for the pattern None: it has the place of that behind the subject. That
/// of an expression has the place of all of `x is None`, or of the item of a comprehension, which stands in front.
fn is_pattern_none(block: &Block, offset: u32, function: &Function) -> bool {
    let [.., subject, _] = &block.steps[..] else { return false };
    let [test, subject] = [offset, subject.offset].map(|offset| instruction_at(function, offset));
    let (Some(test), Some(subject)) = (test, subject) else { return false };
    match (subject.column, test.column) {
        (Some(before), Some(column)) => {
            usize::from(test.width) == "None".len() && (subject.line, before) < (test.line, column)
        }
        // Where only lines are known, the subject must stand on another one.
        _ => test.line.is_some() && subject.line < test.line,
    }
}
