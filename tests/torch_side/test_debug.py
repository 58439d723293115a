"""`depyf.debug`: when it can be entered, how it pauses, what runs inside, and that all is restored."""

from __future__ import annotations

import bdb
import pdb
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, List

import pytest
import torch

import depyf
from depyf.torch import safety, session


def installs() -> List[Any]:
    """Return what torch turns its compiler on with, as far as this torch has it."""
    eval_frame = torch._dynamo.eval_frame
    names = ("_callback_from_stance", "_maybe_set_eval_frame", "set_eval_frame")
    return [getattr(eval_frame, "_stance", None), *(getattr(eval_frame, name, None) for name in names)]


UNTOUCHED = installs()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> List[bool]:
    """Count the pauses: whether the compiler was on at each."""
    found: List[bool] = []

    def hook(*args: Any, **kwargs: Any) -> None:
        stance = getattr(torch._dynamo.eval_frame, "_stance", None)
        found.append(installs() == UNTOUCHED if stance is None else stance.stance != "eager_on_recompile")

    monkeypatch.setattr(sys, "breakpointhook", hook)
    return found


def function(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def recorded(folder: Path, **options: Any) -> Any:
    compiled = torch.compile(function, backend="eager", dynamic=False, **options)
    with depyf.prepare_debug(folder):
        compiled(torch.ones(2))
    return compiled


def frames_compiled() -> int:
    return int(torch._dynamo.utils.counters["frames"]["total"])


def test_before_prepare_debug_is_an_error(monkeypatch: pytest.MonkeyPatch, pauses: List[bool]) -> None:
    monkeypatch.setattr(session, "_latest_folder", None)
    with pytest.raises(RuntimeError, match=r"needs the files of depyf\.prepare_debug"), depyf.debug():
        pass
    assert not pauses


def test_inside_prepare_debug_is_an_error(tmp_path: Path, pauses: List[bool]) -> None:
    recorded(tmp_path / "before")
    is_error = pytest.raises(RuntimeError, match=r"inside depyf\.prepare_debug")
    with depyf.prepare_debug(tmp_path / "open"), is_error, depyf.debug():
        pass
    assert not pauses


def test_pauses_once_with_a_message(
    tmp_path: Path, pauses: List[bool], capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = recorded(tmp_path)
    with depyf.debug():
        compiled(torch.ones(2))
    assert pauses == [False]
    said = capsys.readouterr()
    assert str(tmp_path / "full_code_for_function_0.py") in said.out
    path, line = said.out.split("  b ")[1].split()[0].rsplit(":", 1)
    assert Path(path).name == "__transformed_code_0_for_function.py"
    assert Path(path).read_text("utf-8").splitlines()[int(line) - 1].startswith("    ")
    assert said.err == ""


@pytest.fixture
def plain_python(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Have ``breakpoint()`` do what Python's own does: what the environment says."""
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    return monkeypatch


def test_no_pause_when_python_says_so(
    tmp_path: Path, plain_python: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = recorded(tmp_path)
    plain_python.setenv("PYTHONBREAKPOINT", "0")
    with depyf.debug():
        assert compiled(torch.ones(2)).tolist() == [4, 4]
    assert capsys.readouterr().out == ""


def test_the_hook_of_the_environment_is_called(tmp_path: Path, plain_python: pytest.MonkeyPatch) -> None:
    compiled = recorded(tmp_path)
    stops: List[Any] = []

    class Hooks(ModuleType):
        @staticmethod
        def stop() -> None:
            frame = sys._getframe(1)
            stops.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_locals["compiled"]))

    plain_python.setitem(sys.modules, "depyf_test_hooks", Hooks("depyf_test_hooks"))
    plain_python.setenv("PYTHONBREAKPOINT", "depyf_test_hooks.stop")
    with depyf.debug():
        compiled(torch.ones(2))
    # It stops in the place, and with the variables, of the user's own frame.
    assert stops == [(__file__, "test_the_hook_of_the_environment_is_called", compiled)]


def test_a_hook_that_is_not_there_stops_nothing(tmp_path: Path, plain_python: pytest.MonkeyPatch) -> None:
    compiled = recorded(tmp_path)
    before = state()
    plain_python.setenv("PYTHONBREAKPOINT", "no_such_module.stop")
    with pytest.warns(RuntimeWarning, match="no_such_module"), depyf.debug():
        assert compiled(torch.ones(2)).tolist() == [4, 4]
    assert state() == before


@pytest.mark.parametrize("value", ["", "pdb.set_trace"])
def test_pdb_where_nothing_else_is_asked_for(
    value: str, tmp_path: Path, plain_python: pytest.MonkeyPatch
) -> None:
    compiled = recorded(tmp_path)
    paused: List[Any] = []
    plain_python.setattr(pdb.Pdb, "set_trace", lambda self, frame=None: paused.append(frame.f_code.co_name))
    plain_python.setenv("PYTHONBREAKPOINT", value)
    with depyf.debug():
        compiled(torch.ones(2))
    assert paused == ["test_pdb_where_nothing_else_is_asked_for"]
    assert sys.breakpointhook is sys.__breakpointhook__


def test_cached_code_runs_and_nothing_is_compiled(
    tmp_path: Path, pauses: List[bool], capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = recorded(tmp_path)
    never = torch.compile(lambda x: x - 1, backend="eager")
    before = frames_compiled()
    with depyf.debug():
        for _ in range(3):
            assert compiled(torch.ones(2)).tolist() == [4, 4]
            assert compiled(torch.ones(3)).tolist() == [4, 4, 4]
            assert never(torch.ones(1)).tolist() == [0]
    assert frames_compiled() == before
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "no cache entry fits the call at" in lines[0] and f"{Path(__file__).name}" in lines[0]
    assert "compiled(torch.ones(3))" in lines[0]
    assert "<lambda>" in lines[1] and "has no compiled code" in lines[1]
    # Outside it is compiled as before.
    compiled(torch.ones(3))
    assert frames_compiled() > before


def test_a_module_that_was_not_compiled(
    tmp_path: Path, pauses: List[bool], capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(tmp_path)

    class Mine(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1

    module = torch.compile(Mine(), backend="eager")
    with depyf.debug():
        module(torch.ones(2))
    assert "forward (" in capsys.readouterr().err
    module(torch.ones(2))
    with depyf.debug():
        module(torch.ones(2))
    assert capsys.readouterr().err == ""


def state() -> List[Any]:
    hook: Any = None
    set_hook = getattr(torch._C._dynamo.eval_frame, "set_guard_complete_hook", None)
    if set_hook is not None:
        hook = set_hook(None)
        set_hook(hook)
    handler = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
    return [
        *installs(),
        hook,
        torch.fx.Interpreter.run,
        torch.fx.Interpreter.boxed_run,
        torch._C._is_multithreading_enabled(),
        list(getattr(handler, "start_callbacks", ())),
        sys.breakpointhook,
    ]


@pytest.mark.parametrize("error", [None, ValueError("from the body"), KeyboardInterrupt()])
def test_everything_is_restored(error: Any, tmp_path: Path, pauses: List[bool]) -> None:
    compiled = recorded(tmp_path)
    before = state()
    try:
        with depyf.debug(), depyf.debug():
            assert state() != before
            compiled(torch.ones(2))
            if error is not None:
                raise error
    except (ValueError, KeyboardInterrupt) as caught:
        assert caught is error and caught.__context__ is None
    assert state() == before and len(pauses) == 2


def test_leaving_the_debugger_by_quit_restores_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(tmp_path)

    def leave() -> None:
        raise bdb.BdbQuit

    monkeypatch.setattr(sys, "breakpointhook", leave)
    before = state()
    with pytest.raises(bdb.BdbQuit), depyf.debug():
        raise AssertionError("the block must not run")
    assert state() == before


def test_as_a_decorator(tmp_path: Path, pauses: List[bool]) -> None:
    compiled = recorded(tmp_path)

    def run() -> Any:
        return compiled(torch.ones(2)).tolist()

    decorated = depyf.debug()(run)
    assert decorated() == decorated() == [4, 4] and len(pauses) == 2


def test_guard_hook_of_somebody_else_is_still_asked(tmp_path: Path, pauses: List[bool]) -> None:
    compiled = recorded(tmp_path)
    asked: List[bool] = []

    def hook(is_hit: bool) -> bool:
        asked.append(is_hit)
        return is_hit

    set_hook = getattr(torch._C._dynamo.eval_frame, "set_guard_complete_hook", None)
    if set_hook is None:
        pytest.skip("this torch has no such hook")
    prior = set_hook(hook)
    try:
        with depyf.debug():
            compiled(torch.ones(2))
            compiled(torch.ones(3))
        assert asked == [True, True, False]
    finally:
        set_hook(prior)


def test_backward_in_the_calling_thread_and_equal(tmp_path: Path, pauses: List[bool]) -> None:
    import threading

    threads: List[int] = []
    compiled = torch.compile(lambda x: (x.sin() * 3).sum(), backend="aot_eager")

    def gradient() -> Any:
        x = torch.arange(4.0, requires_grad=True)
        x.register_hook(lambda grad: threads.append(threading.get_ident()))
        compiled(x).backward()
        return x.grad.tolist() if x.grad is not None else None

    with depyf.prepare_debug(tmp_path):
        expected = gradient()
    with depyf.debug():
        assert gradient() == expected
    assert threads[-1] == threading.get_ident()


def test_first_backward_inside(
    tmp_path: Path, pauses: List[bool], capsys: pytest.CaptureFixture[str]
) -> None:
    def wave(x: torch.Tensor) -> torch.Tensor:
        return (x.sin() * 3).sum()

    def gradient(call: Any) -> Any:
        x = torch.arange(4.0, requires_grad=True)
        call(x).backward()
        return x.grad

    compiled = torch.compile(wave, backend="aot_eager", dynamic=False)
    with depyf.prepare_debug(tmp_path):
        compiled(torch.arange(4.0, requires_grad=True))
    assert (tmp_path / "__compiled_fn_1.Backward_graph.0.py").exists()
    before, frames = state(), frames_compiled()
    with depyf.debug():
        assert torch.equal(gradient(compiled), gradient(wave))
        assert torch.equal(gradient(compiled), gradient(wave))
    # Nothing of Dynamo's; since torch 2.8 the back end leaves the backward graph for its first run.
    assert frames_compiled() == frames and state() == before
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "a backward graph had not run before" not in line] == []
    assert len(said) == hasattr(torch._dynamo.callback, "CallbackArgs")
    with depyf.debug():
        gradient(compiled)
    assert capsys.readouterr().err == ""


def test_interpreted_graphs_run_as_functions(tmp_path: Path, pauses: List[bool]) -> None:
    nodes: List[str] = []

    def backend(graph_module: Any, _: Any) -> Any:
        return lambda *args: torch.fx.Interpreter(graph_module).boxed_run(list(args))

    compiled = torch.compile(lambda x: x.sin() + 1, backend=backend)
    with depyf.prepare_debug(tmp_path):
        expected = compiled(torch.ones(2))
    original = torch.fx.Interpreter.run_node

    def run_node(self: Any, node: Any) -> Any:
        nodes.append(node.name)
        return original(self, node)

    torch.fx.Interpreter.run_node = run_node
    try:
        compiled(torch.ones(2))
        outside = len(nodes)
        with depyf.debug():
            assert compiled(torch.ones(2)).tolist() == expected.tolist()
        assert outside > 2 and len(nodes) == outside
    finally:
        torch.fx.Interpreter.run_node = original


def test_interpreters_with_a_job_of_their_own_still_interpret(tmp_path: Path, pauses: List[bool]) -> None:
    recorded(tmp_path)
    graph_module = torch.fx.symbolic_trace(lambda x: x.relu() + 1)

    class Counting(torch.fx.Interpreter):  # type: ignore[misc]
        count = 0

        def run_node(self, node: Any) -> Any:
            self.count += 1
            return super().run_node(node)

    with depyf.debug():
        interpreter = Counting(graph_module)
        interpreter.run(torch.ones(2))
    assert interpreter.count == len(graph_module.graph.nodes)


TOLD = [
    name for name in sorted(safety.CALLBACKS) if name.startswith(("telling", "reading the index for the"))
]


@pytest.mark.parametrize("name", TOLD)
def test_a_fault_of_ours_does_not_stop_the_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: List[bool]
) -> None:
    compiled = recorded(tmp_path)
    never = torch.compile(lambda x: x - 1, backend="eager")

    def fail(*args: object) -> None:
        raise ZeroDivisionError("injected")

    monkeypatch.setitem(safety.CALLBACKS, name, fail)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with depyf.debug():
            assert compiled(torch.ones(3)).tolist() == [4, 4, 4] and never(torch.ones(1)).tolist() == [0]
    said = [each for each in caught if name in str(each.message)]
    assert len(said) == (0 if "backward" in name else 1)
