//! Constants of nested functions of the source that the source can reach: `f.__code__.co_consts[i]`.
//!
//! This is how source spells a code object that is no plain function's, and a frozenset: Dynamo passes both on
//! as constants. Where the compiler puts a constant is known of two shapes of functions only, of which no
//! version of CPython writes the constants in another order:
//!
//! - One that begins with a class statement or a comprehension. What it loads first is the code object, which
//!   so is the first of its constants, behind the docstring or the None in its place to 3.13
//!   (`Python/compile.c`, `compiler_function_body`).
//! - `lambda x: x in {..}` with constants in the set. The compiler makes a frozenset of them, the last constant,
//!   since the items are none any more (`Python/ast_opt.c`, `Python/flowgraph.c`).

use depyf_bytecode::{Const, Op};

use crate::lower::{Lowered, LoweredConst};

/// A constant of a nested function.
pub(super) enum Held<'l> {
    /// The code object of a class body or comprehension.
    Code(&'l Lowered),
    /// A frozenset.
    Value(&'l Const),
    /// The items of a frozenset that is yet to be made.
    FrozenSet(Vec<Item<'l>>),
}

/// An item of a frozenset.
pub(super) enum Item<'l> {
    Value(&'l Const),
    Int(i64),
}

/// What the nested functions of a function hold: which of its constants the function's code is, the index into
/// `co_consts`, and the constant. Always in the same order.
pub(super) fn held_constants(lowered: &Lowered) -> impl Iterator<Item = (u32, i64, Held<'_>)> {
    let consts = lowered.consts.iter().enumerate();
    let codes = consts.filter_map(|(at, value)| match value {
        LoweredConst::Code(code) => Some((at as u32, &**code)),
        LoweredConst::Value(_) => None,
    });
    codes.filter_map(|(at, code)| {
        let (index, held) = first_code(code).or_else(|| frozen_set(code))?;
        Some((at, index, held))
    })
}

/// The nested code object with this index into the side's list of them: of a constant, or, behind those, of one
/// in [`held_constants`].
pub(super) fn nested_code(lowered: &Lowered, index: u32) -> Option<&Lowered> {
    let Some(number) = (index as usize).checked_sub(lowered.consts.len()) else {
        return match &lowered.consts[index as usize] {
            LoweredConst::Code(code) => Some(code),
            LoweredConst::Value(_) => None,
        };
    };
    let codes = held_constants(lowered).filter_map(|(.., held)| match held {
        Held::Code(code) => Some(code),
        Held::Value(_) | Held::FrozenSet(_) => None,
    });
    { codes }.nth(number)
}

fn first_code(function: &Lowered) -> Option<(i64, Held<'_>)> {
    let mut ops = function.ops.iter().copied();
    let prepares = |op: &Op| {
        matches!(op, Op::Nop | Op::PushNull | Op::LoadBuildClass | Op::LoadClosure(_) | Op::BuildTuple(_))
    };
    let Some(Op::Const(first)) = ops.find(|op| !prepares(op)) else { return None };
    let Some(LoweredConst::Code(code)) = function.consts.get(first as usize) else { return None };
    let is_first = function.docstring.is_none();
    let index = if function.features.docstring_by_flag { 0 } else { 1 };
    is_first.then_some((index, Held::Code(code)))
}

fn frozen_set(function: &Lowered) -> Option<(i64, Held<'_>)> {
    let ops = function.ops.iter().copied();
    let ops: Vec<Op> = ops.filter(|op| *op != Op::Nop).collect();
    // The tree that the decompiler prints has the frozenset itself.
    if let [Op::LoadLocal(0), Op::Const(index), Op::Contains { negated: false }, Op::Return] = ops[..]
        && let Some(LoweredConst::Value(value @ Const::FrozenSet(_))) = function.consts.get(index as usize)
    {
        return (function.name == "<lambda>").then_some((-1, Held::Value(value)));
    }
    let [Op::LoadLocal(0), items @ .., Op::BuildSet(count), Op::Contains { negated: false }, Op::Return] =
        &ops[..]
    else {
        return None;
    };
    let item = |op: &Op| match *op {
        Op::SmallInt(value) => Some(Item::Int(i64::from(value))),
        Op::Const(index) => match function.consts.get(index as usize)? {
            LoweredConst::Value(value) => Some(Item::Value(value)),
            LoweredConst::Code(_) => None,
        },
        _ => None,
    };
    let items = items.iter().map(item).collect::<Option<Vec<_>>>()?;
    (function.name == "<lambda>" && items.len() == *count as usize && !items.is_empty())
        .then_some((-1, Held::FrozenSet(items)))
}
