"""One collector per kind of artifact. Each fills the recording of a session between `start` and `stop`.

The order is that in which they start; they stop in the reverse one.
"""

from __future__ import annotations

from pathlib import Path
from typing import List, Protocol

from depyf.torch.collectors.bytecode_hook import BytecodeHookCollector
from depyf.torch.collectors.cache_entries import CacheEntryCollector
from depyf.torch.collectors.fx_sources import FxSourceCollector
from depyf.torch.collectors.named_graphs import NamedGraphCollector
from depyf.torch.collectors.trace_log import TraceLogCollector
from depyf.torch.linking import Linker
from depyf.torch.model import Recording


class Collector(Protocol):
    """What a session asks of a collector. Neither method raises."""

    def start(self) -> None:
        """Begin to collect."""

    def stop(self) -> None:
        """Stop, and leave torch as it was."""


def collectors(recording: Recording, folder: Path, keep_fx_sources: bool) -> List[Collector]:
    """Return the collectors of a session that dumps to `folder`."""
    trace_log = TraceLogCollector(recording)
    found: List[Collector] = [
        # First, so that at its stop it sees what all others have collected.
        CacheEntryCollector(recording),
        trace_log,
        BytecodeHookCollector(recording, trace_log, Linker(recording, folder)),
        NamedGraphCollector(recording),
    ]
    if keep_fx_sources:
        found.append(FxSourceCollector(recording))
    return found
