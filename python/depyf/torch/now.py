"""What is compiled for one function at this moment, as text: what `depyf.explain.dump_src` returns."""

from __future__ import annotations

from pathlib import Path
from types import CodeType, MethodType
from typing import Any

from depyf.code_owner import code_of
from depyf.torch import versions
from depyf.torch.collectors.cache_entries import CacheEntryCollector
from depyf.torch.model import Recording
from depyf.torch.naming import Names
from depyf.torch.sanitize import Sanitizer
from depyf.torch.writers.full_code import full_code
from depyf.torch.writers.pages import Pages


def compiled_now(function: Any) -> str:
    """Return the text that `prepare_debug` writes to ``full_code_for_<function>_0.py``.

    Raises:
        TypeError: `function` has no bytecode.
    """
    code = function if isinstance(function, CodeType) else _users_code(function)
    recording = Recording()
    CacheEntryCollector(recording).start()
    names = Names(recording)
    pages = Pages(Path(), recording, names, Sanitizer(names.globals, versions.inductor_cache_dir()))
    frame = pages.frame_of(code)
    if frame is None:
        return f"# Nothing is compiled for {code.co_name}, {code.co_filename}:{code.co_firstlineno}\n"
    return full_code(pages, frame)


def _users_code(function: Any) -> CodeType:
    found = versions.user_function(function)
    found = found.__func__ if isinstance(found, MethodType) else found
    return code_of(function if found is None else found)
