//! What the bytecode of a code object and those nested in it was decoded to: asked for by the passes, and again
//! by the verifier.

use std::ops::Range;
use std::rc::Rc;

use depyf_bytecode::{CodeObject, Decoder, Error, Function, Instruction, Op, Unreached, stack_effect};

use crate::flow;
use crate::hash::{HashMap, HashSet};

/// The operations of code objects without those out of reach, by the code object's address.
///
/// Needs: the addresses are those of one code object and what is nested in it, which stays borrowed meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    known: HashMap<usize, Rc<Function>>,
    decoder: Decoder,
}

impl Decoded {
    /// Decodes a code object; `keeps` if it will be asked for again.
    ///
    /// # Errors
    /// As [`depyf_bytecode::decode`].
    pub(crate) fn decode(&mut self, code: &CodeObject, keeps: bool) -> Result<Rc<Function>, Error> {
        let function = Rc::new(reached(self.decoder.decode(code)?, code));
        if keeps {
            self.known.insert(address(code), Rc::clone(&function));
        }
        Ok(function)
    }

    /// How many code objects are known.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// The operations of a code object, decoded if they are not known.
    ///
    /// # Errors
    /// As [`depyf_bytecode::decode`].
    pub(crate) fn of(&self, code: &CodeObject) -> Result<Rc<Function>, Error> {
        match self.known.get(&address(code)) {
            Some(known) => Ok(Rc::clone(known)),
            None => in_reach(code).map(Rc::new),
        }
    }
}

fn address(code: &CodeObject) -> usize {
    std::ptr::from_ref(code) as usize
}

/// The operations of a code object as all passes and the verifier take them.
///
/// # Errors
/// As [`depyf_bytecode::decode`].
pub(crate) fn in_reach(code: &CodeObject) -> Result<Function, Error> {
    depyf_bytecode::decode(code).map(|function| reached(function, code))
}

fn reached(mut function: Function, code: &CodeObject) -> Function {
    flow::erase_unreachable(&mut function);
    flow::separate_comprehension_locals(&mut function);
    flow::forget_copied_places(&mut function, code);
    function
}

/// The operations with those that stand behind statements though nothing leads there, and where these are, if there are
/// any. `known` has those in reach.
pub(crate) fn with_unreached(code: &CodeObject, known: &Function) -> Option<(Rc<Function>, Vec<Unreached>)> {
    if flow::may_have_idle_bodies(known) {
        let mut function = depyf_bytecode::decode(code).ok()?;
        return flow::protect_idle_bodies(&mut function)
            .then(|| (Rc::new(reached(function, code)), Vec::new()));
    }
    if known.features.copies_implicit_end {
        return None;
    }
    // Most code behind a `raise` is not worth being printed. What it makes functions of is kept in any case.
    let makes_functions = loaded(code, known) < code.consts.iter().filter(|value| value.is_code()).count();
    let subroutines = known.features.finally_subroutines;
    let ends = |pair: &[Instruction]| match pair[0].op {
        Op::Reraise(_) | Op::EndFinally { .. } => {
            pair[1].op == Op::Nop || subroutines && matches!(pair[1].op, Op::Jump(_) | Op::EndFinally { .. })
        }
        Op::Raise(_) => makes_functions && pair[1].op == Op::Nop,
        _ => false,
    };
    let calls = |found: &Instruction| matches!(found.op, Op::CallFinally(_));
    let mut arms = skipped_arms(known);
    if arms.is_empty() && !known.instructions.windows(2).any(ends) && !known.instructions.iter().any(calls) {
        return None;
    }
    let (mut function, mut unreached) = depyf_bytecode::decode_unreached(code).ok()?;
    let asks = |found: &Unreached| match function.instructions[found.setup as usize].op {
        Op::SetupBlock(_) => true,
        Op::Raise(_) => makes_functions,
        _ => subroutines,
    };
    unreached.retain(asks);
    let targets = if arms.is_empty() { HashSet::default() } else { targets(known) };
    arms.retain(|(arm, end)| {
        ends_with_a_value(known, arm.setup, &targets) && leaves_a_value(&function, arm.start..*end)
    });
    unreached.extend(arms.iter().map(|(arm, _)| arm));
    unreached.sort_by_key(|found| found.start);
    let starts: Vec<u32> = unreached.iter().map(|found| found.start).collect();
    flow::erase_unreachable_but(&mut function, &starts);
    (!unreached.is_empty()).then(|| (Rc::new(function), unreached))
}

/// What jumps lead past though nothing else leads there: the `else` of a conditional expression whose test is a constant.
/// With each its end.
fn skipped_arms(known: &Function) -> Vec<(Unreached, u32)> {
    let instructions = &known.instructions;
    let (mut found, mut at) = (Vec::new(), 0);
    while at + 1 < instructions.len() {
        let (Op::Jump(to), Op::Nop) = (instructions[at].op, instructions[at + 1].op) else {
            at += 1;
            continue;
        };
        // Jumps are left of what nothing reaches; those of an expression stay in it.
        let is_inside = |skipped: &Instruction| match skipped.op {
            Op::Jump(inner) => inner as usize > at && inner <= to,
            op => op == Op::Nop,
        };
        let count = instructions[at + 1..].iter().take_while(|skipped| is_inside(skipped)).count();
        let follows = at.checked_sub(1).map(|before| instructions[before].op);
        let is_reached = follows.is_some_and(|op| !matches!(op, Op::Nop | Op::Jump(_)));
        let mut end = at + 1 + count;
        // The jump may lead past another one that leads to the same place.
        let joins = end >= to as usize || instructions[end - 1].op == Op::Jump(to);
        if end < to as usize {
            end -= 1;
        }
        if is_reached && to as usize > at + 1 && joins {
            let arm = Unreached { setup: at as u32, start: at as u32 + 1, is_end: false };
            found.push((arm, to.min(end as u32)));
        }
        at += 1 + count;
    }
    found
}

/// Where jumps lead.
fn targets(function: &Function) -> HashSet<u32> {
    function.instructions.iter().filter_map(|instruction| flow::target_of(instruction.op)).collect()
}

/// Whether the block that a jump ends has computed one value at the end.
fn ends_with_a_value(function: &Function, jump: u32, targets: &HashSet<u32>) -> bool {
    let mut height = 0;
    for at in (0..jump).rev() {
        // What goes elsewhere ends the block before.
        let op = function.instructions[at as usize].op;
        if matches!(op, Op::Jump(_) | Op::JumpIf(..) | Op::JumpIfOrPop(..) | Op::ForIter { .. } | Op::Nop) {
            return false;
        }
        height += stack_effect(op, false, &function.features);
        if height == 1 {
            return true;
        }
        if targets.contains(&at) {
            return false;
        }
    }
    false
}

/// Whether what a jump leads past leaves one value on the stack, and nothing below it is touched.
fn leaves_a_value(function: &Function, arm: Range<u32>) -> bool {
    let end = arm.end;
    // The heights at what jumps in it lead to, and at the next instruction.
    let mut heights: HashMap<u32, i64> = HashMap::default();
    let mut height = Some(0);
    // That of what a jump in it leads past in turn.
    let mut skipped = 0;
    for at in arm {
        let now = height.or_else(|| heights.get(&at).copied()).unwrap_or(skipped);
        let op = function.instructions[at as usize].op;
        let (falls, jumps) =
            [false, true].map(|jump| now + stack_effect(op, jump, &function.features)).into();
        if let Some(to) = flow::target_of(op) {
            heights.insert(to, jumps);
        }
        (height, skipped) = (Some(falls).filter(|_| !matches!(op, Op::Jump(_))), now - 1);
        if falls < 0 || op.leaves() {
            return false;
        }
    }
    height.or_else(|| heights.get(&end).copied()) == Some(1)
}

/// How many code objects among the constants are loaded.
fn loaded(code: &CodeObject, function: &Function) -> usize {
    let mut seen = vec![false; code.consts.len()];
    for instruction in &function.instructions {
        if let Op::Const(index) = instruction.op
            && let Some(value) = code.consts.get(index as usize)
        {
            seen[index as usize] |= value.is_code();
        }
    }
    seen.into_iter().filter(|&seen| seen).count()
}
