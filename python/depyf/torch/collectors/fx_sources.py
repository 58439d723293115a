"""Sources that FX generates for graphs on the way, known in tracebacks as ``<eval_with_key>.N``."""

from __future__ import annotations

from typing import Set

from depyf.torch import versions
from depyf.torch.model import Recording
from depyf.torch.safety import guarded


class FxSourceCollector:
    """Compares FX's store of sources at the start and at the end."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._before: Set[str] = set()

    @guarded("reading FX's sources at the start")
    def start(self) -> None:
        """Note what is there."""
        self._before = set(versions.fx_sources())

    @guarded("reading FX's sources at the end")
    def stop(self) -> None:
        """Take what is new."""
        self._recording.fx_sources.extend(
            source for name, source in versions.fx_sources().items() if name not in self._before
        )
