//! Which word of the source an instruction stands for, by how wide that is.
//!
//! `pass`, `break`, `continue` and `return` may be the same to the bytecode: a jump to one place, or a return of None.
//! From 3.11 on the line table says from where to where an instruction stands, and their words are of different length.
//! What the compiler adds stands where something else does (CPython `Python/flowgraph.c`, `propagate_line_numbers`).

use std::cell::OnceCell;

use depyf_bytecode::{CodeObject, Function, Instruction, Op, flags};
use depyf_syntax::ast::Origin;

use crate::dynamo::packs_values;
use crate::flow::{instructions_before, returns_none, unbinds};
use crate::scope::is_expression;

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

impl Word {
    fn of_width(width: u8) -> Option<Self> {
        Some(match width {
            3 => Self::Ellipsis,
            4 => Self::PassOrNone,
            5 => Self::Break,
            6 => Self::Return,
            8 => Self::Continue,
            _ => return None,
        })
    }
}

/// The words of a function.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    pub(super) code: &'a CodeObject,
    pub(super) function: &'a Function,
    /// Where words stand, in order, once asked for. None do in an expression, nor where no columns are known, nor in code
    /// of Dynamo's, which has places of the user's.
    places: &'a OnceCell<WordPlaces>,
}

/// What leaves as many `with` statements as may be nested is no longer.
const LONGEST_LEAVING: usize = 20 * 12;

/// Where the words of a function stand.
pub(crate) type WordPlaces = Vec<Place>;

/// Line, column and width.
type Place = (u32, u32, u8);

impl<'a> Words<'a> {
    /// Those of a function. `places` keeps where they stand, for when it is asked again.
    pub(crate) fn of(code: &'a CodeObject, function: &'a Function, places: &'a OnceCell<WordPlaces>) -> Self {
        Self { code, function, places }
    }

    fn places(&self) -> &'a [Place] {
        self.places.get_or_init(|| places_of_words(self.code, self.function))
    }

    /// Whether there are any.
    pub(super) fn are_told(&self) -> bool {
        !self.places().is_empty()
    }

    /// The word where a statement has its origin, if all that stands there is a word.
    pub(super) fn at(&self, origin: Origin) -> Option<Word> {
        if origin == Origin::NONE {
            return None;
        }
        let found = self.function.instructions.get(instructions_before(self.function, origin.0))?;
        self.of_instruction(found)
    }

    /// The word of a `break` or `return` whose end has an origin. What leaves a `with` on the way stands where that does, and
    /// so does what the word itself does behind it; a NOP in front has the place of the word (CPython `Python/compile.c`,
    /// `compiler_unwind_fblock`).
    pub(super) fn leaving(&self, origin: Origin) -> Option<Word> {
        let found = self.at(origin);
        if found.is_some() || origin == Origin::NONE {
            return found;
        }
        let all = self.function.instructions.as_slice();
        let before = &all[..instructions_before(self.function, origin.0)];
        let leaves = |found: &&Instruction| leaves_manager(found.op, self.code, all);
        let word = before.iter().rev().take(LONGEST_LEAVING).find(|found| !leaves(found))?;
        let word = (word.op == Op::Nop).then(|| self.of_instruction(word))?;
        word.filter(|word| matches!(word, Word::Break | Word::Return))
    }

    /// The word that an instruction stands for.
    pub(super) fn of_instruction(&self, found: &Instruction) -> Option<Word> {
        let word = Word::of_width(found.width)?;
        self.places().binary_search(&place(found)?).is_ok().then_some(word)
    }
}

/// The places of words, at which nothing else stands.
fn places_of_words(code: &CodeObject, function: &Function) -> WordPlaces {
    if is_expression(code) {
        return Vec::new();
    }
    // Only jumps are statements of one word in the body of a module or class that leave something.
    let returns_nothing = code.flags & flags::OPTIMIZED == 0;
    let mut places = Vec::new();
    let instructions = function.instructions.as_slice();
    // Mostly what else stands in a place comes right in front, and a None that no word is about is taken at once.
    let is_taken = |at: usize, op: Op| {
        matches!(op, Op::Const(_) | Op::Common(_))
            && at + 1 < instructions.len()
            && !may_be_word(code, instructions, at + 1)
    };
    // What stands in front of a word and is none, looked for up to here.
    let (mut other, mut looked_at) = (None, 0);
    for (at, found) in instructions.iter().enumerate() {
        // Most instructions are told from words by how wide they are.
        if Word::of_width(found.width).is_none() || !may_be_word(code, instructions, at) {
            continue;
        }
        let Some((word, own)) = Word::of_width(found.width).zip(place(found)) else { continue };
        let last = (looked_at..at).rev().find(|&before| !may_be_word(code, instructions, before));
        (other, looked_at) = (last.map(|last| &instructions[last]).or(other), at);
        if returns_nothing && !matches!(word, Word::Break | Word::Continue) {
            continue;
        }
        if other.and_then(place) != Some(own) && places.last() != Some(&own) && !is_taken(at, found.op) {
            places.push(own);
        }
    }
    if places.is_empty() || packs_values(code) {
        return Vec::new();
    }
    places.sort_unstable();
    places.dedup();
    let mut is_word = vec![true; places.len()];
    for (at, found) in instructions.iter().enumerate() {
        if Word::of_width(found.width).is_some()
            && !may_be_word(code, instructions, at)
            && let Some(at) = place(found).and_then(|place| places.binary_search(&place).ok())
        {
            is_word[at] = false;
        }
    }
    let mut is_word = is_word.into_iter();
    places.retain(|_| is_word.next() == Some(true));
    places
}

/// Whether a statement of one word may be compiled to an operation: it leaves blocks and handlers, goes on elsewhere, or
/// returns.
fn may_be_word(code: &CodeObject, instructions: &[Instruction], at: usize) -> bool {
    let op_at = |at: usize| instructions.get(at).map_or(Op::Nop, |found| found.op);
    match op_at(at) {
        op @ (Op::Const(_) | Op::Common(_)) => returns_none(&[op], code),
        Op::Nop | Op::Jump(_) | Op::Return | Op::Pop | Op::PopExcept | Op::PopBlock | Op::Swap(_) => true,
        // The name of the exception that a handler left has is unbound.
        op if op.stores_variable() => unbinds(op, op_at(at + 1)),
        op @ (Op::DeleteLocal(_) | Op::DeleteDeref(_) | Op::DeleteGlobal(_) | Op::DeleteName(_)) => {
            at > 0 && unbinds(op_at(at - 1), op)
        }
        _ => false,
    }
}

/// Whether an operation is part of what calls the exit function of a manager, and maybe awaits it, or of what leaves a block.
fn leaves_manager(op: Op, code: &CodeObject, all: &[Instruction]) -> bool {
    match op {
        Op::Const(_) | Op::Common(_) => returns_none(&[op], code),
        Op::Call { .. } | Op::PushNull | Op::Pop | Op::PopBlock | Op::Swap(_) => true,
        Op::GetAwaitable | Op::Send(_) | Op::Yield | Op::EndSend => true,
        // What is awaited is asked again.
        Op::Jump(to) => matches!(all.get(to as usize), Some(Instruction { op: Op::Send(_), .. })),
        _ => false,
    }
}

fn place(found: &Instruction) -> Option<Place> {
    (found.width > 0).then_some((found.line?, found.column?, found.width))
}
