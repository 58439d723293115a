"""A fault in any hook, collector or writer leaves the program running, and is said once."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any, Dict, List

import pytest
import torch

import depyf
from depyf.torch import safety, versions
from support import assert_all_compile


def program() -> List[Any]:
    """Compile, break, recompile, go through a named graph, and train."""
    torch._dynamo.reset()
    torch.manual_seed(0)

    def backend(graph_module: Any, example_inputs: Any) -> Any:
        torch._dynamo.utils.lazy_format_graph_code("before split", graph_module)
        return graph_module.forward

    weight = torch.ones(4, requires_grad=True)

    def function(x: torch.Tensor) -> torch.Tensor:
        y = x * weight
        torch._dynamo.graph_break()
        return (y + torch.rand(())).sum().to(torch.float64)

    compiled = torch.compile(function, backend=backend)
    results = [compiled(torch.ones(4)), compiled(torch.ones(3, 4)), compiled(torch.ones(5, 4))]
    results[-1].backward()
    assert weight.grad is not None
    return [[each.tolist() for each in results], weight.grad.tolist(), torch.get_rng_state().tolist()]


@functools.lru_cache(maxsize=None)
def undisturbed() -> List[Any]:
    """Return what the program computes without depyf."""
    return program()


def dumped(folder: Path) -> List[Any]:
    with depyf.prepare_debug(folder, clean_wild_fx_code=False, log_bytecode=True):
        return program()


# What the program above does not come to; test_debug.py has the faults inside `depyf.debug`.
NOT_REACHED = {
    "taking a folder after a fork",
    "completing a graph that came from the cache",
    "telling that no cache entry fits",
    "telling that a function is not compiled",
    "telling that a backward graph is compiled",
    "reading the index for the message",
    "logging decompiled bytecode",
    "noting compiled code for a dispatcher",
}


def fail(*args: object, **kwargs: object) -> None:
    raise ZeroDivisionError("injected")


@pytest.mark.parametrize("name", sorted(safety.CALLBACKS))
def test_fault_in_callback(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = undisturbed()
    logger = versions.trace_logger()
    assert logger is not None
    handlers = list(logger.handlers)
    formatter = torch._dynamo.utils.lazy_format_graph_code
    monkeypatch.setitem(safety.CALLBACKS, name, fail)
    if name == "listing bytecode":
        monkeypatch.setattr("depyf.decompiler.decompile", fail)
    # An earlier dump, so that there is something to remove.
    (tmp_path / "index.json").write_text('{"files": ["full_code_for_gone_0.py"]}')
    (tmp_path / "full_code_for_gone_0.py").write_text("")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert dumped(tmp_path) == expected
    said = [str(each.message) for each in caught if issubclass(each.category, safety.DebugWarning)]
    if name not in NOT_REACHED:
        assert len(said) >= 1 and sum(f"{name} failed" in each for each in said) == 1
    monkeypatch.undo()
    # Whatever failed, the next session works and sees everything.
    torch._dynamo.utils.lazy_format_graph_code = formatter
    for handler in [each for each in logger.handlers if each not in handlers]:
        logger.removeHandler(handler)
    torch._dynamo.convert_frame._bytecode_hooks.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", safety.DebugWarning)
        assert dumped(tmp_path / "again") == expected
    assert (tmp_path / "again" / "full_code_for_function_0.py").exists()


def test_warnings_as_errors_do_not_reach_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = undisturbed()
    monkeypatch.setitem(safety.CALLBACKS, "the bytecode hook", fail)
    with warnings.catch_warnings():
        warnings.simplefilter("error", safety.DebugWarning)
        assert dumped(tmp_path) == expected


def test_what_cannot_be_decompiled_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = undisturbed()
    monkeypatch.setattr("depyf.decompiler.decompile", fail)
    assert dumped(tmp_path) == expected
    assert_all_compile(tmp_path)
    text = (tmp_path / "__transformed_code_0_for_function.py").read_text("utf-8")
    assert "def __transformed_code_0_for_function(x):" in text
    assert "ZeroDivisionError: injected" in text and "LOAD_" in text and "__compiled_fn_1" in text
    assert "not decompiled" in (tmp_path / "index.md").read_text("utf-8")


# What each look at torch's private parts gives on a torch that has lost the part.
MISSING: Dict[str, Any] = {
    "trace_logger": None,
    "interned_string": None,
    "register_bytecode_hook": None,
    "current_compile_key": None,
    "compiling_globals": None,
    "seen_codes": [],
    "cache_entries": [],
    "graph_of_compiled_function": None,
    "graph_formatter": None,
    "generated_functions": [],
    "inductor_modules": [],
    "fx_sources": {},
    "inductor_cache_dir": None,
    "rank": None,
}


@pytest.mark.parametrize("name", sorted(MISSING))
def test_torch_without_a_private_feature(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = undisturbed()
    monkeypatch.setattr(versions, name, lambda *args: MISSING[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error", safety.DebugWarning)
        assert dumped(tmp_path) == expected
    assert_all_compile(tmp_path)
    if name != "register_bytecode_hook":
        assert list(tmp_path.glob("__transformed_code_*_for_function.py"))


def test_missing_feature_is_said_once(tmp_path: Path) -> None:
    safety.forget_warnings()

    def look() -> None:
        raise ImportError("no such module")

    guarded_look = versions.optional("a thing", list)(look)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert guarded_look() == [] and guarded_look() == []
    assert [str(each.message) for each in caught if "reading a thing" in str(each.message)] != []
    assert len(caught) == 1
