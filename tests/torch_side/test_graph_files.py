"""Graphs and Inductor's wrapper run from the files of the dump: same instructions, other lines."""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Callable, List, Tuple

import pytest
import torch

import depyf
from depyf.torch import graph_links, versions
from depyf.torch.relocate import relocate


def toy(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def train(function: Callable[..., torch.Tensor]) -> List[Any]:
    results = []
    for sign in (1, -1):
        a = torch.arange(10.0, requires_grad=True)
        result = function(a, sign * torch.ones(10))
        result.sum().backward()
        results += [result.tolist(), a.grad.tolist() if a.grad is not None else None]
    return results


def traced(folder: Path, run: Callable[[], Any]) -> Tuple[Any, List[Tuple[str, str]]]:
    """Run traced; return what `run` gives, and the file and the text of each line event in a folder."""
    events: List[Tuple[str, str]] = []

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        path = frame.f_code.co_filename
        if event == "line" and path.startswith(str(folder)):
            events.append((Path(path).name, linecache.getline(path, frame.f_lineno).strip()))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return run(), events
    finally:
        sys.settrace(before)


INDUCTOR = pytest.param("inductor", marks=pytest.mark.main_only)
FILES = {
    "eager": ["Captured_Graph"],
    "aot_eager": ["Forward_graph", "Backward_graph"],
    "inductor": ["kernel_0", "kernel_1"],
}
# A statement of the toy's second half, in each file.
MARKS = {
    "Captured_Graph": 'mul: "f32[10][1]cpu" = l_x_ * l_b_;  l_x_ = l_b_ = None',
    "Forward_graph": "torch.ops.aten.mul.Tensor(primals_1, primals_2);  primals_1 = None",
    "Backward_graph": "torch.ops.aten.mul.Tensor(tangents_1, primals_2);",
    "kernel_0": "cpp_fused_mul_0(primals_1, primals_2, buf0)",
    "kernel_1": "cpp_fused_mul_0(tangents_1, primals_2, buf0)",
}


@pytest.mark.parametrize("backend", ["eager", "aot_eager", INDUCTOR])
def test_line_events_are_in_the_dump(backend: str, tmp_path: Path) -> None:
    compiled = torch.compile(toy, backend=backend, dynamic=False)
    with depyf.prepare_debug(tmp_path):
        expected = train(compiled)
    results, events = traced(tmp_path, lambda: train(compiled))
    assert results == expected
    for stage in FILES[backend]:
        in_stage = [(name, line) for name, line in events if stage in name]
        # Each of the three graphs runs from its own file.
        assert len({name for name, _ in in_stage}) == 3
        assert any(MARKS[stage] in line for _, line in in_stage)
    assert all(line for _, line in events), "a line event where the file has no text"


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_every_statement_of_a_graph_is_reached_in_order(backend: str, tmp_path: Path) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        for _ in range(5):
            x = x.sin() + 1
        return x * 2

    compiled = torch.compile(function, backend=backend)
    with depyf.prepare_debug(tmp_path):
        compiled(torch.ones(3))
    stage = FILES[backend][0]
    _, events = traced(tmp_path, lambda: compiled(torch.ones(3)))
    text = (tmp_path / f"__compiled_fn_1.{stage}.0.py").read_text("utf-8")
    assigned = [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.AnnAssign)]
    statements = [text.splitlines()[line - 1].strip() for line in assigned]
    assert [line for name, line in events if stage in name and line in statements] == statements
    assert len(statements) > 10


def same_but_for_place(one: CodeType, other: CodeType) -> bool:
    attributes = [
        name
        for name in dir(one)
        if name.startswith("co_")
        and name
        not in ("co_filename", "co_firstlineno", "co_linetable", "co_lnotab", "co_lines", "co_positions")
    ]
    return all(
        getattr(one, name) == getattr(other, name) for name in attributes if not callable(getattr(one, name))
    )


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_only_the_place_differs(backend: str, tmp_path: Path) -> None:
    compiled = torch.compile(toy, backend=backend, dynamic=False)
    with depyf.prepare_debug(tmp_path):
        train(compiled)
    of_this_dump = [
        (now, generated)
        for now, generated, _ in graph_links._generated.values()
        if now.co_filename.startswith(str(tmp_path))
    ]
    assert len(of_this_dump) >= 3
    for now, generated in of_this_dump:
        assert same_but_for_place(now, generated)
        assert generated.co_filename.startswith("<eval_with_key>")


def test_traceback_shows_the_dump(tmp_path: Path) -> None:
    compiled = torch.compile(lambda x: torch.linalg.cholesky(x + 1) * 2, backend="eager")
    with depyf.prepare_debug(tmp_path):
        compiled(torch.eye(3))
    with pytest.raises(torch.linalg.LinAlgError) as caught:
        compiled(-torch.eye(3))
    frames = traceback.extract_tb(caught.value.__traceback__)
    graph = next(frame for frame in frames if frame.filename.endswith("__compiled_fn_1.Captured_Graph.0.py"))
    assert graph.line is not None and "linalg_cholesky(" in graph.line


def test_another_session_takes_its_own_files(tmp_path: Path) -> None:
    compiled = torch.compile(toy, backend="aot_eager", dynamic=False)
    with depyf.prepare_debug(tmp_path / "first"):
        train(compiled)
    # A second session sees what was compiled before it only where the back end runs the graph as it is.
    torch._dynamo.reset()
    eager = torch.compile(toy, backend="eager", dynamic=False)
    for name in ("second", "third"):
        with depyf.prepare_debug(tmp_path / name):
            train(eager)
        _, events = traced(tmp_path / name, lambda: train(eager))
        assert len({file for file, _ in events if "Captured_Graph" in file}) == 3


def test_graph_inside_a_graph(tmp_path: Path) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)) + 1

    compiled = torch.compile(function, backend="eager")
    with depyf.prepare_debug(tmp_path):
        compiled(torch.ones(3))
    _, events = traced(tmp_path, lambda: compiled(torch.ones(3)))
    assert any(".sin()" in line for _, line in events)
    _, events = traced(tmp_path, lambda: compiled(-torch.ones(3)))
    assert any(".cos()" in line for _, line in events)


def test_back_end_of_somebody_else(tmp_path: Path) -> None:
    class Runner:
        def __init__(self, graph_module: Any) -> None:
            self.runs = graph_module.forward

        def __call__(self, *args: Any) -> Any:
            return self.runs(*args)

    compiled = torch.compile(toy, backend=lambda graph_module, _: Runner(graph_module), dynamic=False)
    with depyf.prepare_debug(tmp_path):
        train(compiled)
    _, events = traced(tmp_path, lambda: train(compiled))
    assert len({name for name, _ in events if "Captured_Graph" in name}) == 3


def test_text_that_shows_other_code_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depyf.torch.graph_links.relocate", lambda *args: None)
    compiled = torch.compile(toy, backend="eager", dynamic=False)
    with pytest.warns(UserWarning, match="linking a graph to its files"), depyf.prepare_debug(tmp_path):
        train(compiled)
    functions = [
        each
        for name, value in globals().items()
        if name.startswith(versions.COMPILED_FUNCTION_PREFIX)
        for each in versions.generated_functions(value)
    ]
    assert functions and not any(each.__code__.co_filename.startswith(str(tmp_path)) for each in functions)


GENERATED = """

class Runner:
    def call(self, args_list):
        args_iter = iter(args_list)
        a = next(args_iter)
        args_list.clear()
        self.__kept = a.b(1);  a = None
        return (self.__kept, None)
"""


def generated(text: str = GENERATED) -> CodeType:
    namespace: Any = {}
    exec(compile(text, "<generated>", "exec"), namespace)
    code: CodeType = namespace["Runner"].call.__code__
    return code


def test_relocated_by_statements() -> None:
    dumped = (
        "# a header\n"
        "class Other:\n"
        "    def call(self, a: 'f32[3]'):\n"
        "        # File: user.py\n"
        "        self.__kept: 'f32[3]' = a.b(1);  a = None\n"
        "        return (\n"
        "            self.__kept,  # first\n"
        "            None,\n"
        "        )\n"
    )
    code = generated()
    match = relocate(code, GENERATED, dumped, "/dump/file.py")
    assert match is not None and match.is_exact
    assert same_but_for_place(match.code, code) and match.code.co_filename == "/dump/file.py"
    lines = {line for _, _, line in getattr(match.code, "co_lines", lambda: [(0, 0, 5)])() if line}
    assert 5 in lines and lines <= set(range(2, 9))


def test_names_made_stable_still_match() -> None:
    dumped = (
        "class Other:\n    def call(self, a):\n        self.__stable_1 = a.b(1);  a = None\n"
        "        return (self.__stable_1, None)\n"
    )
    match = relocate(generated(), GENERATED, dumped, "/dump/file.py")
    assert match is not None and not match.is_exact and match.code.co_names == generated().co_names


@pytest.mark.parametrize(
    "dumped",
    [
        "",
        "def call(self, a): pass\n",
        "class A:\n def other(self, a):\n  self.__kept = a.b(1);  a = None\n  return (self.__kept, None)\n",
        "class A:\n  def call(self, a):\n    self.__kept = a.b;  a = None\n    return (self.__kept, None)\n",
    ],
)
def test_other_code_is_no_match(dumped: str) -> None:
    assert relocate(generated(), GENERATED, dumped, "/dump/file.py") is None
