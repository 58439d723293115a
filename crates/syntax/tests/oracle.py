"""CPython's own parser as the judge of the printer, for tests/roundtrip.rs.

A long-lived child process: one request a line, one answer a line. Texts travel as hexadecimal UTF-8
(with surrogates), in requests behind an ``x``; trees as S-expressions: ``(Kind field=value ...)``, lists in
brackets.

    tree SOURCE              the tree, or ``!`` and a message where the source does not parse
    compare SOURCE PRINTED   ``=`` where both parse to the same tree, else ``!`` and the difference
    value EXPRESSION         the value that the expression evaluates to, as an atom or list
    file PATH                the text of a source file
    snippets PATH            the strings of a JSON-lines file, separated by blanks
    library COUNT            paths of that many files of the standard library, spread evenly, and of
                             those that test the grammar
    places SOURCE            line and column of the start and of the end of each expression, in preorder
"""

import ast
import functools
import json
import os
import struct
import sys
import tokenize
import warnings
from typing import Any, Iterator, List, Tuple

# Files that hold every construct.
GRAMMAR_TESTS = {
    f"test_{name}.py"
    for name in ("complex", "fstring", "grammar", "patma", "tstring", "type_params", "unparse")
}

# What holds no meaning: contexts follow from the place, `kind` is the `u` prefix.
IGNORED = {"ctx", "type_comment", "type_ignores", "kind"}


def decode(text: str) -> str:
    """The text behind its hexadecimal digits."""
    return bytes.fromhex(text).decode("utf-8", "surrogatepass")


def encode(text: str) -> str:
    """Hexadecimal digits of a text, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass").hex()


def float_bits(value: float) -> str:
    """All 64 bits, so that zeros of both signs differ."""
    # The sign of a NaN depends on the machine that folded it.
    return struct.pack(">d", float("nan") if value != value else value).hex()


def constant(value: Any) -> str:
    """A constant as an atom: a letter for its type, then its value."""
    if value is None:
        return "n"
    if value is Ellipsis:
        return "e"
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, int):
        return "i" + format(value, "x")
    if isinstance(value, float):
        return "f" + float_bits(value)
    if isinstance(value, complex):
        return "c" + float_bits(value.real) + float_bits(value.imag)
    if isinstance(value, str):
        return "s" + encode(value)
    if isinstance(value, bytes):
        return "b" + value.hex()
    if isinstance(value, tuple):
        return "[" + "".join(constant(item) + " " for item in value) + "]"
    raise TypeError(type(value).__name__)


def fields(node: ast.AST) -> Iterator[Tuple[str, Any]]:
    """Names and values of what holds meaning in a node."""
    for name in node._fields:
        if name not in IGNORED:
            yield name, normal(getattr(node, name, None))


def normal(value: Any) -> Any:
    """3.8 wraps what stands between the brackets of a subscript; f-strings may hold empty texts."""
    kind = type(value).__name__
    if sys.version_info < (3, 9):
        if kind == "Index":
            return value.value
        if kind == "ExtSlice":
            return ast.Tuple(elts=[normal(item) for item in value.dims], ctx=ast.Load())
    if kind in ("JoinedStr", "TemplateStr"):
        parts: List[Any] = []
        for part in value.values:
            text = isinstance(part, ast.Constant)
            if text and not part.value:
                continue
            if text and parts and isinstance(parts[-1], ast.Constant):
                parts[-1] = ast.copy_location(ast.Constant(parts[-1].value + part.value), parts[-1])
            else:
                parts.append(part)
        return ast.copy_location(type(value)(values=parts), value)
    return value


def show(value: Any, out: List[str]) -> None:
    """Appends the S-expression of a tree, without recursion: trees may be deep."""
    work = [value]
    while work:
        item = work.pop()
        if isinstance(item, Raw):
            out.append(item)
        elif isinstance(item, list):
            work.append(Raw("]"))
            for inner in reversed(item):
                work.append(Raw(" "))
                work.append(normal(inner))
            work.append(Raw("["))
        elif isinstance(item, ast.AST):
            work.append(Raw(")"))
            for name, inner in reversed(list(fields(item))):
                work.append(inner)
                work.append(Raw(" " + name + "="))
            work.append(Raw("(" + type(item).__name__))
        else:
            out.append(constant(item))


class Raw(str):
    """Text that is part of the S-expression already."""


@functools.lru_cache(maxsize=1)
def expected(source: str) -> str:
    """As `tree`; several prints of one source are compared in a row."""
    return tree(source)


def tree(source: str) -> str:
    """The S-expression of a module."""
    out: List[str] = []
    show(ast.parse(source), out)
    return "".join(out)


def difference(first: str, second: str) -> str:
    """Where two trees part, with what stands around."""
    at = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    start, end = max(0, at - 80), at + 80
    return f"trees differ at {at}: {first[start:end]} | {second[start:end]}"


def library(count: int) -> List[str]:
    """Paths of `count` files of the standard library, and of those that test the grammar."""
    root = os.path.dirname(os.__file__)
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - {"site-packages", "dist-packages", "lib2to3", "__pycache__"})
        found += [os.path.join(folder, name) for name in sorted(files) if name.endswith(".py")]
    chosen = set(found[:: max(1, len(found) // count)][:count])
    return [path for path in found if path in chosen or os.path.basename(path) in GRAMMAR_TESTS]


def places(source: str) -> str:
    """Lines and columns, in characters, of each expression, in the order in which `show` meets them."""
    lines = source.split("\n")
    found = []
    work: List[Any] = [ast.parse(source)]
    while work:
        item = work.pop()
        if isinstance(item, list):
            work += [normal(inner) for inner in reversed(item)]
        elif isinstance(item, ast.AST):
            if isinstance(item, ast.expr):
                start = lines[item.lineno - 1].encode()[: item.col_offset].decode()
                assert item.end_lineno is not None, "the parser always says where an expression ends"
                end = lines[item.end_lineno - 1].encode()[: item.end_col_offset].decode()
                place = f"{item.lineno}:{len(start)}:{item.end_lineno}:{len(end)}"
                found.append(f"{type(item).__name__}:{place}")
            work += [inner for _, inner in reversed(list(fields(item)))]
    return " ".join(found)


def answer(request: List[str]) -> str:
    """Answers one request; see the head of this file."""
    verb, arguments = request[0], [decode(argument[1:]) for argument in request[1:]]
    if verb == "tree":
        return expected(arguments[0])
    if verb == "compare":
        first, second = expected(arguments[0]), tree(arguments[1])
        return "=" if first == second else "!" + difference(first, second)
    if verb == "places":
        return places(arguments[0])
    if verb == "value":
        return constant(eval(arguments[0], {}))
    if verb == "file":
        with tokenize.open(arguments[0]) as file:
            return encode(file.read())
    if verb == "snippets":
        with open(arguments[0], encoding="utf-8") as lines:
            return " ".join(encode(json.loads(line)) for line in lines)
    if verb == "library":
        return " ".join(encode(path) for path in library(int(arguments[0])))
    raise ValueError(verb)


def main() -> None:
    """Answers until the input ends."""
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20_000)
    for line in sys.stdin:
        try:
            reply = answer(line.split())
        except Exception as error:
            reply = f"!{type(error).__name__}: {error}"
        sys.stdout.write(reply.replace("\n", " ").encode("ascii", "backslashreplace").decode() + "\n")
        sys.stdout.flush()


main()
