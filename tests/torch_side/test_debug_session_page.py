"""The session that the documentation shows is one that can be had."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from record_debug_session import record

PAGE = Path(__file__).parents[2] / "docs" / "debug_session.md"


def without_offsets(page: str) -> str:
    # Dynamo names a resume function after a bytecode offset, which differs from Python to Python.
    return re.sub(r"(?<=__resume_at_)\d+(?=_)", "N", page)


@pytest.mark.main_only
def test_the_recorded_session_is_real() -> None:
    assert without_offsets(record()) == without_offsets(PAGE.read_text("utf-8"))
