//! A `match` whose case is told by its place alone: one that compares its subject with a value does what the test of an `if`
//! does, and one with nothing but a guard what an assignment in front of an `if` does.

use depyf_bytecode::{CompareOp, Const, Function, Instruction, Op};

use super::loads;
use crate::flow::places::{instruction_at, line_of};
use crate::flow::{Block, Step, StepKind, Terminator};
use crate::lift::{Context, generic_name};

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

/// Where a case that has nothing but a guard takes its subject, if that is told by its line: what an assignment stores is
/// written behind its target, and what a statement drops has its line, but a pattern stands below the subject, in front of
/// its guard. (One without a guard does what an assignment does: nothing tells where its body would end.)
pub(super) fn captured(block: &Block, context: &Context<'_>) -> Option<usize> {
    let Terminator::Branch { .. } = block.end else { return None };
    let line = |step: &Step| line_of(context.function, step.offset);
    let takes_below = |steps: &[Step]| {
        let [value, store, guard] = steps else { return false };
        let (Some(computed), Some(takes)) = (value.op(), store.op()) else { return false };
        (takes.stores_variable() || takes == Op::Pop)
            && computes(computed)
            && line(value).is_some()
            && line(value) < line(store)
            && line(store) == line(guard)
            && !defines(takes, context)
    };
    Some(block.steps.windows(3).position(takes_below)? + 1)
}

/// Whether an operation stores what has the name of a function or class that the code makes: what decorates that stands above
/// its name, too.
fn defines(store: Op, context: &Context<'_>) -> bool {
    let stored = match store {
        Op::StoreLocal(variable) | Op::StoreDeref(variable) => context.variable(variable),
        Op::StoreName(name) | Op::StoreGlobal(name) => context.names.unmangled(context.names.raw(name)),
        _ => return false,
    };
    let has_name = |value: &Const| match value {
        Const::Code(code) => {
            let name = generic_name(code).unwrap_or(code.name.as_wtf8());
            // A private name is stored as that of the class around.
            stored.as_wtf8() == name || name.starts_with(b"__") && stored.as_wtf8().ends_with(name)
        }
        _ => false,
    };
    context.code.consts.iter().any(has_name)
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
