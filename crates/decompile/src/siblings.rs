//! Functions that stand beside each other are decompiled together.
//!
//! Lifting asks for one nested function after the other, and each ran through all passes alone. The instructions of all
//! passes are many times what the processor's first cache holds, so that every pass was read anew for every function.
//! Here the first function that is asked for brings those behind it along, as [`crate::pipeline::run`] tells; what
//! becomes of them is kept until they are asked for.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use depyf_bytecode::{CodeObject, Const, Function};
use depyf_syntax::ast::{Block, Ident};

use crate::hash::HashMap;
use crate::names::Chosen;
use crate::scope::{Frame, Outcome, Scope};
use crate::{Error, pipeline};

/// Functions that are decompiled together: more do not make the passes any quicker.
const MOST: usize = 32;

/// Bytes of bytecode that are decompiled together, unless one function alone has more: the graphs of all are in memory.
const MOST_BYTES: usize = 1 << 14;

/// The functions that the operations of a code object make, and those that were decompiled though nobody asked yet.
pub(crate) struct Siblings<'a> {
    constants: &'a [Const],
    /// The constants in front of this one were brought along, or nobody asked for them.
    next: Cell<usize>,
    /// By the code object's address, which is that of one of `constants`.
    done: RefCell<HashMap<usize, Done>>,
}

/// What became of a function that nobody asked for yet.
struct Done {
    outcome: Result<(Block, Rc<Function>, Chosen), Error>,
    /// Why functions in it are marked.
    failures: Vec<Error>,
}

impl<'a> Siblings<'a> {
    /// Those that a code object makes.
    pub(crate) fn of(code: &'a CodeObject) -> Self {
        Self { constants: &code.consts, ..Self::none() }
    }

    /// None: each function is decompiled when it is asked for.
    pub(crate) fn none() -> Self {
        Self { constants: &[], next: Cell::new(0), done: RefCell::default() }
    }

    /// The functions from `code` on that are decompiled together; empty where it is alone.
    ///
    /// Establishes: none of them, `code` left aside, would become another one with other names around, but those that
    /// hold no functions: so what is done twice has an end.
    fn from(&self, code: &CodeObject) -> Vec<&'a CodeObject> {
        let behind = self.constants.iter().enumerate().skip(self.next.get());
        let functions = behind.filter_map(|(at, value)| match value {
            Const::Code(function) => Some((at, &**function)),
            _ => None,
        });
        let mut functions = functions.skip_while(|(_, function)| !std::ptr::eq(*function, code));
        let Some((at, first)) = functions.next() else { return Vec::new() };
        self.next.set(at + 1);
        let mut bytes = first.code.len();
        let mut found = Vec::new();
        for (at, function) in functions {
            bytes += function.code.len();
            if found.len() + 1 == MOST || bytes > MOST_BYTES {
                break;
            }
            self.next.set(at + 1);
            if function.freevars.is_empty() || !function.consts.iter().any(Const::is_code) {
                found.push(function);
            }
        }
        if !found.is_empty() {
            found.insert(0, first);
        }
        found
    }
}

impl Scope<'_> {
    /// What becomes of a function of the code around, decompiled with those behind it. None where it is alone, where code
    /// that nothing leads to is to be tried first, or where it was decompiled with others and has other names around now.
    pub(crate) fn together<'b>(&'b self, code: &'b CodeObject, outer: &[Ident]) -> Option<Outcome<'b>> {
        let address = std::ptr::from_ref(code) as usize;
        let take = || self.siblings().done.borrow_mut().remove(&address);
        if let Some(done) = take() {
            return (outer == code.freevars).then(|| self.adopt(code, done));
        }
        self.bring_along(code, outer);
        take().map(|done| self.adopt(code, done))
    }

    /// Decompiles a function and those behind it, which are told that the names around are their own.
    fn bring_along(&self, code: &CodeObject, outer: &[Ident]) {
        let functions = self.siblings().from(code);
        let mut frames: Vec<Frame<'_>> = Vec::with_capacity(functions.len());
        for (at, &function) in functions.iter().enumerate() {
            let outer = if at == 0 { outer } else { &function.freevars };
            let Ok(decoded) = self.decode(function) else { continue };
            if self.with_unreached(function, &decoded).is_none() {
                frames.push(self.frame(function, decoded, outer).with_failures_of_its_own());
            }
        }
        let contexts: Vec<_> = frames.iter().map(|frame| frame.context(&[])).collect();
        let blocks = pipeline::run(&contexts);
        drop(contexts);
        let done = frames.into_iter().zip(blocks).map(|(frame, block)| {
            let (address, failures) = (std::ptr::from_ref(frame.code()) as usize, frame.failures());
            let outcome =
                frame.finish(block).map(|(block, function, names)| (block, function, names.into_chosen()));
            (address, Done { outcome, failures })
        });
        self.siblings().done.borrow_mut().extend(done);
    }

    fn adopt<'b>(&self, code: &'b CodeObject, done: Done) -> Outcome<'b> {
        done.failures.into_iter().for_each(|error| self.note_failure(error));
        done.outcome.map(|(block, function, names)| (block, function, names.of(code)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use depyf_bytecode::{CodeObject, Const};
    use depyf_value::PyVersion;

    use super::{MOST, MOST_BYTES, Siblings};

    fn function(bytes: usize, free: bool, holds: bool) -> Const {
        let nested = Const::Code(Arc::new(CodeObject::empty(PyVersion(12))));
        Const::Code(Arc::new(CodeObject {
            code: vec![0; bytes],
            freevars: if free { vec!["x".into()] } else { Vec::new() },
            consts: if holds { vec![nested] } else { Vec::new() },
            ..CodeObject::empty(PyVersion(12))
        }))
    }

    fn around(consts: Vec<Const>) -> CodeObject {
        CodeObject { consts, ..CodeObject::empty(PyVersion(12)) }
    }

    fn code(code: &CodeObject, at: usize) -> &CodeObject {
        let Const::Code(found) = &code.consts[at] else { panic!("constant {at} is no code object") };
        found
    }

    #[test]
    fn the_first_brings_those_behind_it_along_once() {
        let around = around((0..MOST + 3).map(|_| function(2, false, false)).collect());
        let siblings = Siblings::of(&around);
        let found = siblings.from(code(&around, 1));
        assert_eq!(found.len(), MOST);
        assert!(std::ptr::eq(found[0], code(&around, 1)));
        assert!(siblings.from(code(&around, 0)).is_empty());
        assert!(siblings.from(code(&around, 5)).is_empty());
        assert_eq!(siblings.from(code(&around, MOST + 1)).len(), 2);
    }

    #[test]
    fn a_function_that_depends_on_names_around_comes_along_if_it_holds_none() {
        let shapes = [(false, false), (true, true), (true, false), (false, true)];
        let around = around(shapes.map(|(free, holds)| function(2, free, holds)).to_vec());
        let found = Siblings::of(&around).from(code(&around, 0));
        let expected = [0, 2, 3].map(|at| code(&around, at));
        assert!(found.iter().zip(expected).all(|(found, expected)| std::ptr::eq(*found, expected)));
        assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn much_bytecode_is_not_brought_along() {
        let around = around(vec![Const::None, function(2, false, false), function(MOST_BYTES, false, false)]);
        assert!(Siblings::of(&around).from(code(&around, 1)).is_empty());
    }
}
