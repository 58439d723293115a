"""What all tests share.

Tests that need torch are skipped where it is not installed, so that one command runs under every
Python: `make test` runs all tests under its own Python, and all but those marked `main_only` under the
others that it finds (test_every_python.py).
"""

from __future__ import annotations

import importlib.util
from typing import List

import pytest

# A folder or file of tests whose name starts with "torch" or "test_torch" imports torch.
collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["torch*", "test_torch*"]


def pytest_configure(config: pytest.Config) -> None:
    """Keep pytest-xdist from beginning with the files that have the most tests."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """Begin with the longest file, which holds the tests of all other Pythons: the others run beside it."""
    items.sort(key=lambda item: item.path.name != "test_every_python.py")
