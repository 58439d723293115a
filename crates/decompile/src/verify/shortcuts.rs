//! The loops that 3.14 and later run in place of calls of `any`, `all`, `tuple`, `list` and `set`.
//!
//! Where the argument is a generator expression, the compiler first asks whether the callee is the builtin (CPython
//! `Python/codegen.c`, `maybe_optimize_function_call`):
//!
//! ```text
//!     COPY 1, LOAD_COMMON_CONSTANT any, IS_OP, POP_JUMP_IF_FALSE call
//!     POP_TOP, <generator>, next: FOR_ITER end, TO_BOOL, POP_JUMP_IF_TRUE found, JUMP next
//!     found: POP_ITER, LOAD_CONST True, JUMP behind
//!     end: POP_ITER, LOAD_CONST False, JUMP behind
//!     call: PUSH_NULL, <generator>, CALL 1
//!     behind:
//! ```
//!
//! Such a loop does what the builtin does, so that the call alone can be compared with the source. That the loop
//! is the one above is seen here, operation by operation; what is not is compared as it stands.

use depyf_bytecode::{CommonConst, JumpCondition, Op};

use super::program::Program;

/// Operations that are looked at on each way; longer ones are compared as they stand.
const MOST: usize = 1000;

/// Where the call stands, if the instruction starts the test for a builtin and the loop does what the builtin
/// does. `truth` says which operations push True or False.
pub(super) fn call_of_builtin(
    program: Program<'_>,
    at: u32,
    truth: &impl Fn(Op) -> Option<bool>,
) -> Option<u32> {
    let (Op::Copy(1), Op::Common(builtin), Op::Is { negated: false }) =
        (program.op(at)?, program.op(at + 1)?, program.op(at + 2)?)
    else {
        return None;
    };
    let Op::JumpIf(JumpCondition::False, call) = program.op(at + 3)? else { return None };
    Shortcut { program, builtin, truth }.is_call(at + 4, call).then_some(call)
}

struct Shortcut<'a, T> {
    program: Program<'a>,
    builtin: CommonConst,
    truth: &'a T,
}

/// The two lists of operations that make one generator.
struct Generators {
    /// Where they start.
    fast: u32,
    slow: u32,
    /// How many values more the stack has where the call makes it.
    higher: u32,
    /// The last place that a handler goes on at.
    last: u32,
}

impl<T: Fn(Op) -> Option<bool>> Shortcut<'_, T> {
    fn op(&self, at: u32) -> Option<Op> {
        self.program.op(at)
    }

    /// The place behind an operation, if that is here.
    fn behind(&self, at: u32, wanted: Op) -> Option<u32> {
        let at = self.program.skip_nops(at);
        (self.op(at) == Some(wanted)).then_some(at + 1)
    }

    fn is_call(&self, fast: u32, call: u32) -> bool {
        self.compare(fast, call).unwrap_or(false)
    }

    fn compare(&self, fast: u32, call: u32) -> Option<bool> {
        let mut fast = self.behind(fast, Op::Pop)?;
        match self.builtin {
            CommonConst::Tuple | CommonConst::List => fast = self.behind(fast, Op::BuildList(0))?,
            CommonConst::Set => fast = self.behind(fast, Op::BuildSet(0))?,
            CommonConst::All | CommonConst::Any => {}
            _ => return None,
        }
        let slow = self.behind(call, Op::PushNull)?;
        // The call has the callee and NULL on the stack, the loop its container.
        let higher = if matches!(self.builtin, CommonConst::All | CommonConst::Any) { 2 } else { 1 };
        let (next, call) = self.same_generator(fast, slow, higher)?;
        let Op::ForIter { exhausted, slots, pops: false } = self.op(next)? else { return None };
        // What the generator raises, and the test of what it gives, goes where the call's exceptions go.
        let protected = |at: u32| self.handler(at) == self.handler(call);
        if !protected(next) || !protected(next + 1) {
            return None;
        }
        let result = call + 1;
        let end = self.without_iterator(exhausted, slots)?;
        match self.builtin {
            CommonConst::All | CommonConst::Any => {
                let stops = self.builtin == CommonConst::Any;
                let condition = if stops { JumpCondition::True } else { JumpCondition::False };
                let test = self.behind(next + 1, Op::ToBool)?;
                let Op::JumpIf(found, to) = self.op(test)? else { return None };
                let again = self.program.skip_nops(test + 1);
                if found != condition || self.op(again) != Some(Op::Jump(next)) {
                    return None;
                }
                let found = self.without_iterator(to, slots)?;
                Some(self.ends_with(found, stops, result) && self.ends_with(end, !stops, result))
            }
            _ => {
                let add = match self.builtin {
                    CommonConst::Set => Op::SetAdd(u32::from(slots) + 1),
                    _ => Op::ListAppend(u32::from(slots) + 1),
                };
                let again = self.behind(next + 1, add)?;
                self.behind(again, Op::Jump(next))?;
                let end = match self.builtin {
                    CommonConst::Tuple => self.behind(end, Op::ListToTuple)?,
                    _ => end,
                };
                Some(self.same_way(end, result))
            }
        }
    }

    /// Where exceptions of an instruction go, and how much of the stack stays.
    fn handler(&self, at: u32) -> Option<(u32, u32)> {
        self.program.region(at).map(|region| (region.handler, region.depth))
    }

    /// Whether the exceptions of two instructions go to one place, or to copies of it: those of an inlined comprehension
    /// restore its variables first, and the call has so many values more on the stack. Those of an `await` go on behind it:
    /// then that place is kept, as far behind the starts of both generators.
    fn same_handler(&self, fast: u32, slow: u32, generators: &mut Generators) -> bool {
        match (self.handler(fast), self.handler(slow)) {
            (Some((a, depth)), Some((b, other))) if a != b => {
                depth + generators.higher == other && (self.same_way(a, b) || self.goes_on(a, b, generators))
            }
            (a, b) => a == b,
        }
    }

    /// Whether two handlers do the same and then go on at one place of both generators.
    fn goes_on(&self, mut a: u32, mut b: u32, generators: &mut Generators) -> bool {
        for _ in 0..MOST {
            (a, b) = (self.follow(a), self.follow(b));
            let place = a.wrapping_sub(generators.fast);
            if place < MOST as u32 && place == b.wrapping_sub(generators.slow) {
                generators.last = generators.last.max(place);
                return true;
            }
            if self.op(a).is_none() || self.op(a) != self.op(b) || self.handler(a) != self.handler(b) {
                return false;
            }
            (a, b) = (a + 1, b + 1);
        }
        false
    }

    /// Both ways make the same generator. Where the loop over it starts, and where the call takes it.
    fn same_generator(&self, fast: u32, slow: u32, higher: u32) -> Option<(u32, u32)> {
        let mut generators = Generators { fast, slow, higher, last: 0 };
        // The two lists of operations are as far from each other throughout.
        for step in 0..MOST as u32 {
            let (a, b) = (fast + step, slow + step);
            let (first, second) = (self.op(a)?, self.op(b)?);
            if let Op::Call { positional: 1, .. } = second {
                let start = if first == Op::PushNull { a + 1 } else { a };
                if matches!(self.op(start), Some(Op::ForIter { .. })) {
                    return (generators.last < step).then_some((start, b));
                }
            }
            let moved = |to: u32| (to.wrapping_sub(fast)).wrapping_add(slow);
            let same = match (first, second) {
                (Op::Jump(to), Op::Jump(other)) | (Op::Send(to), Op::Send(other)) => moved(to) == other,
                (Op::JumpIf(a, to), Op::JumpIf(b, other)) => a == b && moved(to) == other,
                (
                    Op::ForIter { exhausted, slots, pops },
                    Op::ForIter { exhausted: other, slots: other_slots, pops: other_pops },
                ) => moved(exhausted) == other && (slots, pops) == (other_slots, other_pops),
                (Op::JumpIf(..) | Op::Jump(_) | Op::ForIter { .. } | Op::Send(_), _) => false,
                _ => first == second,
            };
            if !same || !self.same_handler(a, b, &mut generators) {
                return None;
            }
        }
        None
    }

    /// Behind the iterator's slots, which are dropped here.
    fn without_iterator(&self, mut at: u32, slots: u8) -> Option<u32> {
        for _ in 0..slots.min(2) {
            at = self.behind(at, Op::Pop)?;
        }
        Some(at)
    }

    /// Whether a way that has found the result goes on as the call does, whose result is that. Where it is
    /// tested or dropped at once, the compiler leaves out the value and that.
    fn ends_with(&self, at: u32, value: bool, result: u32) -> bool {
        let at = self.program.skip_nops(at);
        if self.op(at).and_then(self.truth) == Some(value) {
            return self.same_way(at + 1, result);
        }
        let mut test = self.follow(result);
        if self.op(test) == Some(Op::ToBool) {
            test = self.program.skip_nops(test + 1);
        }
        match self.op(test) {
            Some(Op::JumpIf(condition @ (JumpCondition::True | JumpCondition::False), to)) => {
                let jumps = (condition == JumpCondition::True) == value;
                self.same_way(at, if jumps { to } else { test + 1 })
            }
            Some(Op::Pop) => self.same_way(at, test + 1),
            _ => false,
        }
    }

    /// The instruction that control comes to.
    fn follow(&self, mut at: u32) -> u32 {
        for _ in 0..MOST {
            at = match self.op(at) {
                Some(Op::Nop) => at + 1,
                Some(Op::Jump(to)) => to,
                _ => break,
            };
        }
        at
    }

    /// Whether two ways lead to one place, or to copies of one end.
    fn same_way(&self, mut a: u32, mut b: u32) -> bool {
        for _ in 0..MOST {
            (a, b) = (self.follow(a), self.follow(b));
            if a == b {
                return true;
            }
            if self.op(a).is_none() || self.op(a) != self.op(b) || self.handler(a) != self.handler(b) {
                return false;
            }
            if self.op(a).is_some_and(|op| op.leaves()) {
                return true;
            }
            (a, b) = (a + 1, b + 1);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use depyf_bytecode::{CallLayout, Instruction, Region};

    use super::*;

    const TRUE: Op = Op::Common(CommonConst::True);
    const FALSE: Op = Op::Common(CommonConst::False);

    fn call(positional: u32) -> Op {
        Op::Call { positional, layout: CallLayout::NullAbove }
    }

    /// `return any(x for x in y)` behind the load of `any`.
    fn any() -> Vec<Op> {
        vec![
            Op::Copy(1),
            Op::Common(CommonConst::Any),
            Op::Is { negated: false },
            Op::JumpIf(JumpCondition::False, 18),
            Op::Pop,
            Op::Const(0),
            Op::LoadLocal(0),
            Op::GetIter,
            call(0),
            Op::ForIter { exhausted: 15, slots: 1, pops: false },
            Op::ToBool,
            Op::JumpIf(JumpCondition::True, 13),
            Op::Jump(9),
            Op::Pop,
            Op::Jump(24),
            Op::Pop,
            FALSE,
            Op::Return,
            Op::PushNull,
            Op::Const(0),
            Op::LoadLocal(0),
            Op::GetIter,
            call(0),
            call(1),
            Op::Return,
        ]
    }

    fn found(ops: &[Op]) -> Option<u32> {
        found_in(ops, &[])
    }

    fn found_in(ops: &[Op], regions: &[Region]) -> Option<u32> {
        let code: Vec<Instruction> =
            ops.iter().map(|&op| Instruction { op, offset: 0, line: None, column: None, width: 0 }).collect();
        let truth = |op: Op| match op {
            TRUE => Some(true),
            FALSE => Some(false),
            _ => None,
        };
        call_of_builtin(Program { code: &code, regions }, 0, &truth)
    }

    /// The same with the value on the way that stops the loop: two operations instead of one.
    fn whole() -> Vec<Op> {
        let mut ops = any();
        ops[14] = TRUE;
        // The copy of the end lies behind the others.
        ops.insert(15, Op::Return);
        for op in &mut ops {
            match op {
                Op::JumpIf(JumpCondition::False, to) => *to = 19,
                Op::ForIter { exhausted, .. } => *exhausted = 16,
                _ => {}
            }
        }
        ops
    }

    #[test]
    fn the_compilers_loop_is_the_call() {
        assert_eq!(found(&whole()), Some(19));
        // The value is needed where nothing tests it at once.
        assert_eq!(found(&any()), None);
    }

    #[test]
    fn any_other_loop_is_none() {
        let ops = whole();
        for at in 4..ops.len() {
            for other in [Op::Nop, Op::Pop, TRUE, FALSE, Op::ToBool, Op::Jump(17), Op::LoadLocal(1)] {
                let mut mutant = ops.clone();
                mutant[at] = other;
                // A jump into the middle of what follows anyway changes nothing.
                if other != ops[at] {
                    assert_eq!(found(&mutant), None, "{other:?} at {at}");
                }
            }
        }
        let mut turned = ops;
        turned[11] = Op::JumpIf(JumpCondition::False, 13);
        assert_eq!(found(&turned), None);
    }

    #[test]
    fn a_result_that_is_dropped_is_not_found() {
        // `any(x for x in y)`, and what stands behind it.
        let found_with = |behind: [Op; 2]| {
            let mut ops = any();
            (ops[14], ops[16], ops[17]) = (Op::Jump(25), Op::Nop, Op::Jump(25));
            ops.truncate(24);
            ops.extend(behind);
            ops.extend([Op::LoadLocal(1), Op::Return]);
            found(&ops)
        };
        assert_eq!(found_with([Op::Pop, Op::Nop]), Some(18));
        // The loop goes on behind the first one of these, where there is no result.
        assert_eq!(found_with([Op::Nop, Op::Pop]), None);
        assert_eq!(found_with([Op::Nop, Op::Nop]), None);
    }

    #[test]
    fn what_the_generator_is_made_of_may_be_awaited() {
        // `any(x for x in await y)`: each `await` has a handler, which goes on behind it.
        let generator = |start: u32| {
            let (send, done) = (start + 4, start + 7);
            let awaits = [Op::LoadLocal(0), Op::GetAwaitable, Op::Const(1), Op::Send(done), Op::Yield];
            let behind = [Op::Jump(send), Op::EndSend, Op::GetIter, call(0)];
            [&[Op::Const(0)], &awaits[..], &behind[..]].concat()
        };
        let found = |resumed: u32| {
            let mut ops = any()[..3].to_vec();
            ops.extend([Op::JumpIf(JumpCondition::False, 25), Op::Pop]);
            ops.extend(generator(5));
            ops.extend([Op::ForIter { exhausted: 22, slots: 1, pops: false }, Op::ToBool]);
            ops.extend([Op::JumpIf(JumpCondition::True, 19), Op::Jump(15)]);
            ops.extend([Op::Pop, TRUE, Op::Return, Op::Pop, FALSE, Op::Return, Op::PushNull]);
            ops.extend(generator(26));
            ops.extend([call(1), Op::Return]);
            ops.extend([Op::CleanupThrow, Op::Jump(12), Op::CleanupThrow, Op::Jump(resumed)]);
            let region = |at, handler, depth| Region { start: at, end: at + 1, handler, depth, lasti: false };
            found_in(&ops, &[region(10, 38, 2), region(31, 40, 4)])
        };
        assert_eq!((found(33), found(34)), (Some(25), None));
    }
}
