"""depyf: opens the box of ``torch.compile``, and decompiles Python bytecode.

``decompile`` works without torch; what needs torch is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, List

from depyf._native import __version__
from depyf.decompiler import (
    Decompilation,
    Decompiler,
    FunctionReport,
    SourcePosition,
    constants_of,
    decompile,
    listing,
)
from depyf.errors import DecompilationError
from depyf.linking import link
from depyf.verifying import Verdict, verify

__all__ = [
    "Decompilation",
    "DecompilationError",
    "Decompiler",
    "FunctionReport",
    "SourcePosition",
    "Verdict",
    "__version__",
    "constants_of",
    "debug",
    "decompile",
    "install",
    "link",
    "listing",
    "prepare_debug",
    "uninstall",
    "verify",
    "which",
]

# Where each name that needs torch is defined.
_NEEDS_TORCH = {
    "debug": "depyf.torch",
    "install": "depyf.torch.bytecode_log",
    "prepare_debug": "depyf.torch",
    "uninstall": "depyf.torch.bytecode_log",
    "which": "depyf.torch",
}


def __getattr__(name: str) -> Any:
    if name in _NEEDS_TORCH:
        return getattr(import_module(_NEEDS_TORCH[name]), name)
    raise AttributeError(f"module 'depyf' has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted([*globals(), *_NEEDS_TORCH])
