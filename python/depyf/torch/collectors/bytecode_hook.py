"""The original and the transformed code of each compilation, from Dynamo's bytecode hook.

Taken at compile time, so that it is there also for functions and modules that die before the session ends.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Dict, List, Optional

from depyf.torch import versions
from depyf.torch.collectors.trace_log import TraceLogCollector
from depyf.torch.linking import Linker
from depyf.torch.model import Compilation, Graph, Recording, Resume, codes_in
from depyf.torch.safety import guarded


class BytecodeHookCollector:
    """Looks at the code that Dynamo made, and returns it standing in the file of the dump."""

    def __init__(self, recording: Recording, trace_log: TraceLogCollector, linker: Linker) -> None:
        self._recording = recording
        self._trace_log = trace_log
        self._linker = linker
        self._handle: Optional[Any] = None

    @guarded("installing the bytecode hook")
    def start(self) -> None:
        """Register the hook."""
        self._handle = versions.register_bytecode_hook(self.receive)

    @guarded("removing the bytecode hook")
    def stop(self) -> None:
        """Remove the hook."""
        if self._handle is not None:
            self._handle.remove()

    @guarded("the bytecode hook")
    def receive(self, original: CodeType, transformed: CodeType) -> Optional[CodeType]:
        """Take one compilation. None tells Dynamo to keep its code."""
        compilation = self._recording.current(versions.current_compile_key())
        compilation.original = original
        take_code(compilation, transformed, versions.compiling_globals())
        self._trace_log.attach()
        return self._linker.link(compilation)


def take_code(compilation: Compilation, transformed: CodeType, scope: Optional[Dict[str, Any]]) -> None:
    """Note the transformed code, the name of its graph, and its resume functions, which live in `scope`."""
    compilation.transformed, compilation.scope = transformed, scope
    compilation.linked = compilation.source = None
    compilation.resumes = []
    for name in names_in(transformed):
        if name.startswith(versions.COMPILED_FUNCTION_PREFIX + "_"):
            graph = compilation.graph_or_new()
            graph.torch_name = graph.torch_name or name
        elif name.startswith(versions.RESUME_PREFIX + "_"):
            function = (scope or {}).get(name)
            compilation.resumes.append(Resume(name, getattr(function, "__code__", None)))
    if compilation.graph is not None and compilation.graph.torch_name is None:
        # Of an attempt that was given up: the code that counts runs no graph.
        compilation.graph = None if _is_only_captured(compilation.graph) else compilation.graph


def _is_only_captured(graph: Graph) -> bool:
    return {artifact.stage for artifact in graph.artifacts} <= {"Captured_Graph"}


def names_in(code: CodeType) -> List[str]:
    """Return the global and attribute names that a code object and those inside it use, without repeats."""
    return list(dict.fromkeys(name for inner in codes_in(code) for name in inner.co_names))
