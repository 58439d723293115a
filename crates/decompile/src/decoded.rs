//! What the bytecode of a code object and those nested in it was decoded to: asked for by the passes, and again
//! by the verifier.

use std::rc::Rc;

use depyf_bytecode::{CodeObject, Error, Function};

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
