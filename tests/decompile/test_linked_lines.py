"""Linked code: the code is the same, and what it does it does on the lines of its source."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

import environments
from children import RATCHET, check, package_folder, pythons
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


@pytest.mark.parametrize("version", environments.VERSIONS)
def test_constructs(version: str, tmp_path: Path) -> None:
    """Every construct of the language; what is not right yet stands in the ratchet."""
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), "constructs", *FILES, script="line_events.py")
    # What has no source that does the same is the business of test_constructs.py.
    judged = [row for row in rows if row["verdict"] not in ("no source", "different")]
    assert len(judged) > 0.9 * len(rows)
    reasons = {
        f"{row['file']} {row['function']} {row['view']}": f"{row['verdict']}: {row['why']}"
        for row in judged
        if row["verdict"] != "same"
    }
    ratchet = json.loads(RATCHET.read_text(encoding="utf-8"))
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        ratchet["other_line"][version] = sorted(reasons)
        RATCHET.write_text(json.dumps(ratchet, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    known = ratchet["other_line"].get(version, [])
    worse = [f"{name}: {why}" for name, why in reasons.items() if name not in known]
    assert not worse, "\n\n".join(worse)
    better = [name for name in known if name not in reasons]
    if better:
        warnings.warn(f"on the right lines by now under {version}: {better}", stacklevel=1)
