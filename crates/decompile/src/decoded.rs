//! What the bytecode of a code object and those nested in it was decoded to: asked for by the passes, and again
//! by the verifier.

use std::rc::Rc;

use depyf_bytecode::{CodeObject, Decoder, Error, Function, Instruction, Op, Unreached};

use crate::flow;
use crate::hash::HashMap;

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
    if !known.instructions.windows(2).any(ends) && !known.instructions.iter().any(calls) {
        return None;
    }
    let (mut function, mut unreached) = depyf_bytecode::decode_unreached(code).ok()?;
    // Where a `finally` body has copies, the one in front of such code may have been erased.
    let asks = |found: &Unreached| match function.instructions[found.setup as usize].op {
        Op::SetupBlock(handler) => {
            subroutines || matches!(function.instructions[handler as usize].op, Op::Copy(_) | Op::Pop)
        }
        Op::Raise(_) => makes_functions,
        _ => subroutines,
    };
    unreached.retain(asks);
    let starts: Vec<u32> = unreached.iter().map(|found| found.start).collect();
    flow::erase_unreachable_but(&mut function, &starts);
    (!unreached.is_empty()).then(|| (Rc::new(function), unreached))
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
