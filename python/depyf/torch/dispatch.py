"""`which`: the cache entry that a call would run, and why not the others."""

from __future__ import annotations

import dataclasses
import inspect
import re
from types import CodeType, FunctionType, MethodType
from typing import Any, Callable, Dict, List, Optional

from depyf.torch import versions


@dataclasses.dataclass(frozen=True)
class EntryVerdict:
    """One cache entry, and what its guard says of the call.

    Attributes:
        compile_id: torch's id of the compilation, such as ``0/1``.
        fits: whether the whole guard holds.
        failed: the parts of the guard that do not hold; torch stops at the first.
        file: where the entry's code is shown, if it was recorded by `depyf.prepare_debug`.
        code: the code that the entry runs.
    """

    compile_id: str
    fits: bool
    failed: List[str]
    file: Optional[str]
    code: CodeType = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Dispatch:
    """The answer of `which`; ``str()`` of it is for people.

    Attributes:
        function: the name of the user's function.
        entries: all cache entries, in the order in which torch tries them.
    """

    function: str
    entries: List[EntryVerdict]

    @property
    def entry(self) -> Optional[EntryVerdict]:
        """The entry that runs: the first that fits, or None, and then torch would compile."""
        return next((entry for entry in self.entries if entry.fits), None)

    @property
    def compile_id(self) -> Optional[str]:
        """The compile id of the entry that runs."""
        return None if self.entry is None else self.entry.compile_id

    def __str__(self) -> str:
        """Show the entry that runs, and below it all entries with the guards that failed."""
        if not self.entries:
            return f"{self.function}: nothing is compiled for it, or torch runs it as it is"
        if self.entry is None:
            title = f"{self.function}: none of {len(self.entries)} cache entries fits this call"
        else:
            title = f"{self.function}: entry {self.entry.compile_id} runs"
        return "\n".join([title, *(self._line(entry) for entry in self.entries)])

    def _line(self, entry: EntryVerdict) -> str:
        if entry is self.entry:
            verdict = "fits" if entry.file is None else f"fits, {entry.file}"
        elif entry.fits:
            verdict = "fits too, but is tried later"
        else:
            verdict = f"fails: {'; '.join(entry.failed) or 'torch does not say at which guard'}"
        return f"  {entry.compile_id}  {verdict}"


def which(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Dispatch:
    """Tell which cache entry ``function(*args, **kwargs)`` would run now, without running it.

    Guards also look at the state of the process, such as whether gradients are on: ask where the call would
    be. The entry is that of the function itself; each resume function, after a graph break, has entries of
    its own and can be asked about in the same way.

    Args:
        function: what ``torch.compile`` returned, or the function, method or module that it was given.
        args: the arguments of the call.
        kwargs: its keyword arguments.

    Raises:
        TypeError: `function` leads to no Python function, or does not take these arguments.

    Example::

        >>> print(depyf.which(compiled, torch.ones(3)))
        f: entry 0/1 runs
          0/1  fits
          0/0  fails: tensor 'L['x']' size mismatch at index 0. expected 2, actual 3
    """
    target = versions.user_function(function)
    inner = target.__func__ if isinstance(target, MethodType) else target
    if not isinstance(inner, FunctionType):
        raise TypeError(
            f"depyf.which needs a Python function or what torch.compile made of one, not {function!r}"
        )
    if isinstance(target, MethodType):
        args = (target.__self__, *args)
    code = inner.__code__
    found = versions.verdicts(code, _local_variables(inner, args, kwargs)) or []
    entries = [
        EntryVerdict(
            "unknown" if each.key is None else str(each.key),
            each.fits,
            [_without_gaps(part) for part in each.failed],
            # Code that runs as torch made it names the user's file.
            each.code.co_filename if each.code.co_filename != code.co_filename else None,
            each.code,
        )
        for each in found
    ]
    return Dispatch(code.co_name, entries)


def _local_variables(function: FunctionType, args: Any, kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """Return what a frame of `function` holds when it starts, free variables included."""
    bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    bound.apply_defaults()
    variables = dict(bound.arguments)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            variables[name] = cell.cell_contents
        except ValueError:  # It is empty.
            continue
    return variables


def _without_gaps(reason: str) -> str:
    return re.sub(r"\s{2,}#", "  #", reason.strip())
