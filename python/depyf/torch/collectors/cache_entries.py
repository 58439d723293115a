"""Functions that were compiled before the session, and which cache entries are still alive at its end.

Torch keeps the code objects it has met; each leads to its cache entries.
"""

from __future__ import annotations

from types import CodeType
from typing import Dict, List

from depyf.torch import versions
from depyf.torch.collectors.bytecode_hook import take_code
from depyf.torch.linking import unlinked
from depyf.torch.model import Artifact, Compilation, Recording
from depyf.torch.safety import guarded


class CacheEntryCollector:
    """Walks the cache entries at the start, for what may die later, and at the end."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    @guarded("reading the cache entries at the start")
    def start(self) -> None:
        """Take what was compiled before the session."""
        for code in versions.seen_codes():
            for entry in versions.cache_entries(code) or ():
                self._recording.compilations.append(_compiled_before(code, entry))

    @guarded("reading the cache entries at the end")
    def stop(self) -> None:
        """Find out which entries are alive, and read the guards of those whose guards were not traced."""
        by_original: Dict[int, List[Compilation]] = {}
        for compilation in self._recording.compilations:
            if compilation.original is not None and compilation.transformed is not None:
                by_original.setdefault(id(compilation.original), []).append(compilation)
        for compilations in by_original.values():
            self._match(compilations)

    @guarded("reading the cache entries of a function")
    def _match(self, compilations: List[Compilation]) -> None:
        original = compilations[0].original
        assert original is not None
        known = tuple(each.running for each in compilations if each.running and each.guard_text)
        entries = versions.cache_entries(original, known)
        if entries is None:
            return
        for compilation in compilations:
            # Another hook may have replaced the code after ours saw it; then the id tells.
            entry = next(
                (
                    each
                    for each in entries
                    if each.code is compilation.running or _same_key(each, compilation)
                ),
                None,
            )
            compilation.alive = entry is not None
            if entry is not None and not compilation.guard_text:
                compilation.guard_text = entry.guard_text


def _same_key(entry: versions.CacheEntry, compilation: Compilation) -> bool:
    return entry.key is not None and entry.key == compilation.key and not compilation.before_session


def _compiled_before(code: CodeType, entry: versions.CacheEntry) -> Compilation:
    compilation = Compilation(entry.key, original=code, guard_text=entry.guard_text, before_session=True)
    compilation.name, compilation.filename, compilation.line = (
        code.co_name,
        code.co_filename,
        code.co_firstlineno,
    )
    take_code(compilation, unlinked(entry.code), entry.globals)
    compilation.linked = entry.code
    graph = compilation.graph
    if graph is not None and graph.torch_name is not None:
        # Back ends that run the graph as it is still hold it; others keep only what they made of it.
        source = versions.graph_of_compiled_function((entry.globals or {}).get(graph.torch_name))
        if source is not None:
            graph.artifacts.append(Artifact("Captured_Graph", source))
    return compilation
