//! Odd and hostile sources: whatever is compared with bytecode, the answer is a verdict or an error.

use depyf_bytecode::{CodeObject, Const};
use depyf_value::PyVersion;

/// An empty module, `<module>` or a function, of a version.
fn code(version: u8, name: &str) -> CodeObject {
    // LOAD_CONST 0, RETURN_VALUE; from 3.11 on other numbers, which need not be an empty module.
    CodeObject {
        name: name.into(),
        qualname: name.into(),
        flags: if name == "<module>" { 0 } else { 0x43 },
        code: vec![100, 0, 83, 0],
        consts: vec![Const::None],
        names: vec!["a".into()],
        ..CodeObject::empty(PyVersion(version))
    }
}

/// Runs on a stack as large as that of the command and of the Python package.
fn on_large_stack(body: fn()) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(body).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Parses the source and compares it with code of every version.
fn compare(source: &str) {
    let Ok(block) = depyf_parse::parse_module(source) else { return };
    for version in 8..=15 {
        for name in ["<module>", "f"] {
            // Either is fine; only a panic is not.
            let _ = depyf_decompile::verify(&code(version, name), &block, &Default::default());
        }
    }
}

/// A piece of source, again and again.
fn repeated(before: &str, piece: &str, middle: &str, behind: &str, after: &str, count: usize) -> String {
    [before, &piece.repeat(count), middle, &behind.repeat(count), after].concat()
}

#[test]
fn deep_and_long_sources() {
    on_large_stack(|| {
        for count in [30, 150, 500] {
            for (before, piece, middle, behind, after) in [
                ("", "(", "a", ")", "\n"),
                ("", "[", "a", "]", "\n"),
                ("", "{a:", "a", "}", "\n"),
                ("", "a[", "a", "]", "\n"),
                ("", "a(", "a", ")", "\n"),
                ("", "-", "a", "", "\n"),
                ("", "not ", "a", "", "\n"),
                ("", "lambda: ", "a", "", "\n"),
                ("", "a if a else ", "a", "", "\n"),
                ("", "", "a", " if a else a", "\n"),
                ("", "a and ", "a", "", "\n"),
                ("", "a + ", "a", "", "\n"),
                ("", "a ** ", "a", "", "\n"),
                ("", "a < ", "a", "", "\n"),
                ("", "", "a", ".a", "\n"),
                ("", "", "a", "()", "\n"),
                ("", "a = ", "a", "", "\n"),
                ("", "(a := ", "a", ")", "\n"),
                ("", "[a for a in ", "a", "]", "\n"),
                ("", "(yield ", "a", ")", "\n"),
                ("async def f(): ", "await ", "a", "", "\n"),
                ("a = (", "*a, ", "", "", ")\n"),
                ("f(", "*a, ", "", "", ")\n"),
                ("f(", "**a, ", "", "", ")\n"),
                ("", "'a' ", "'b'", "", "\n"),
                ("", "f'{", "a", "}'", "\n"),
                ("if a: pass\n", "elif a: pass\n", "", "", "else: pass\n"),
                ("", "@a\n", "def f(): pass\n", "", ""),
                ("match a:\n    case ", "[", "a", "]", ": pass\n"),
                ("match a:\n    case ", "a() | ", "a()", "", ": pass\n"),
                ("def f(", "a, ", "", "", "): pass\n"),
                ("try: a\n", "except a: a\n", "", "", "finally: a\n"),
                ("with ", "a, ", "a", "", ": pass\n"),
                ("del ", "(", "a", ")", "\n"),
                ("type a[a: ", "[", "a", "]", "] = a\n"),
                ("global a", ", a", "", "", "\n"),
                ("from a import a", ", a", "", "", "\n"),
                ("import a", ".a", "", "", "\n"),
            ] {
                compare(&repeated(before, piece, middle, behind, after, count));
            }
        }
    });
}

#[test]
fn nested_blocks() {
    on_large_stack(|| {
        for head in [
            "if a:",
            "while a:",
            "for a in a:",
            "with a:",
            "def f():",
            "class C:",
            "async def f():",
            "try:",
            "match a:\n{indent} case a:",
        ] {
            for depth in [20, 90, 200, 400] {
                let mut source = String::new();
                for level in 0..depth {
                    let indent = "  ".repeat(level);
                    source.push_str(&format!("{indent}{}\n", head.replace("{indent}", &indent)));
                }
                source.push_str(&format!("{}pass\n", "  ".repeat(depth)));
                if head == "try:" {
                    (0..depth).rev().for_each(|level| {
                        source.push_str(&format!("{}finally: a\n", "  ".repeat(level)));
                    });
                }
                compare(&source);
            }
        }
    });
}

#[test]
fn what_no_compiler_takes() {
    for source in [
        "",
        "\n",
        "\u{feff}a\n",
        "\0",
        "a\0b\n",
        "\\",
        "a = \\\n",
        "\x0c a\n",
        "\ta\n        b\n",
        "é = ñ\n",
        "return\n",
        "yield a\n",
        "await a\n",
        "break\n",
        "continue\n",
        "nonlocal a\n",
        "global a\nnonlocal a\n",
        "def f():\n    nonlocal b\n",
        "def f(a, a): pass\n",
        "def f(*, **a): pass\n",
        "f(a=1, a=1)\n",
        "f(**a, *a)\n",
        "a = *a\n",
        "*a\n",
        "del *a\n",
        "a, *b, *c = a\n",
        "a.b: int = 1\n",
        "(a): int\n",
        "from __future__ import braces\n",
        "from __future__ import annotations\ndef f(a: 'b'): pass\n",
        "class C:\n    def f(self):\n        return super().a, __class__\n",
        "__class__\n",
        "__debug__ = 1\n",
        "def f():\n    from a import *\n",
        "def f():\n    yield\n    return 1\n",
        "async def f():\n    yield from a\n",
        "async def f():\n    return [a async for a in a]\n",
        "[a async for a in a]\n",
        "[await a for a in a]\n",
        "class C:\n    [a := 1 for b in c]\n",
        "[a := 1 for a in a]\n",
        "match a:\n    case a: pass\n    case b: pass\n",
        "match a:\n    case {'a': 1, 'a': 2, **b}: pass\n",
        "match a:\n    case a | b: pass\n",
        "match a:\n    case [*a, *b]: pass\n",
        "match a:\n    case A(a, b=c): pass\n",
        "try: a\nexcept* a: break\n",
        "try: a\nexcept: a\nexcept a: a\n",
        "try: a\nexcept* a: return\n",
        "while a:\n    try: a\n    finally: continue\n",
        "f'{a!x}'\n",
        "f'{a:{b:{c}}}'\n",
        "f'{a=}'\n",
        "t'{a}{b!r:>{w}}'\n",
        "'\\ud800'\n",
        "b'\\xff' 'a'\n",
        "0xffffffffffffffffffffffffffffff\n",
        "1e999\n",
        "1_0j\n",
        "def f[T: (int, str) = int, *U, **V](a: T): pass\n",
        "class C[T](A, b=c, *d, **e): pass\n",
        "type A[T] = T\n",
        "lambda: (yield)\n",
        "lambda *a, b=c, **d: a\n",
        "@a\nclass C: pass\n",
        "import a.b as c, d\n",
        "from . import a\n",
        "from .... import *\n",
        "lazy import a\n",
        "with (a as b, c as d): pass\n",
        "async with a: pass\n",
        "async for a in a: pass\n",
        "a if b\n",
        "x = yield\n",
        "def f(): pass\ndef f(): pass\n",
        "def g(): pass\n",
        "f = lambda: 0\n",
        "class f: pass\n",
        "if 0: yield\n",
        "assert a, b\nassert (a, b)\n",
        "'doc'\n",
        "def f():\n    'doc'\n    return 'doc'\n",
        "a = b'' f''\n",
        "print(__debug__)\nif __debug__: a\n",
        "[*a for a in b]\n",
        "{**a for a in b}\n",
        "a: int\nif a:\n    b: str\n",
    ] {
        compare(source);
    }
}

#[test]
fn pieces_of_source_cut_anywhere() {
    let source = "class C[T](a, b=c):\n    'doc'\n    x: int = 1\n    async def f(self, *a, k=1, **b) -> T:\n        \
                  async with a as (b, *c), d:\n            try:\n                return [x async for x in await y if x]\n            \
                  except* E as e:\n                raise X from e\n        match a:\n            case {'k': [1, *_], **r} if r: \
                  pass\n            case C(x=1) | -1j: pass\n        return f'{x!r:>{w}}' t'{y}' if a < b < c else (lambda q=1: q)\n";
    for end in (0..source.len()).filter(|&end| source.is_char_boundary(end)) {
        compare(&source[..end]);
        compare(&source[end..]);
        compare(&[&source[..end], &source[(end + 1).min(source.len())..]].concat());
    }
}
