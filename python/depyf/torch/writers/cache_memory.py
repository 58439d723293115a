"""What Inductor's cache does not hold of a graph, kept beside it.

When a graph comes from a warm cache, torch no longer has the graphs before and after its passes. So a cold
run leaves them in Inductor's cache folder, and a warm run finds them there: both then write the same dump.
They are found by a hash of all that torch does replay of the graph.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Dict, List, Optional

from depyf.torch import atomic, versions
from depyf.torch.model import KERNEL, Artifact, Graph, Recording
from depyf.torch.safety import guarded
from depyf.torch.sanitize import Sanitizer
from depyf.torch.writers.pages import LOST_IN_CACHE


def complete_from_cache(recording: Recording, cache_dir: Optional[str], sanitizer: Sanitizer) -> None:
    """Add to each graph the texts that its cache entry lacks, and remember those of new entries."""
    if cache_dir is None:
        return
    for compilation in recording.compilations:
        if compilation.graph is not None and compilation.graph.texts(KERNEL):
            _complete(compilation.graph, Path(cache_dir) / "depyf", sanitizer)


@guarded("completing a graph that came from the cache")
def _complete(graph: Graph, folder: Path, sanitizer: Sanitizer) -> None:
    path = folder / f"{_fingerprint(graph, sanitizer)}.json"
    present = {stage: graph.texts(stage) for stage in LOST_IN_CACHE if graph.texts(stage)}
    remembered: Dict[str, List[str]] = {}
    if path.exists():
        remembered = json.loads(path.read_text("utf-8"))
    missing = {
        stage: texts for stage, texts in remembered.items() if stage in LOST_IN_CACHE and stage not in present
    }
    graph.artifacts.extend(
        Artifact(stage, text) for stage in LOST_IN_CACHE for text in missing.get(stage, [])
    )
    if present.keys() - remembered.keys():
        folder.mkdir(parents=True, exist_ok=True)
        atomic.write(path, json.dumps({**remembered, **present}))


def _fingerprint(graph: Graph, sanitizer: Sanitizer) -> str:
    digest = hashlib.sha256(versions.torch_version().encode())
    for artifact in graph.artifacts:
        if artifact.stage not in LOST_IN_CACHE:
            text = sanitizer.kernel(artifact.text) if artifact.stage == KERNEL else artifact.text
            digest.update(f"\0{artifact.stage}\0{text}".encode("utf-8", "backslashreplace"))
    return digest.hexdigest()[:40]
