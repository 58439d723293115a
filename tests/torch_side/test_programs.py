"""The hundred programs do the same with and without `prepare_debug`, and each dump compiles."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import random
import re
import sys
import types
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
import torch

import depyf
import programs
from depyf.torch.safety import DebugWarning
from support import assert_all_compile, assert_nothing_varies, read_index


def described(value: Any, depth: int = 0) -> Any:
    """Return a value as something that can be compared with another run's."""
    if depth > 6:
        return "..."
    if isinstance(value, torch.Tensor):
        data = value.detach().float() if value.dtype == torch.bfloat16 else value.detach()
        grad = value.grad if value.is_leaf else None
        return ["tensor", str(value.dtype), data.tolist(), value.requires_grad, described(grad, depth + 1)]
    if isinstance(value, dict):
        return {str(key): described(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [type(value).__name__, *(described(each, depth + 1) for each in value)]
    if dataclasses.is_dataclass(value):
        return [type(value).__name__, described(vars(value), depth + 1)]
    if isinstance(value, (types.FunctionType, types.GeneratorType)) or callable(value):
        return type(value).__name__
    return re.sub(r"0x[0-9a-f]+", "0x", repr(value))


def run(program: Callable[[], None]) -> List[Any]:
    """Run a program from a clean start and return all that can be seen of it."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    random.seed(0)
    programs.reset()
    output = io.StringIO()
    raised: Any = None
    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DebugWarning)
        try:
            program()
        except Exception as error:
            raised = [type(error).__name__, re.sub(r"0x[0-9a-f]+", "0x", str(error))]
    state = [torch.get_rng_state().tolist(), random.getstate()]
    return [raised, output.getvalue(), described(programs.RESULTS), state]


@pytest.mark.parametrize("program", programs.CASES, ids=lambda program: program.__name__)
def test_program_is_unchanged(program: Callable[[], None], tmp_path: Path, recwarn: Any) -> None:
    plain = run(program)
    seen: Dict[str, Any] = {}

    def under_prepare_debug() -> None:
        with depyf.prepare_debug(tmp_path):
            program()

    seen["debugged"] = run(under_prepare_debug)
    assert seen["debugged"] == plain
    assert_all_compile(tmp_path)
    assert_nothing_varies(tmp_path)
    entries = [entry for frame in read_index(tmp_path)["frames"] for entry in frame["entries"]]
    assert [entry["problem"] for entry in entries if entry["source"] != "decompiled"] == []
    # What goes on after a graph break is shown as Dynamo got it, too.
    for page in tmp_path.glob("full_code_for_*.py"):
        text = page.read_text(encoding="utf-8")
        # For 3.14 torch 2.15 writes the handlers of `with` for another depth of the stack.
        assert sys.version_info >= (3, 14) or "# unverified" not in text, text
    assert not [str(each.message) for each in recwarn if issubclass(each.category, DebugWarning)]


def test_there_are_all_programs() -> None:
    assert len(programs.CASES) == 100
