"""Writes all small programs of a kind, as input for checks of the decompiler.

    python3.12 tools/small_programs.py tries FOLDER [--per-file 40]

What one statement does inside of another one depends on few things: how its parts end, and what stands
around it. So all of it fits into some ten thousand functions, among them those that nobody thinks of. Each
becomes `def fN(s):`, or a coroutine or a class, in a source file of FOLDER, and each source file a .pyc file
of the Python that runs this. Kinds:

    tries          a `try` whose parts are a call, `pass`, `return`, .., in each surrounding
    nested-tries   a `try` in each place of a `try`
    loops          a `try` in a loop, in front of and behind a `break` or `continue`
    ifs            conditions and the ways that `if`, `elif` and `else` end, in each loop
    withs          the same of `with`
    matches        two patterns and how their cases end (3.10 and later)
    expressions    each expression of two operators, in each place of a statement
    pairs          each pair of statements, in functions, coroutines, classes, loops and arms
    triples        three simple statements that have to do with each other
    nests          compound statements in three levels, with and without a statement behind each
    comprehensions the elements, conditions and loops of each kind of comprehension
    yields         `yield` and `yield from`, as a statement and as a value, in each surrounding
    coroutines     `await`, `async with` and `async for` in each surrounding
    classes        tries, withs, matches and ifs in the body of a class
    modules        the same at the level of a module, a file for each

The interpreter's own switches hold for what it compiles: `python3.12 -O`, `-X no_debug_ranges`. With
`--one-place` all of a program has the same line and column, as where a program made the tree.

Whoever judges compares what comes back of `depyf decompile FOLDER -o OUT`, as tests/decompile does.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import itertools
import marshal
import textwrap
import warnings
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence

CALL, PASS, LEAVE, VALUE = "x()", "pass", "return", "return z()"
WORDS = ["break", "continue"]
#: Surroundings: `@` stands for the statements. Those with a loop let them break and continue.
PLAIN = {
    "function": "@\nt()",
    "end": "@",
    "with": "with s:\n    @\nt()",
    "try": "try:\n    @\nexcept F:\n    t()\nu()",
    "finally": "try:\n    @\nfinally:\n    t()\nu()",
    "handler": "try:\n    t()\nexcept F:\n    @\nu()",
    "in finally": "try:\n    t()\nfinally:\n    @\nu()",
    "if": "if s:\n    @\nt()",
    "if else": "if s:\n    @\nelse:\n    t()\nu()",
}
LOOPS = {
    "for at the end": "for i in s:\n    @\nt()",
    "for": "for i in s:\n    @\n    t()\nu()",
    "while": "while s:\n    @\n    t()",
    "for else": "for i in s:\n    @\nelse:\n    t()\nu()",
    "endless": "while True:\n    @\n    t()",
    "with in for": "for i in s:\n    with q:\n        @\n        t()\nu()",
    "try in for": "for i in s:\n    try:\n        @\n    except F:\n        t()\n    v()\nu()",
}
CONDITIONS = [
    "a",
    "not a",
    "a and b",
    "a or b",
    "a and (b or c)",
    "(a or b) and c",
    "not (a and b)",
    "a < b < c",
]
PATTERNS = ["0", "[a, b]", '{"k": v}', "C(a=1)", "1 | 2", "str() as q", "_ if g", "[a, *_] if a", "None"]
PLACES = r"""
return @
x = @
if @:\n    t()
if @:\n    t()\nelse:\n    u()
while @:\n    t()
assert @, h
for x in @:\n    t()
with @ as w:\n    t()
@
x += @
t(1, @, k=@)
def q(a=@):\n    return a
@t(@)\nclass Q(@): pass
raise t from @
x[@] = y
x = yield @
if s:\n    return @\nreturn t()
if s:\n    t()\nelif @:\n    u()\nv()
try:\n    return @\nfinally:\n    t()
for i in s:\n    if @:\n        continue\n    t()
x = y = @
del x[@]
return k() if @ else l()
x = not @
while True:\n    if @:\n        break\n    t()
"""
#: Operations on `@`, and on `@` and `#`.
ONE = """
(not @)
(n := @)
[i for i in @]
[i for i in z if @]
(lambda: @)
f'{@}'
(@ is None)
(@ is not None)
@.m(k=1)
[@ for i in z]
{**@}
[*@, 1]
-@
"""
TWO = """
(@ and #)
(@ or #)
(@ if # else c)
(b if @ else #)
(@ < # < d)
(@ == #)
g(@, *#)
@[#]
(@, #)
{@: #}
(@ + #)
(@ in #)
"""
STATEMENTS = r"""
pass
x = 1
x, y = y, x
x = y = z()
x += 1
a[i] = b
a.b = c
a[i:j] = b
del x
del a[i], a.b
assert x, y
import m.n as o
from m import n
if c:\n    p()
if c:\n    p()\nelse:\n    q()
if c:\n    pass\nelif d:\n    q()
while c:\n    p()
while c:\n    if d:\n        break\nelse:\n    q()
for i, (j, *k) in s:\n    if i:\n        continue\n    p()\nelse:\n    q()
while True:\n    if c:\n        break
try:\n    p()\nexcept (E, F) as e:\n    q(e)\nelse:\n    r()
with m:\n    p()
try:\n    p()\nfinally:\n    q()
try:\n    p()\nexcept:\n    raise\nfinally:\n    q()
with m as n, o as (u, v):\n    p()
def f(a, b=1, *c, d: int = 2, **e) -> int:\n    return a
@d\ndef g():\n    yield 1
l = lambda q, *r: q + z
class C(B, metaclass=M):\n    x: int = 1\n    def m(self):\n        return super().m(self.x)
v = [i for i in s if i]
v = {i: j for i, j in s}
v = (i for i in s for j in i)
v = a if b else c
v = a and b or c
v = a < b < c
f"{a!r:>{b}}"
p(*a, **b)
global gg\ngg = 1
v: int = 3
v: "str"
(v := p())
raise E
raise E from None
x = not a
"text"
x = a[1:2, ::3]
x = {**a, "b": 1}
x = *a, b
return
return x
x = yield
await p()
async with m as n:\n    p()
async for i in s:\n    p()
v = [i async for i in s]
try:\n    p()\nexcept* E as e:\n    q()
type T[U: int] = list[U]
match x:\n    case 1 | 2:\n        p()\n    case {"a": b, **c} if b:\n        q()\n    case [d, *e]: pass
def tp[T](a: T) -> T:\n    return a
class G[T](B[T]):\n    a: T
"""

#: Those of which triples are made.
SIMPLE = r"""
x = y = z()
x += 1
del x
if x:\n    p()
assert x
raise E
return
return x
x = a < b < c
(x := p())
x: int = 1
import x
global x
x = a or b
x = [i for i in x]
p()
"""
#: Compound statements with the place of another one.
LEVELS = r"""
if a:\n    @
if a:\n    b()\nelse:\n    @
for i in s:\n    @
for i in s:\n    c()\nelse:\n    @
while True:\n    @
while c:\n    @
try:\n    @\nexcept E:\n    h()
try:\n    b()\nexcept E as e:\n    @
try:\n    @\nfinally:\n    f()
try:\n    b()\nfinally:\n    @
with m:\n    @
match m:\n    case 0:\n        @
"""
#: Comprehensions with the places of the element, of a condition and of another one.
COMPREHENSIONS = """
@ for i in s
@ for i in s if #
@ for i in s if # if %
@ for i in s for j in i
@ for i in s if # for j in i if %
@ for i, *j in % if #
@ async for i in s if #
@ async for i in s for j in i if #
"""
#: What stands in these places.
PARTS = """
i
f(i)
not i
i and b
i or b
not (i and b)
i if a else b
a < i < b
[j for j in i]
(n := i)
(lambda: i)
await i
"""
COMPREHENSION_PLACES = r"""
return @
x = y = @
if @:\n    t()
for x in @:\n    t()
t(@, k=@)
x = a or @
x = b if @ else c
while True:\n    try:\n        return @\n    finally:\n        t()
"""
#: Values that wait.
YIELDS = """
(yield)
(yield a)
(yield from a)
((yield a) and b)
(a or (yield b))
((yield a) if b else c)
(a if (yield b) else (yield c))
f((yield a), (yield from b))
[i for i in (yield a)]
(lambda: (yield a))
(yield (yield))
(n := (yield a))
"""
WAITING_SURROUNDINGS = {
    "async with": "async with s:\n    @\nt()",
    "async with in for": "for i in s:\n    async with q as w:\n        @\n        t()\nu()",
    "async for": "async for i in s:\n    @\n    t()\nu()",
    "async for at the end": "async for i in s:\n    @",
    "async for else": "async for i in s:\n    @\nelse:\n    t()\nu()",
    "try in async for": "async for i in s:\n    try:\n        @\n    except F:\n        t()\n    v()\nu()",
    "async for in try": "try:\n    async for i in s:\n        @\n    u()\nfinally:\n    await t()",
}


def listed(text: str) -> List[str]:
    r"""Return the programs of a table, each of which stands on one line with `\n` between its own."""
    return [line.replace("\\n", "\n") for line in text.strip().split("\n")]


def indented(text: str, depth: int = 1) -> str:
    return textwrap.indent(text, "    " * depth)


def put(surrounding: str, text: str) -> str:
    """Return a surrounding with the text in its place, as deep as that stands."""
    lines = (
        line.replace("@", "") + textwrap.indent(text, line[: -len("@")]).lstrip()
        if line.strip() == "@"
        else line
        for line in surrounding.split("\n")
    )
    return "\n".join(lines)


def try_of(body: str, head: Optional[str], handler: str, orelse: Optional[str], final: Optional[str]) -> str:
    parts = [("try", body)]
    parts += [(head, handler)] if head else []
    parts += [("else", orelse)] if orelse else []
    parts += [("finally", final)] if final else []
    return "\n".join(f"{word}:\n{indented(part)}" for word, part in parts)


def tries_of(ends: Sequence[str], heads: Sequence[str] = ("except E", "except")) -> Iterator[str]:
    """Return each `try` whose parts end so."""
    optional = [None, *ends]
    for body, final in itertools.product(ends, optional):
        if final:
            yield try_of(body, None, "", None, final)
        for head, handler, orelse in itertools.product(heads, ends, optional):
            yield try_of(body, head, handler, orelse, final)


def tries() -> Iterator[str]:
    for surrounding in PLAIN.values():
        yield from (put(surrounding, text) for text in tries_of([CALL, PASS, LEAVE, VALUE]))
    for surrounding in LOOPS.values():
        yield from (put(surrounding, text) for text in tries_of([CALL, PASS, LEAVE, VALUE, *WORDS]))


def nested_tries() -> Iterator[str]:
    for inner in tries_of([CALL, PASS, LEAVE], ["except"]):
        for final, tail in itertools.product((None, "f()"), ("", "\nt()")):
            outer = [
                try_of(inner, "except E", "h()", None, final),
                try_of("b()", "except E", inner, None, final),
                try_of("b()", "except E", "h()", inner, final),
                try_of("b()", "except E", "h()", None, inner),
            ]
            for text in outer:
                yield text + tail
                yield f"for i in s:\n{indented(text + tail)}\nu()"


def loops() -> Iterator[str]:
    for inner in tries_of([CALL, *WORDS], ["except E"]):
        for name in ("for", "endless", "try in for", "with in for"):
            yield put(LOOPS[name], f"if q:\n{indented(inner)}")
            yield put(LOOPS[name], f"{inner}\nif q:\n    break")
            yield put(LOOPS[name], f"if q:\n    continue\n{inner}")
        for name in ("finally", "in finally", "handler", "if else"):
            yield f"while s:\n{indented(put(PLAIN[name], inner))}"


def ifs() -> Iterator[str]:
    ends = [CALL, LEAVE, PASS, *WORDS]
    optional = [None, *ends]
    for condition, first, second, third in itertools.product(CONDITIONS, ends, optional, optional):
        text = f"if {condition}:\n{indented(first)}"
        text += f"\nelif d:\n{indented(second)}" if second else ""
        text += f"\nelse:\n{indented(third)}" if third else ""
        for head in ("for i in s:", "while s:", "while True:", "while s and r:"):
            yield f"{head}\n{indented(text)}"
            yield f"{head}\n{indented(text)}\n    t()\nelse:\n    e()\nu()"


def withs() -> Iterator[str]:
    ends = [CALL, PASS, LEAVE, VALUE, "raise", *WORDS]
    heads = [
        "with m:\n    @",
        "with m as n:\n    @",
        "with m as n, o:\n    @",
        "with m:\n    with o as p:\n        @",
    ]
    for first, second, head, loop in itertools.product(ends, ends, heads, LOOPS.values()):
        yield put(loop, put(head, f"if q:\n{indented(first)}\nelse:\n{indented(second)}"))
        yield put(loop, put(head, f"if q:\n{indented(first)}") + f"\n{second}")
        yield put(loop, put(head, try_of(first, "except E", second, None, None)))
        yield put(loop, try_of(put(head, first), None, "", None, second))


def matches() -> Iterator[str]:
    ends = [CALL, PASS, LEAVE, VALUE, *WORDS]
    for patterns in itertools.product(PATTERNS, PATTERNS):
        for first, second in itertools.product(ends, ends):
            cases = zip(patterns, (first, second))
            text = "match m:\n" + "\n".join(f"    case {a}:\n{indented(b, 2)}" for a, b in cases)
            yield put(LOOPS["for"], text)
            yield put(LOOPS["while"], text)
            yield put(LOOPS["for at the end"], f"{text}\n    case _:\n        w()")


def operations(operands: Sequence[str], simple: Sequence[str]) -> Iterator[str]:
    """Return each operation on one of the operands, with a simple one beside it where it takes two."""
    for operand in operands:
        yield from (text.replace("@", operand) for text in listed(ONE))
        for other, text in itertools.product(simple, listed(TWO)):
            yield text.replace("@", operand).replace("#", other)
            yield text.replace("@", other).replace("#", operand)


def expressions() -> Iterator[str]:
    simple = ["a", "f()"]
    once = list(dict.fromkeys(operations(simple, simple)))
    both = dict.fromkeys([*once, *operations(once, simple)])
    for place, expression in itertools.product(listed(PLACES), both):
        # A decorator is written with the sign that marks the place.
        decorator = "\0" if place.startswith("@t(") else ""
        yield (decorator + place[len(decorator) :]).replace("@", expression).replace("\0", "@")


def pairs() -> Iterator[str]:
    for first, second in itertools.product(listed(STATEMENTS), repeat=2):
        both = f"{first}\n{second}"
        yield f"def g():\n{indented(both)}"
        yield f"async def g():\n{indented(both)}"
        yield f"class K:\n{indented(both)}"
        yield f"for w in ww:\n{indented(both)}\nlast()"
        yield try_of(both, None, "", None, "last()")
        yield f"if w:\n{indented(first)}\nelse:\n{indented(second)}"


def triples() -> Iterator[str]:
    for three in itertools.product(listed(SIMPLE), repeat=3):
        text = "\n".join(three)
        yield f"def g(x):\n{indented(text)}"
        yield f"class K:\n{indented(text)}"
        yield f"for w in ww:\n{indented(text)}\nlast()"
        yield f"if w:\n{indented(text)}\nelse:\n    last()"


def nests() -> Iterator[str]:
    behind = ["", "\nt()"]
    for levels in itertools.product(listed(LEVELS), repeat=3):
        for text, tails in itertools.product(
            [CALL, LEAVE, VALUE, *WORDS], itertools.product(behind, repeat=3)
        ):
            for level, tail in zip(levels, tails):
                text = put(level, text) + tail
            yield text


def comprehensions() -> Iterator[str]:
    parts = listed(PARTS)
    brackets = ["[@]", "{@}", "{@}", "(@)"]
    for place, loops_of, (number, bracket) in itertools.product(
        listed(COMPREHENSION_PLACES), listed(COMPREHENSIONS), enumerate(brackets)
    ):
        for (at, element), condition in itertools.product(enumerate(parts), parts):
            # The second bracket of a dict: its key is the next part.
            key = f"{parts[(at + 1) % len(parts)]}: " if number == 2 else ""
            text = bracket.replace("@", key + loops_of)
            text = text.replace("%", parts[(at + 2) % len(parts)])
            yield place.replace("@", text.replace("#", condition).replace("@", element))


def yields() -> Iterator[str]:
    values = listed(YIELDS)
    for place, value in itertools.product(listed(PLACES), values):
        decorator = "\0" if place.startswith("@t(") else ""
        text = (decorator + place[len(decorator) :]).replace("@", value).replace("\0", "@")
        for name in ("function", "finally", "with"):
            yield put(PLAIN[name], text)
        yield put(LOOPS["try in for"], text)
    ends = ["yield a", "x = yield from b", "return (yield)", PASS]
    for surrounding in PLAIN.values():
        yield from (put(surrounding, text) for text in tries_of(ends, ["except E"]))
    for surrounding in LOOPS.values():
        yield from (put(surrounding, text) for text in tries_of([*ends[:3], *WORDS], ["except E"]))


def coroutines() -> Iterator[str]:
    ends = ["await x()", PASS, "return await z()", *WORDS]
    heads = ["async with m:\n    @", "async with m as n, o:\n    @", "async for j in m:\n    @"]
    surroundings = [*WAITING_SURROUNDINGS.values(), *PLAIN.values(), *LOOPS.values()]
    for surrounding in surroundings:
        yield from (put(surrounding, text) for text in tries_of(ends, ["except E"]))
        for first, second, head in itertools.product(ends, ends, heads):
            yield put(surrounding, put(head, f"if q:\n{indented(first)}\nelse:\n{indented(second)}"))
            yield put(surrounding, put(head, f"if q:\n{indented(first)}") + f"\n{second}")
            yield put(surrounding, put(head, try_of(first, "except E", second, None, None)))
            yield put(surrounding, try_of(put(head, first), None, "", None, second))
            yield put(surrounding, try_of(put(head, first), "except E", second, None, None))


def without_function() -> Iterator[str]:
    yield from tries()
    yield from withs()
    yield from ifs()
    yield from matches()


class Kind(NamedTuple):
    """Programs, and what each of them becomes."""

    programs: Callable[[], Iterable[str]]
    #: What each of them stands in; empty for a file of its own.
    head: str = "def f{}(s):"


KINDS: Dict[str, Kind] = {
    "tries": Kind(tries),
    "nested-tries": Kind(nested_tries),
    "loops": Kind(loops),
    "ifs": Kind(ifs),
    "withs": Kind(withs),
    "matches": Kind(matches),
    "expressions": Kind(expressions),
    "pairs": Kind(pairs),
    "triples": Kind(triples),
    "nests": Kind(nests),
    "comprehensions": Kind(comprehensions, "async def f{}(s):"),
    "yields": Kind(yields),
    "coroutines": Kind(coroutines, "async def f{}(s):"),
    "classes": Kind(without_function, "class f{}:"),
    "modules": Kind(without_function, ""),
}


def compiles(source: str) -> bool:
    """Whether this Python takes the source: not every word fits everywhere, nor into every version."""
    try:
        compile(source, "small.py", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def in_one_place(source: str) -> ast.Module:
    """Return the tree of a source, each node of which has the same place."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            place = {"lineno": 1, "end_lineno": 1, "col_offset": 0, "end_col_offset": 0}
            for name, value in place.items():
                setattr(node, name, value)
    return tree


def write(folder: Path, name: str, functions: List[str], one_place: bool) -> None:
    source = "\n\n".join(functions)
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    program = in_one_place(source) if one_place else source
    code = compile(program, f"{name}.py", "exec", dont_inherit=True)
    header = importlib.util.MAGIC_NUMBER + bytes(12)
    (folder / f"{name}.pyc").write_bytes(header + marshal.dumps(code))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--per-file", type=int, default=40, help="functions in a file")
    parser.add_argument("--every", type=int, default=1, help="take each Nth program only")
    parser.add_argument("--one-place", action="store_true", help="all has the same line and column")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    kind = KINDS[arguments.kind]
    per_file = arguments.per_file if kind.head else 1
    count = 0
    found: List[str] = []
    for text in itertools.islice(kind.programs(), 0, None, arguments.every):
        program = f"{kind.head.format(count)}\n{indented(text)}\n" if kind.head else f"{text}\n"
        if compiles(program):
            found.append(program)
            count += 1
        if len(found) == per_file:
            write(arguments.folder, f"{arguments.kind}-{count:06}", found, arguments.one_place)
            found = []
    if found:
        write(arguments.folder, f"{arguments.kind}-{count:06}", found, arguments.one_place)
    print(f"{count} functions of the kind {arguments.kind}")


if __name__ == "__main__":
    main()
