"""Compiles files of the standard library and writes down what is asked of their code objects.

The scripts beside it call [`run`][library.run] with what they ask. For each file the folder gets `NNNN.pyc`
and `NNNN.txt`; the text has, for each code object (outer ones first), a line `code`, and then the lines
of the script.
"""

import importlib.util
import marshal
import os
import sys
from types import CodeType
from typing import Callable, Iterable, Iterator, List

Describe = Callable[[CodeType], Iterable[str]]


def code_objects(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside of it, the outer ones first."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


def write(folder: str, name: str, code: CodeType, describe: Describe) -> None:
    """Writes `NAME.pyc` and `NAME.txt`."""
    with open(os.path.join(folder, name + ".pyc"), "wb") as pyc:
        pyc.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
    with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as facts:
        for inner in code_objects(code):
            facts.write("code\n")
            facts.writelines(line + "\n" for line in describe(inner))


def run(sources: Callable[[int], List[str]], describe: Describe) -> None:
    """Runs the command line of a script, `FOLDER LIMIT`, on about LIMIT of the files."""
    folder, limit = sys.argv[1], int(sys.argv[2])
    for index, name in enumerate(sources(limit)):
        with open(name, "rb") as file:
            text = file.read()
        try:
            code = compile(text, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        write(folder, f"{index:04}", code, describe)
