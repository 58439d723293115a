"""Source of code objects for the dump: decompiled, or where that fails, the listing with the reason."""

from __future__ import annotations

import dis
import inspect
import io
import keyword
import os
import re
import textwrap
import warnings
from types import CodeType
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch

from depyf import decompiler
from depyf.decompiler import Decompilation
from depyf.torch.model import Source, codes_in
from depyf.torch.safety import guarded
from depyf.torch.sanitize import Sanitizer
from depyf.torch.source_lines import indented, renamed, user_lines


def source_of(code: CodeType, name: str, sanitizer: Sanitizer) -> Source:
    """Decompile a code object to a function called `name`, or list it."""
    return _source(code, name, sanitizer, with_lines=False)


def transformed_source(code: CodeType, name: str, sanitizer: Sanitizer) -> Source:
    """As `source_of` for what Dynamo made, with comments that say which of the user's lines are run."""
    return _source(code, name, sanitizer, with_lines=True)


def _source(code: CodeType, name: str, sanitizer: Sanitizer, with_lines: bool) -> Source:
    problem = ""
    try:
        found = decompiler.decompile(
            renamed(code, sanitizer), view="readable", source_map=True, function_name=name
        )
        constants = _describe(decompiler.constants_of(code), sanitizer)
        outer, found = _with_cells(found, name, code)
        shown = _with_user_lines(found, code) if with_lines else found.source
        text = constants + outer.above + shown + outer.below
        error = syntax_error(text)
        if error is None:
            return Source(text, "", found, (constants + outer.above).count("\n"))
        problem = f"what was decompiled is not Python: {error}"
    # Whatever the decompiler raises, the rest of the dump is of use.
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    return Source(_listing(code, name, problem, sanitizer), problem)


class _Outer(NamedTuple):
    """A function around another one, as the text above it and the text below it."""

    above: str = ""
    below: str = ""


def _with_cells(found: Decompilation, name: str, code: CodeType) -> Tuple[_Outer, Decompilation]:
    """Put a function that assigns to variables of an outer one into such a function."""
    if not code.co_freevars or not re.search(r"(?m)^\s+nonlocal ", found.source):
        return _Outer(), found
    outer = f"__cells_of_{name.lstrip('_')}"
    above = f"def {outer}():\n    # What the function shares with the one that encloses it.\n"
    cells = f"    {' = '.join(code.co_freevars)} = None\n\n"
    below = f"\n    return {name}\n\n\n{name} = {outer}()\n"
    return _Outer(above + cells, below), indented(found)


def _with_user_lines(found: Decompilation, code: CodeType) -> str:
    """Add a comment to each line of the source that runs a line of the user's own file."""
    filename = os.path.basename(code.co_filename)
    users = user_lines(code, found)
    lines = found.source.split("\n")
    for number, line in users.items():
        lines[number - 1] += f"  # {filename}:{line}"
    return "\n".join(lines)


def _describe(constants: Dict[str, object], sanitizer: Sanitizer) -> str:
    lines = (f"{name} = {_short_repr(value)}" for name, value in constants.items())
    return "".join(commented(sanitizer.text(line)) for line in lines)


def _short_repr(value: object) -> str:
    # Only objects whose repr runs no code of the user's and no operation of torch's.
    if isinstance(value, dict) and isinstance(value.get("__name__"), str):
        return f"the globals of {value['__name__']}"
    if isinstance(value, (type, slice, range)) or type(value) in _PLAIN:
        return textwrap.shorten(repr(value), 200)
    described = type(value).__qualname__
    name = getattr(value, "__qualname__", None)
    return f"{described} {name}" if isinstance(name, str) else described


_PLAIN = (torch.dtype, torch.device, torch.memory_format, torch.layout)


def _listing(code: CodeType, name: str, problem: str, sanitizer: Sanitizer) -> str:
    text = f"def {name}({', '.join(parameters(code))}):\n"
    body = commented(f"Not decompiled, for: {problem}\nThe bytecode:\n{listing(code)}")
    return (
        text
        + textwrap.indent(sanitizer.text(body), "    ")
        + '    raise NotImplementedError("not decompiled")\n'
    )


@guarded("listing bytecode", default=lambda: "(no listing)")
def listing(code: CodeType) -> str:
    """Return the disassembly of a code object and of those inside it."""
    stream = io.StringIO()
    for inner in codes_in(code):
        print(f"{inner.co_name}:", file=stream)
        dis.disassemble(inner, file=stream)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def parameters(code: CodeType) -> List[str]:
    """Return the parameters as a ``def`` spells them, without defaults."""
    names = [
        name if name.isidentifier() and not keyword.iskeyword(name) else f"arg{index}"
        for index, name in enumerate(code.co_varnames)
    ]
    positional = names[: code.co_argcount]
    keyword_only = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    rest = names[code.co_argcount + code.co_kwonlyargcount :]
    spelled = list(positional)
    if code.co_posonlyargcount:
        spelled.insert(code.co_posonlyargcount, "/")
    if code.co_flags & inspect.CO_VARARGS:
        spelled.append("*" + rest.pop(0))
    elif keyword_only:
        spelled.append("*")
    spelled.extend(keyword_only)
    if code.co_flags & inspect.CO_VARKEYWORDS:
        spelled.append("**" + rest.pop(0))
    return spelled


def arguments(code: CodeType) -> List[str]:
    """Return how a call passes the function's own parameters on."""
    passed, is_keyword = [], False
    for parameter in parameters(code):
        if parameter == "*":
            is_keyword = True
        elif parameter != "/":
            passed.append(f"{parameter}={parameter}" if is_keyword and parameter[0] != "*" else parameter)
            is_keyword = is_keyword or parameter.startswith("*")
    return passed


@guarded("reading the original source")
def original_source(code: CodeType, name: str) -> Optional[str]:
    """Return the user's own source of a function, called `name`, if it can be read.

    Decorators become comments: the file is to be read, not to be compiled by torch once more.
    """
    try:
        lines, _ = inspect.getsourcelines(code)
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    split = textwrap.dedent("".join(lines)).splitlines()
    is_def = re.compile(rf"(?:async )?def {re.escape(code.co_name)}\b")
    head = next((number for number, line in enumerate(split) if is_def.match(line)), None)
    if head is None:
        # A lambda, in the middle of a statement.
        return commented("\n".join(split))
    split[head] = split[head].replace(f"def {code.co_name}", f"def {name}", 1)
    outer, found = _with_cells(Decompilation("\n".join(split[head:]) + "\n", []), name, code)
    text = commented("\n".join(split[:head])) + outer.above + found.source + outer.below
    return text if syntax_error(text) is None else commented("\n".join(split))


def commented(text: str) -> str:
    """Make each line a comment."""
    return "".join(f"# {line}".rstrip() + "\n" for line in text.replace("\0", "\\0").splitlines())


def syntax_error(text: str) -> Optional[str]:
    """Return why a text is not a Python module, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<dump>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def python_or_comment(text: str) -> str:
    """Return the text if it is Python, and otherwise as comments that say so."""
    error = syntax_error(text)
    if error is None:
        return text
    return commented(f"This text of torch's is not Python ({error}).") + commented(text)
