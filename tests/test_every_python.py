"""The other tests, once more under every other Python of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Dict, Iterator, Tuple

import pytest

import environments

ROOT = Path(__file__).resolve().parent.parent
THIS = "{}.{}".format(*sys.version_info[:2])
Session = Tuple[int, str]
# The wheel is tested, not the sources of this checkout; and torch's modules are compiled once, not in each of
# the many processes that import torch.
NOT_INHERITED = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")

pytestmark = pytest.mark.main_only


def session(version: str) -> Session:
    """Run the tests under a version; return the exit code and what was printed."""
    python = environments.environment(version)
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "--show-capture=no", "-m", "not main_only", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in NOT_INHERITED},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="session")
def sessions(request: pytest.FixtureRequest) -> Iterator[Dict[str, Future[Session]]]:
    """The versions that are asked for, running side by side: most of a session waits or compiles."""
    asked = [
        item.callspec.params.get("version") for item in request.session.items if hasattr(item, "callspec")
    ]
    versions = [version for version in environments.interpreters() if version in asked]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {version: pool.submit(session, version) for version in versions}


@pytest.mark.parametrize("version", [version for version in environments.VERSIONS if version != THIS])
def test_passes_under(version: str, sessions: Dict[str, Future[Session]]) -> None:
    if version not in sessions:
        pytest.skip(f"no Python {version} here")
    code, output = sessions[version].result()
    print(output)
    assert code == 0, f"tests fail under Python {version}; see the captured output"
