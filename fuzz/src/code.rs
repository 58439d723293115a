//! Code objects whose fields bytes give.

use depyf_bytecode::{CodeObject, Const, flags, versions};
use depyf_value::{PyInt, PyStr, PyVersion};

use crate::input::Input;

/// Code is nested so deep at most; the files of real code are fuzzed as files.
const DEEPEST: u8 = 3;

/// A code object of any version.
pub(crate) fn from(input: &mut Input<'_>) -> CodeObject {
    let known: Vec<PyVersion> = versions().collect();
    let version = known[usize::from(input.below(known.len() as u8))];
    code(input, version, 0)
}

fn code(input: &mut Input<'_>, version: PyVersion, depth: u8) -> CodeObject {
    let name = [
        "<module>",
        "f",
        "C",
        "<lambda>",
        "<listcomp>",
        "<genexpr>",
        "__annotate__",
        "<generic parameters of f>",
    ];
    let name = PyStr::new(name[usize::from(input.below(8))]);
    let kind = input.byte();
    let function = [0, flags::OPTIMIZED | flags::NEWLOCALS][usize::from(kind & 1)];
    let generator =
        [0, flags::GENERATOR, flags::COROUTINE, flags::ASYNC_GENERATOR][usize::from(kind >> 1 & 3)];
    let stars = [0, flags::VARARGS, flags::VARKEYWORDS, flags::VARARGS | flags::VARKEYWORDS]
        [usize::from(kind >> 3 & 3)];
    let odd = if kind & 0x80 == 0 { 0 } else { input.number() };
    let bytecode = input.bytes(1 << 15).to_vec();
    let exceptiontable = input.bytes(256).to_vec();
    let linetable = input.bytes(256).to_vec();
    let (argcount, kwonlyargcount, posonlyargcount) = if kind & 0x40 == 0 {
        (u32::from(kind >> 5 & 1), 0, 0)
    } else {
        (input.number(), input.number(), input.number())
    };
    let consts = (0..input.below(16)).map(|_| constant(input, version, depth)).collect();
    CodeObject {
        qualname: name.clone(),
        name,
        first_line: 1,
        argcount,
        kwonlyargcount,
        posonlyargcount,
        stacksize: 16,
        flags: function | generator | stars | odd,
        code: bytecode,
        consts,
        names: names(
            input,
            &["a", "b", "__annotations__", "__module__", "__class__", "AssertionError", "x.y"],
        ),
        varnames: names(input, &["self", "x", "y", ".0", "z"]),
        cellvars: names(input, &["c", "x", "__class__", "__classdict__"]),
        freevars: names(input, &["d", "__class__", ".type_params"]),
        linetable,
        exceptiontable,
        ..CodeObject::empty(version)
    }
}

fn names(input: &mut Input<'_>, from: &[&str]) -> Vec<PyStr> {
    (0..input.below(8)).map(|_| PyStr::new(from[usize::from(input.below(from.len() as u8))])).collect()
}

fn constant(input: &mut Input<'_>, version: PyVersion, depth: u8) -> Const {
    match input.below(12) {
        0 => Const::None,
        1 => Const::Bool(true),
        2 => Const::Int(PyInt::from(i64::from(input.number()) - 100)),
        3 => Const::Float(f64::from(input.number())),
        4 => Const::Str(PyStr::new(["a", "f", "return", "it's\n"][usize::from(input.below(4))])),
        5 => Const::Bytes(input.bytes(8).into()),
        6 if depth < DEEPEST => {
            Const::Tuple((0..input.below(5)).map(|_| constant(input, version, depth + 1)).collect())
        }
        7 if depth < DEEPEST => {
            Const::FrozenSet((0..input.below(5)).map(|_| constant(input, version, depth + 1)).collect())
        }
        8 => Const::Ellipsis,
        9 if depth < DEEPEST => Const::Slice([(); 3].map(|()| constant(input, version, depth + 1)).into()),
        10 | 11 if depth < DEEPEST => Const::Code(code(input, version, depth + 1).into()),
        _ => Const::Complex(0.0, 1.0),
    }
}
