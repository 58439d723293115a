"""Watches the block stacks of running frames, under Python 3.8 to 3.10.

Usage: `python block_oracle.py FOLDER MODULE...` runs the tests of each module of `test` and writes
`MODULE.pyc` and `MODULE.txt`. The text has, for each code object (outer ones first), a line `code`, and
then a line `b OFFSET HANDLER LEVEL` for each instruction that ran: where an exception in it would go, and
how many values the handler keeps; `b OFFSET - -` where nothing protects it.
"""

import ctypes
import functools
import importlib
import io
import sys
import unittest
from types import CodeType, FrameType
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from library import write

# Offsets in `PyFrameObject` of a 64-bit build without debugging aids.
F_IBLOCK = 104 if sys.version_info >= (3, 10) else 112
F_BLOCKSTACK = F_IBLOCK + 8
SETUP_FINALLY = 122

Key = Tuple[str, int, bytes]
Protection = Optional[Tuple[int, int]]


def innermost(frame: FrameType) -> Protection:
    """Handler (in bytes) and level of the innermost block that catches exceptions."""
    address = id(frame)
    count = ctypes.c_int.from_address(address + F_IBLOCK).value
    for index in reversed(range(count)):
        entry = (ctypes.c_int * 3).from_address(address + F_BLOCKSTACK + 12 * index)
        if entry[0] == SETUP_FINALLY:
            return entry[1] * (2 if sys.version_info >= (3, 10) else 1), entry[2]
    return None


def key(code: CodeType) -> Key:
    """What tells code objects of one file apart."""
    return code.co_name, code.co_firstlineno, code.co_code


def watch(filename: str, run: Callable[[], Any]) -> Dict[Key, Dict[int, Protection]]:
    """Runs something, and collects what protects each instruction of one file."""
    seen: Dict[Key, Dict[int, Protection]] = {}

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        if frame.f_code.co_filename != filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            # In 3.10 the frame's own counter is in code units; the attribute is always in bytes.
            seen.setdefault(key(frame.f_code), {}).setdefault(frame.f_lasti, innermost(frame))
        return trace

    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(None)
    return seen


def describe(seen: Dict[Key, Dict[int, Protection]], code: CodeType) -> Iterator[str]:
    """The lines for one code object."""
    for offset, protection in sorted(seen.get(key(code), {}).items()):
        handler, level = protection or ("-", "-")
        yield f"b {offset} {handler} {level}"


def main() -> None:
    """Runs the command line."""
    folder = sys.argv[1]
    for name in sys.argv[2:]:
        module = importlib.import_module("test." + name)
        filename = module.__file__ or ""
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        runner = unittest.TextTestRunner(stream=io.StringIO())
        seen = watch(filename, functools.partial(runner.run, suite))
        with open(filename, "rb") as source:
            code = compile(source.read(), filename, "exec", dont_inherit=True)
        write(folder, name, code, functools.partial(describe, seen))


if __name__ == "__main__":
    main()
