//! What the bytecode tells about the source beside what it does: lines, columns, and how locals are loaded.
//!
//! None of it is needed to decompile, and code that was rewritten may have none of it. It decides where several
//! sources would do the same.

use std::cell::OnceCell;
use std::ops::Range;

use depyf_bytecode::{CodeObject, Function, Instruction, Op, flags};
use depyf_syntax::ast::{ExprKind, Literal};

use super::compile_order::Mentions;
use super::{Context, LiftedBlock, LiftedEnd};
use crate::flow::{Contents, Graph, instructions_of, returns_none, target_of};

/// See the module. Little of it is ever asked, so it is looked up when it is.
#[derive(Clone, Debug)]
pub(crate) struct Evidence<'a> {
    pub(super) code: &'a CodeObject,
    pub(super) function: &'a Function,
    /// The instructions that the blocks were made of; none where nothing is known, of a function that is one block.
    range: Range<usize>,
    /// Whether a block leads back to one that lies before it.
    loops: bool,
    /// Whether the function has code objects to make functions of.
    holds_code: bool,
    /// The offsets of the loads of locals, in order, and whether each borrows; empty where that tells nothing, see
    /// `Features::borrowing_stops_at_empty_blocks`.
    borrows: &'a [(u32, bool)],
    /// The offsets of instructions that return None because a `return` says so.
    written_returns: OnceCell<Vec<u32>>,
    /// See [`Evidence::compiled_first`].
    pub(super) mentions: Mentions,
    /// The offset where what only an exception reaches begins, if the compiler moves that to the end of the function (3.12
    /// on): the first handler.
    first_cold: Option<u32>,
}

/// Columns in the source of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    /// The least one.
    least: Option<u32>,
    /// The least one of an instruction whose place is that of a whole statement.
    statement: Option<u32>,
}

impl<'a> Evidence<'a> {
    /// What is known of a function; nothing, if it is one block.
    pub(crate) fn of(context: &'a Context<'a>, graph: &Graph, blocks: &[LiftedBlock]) -> Self {
        let function = context.function;
        let mut evidence = Self {
            code: context.code,
            function,
            range: 0..0,
            loops: false,
            holds_code: graph.contents.meets(Contents::NESTED_CODE),
            borrows: &[],
            written_returns: OnceCell::new(),
            mentions: Mentions::new(),
            first_cold: None,
        };
        if blocks.len() < 2 {
            return evidence;
        }
        // From the first instruction that a block begins with to the last that one ends with.
        let mut span: Option<(u32, u32)> = None;
        for block in blocks.iter().filter(|block| !matches!(block.end, LiftedEnd::Nowhere)) {
            let (start, end) = span.unwrap_or((u32::MAX, 0));
            span = Some((start.min(block.start), end.max(block.end_offset)));
            evidence.loops |= block.end.successors().any(|next| blocks[next].start <= block.start);
        }
        evidence.range = instructions_of(function, span.into_iter());
        if !function.features.source_order {
            evidence.first_cold = context.first_handler();
        }
        if function.features.borrowing_stops_at_empty_blocks && !graph.regions.is_empty() {
            evidence.borrows = context.borrowing_loads();
        }
        evidence
    }

    /// Whether an exception is raised and caught in a block, which begins in front of what only exceptions reach and ends in
    /// it: an asynchronous comprehension takes one for its end.
    pub(crate) fn becomes_cold(&self, block: &LiftedBlock) -> bool {
        self.first_cold.is_some_and(|cold| block.start < cold && cold <= block.end_offset)
    }

    /// The instructions of a block, and the index behind the last one.
    pub(super) fn within(&self, block: &LiftedBlock) -> (&'a [Instruction], usize) {
        if self.range.is_empty() { (&[], 0) } else { within(&self.function.instructions, block) }
    }

    /// The line that a block begins on.
    pub(crate) fn first_line(&self, block: &LiftedBlock) -> Option<u32> {
        self.within(block).0.first()?.line
    }

    /// The same, behind what is left of a `break` that an end of the function was copied to.
    pub(crate) fn line_behind_break(&self, block: &LiftedBlock) -> Option<u32> {
        self.within(block).0.iter().find(|found| found.op != Op::Nop)?.line
    }

    /// The line of the instruction that ends a block.
    pub(crate) fn last_line(&self, block: &LiftedBlock) -> Option<u32> {
        self.within(block).0.last()?.line
    }

    /// Whether the first instruction of a block does nothing.
    pub(crate) fn begins_with_nop(&self, block: &LiftedBlock) -> bool {
        self.within(block).0.first().is_some_and(|first| first.op == Op::Nop)
    }

    /// Whether a block begins as the body of `case _` does, behind what drops a subject, if it has lines. What does nothing may lie
    /// in front of it.
    pub(crate) fn begins_default(&self, block: &LiftedBlock) -> Option<bool> {
        let (inside, behind) = self.within(block);
        let first = self.behind_subject(block).filter(|first| first.line.is_some())?;
        let before = behind.checked_sub(inside.len() + 1).and_then(|at| self.function.instructions.get(at));
        Some([Some(first), before].into_iter().flatten().any(|found| found.op == Op::Nop))
    }

    /// The line of the body of a case that a block is, behind what drops a subject.
    pub(crate) fn line_of_case(&self, block: &LiftedBlock) -> Option<u32> {
        self.behind_subject(block)?.line
    }

    fn behind_subject(&self, block: &LiftedBlock) -> Option<&'a Instruction> {
        self.within(block).0.iter().find(|found| found.op != Op::Pop)
    }

    /// Whether a block leaves the body of a `try` by running off its end (to 3.10): what ends the body has no line of its
    /// own, as it has where a `break`, `continue` or `return` does that.
    pub(crate) fn runs_off_body(&self, block: &LiftedBlock) -> bool {
        runs_off_body(self.within(block).0)
    }

    /// The instruction that does nothing and that a block begins with, on a line of its own: of the head of a loop, it is
    /// what `while True` became.
    pub(crate) fn head_of_endless_loop(&self, block: &LiftedBlock) -> Option<u32> {
        let [first, second, ..] = self.within(block).0 else { return None };
        let has_line = first.line.is_some() && second.line.is_some() && first.line != second.line;
        (first.op == Op::Nop && has_line).then_some(first.offset)
    }

    /// The line of an instruction.
    pub(crate) fn line_at(&self, offset: u32) -> Option<u32> {
        crate::flow::instruction_at(self.function, offset)?.line
    }

    /// Whether a block begins on the line of what stands before it, which goes on there. What only leaves a statement
    /// between is on that line too: a `break` has its own.
    pub(crate) fn continues_line(&self, block: &LiftedBlock) -> bool {
        let (inside, behind) = self.within(block);
        let Some(first) = inside.first() else { return false };
        let Some(before) =
            behind.checked_sub(inside.len()).and_then(|at| self.function.instructions.get(..at))
        else {
            return false;
        };
        first.line.is_some_and(|line| leads_on(before, line))
    }

    /// Whether a block holds the loop of a comprehension, which is longer than any end that the compiler copies (3.12 on).
    pub(crate) fn inlines_loop(&self, block: &LiftedBlock) -> bool {
        let is_loop = |found: &Instruction| matches!(found.op, Op::ForIter { .. } | Op::GetAnext);
        self.function.features.inlined_comprehensions && self.within(block).0.iter().any(is_loop)
    }

    /// Whether a block makes functions. Nested code that stood in two places would be two code objects.
    pub(crate) fn makes_functions(&self, block: &LiftedBlock) -> bool {
        self.holds_code
            && self.within(block).0.iter().any(|found| matches!(found.op, Op::MakeFunction { .. }))
    }

    /// The greatest line of a block. The jump back to the head of a loop may be on the line of that.
    pub(crate) fn greatest_line(&self, block: &LiftedBlock) -> Option<u32> {
        self.within(block).0.iter().filter_map(|found| found.line).max()
    }

    /// Whether a block, which goes on, ends with an instruction that only jumps, or runs into one that no longer is
    /// there.
    pub(crate) fn jumps(&self, block: &LiftedBlock) -> bool {
        let (_, behind) = self.within(block);
        let last = [behind.wrapping_sub(1), behind].map(|at| self.function.instructions.get(at));
        !self.range.is_empty() && last.iter().flatten().any(|found| matches!(found.op, Op::Jump(_)))
    }

    /// Whether the instruction at an offset only jumps.
    pub(crate) fn is_jump(&self, offset: u32) -> bool {
        self.jump_target(offset).is_some()
    }

    /// Whether the instruction at an offset only jumps and has the place of a `pass`, which it stands for (3.13 on).
    pub(crate) fn jumps_for_pass(&self, offset: u32) -> bool {
        let found = crate::flow::instruction_at(self.function, offset);
        found.is_some_and(|found| matches!(found.op, Op::Jump(_)) && usize::from(found.width) == "pass".len())
    }

    /// Where the instruction at an offset leads, if it only jumps.
    pub(crate) fn jump_target(&self, offset: u32) -> Option<u32> {
        let all = &self.function.instructions;
        let inside = &all[self.range.clone()];
        let behind = &inside[inside.partition_point(|found| found.offset < offset)..];
        behind.iter().take_while(|found| found.offset == offset).find_map(|found| match found.op {
            Op::Jump(to) => Some(all.get(to as usize).map_or(u32::MAX, |to| to.offset)),
            _ => None,
        })
    }

    /// Whether the code is that of a comprehension or generator expression, which has no statements.
    pub(crate) fn is_expression(&self) -> bool {
        crate::scope::is_comprehension(self.code)
    }

    /// Whether the code is that of a function, which may hold `return`.
    pub(crate) fn is_function(&self) -> bool {
        self.code.flags & flags::OPTIMIZED != 0
    }

    /// Whether the instruction at an offset returns None because a `return` says so.
    pub(crate) fn is_written_return(&self, offset: u32) -> bool {
        if self.range.is_empty() || !self.function.features.copies_ends {
            return false;
        }
        let find = || written_returns(self.code, self.function, self.range.clone());
        self.written_returns.get_or_init(find).binary_search(&offset).is_ok()
    }

    /// Whether the instruction at an offset is a `raise` without operands, which the compiler adds nowhere.
    pub(crate) fn is_written_raise(&self, offset: u32) -> bool {
        let all = &self.function.instructions;
        let behind = &all[all.partition_point(|found| found.offset < offset)..];
        behind.first().is_some_and(|found| found.offset == offset && found.op == Op::Raise(0))
    }

    /// Whether the loads of locals tell anything.
    pub(crate) fn has_borrows(&self) -> bool {
        !self.borrows.is_empty()
    }

    /// Whether any load of a local from one offset to another, both included, borrows; `None` where there is none.
    pub(crate) fn borrows_within(&self, start: u32, end: u32) -> Option<bool> {
        let first = self.borrows.partition_point(|&(offset, _)| offset < start);
        let inside = self.borrows[first..].iter().take_while(|&&(offset, _)| offset <= end);
        inside.map(|&(_, borrows)| borrows).reduce(|any, borrows| any || borrows)
    }

    /// How far the statements of some blocks are indented, at least; `None` where that is not known.
    ///
    /// The place of some instructions is that of a whole statement. Of others it is that of an expression in it, which
    /// begins at least three columns behind it (`if`).
    pub(crate) fn indentation<'b>(&self, blocks: impl Iterator<Item = &'b LiftedBlock>) -> Option<u32> {
        least_indentation(blocks.filter_map(|block| self.columns(block)))
    }

    /// The same of the statements in a loop: of its first block and of others. What the first block may begin with for the
    /// test of the `while`, and does nothing, is not in the loop.
    pub(crate) fn indentation_in_loop<'b>(
        &self,
        first: &LiftedBlock,
        others: impl Iterator<Item = &'b LiftedBlock>,
    ) -> Option<u32> {
        let of_first = self.loops.then(|| match self.within(first).0 {
            [Instruction { op: Op::Nop, .. }, rest @ ..] => columns(rest),
            all => columns(all),
        });
        least_indentation(of_first.into_iter().chain(others.filter_map(|block| self.columns(block))))
    }

    /// The column of the statement that ends a block, at most, if the place of the instruction tells: behind the body of a
    /// `finally`, it does not.
    pub(crate) fn last_column(&self, block: &LiftedBlock) -> Option<u32> {
        let (inside, behind) = self.within(block);
        // What is left of the statement before does nothing.
        let begins = inside.iter().position(|found| found.op != Op::Nop).unwrap_or_default();
        let (first, mut last) = (inside.get(begins)?, inside.last()?);
        // What a test chooses between was returned twice, behind the test.
        if matches!((&block.end, last.op), (LiftedEnd::Return(_), Op::JumpIf(..))) {
            let mut arms = self.function.instructions[behind..].iter().take(LONGEST_ARM);
            last = arms.find(|found| found.op == Op::Return)?;
        }
        let column = last.column.filter(|_| self.loops && last.line <= first.line)?;
        // `return` stands in front of the constant, of which an instruction may be left that does nothing.
        let is_of_constant = match &block.end {
            LiftedEnd::Return(value) if last.op == Op::Nop => {
                !matches!(value.kind, ExprKind::Literal(Literal::None))
                    || usize::from(last.width) == "None".len()
            }
            _ => has_place_of_constant(inside, self.code),
        };
        let behind = if is_of_constant { "return".len() } else { 0 };
        Some(column.saturating_sub(behind as u32))
    }

    /// Where the source of a block is; only loops ask that.
    fn columns(&self, block: &LiftedBlock) -> Option<Columns> {
        self.loops.then(|| columns(self.within(block).0))
    }
}

/// See [`Evidence::indentation`].
fn least_indentation(columns: impl Iterator<Item = Columns>) -> Option<u32> {
    let (mut least, mut statement) = (None::<u32>, None::<u32>);
    for found in columns {
        least = found.least.into_iter().chain(least).min();
        statement = found.statement.into_iter().chain(statement).min();
    }
    if statement == least { least } else { least.map(|least| least.saturating_sub(3)) }
}

/// An arm of a conditional expression with more instructions is not looked through.
const LONGEST_ARM: usize = 64;

/// The instructions from the first of a block to the one that ends it, and the index behind that one.
fn within<'a>(instructions: &'a [Instruction], block: &LiftedBlock) -> (&'a [Instruction], usize) {
    let index = |offset: u32| instructions.partition_point(|instruction| instruction.offset < offset);
    let behind = index(block.end_offset.saturating_add(1));
    // A block that no path reaches has no first instruction.
    let first = if block.start > block.end_offset { behind } else { index(block.start) };
    (instructions.get(first..behind).unwrap_or(&[]), behind)
}

fn columns(instructions: &[Instruction]) -> Columns {
    let is_statement = |op: Op| {
        matches!(
            op,
            Op::Return
                | Op::Raise(_)
                | Op::Pop
                | Op::Nop
                | Op::ExceptionMatch
                | Op::ExceptionGroupMatch
                | Op::StoreLocal(_)
                | Op::StoreDeref(_)
                | Op::StoreGlobal(_)
                | Op::StoreName(_)
                | Op::StoreAttr(_)
                | Op::StoreSubscript
        )
    };
    let mut found = Columns::default();
    let add =
        |least: &mut Option<u32>, column: u32| *least = Some(least.map_or(column, |least| least.min(column)));
    for (at, instruction) in instructions.iter().enumerate() {
        let Some(column) = instruction.column else { continue };
        // Of two targets in one instruction it has the place of one, which need not be the first on the line.
        let has_offset = |other: Option<usize>| {
            let other = other.and_then(|other| instructions.get(other));
            other.is_some_and(|other| other.offset == instruction.offset && is_statement(other.op))
        };
        let is_one_of_two = has_offset(at.checked_sub(1)) || has_offset(Some(at + 1));
        // The jump back to the head of a loop has the place of the loop, which is not as deep as its body.
        if !matches!(instruction.op, Op::Jump(_)) {
            add(&mut found.least, column);
        }
        // The end that no `return` was written for has the place of what stands before.
        let before = || instructions[..at].iter().rfind(|before| before.offset != instruction.offset);
        let is_end = instruction.op == Op::Return
            && before()
                .is_some_and(|before| (before.line, before.column) == (instruction.line, instruction.column));
        if is_statement(instruction.op) && !is_one_of_two && !is_end {
            add(&mut found.statement, column);
        }
    }
    found
}

/// Whether the instructions of a block end with the POP_BLOCK of a body, on the line of what stands before it.
fn runs_off_body(instructions: &[Instruction]) -> bool {
    match instructions {
        [.., last, end] | [.., last, end, Instruction { op: Op::Jump(_), .. }] if end.op == Op::PopBlock => {
            end.line == last.line
        }
        _ => false,
    }
}

/// Whether instructions end with a `return` that has the place of the constant that it returns, and not that of the
/// statement (CPython `Python/compile.c`, `compiler_return`). A None that is not spelled so has the place of what leads
/// there: of a `return` without a value, or of a `break`.
fn has_place_of_constant(instructions: &[Instruction], code: &CodeObject) -> bool {
    let [.., constant, last] = instructions else { return false };
    let is_spelled = !returns_none(&[constant.op], code) || usize::from(constant.width) == "None".len();
    let is_same_place = (constant.line, constant.column) == (last.line, last.column);
    last.op == Op::Return && constant.op.is_constant() && is_spelled && is_same_place
}

/// Whether instructions lead on to the line that stands behind them: the last ones only leave statements, and are on it as
/// the one before those is.
fn leads_on(before: &[Instruction], line: u32) -> bool {
    let leaves = |found: &&Instruction| {
        matches!(found.op, Op::Pop | Op::PopBlock | Op::PopExcept | Op::Swap(_) | Op::Rot(_))
    };
    let leaving = before.iter().rev().take_while(leaves).count();
    before.last().is_some_and(|last| goes_on(last.op))
        && before.iter().rev().take(leaving + 1).all(|passed| passed.line == Some(line))
}

/// Whether the instruction behind one may be the next that runs.
fn goes_on(op: Op) -> bool {
    op.falls_through() && !matches!(op, Op::EndFinally { .. })
}

/// The instructions that return None where several ways lead to them. The end of a function that no `return` was
/// written for is copied to each way (CPython `Python/flowgraph.c`, `duplicate_exits_without_lineno`).
fn written_returns(code: &CodeObject, function: &Function, range: Range<usize>) -> Vec<u32> {
    let Function { instructions, .. } = function;
    let inside = &instructions[range.clone()];
    let mut targets: Vec<u32> = inside.iter().filter_map(|found| target_of(found.op)).collect();
    targets.sort_unstable();
    let several_ways_lead_to = |at: usize| {
        let falls_in = at > 0 && goes_on(instructions[at - 1].op);
        let jumps = &targets[targets.partition_point(|&target| (target as usize) < at)..];
        let jumps = jumps.iter().take(2).take_while(|&&target| target as usize == at).count();
        jumps + usize::from(falls_in) > 1
    };
    let pairs = range.zip(inside.windows(2));
    let written = pairs.filter(|(at, pair)| {
        pair[1].op == Op::Return && returns_none(&[pair[0].op], code) && several_ways_lead_to(*at)
    });
    written.map(|(_, pair)| pair[1].offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_a_statement_leads_on_unless_it_has_a_line_of_its_own() {
        let leads = |lines: &[u32]| {
            let ops = [Op::LoadLocal(0), Op::Pop, Op::Pop, Op::PopExcept];
            let instruction = |(&op, &line): (&Op, &u32)| Instruction {
                op,
                offset: 0,
                line: Some(line),
                column: None,
                width: 0,
            };
            let before: Vec<Instruction> = ops.iter().zip(lines).map(instruction).collect();
            leads_on(&before, 2)
        };
        // A `return` in a `try` leaves the statements around on the line of the `finally` body.
        assert!(leads(&[2, 2, 2, 2]) && leads(&[2]));
        // A `break` behind it has its own.
        assert!(!leads(&[1, 1, 2, 2]) && !leads(&[1]));
        assert!(!leads_on(&[], 2));
    }

    #[test]
    fn a_body_is_left_by_its_end_unless_that_has_a_line_of_its_own() {
        let instruction = |&(op, line): &(Op, u32)| {
            let line = Some(line);
            Instruction { op, offset: 0, line, column: None, width: 0 }
        };
        let runs_off = |instructions: &[(Op, u32)]| {
            runs_off_body(&instructions.iter().map(instruction).collect::<Vec<_>>())
        };
        assert!(runs_off(&[(Op::Pop, 1), (Op::PopBlock, 1)]));
        assert!(runs_off(&[(Op::Pop, 1), (Op::PopBlock, 1), (Op::Jump(9), 1)]));
        // A `break` on the next line.
        assert!(!runs_off(&[(Op::Pop, 1), (Op::PopBlock, 2)]));
        assert!(!runs_off(&[(Op::Pop, 1), (Op::PopBlock, 2), (Op::Jump(9), 2)]));
        // No body ends there, or nothing is known of what it ends with.
        assert!(!runs_off(&[(Op::Pop, 1), (Op::Jump(9), 1)]));
        assert!(!runs_off(&[(Op::PopBlock, 1)]));
    }

    #[test]
    fn a_return_has_the_place_of_the_constant_that_it_names() {
        use depyf_bytecode::CommonConst;
        use depyf_value::PyVersion;

        let code = CodeObject::empty(PyVersion(11));
        let names = |constant: Op, place: (u32, u8), returned: u32| {
            let at = |op, column, width| Instruction { op, offset: 0, line: Some(1), column, width };
            let ops = [at(constant, Some(place.0), place.1), at(Op::Return, Some(returned), place.1)];
            has_place_of_constant(&ops, &code)
        };
        // `    return 12` and `    return None`.
        assert!(names(Op::SmallInt(12), (11, 2), 11));
        assert!(names(Op::Common(CommonConst::None), (11, 4), 11));
        // `    return`, and a `break` that leads to the end of the function.
        assert!(!names(Op::Common(CommonConst::None), (4, 6), 4));
        assert!(!names(Op::Common(CommonConst::None), (8, 5), 8));
        // The value on a line of its own: the `return` has the place of the statement.
        assert!(!names(Op::SmallInt(12), (11, 2), 4));
        assert!(!names(Op::LoadLocal(0), (11, 1), 11));
    }
}
