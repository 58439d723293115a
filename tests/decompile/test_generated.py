"""Random functions, of nested control flow and of all that a Python has: none may come back different.

Those that raise DecompilationError stand in tests/ratchet.json, by version, and so does how many of a larger
number are verified, and of sources with random edits, none of which may hang or raise.
DEPYF_UPDATE_RATCHET=1 writes both anew, for the interpreters that are here.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import List, TypeVar

import pytest

import environments
from children import HERE, RATCHET, check, package_folder, pythons

# How many functions there are of each kind; see check.py.
COUNTS = {"generated": 150, "wide": 80}
# So many of each kind are decompiled besides.
MANY = 2000

Found = TypeVar("Found", int, List[str])

pytestmark = pytest.mark.main_only


def kept(kind: str, version: str, found: Found) -> Found:
    """What the ratchet has for a version: what was found now, if it is written anew."""
    ratchet = json.loads(RATCHET.read_text(encoding="utf-8"))
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        ratchet[kind] = {**ratchet.get(kind, {}), version: found}
        RATCHET.write_text(json.dumps(ratchet, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    known: Found = ratchet[kind][version]
    return known


@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("version", environments.VERSIONS)
def test_generated(version: str, kind: str, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), kind, Path(str(COUNTS[kind])))
    wrong = [f"{row['function']}: {row['why']}" for row in rows if row["verdict"] not in ("alike", "refused")]
    assert not wrong, "\n\n".join(wrong)
    refused = sorted(row["function"] for row in rows if row["verdict"] == "refused")
    known = kept(kind, version, refused)
    worse = [row["why"] for row in rows if row["function"] in set(refused) - set(known)]
    assert not worse, "\n\n".join(worse)


@pytest.mark.parametrize("version", environments.VERSIONS)
def test_many(version: str, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), "many", Path(str(MANY)))
    assert not [row["why"] for row in rows if row["verdict"] == "broken"]
    verified = sum(row["verdict"] == "verified" for row in rows)
    assert verified >= kept("many", version, verified), f"{verified} of {len(rows)} are verified"


@pytest.mark.parametrize("version", environments.VERSIONS)
def test_edited_sources(version: str, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    if version == "3.8":
        pytest.skip("its trees cannot be written as source")
    files = sorted((HERE / "constructs").glob("*.py"))
    rows = check(pythons()[version], package_folder(tmp_path), "edited", *files)
    assert not [row["why"] for row in rows if row["verdict"] == "broken"]
    verified = sum(row["verdict"] == "verified" for row in rows)
    assert verified >= kept("edited", version, verified), f"{verified} of {len(rows)} are verified"
