//! What the bytecode tells about the source beside what it does: lines, columns, and how locals are loaded.
//!
//! None of it is needed to decompile, and code that was rewritten may have none of it. It decides where several
//! sources would do the same.

use std::ops::Range;

use depyf_bytecode::{Function, Instruction, Op};

use super::{Context, LiftedBlock, LiftedEnd};
use crate::flow::{BlockId, instructions_of, returns_none, target_of};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// The line of the first instruction of each block, that of the last one, and the greatest, where the line table has
    /// them.
    lines: Vec<[Option<u32>; 3]>,
    /// Whether each block begins on the line of the instruction before it, which goes on there.
    continues_line: Vec<bool>,
    /// Whether each block ends with an instruction that only jumps, or runs into one.
    jumps: Vec<bool>,
    /// The offsets of all instructions that only jump, in order, each with that of where it leads.
    jumps_at: Vec<(u32, u32)>,
    /// Where the source of each block is.
    columns: Vec<Columns>,
    /// The offsets of the loads of locals, in order, and whether each borrows; empty where that tells nothing, see
    /// `Features::borrowing_stops_at_empty_blocks`.
    borrows: Vec<(u32, bool)>,
    /// The offsets of instructions that return None because a `return` says so.
    written_returns: Vec<u32>,
}

/// Columns in the source of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    /// The least one.
    least: Option<u32>,
    /// The least one of an instruction whose place is that of a whole statement.
    statement: Option<u32>,
    /// That of the last instruction.
    last: Option<u32>,
}

impl Evidence {
    /// What is known of a function; nothing, if it is one block.
    pub(crate) fn of(context: &Context<'_>, blocks: &[LiftedBlock], has_regions: bool) -> Self {
        if blocks.len() < 2 {
            return Self::default();
        }
        let function = context.function;
        let span = |block: &LiftedBlock| {
            (!matches!(block.end, LiftedEnd::Nowhere)).then_some((block.start, block.end_offset))
        };
        let range = instructions_of(function, blocks.iter().filter_map(span));
        let loops = blocks.iter().any(|block| {
            let back = |next: BlockId| blocks[next].start <= block.start;
            !matches!(block.end, LiftedEnd::Nowhere) && block.end.successors().any(back)
        });
        let borrows = if function.features.borrowing_stops_at_empty_blocks && has_regions {
            depyf_bytecode::borrowing_loads(context.code)
        } else {
            Vec::new()
        };
        let written_returns =
            if function.features.copies_ends { written_returns(context, range.clone()) } else { Vec::new() };
        let is_jump = |found: &&Instruction| matches!(found.op, Op::Jump(_));
        let jump = |found: &Instruction| match found.op {
            Op::Jump(to) => {
                Some((found.offset, function.instructions.get(to as usize).map_or(u32::MAX, |to| to.offset)))
            }
            _ => None,
        };
        let mut evidence = Self {
            lines: Vec::with_capacity(blocks.len()),
            continues_line: Vec::with_capacity(blocks.len()),
            jumps: Vec::with_capacity(blocks.len()),
            jumps_at: function.instructions[range].iter().filter_map(jump).collect(),
            columns: Vec::with_capacity(if loops { blocks.len() } else { 0 }),
            borrows,
            written_returns,
        };
        for block in blocks {
            let (inside, behind) = within(&function.instructions, block);
            let line = |instruction: Option<&Instruction>| instruction.and_then(|found| found.line);
            let greatest = inside.iter().filter_map(|found| found.line).max();
            evidence.lines.push([line(inside.first()), line(inside.last()), greatest]);
            let before = inside.first().and_then(|_| {
                function
                    .instructions
                    .get(behind.checked_sub(inside.len() + 1)?)
                    .filter(|found| goes_on(found.op))
            });
            let is_known = line(before).is_some();
            evidence.continues_line.push(is_known && line(before) == line(inside.first()));
            let last = [behind.wrapping_sub(1), behind].map(|at| function.instructions.get(at));
            let jumps = matches!(block.end, LiftedEnd::Jump(_)) && last.iter().flatten().any(is_jump);
            evidence.jumps.push(jumps);
            if loops {
                evidence.columns.push(columns(inside));
            }
        }
        evidence
    }

    /// The line that a block begins on.
    pub(crate) fn first_line(&self, block: BlockId) -> Option<u32> {
        self.lines.get(block)?[0]
    }

    /// The line of the instruction that ends a block.
    pub(crate) fn last_line(&self, block: BlockId) -> Option<u32> {
        self.lines.get(block)?[1]
    }

    /// Whether a block begins on the line of the instruction before it, which goes on there.
    pub(crate) fn continues_line(&self, block: BlockId) -> bool {
        self.continues_line.get(block).is_some_and(|&continues| continues)
    }

    /// The greatest line of a block. The jump back to the head of a loop may be on the line of that.
    pub(crate) fn greatest_line(&self, block: BlockId) -> Option<u32> {
        self.lines.get(block)?[2]
    }

    /// Whether a block ends with an instruction that only jumps, or runs into one that no longer is there.
    pub(crate) fn jumps(&self, block: BlockId) -> bool {
        self.jumps.get(block).is_some_and(|&jumps| jumps)
    }

    /// Whether the instruction at an offset only jumps.
    pub(crate) fn is_jump(&self, offset: u32) -> bool {
        self.jump_target(offset).is_some()
    }

    /// Where the instruction at an offset leads, if it only jumps.
    pub(crate) fn jump_target(&self, offset: u32) -> Option<u32> {
        let found = self.jumps_at.binary_search_by_key(&offset, |&(at, _)| at).ok()?;
        Some(self.jumps_at[found].1)
    }

    /// Whether the instruction at an offset returns None because a `return` says so.
    pub(crate) fn is_written_return(&self, offset: u32) -> bool {
        self.written_returns.binary_search(&offset).is_ok()
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
    pub(crate) fn indentation(&self, blocks: impl Iterator<Item = BlockId>) -> Option<u32> {
        let (mut least, mut statement) = (None::<u32>, None::<u32>);
        for columns in blocks.filter_map(|block| self.columns.get(block)) {
            least = columns.least.into_iter().chain(least).min();
            statement = columns.statement.into_iter().chain(statement).min();
        }
        if statement == least { least } else { least.map(|least| least.saturating_sub(3)) }
    }

    /// The column of the statement that ends a block, if its place is that of the instruction: behind the body of a
    /// `finally`, it is not.
    pub(crate) fn last_column(&self, block: BlockId) -> Option<u32> {
        let [first, last, _] = *self.lines.get(block)?;
        self.columns.get(block)?.last.filter(|_| last <= first)
    }
}

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
    let mut found = Columns { last: instructions.last().and_then(|last| last.column), ..Columns::default() };
    let add =
        |least: &mut Option<u32>, column: u32| *least = Some(least.map_or(column, |least| least.min(column)));
    for instruction in instructions {
        let Some(column) = instruction.column else { continue };
        // The jump back to the head of a loop has the place of the loop, which is not as deep as its body.
        if !matches!(instruction.op, Op::Jump(_)) {
            add(&mut found.least, column);
        }
        if is_statement(instruction.op) {
            add(&mut found.statement, column);
        }
    }
    found
}

/// Whether the instruction behind one may be the next that runs.
fn goes_on(op: Op) -> bool {
    !matches!(op, Op::Jump(_) | Op::Return | Op::Raise(_) | Op::Reraise(_) | Op::EndFinally { .. })
}

/// The instructions that return None where several ways lead to them. The end of a function that no `return` was
/// written for is copied to each way (CPython `Python/flowgraph.c`, `duplicate_exits_without_lineno`).
fn written_returns(context: &Context<'_>, range: Range<usize>) -> Vec<u32> {
    let Function { instructions, .. } = context.function;
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
        pair[1].op == Op::Return && returns_none(&[pair[0].op], context.code) && several_ways_lead_to(*at)
    });
    written.map(|(_, pair)| pair[1].offset).collect()
}
