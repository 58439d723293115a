//! Which word of the source an instruction stands for, by how wide that is.
//!
//! `pass`, `break`, `continue` and `return` may be the same to the bytecode: a jump to one place, or a return of None.
//! From 3.11 on the line table says from where to where an instruction stands, and their words are of different length.
//! What the compiler adds stands where something else does (CPython `Python/flowgraph.c`, `propagate_line_numbers`).

use std::cell::OnceCell;

use depyf_bytecode::{CodeObject, CommonConst, Const, Function, Instruction, Op, flags};
use depyf_syntax::ast::Origin;

use crate::dynamo::packs_values;
use crate::flow::instructions_before;
use crate::hash::HashSet;
use crate::scope::is_comprehension;

/// A statement of one word, or the value of a `return`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Ellipsis,
    /// `pass`, or the None of `return None`.
    PassOrNone,
    Break,
    Return,
    Continue,
}

/// The words of a function.
pub(super) struct Words<'a> {
    code: &'a CodeObject,
    function: &'a Function,
    /// Whether the line table tells where words stand: not in an expression, nor where no columns are known.
    is_told: bool,
    /// Where what is more than a word stands; `None` in code of Dynamo's, which has places of the user's.
    others: OnceCell<Option<HashSet<Place>>>,
}

/// Line, column and width.
type Place = (u32, u32, u8);

impl<'a> Words<'a> {
    pub(super) fn of(code: &'a CodeObject, function: &'a Function) -> Self {
        let is_expression = is_comprehension(code) || code.name == "<lambda>" || code.name == "__annotate__";
        let is_told = !is_expression
            && code.flags & flags::OPTIMIZED != 0
            && function.instructions.iter().any(|found| found.width > 0);
        Self { code, function, is_told, others: OnceCell::new() }
    }

    /// Whether words stand anywhere.
    pub(super) fn are_told(&self) -> bool {
        self.is_told
    }

    /// The word where a statement has its origin, if all that stands there is a word.
    pub(super) fn at(&self, origin: Origin) -> Option<Word> {
        if !self.is_told || origin == Origin::NONE {
            return None;
        }
        self.at_index(instructions_before(self.function, origin.0))
    }

    /// The word that an instruction stands for, by its index.
    pub(super) fn at_index(&self, index: usize) -> Option<Word> {
        let found = self.function.instructions.get(index)?;
        let word = match found.width {
            3 => Word::Ellipsis,
            4 => Word::PassOrNone,
            5 => Word::Break,
            6 => Word::Return,
            8 => Word::Continue,
            _ => return None,
        };
        let found = place(found)?;
        // Mostly the rest of what stands there comes right in front.
        let before = self.function.instructions[..index].iter().rev();
        let mut there = before.take_while(|before| place(before) == Some(found));
        let is_other = |other: &Instruction| !self.may_be_word(other.op);
        if !self.is_told || there.any(is_other) {
            return None;
        }
        let others = self.others.get_or_init(|| {
            let others = self.function.instructions.iter().filter(|other| is_other(other));
            (!packs_values(self.code)).then(|| others.filter_map(place).collect())
        });
        others.as_ref().is_some_and(|others| !others.contains(&found)).then_some(word)
    }

    /// Whether a statement of one word may be compiled to an operation: it leaves blocks, goes on elsewhere, or returns.
    fn may_be_word(&self, op: Op) -> bool {
        match op {
            Op::Const(id) => matches!(self.code.consts.get(id as usize), Some(Const::None)),
            Op::Nop | Op::Jump(_) | Op::Return | Op::Pop | Op::PopExcept | Op::PopBlock | Op::Swap(_) => true,
            Op::Common(common) => common == CommonConst::None,
            _ => false,
        }
    }
}

fn place(found: &Instruction) -> Option<Place> {
    (found.width > 0).then_some((found.line?, found.column?, found.width))
}
