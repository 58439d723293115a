"""Random functions, of nested control flow and of all that a Python has: none may come back different.

Those that raise DecompilationError stand in tests/ratchet.json, by version, and so does how many of a larger
number are verified, none of which may hang or raise. DEPYF_UPDATE_RATCHET=1 writes both anew, for the
interpreters that are here.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import environments
from children import RATCHET, check, package_folder, pythons

# How many functions there are of each kind; see check.py.
COUNTS = {"generated": 150, "wide": 80}
# So many of each kind are decompiled besides.
MANY = 2000

pytestmark = pytest.mark.main_only


@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("version", environments.VERSIONS)
def test_generated(version: str, kind: str, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), kind, Path(str(COUNTS[kind])))
    wrong = [f"{row['function']}: {row['why']}" for row in rows if row["verdict"] not in ("alike", "refused")]
    assert not wrong, "\n\n".join(wrong)
    refused = sorted(row["function"] for row in rows if row["verdict"] == "refused")
    ratchet = json.loads(RATCHET.read_text(encoding="utf-8"))
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        ratchet[kind] = {**ratchet.get(kind, {}), version: refused}
        RATCHET.write_text(json.dumps(ratchet, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    worse = [row["why"] for row in rows if row["function"] in set(refused) - set(ratchet[kind][version])]
    assert not worse, "\n\n".join(worse)


@pytest.mark.parametrize("version", environments.VERSIONS)
def test_many(version: str, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), "many", Path(str(MANY)))
    assert not [row["why"] for row in rows if row["verdict"] == "broken"]
    verified = sum(row["verdict"] == "verified" for row in rows)
    ratchet = json.loads(RATCHET.read_text(encoding="utf-8"))
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        ratchet["many"] = {**ratchet.get("many", {}), version: verified}
        RATCHET.write_text(json.dumps(ratchet, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    assert verified >= ratchet["many"][version], f"{verified} of {len(rows)} are verified"
