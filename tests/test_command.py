"""The `depyf` command, run as users run it."""

from __future__ import annotations

import json
import py_compile
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict

import pytest

import depyf

SOURCE = "import os\n\ndef join(a, b=1):\n    return os.path.join(a, 'x', b)\n"


def depyf_command(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [str(argument) for argument in arguments]
    return subprocess.run(
        [sys.executable, "-m", "depyf", *words],
        capture_output=True,
        encoding="utf-8",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tree with two modules and one file that only looks like one."""
    tree = tmp_path / "tree"
    (tree / "package").mkdir(parents=True)
    for name in ("first", "package/second"):
        source = tmp_path / "source.py"
        source.write_text(SOURCE, encoding="utf-8")
        py_compile.compile(str(source), cfile=str(tree / f"{name}.pyc"), doraise=True)
    (tree / "broken.pyc").write_bytes(b"\x00" * 40)
    return tree


def run_source(source: str) -> Dict[str, Any]:
    namespace: Dict[str, Any] = {}
    exec(source, namespace)
    return namespace


def test_one_file(folder: Path) -> None:
    done = depyf_command("decompile", folder / "first.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    assert run_source(done.stdout)["join"]("a", "b").endswith("b")


def test_a_tree_goes_on_behind_a_broken_file(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "sources"
    done = depyf_command("decompile", folder, "-o", output)
    assert done.returncode == 1
    assert "broken.pyc" in done.stderr
    assert "at byte 0" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(path.relative_to(output).as_posix() for path in output.rglob("*.py")) == [
        "first.py",
        "package/second.py",
    ]
    assert "join" in run_source((output / "package" / "second.py").read_text(encoding="utf-8"))


def test_json(folder: Path) -> None:
    done = depyf_command("decompile", "--json", folder)
    rows = {Path(row["path"]).name: row for row in map(json.loads, done.stdout.splitlines())}
    assert sorted(rows) == ["broken.pyc", "first.pyc", "second.pyc"]
    assert "join" in run_source(rows["first.pyc"]["source"])
    assert rows["first.pyc"]["map"]
    assert "source" not in rows["broken.pyc"]
    assert rows["broken.pyc"]["error"]["message"]


def test_dis(folder: Path) -> None:
    done = depyf_command("dis", folder / "first.pyc")
    assert done.returncode == 0
    assert "# join, line 3" in done.stdout
    assert "LOAD_GLOBAL" in done.stdout
    assert "(os)" in done.stdout


def test_two_sources_never_share_a_file(folder: Path, tmp_path: Path) -> None:
    done = depyf_command("decompile", folder / "first.pyc", folder / "first.pyc", "-o", tmp_path / "out")
    assert done.returncode == 1
    assert "would replace" in done.stderr


def test_no_colour_in_a_pipe(folder: Path) -> None:
    done = depyf_command("decompile", folder)
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["decompile"], ["nonsense"], ["decompile", "--view", "other", "x"]]
)
def test_wrong_usage(arguments: list[str]) -> None:
    done = depyf_command(*arguments)
    assert done.returncode == 2
    assert "Usage" in done.stderr or "possible values" in done.stderr


def test_missing_file(tmp_path: Path) -> None:
    done = depyf_command("decompile", tmp_path / "nothing.pyc")
    assert done.returncode == 1
    assert "nothing.pyc" in done.stderr


def test_version() -> None:
    assert depyf_command("--version").stdout.split() == ["depyf", depyf.__version__]
