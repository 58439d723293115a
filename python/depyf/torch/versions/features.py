"""How private things of torch are reached and replaced."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Iterator, TypeVar, cast

import torch

from depyf.torch.safety import warn_once

_F = TypeVar("_F", bound=Callable[..., Any])


def optional(what: str, missing: Callable[[], Any] = lambda: None) -> Callable[[_F], _F]:
    """Return ``missing()``, after one warning, where this torch does not have what a function needs."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (ImportError, AttributeError, TypeError, KeyError) as error:
                reason = f"{type(error).__name__}: {error}"
                warn_once(f"reading {what} from torch {torch.__version__}", reason)
                return missing()

        return cast(_F, call)

    return decorate


@contextlib.contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Have an attribute be another value inside the context."""
    original = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)
