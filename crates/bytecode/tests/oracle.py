"""Compiles files of the standard library and says what `dis` knows of them.

Usage: `python oracle.py FOLDER LIMIT`. For each file the folder gets `NNN.pyc` and `NNN.txt`; the text
has, for each code object (outer ones first), a line `code`, and then one line each for

    i OFFSET NAME EFFECT JUMP_EFFECT TARGET LINE   an instruction (`-` for None)
    x START END HANDLER DEPTH LASTI                a row of the exception table (offsets, END exclusive)
    v NAME                                         an entry of the table that locals and cells are in
"""

import dis
import os
import sys
from types import CodeType
from typing import Dict, Iterator, List, Optional

from library import run


def sources(limit: int) -> List[str]:
    """Files spread over the library: modules first, then the tests, which hold the odd syntax."""
    library = os.path.dirname(os.__file__)
    names = [os.path.join(library, name) for name in sorted(os.listdir(library)) if name.endswith(".py")]
    for folder in ("asyncio", "test"):
        path = os.path.join(library, folder)
        if os.path.isdir(path):
            names += [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(".py")]
    names = [name for name in names if os.path.isfile(name)]
    step = max(1, len(names) // limit)
    wanted = (
        "test_patma",
        "test_grammar",
        "test_with",
        "test_except_star",
        "test_coroutines",
        "test_tstring",
        "test_type_params",
        "test_fstring",
        "test_unpack_ex",
        "test_exceptions",
        "test_lazy_import",
    )
    extra = [name for name in names if os.path.basename(name)[:-3] in wanted]
    return names[::step] + extra


def lines(code: CodeType) -> Dict[int, Optional[int]]:
    """The line of each code unit."""
    found: Dict[int, Optional[int]] = {}
    if sys.version_info >= (3, 10):
        for start, end, line in code.co_lines():
            found.update(dict.fromkeys(range(start, end, 2), line))
        return found
    starts = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    for offset in range(0, len(code.co_code), 2):
        line = starts.get(offset, line)
        found[offset] = line
    return found


def variables(code: CodeType) -> List[str]:
    """Names by the index that LOAD_DEREF of 3.11 and later uses."""
    found: List[str] = []
    if sys.version_info >= (3, 11):
        try:
            while True:
                found.append(code._varname_from_oparg(len(found)))  # type: ignore[attr-defined]
        except IndexError:
            pass
    return found


def describe(code: CodeType) -> Iterator[str]:
    """The lines for one code object."""
    line_of = lines(code)
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("EXTENDED_ARG", "CACHE"):
            continue
        effects = [dis.stack_effect(instruction.opcode, instruction.arg, jump=jump) for jump in (False, True)]
        is_jump = instruction.opcode in dis.hasjabs or instruction.opcode in dis.hasjrel
        target = instruction.argval if is_jump else "-"
        line = line_of.get(instruction.offset)
        shown = "-" if line is None else line
        yield f"i {instruction.offset} {instruction.opname} {effects[0]} {effects[1]} {target} {shown}"
    if sys.version_info >= (3, 11):
        for row in dis._parse_exception_table(code):  # type: ignore[attr-defined]
            yield f"x {row.start} {row.end} {row.target} {row.depth} {int(row.lasti)}"
    for name in variables(code):
        yield f"v {name}"


if __name__ == "__main__":
    run(sources, describe)
