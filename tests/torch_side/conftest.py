"""Tests of `depyf.torch`. Those that take minutes are marked `full` and run with ``pytest -m full``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator, List

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def nothing_compiled_before() -> Iterator[None]:
    """A dump also shows what was compiled before it; no test wants that of another."""
    dynamo = sys.modules.get("torch._dynamo")
    if dynamo is not None:
        dynamo.reset()
    yield


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full: takes minutes; runs only where the mark is asked for (-m full)")


def pytest_collection_modifyitems(config: pytest.Config, items: List[pytest.Item]) -> None:
    if "full" in str(config.getoption("-m")):
        return
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(pytest.mark.skip(reason="takes minutes; run with -m full"))
