"""Every name of the reference's that programs use is here, and does what they use it for."""

from __future__ import annotations

import gc
import inspect
import logging
import weakref
from pathlib import Path
from types import CodeType
from typing import Any, List

import pytest
import torch

import depyf
import depyf.decompiler
import depyf.explain.enable_debugging
import depyf.explain.enhance_logging
from depyf.explain import dump_src
from depyf.optimization import TorchCompileWrapperWithCustomDispatcher
from depyf.torch import versions


def function(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def test_names_and_parameters() -> None:
    parameters = {
        depyf.prepare_debug: ["dump_src_dir", "clean_wild_fx_code", "log_bytecode"],
        depyf.debug: [],
        depyf.install: [],
        depyf.uninstall: [],
        depyf.Decompiler: ["code"],
        depyf.Decompiler.decompile: ["self", "indentation", "temp_prefix", "overwite_fn_name"],
        depyf.Decompiler.decompile_and_compile_like: [
            "code_to_decompile",
            "reference_code",
            "indentation",
            "temp_prefix",
            "filepath_template",
        ],
        TorchCompileWrapperWithCustomDispatcher: ["compiled_callable", "use_custom_dispatcher"],
    }
    for called, names in parameters.items():
        assert list(inspect.signature(called).parameters)[: len(names)] == names, called
    assert issubclass(depyf.decompiler.DecompilationError, Exception)
    assert next(iter(inspect.signature(depyf.decompile).parameters)) == "code"


def test_enable_debugging(tmp_path: Path) -> None:
    """As vLLM does it: by hand, and after a look at the hook's signature."""
    hook = depyf.explain.enable_debugging.patched_load_by_key_path
    kinds = {each.kind for each in inspect.signature(hook).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD in kinds
    session = depyf.explain.enable_debugging.prepare_debug(tmp_path.as_posix())
    session.__enter__()
    torch.compile(function, backend="eager")(torch.ones(2))
    session.__exit__(None, None, None)
    assert (tmp_path / "full_code_for_function_0.py").exists()


def test_dump_src() -> None:
    assert dump_src(function).startswith("# Nothing is compiled for function")
    compiled = torch.compile(function, backend="eager")
    compiled(torch.ones(2))
    texts = {dump_src(compiled), dump_src(function), dump_src(function.__code__, inspect.getmodule(function))}
    assert len(texts) == 1
    text = texts.pop()
    compile(text, "text", "exec")
    assert "def __transformed_code_0_for_function(x):" in text and "def __guard_0_for_function(" in text
    assert text.count("def __transformed_code_") == 2

    class Mine(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x - 3

    module = torch.compile(Mine(), backend="eager")
    module(torch.ones(2))
    assert "def __transformed_code_0_for_forward(" in dump_src(module)


def test_install_logs_source(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert depyf.explain.enhance_logging.install is depyf.install
    logger = logging.getLogger("test_drop_in")
    monkeypatch.setattr(versions, "bytecode_logger", lambda: logger)
    hooks = len(torch._dynamo.convert_frame._bytecode_hooks)
    depyf.install()
    depyf.install()
    assert len(torch._dynamo.convert_frame._bytecode_hooks) == hooks + 1
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    assert not [record for record in caplog.records if record.name == "test_drop_in"]
    with caplog.at_level(logging.DEBUG, "test_drop_in"):
        torch.compile(function, backend="eager")(torch.ones(2))
    said = [record.getMessage() for record in caplog.records if record.name == "test_drop_in"]
    assert len(said) == 2 and "DECOMPILED SOURCE of function:\ndef function(x):" in said[0]
    depyf.uninstall()
    depyf.uninstall()
    assert len(torch._dynamo.convert_frame._bytecode_hooks) == hooks
    # The logger that torch itself has.
    monkeypatch.undo()
    assert versions.bytecode_logger() is not None


class Model(TorchCompileWrapperWithCustomDispatcher):
    """Goes through the guards until it has compiled code, and then never again."""

    def __init__(self, offset: float) -> None:
        self.offset = offset
        super().__init__(torch.compile(self.forward, backend="eager", dynamic=False))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 + self.offset

    def __call__(self, x: torch.Tensor) -> Any:
        if not self.compiled_codes:
            return self.compiled_callable(x)
        with self.dispatch_to_code(0):
            return self.forward(x)


def test_dispatcher() -> None:
    one, other = Model(1.0), Model(3.0)
    assert one(torch.ones(2)).tolist() == [3, 3]
    # What is compiled for one object is not another's.
    assert len(one.compiled_codes) == 1 and other.compiled_codes == []
    assert isinstance(one.compiled_codes[0], CodeType)
    asked: List[CodeType] = []
    handle = versions.register_bytecode_hook(lambda code, _: asked.append(code))
    assert handle is not None
    try:
        # No guard is asked, so that another size compiles nothing.
        assert one(torch.ones(3)).tolist() == [3, 3, 3] and asked == []
        assert Model.forward.__code__ is one.original_code_object
        assert other(torch.ones(2)).tolist() == [5, 5] and len(asked) == 1 == len(other.compiled_codes)
    finally:
        handle.remove()
    with pytest.raises(ZeroDivisionError), one.dispatch_to_code(0):
        raise ZeroDivisionError
    with pytest.raises(IndexError), one.dispatch_to_code(7):
        pass
    assert Model.forward.__code__ is one.original_code_object
    # Without a dispatcher of its own it is the compiled callable.
    plain = TorchCompileWrapperWithCustomDispatcher(function, use_custom_dispatcher=False)
    assert plain(torch.ones(1)).tolist() == [4]


def test_dispatcher_dies_with_its_hook() -> None:
    gc.collect()
    hooks = len(torch._dynamo.convert_frame._bytecode_hooks)
    model = Model(1.0)
    assert len(torch._dynamo.convert_frame._bytecode_hooks) == hooks + 1
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None and len(torch._dynamo.convert_frame._bytecode_hooks) == hooks
