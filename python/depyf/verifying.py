"""Verifying: whether source does what a code object does.

Example::

    >>> import depyf
    >>> code = (lambda a, b: a + b).__code__
    >>> bool(depyf.verify(code, "def f(a, b): return b + a"))
    False
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Callable, Optional, Tuple, Union

from depyf import _native
from depyf.code_owner import code_of

__all__ = ["Verdict", "verify"]


@dataclass(frozen=True)
class Verdict:
    """Whether source does what a code object does; true if it does, with all that is nested in it.

    Attributes:
        function: the name of the function, with those of the functions around it.
        verified: whether its own body is known to do what the bytecode does. What cannot be shown counts
            as not verified.
        reason: one sentence that says where they part, or why that is not known; empty if verified.
        offset: byte offset, in ``co_code``, of the instruction where they part.
        opcode: that instruction's operation.
        line: the line of the source that was compared with it, from 1, where it is known.
        nested: the verdicts of all nested functions, classes and comprehensions.
    """

    function: str
    verified: bool
    reason: str = ""
    offset: int = 0
    opcode: str = ""
    line: Optional[int] = None
    nested: Tuple[Verdict, ...] = ()

    def __bool__(self) -> bool:
        return self.verified and all(self.nested)


def verify(
    code: Union[CodeType, Callable[..., object]], source: str, *, function_name: Optional[str] = None
) -> Verdict:
    """Compare source with a code object: the same effects, in the same order, whatever happens.

    No code runs. Both become operations of one kind, and all ways through both are followed at once. Calls,
    attribute reads, operators, truth tests, stores to globals and the like must agree in order and operands,
    and so must the handlers that their exceptions go to. Locals must agree where they are read. Line numbers,
    time, memory and the identity of tuples and strings do not count.

    Args:
        code: as for `depyf.decompile`.
        source: a module that holds the function at its top level; for the code of a module, all of it.
        function_name: the function of `source` to take; by default the one of the code's name, or the only
            one.

    Returns:
        A `Verdict`, true where the source does the same.

    Raises:
        SyntaxError: `source` is no Python.
        DecompilationError: `source` has no such function, or the code cannot be read.
        TypeError: `code` has no bytecode.

    Example::

        source = depyf.decompile(function)
        assert depyf.verify(function, source)
    """
    found = _native.verify(code_of(code), source, function_name)
    verdicts = [Verdict(name, True) if why is None else Verdict(name, False, *why) for name, why in found]
    own = verdicts[0]
    return Verdict(
        own.function, own.verified, own.reason, own.offset, own.opcode, own.line, tuple(verdicts[1:])
    )
