//! One operation of the original and what the source has for it.

use depyf_bytecode::{CallLayout, Const, FunctionParts, Intrinsic1, Op, UnaryOp, flags};

use super::jumps::ways;
use super::stack::{Slot, Stack};
use super::{Lockstep, Next, Place};
use crate::flow::stores_first_line;

/// Keywords of a call that are compared with each other; calls with more are left to the full comparison.
const MOST_KEYWORDS: usize = 32;

/// Where the exit function of a `with` statement lies in its handler, to 3.10.
const EXIT_DEPTH: u32 = 7;

impl Lockstep<'_, '_> {
    /// Takes one step on both sides, at operations that are not the same ([`Lockstep::same`]): what the compiler spells in
    /// its own way.
    #[inline(never)]
    pub(super) fn spelled_otherwise(&mut self, place: &mut Place, first: Op, second: Op) -> Option<Next> {
        let Place { original: a, source: b, .. } = *place;
        let is_moved = matches!(first, Op::StoreLocal(_) | Op::Swap(_) | Op::Rot(_) | Op::Pop);
        if is_moved && moves(second) && first != second {
            let before = *place;
            if self.stores(place).is_some() {
                return Some(Next::Lands);
            }
            *place = before;
        }
        if self.features.finally_subroutines && second == Op::PopExcept && matches!(first, Op::Const(_)) {
            self.unbinds_before_end(place)?;
            return Some(Next::Lands);
        }
        let stack = &mut place.stack;
        // Behind the step, where it takes one operation on each side.
        (place.original, place.source) = (a + 1, b + 1);
        match first {
            Op::Call { .. } | Op::CallKeywords { .. } | Op::CallEx { .. } => {
                self.call(stack, first, second, a)?;
                self.raise(a, b, place.stack)?;
                place.stack.push(Slot::Value)?;
            }
            Op::Return => {
                agree(second == Op::Return)?;
                stack.pop_values(1)?;
                return Some(Next::Ends);
            }
            Op::Is { .. } | Op::Contains { .. } => return self.opposite(place, (a, first), (b, second)),
            // To 3.10 the qualified name of a function, which is not compared.
            Op::Const(_) if self.original.op(a + 1) == Some(Op::Pop) => {
                (place.original, place.source) = (a + 2, b);
            }
            Op::Const(_) | Op::SmallInt(_) | Op::Common(_) => self.constants(place, first, (a, b))?,
            Op::BuildList(0) | Op::BuildSet(0) => {
                place.source = self.constant_display(first, a, b)?;
                place.original = a + 3;
                place.stack.push(Slot::Value)?;
            }
            // What a chain of comparisons does to its last operand to 3.10.
            Op::Copy(1) if self.original.op(a + 1) == Some(Op::Rot(3)) && second == Op::Swap(2) => {
                agree(self.source.op(b + 1) == Some(Op::Copy(2)))?;
                agree((1..=2).all(|depth| stack.peek(depth) == Some(Slot::Value)))?;
                stack.push(Slot::Value)?;
                (place.original, place.source) = (a + 2, b + 2);
            }
            Op::Copy(depth) => {
                agree(second == Op::Copy(stack.source_depth(depth)?))?;
                stack.copy(depth)?;
            }
            Op::Swap(depth) => self.swap(place, depth, second)?,
            Op::Rot(depth) => self.rotate(place, depth, second)?,
            Op::ListAppend(_)
            | Op::SetAdd(_)
            | Op::MapAdd(_)
            | Op::ListExtend(_)
            | Op::SetUpdate(_)
            | Op::DictUpdate(_)
            | Op::DictMerge(_) => self.add(stack, first, second, (a, b))?,
            Op::MakeFunction(parts) => place.source = self.make_function(stack, parts, b)?,
            Op::SetFunctionAttribute(_) => {
                agree(first == second)?;
                stack.pop_values(2)?;
                stack.push(Slot::Value)?;
            }
            Op::BinarySlice | Op::StoreSlice => {
                agree(second == Op::BuildSlice(2))?;
                self.slice(place, first, (a, b))?;
            }
            Op::ToBool => return self.truth(place, a, b),
            Op::JumpIf(..) | Op::JumpIfOrPop(..) | Op::ForIter { .. } => {
                return self.jump(place, (a, first), (b, second));
            }
            Op::Send(_) => {
                agree(second == Op::YieldFrom)?;
                place.original = self.original.delegation(a)?;
                self.send(&mut place.stack, (a, b))?;
                return Some(Next::Lands);
            }
            // The source wraps by itself what an asynchronous generator yields.
            Op::Intrinsic1(Intrinsic1::AsyncGenWrap) => {
                let at = self.original.skip_nops(a + 1);
                agree(self.yields_wrapped() && second == Op::Yield)?;
                agree(self.original.op(at) == Some(Op::Yield))?;
                self.exchange(stack, (at, b))?;
                place.original = at + 1;
            }
            Op::Yield => {
                agree(second == Op::Yield && !self.yields_wrapped())?;
                self.exchange(stack, (a, b))?;
            }
            Op::BeforeWith { slots, is_async } => {
                agree(second == Op::BeforeWith { slots: 1, is_async } && (1..=2).contains(&slots))?;
                self.exchange(stack, (a, b))?;
                (1..slots).try_for_each(|_| place.stack.push(Slot::Hidden))?;
                place.stack.push(Slot::Value)?;
            }
            _ => return self.handling(place, (a, first), (b, second)),
        }
        Some(Next::Falls)
    }

    /// Takes one value and leaves one, unless that raises.
    fn exchange(&mut self, stack: &mut Stack, (a, b): (u32, u32)) -> Option<()> {
        stack.pop_values(1)?;
        self.raise(a, b, *stack)?;
        stack.push(Slot::Value)
    }

    /// Constants that both sides load, one or several.
    fn constants(&mut self, place: &mut Place, first: Op, (a, b): (u32, u32)) -> Option<()> {
        if self.stores_first_line(a, b) {
            (place.original, place.source) = (a + 2, b + 2);
            return self.raise(a + 1, b + 1, place.stack);
        }
        // To 3.10 one constant may be copied to be several arguments.
        (place.source, place.original) = (b, a);
        while let Some(next) = self.constant(first, place.source) {
            (place.source, place.original) = (next, place.original + 1);
            place.stack.push(Slot::Value)?;
            if self.original.op(place.original) != Some(Op::Copy(1)) {
                break;
            }
        }
        agree(place.original > a)
    }

    /// A test that one side negates and the other turns round.
    fn opposite(&mut self, place: &mut Place, (a, first): (u32, Op), (b, second): (u32, Op)) -> Option<Next> {
        let is_pair = matches!(
            (first, second),
            (Op::Is { .. }, Op::Is { .. }) | (Op::Contains { .. }, Op::Contains { .. })
        );
        agree(is_pair)?;
        let (jump, other) = (self.original.skip_nops(a + 1), self.source.skip_nops(b + 1));
        place.stack.pop_values(2)?;
        if matches!(first, Op::Contains { .. }) {
            self.raise(a, b, place.stack)?;
        }
        let first = ways(jump, self.original.op(jump)?)?;
        let (yes, no) = ways(other, self.source.op(other)?)?;
        Some(self.fork(place, first, (no, yes)))
    }

    fn yields_wrapped(&self) -> bool {
        self.code.flags & flags::ASYNC_GENERATOR != 0 && !self.features.six_value_handlers
    }

    /// Whether a class body stores its first line here, which is no part of what it does.
    fn stores_first_line(&self, a: u32, b: u32) -> bool {
        let (Some(Op::StoreName(first)), Some(Op::StoreName(second)), Some(Op::Const(line))) =
            (self.original.op(a + 1), self.source.op(b + 1), self.source.op(b))
        else {
            return false;
        };
        let is_line = |value: Option<&Const>| matches!(value, Some(Const::Int(_)));
        let number = match self.original.op(a) {
            Some(Op::Const(index)) => is_line(self.code.consts.get(index as usize)),
            Some(Op::SmallInt(_)) => true,
            _ => false,
        };
        let other = match self.lowered.consts.get(line as usize) {
            Some(crate::lower::LoweredConst::Value(value)) => is_line(Some(value)),
            _ => false,
        };
        let name = self.code.names.get(first as usize);
        // The user's own stores come later, and are compared.
        let comes_first = || !self.lowered.ops.iter().take(b as usize).any(|&op| op == Op::StoreName(second));
        number
            && other
            && name.is_some_and(|name| *name == "__firstlineno__")
            && name == self.lowered.names.get(second as usize)
            && stores_first_line(self.code)
            && comes_first()
    }

    /// `[1, 2, 3]`, `{1, 2, 3}`: the compiler extends an empty collection by a constant one.
    fn constant_display(&mut self, first: Op, a: u32, b: u32) -> Option<u32> {
        let Some(Op::Const(index)) = self.original.op(a + 1) else { return None };
        let code = self.code;
        let (items, made) = match (first, self.original.op(a + 2)?, code.consts.get(index as usize)?) {
            (Op::BuildList(0), Op::ListExtend(1), Const::Tuple(items)) => {
                (items, Op::BuildList(items.len() as u32))
            }
            (Op::BuildSet(0), Op::SetUpdate(1), Const::FrozenSet(items)) => {
                (items, Op::BuildSet(items.len() as u32))
            }
            _ => return None,
        };
        let end = self.push_all(items, b, 0)?;
        (self.source.op(end) == Some(made)).then_some(end + 1)
    }

    /// An exchange; `a, b = b, a` is one too, where the source packs and unpacks.
    fn swap(&mut self, place: &mut Place, depth: u32, second: Op) -> Option<()> {
        let stack = &mut place.stack;
        if second == Op::BuildTuple(depth) && (2..=3).contains(&depth) {
            agree(self.source.op(place.source) == Some(Op::Unpack(depth)))?;
            agree((1..=depth).all(|depth| stack.peek(depth) == Some(Slot::Value)))?;
            place.source += 1;
        } else {
            let at = stack.source_depth(depth)?;
            agree(!stack.top()?.hides())?;
            agree(second == Op::Swap(at) || at == 2 && second == Op::Rot(2))?;
        }
        stack.swap(depth)
    }

    /// A rotation, which may be two exchanges in the source.
    fn rotate(&mut self, place: &mut Place, depth: u32, second: Op) -> Option<()> {
        let stack = &mut place.stack;
        let at = stack.values_down_to(depth)?;
        agree(!stack.top()?.hides())?;
        if (at, second, self.source.op(place.source)) == (3, Op::Swap(3), Some(Op::Swap(2))) {
            place.source += 1;
        } else {
            agree(second == Op::Rot(at) || at == 2 && second == Op::Swap(2))?;
        }
        stack.rotate(depth)
    }

    /// What a slice is loaded from or stored to: the source builds the slice first.
    fn slice(&mut self, place: &mut Place, first: Op, (a, b): (u32, u32)) -> Option<()> {
        let (applied, pops, pushes) = match first {
            Op::BinarySlice => (Op::Subscript, 3, 1),
            _ => (Op::StoreSubscript, 4, 0),
        };
        agree(self.source.op(b + 1) == Some(applied))?;
        place.stack.pop_values(pops)?;
        self.raise(a, b + 1, place.stack)?;
        place.source = b + 2;
        place.stack.push_values(pushes)
    }

    /// Adds what lies on top to the container at a depth below it.
    fn add(&mut self, stack: &mut Stack, first: Op, second: Op, (a, b): (u32, u32)) -> Option<()> {
        let pops = if matches!(first, Op::MapAdd(_)) { 2 } else { 1 };
        stack.pop_values(pops)?;
        let at = |depth: u32| stack.source_depth(depth);
        let other = match first {
            Op::ListAppend(depth) => Op::ListAppend(at(depth)?),
            Op::SetAdd(depth) => Op::SetAdd(at(depth)?),
            Op::MapAdd(depth) => Op::MapAdd(at(depth)?),
            Op::ListExtend(depth) => Op::ListExtend(at(depth)?),
            Op::SetUpdate(depth) => Op::SetUpdate(at(depth)?),
            Op::DictUpdate(depth) => Op::DictUpdate(at(depth)?),
            Op::DictMerge(depth) => Op::DictMerge(at(depth)?),
            _ => return None,
        };
        agree(second == other)?;
        self.raise(a, b, *stack)
    }

    /// Takes the callee and the arguments of a call off the stack.
    fn call(&mut self, stack: &mut Stack, first: Op, second: Op, a: u32) -> Option<()> {
        match (first, second) {
            (Op::Call { positional, layout }, Op::Call { positional: other, layout: CallLayout::Plain }) => {
                stack.pop_values(positional)?;
                agree(other == positional.checked_add(callee(stack, layout)?)?)
            }
            (
                Op::CallKeywords { arguments, layout },
                Op::CallKeywords { arguments: other, layout: CallLayout::Plain },
            ) => {
                self.has_distinct_keywords(a)?;
                stack.pop_values(arguments.checked_add(1)?)?;
                agree(other == arguments.checked_add(callee(stack, layout)?)?)
            }
            (Op::CallEx { keywords, layout }, Op::CallEx { keywords: other, layout: CallLayout::Plain }) => {
                let null = keywords && stack.top() == Some(Slot::Hidden);
                agree(other == (keywords && !null))?;
                if null {
                    stack.pop()?;
                }
                stack.pop_values(1 + u32::from(other))?;
                agree(callee(stack, layout)? == 0)
            }
            _ => None,
        }
    }

    /// Whether the keywords of a call, a constant that was pushed right before it, are distinct.
    fn has_distinct_keywords(&self, a: u32) -> Option<()> {
        let Some(Op::Const(index)) = self.original.op(a.checked_sub(1)?) else { return None };
        let Const::Tuple(names) = self.code.consts.get(index as usize)? else { return None };
        let is_distinct = |at: usize| {
            matches!(&names[at], Const::Str(name)
                if !names[..at].iter().any(|other| matches!(other, Const::Str(other) if other == name)))
        };
        agree(names.len() <= MOST_KEYWORDS && (0..names.len()).all(is_distinct))
    }

    /// Makes a function. To 3.12 its parts lie below the code; the source adds one at a time.
    fn make_function(&mut self, stack: &mut Stack, parts: FunctionParts, b: u32) -> Option<u32> {
        agree(self.source.op(b) == Some(Op::MakeFunction(FunctionParts::default())))?;
        stack.pop_values(1)?;
        let mut next = b + 1;
        for part in [
            FunctionParts::CLOSURE,
            FunctionParts::ANNOTATIONS,
            FunctionParts::KEYWORD_DEFAULTS,
            FunctionParts::DEFAULTS,
        ] {
            if parts.has(part) {
                agree(self.source.op(next) == Some(Op::SetFunctionAttribute(FunctionParts(part))))?;
                stack.pop_values(1)?;
                next += 1;
            }
        }
        stack.push(Slot::Value)?;
        Some(next)
    }

    /// `yield from` and `await`: the iterator stays on the original's stack until it is dropped.
    fn send(&mut self, stack: &mut Stack, (a, b): (u32, u32)) -> Option<()> {
        stack.pop_values(1)?;
        let slots = if stack.top() == Some(Slot::Hidden) { 2 } else { 1 };
        agree(stack.peek(slots) == Some(Slot::Value))?;
        let below = stack.kept(stack.height() - slots)?;
        self.raise(a, b, below)?;
        if self.features.send_drops_iterator {
            *stack = below;
        } else {
            stack.hide(slots)?;
        }
        stack.push(Slot::Value)
    }

    /// A truth value that the next operation takes.
    fn truth(&mut self, place: &mut Place, a: u32, b: u32) -> Option<Next> {
        let next = self.original.skip_nops(a + 1);
        match (self.original.op(next)?, self.source.op(b)?) {
            (first @ Op::JumpIf(..), second) => {
                place.stack.pop_values(1)?;
                self.raise(a, b, place.stack)?;
                self.branch(place, (next, first), (b, second))
            }
            (Op::Unary(UnaryOp::Not), Op::Unary(UnaryOp::Not)) => {
                place.stack.pop_values(1)?;
                self.raise(a, b, place.stack)?;
                place.stack.push(Slot::Value)?;
                (place.original, place.source) = (next + 1, b + 1);
                Some(Next::Falls)
            }
            _ => None,
        }
    }

    /// Ends of ways, and what enters and leaves handlers.
    fn handling(&mut self, place: &mut Place, (a, first): (u32, Op), (b, second): (u32, Op)) -> Option<Next> {
        let stack = &mut place.stack;
        let saves = self.features.six_value_handlers;
        match (first, second) {
            (Op::Raise(count), Op::Raise(other)) if count == other => {
                stack.pop_values(count)?;
                self.raise(a, b, *stack)?;
                return Some(Next::Ends);
            }
            (Op::Reraise(_), Op::Reraise(_)) => {
                agree(!saves || stack.pop() == Some(Slot::Part))?;
                stack.pop_values(1)?;
                agree(!saves || stack.pop() == Some(Slot::Part))?;
                self.raise(a, b, *stack)?;
                return Some(Next::Ends);
            }
            (Op::PushExcInfo, Op::PushExcInfo) => {
                stack.pop_values(1)?;
                stack.push(Slot::Previous)?;
                stack.push(Slot::Value)?;
            }
            (Op::PopExcept, Op::PopExcept) if saves => stack.pop_saved()?,
            (Op::PopExcept, Op::PopExcept) => agree(stack.pop() == Some(Slot::Previous))?,
            (Op::ExceptionMatch, Op::ExceptionMatch) => {
                stack.pop_values(1)?;
                // To 3.10 it compares a copy of the type.
                agree(!saves || stack.pop() == Some(Slot::Part) && stack.has_raised())?;
                agree(saves || stack.top() == Some(Slot::Value))?;
                self.raise(a, b, *stack)?;
                place.stack.push(Slot::Value)?;
            }
            (Op::WithExceptStart, Op::WithExceptStart) if saves => {
                agree(stack.has_raised() && stack.peek(EXIT_DEPTH) == Some(Slot::Value))?;
                self.raise(a, b, *stack)?;
                place.stack.push(Slot::Value)?;
            }
            (Op::WithExceptStart, Op::WithExceptStart) => {
                agree(stack.peek(1) == Some(Slot::Value) && stack.peek(2) == Some(Slot::Previous))?;
                let mut depth = 3;
                while stack.peek(depth) == Some(Slot::Hidden) {
                    depth += 1;
                }
                agree(stack.peek(depth) == Some(Slot::Value))?;
                self.raise(a, b, *stack)?;
                place.stack.push(Slot::Value)?;
            }
            (Op::EndAsyncFor, Op::EndAsyncFor) if !saves => {
                self.raise(a, b, *stack)?;
                stack.pop_values(1)?;
                while stack.top() == Some(Slot::Hidden) {
                    stack.pop()?;
                }
                stack.pop_values(1)?;
            }
            _ => return None,
        }
        Some(Next::Falls)
    }
}

/// Whether an operation may be the first of those that only move values.
fn moves(op: Op) -> bool {
    matches!(op, Op::StoreLocal(_) | Op::Swap(_) | Op::Rot(_) | Op::Pop | Op::BuildTuple(_))
}

/// Takes the slots of a callee off the stack, and says how many arguments lie in them.
fn callee(stack: &mut Stack, layout: CallLayout) -> Option<u32> {
    if layout == CallLayout::Plain {
        stack.pop_values(1)?;
        return Some(0);
    }
    let (upper, lower) = stack.pop_two()?;
    match (lower, upper) {
        (Slot::Hidden, Slot::Hidden) => None,
        (Slot::Hidden, _) | (_, Slot::Hidden) => Some(0),
        // What lies above a method is its first argument.
        _ => Some(1),
    }
}

/// Goes on if it holds.
pub(super) fn agree(holds: bool) -> Option<()> {
    holds.then_some(())
}
