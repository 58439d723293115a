"""Texts without what differs from run to run: addresses, UUIDs, cache folders, counters."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Optional, Tuple

from depyf.torch import versions

_UUID = r"[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}"
_MAX_NAME = 80


def file_part(name: str) -> str:
    """Return a function's name as a part of a file name and of an identifier."""
    return re.sub(r"\W", "_", name)[:_MAX_NAME]


UUID_SUFFIX = re.compile(rf"_{_UUID}\b")
# A recompile reason quotes a guard with the id of a type or an object.
_CHECKED_ID = re.compile(r"(?<=, )\d{9,}(?=\))")
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
# Inductor writes the id of the graph object, an address, below a graph.
_GRAPH_ID = re.compile(r"(?m)^[ \t]*# graph id: \d+\n?")
# AOTAutograd numbers the graphs of a process; the number in a warm cache is that of the run that filled it.
_AOT_ID = re.compile(r"(?m)^(# AOT ID: )\['\d+_(\w+)'\]")
# A kernel names the file it came from, in a folder per user or per run.
_INDUCTOR_FOLDER = re.compile(r"(?:/[\w.+-]+)*/torchinductor_[\w.+-]+(?=/)")
CACHE_FOLDER = "<inductor cache>"


class Sanitizer:
    """Rewrites texts so that two runs of one program give the same.

    Args:
        rename: the stable name of a global that Dynamo numbered, or None to leave it.
        cache_dir: Inductor's cache folder, if it is known.
    """

    def __init__(self, rename: Callable[[str], Optional[str]], cache_dir: Optional[str] = None) -> None:
        self._rename = rename
        self._cache_dir = cache_dir

    def text(self, text: str) -> str:
        """Rewrite any text: source, listing, guards, or a message."""
        if "_" in text:
            text = NUMBERED_GLOBAL.sub(self._renamed, text)
            text = UUID_SUFFIX.sub("", text)
        if " 0x" in text:
            text = _ADDRESS.sub("at 0x...", text)
        if "# graph id: " in text:
            text = _GRAPH_ID.sub("", text)
        return text

    def reason(self, text: str) -> str:
        """Rewrite the reason of a recompilation."""
        return _CHECKED_ID.sub("...", self.text(text))

    def kernel(self, text: str) -> str:
        """Rewrite the source of a kernel, in which hexadecimal numbers are constants."""
        if self._cache_dir:
            text = text.replace(self._cache_dir, CACHE_FOLDER)
        text = _INDUCTOR_FOLDER.sub(CACHE_FOLDER, text)
        return _AOT_ID.sub(r"\1['\2']", text)

    def _renamed(self, match: re.Match[str]) -> str:
        return self._rename(match.group()) or match.group()


# A global that Dynamo installs: numbered (`__compiled_fn_4_<uuid>`, `__resume_at_100_2`), or named after an
# object's address (`__nested_fn_140737353982720_c3`).
NUMBERED_GLOBAL = re.compile(
    rf"(?<!\w)(?:(?P<prefix>{'|'.join(versions.NUMBERED_GLOBAL_PREFIXES)})_\d+(?:_{_UUID})?"
    rf"|(?P<by_id>\w*?)(?:_\d{{9,}})+_c\d+)(?!\w)"
)


class StableNames:
    """Numbers the globals that Dynamo installed by order of first use in the dump, per prefix."""

    def __init__(self) -> None:
        self._names: Dict[str, str] = {}
        self._counts: Dict[str, int] = {}

    def assign(self, torch_name: str, name: str) -> None:
        """Fix the stable name of a global."""
        self._names[torch_name] = name

    def __call__(self, torch_name: str) -> Optional[str]:
        """Return the stable name of a global, made now if this is its first use."""
        known = self._names.get(torch_name)
        if known is not None:
            return known
        match = NUMBERED_GLOBAL.fullmatch(torch_name)
        if match is None:
            return None
        prefix = match.group("prefix") or match.group("by_id") or "__installed"
        self._counts[prefix] = self._counts.get(prefix, 0) + 1
        name = f"{prefix}_{self._counts[prefix]}"
        self._names[torch_name] = name
        return name

    def pairs(self) -> List[Tuple[str, str]]:
        """Return every stable name with torch's, in the order of the stable ones."""
        return sorted((stable, torch_name) for torch_name, stable in self._names.items())
