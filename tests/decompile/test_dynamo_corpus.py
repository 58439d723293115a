"""Dynamo's bytecode of torch 2.4 to 2.15, each set under its own Python.

tests/data/dynamo holds what `torch.compile` made of ninety-two small programs. All of it behaves alike;
tests/ratchet.json keeps how many code objects each set has, and how short the readable view is.
DEPYF_UPDATE_RATCHET=1 writes better numbers down; worse ones fail all the same.
"""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Any, Dict

import pytest

from children import RATCHET, check, package_folder, pythons

SETS = sorted((RATCHET.parent / "data" / "dynamo").glob("*.tar.gz"))
# Whose readable view is measured.
MEASURED = "torch2.15.0-py3.12"

pytestmark = pytest.mark.main_only


def name_of(archive: Path) -> str:
    return archive.name[: -len(".tar.gz")]


def unpack(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.isfile():
                content = tar.extractfile(member)
                assert content is not None
                (folder / Path(member.name).name).write_bytes(content.read())
    return folder


def python_of(archive: Path) -> Path:
    """The interpreter that made the set; marshal is that of one version."""
    version = name_of(archive).rpartition("-py")[2]
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    return pythons()[version]


def ratchet() -> Dict[str, Any]:
    found: Dict[str, Any] = json.loads(RATCHET.read_text(encoding="utf-8"))
    return found


def write(better: Dict[str, Any]) -> None:
    RATCHET.write_text(json.dumps(better, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def test_the_sets_are_here() -> None:
    assert sorted(ratchet()["alike"]) == [name_of(archive) for archive in SETS]


@pytest.mark.parametrize("archive", SETS, ids=name_of)
def test_behaves_alike(archive: Path, tmp_path: Path) -> None:
    python = python_of(archive)
    (tmp_path / "set").mkdir()
    rows = check(python, package_folder(tmp_path), "corpus", unpack(archive, tmp_path / "set"))
    wrong = [row for row in rows if row["verdict"] != "alike"]
    assert not wrong, "\n\n".join(f"{row['file']} {row['function']}: {row['why']}" for row in wrong)
    known = ratchet()
    assert len(rows) >= known["alike"][name_of(archive)]
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        known["alike"][name_of(archive)] = len(rows)
        write(known)


@pytest.mark.parametrize("archive", SETS, ids=name_of)
def test_is_verified(archive: Path, tmp_path: Path) -> None:
    python = python_of(archive)
    (tmp_path / "set").mkdir()
    rows = check(python, package_folder(tmp_path), "verdicts", unpack(archive, tmp_path / "set"))
    unproven = sorted(str(row["file"]) for row in rows if not row["verified"])
    # The project's own bar, whatever the ratchet says.
    assert len(unproven) <= 0.005 * len(rows)
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        known = ratchet()
        write({**known, "unverified": {**known.get("unverified", {}), name_of(archive): unproven}})
    assert set(unproven) <= set(ratchet()["unverified"][name_of(archive)])


@pytest.mark.parametrize("archive", SETS, ids=name_of)
def test_damaged_code_is_refused(archive: Path, tmp_path: Path) -> None:
    python = python_of(archive)
    (tmp_path / "set").mkdir()
    rows = check(python, package_folder(tmp_path), "mutations", unpack(archive, tmp_path / "set"))
    wrong = [row for row in rows if row["verdict"] not in ("source", "refused")]
    assert not wrong, "\n\n".join(f"{row['file']} {row['function']}: {row['why']}" for row in wrong)
    # Both must happen, or nothing was tested.
    assert {row["verdict"] for row in rows} == {"source", "refused"}


def test_readable_view_stays_short(tmp_path: Path) -> None:
    archive = next(path for path in SETS if name_of(path) == MEASURED)
    python = python_of(archive)
    (tmp_path / "set").mkdir()
    rows = check(python, package_folder(tmp_path), "metrics", unpack(archive, tmp_path / "set"))
    measured = {key: sum(int(row[key]) for row in rows) for key in ("lines", "temporaries")}
    # The project's own bar, whatever the ratchet says.
    assert measured["lines"] <= 2000
    assert measured["temporaries"] <= 200
    known = ratchet()["readable"]
    assert measured["lines"] <= known["lines"]
    assert measured["temporaries"] <= known["temporaries"]
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        write({**ratchet(), "readable": measured})
