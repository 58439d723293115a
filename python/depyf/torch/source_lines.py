"""Code whose decompiled source is the same in every run, and the lines of the user in that source."""

from __future__ import annotations

import dis
import sys
import textwrap
from types import CodeType
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, cast

from depyf.decompiler import Decompilation
from depyf.linking import link
from depyf.torch.model import codes_in
from depyf.torch.sanitize import Sanitizer


def renamed(code: CodeType, sanitizer: Sanitizer) -> CodeType:
    """Return the code with stable names and strings: what is decompiled from it is the same in every run.

    So the source map counts the letters of the text that is dumped. The result is never run.
    """
    changes: Dict[str, Any] = {}
    for table in ("co_names", "co_varnames", "co_cellvars", "co_freevars", "co_consts"):
        values: Tuple[object, ...] = getattr(code, table)
        stable = tuple(_renamed(value, sanitizer) for value in values)
        if any(new is not old for new, old in zip(stable, values)):
            changes[table] = stable
    return code.replace(**changes) if changes else code


def _renamed(value: object, sanitizer: Sanitizer) -> object:
    if isinstance(value, str):
        stable = sanitizer.text(value)
        return value if stable == value else stable
    if isinstance(value, CodeType):
        return renamed(value, sanitizer)
    # Exactly these types: Dynamo's constants may be of others that are made in other ways.
    if type(value) in (tuple, frozenset):
        items: Iterable[Any] = cast(Any, value)
        pairs = [(item, _renamed(item, sanitizer)) for item in items]
        if any(new is not old for old, new in pairs):
            return cast(Any, type(value))(new for _, new in pairs)
    return value


def indented(found: Decompilation) -> Decompilation:
    """Put the source one level deeper."""
    places = [place._replace(column=place.column + 4, end_column=place.end_column + 4) for place in found.map]
    return found._replace(source=textwrap.indent(found.source, "    "), map=places)


def user_lines(code: CodeType, found: Decompilation) -> Dict[int, int]:
    """Return which line of the user's file runs at each line of the source, where Dynamo knows that.

    Dynamo gives the first line of a function to all that it adds itself, so that line says nothing. What is
    defined inside is the user's and keeps its file, so the line of its own head is said.
    """
    linked = _lines(link(code, code.co_filename, found))
    users: Dict[int, int] = {}
    for head, inner in _definitions(code, found, linked):
        if inner.co_filename == code.co_filename:
            users.setdefault(head, inner.co_firstlineno)
    for shown, line in zip(linked, _lines(code)):
        if shown is not None and line is not None and line != code.co_firstlineno:
            users.setdefault(shown, line)
    # The head of the function is no statement.
    users.pop(1, None)
    return users


def _definitions(
    code: CodeType, found: Decompilation, linked: List[Optional[int]]
) -> Iterator[Tuple[int, CodeType]]:
    """Give what is defined inside, with the line of its head, or of the expression that it is loaded for."""
    nested = codes_in(code)[1:]
    for report in found.functions[1:]:
        of_that_name = [inner for inner in nested if inner.co_name == report.qualname.rpartition(".")[2]]
        if len(of_that_name) == 1:
            yield report.line, of_that_name[0]
    for instruction in dis.get_instructions(code):
        line = linked[instruction.offset // 2]
        if isinstance(instruction.argval, CodeType) and line is not None:
            yield line, instruction.argval


def _lines(code: CodeType) -> List[Optional[int]]:
    """Return the line of each code unit."""
    units: List[Optional[int]] = [None] * (len(code.co_code) // 2)
    if sys.version_info >= (3, 10):
        for start, end, line in code.co_lines():
            units[start // 2 : end // 2] = [line] * ((end - start) // 2)
        return units
    starts, line = dict(dis.findlinestarts(code)), code.co_firstlineno
    for unit in range(len(units)):
        line = units[unit] = starts.get(2 * unit, line)
    return units
