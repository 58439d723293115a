"""Dumps of whole programs: every file compiles, the program is unchanged, two runs give the same folder."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import pytest

from support import assert_all_compile, assert_nothing_varies, comparable, read_index, run_program

# Inductor compiles C++ that includes Python.h.
needs_inductor = pytest.mark.skipif(
    not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists() or shutil.which("g++") is None,
    reason="Inductor needs g++ and the headers of Python",
)
QUICK = [("toy", "eager")]
UNDER_ONE_PYTHON = [("gpt2", "eager"), ("gpt2", "aot_eager")]
SLOW = [("toy", "aot_eager"), ("train_toy", "aot_eager")]
ON_INDUCTOR = [("train_toy", "inductor"), ("gpt2", "inductor")]


@pytest.mark.parametrize(
    ("program", "backend"),
    [
        *QUICK,
        *(pytest.param(*each, marks=pytest.mark.main_only) for each in UNDER_ONE_PYTHON),
        *(pytest.param(*each, marks=pytest.mark.full) for each in SLOW),
        *(pytest.param(*each, marks=[pytest.mark.full, needs_inductor]) for each in ON_INDUCTOR),
    ],
)
def test_program_is_unchanged_and_two_dumps_agree(program: str, backend: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    debugged = run_program(program, backend, tmp_path / "first", cache)
    again = run_program(program, backend, tmp_path / "second", cache)
    plain = run_program(program, backend, None, tmp_path / "other_cache")
    assert debugged == plain == again
    assert_all_compile(tmp_path / "first")
    assert_nothing_varies(tmp_path / "first")
    assert comparable(tmp_path / "first") == comparable(tmp_path / "second")


@needs_inductor
def test_toy_on_inductor_cold_and_warm(tmp_path: Path) -> None:
    """The kinds of files that the example in the README promises, alike on a cold and on a warm cache."""
    cold = run_program("toy", "inductor", tmp_path / "cold", tmp_path / "cache")
    warm = run_program("toy", "inductor", tmp_path / "warm", tmp_path / "cache")
    assert cold == warm
    files = assert_all_compile(tmp_path / "cold")
    assert_nothing_varies(tmp_path / "cold")
    assert comparable(tmp_path / "cold") == comparable(tmp_path / "warm")
    for number in (1, 2, 3):
        for stage in ("Captured_Graph", "Forward_graph", "AFTER_POST_GRAD", "kernel_0"):
            assert f"__compiled_fn_{number}.{stage}.0.py" in files
    assert len([name for name in files if name.startswith("__transformed_code_")]) == 3
    assert len([name for name in files if name.startswith("full_code_for_")]) == 1
    stages = {
        each["stage"] for each in read_index(tmp_path / "cold")["frames"][0]["entries"][0]["graph"]["files"]
    }
    assert {"BEFORE_PRE_GRAD", "AFTER_PRE_GRAD", "BEFORE_POST_GRAD"} <= stages


@pytest.mark.full
@needs_inductor
@pytest.mark.parametrize("program", ["toy", "train_toy", "gpt2"])
def test_two_cold_caches(program: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        run_program(program, "inductor", tmp_path / name, tmp_path / f"{name}_cache")
    assert comparable(tmp_path / "first") == comparable(tmp_path / "second")


@pytest.mark.main_only
@needs_inductor
def test_cache_filled_without_depyf_is_said(tmp_path: Path) -> None:
    run_program("train_toy", "inductor", None, tmp_path / "cache")
    run_program("train_toy", "inductor", tmp_path / "warm", tmp_path / "cache")
    files = assert_all_compile(tmp_path / "warm")
    for stage in ("Joint_graph", "Forward_graph", "Backward_graph", "kernel_0", "kernel_1"):
        assert f"__compiled_fn_1.{stage}.0.py" in files
    graph = read_index(tmp_path / "warm")["frames"][0]["entries"][0]["graph"]
    if "BEFORE_PRE_GRAD" not in {each["stage"] for each in graph["files"]}:
        assert "BEFORE_PRE_GRAD" in graph["lost_in_inductor_cache"]
        assert "came from Inductor's cache" in (tmp_path / "warm" / "index.md").read_text("utf-8")
