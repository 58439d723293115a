//! The straight comparison: both sides in lockstep, operation by operation, without any symbols.
//!
//! Most source lowers to the very operations that were decoded. Then both sides are in the same state
//! throughout, and to see that takes one look at each operation: the same operation on the same variable,
//! name or constant, the same handler for an exception, the same places behind a jump. Where the compiler
//! spells a thing in its own way that can be told on the spot (the NULLs of calls, `JUMP_IF_NONE`, cleanup
//! handlers), the two spellings count as one step. Everything else is left to the full comparison
//! (`product.rs`): that this one finds no partner for an operation means nothing.
//!
//! **What holds** at each pair of places: the locals and cells of both sides hold the same values, the same
//! exception is handled, and the original's stack without its hidden slots ([`Stack`]) is the source's. Nearly every
//! operation of the original has one partner, and further ones are counted, so the work is linear.

mod constants;
mod exceptions;
mod jumps;
mod operations;
mod stack;
mod steps;
mod stores;

use depyf_bytecode::{CodeObject, CommonConst, Const, Features, Function, Op, Variable, flags};
use depyf_value::PyStr;

use self::exceptions::Raised;
use self::stack::{Slot, Stack};
use self::steps::agree;
use super::program::{Near, Program};
use super::shortcuts;
use crate::lower::{Lowered, LoweredConst};

/// No place, variable, name or constant.
const NONE: u32 = u32::MAX;

/// Steps that each instruction may need, on average. What needs more is left to the full comparison.
const MOST_STEPS: usize = 10;

/// A pair of places, and the stack there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    original: u32,
    source: u32,
    stack: Stack,
}

/// How both sides go on behind a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// At what follows.
    Falls,
    /// At places that a jump led to.
    Lands,
    /// Not at all.
    Ends,
}

/// The partner of an instruction that a jump led to, and the stack that they were met with.
#[derive(Clone, Copy, Default)]
struct Met {
    /// The comparison that met them.
    comparison: u32,
    source: u32,
    stack: Stack,
}

/// What is kept from one comparison to the next, to save allocations.
#[derive(Default)]
pub(super) struct Memory {
    /// By instruction of the original.
    met: Vec<Met>,
    /// Counts the comparisons. What `met` says of others says nothing of this one, so that it need not be cleared.
    comparison: u32,
    /// What a name, a constant and a variable of the original is called in the source.
    names: Vec<u32>,
    consts: Vec<u32>,
    locals: Vec<u32>,
    /// What a variable of the source is called in the original.
    back: Vec<u32>,
    work: Vec<Place>,
}

/// A comparison at work.
struct Lockstep<'a, 'm> {
    code: &'a CodeObject,
    features: Features,
    original: Program<'a>,
    variables: &'a [Variable],
    rename: &'a [PyStr],
    lowered: &'a Lowered,
    source: Program<'a, Op>,
    /// The original wraps the exceptions that leave it.
    wrapped: bool,
    /// Neither side handles any exception, so that all leave both.
    lets_out: bool,
    left: usize,
    nested: Vec<(u32, u32)>,
    /// Code objects of functions are values here.
    looks_at_code: bool,
    /// What protects the instructions that were looked at last, on both sides.
    near: [Near; 2],
    /// Which slots were hidden when an exception of these instructions was found to go to the same handler.
    raised: Option<Raised>,
    memory: &'m mut Memory,
}

/// Compares two functions whose headers are equal. `None` means that nothing is known; else the result are the
/// nested code objects that stand for each other, as indexes into the constants of each side.
///
/// `rename` has the names that the source gives to the variables of `decoded`, unless it is empty.
pub(super) fn compare(
    code: &CodeObject,
    decoded: &Function,
    rename: &[PyStr],
    lowered: &Lowered,
    memory: &mut Memory,
) -> Option<Vec<(u32, u32)>> {
    let is_generator = code.flags & (flags::GENERATOR | flags::COROUTINE | flags::ASYNC_GENERATOR) != 0;
    let constants = lowered.consts.iter().map(|value| match value {
        LoweredConst::Value(value) => constants::size(value),
        LoweredConst::Code(_) => 1,
    });
    let size = decoded.instructions.len() + lowered.ops.len() + constants.sum::<usize>();
    let wrapped = is_generator && super::wraps_exceptions(code, decoded);
    memory.prepare(code, decoded, lowered);
    let mut lockstep = Lockstep {
        code,
        features: decoded.features,
        original: Program { code: &decoded.instructions, regions: &decoded.regions },
        variables: &decoded.variables,
        rename,
        lowered,
        source: Program { code: &lowered.ops, regions: &lowered.regions },
        wrapped,
        lets_out: !wrapped && decoded.regions.is_empty() && lowered.regions.is_empty(),
        left: MOST_STEPS * size + 100,
        nested: Vec::new(),
        looks_at_code: false,
        near: Default::default(),
        raised: None,
        memory,
    };
    lockstep.parameters()?;
    lockstep.run()?;
    let (mut nested, looks_at_code) = (lockstep.nested, lockstep.looks_at_code);
    nested.sort_unstable();
    nested.dedup();
    (!looks_at_code || are_one_to_one(&nested)).then_some(nested)
}

/// Whether no code object stands for two, so that code which compares code objects finds the same on both sides.
fn are_one_to_one(nested: &[(u32, u32)]) -> bool {
    let distinct = |numbers: Vec<u32>| numbers.is_sorted_by(|a, b| a < b);
    let mut others: Vec<u32> = nested.iter().map(|pair| pair.1).collect();
    others.sort_unstable();
    distinct(nested.iter().map(|pair| pair.0).collect()) && distinct(others)
}

impl Memory {
    fn prepare(&mut self, code: &CodeObject, decoded: &Function, lowered: &Lowered) {
        let size = decoded.instructions.len();
        self.comparison = self.comparison.wrapping_add(1);
        if self.comparison == 0 {
            self.met.clear();
            self.comparison = 1;
        }
        if self.met.len() < size {
            self.met.resize(size, Met::default());
        }
        for (list, length) in [
            (&mut self.names, code.names.len()),
            (&mut self.consts, code.consts.len()),
            (&mut self.locals, decoded.variables.len()),
            (&mut self.back, lowered.variables.len()),
        ] {
            list.clear();
            list.resize(length, NONE);
        }
        self.work.clear();
    }
}

impl Lockstep<'_, '_> {
    /// The parameters of both sides hold the same values.
    fn parameters(&mut self) -> Option<()> {
        let count = self.code.argcount.checked_add(self.code.kwonlyargcount)?;
        let stars = (self.code.flags & (flags::VARARGS | flags::VARKEYWORDS)).count_ones();
        (0..count.checked_add(stars)?).try_for_each(|at| self.local(at, at))
    }

    #[inline(never)]
    fn run(&mut self) -> Option<()> {
        self.memory.work.push(Place { original: 0, source: 0, stack: Stack::default() });
        while let Some(mut place) = self.memory.work.pop() {
            while self.lands(&place)? && self.walk(&mut place)? == Next::Lands {}
        }
        Some(())
    }

    /// Whether a place is a new one.
    ///
    /// Ways that lead to one place meet where a jump leads to it, on either side. What only the original has there may be
    /// looked at again on a way that falls into it, up to the next jump.
    fn lands(&mut self, place: &Place) -> Option<bool> {
        let comparison = self.memory.comparison;
        let met = self.memory.met.get_mut(place.original as usize)?;
        let is_met = met.comparison == comparison && met.source == place.source && met.stack == place.stack;
        *met = Met { comparison, source: place.source, stack: place.stack };
        Some(!is_met)
    }

    /// Takes steps on both sides up to a jump or a place that jumps lead to, or to the end of the way.
    fn walk(&mut self, place: &mut Place) -> Option<Next> {
        let joins = &self.lowered.joins;
        let next_join = joins.partition_point(|&join| join <= place.source);
        let border = joins.get(next_join).copied().unwrap_or(u32::MAX);
        let mut steps = 0;
        let next = loop {
            let (first, second) = (self.original.op(place.original)?, self.source.op(place.source)?);
            steps += 1;
            if let Some(effect) = self.same(place, first, second) {
                if effect.pops > 0 {
                    place.stack.pop_values(effect.pops)?;
                }
                if effect.raises && !self.lets_out {
                    self.raise_protected(place.original, place.source, &place.stack)?;
                }
                place.stack.push_values(effect.pushes)?;
                place.original += 1;
                place.source += 1;
            } else {
                let is_alone = matches!(second, Op::Nop | Op::Jump(_)) || may_be_skipped(first, &place.stack);
                let next = match is_alone {
                    true => self.pass(place, first)?,
                    false => None,
                };
                let next = match next {
                    Some(next) => next,
                    None => self.spelled_otherwise(place, first, second)?,
                };
                if next != Next::Falls {
                    break next;
                }
            }
            if place.source >= border {
                break Next::Lands;
            }
        };
        // What one side has once, the other may have copied: then all its copies are looked at.
        self.spend_all(steps)?;
        Some(next)
    }

    /// Counts a step.
    fn spend(&mut self) -> Option<()> {
        self.spend_all(1)
    }

    /// Counts steps.
    fn spend_all(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }

    /// Passes over what only one side has; `None` where that is nothing.
    #[inline(never)]
    fn pass(&mut self, place: &mut Place, first: Op) -> Option<Option<Next>> {
        let before = (place.original, place.source);
        let mut jumps = may_be_skipped(first, &place.stack) && self.skip_hidden(place)?;
        loop {
            match self.source.op(place.source)? {
                Op::Nop => place.source += 1,
                Op::Jump(to) => (place.source, jumps) = (to, true),
                _ => break,
            }
            self.spend()?;
        }
        let passed = jumps || before != (place.original, place.source);
        Some(passed.then_some(if jumps { Next::Lands } else { Next::Falls }))
    }

    /// Passes over what only the original has, and says whether there were jumps.
    fn skip_hidden(&mut self, place: &mut Place) -> Option<bool> {
        // What is passed over is passed over on each way that leads here.
        let mut steps = 0;
        let mut jumps = false;
        loop {
            let stack = &mut place.stack;
            let op = self.original.op(place.original)?;
            match op {
                Op::Nop | Op::PopBlock | Op::SetupBlock(_) => {}
                Op::Jump(to) => {
                    // Jumps may lead back, and so take steps without end.
                    self.spend()?;
                    (place.original, jumps) = (to, true);
                    continue;
                }
                Op::PushNull => stack.push(Slot::Hidden)?,
                Op::Pop if stack.top_hides() => drop(stack.pop()?),
                Op::Copy(depth) if stack.peek(depth) == Some(Slot::Hidden) => stack.copy(depth)?,
                // The type of the handled exception, for a comparison.
                Op::Copy(1) if stack.has_raised() => stack.push(Slot::Part)?,
                Op::Copy(1) => match self.builtin_shortcut(place.original) {
                    Some(call) => {
                        self.spend()?;
                        (place.original, jumps) = (call, true);
                        continue;
                    }
                    None => break,
                },
                Op::Swap(depth) if stack.swaps_silently(depth) => stack.swap(depth)?,
                Op::Rot(depth) if stack.rotates_silently(depth) => stack.rotate(depth)?,
                // The iterator that `yield from` is done with.
                Op::EndSend if stack.peek(2) == Some(Slot::Hidden) => {
                    let value = stack.pop()?;
                    stack.pop()?;
                    stack.push(value)?;
                }
                _ => break,
            }
            place.original += 1;
            steps += 1;
        }
        self.spend_all(steps)?;
        Some(jumps)
    }

    /// Where the call stands that the loop here stands for.
    fn builtin_shortcut(&self, at: u32) -> Option<u32> {
        let truth = |op: Op| match op {
            Op::Const(index) => match self.code.consts.get(index as usize) {
                Some(Const::Bool(value)) => Some(*value),
                _ => None,
            },
            Op::Common(CommonConst::True) => Some(true),
            Op::Common(CommonConst::False) => Some(false),
            _ => None,
        };
        shortcuts::call_of_builtin(self.original, at, &truth)
    }

    /// A variable of both sides that holds the same value.
    #[inline]
    fn local(&mut self, a: u32, b: u32) -> Option<()> {
        // Nearly always the two have met, and so each is known to be the other.
        match self.memory.locals.get(a as usize) {
            Some(&known) if known == b && b != NONE => Some(()),
            _ => self.new_local(a, b),
        }
    }

    #[inline(never)]
    fn new_local(&mut self, a: u32, b: u32) -> Option<()> {
        let (there, back) = (*self.memory.locals.get(a as usize)?, *self.memory.back.get(b as usize)?);
        agree(there == NONE && back == NONE)?;
        self.same_variable(a, b)?;
        self.memory.locals[a as usize] = b;
        self.memory.back[b as usize] = a;
        Some(())
    }

    /// A variable that its name tells: a cell, which both sides have.
    fn same_variable(&self, a: u32, b: u32) -> Option<()> {
        let first = self.variables.get(a as usize)?;
        let second = self.lowered.variables.get(b as usize)?;
        let name = self.rename.get(a as usize).unwrap_or(&first.name);
        (*name == second.name && first.kind == second.kind).then_some(())
    }

    /// An attribute. What the code of a function holds may differ between functions that do the same: that is left to
    /// the full comparison.
    fn attribute(&mut self, a: u32, b: u32) -> Option<()> {
        let name = self.code.names.get(a as usize)?;
        match name.as_wtf8() {
            b"co_consts" => return None,
            b"__code__" if self.code.names.iter().any(|name| *name == "co_consts") => return None,
            b"__code__" => self.looks_at_code = true,
            _ => {}
        }
        self.name(a, b)
    }

    #[inline]
    fn name(&mut self, a: u32, b: u32) -> Option<()> {
        match self.memory.names.get(a as usize) {
            Some(&known) if known == b && b != NONE => Some(()),
            _ => self.new_name(a, b),
        }
    }

    #[inline(never)]
    fn new_name(&mut self, a: u32, b: u32) -> Option<()> {
        let known = self.memory.names.get_mut(a as usize)?;
        agree(self.code.names.get(a as usize)? == self.lowered.names.get(b as usize)?)?;
        *known = b;
        Some(())
    }
}

/// Whether [`Lockstep::skip_hidden`] may pass over an operation; all others are compared at once.
fn may_be_skipped(op: Op, stack: &Stack) -> bool {
    match op {
        Op::Nop | Op::PopBlock | Op::SetupBlock(_) | Op::Jump(_) | Op::PushNull | Op::Copy(_) => true,
        Op::Pop | Op::Swap(_) | Op::Rot(_) | Op::EndSend => stack.hides_any(),
        _ => false,
    }
}
