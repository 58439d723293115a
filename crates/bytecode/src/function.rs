//! A decoded function: neutral operations with their places, and the protected regions.

use std::cell::OnceCell;

use depyf_value::PyStr;

use crate::op::{Op, Target};

/// What [`crate::decode()`] makes of a code object.
#[derive(Clone, Debug)]
pub struct Function {
    /// Locals, cells and free variables in one table: `varnames`, then the cells that are no locals,
    /// then the free variables. One name stands once, whatever the version.
    pub variables: Vec<Variable>,
    /// The operations, in the order of the bytecode. Jumps hold indexes into this list.
    pub instructions: Vec<Instruction>,
    /// Which instructions are protected by which handler; the innermost region of an instruction is the
    /// only one that holds it, as in the exception table of 3.11. Sorted by `start`, disjoint.
    pub regions: Vec<Region>,
    /// What the version does that the operations do not say.
    pub features: Features,
    /// Where the instructions of each offset begin.
    pub offsets: Offsets,
}

impl Function {
    /// How many instructions lie before an offset.
    #[must_use]
    pub fn instructions_before(&self, offset: u32) -> usize {
        let starts = self.offsets.0.get_or_init(|| starts(&self.instructions));
        let is_there = |at: usize| self.instructions.get(at).is_some_and(|found| found.offset == offset);
        match starts.get(unit(offset)) {
            Some(&at) if is_there(at as usize) => at as usize,
            _ => self.instructions.partition_point(|found| found.offset < offset),
        }
    }
}

/// The first instruction of each offset. Only some functions are asked for it, so it is found when it is first needed;
/// instructions may change afterwards, but do not move.
#[derive(Clone, Debug, Default)]
pub struct Offsets(OnceCell<Vec<u32>>);

/// Which unit of bytecode begins at an offset; each has two bytes.
fn unit(offset: u32) -> usize {
    offset as usize / 2
}

/// For each unit of bytecode the first of the instructions that it was decoded to; anything where there are none.
fn starts(instructions: &[Instruction]) -> Vec<u32> {
    let mut starts = vec![0; instructions.last().map_or(0, |last| unit(last.offset) + 1)];
    for (at, instruction) in instructions.iter().enumerate().rev() {
        if let Some(start) = starts.get_mut(unit(instruction.offset)) {
            *start = at as u32;
        }
    }
    starts
}

/// One entry of the table of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name as the code object has it; it may be no identifier (`.0`).
    pub name: PyStr,
    /// Where the variable lives.
    pub kind: VariableKind,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// A fast local.
    Local,
    /// A cell of this function (which may be a parameter too).
    Cell,
    /// A cell of an enclosing function.
    Free,
}

/// One neutral operation and where it came from.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Byte offset in `co_code` of the instruction that it came from (its EXTENDED_ARGs not counted).
    pub offset: u32,
    /// Line in the source; `None` where the line table has none.
    pub line: Option<u32>,
    /// Column that it begins at in the source, in bytes; `None` where the line table has none (to 3.10 always).
    pub column: Option<u32>,
    /// How many bytes wide it is in the source, at most 255; 0 where it has no column, or stands on several lines.
    pub width: u8,
}

/// A run of instructions and the handler that an exception in it goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First instruction.
    pub start: Target,
    /// Behind the last instruction.
    pub end: Target,
    /// First instruction of the handler.
    pub handler: Target,
    /// Stack depth that the handler keeps.
    pub depth: u32,
    /// Whether `f_lasti` is pushed below the exception (3.11 and later).
    pub lasti: bool,
}

impl Region {
    /// The region that protects an instruction, of regions that are sorted and disjoint as those of a [`Function`].
    #[must_use]
    pub fn around(regions: &[Self], at: Target) -> Option<&Self> {
        let next = regions.partition_point(|region| region.start <= at);
        regions.get(next.checked_sub(1)?).filter(|region| at < region.end)
    }
}

/// Behaviour of a version, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// A handler starts with six values (three saved, then traceback, value, type on top: to 3.10)
    /// instead of one exception.
    pub six_value_handlers: bool,
    /// `finally` bodies are subroutines (3.8).
    pub finally_subroutines: bool,
    /// Comprehensions run inside their function (3.12 and later).
    pub inlined_comprehensions: bool,
    /// Annotations are functions that are called when asked for (3.14 and later).
    pub deferred_annotations: bool,
    /// The first constant of a function is its docstring, or None (to 3.10 and by flag from 3.14 it may
    /// be absent).
    pub docstring_by_flag: bool,
    /// Conditional jumps only go forward: one that would go back jumps over a jump that does (3.12 and later).
    pub jumps_back_over: bool,
    /// Tests in front of a `break`, `continue` or `pass` jump to it (3.10 and later), not to where it leads.
    pub jump_statements_stay: bool,
    /// The operations lie in the order of the source (to 3.11); later, handlers and what seldom runs lie at the end.
    pub source_order: bool,
    /// Short ends of the function are copied to the jumps that lead to them (3.10, 3.12 and later).
    pub copies_ends: bool,
    /// Short ways without a line, also those that go on in the function, are copied to the jumps that lead to them
    /// (3.13 and later: `Python/flowgraph.c`, `inline_small_or_no_lineno_blocks`).
    pub copies_jumps: bool,
    /// A `while` has its test twice: before the loop and at its end (3.10 to 3.13).
    pub tests_loops_twice: bool,
    /// `not a in b` is turned into `a not in b`, and so is `is`, also where it is a test (to 3.13); later, only where
    /// its value is wanted.
    pub negates_comparisons: bool,
    /// Where the value of `a and b` is the first operand of another `and`, the test of `a` jumps past that, too, and nothing
    /// protects it: the new jump has no handler (3.14 and later: `Python/flowgraph.c`, `jump_thread`; the test is a part
    /// of the jump until then).
    pub threads_operands: bool,
    /// Loads of locals borrow the reference, but not behind a block that became empty: the compiler misses what is
    /// reached only from there (3.14).
    pub borrowing_stops_at_empty_blocks: bool,
    /// The end of the function that no `return` was written for is copied to each way that leads to it, and what is not
    /// reached is erased (3.10 and later).
    pub copies_implicit_end: bool,
    /// The `else` of a `try` lies between its body and its handlers (3.11 and later), not behind them.
    pub else_before_handlers: bool,
    /// A jump tests for None by itself, and no test of it is left that compares (3.11 and later).
    pub tests_none_by_jump: bool,
    /// The raise of an `assert` stands where the statement or its test begins (3.12 and later: `Python/compile.c`,
    /// `compiler_assert`), not where the last operand of the test does.
    pub places_assertions: bool,
    /// `Send` jumps with `result` alone on the stack, not with `iterator result` (3.11).
    pub send_drops_iterator: bool,
}

impl Features {
    /// Whether each `return` and `raise` that was written stands in the code once (3.11): ends are not copied, and a jump
    /// to a `return` stays a jump.
    #[must_use]
    pub fn keeps_ends(&self) -> bool {
        self.copies_implicit_end && !self.copies_ends
    }

    /// Whether what a `with` or a `finally` does at its end is copied to the jumps that lead there if the function ends behind
    /// it (3.10): it begins without a line.
    #[must_use]
    pub fn copies_exits(&self) -> bool {
        self.copies_ends && self.source_order
    }
}
