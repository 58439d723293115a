"""Compiles files of the standard library and says where their instructions stand.

Usage: `python positions.py FOLDER LIMIT`. For each file the folder gets `NNNN.pyc` and `NNNN.txt`; the text
has, for each code object (outer ones first), a line `code`, and then for each code unit a line
`LINE END_LINE COLUMN END_COLUMN`, with `-` for None.
"""

import dis
import os
import sys
from types import CodeType
from typing import Iterator, List, Optional, Tuple

from library import run

Position = Tuple[Optional[int], ...]


def sources(limit: int) -> List[str]:
    """Files spread over the library and its tests."""
    library = os.path.dirname(os.__file__)
    found = []
    for folder, folders, names in os.walk(library):
        folders[:] = sorted(set(folders) - {"site-packages", "__pycache__"})
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]
    # Debian links files that are in no package of ours.
    found = [name for name in found if os.path.isfile(name)]
    return found[:: max(1, len(found) // limit)]


def positions(code: CodeType) -> Iterator[Position]:
    """Where each code unit stands, as this version tells it."""
    if sys.version_info >= (3, 11):
        yield from code.co_positions()
        return
    units: List[Optional[int]] = [None] * (len(code.co_code) // 2)
    if sys.version_info >= (3, 10):
        for start, end, line in code.co_lines():
            units[start // 2 : end // 2] = [line] * (end // 2 - start // 2)
    else:
        # `dis.findlinestarts` leaves out what the peephole optimizer moved beyond the end of the code.
        starts, line = dict(dis.findlinestarts(code)), code.co_firstlineno
        for unit in range(len(units)):
            line = starts.get(2 * unit, line)
            units[unit] = line
    for line in units:
        yield line, line, None, None


def describe(code: CodeType) -> Iterator[str]:
    """The lines for one code object."""
    for position in positions(code):
        yield " ".join("-" if value is None else str(value) for value in position)


if __name__ == "__main__":
    run(sources, describe)
