"""How the time and memory of decompiling grow with the size of one function.

    cargo build --release -p depyf-decompile --example measure
    python benches/growth.py [--sizes 1000,10000,100000,1000000] [--shape NAME]

Each shape is one function (or module) that this very Python compiles to about so many instructions. The
table holds nanoseconds an instruction, with verification and without, the largest of them over the first,
and for the largest size the peak of memory. Growth is linear where the numbers of a row stay the same. A
shape that the compiler refuses at a size shows no number.
"""

from __future__ import annotations

import argparse
import dis
import importlib.util
import marshal
import multiprocessing
import subprocess
import sys
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
#: A time an instruction that grows by more than this is not flat.
STEEP = 2.0
#: Seconds that the compiler may take for a file.
COMPILING = 120


def function(body: List[str], head: str = "def f(a, b, c):") -> str:
    """Return the source of a function with these lines."""
    return f"{head}\n" + "\n".join("    " + line for line in body) + "\n"


def repeated(*lines: str, head: str = "def f(a, b, c):") -> Callable[[int], str]:
    """Return a shape that repeats lines; `{i}` is the number of the repetition."""
    return lambda count: function([line.replace("{i}", str(i)) for i in range(count) for line in lines], head)


def around(before: List[str], *lines: str, after: Optional[List[str]] = None) -> Callable[[int], str]:
    """Return a shape of one statement that holds the lines again and again."""

    def shape(count: int) -> str:
        inner = ["    " + line.replace("{i}", str(i)) for i in range(count) for line in lines]
        return function([*before, *inner, *(after or [])])

    return shape


def nested(depth: int, head: str, tail: str = "", end: str = "g(a)") -> Callable[[int], str]:
    """Return statements inside each other, again and again; `tail` closes each of them."""
    heads = [" " * level + head for level in range(depth)]
    tails = [" " * level + line for level in reversed(range(depth)) for line in tail.split(";") if tail]
    group = [*heads, " " * depth + end, *tails]
    return lambda count: function(group * max(1, count // depth))


def one_expression(start: str, item: str, end: str) -> Callable[[int], str]:
    """Return a single expression with many parts."""

    def shape(count: int) -> str:
        return f"def f(a, b, c):\n    return {start}{item.join(f'a{i % 7}' for i in range(count))}{end}\n"

    return shape


def joined(start: str, part: str, between: str, end: str) -> Callable[[int], str]:
    """Return a single statement with many parts; `{i}` is the number of the part."""
    return lambda count: function(
        [start + between.join(part.replace("{i}", str(i)) for i in range(count)) + end]
    )


ASYNC = "async def f(a, b, c):"

SHAPES: Dict[str, Callable[[int], str]] = {
    # Straight code.
    "calls": repeated("g(a, {i})"),
    "keyword calls": repeated("g(a, *b, k={i}, **c)"),
    "stores": repeated("a = b + c"),
    "augmented": repeated("a += b", "c[a] -= 1", "b.x *= a"),
    "attributes": repeated("a.x = b[c].y"),
    "attribute chains": repeated("a" + ".x" * 80),
    "call chains": repeated("a" + ".x(b)" * 40),
    "subscript chains": repeated("a" + "[b]" * 80),
    "operator chains": repeated("a = a" + " + b" * 80),
    "parentheses": repeated("a = " + "(b + " * 80 + "c" + ")" * 80),
    "many locals": repeated("x{i} = a"),
    "module names": lambda count: "".join(f"x{i} = f(x{i // 2})\n" for i in range(count)),
    "temporaries": repeated("a, b = b, a + c"),
    "chained stores": repeated("a = b = c = g(a)"),
    "deletions": repeated("x{i} = a", "del x{i}"),
    "imports": lambda count: "".join(f"import m{i}\nfrom n{i} import x, y as z\n" for i in range(count)),
    "globals": lambda count: (
        function(["global " + ", ".join(f"x{i}" for i in range(count))])
        + "".join(f"    x{i} = a\n" for i in range(count))
    ),
    "cells": lambda count: function(
        [
            *[f"x{i} = a" for i in range(count)],
            "def h():",
            *[f"    g(x{i})" for i in range(count)],
        ]
    ),
    "yields": repeated("a = yield b"),
    "yield from": repeated("a = yield from b"),
    "awaits": repeated("a = await b", head=ASYNC),
    "annotations": lambda count: "".join(f"x{i}: int = {i}\n" for i in range(count)),
    # Tests.
    "returns": repeated("if a == {i}: return g({i})"),
    "raises": repeated("if a == {i}: raise g({i})"),
    "ifs": repeated("if a: b = g({i})"),
    "if else": repeated("if a and b:", "    g(1)", "else:", "    g(2)"),
    "if not": repeated("if not (a or b) and c: g(1)"),
    "elif chain": lambda count: function(
        ["if a == c:", "    b = 0"]
        + [line for i in range(count) for line in (f"elif a == {i}:", f"    b = g({i})")]
        + ["return b"]
    ),
    "elif returns": lambda count: function(
        ["if a == c:", "    return 0"]
        + [line for i in range(count) for line in (f"elif a == {i}:", f"    return {i}")]
    ),
    "short elifs": repeated("if a == {i}: b = 1", "elif a == b: b = 2", "elif a == c: b = 3", "else: b = 4"),
    "nested ifs": nested(90, "if a:"),
    "nested if else": nested(90, "if a:", "else: g(b)"),
    "one if": around(["if a:"], "g(a, {i})", after=["else:", "    g(b)"]),
    "shared exits": repeated("if a == {i}:", "    if b: return c", "else:", "    if c: return c"),
    "conditionals": repeated("b = a if c else g(b)"),
    "asserts": repeated("assert a, b"),
    # Loops.
    "nested loops": nested(18, "for b in a:"),
    "nested whiles": nested(18, "while a:"),
    "nested breaks": nested(18, "for b in a:", " if c: break", "g(b)"),
    "nested while else": nested(18, "while a:", "else: g(c)", "g(b)"),
    "for loops": repeated("for b in a: g(b)"),
    "while loops": repeated("while a: a = g(b)"),
    "while true": repeated("while True:", "    if g(a): break"),
    "loops with break": repeated("for b in a:", "    if b: break", "else:", "    g(c)"),
    "while with else": repeated("while a:", "    if b: continue", "    if c: break", "else:", "    g(c)"),
    "one loop": around(["for b in a:"], "if g(b): continue"),
    "one loop of breaks": around(["for b in a:"], "if g(b): break"),
    "one while": around(["while a:"], "if g(b): continue", "if g(c): break"),
    "one loop of loops": around(["for b in a:"], "for c in b: g(c)"),
    "async for": repeated("async for b in a: g(b)", head=ASYNC),
    # Exceptions.
    "tries": repeated("try: g(a)", "except E: g(b)"),
    "try returns": repeated("try: g(a)", "except E: return"),
    "try as": repeated("try: g(a)", "except E as e: g(e)", "else: g(c)"),
    "try finally": repeated("try: g(a)", "finally: g(b)"),
    "try except finally": repeated("try: g(a)", "except E: g(c)", "finally: g(b)"),
    "try in loops": repeated("for b in a:", "    try: g(b)", "    except E: continue", "    except F: break"),
    "finally in loops": repeated(
        "for b in a:", "    try:", "        if c: break", "        g(b)", "    finally: g(c)"
    ),
    "finally returns": repeated("try:", "    if g(a): return b", "finally: g(c)"),
    "many handlers": lambda count: function(
        ["try: g(a)", *[line for i in range(count) for line in (f"except E{i}:", f"    g({i})")]]
    ),
    "nested tries": nested(15, "try:", "except E: g(b)"),
    "nested finally": nested(6, "try:", "finally: g(b)"),
    "one try": around(["try:"], "g(a)", after=["except E:", "    g(b)"]),
    "one try finally": around(["try:"], "if g(a): b = c", after=["finally:", "    g(b)"]),
    "one finally body": around(["try: g(a)", "finally:"], "if g(b): g(c)"),
    "one handler": around(["try: g(a)", "except E:"], "if g(b): g(c)"),
    "one try of tries": around(["try:"], "try: g(a)", "except E: g(b)", after=["except E:", "    g(b)"]),
    "withs": repeated("with a as b: g(b)"),
    "withs of two": repeated("with a as b, b as c:", "    if c: return g(b)"),
    "nested withs": nested(15, "with a as b:"),
    "one with": around(["with a as b:"], "g(a)"),
    "one with of ifs": around(["with a as b:"], "if g(a): b = c"),
    "async with": repeated("async with a as b: g(b)", head=ASYNC),
    "except star": repeated("try: g(a)", "except* E as e: g(e)"),
    # Patterns.
    "matches": repeated(
        "match a:",
        "    case 0: g(a)",
        "    case [b, *c]: g(b)",
        "    case {'k': b}: g(b)",
        "    case C(x=b) | D(x=b): g(b)",
        "    case _: g(c)",
    ),
    "one match": around(["match a:"], "case [{i}, b]: g({i}, b)"),
    "match literals": around(["match a:"], "case {i}: b = {i}"),
    "or pattern": joined("match a:\n        case ", "{i}", " | ", ": g(a)"),
    # Nested code.
    "functions": repeated("def h{i}(): return a"),
    "module functions": lambda count: "".join(
        f"def h{i}(a, b={i}):\n    return g(a)\n" for i in range(count)
    ),
    "classes": repeated("class C{i}: x = {i}"),
    "methods": lambda count: "class C:\n" + "".join(f"    def h{i}(self): pass\n" for i in range(count)),
    "lambdas": repeated("a = lambda b: b + c"),
    "comprehensions": repeated("b = [x for x in a if x]"),
    "dict comprehensions": repeated("b = {x: y for x in a for y in x}"),
    "generators": repeated("b = any(x for x in a)"),
    # One large expression.
    "list display": one_expression("[", ", ", "]"),
    "dict display": joined("return {", "a{i}: b", ", ", "}"),
    "constant dict": joined("return {", "'k{i}': {i}", ", ", "}"),
    "constant list": joined("return [", "{i}", ", ", "]"),
    "starred list": joined("return [", "*a, b", ", ", "]"),
    "conditional list": joined("return [", "a if b else c", ", ", "]"),
    "conditional dict": joined("return {", "a or b: a if b else c", ", ", "}"),
    "conditional call": joined("return g(", "a if b else c", ", ", ")"),
    "call": one_expression("g(", ", ", ")"),
    "keyword call": joined("g(", "k{i}=a", ", ", ")"),
    "starred call": joined("g(", "*a, b", ", ", ")"),
    "and chain": one_expression("", " and ", ""),
    "or chain in if": joined("if ", "a", " or ", ": g(b)"),
    "mixed chain": joined("return ", "a and b", " or ", ""),
    "mixed if": joined("if ", "(a or b)", " and ", ": g(b)"),
    "comparison chain": one_expression("", " < ", ""),
    "f-string": joined("return f'", "{a}-{b!r:>{c}} ", "", "'"),
    "unpacking": joined("", "a{i}", ", ", " = b"),
    "slices": repeated("a[b:c] = a[b:c:a]"),
}


def with_operands(count: int) -> Optional[CodeType]:
    """Return a function of one expression with so many operands, too deep for any compiler."""
    template = compile("def f(a):\n    return a + a + a\n", "deep.py", "exec")
    inner = next(value for value in template.co_consts if isinstance(value, CodeType))
    found = [(i.offset, i.opname) for i in dis.get_instructions(inner)]
    loads = [offset for offset, name in found if name.startswith("LOAD_FAST")]
    ends = [offset for offset, name in found if name == "RETURN_VALUE"]
    operators = [offset for offset, name in found if name.startswith("BINARY")]
    if len(operators) != 2 or len(loads) != 3:
        return None
    unit = inner.co_code[loads[2] : ends[0]]
    code = inner.co_code[: loads[2]] + unit * count + inner.co_code[ends[0] :]
    lines: Dict[str, Any] = {"co_linetable" if sys.version_info >= (3, 10) else "co_lnotab": b""}
    deep = inner.replace(co_code=code, **lines)
    return template.replace(
        co_consts=tuple(deep if value is inner else value for value in template.co_consts)
    )


def instructions(code: CodeType) -> int:
    """Count the instructions of a code object and all in it, without caches and prefixes."""
    units = code.co_code[::2]
    own = len(units) - units.count(dis.EXTENDED_ARG) - units.count(0)
    return own + sum(instructions(value) for value in code.co_consts if isinstance(value, CodeType))


def compiled(shape: str, size: int) -> Optional[Tuple[bytes, int]]:
    """Return a file of about so many instructions, and how many they are."""
    sys.setrecursionlimit(100_000)
    try:
        if shape == "deep operators":
            made = with_operands(size // 2)
            return (header(made), instructions(made)) if made is not None else None
        # Constants of a display are folded into one instruction, but each of them counts.
        sample = 360 if size > 2000 else 90
        per_item = max(1, instructions(compile(SHAPES[shape](sample), "growth.py", "exec")) / sample)
        count = max(1, int(size / per_item))
        made = compile(SHAPES[shape](count), "growth.py", "exec")
    except (RecursionError, MemoryError, SyntaxError):
        return None
    return header(made), max(instructions(made), count)


def header(code: CodeType) -> bytes:
    """Return a file that holds the code."""
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


def kept(folder: Path, shape: str, size: int) -> Optional[Tuple[Path, int]]:
    """Return a file from the folder and the number of its instructions; it is compiled once."""
    path = folder / f"{shape.replace(' ', '_')}.{size}.pyc"
    count = path.with_suffix(".count")
    if not count.exists():
        # The compiler has its own limits: it takes minutes for some shapes, and dies of others.
        child = multiprocessing.get_context("fork").Process(target=keep, args=(path, shape, size))
        child.start()
        child.join(COMPILING)
        child.kill()
        if not count.exists():
            count.write_text("0")
    number = int(count.read_text())
    return (path, number) if number else None


def keep(path: Path, shape: str, size: int) -> None:
    """Write a file and the number of its instructions."""
    made = compiled(shape, size)
    if made is not None:
        path.write_bytes(made[0])
    path.with_suffix(".count").write_text(str(made[1] if made is not None else 0))


def measure(program: str, path: Path, limit: float) -> Optional[List[str]]:
    """Return what examples/measure.rs prints of a file, in words; none where it takes too long."""
    try:
        done = subprocess.run([program, str(path)], stdout=subprocess.PIPE, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.decode().split() or ["0", "0", "0", "1", f"exit code {done.returncode}"]


def row(program: str, folder: Path, shape: str, sizes: List[int], limit: float) -> Tuple[str, float]:
    """Return the row of a shape, and how much its worst time an instruction is above the first."""
    figures: List[List[float]] = [[], []]
    cells: List[List[str]] = [[], []]
    memory, verdict = 0, ""
    for size in sizes:
        found = kept(folder, shape, size)
        told = measure(program, found[0], limit) if found and "timeout" not in cells[0] else None
        for at in range(2):
            if found is None or told is None:
                cells[at].append("-" if found is None else "timeout")
                continue
            figures[at].append(int(told[at]) / found[1])
            cells[at].append(f"{figures[at][-1]:.0f}")
        if told is not None:
            memory, verdict = int(told[2]) // 1024, "" if told[3] == "0" else " ".join(told[3:])
    worst = max((max(line) / max(line[0], 1) for line in figures if line), default=0)
    worst = float("inf") if "timeout" in cells[0] else worst
    text = "".join(f"{cell:>8}" for cell in [*cells[0], *cells[1]])
    return f"{shape:20}{text}{worst:>7.1f}{memory:>7}  {verdict[:60]}", worst


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--shape", action="append", help="only these")
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "examples" / "measure"))
    parser.add_argument("--limit", type=float, default=60, help="seconds for one file")
    parser.add_argument("--keep", type=Path, help="folder for the compiled files, for the next time")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    print(f"Python {sys.version.split()[0]}; nanoseconds an instruction, verified and not; worst ratio; MiB")
    print(f"{'shape':20}" + "".join(f"{size:>8}" for size in sizes * 2) + "  ratio    MiB  unverified")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        steep = 0
        for shape in given.shape or [*SHAPES, "deep operators"]:
            text, worst = row(given.program, folder, shape, sizes, given.limit)
            steep += worst > STEEP
            print(text, flush=True)
    print(f"{steep} shapes grow by more than {STEEP}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
