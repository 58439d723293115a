"""Starts `check.py` under every Python of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import depyf
import environments

HERE = Path(__file__).resolve().parent
RATCHET = HERE.parent / "ratchet.json"

# One result of check.py.
Row = Dict[str, str]


def pythons() -> Dict[str, Path]:
    """The interpreters by version, this one among them."""
    return {"{}.{}".format(*sys.version_info[:2]): Path(sys.executable), **environments.interpreters()}


def package_folder(folder: Path) -> Path:
    """Make a folder that holds depyf and nothing else: other packages of this Python may not run elsewhere.

    The compiled part uses the stable ABI, so one build serves all.
    """
    link = folder / "depyf"
    if not link.exists():
        link.symlink_to(Path(depyf.__file__).resolve().parent, target_is_directory=True)
    return folder


def check(
    python: Path, packages: Path, mode: str, *inputs: Path, seconds: float = 600, script: str = "check.py"
) -> List[Row]:
    """Run check.py or another script; a crash or a hang of the child is an error of the test."""
    child = subprocess.run(
        [python, "-W", "ignore", HERE / script, mode, *inputs],
        env={
            **os.environ,
            "PYTHONPATH": str(packages),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        },
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
    )
    assert child.returncode == 0, f"{script} died with {child.returncode}:\n{child.stderr[-2000:]}"
    rows: List[Row] = [json.loads(line) for line in child.stdout.splitlines()]
    assert rows, f"{script} checked nothing"
    return rows
