"""Each construct of the language, under every Python: the recompiled function behaves like the original.

What is not alike stands in tests/ratchet.json, by version: functions that raise DecompilationError, because
they cannot be structured yet, and known errors. All others must behave alike. When listed functions have
become alike, a warning says so; DEPYF_UPDATE_RATCHET=1 then writes the list anew, for the interpreters
that are here.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path
from typing import Dict, List

import pytest

import environments
from children import HERE, RATCHET, check, package_folder, pythons

FILES = sorted((HERE / "constructs").glob("*.py"))
EXPECTS_ERROR = re.compile(r"^# expect: DecompilationError: \w+", re.MULTILINE)

pytestmark = pytest.mark.main_only


def expected_errors() -> Dict[str, bool]:
    return {path.name: bool(EXPECTS_ERROR.search(path.read_text(encoding="utf-8"))) for path in FILES}


@pytest.mark.parametrize("version", environments.VERSIONS)
def test_constructs(version: str, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), "constructs", *FILES)
    found: Dict[str, List[str]] = {"refused": [], "different": []}
    reasons: Dict[str, str] = {}
    unexpected: List[str] = []
    later = expected_errors()
    for row in rows:
        name = f"{row['file']} {row['function']}"
        reasons[name] = f"{name}: {row['verdict']}: {row['why']}"
        if row["verdict"] == "refused" and later[row["file"]]:
            continue
        if row["verdict"] in found:
            found[row["verdict"]].append(name)
        elif row["verdict"] != "alike":
            unexpected.append(reasons[name])
    assert not unexpected, "\n\n".join(unexpected)
    ratchet = json.loads(RATCHET.read_text(encoding="utf-8"))
    if os.environ.get("DEPYF_UPDATE_RATCHET"):
        for verdict, names in found.items():
            ratchet[verdict][version] = sorted(names)
        RATCHET.write_text(json.dumps(ratchet, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for verdict, names in found.items():
        known = ratchet[verdict].get(version, [])
        worse = [reasons[name] for name in names if name not in known]
        assert not worse, "\n\n".join(worse)
        better = [name for name in known if name not in names]
        if better:
            warnings.warn(f"no longer {verdict} under {version}: {better}", stacklevel=1)
