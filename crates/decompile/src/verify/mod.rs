//! The verifier: whether source does what bytecode does.
//!
//! Both are lists of neutral operations: the bytecode decoded, the source lowered ([`crate::lower`]). Where they
//! are the same operations, that is seen at once (`lockstep/`). Else a symbolic bisimulation follows all ways
//! through both at once (`product.rs`). Between two effects each side runs by itself (`machine.rs`,
//! `containers.rs`); the effects must agree in kind and operands (`effects.rs`), and where ways meet, what
//! differs between them is generalised (`merge.rs`). Fresh objects of both sides are paired when they are passed
//! on (`objects.rs`). Values are hash-consed terms (`terms.rs`).
//!
//! **What is compared.** Every call, operator, truth test, iteration step, import, `yield`, `raise` and return;
//! every read, store and deletion of a global, name, cell, attribute or subscript; reads of locals that may be
//! unbound; which exception is handled meanwhile; and where control goes when any of these raises. Locals are
//! values: they must agree where they are read later, and before calls of `locals` and its like.
//!
//! **What is not.** Line numbers and tracebacks; time and memory, so also when objects die; interrupts between
//! effects; the identity of tuples, slices and strings that are made here; when the items of a set display
//! are hashed; names of parameters that would hide what the code means, which the decompiler changes;
//! `__qualname__`; the `__firstlineno__` of the compiler. The loop that 3.14 and later run in place of a call of the
//! builtin `any` counts as that call, if it is what the compiler writes (`shortcuts.rs`).
//!
//! **What is taken for granted.** That Dynamo calls its resume functions as it makes them: a parameter `___stackN` that an
//! f-string has without formatting it is a `str`, and one that a display fills on is known to nobody else
//! (`dynamo.rs`, `StackParameters`); that what they convert in an f-string is a `str`; and that what a loop of theirs steps
//! is its own iterator, as those of all loops should be.

mod arithmetic;
mod containers;
mod effects;
mod flatten;
mod folding;
mod held;
mod lockstep;
mod machine;
mod merge;
mod objects;
mod own_variables;
mod printed;
mod product;
mod program;
mod shortcuts;
mod side;
mod slots;
mod state;
mod terms;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use printed::verify_printed;
pub(crate) use tree::verify_tree;

use std::cell::Cell;

use depyf_bytecode::{CodeObject, CompilerFeatures, Const, Function};
use depyf_value::PyStr;

use crate::dynamo::{StackParameters, goes_on_behind_break};
use crate::flow;
use crate::lower::Lowered;
use crate::{Divergence, Verdict};
use arithmetic::Mixing;
use depyf_syntax::ast::Origin;
use machine::{KnownNames, Shared};
use merge::Kept;
use product::{Comparison, Mismatch};
use side::{Header, Nested, Side};
use terms::{FastMap, Terms};

/// What the verifier found out about a function.
struct Verified<'c, 'l> {
    /// Whether its own body agrees, whatever is nested in it.
    pub(crate) verdict: Verdict,
    /// Nested code objects that stand for each other.
    pub(crate) nested: Vec<(&'c CodeObject, &'l Lowered)>,
}

/// What is kept from one function to the next, to save allocations.
#[derive(Default)]
struct Memory {
    terms: Option<Terms>,
    lockstep: lockstep::Memory,
}

/// Compares one function, nested code objects aside. `rename` has the names that the source gives to the
/// variables of `decoded`; where it is empty, they are their own.
fn verify<'c, 'l>(
    code: &'c CodeObject,
    decoded: &Function,
    rename: &[PyStr],
    lowered: &'l Lowered,
    line_of: &dyn Fn(Origin) -> Option<u32>,
    memory: &mut Memory,
) -> Verified<'c, 'l> {
    let unverified = |message: String, at: u32, source: Option<u32>| {
        let instruction = decoded.instructions.get(at as usize);
        let opcode = instruction.map_or_else(String::new, |instruction| {
            let text = format!("{:?}", instruction.op);
            text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("").to_owned()
        });
        let offset = instruction.map_or(0, |instruction| instruction.offset);
        let origin = source.and_then(|at| lowered.location(at));
        Verdict::Unverified(Divergence { message, offset, opcode, line: origin.and_then(line_of) })
    };
    if let Some(message) = header_difference(Nested::Code(code), Nested::Lowered(lowered)) {
        return Verified { verdict: unverified(message, 0, None), nested: Vec::new() };
    }
    let pairs = |found: &[(u32, u32)]| -> Vec<(&'c CodeObject, &'l Lowered)> {
        let pair = |&(a, b): &(u32, u32)| match code.consts.get(a as usize) {
            Some(Const::Code(code)) => Some((&**code, held::nested_code(lowered, b)?)),
            _ => None,
        };
        found.iter().filter_map(pair).collect()
    };
    let copied = flatten::without_subroutines(decoded);
    let operations = copied.as_ref().unwrap_or(decoded);
    if let Some(nested) = lockstep::compare(code, operations, rename, lowered, &mut memory.lockstep) {
        return Verified { verdict: Verdict::Verified, nested: pairs(&nested) };
    }
    let mut terms = memory.terms.take().unwrap_or_else(Terms::new);
    terms.clear();
    let sides = Side::original(&mut terms, code, operations, rename)
        .and_then(|original| Ok([original, Side::source(&mut terms, lowered)?]));
    let sides = match sides {
        Ok(sides) => sides,
        Err(message) => return Verified { verdict: unverified(message, 0, None), nested: Vec::new() },
    };
    let keywords = code.posonlyargcount as usize..code.argcount.saturating_add(code.kwonlyargcount) as usize;
    if !same_keywords(&sides, keywords) || !same_cells(&sides) {
        return Verified {
            verdict: unverified("the source names its parameters otherwise".to_owned(), 0, None),
            nested: Vec::new(),
        };
    }
    // The copies of 3.8 are counted anew, so their offsets are looked up among them.
    let offsets = sides[0].code.iter().map(|instruction| instruction.offset).collect::<Vec<_>>();
    let mut comparison = compare(terms, sides);
    comparison.shared.wraps = wraps_exceptions(code, decoded);
    comparison.shared.stacked = StackParameters::of(code, operations);
    comparison.shared.goes_on = goes_on_behind_break(code);
    if let Some(compiler) = CompilerFeatures::of(code.version) {
        let stays_real = compiler.real_operands_stay_real;
        comparison.shared.mixing = if stays_real { Mixing::StaysReal } else { Mixing::Converts };
        comparison.shared.specs_may_end_empty = compiler.specs_may_end_empty;
        comparison.shared.delegates_to_tuples = compiler.delegates_to_tuples;
    }
    comparison.shared.stores_first_line = flow::stores_first_line(code);
    let found = comparison.run();
    let nested = pairs(&comparison.nested);
    memory.terms = Some(comparison.shared.terms);
    let verdict = match found {
        Ok(()) => Verdict::Verified,
        Err(Mismatch { message, at, source }) => {
            let offset = offsets.get(at as usize).copied().unwrap_or(0);
            let at = decoded.instructions.iter().position(|instruction| instruction.offset == offset);
            unverified(message, at.unwrap_or(0) as u32, Some(source))
        }
    };
    Verified { verdict, nested }
}

/// Whether a handler stands around the whole function if it is a generator or coroutine, so that no StopIteration
/// leaves it (3.12 and later). The compiler makes none for a lambda that yields: there the interpreter converts.
fn wraps_exceptions(code: &CodeObject, decoded: &Function) -> bool {
    decoded.features.inlined_comprehensions && code.name != "<lambda>"
}

/// What callers see of two code objects. What the source has for a value that is computed when asked for has no
/// docstring, and what looks like one is a constant of it, which is compared as such.
fn headers<'a>(a: Nested<'a>, b: Nested<'a>) -> [Header<'a>; 2] {
    let mut headers = [a.header(), b.header()];
    if matches!(b, Nested::Lowered(lowered) if lowered.is_deferred) {
        headers[0].docstring = None;
    }
    headers
}

/// What differs between two code objects as callers see them.
fn header_difference(a: Nested<'_>, b: Nested<'_>) -> Option<String> {
    let [a, b] = headers(a, b);
    let what = if a.name != b.name {
        "name"
    } else if a.flags != b.flags {
        "kind of function"
    } else if a.docstring != b.docstring {
        "docstring"
    } else if a != b {
        "parameters"
    } else {
        return None;
    };
    Some(format!("the source has another {what}"))
}

/// Whether the parameters that callers may name have the same names.
fn same_keywords(sides: &[Side<'_>; 2], range: std::ops::Range<usize>) -> bool {
    range.into_iter().all(|at| {
        let name = |side: &Side<'_>| side.variables.get(at).map(|variable| variable.name);
        name(&sides[0]) == name(&sides[1])
    })
}

/// Whether the cells that hold parameters have the same names: a read of a cell is known by the name alone.
fn same_cells(sides: &[Side<'_>; 2]) -> bool {
    let [original, source] = sides;
    let parameters = original.variables.iter().zip(&source.variables).take(original.parameters);
    { parameters }.all(|(a, b)| a.name == b.name || a.is_local && b.is_local)
}

fn compare<'a>(mut terms: Terms, mut sides: [Side<'a>; 2]) -> Comparison<'a> {
    let mut name = |text: &str| terms.name(&PyStr::new(text));
    let known = KnownNames {
        debug: name("__debug__"),
        class_cell: name("__class__"),
        class: name("__class__"),
        code: name("__code__"),
        code_constants: name("co_consts"),
        closure: name("__closure__"),
        args: name("__args__"),
        iter: name("__iter__"),
        first_line: name("__firstlineno__"),
        qualname: name("__qualname__"),
        static_attributes: name("__static_attributes__"),
    };
    let [original, source] = &mut sides;
    source.forget_what_code_holds(original, known.code_constants);
    let mut opaque = FastMap::default();
    for (text, term) in terms.opaque() {
        let name = terms.name(&text);
        // A global of that name would be another object.
        if !sides[0].names.contains(&name) {
            opaque.insert(name, term);
        }
    }
    let (copied, kept) = (Cell::new(0), Kept::default());
    let shared = Shared {
        terms,
        objects: 0,
        opaque,
        known,
        debug_value: true,
        wraps: false,
        stacked: StackParameters::default(),
        goes_on: false,
        mixing: Mixing::Converts,
        specs_may_end_empty: false,
        delegates_to_tuples: false,
        stores_first_line: true,
        copied,
        kept,
    };
    Comparison::new(shared, sides)
}
