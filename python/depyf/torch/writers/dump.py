"""Writes all files of a dump, in the order in which they need each other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import List, Set

from depyf.torch import versions
from depyf.torch.graph_links import link_graphs
from depyf.torch.model import Recording
from depyf.torch.naming import Names
from depyf.torch.safety import guarded
from depyf.torch.sanitize import Sanitizer
from depyf.torch.writers.cache_memory import complete_from_cache
from depyf.torch.writers.full_code import write_full_code
from depyf.torch.writers.graphs import write_graphs
from depyf.torch.writers.index import INDEX_JSON, write_index
from depyf.torch.writers.pages import Pages
from depyf.torch.writers.source import commented, python_or_comment
from depyf.torch.writers.transformed_code import write_transformed_code

_OURS = re.compile(r"(?:full_code_for_|__transformed_code_|__compiled_fn_|fx_graph_code_)[^/\\]*\Z")

_written_by_this_process: Set[Path] = set()


@guarded("writing the dump")
def dump(recording: Recording, folder: Path, log_bytecode: bool) -> None:
    """Write everything that was recorded to `folder`."""
    names = Names(recording)
    cache_dir = versions.inductor_cache_dir()
    sanitizer = Sanitizer(names.globals, cache_dir)
    complete_from_cache(recording, cache_dir, sanitizer)
    pages = Pages(folder, recording, names, sanitizer)
    write_transformed_code(pages, log_bytecode)
    write_graphs(pages)
    write_full_code(pages)
    _write_fx_sources(pages)
    outdated = _files_of_an_earlier_run(folder)
    write_index(pages)
    _remove(pages, outdated)
    link_graphs(pages)
    _written_by_this_process.add(folder)


@guarded("writing FX's sources")
def _write_fx_sources(pages: Pages) -> None:
    for number, source in enumerate(pages.recording.fx_sources):
        header = commented("A source that FX generated on the way, in a traceback `<eval_with_key>`.")
        pages.write(f"fx_graph_code_{number}.py", header + python_or_comment(pages.sanitizer.text(source)))


@guarded("reading the index of an earlier run", default=list)
def _files_of_an_earlier_run(folder: Path) -> List[str]:
    path = folder / INDEX_JSON
    if not path.exists():
        return []
    # A second session of this process adds to the folder.
    if folder in _written_by_this_process:
        return []
    return [str(name) for name in json.loads(path.read_text("utf-8"))["files"]]


@guarded("removing files of an earlier run")
def _remove(pages: Pages, outdated: List[str]) -> None:
    for name in outdated:
        if name not in pages.written and _OURS.match(name):
            (pages.folder / name).unlink()
