"""Linking: bytecode that runs as it is, and stands in a source file for debuggers and tracebacks."""

from __future__ import annotations

import os
import sys
from types import CodeType
from typing import Any, Callable, Dict, Optional, Union

from depyf import _native
from depyf.code_owner import code_of
from depyf.decompiler import Decompilation, View, decompile

# What `co_lnotab` is called as an argument of `CodeType.replace`.
_LINE_TABLE = "co_linetable" if sys.version_info >= (3, 10) else "co_lnotab"


def link(
    code: Union[CodeType, Callable[..., object]],
    path: Union[str, os.PathLike[str]],
    decompilation: Optional[Decompilation] = None,
    *,
    first_line: int = 1,
    view: View = "exact",
    function_name: Optional[str] = None,
) -> CodeType:
    """Return the same code, standing in the source that it was decompiled to.

    The result has the instructions, constants, names and exception table of `code`, and runs as `code`
    does. Only ``co_filename``, ``co_firstlineno`` and the line table are others: line events, breakpoints
    and tracebacks, with their carets from Python 3.11 on, show the file at `path`. The caller writes that
    file. Code nested in `code`, of functions, lambdas and classes that are defined in it, stays as it is: it
    is the user's own, and stays in the user's own files, where breakpoints for it belong.

    Args:
        code: a code object, or anything that `decompile` takes.
        path: the file that holds the source; it is not read, and need not exist yet.
        decompilation: the source in that file with its map; by default the code is decompiled now, with
            `view` and `function_name`.
        first_line: the line of the file at which the source starts.
        view: see `decompile`.
        function_name: see `decompile`.

    Raises:
        DecompilationError: the code cannot be written as Python.
        TypeError: `code` has no bytecode.
        ValueError: `first_line` is not positive.

    Example::

        found = depyf.decompile(function, source_map=True)
        Path("shown.py").write_text(found.source)
        function.__code__ = depyf.link(function, "shown.py", found)
    """
    if first_line < 1:
        raise ValueError(f"lines count from 1, so the first cannot be {first_line}")
    original = code_of(code)
    if decompilation is None:
        decompilation = decompile(original, view=view, source_map=True, function_name=function_name)
    table = _native.link(original, decompilation.source, decompilation.map, first_line)
    changes: Dict[str, Any] = {
        "co_filename": os.fspath(path),
        "co_firstlineno": first_line,
        _LINE_TABLE: table,
    }
    return original.replace(**changes)
