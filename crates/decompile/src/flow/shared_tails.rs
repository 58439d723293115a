//! Ends that the compiler copied into both arms of an expression, a part of `reduce`.

use depyf_bytecode::{CallLayout, Const, ConstId, Features, Op};

use super::copied_ends::is_store;
use super::folded_arms::operation_on_constants;
use super::places::{instruction_at, line_of};
use super::reduce::Reducer;
use super::same_ends::{leads_to_the_same, only_leaves_with};
use super::{Block, BlockId, Graph, Layout, Step, StepKind, Terminator};

/// How many instructions of a block the compiler copies (MAX_COPY_SIZE of CPython's `Python/compile.c` in 3.10, later
/// `Python/flowgraph.c`).
pub(crate) const LARGEST_COPY: usize = 4;

/// Whether a block is as short as those that the compiler copies, by the offsets of its operations in order: one
/// instruction may be several.
pub(super) fn is_short(offsets: impl Iterator<Item = u32>) -> bool {
    let mut last = None;
    offsets.filter(|&offset| last.replace(offset) != Some(offset)).nth(LARGEST_COPY).is_none()
}

/// The same of a version: where no ends are copied (to 3.9), a jump to a `return` is one all the same (`Python/peephole.c`).
const fn largest_copy(features: &Features) -> usize {
    if features.copies_ends { LARGEST_COPY } else { 1 }
}

/// Whether two ways leave the same `with` statements in front of one block.
fn leave_with_alike(graph: &Graph, a: Terminator, b: Terminator) -> bool {
    let (Terminator::Jump(a), Terminator::Jump(b)) = (a, b) else { return false };
    let (one, other) = (&graph.blocks[a], &graph.blocks[b]);
    only_leaves_with(one) && only_leaves_with(other) && leads_to_the_same(graph, a, b)
}

/// A block that arms have been made to share.
pub(super) struct SharedTail {
    tail: BlockId,
    /// The block was made for it.
    is_new: bool,
    arms: Vec<OwnEnd>,
}

/// What an arm had at its end before.
struct OwnEnd {
    arm: BlockId,
    steps: Vec<Step>,
    end: Terminator,
    end_offset: u32,
    layout: Layout,
}

/// The last steps of two arms, which are the same, and what lies behind them.
struct Copied {
    /// How many values they take from the stack.
    needed: i64,
    /// How much higher each arm has made the stack in front of them.
    brought: [i64; 2],
    /// Where on the stack of the first arm a container lies that they add to: it is no value yet.
    growing: Option<i64>,
    /// Whether they make a function of a constant in front of them, which must stay with it.
    makes_function: bool,
    /// Whether the table has all of them in one place.
    is_told: bool,
    /// The offsets of the instructions, from the last to the first.
    offsets: Vec<u32>,
}

impl Copied {
    /// Takes the step in front of them as well.
    fn take(&mut self, reducer: &Reducer<'_>, step: &Step, brings: i64) {
        let effect = reducer.effect(step);
        let [brought, _] = self.brought;
        match step.kind {
            StepKind::Op(Op::BuildList(_) | Op::BuildSet(_) | Op::BuildMap(_))
                if self.growing == Some(brought - 1) =>
            {
                self.growing = None;
            }
            StepKind::Op(
                Op::ListExtend(depth) | Op::SetUpdate(depth) | Op::DictUpdate(depth) | Op::DictMerge(depth),
            ) => {
                let place = brought - effect - 1 - i64::from(depth);
                self.growing = self.growing.or((0..brings).contains(&place).then_some(place));
            }
            StepKind::Op(Op::MakeFunction(_)) => self.makes_function = true,
            StepKind::Op(Op::Const(id)) => self.makes_function &= !reducer.is_code(id),
            _ => {}
        }
        self.needed -= effect;
        self.brought = self.brought.map(|brought| brought - effect);
        if self.offsets.last() != Some(&step.offset) {
            self.offsets.push(step.offset);
        }
    }
}

impl Reducer<'_> {
    /// Applies a reduction. Arms that were made to share their end for it have it for themselves again if nothing comes
    /// of it: two statements that end alike are two.
    pub(super) fn attempt(&mut self, reduction: impl FnOnce(&mut Self) -> bool) -> bool {
        let done = reduction(self);
        while let Some(SharedTail { tail, is_new, arms }) = self.shared.pop() {
            for OwnEnd { arm, steps, end, end_offset, layout } in arms {
                if done {
                    let kept = &self.graph.blocks[tail];
                    self.graph.copies.note_steps(&steps, &kept.steps);
                    self.graph.copies.note(end_offset, kept.end_offset);
                    continue;
                }
                self.set_end(arm, end);
                let block = &mut self.graph.blocks[arm];
                block.steps.extend(steps);
                (block.end_offset, block.layout) = (end_offset, layout);
            }
            if !done && is_new {
                // Nothing was added behind it since.
                self.remove(tail);
                self.graph.blocks.truncate(tail);
                self.ways_in.truncate(tail);
                self.unfoldable.truncate(tail);
            }
        }
        done
    }

    /// Two arms that end the function with the same steps go to one block instead, if each brings the value of an
    /// expression to these steps: the compiler has copied the end of that expression. What it copies is at most
    /// [`largest_copy`] instructions; longer ones were written twice.
    ///
    /// With each arm stands by how much it makes the stack higher when it has its value. If the arms cannot be
    /// statements (`within`), or if the table has the steps of both in one place, they may bring all that the steps take;
    /// else that tells nothing from two statements. Steps in two places were written twice.
    pub(super) fn share_tail(&mut self, arms: [(BlockId, i64); 2], within: bool) {
        let [(yes, brings), (no, no_brings)] = arms;
        let (a, b) = (&self.graph.blocks[yes], &self.graph.blocks[no]);
        // What drops a value has no line, and is copied with the implicit end behind it (3.11).
        let keeps_ends = self.context.function.features.keeps_ends();
        if keeps_ends && !(within && a.end == b.end && self.is_implicit_end(a.end)) {
            return;
        }
        // The call of an exit function is longer than what is copied for its length.
        let leaves_with = leave_with_alike(self.graph, a.end, b.end);
        let is_one_end = a.end == b.end || leaves_with || self.return_on_one_line(a.end, b.end);
        if !is_one_end || a.region != b.region {
            self.share_exit((yes, brings), (no, no_brings));
            self.share_exit((no, no_brings), (yes, brings));
            return;
        }
        let length = self.copied_length([(a, brings), (b, no_brings)], within, leaves_with);
        if length > 0 {
            self.share_last([yes, no], length);
        }
    }

    /// Moves the last steps of two arms, so many of them, to a block that both go to.
    fn share_last(&mut self, arms: [BlockId; 2], length: usize) {
        let tail = self.graph.blocks.len();
        let arm = &self.graph.blocks[arms[0]];
        let from = arm.steps.len() - length;
        let start = arm.steps[from].offset;
        let mut shared = arm.clone();
        shared.steps.drain(..from);
        shared.start = start;
        shared.end.successors().for_each(|next| self.ways_in[next] += 1);
        self.graph.blocks.push(shared);
        self.ways_in.push(0);
        self.unfoldable.push(None);
        let arms = arms.map(|arm| self.cut(arm, self.graph.blocks[arm].steps.len() - length, tail));
        self.shared.push(SharedTail { tail, is_new: true, arms: arms.into() });
    }

    /// How many of their last steps the compiler may have copied to two arms that then go on alike, see [`Self::share_tail`].
    fn copied_length(
        &self,
        [(a, brings), (b, no_brings)]: [(&Block, i64); 2],
        within: bool,
        leaves_with: bool,
    ) -> usize {
        let features = &self.context.function.features;
        let keeps_ends = features.keeps_ends();
        let Some(mut copied) = self.copied_behind(a, b, within) else { return 0 };
        let mut length = 0;
        for (at, (step, other)) in a.steps.iter().rev().zip(b.steps.iter().rev()).enumerate() {
            if keeps_ends && !step.drops() {
                break;
            }
            let told = self.are_steps_in_one_place([&a.steps, &b.steps], at, within);
            if !matches!(step.kind, StepKind::Op(_)) || !step.same(other) || told == Some(false) {
                break;
            }
            copied.is_told &= told.is_some();
            copied.take(self, step, brings);
            // What begins without a line is copied, however long it is (`is_exit_without_lineno` in 3.10).
            let is_short = !leaves_with && copied.offsets.len() <= largest_copy(features);
            if !(adds_keyword(step) || is_short || keeps_ends)
                || copied.makes_function
                || copied.growing.is_some()
                || splits_method(&a.steps, at)
                || splits_method(&b.steps, at)
                || copied.brought != [brings, no_brings]
            {
                continue;
            }
            let is_unfolded = |steps: &[Step]| {
                let first = steps.len().checked_sub(at + 2);
                first.is_some_and(|first| operation_on_constants(&steps[first..]).is_some())
            };
            let is_one = || {
                within
                    || copied.is_told
                    || self.calls_attribute(&a.steps, at + 1)
                    || is_unfolded(&a.steps)
                    || is_unfolded(&b.steps)
            };
            if copied.needed > 1 || copied.needed == 1 && is_one() {
                length = at + 1;
            }
        }
        length
    }

    /// What lies behind all steps of two arms that go on alike, if they may share steps.
    fn copied_behind(&self, a: &Block, b: &Block, within: bool) -> Option<Copied> {
        let (needed, behind) =
            self.taken_by_end(a).or_else(|| (within && a.end == b.end).then_some((0, [None, None])))?;
        let offsets = behind.iter().flatten().flat_map(|end| {
            [end.end_offset].into_iter().chain(end.steps.iter().rev().map(|step| step.offset))
        });
        let mut offsets: Vec<u32> = offsets.collect();
        let mut is_told = true;
        let is_end = behind[0].is_none();
        if is_end {
            offsets.push(a.end_offset);
        }
        if is_end && matches!(a.end, Terminator::Return | Terminator::Raise(_)) {
            let told = self.is_one_place(a.end_offset, b.end_offset);
            if told == Some(false) {
                return None;
            }
            is_told = told.is_some();
        }
        offsets.dedup();
        let all = |block: &Block| block.steps.iter().map(|step| self.effect(step)).sum::<i64>();
        let brought = [all(a), all(b)];
        Some(Copied { needed, brought, growing: None, makes_function: false, is_told, offsets })
    }

    /// Whether two steps that so many others stand behind have one place in the source; `None` where the table does not tell.
    fn are_steps_in_one_place(&self, arms: [&[Step]; 2], behind: usize, within: bool) -> Option<bool> {
        let [place, other] = arms.map(|steps| steps.len() - 1 - behind);
        // A superinstruction has the place of its first half.
        let is_half = |steps: &[Step], at: usize| at > 0 && steps[at - 1].offset == steps[at].offset;
        let step = &arms[0][place];
        // Nor has what drops the value of an expression statement one of its own.
        let drops = within && step.drops();
        if drops || adds_keyword(step) || is_half(arms[0], place) || is_half(arms[1], other) {
            return None;
        }
        let [a, b] = [step.offset, arms[1][other].offset];
        // What was written nowhere, as the value of a `return` that was not, has the line of each way that leads there.
        let have_lines_of_ways = step.drops() || step.is_constant();
        let line = |offset: u32| line_of(self.context.function, offset);
        self.is_one_place(a, b).or_else(|| (!have_lines_of_ways && line(a)? != line(b)?).then_some(false))
    }

    /// Whether two ends drop a value first, and then do the same on the same lines: the drop has no line, so that the compiler
    /// copies the end however long it is (`is_exit_without_lineno` in 3.10).
    fn begins_without_line(&self, end: &[Step], copy: &[Step]) -> bool {
        let line = |step: &Step| line_of(self.context.function, step.offset);
        self.context.function.features.copies_ends
            && end.first().is_some_and(Step::drops)
            && end.iter().zip(copy).skip(1).all(|(a, b)| line(a).is_some() && line(a) == line(b))
    }

    fn is_implicit_end(&self, end: Terminator) -> bool {
        match end {
            Terminator::Jump(next) => {
                self.graph.end == Some(next) || self.graph.blocks[next].end == Terminator::Done
            }
            end => end == Terminator::Done,
        }
    }

    /// Whether two ways lead to bare returns on one line: those of one statement, which has left a handler before.
    fn return_on_one_line(&self, a: Terminator, b: Terminator) -> bool {
        let (Terminator::Jump(a), Terminator::Jump(b)) = (a, b) else { return false };
        let line = |block: BlockId| line_of(self.context.function, self.graph.blocks[block].end_offset);
        let returns = |block: BlockId| {
            let block = &self.graph.blocks[block];
            block.end == Terminator::Return && block.steps.is_empty()
        };
        returns(a)
            && returns(b)
            && leads_to_the_same(self.graph, a, b)
            && line(a).is_some()
            && line(a) == line(b)
    }

    /// The same where one arm jumps to the end, and the other has a copy of it: then it jumps there, too.
    fn share_exit(&mut self, (jumps, brings): (BlockId, i64), (ends, ends_brings): (BlockId, i64)) {
        let (arm, other) = (&self.graph.blocks[jumps], &self.graph.blocks[ends]);
        let Terminator::Jump(tail) = arm.end else { return };
        let exit = &self.graph.blocks[tail];
        let Some(from) = other.steps.len().checked_sub(exit.steps.len()) else { return };
        let copied = &other.steps[from..];
        // What leaves a handler first has its `return` behind that.
        let is_one_end = matches!(exit.end, Terminator::Return | Terminator::Raise(_))
            && exit.end == other.end
            || self.return_on_one_line(exit.end, other.end);
        let is_copy = is_one_end
            && exit.region == other.region
            && arm.region == other.region
            && !copied.is_empty()
            && copied.iter().zip(&exit.steps).all(|(a, b)| matches!(a.kind, StepKind::Op(_)) && a.same(b))
            && self.is_one_place(exit.end_offset, other.end_offset) != Some(false);
        if !is_copy {
            return;
        }
        let mut offsets: Vec<u32> =
            exit.steps.iter().map(|step| step.offset).chain([exit.end_offset]).collect();
        offsets.dedup();
        let height = |steps: &[Step]| steps.iter().map(|step| self.effect(step)).sum::<i64>();
        let fits = height(&arm.steps) == brings && height(&other.steps[..from]) == ends_brings;
        let is_short = offsets.len() <= largest_copy(&self.context.function.features);
        if fits && (is_short || self.begins_without_line(&exit.steps, copied)) {
            let arms = vec![self.cut(ends, from, tail)];
            self.shared.push(SharedTail { tail, is_new: false, arms });
        }
    }

    /// Whether the last steps of an arm, so many of them, call an attribute that the step before them loads. A call of a
    /// method of its own would load the method (to 3.10), so the attribute is a part of what is called.
    fn calls_attribute(&self, steps: &[Step], length: usize) -> bool {
        let Some([loads, behind @ ..]) = steps.len().checked_sub(length + 1).map(|at| &steps[at..]) else {
            return false;
        };
        let mut arguments = 0;
        for step in behind {
            let effect = self.effect(step);
            match step.kind {
                StepKind::Op(Op::Call { positional, layout: CallLayout::Plain })
                    if i64::from(positional) == arguments =>
                {
                    return matches!(loads.kind, StepKind::Op(Op::LoadAttr(_)));
                }
                StepKind::Op(_) if arguments + effect >= 0 => arguments += effect,
                _ => return false,
            }
        }
        false
    }

    /// Whether two instructions have one place in the source; `None` where the table does not tell.
    fn is_one_place(&self, a: u32, b: u32) -> Option<bool> {
        let place = |offset: u32| {
            let found = instruction_at(self.context.function, offset)?;
            Some((found.line?, found.column?))
        };
        Some(place(a)? == place(b)?)
    }

    /// Lets an arm jump to a block in place of the steps from a place on.
    fn cut(&mut self, arm: BlockId, from: usize, tail: BlockId) -> OwnEnd {
        let block = &mut self.graph.blocks[arm];
        let (end, end_offset, layout) = (block.end, block.end_offset, block.layout);
        block.end_offset = block.steps[from].offset;
        let steps = block.steps.split_off(from);
        self.set_end(arm, Terminator::Jump(tail));
        OwnEnd { arm, steps, end, end_offset, layout }
    }

    /// How many values the end of a block takes from the stack if it ends the function, itself or with an exit that
    /// it shares with others; and that exit, from its end on. What takes the value may be a block of its own in front of it.
    fn taken_by_end(&self, block: &Block) -> Option<(i64, [Option<&Block>; 2])> {
        let taken = |end: Terminator| match end {
            Terminator::Return => Some(1),
            Terminator::Raise(operands) => Some(i64::from(operands)),
            // The end of a module or class takes nothing.
            Terminator::Done => Some(0),
            _ => None,
        };
        let Terminator::Jump(next) = block.end else { return Some((taken(block.end)?, [None, None])) };
        let exit = match &self.graph.blocks[next] {
            with if only_leaves_with(with) => &self.graph.blocks[with.end.successors().next()?],
            exit => exit,
        };
        let takes = |step: &Step| step.drops() || step.op().is_some_and(is_store);
        let (exit, before) = match exit.end {
            Terminator::Jump(next) if exit.steps.iter().all(takes) => (&self.graph.blocks[next], Some(exit)),
            _ => (exit, None),
        };
        let mut steps = exit.steps.iter().rev().chain(before.iter().flat_map(|before| &before.steps));
        let needed = steps.try_fold(taken(exit.end)?, |needed, step| {
            matches!(step.kind, StepKind::Op(_)).then(|| needed - self.effect(step))
        })?;
        Some((needed, [Some(exit), before]))
    }

    fn is_code(&self, constant: ConstId) -> bool {
        self.context.code.consts.get(constant as usize).is_some_and(Const::is_code)
    }
}

/// Whether the step that so many others stand behind is a part of the instruction before it, which loads a method: the
/// attribute alone is no value of an expression.
fn splits_method(steps: &[Step], behind: usize) -> bool {
    let first = steps.len() - 1 - behind;
    matches!(steps[first].kind, StepKind::Op(Op::PushNull | Op::Swap(_)))
        && first > 0
        && steps[first - 1].offset == steps[first].offset
}

/// Whether a step adds a keyword to those of a call (`codegen_subkwargs`), which has no place of its own.
fn adds_keyword(step: &Step) -> bool {
    matches!(step.kind, StepKind::Op(Op::MapAdd(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_loads_a_method_is_not_cut() {
        let at = |offset, op| Step { offset, kind: StepKind::Op(op) };
        let call = Op::Call { positional: 0, layout: CallLayout::NullBelow };
        let method = [
            at(0, Op::LoadLocal(0)),
            at(2, Op::LoadAttr(0)),
            at(2, Op::PushNull),
            at(2, Op::Swap(2)),
            at(4, call),
        ];
        let splits = |behind| splits_method(&method, behind);
        // In front of the call, of the parts of the load, and of the whole load.
        assert_eq!([0, 1, 2, 3].map(splits), [false, true, true, false]);
        // From 3.13 on a call of no method pushes the NULL by itself.
        let function = [at(0, Op::LoadAttr(0)), at(2, Op::PushNull), at(4, call)];
        assert!(!splits_method(&function, 1));
    }
}
