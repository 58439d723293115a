"""The promise that nothing of ours raises into the compiler or the program.

Every function that torch calls, and every step of the dump, is wrapped by `guarded`. A fault in one warns
once and the rest goes on. The table `CALLBACKS` holds them all by name, so that a test can put a fault into
each of them and cannot forget one.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from typing import Any, Callable, Dict, Set, TypeVar, cast

CALLBACKS: Dict[str, Callable[..., Any]] = {}

_F = TypeVar("_F", bound=Callable[..., Any])
_warned: Set[str] = set()


class DebugWarning(UserWarning):
    """Something that `depyf.prepare_debug` wanted to show could not be collected or written."""


def guarded(name: str, default: Callable[[], Any] = lambda: None) -> Callable[[_F], _F]:
    """Make a function that never raises: after a fault it warns and returns ``default()``.

    `KeyboardInterrupt` and the like still pass: they are the user's, not a fault of ours.

    Example::

        @guarded("writing the index")
        def write(...): ...
    """

    def decorate(function: _F) -> _F:
        assert name not in CALLBACKS, name
        CALLBACKS[name] = function

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return CALLBACKS[name](*args, **kwargs)
            except Exception as error:
                warn_once(name, f"{type(error).__name__}: {error}")
                return default()

        return cast(_F, call)

    return decorate


def warn_once(what: str, why: str) -> None:
    """Warn that `what` failed, once per session."""
    if what in _warned:
        return
    _warned.add(what)
    # Under `-W error` a warning is an exception, which must not reach the compiler either.
    with contextlib.suppress(Exception):
        warnings.warn(
            f"depyf.prepare_debug: {what} failed ({why}). The program goes on; the dump may lack it.",
            DebugWarning,
            stacklevel=4,
        )


def forget_warnings() -> None:
    """Start a session: what failed in an earlier one may be said again."""
    _warned.clear()
