"""From anything that can be called, or is running, to the code object behind it."""

from __future__ import annotations

from types import CodeType
from typing import Any, Optional

# What leads one step closer to a code object: the function that `torch.compile` wraps first, because
# its wrapper has a `__code__` of its own; then code objects themselves, then what a method, a partial
# or a wrapper holds.
_STEPS = (
    "_torchdynamo_orig_callable",
    "__code__",
    "gi_code",
    "cr_code",
    "ag_code",
    "f_code",
    "__func__",
    "fget",
    "func",
)


def code_of(value: object) -> CodeType:
    """Return the code object of a function, method, callable object, generator, frame or code object.

    A function that ``torch.compile`` returned stands for the function that was given to it, a
    ``torch.nn.Module`` for its ``forward``.

    Raises:
        TypeError: there is none, as for classes and for functions written in C.
    """
    current: Optional[object] = value
    # Bounded, because a hostile object may lead back to itself.
    for _ in range(32):
        if isinstance(current, CodeType):
            return current
        current = _step(current)
        if current is None:
            break
    raise TypeError(f"{_describe(value)} has no bytecode: a Python function, method or code object is needed")


def _step(value: object) -> Optional[object]:
    if isinstance(value, type):
        return None
    found: Any
    for name in _STEPS:
        found = _get(value, name)
        if found is not None:
            return found  # type: ignore[no-any-return]
    # `__call__` of a torch.nn.Module only leads to torch's own machinery.
    if _get(value, "_call_impl") is not None:
        found = _get(value, "forward")
    else:
        found = getattr(type(value), "__call__", None)  # noqa: B004 (its code is wanted, not a yes or no)
    return found if found is not None and (_get(found, "__code__") or _get(found, "__func__")) else None


def _get(value: object, name: str) -> Optional[object]:
    try:
        return getattr(value, name, None)
    except Exception:  # a property of a foreign object may raise anything
        return None


def _describe(value: object) -> str:
    return f"class {value.__qualname__}" if isinstance(value, type) else f"{type(value).__qualname__} object"
