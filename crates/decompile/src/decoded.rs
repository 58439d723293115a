//! What the bytecode of a code object and those nested in it was decoded to: asked for by the passes, and again
//! by the verifier.

use std::rc::Rc;

use depyf_bytecode::{CodeObject, Error, Function, Instruction, Op, Unreached};

use crate::flow;
use crate::hash::HashMap;

/// The operations of code objects without those out of reach, by the code object's address.
///
/// Needs: the addresses are those of one code object and what is nested in it, which stays borrowed meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Decoded(HashMap<usize, Rc<Function>>);

impl Decoded {
    /// Keeps what [`in_reach`] gave for a code object.
    pub(crate) fn keep(&mut self, code: &CodeObject, function: &Rc<Function>) {
        self.0.insert(address(code), Rc::clone(function));
    }

    /// The operations of a code object, decoded if they are not known.
    ///
    /// # Errors
    /// As [`depyf_bytecode::decode`].
    pub(crate) fn of(&self, code: &CodeObject) -> Result<Rc<Function>, Error> {
        match self.0.get(&address(code)) {
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
    let mut function = depyf_bytecode::decode(code)?;
    if flow::erase_unreachable(&mut function) {
        flow::separate_comprehension_locals(&mut function);
    }
    Ok(function)
}

/// The operations with those that stand behind statements though nothing leads there, and where these are, if there are
/// any. `known` has those in reach.
pub(crate) fn with_unreached(code: &CodeObject, known: &Function) -> Option<(Rc<Function>, Vec<Unreached>)> {
    let ends = |pair: &[Instruction]| {
        matches!(pair[0].op, Op::Reraise(_) | Op::EndFinally { .. }) && pair[1].op == Op::Nop
    };
    if known.features.copies_implicit_end || !known.instructions.windows(2).any(ends) {
        return None;
    }
    let (mut function, mut unreached) = depyf_bytecode::decode_unreached(code).ok()?;
    // Where a `finally` body has copies, the one in front of such code may have been erased.
    let asks = |found: &Unreached| match function.instructions[found.setup as usize].op {
        Op::SetupBlock(handler) => {
            matches!(function.instructions[handler as usize].op, Op::Copy(_) | Op::Pop)
        }
        _ => false,
    };
    unreached.retain(|found| function.features.finally_subroutines || asks(found));
    let starts: Vec<u32> = unreached.iter().map(|found| found.start).collect();
    flow::erase_unreachable_but(&mut function, &starts);
    (!unreached.is_empty()).then(|| (Rc::new(function), unreached))
}
