"""The exceptions that depyf raises."""

from __future__ import annotations


class DecompilationError(Exception):
    """A function cannot be written as Python source.

    Raised instead of returning source that would do something else.

    Attributes:
        message: one sentence that says why.
        offset: byte offset, in ``co_code`` of `function`, of the instruction at fault.
        opcode: that instruction's operation; empty where none is at fault.
        function: ``co_qualname`` of the function, which may be nested in the one that was asked for.
    """

    def __init__(self, message: str, offset: int = 0, opcode: str = "", function: str = "") -> None:
        super().__init__(message, offset, opcode, function)
        self.message = message
        self.offset = offset
        self.opcode = opcode
        self.function = function

    def __str__(self) -> str:
        if not self.function:
            return self.message
        instruction = f" {self.opcode}" if self.opcode else ""
        return f"{self.function}, offset {self.offset}{instruction}: {self.message}"
