"""Memory grows with the size of a function, not with its square: the shapes of `benches/growth.py`.

How time grows is measured there; timings are no tests.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).resolve().parent.parent / "benches" / "growth.py"
#: Instructions of each function: the square of that many words would be 800 MB.
SIZE = 10_000
#: What such a function reserves at most: less than one arena (64 MiB) besides that of the first.
MOST_KIB = 60_000
#: Runs the command on one file after the other, and says what the process reserved so far: the allocator of
#: the command, another one, touches all of it. The threads of the first file have reserved their stacks.
CHILD = """
import sys
from depyf._native import cli_main

def peak():
    return next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmPeak:"))

for path in sys.argv[2:]:
    cli_main(["depyf", "decompile", "--jobs", "1", "-o", sys.argv[1], path])
    print(peak(), flush=True)
"""


def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("growth", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="asks Linux for the peak of memory")
def test_memory_grows_with_the_size(tmp_path: Path) -> None:
    growth = bench()
    found = {shape: growth.kept(tmp_path, shape, SIZE) for shape in growth.SHAPES}
    files = {shape: kept[0] for shape, kept in found.items() if kept is not None}
    assert len(files) > 80, sorted(files)
    first = next(iter(files.values()))
    words = [sys.executable, "-c", CHILD, str(tmp_path / "sources"), str(first), *map(str, files.values())]
    told = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    base, *peaks = map(int, told.split())
    assert len(peaks) == len(files)
    # What one function reserved stays for the next ones.
    too_much = [shape for shape, peak in zip(files, peaks) if peak - base > MOST_KIB]
    assert too_much[:1] == []
