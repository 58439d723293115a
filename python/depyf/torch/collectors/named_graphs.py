"""Graphs that back ends show by a name, through ``torch._dynamo.utils.lazy_format_graph_code``.

Back ends, vLLM's among them, call that function with a name and a graph for no other purpose than that a
debugger takes note. Torch offers no hook there, so the function is replaced while the session runs.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, List, Optional, Tuple

from depyf.torch import versions
from depyf.torch.model import Artifact, Recording
from depyf.torch.safety import guarded


class NamedGraphCollector:
    """Stands in for ``lazy_format_graph_code``."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._replaced: List[Tuple[ModuleType, str]] = []
        self._original: Optional[Callable[..., Any]] = None
        self._replacement: Optional[Callable[..., Any]] = None

    @guarded("replacing lazy_format_graph_code")
    def start(self) -> None:
        """Put the replacement where back ends call it."""
        original = versions.graph_formatter()
        if original is None:
            return

        def lazy_format_graph_code(name: str, gm: Any, *args: Any, **kwargs: Any) -> Any:
            # Torch's own graphs come in the trace, with more said about them.
            caller = str(sys._getframe(1).f_globals.get("__name__", ""))
            if not caller.startswith("torch."):
                self.receive(name, gm)
            return original(name, gm, *args, **kwargs)

        self._original, self._replacement = original, lazy_format_graph_code
        for module, name in list(versions.modules_with(original)):
            setattr(module, name, lazy_format_graph_code)
            self._replaced.append((module, name))

    @guarded("restoring lazy_format_graph_code")
    def stop(self) -> None:
        """Put the function back, also where a module has imported the replacement meanwhile."""
        if self._original is None or self._replacement is None:
            return
        replacement = self._replacement
        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType) and vars(module).get("lazy_format_graph_code") is replacement:
                self._replaced.append((module, "lazy_format_graph_code"))
        for module, name in self._replaced:
            if getattr(module, name, None) is replacement:
                setattr(module, name, self._original)

    @guarded("reading a named graph")
    def receive(self, name: str, graph_module: Any) -> None:
        """Take one graph."""
        compilation = self._recording.current(versions.current_compile_key())
        text = versions.readable_graph(graph_module)
        compilation.graph_or_new().artifacts.append(Artifact(name, text))
