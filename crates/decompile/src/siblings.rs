//! What several functions make is decompiled together, before them.
//!
//! Lifting asks for one nested function after the other, and each ran through all passes alone. The instructions of all
//! passes are many times what the processor's first cache holds, so that every pass was read anew for every function.
//! Here the functions and classes that a module makes, then the methods of all these classes, run through each pass one
//! behind the other, as [`crate::pipeline::run`] tells, the innermost first; what becomes of them is kept until lifting
//! asks for it.

use std::cell::RefCell;
use std::rc::Rc;

use depyf_bytecode::{CodeObject, Const, Function};
use depyf_syntax::ast::{Block, Ident};

use crate::hash::HashMap;
use crate::names::{Chosen, Role, nested_code};
use crate::scope::{Frame, Outcome, Scope};
use crate::{Error, pipeline};

/// Functions that are decompiled together: more do not make the passes any quicker.
const MOST: usize = 128;

/// Bytes of bytecode that are decompiled together, unless one function alone has more: the graphs of all are in memory.
const MOST_BYTES: usize = 1 << 14;

/// The functions that a code object makes and that were decompiled, but that nobody asked for yet: by the code object's
/// address, which is that of one of its constants.
#[derive(Default)]
pub(crate) struct Siblings {
    done: RefCell<HashMap<usize, Done>>,
}

/// What became of a function that nobody asked for yet.
struct Done {
    outcome: Result<(Block, Rc<Function>, Chosen), Error>,
    /// Why functions in it are marked.
    failures: Vec<Error>,
}

/// Functions that are decompiled together, each with the scope of the code that makes it.
#[derive(Default)]
struct Batch<'a> {
    scopes: Vec<&'a Scope<'a>>,
    frames: Vec<Frame<'a>>,
    bytes: usize,
}

impl<'a> Batch<'a> {
    /// Adds a function, which is told that the names around are its own. Where code that nothing leads to is to be tried
    /// first, it is decompiled when it is asked for.
    fn add(&mut self, scope: &'a Scope<'a>, function: &'a CodeObject) {
        let bytes = function.code.len();
        if self.frames.len() == MOST || self.bytes + bytes > MOST_BYTES {
            std::mem::take(self).decompile();
        }
        let Ok(decoded) = scope.decode(function) else { return };
        if scope.with_unreached(function, &decoded).is_none() {
            if self.frames.is_empty() {
                // Frames are large: a list that grows would move all of them again and again.
                self.frames.reserve(MOST);
            }
            let frame = scope.frame(function, decoded, &function.freevars);
            self.frames.push(frame.with_failures_of_its_own());
            self.scopes.push(scope);
            self.bytes += bytes;
        }
    }

    /// Decompiles all, and what they make before them.
    fn decompile(self) {
        let Self { scopes, frames, .. } = self;
        if frames.is_empty() {
            return;
        }
        decompile_made(&frames);
        let contexts: Vec<_> = frames.iter().map(|frame| frame.context(&[])).collect();
        let blocks = pipeline::run(&contexts);
        drop(contexts);
        for ((scope, frame), block) in scopes.into_iter().zip(frames).zip(blocks) {
            let (address, failures) = (address(frame.code()), frame.failures());
            let outcome =
                frame.finish(block).map(|(block, function, names)| (block, function, names.into_chosen()));
            scope.siblings().done.borrow_mut().insert(address, Done { outcome, failures });
        }
    }
}

/// Decompiles what functions make, those of all of them together.
pub(crate) fn decompile_made(frames: &[Frame<'_>]) {
    let mut batch = Batch::default();
    for frame in frames.iter().filter(|frame| !frame.inner().is_too_deep()) {
        made(frame).for_each(|function| batch.add(frame.inner(), function));
    }
    batch.decompile();
}

/// The functions that a function makes. None of them would become another one with other names around, but those that make
/// no functions: so what is done twice has an end.
fn made<'a>(frame: &Frame<'a>) -> impl Iterator<Item = &'a CodeObject> {
    let nested = nested_code(frame.code(), frame.function()).into_iter();
    let made = nested.filter(|(_, role)| *role == Role::Function).map(|(function, _)| &**function);
    made.filter(|function| function.freevars.is_empty() || !function.consts.iter().any(Const::is_code))
}

fn address(code: &CodeObject) -> usize {
    std::ptr::from_ref(code) as usize
}

impl Scope<'_> {
    /// What became of a function of the code around that was decompiled with others. None where it was not, or has other
    /// names around now.
    pub(crate) fn together<'b>(&self, code: &'b CodeObject, outer: &[Ident]) -> Option<Outcome<'b>> {
        let done = self.siblings().done.borrow_mut().remove(&address(code))?;
        (outer == code.freevars).then(|| self.adopt(code, done))
    }

    fn adopt<'b>(&self, code: &'b CodeObject, done: Done) -> Outcome<'b> {
        done.failures.into_iter().for_each(|error| self.note_failure(error));
        done.outcome.map(|(block, function, names)| (block, function, names.of(code)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use depyf_bytecode::{CodeObject, Const, flags};
    use depyf_value::PyVersion;

    use super::{Batch, MOST, MOST_BYTES, decompile_made, made};
    use crate::Options;
    use crate::scope::Scope;

    /// Code (3.12) that makes a function of each of its constants but the last, which are `unused` ones and None.
    fn making(mut functions: Vec<CodeObject>, unused: Vec<CodeObject>) -> CodeObject {
        // LOAD_CONST, MAKE_FUNCTION, POP_TOP
        let mut code: Vec<u8> = (0..functions.len() as u8).flat_map(|at| [100, at, 132, 0, 1, 0]).collect();
        functions.extend(unused);
        // RETURN_CONST
        code.extend([121, functions.len() as u8]);
        let consts = functions.into_iter().map(|function| Const::Code(Arc::new(function)));
        let consts = consts.chain([Const::None]).collect();
        CodeObject {
            name: "f".into(),
            flags: flags::OPTIMIZED,
            code,
            consts,
            ..CodeObject::empty(PyVersion(12))
        }
    }

    fn plain() -> CodeObject {
        making(Vec::new(), Vec::new())
    }

    fn nested(code: &CodeObject, at: usize) -> &CodeObject {
        let Const::Code(found) = &code.consts[at] else { panic!("constant {at} is no code object") };
        found
    }

    #[test]
    fn what_is_made_is_there_when_it_is_asked_for_once() {
        let code = making(vec![plain(), making(vec![plain()], Vec::new())], vec![plain()]);
        let options = Options::default();
        let scope = Scope::new(&options);
        let frame = scope.frame(&code, scope.decode(&code).expect("the code is whole"), &[]);
        decompile_made(std::slice::from_ref(&frame));
        let inner = frame.inner();
        assert!(inner.together(nested(&code, 0), &[]).is_some_and(|outcome| outcome.is_ok()));
        assert!(inner.together(nested(&code, 0), &[]).is_none());
        assert!(inner.together(nested(&code, 1), &["other".into()]).is_none());
        assert!(inner.together(nested(&code, 2), &[]).is_none(), "nothing makes a function of it");
    }

    #[test]
    fn a_function_that_depends_on_names_around_comes_along_if_it_makes_none() {
        let shapes = [(false, false), (true, true), (true, false), (false, true)];
        let functions = shapes.map(|(free, makes)| CodeObject {
            freevars: if free { vec!["x".into()] } else { Vec::new() },
            ..if makes { making(vec![plain()], Vec::new()) } else { plain() }
        });
        let code = making(functions.to_vec(), Vec::new());
        let options = Options::default();
        let scope = Scope::new(&options);
        let frame = scope.frame(&code, scope.decode(&code).expect("the code is whole"), &[]);
        let expected = [0, 2, 3].map(|at| std::ptr::from_ref(nested(&code, at)));
        assert_eq!(made(&frame).map(std::ptr::from_ref).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn neither_many_functions_nor_much_bytecode_run_together() {
        let options = Options::default();
        let scope = Scope::new(&options);
        let (small, large) = (plain(), CodeObject { code: [121, 0].repeat(MOST_BYTES / 2), ..plain() });
        let mut batch = Batch::default();
        (0..=MOST).for_each(|_| batch.add(&scope, &small));
        assert_eq!(batch.frames.len(), 1);
        batch.add(&scope, &large);
        assert_eq!(batch.frames.len(), 1);
        batch.add(&scope, &small);
        assert_eq!((batch.frames.len(), batch.bytes), (1, small.code.len()));
    }
}
