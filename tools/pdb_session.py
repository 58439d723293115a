"""Drives pdb as a person does: through a terminal."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import TracebackType
from typing import List, Optional, Tuple, Type

import pexpect

_PROMPT = "\n(Pdb) "
_STOP = re.compile(r"> (?P<file>\S[^\n]*)\((?P<line>\d+)\)(?P<function>[\w<>]+)\(\)")


class PdbSession:
    """A program that runs in a pseudo-terminal and stops in pdb."""

    def __init__(self, *arguments: str, cwd: Path, **environment: str) -> None:
        # No colours, no editing of the line: what comes back is text.
        plain = {"TERM": "dumb", "NO_COLOR": "1", "PYTHON_COLORS": "0", "PYTHON_BASIC_REPL": "1"}
        variables = {**os.environ, **plain, **environment}
        variables.pop("PYTHONBREAKPOINT", None)
        self._child = pexpect.spawn(
            sys.executable,
            list(arguments),
            cwd=str(cwd),
            env=variables,
            encoding="utf-8",
            timeout=300,
            dimensions=(50, 500),
        )
        self._child.setecho(False)
        self.started_with = self._until_prompt()

    def __enter__(self) -> PdbSession:
        return self

    def __exit__(
        self,
        exception_type: Optional[Type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._child.close(force=True)

    def command(self, command: str) -> str:
        """Type a command, and return what pdb answers."""
        self._child.sendline(command)
        return self._until_prompt()

    def last_command(self, command: str) -> str:
        """Type the command after which the program runs to its end; return what it printed."""
        self._child.sendline(command)
        self._child.expect(pexpect.EOF)
        self._child.close()
        text = self._text()
        assert self._child.exitstatus == 0, text
        return text

    def _until_prompt(self) -> str:
        found = self._child.expect_exact([_PROMPT, pexpect.EOF])
        text = self._text()
        assert found == 0, f"the program ended: {text}"
        return text

    def _text(self) -> str:
        return str(self._child.before).replace("\r\n", "\n").replace("\r", "").strip("\n")


def stop_of(answer: str) -> Tuple[str, int, str]:
    """Return file, line and function of the place where pdb says it stopped."""
    found = list(_STOP.finditer(answer))
    assert found, answer
    return Path(found[-1]["file"]).name, int(found[-1]["line"]), found[-1]["function"]


def line_with(path: Path, text: str) -> int:
    """Return the number of the first line of a file that holds a text."""
    lines: List[str] = path.read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
