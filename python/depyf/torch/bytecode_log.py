"""Decompiled source in torch's own log of bytecode, which ``TORCH_LOGS="+bytecode"`` turns on."""

from __future__ import annotations

from types import CodeType
from typing import Any, Optional

from depyf.decompiler import decompile
from depyf.torch import versions
from depyf.torch.safety import guarded

_handle: Optional[Any] = None


def install() -> None:
    """Log the source of what Dynamo makes, behind the bytecode that torch logs. A second call does nothing.

    Example::

        # with TORCH_LOGS="+bytecode"
        depyf.install()
    """
    global _handle
    if _handle is None:
        _handle = versions.register_bytecode_hook(_log)


def uninstall() -> None:
    """Undo `install`."""
    global _handle
    if _handle is not None:
        _handle.remove()
        _handle = None


@guarded("logging decompiled bytecode")
def _log(original: CodeType, transformed: CodeType) -> None:
    logger = versions.bytecode_logger()
    if logger is not None and logger.isEnabledFor(10):
        source = decompile(transformed, view="readable", on_failure="mark")
        logger.debug("DECOMPILED SOURCE of %s:\n%s", original.co_name, source)
