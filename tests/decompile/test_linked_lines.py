"""Linked code: the code is the same, and what it does it does on the lines of its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from children import check, package_folder
from test_dynamo_corpus import SETS, name_of, python_of, unpack

pytestmark = pytest.mark.main_only


@pytest.mark.parametrize("archive", SETS, ids=name_of)
def test_every_line_that_acts_is_reached_in_order(archive: Path, tmp_path: Path) -> None:
    python = python_of(archive)
    (tmp_path / "set").mkdir()
    folder = unpack(archive, tmp_path / "set")
    rows = check(python, package_folder(tmp_path), "corpus", folder, script="line_events.py")
    wrong = [row for row in rows if row["verdict"] != "same"]
    assert not wrong, "\n\n".join(f"{row['file']} ({row['view']}): {row['why']}" for row in wrong)
    assert {row["view"] for row in rows} == {"exact", "readable"}
