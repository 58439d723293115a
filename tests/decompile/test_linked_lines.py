"""Linked code: the code is the same, and what it does it does on the lines of its source."""

from __future__ import annotations

from pathlib import Path

import pytest

import environments
from children import check, package_folder, pythons
from test_constructs import FILES
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


# The share of functions of which each event is on the line of its source. Decorators are missing, which all
# stand on the first one's line, and copies of `finally` bodies; to 3.9 also `async with`, whose exit the
# compiler leaves on whatever line came before.
RIGHT_LINES = {"3.8": 0.95, "3.9": 0.95}
RIGHT_LINES_OF_OTHERS = 0.98


@pytest.mark.parametrize("version", environments.VERSIONS)
def test_constructs(version: str, tmp_path: Path) -> None:
    """Every construct of the language."""
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), "constructs", *FILES, script="line_events.py")
    # What has no source that does the same is the business of test_constructs.py.
    judged = [row for row in rows if row["verdict"] not in ("no source", "different")]
    assert len(judged) > 0.9 * len(rows)
    wrong = [
        f"{row['file']} {row['function']} ({row['view']}): {row['verdict']}: {row['why']}"
        for row in judged
        if row["verdict"] != "same"
    ]
    assert not [line for line in wrong if ": changed: " in line], "linking must not change the code"
    share = 1 - len(wrong) / len(judged)
    assert share >= RIGHT_LINES.get(version, RIGHT_LINES_OF_OTHERS), "\n\n".join(wrong)
