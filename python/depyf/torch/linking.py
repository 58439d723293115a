"""The code that the bytecode hook returns: Dynamo's own, standing in the file of the dump.

A debugger opens that file while the program runs, so its text is made, and the file written, by the time the
hook returns. The writer of the dump adds notes below the function later; nothing above it changes.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from types import CodeType
from typing import Dict, Optional, Tuple

from depyf.linking import link
from depyf.torch import atomic
from depyf.torch.model import Compilation, Recording
from depyf.torch.naming import register, transformed_name
from depyf.torch.safety import guarded
from depyf.torch.sanitize import Sanitizer
from depyf.torch.writers.source import transformed_source
from depyf.torch.writers.transformed_code import LINES_ABOVE, text_above

# Dynamo's code by the id of the linked one, also from earlier sessions: its lines are those of the user.
_unlinked: Dict[int, Tuple[weakref.ref[CodeType], CodeType]] = {}


def unlinked(code: CodeType) -> CodeType:
    """Return the code that Dynamo made, for code that an earlier session linked."""
    found = _unlinked.get(id(code))
    return code if found is None else found[1]


class Linker:
    """Links the code of one session into the files of its folder."""

    def __init__(self, recording: Recording, folder: Path) -> None:
        self._recording = recording
        self._folder = folder
        self._process = os.getpid()

    @guarded("linking transformed code")
    def link(self, compilation: Compilation) -> Optional[CodeType]:
        """Return the transformed code, standing in its file, which is written now.

        None, so that Dynamo keeps its code, where the code cannot be decompiled, and in a process that was
        forked inside the session: the folder belongs to its parent.
        """
        original, transformed = compilation.original, compilation.transformed
        if original is None or transformed is None or os.getpid() != self._process:
            return None
        register(self._recording, compilation)
        sanitizer = Sanitizer(self._recording.numbers.globals)
        source = transformed_source(transformed, transformed_name(compilation), sanitizer)
        compilation.source = source
        if source.decompilation is None:
            return None
        path = self._folder / f"{transformed_name(compilation)}.py"
        first_line = 1 + LINES_ABOVE + source.lines_above
        linked = link(transformed, path, source.decompilation, first_line=first_line)
        atomic.write(path, text_above(original, source) + source.text)
        compilation.linked = linked
        key = id(linked)
        _unlinked[key] = (weakref.ref(linked, lambda _: _unlinked.pop(key, None)), transformed)
        return linked
