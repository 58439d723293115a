//! Line tables that show bytecode in the source that it was decompiled to.

use depyf_bytecode::{CodeObject, Const, Position, flags, read_line_table};
use depyf_decompile::{Options, SourceMapEntry, decompile, link};
use depyf_value::{PyStr, PyVersion};

const POP_TOP: u8 = 1;
const RETURN_VALUE: u8 = 83;
const LOAD_CONST: u8 = 100;
const LOAD_GLOBAL: u8 = 116;
const LOAD_FAST: u8 = 124;
const STORE_FAST: u8 = 125;
const CALL_FUNCTION: u8 = 131;

/// A function of 3.10 on its line 1.
fn function(bytes: &[u8]) -> CodeObject {
    CodeObject {
        name: PyStr::new("f"),
        qualname: PyStr::new("f"),
        first_line: 1,
        argcount: 1,
        stacksize: 8,
        flags: flags::OPTIMIZED | flags::NEWLOCALS,
        code: bytes.to_vec(),
        consts: vec![Const::None],
        names: vec![PyStr::new("g"), PyStr::new("h")],
        varnames: vec![PyStr::new("x"), PyStr::new("y")],
        ..CodeObject::empty(PyVersion(10))
    }
}

/// The source, and the line of each code unit when the source starts on line `first`.
fn linked(code: &CodeObject, first: u32) -> (String, Vec<Option<u32>>) {
    let found = decompile(code, &Options::default()).expect("source");
    let linetable = link(code, &found.text, &found.map, first).expect("a table");
    let linked = CodeObject { linetable, first_line: first, ..code.clone() };
    let rows = read_line_table(&linked).expect("rows");
    let units = rows.iter().flat_map(|row| std::iter::repeat_n(row.position.line, row.length as usize / 2));
    (found.text.clone(), units.collect())
}

#[test]
fn instructions_stand_where_they_are_printed() {
    let code = function(&[
        LOAD_GLOBAL,
        0,
        LOAD_FAST,
        0,
        CALL_FUNCTION,
        1,
        POP_TOP,
        0, // g(x)
        LOAD_GLOBAL,
        1,
        CALL_FUNCTION,
        0,
        STORE_FAST,
        1, // y = h()
        LOAD_FAST,
        1,
        RETURN_VALUE,
        0, // return y
    ]);
    let (source, lines) = linked(&code, 11);
    assert_eq!(source, "def f(x):\n    g(x)\n    y = h()\n    return y\n");
    let expected = [12, 12, 12, 12, 13, 13, 13, 14, 14];
    assert_eq!(lines, expected.map(Some));
}

/// `g` is loaded before `h()` is called, but printed behind it: its line must not come first and again.
#[test]
fn loads_do_not_stand_before_what_acts_on_an_earlier_line() {
    let code = function(&[
        LOAD_FAST,
        0,
        LOAD_GLOBAL,
        1,
        CALL_FUNCTION,
        0,
        STORE_FAST,
        0, // x, (x = h())
        RETURN_VALUE,
        0,
    ]);
    let (source, lines) = linked(&code, 1);
    assert_eq!(source, "def f(x):\n    __temp_0 = x\n    x = h()\n    return __temp_0\n");
    assert_eq!(lines, [2, 3, 3, 3, 4].map(Some));
    let code = function(&[
        LOAD_GLOBAL,
        0,
        LOAD_FAST,
        0,
        LOAD_GLOBAL,
        1,
        CALL_FUNCTION,
        0,
        STORE_FAST,
        1, // g, x, (y = h())
        CALL_FUNCTION,
        1,
        RETURN_VALUE,
        0,
    ]);
    let (_, lines) = linked(&code, 1);
    let lines: Vec<u32> = lines.into_iter().flatten().collect();
    assert!(lines.is_sorted(), "{lines:?}");
    assert_eq!(lines.len(), 7);
}

#[test]
fn the_map_of_another_source_is_no_harm() {
    let code = function(&[LOAD_CONST, 0, RETURN_VALUE, 0]);
    let at =
        |offset, line, column| SourceMapEntry { offset, line, column, end_line: line, end_column: column };
    let map = [at(0, u32::MAX, u32::MAX), at(2, 7, 3), at(900, 1, 1)];
    let linetable = link(&code, "def f(x):\n    pass\n", &map, u32::MAX).expect("a table");
    let rows = read_line_table(&CodeObject { linetable, first_line: u32::MAX, ..code }).expect("rows");
    assert!(rows.iter().all(|row| row.position == Position::of_line(Some(u32::MAX))), "{rows:?}");
}
