"""Code that programs compiled from trees: no source has such names, nor statements at such places."""

from __future__ import annotations

from pathlib import Path

import pytest

import environments
from children import check, package_folder, pythons

pytestmark = pytest.mark.main_only


@pytest.mark.parametrize("mode", ["names", "places"])
@pytest.mark.parametrize("version", environments.VERSIONS)
def test_compiled_trees(version: str, mode: str, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"no Python {version} here")
    rows = check(pythons()[version], package_folder(tmp_path), mode, script="compiled_trees.py")
    wrong = [f"{row['name']}:\n{row['text']}" for row in rows if not row["good"]]
    assert not wrong, "\n\n".join(wrong)
