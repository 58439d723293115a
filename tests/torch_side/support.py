"""What the tests of `depyf.torch` share."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).parent
PYTHON_FOLDER = HERE.parents[1] / "python"


def run_program(
    program: str,
    backend: str,
    folder: Optional[Path],
    inductor_cache: Optional[Path] = None,
    **environment: str,
) -> Dict[str, Any]:
    """Run a program of `dump_program` in a process of its own, and return what it says it computed."""
    variables = {**os.environ, **environment}
    if inductor_cache is not None:
        variables["TORCHINDUCTOR_CACHE_DIR"] = str(inductor_cache)
    command = [sys.executable, str(HERE / "dump_program.py"), program, backend, str(folder or "-")]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "DebugWarning" not in done.stderr, done.stderr[-4000:]
    result: Dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def assert_all_compile(folder: Path) -> List[str]:
    """Check that every .py file of a dump is Python; return the names of all files."""
    for path in folder.glob("*.py"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(path.read_text("utf-8"), str(path), "exec")
    assert not list(folder.glob(".*")), "temporary files are left"
    return sorted(path.name for path in folder.iterdir())


def read_index(folder: Path) -> Dict[str, Any]:
    """Return the machine-readable index of a dump."""
    index: Dict[str, Any] = json.loads((folder / "index.json").read_text("utf-8"))
    return index


def comparable(folder: Path) -> Dict[str, str]:
    """Return the files of a dump by name, without the one part of the index that differs from run to run."""
    files = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    index = json.loads(files["index.json"])
    del index["run"]
    files["index.json"] = json.dumps(index)
    return files


VARYING = re.compile(
    r"[0-9a-f]{8}[_-][0-9a-f]{4}[_-][0-9a-f]{4}"  # a UUID
    r"|\bat 0x[0-9a-f]{6,}|_\d{12,}(?!\d)|(?<![.\d])1[34]\d{13}\b"  # an address
    r"|/torchinductor_"
)


def assert_nothing_varies(folder: Path) -> None:
    """Check that no text holds what differs from run to run: UUIDs, addresses, cache folders."""
    for name, text in comparable(folder).items():
        found = VARYING.search(text)
        assert found is None, f"{name}: {text[max(0, found.start() - 80) : found.end() + 40]!r}"
