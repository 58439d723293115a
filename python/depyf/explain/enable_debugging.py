"""`prepare_debug` and `debug`, and the hook that wrappers of them look at."""

from __future__ import annotations

from typing import Any

from depyf.torch import debug, prepare_debug

__all__ = ["debug", "patched_load_by_key_path", "prepare_debug"]


def patched_load_by_key_path(*args: Any, **kwargs: Any) -> Any:
    """Load a module of Inductor's as torch does.

    `prepare_debug` replaces no function of Inductor's. vLLM looks at the signature of this one, to see
    whether it takes all that Inductor may pass, and it does.
    """
    from torch._inductor.codecache import PyCodeCache

    return PyCodeCache.load_by_key_path(*args, **kwargs)
