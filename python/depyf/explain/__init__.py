"""Names under which programs know what is in `depyf.torch`: ``depyf.explain.dump_src`` and others.

`depyf.prepare_debug` shows more than `dump_src` does, and works for functions that die.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Callable, Optional, Union

__all__ = ["dump_src"]


def dump_src(function: Union[CodeType, Callable[..., Any]], module: Optional[object] = None) -> str:
    """Return what is compiled for a function now, as one text: guards, transformed code, resume functions.

    Args:
        function: what ``torch.compile`` returned, the function or module that it was given, or its code.
        module: ignored; callers pass the module in which the function was defined.

    Raises:
        TypeError: `function` has no bytecode.
    """
    from depyf.torch.now import compiled_now

    return compiled_now(function)
