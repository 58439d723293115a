"""What runs while a debugger watches computes the same, and GPT-2's code tells every line that acts."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Callable, Iterator, List, Optional, Tuple

import pytest
import torch

import depyf
import line_events
from depyf.torch import versions

# The file and the line of each line event in a dump.
Lines = List[Tuple[str, int]]


@contextlib.contextmanager
def by_trace_function(folder: Path) -> Iterator[Lines]:
    """Watch as debuggers do under every Python."""
    found: Lines = []

    def trace(frame: FrameType, event: str, _: object) -> Optional[Any]:
        if not frame.f_code.co_filename.startswith(str(folder)):
            return None
        if event == "line":
            found.append((Path(frame.f_code.co_filename).name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield found
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def by_monitoring(folder: Path) -> Iterator[Lines]:
    """Watch as debuggers may from Python 3.12 on."""
    monitoring = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    found: Lines = []

    def line(code: CodeType, number: int) -> Any:
        if not code.co_filename.startswith(str(folder)):
            return monitoring.DISABLE
        found.append((Path(code.co_filename).name, number))
        return None

    monitoring.use_tool_id(monitoring.DEBUGGER_ID, "a debugger")
    monitoring.register_callback(monitoring.DEBUGGER_ID, monitoring.events.LINE, line)
    monitoring.set_events(monitoring.DEBUGGER_ID, monitoring.events.LINE)
    try:
        yield found
    finally:
        monitoring.set_events(monitoring.DEBUGGER_ID, 0)
        monitoring.register_callback(monitoring.DEBUGGER_ID, monitoring.events.LINE, None)
        monitoring.free_tool_id(monitoring.DEBUGGER_ID)


WATCHES = [by_trace_function, *([by_monitoring] if sys.version_info >= (3, 12) else [])]


def toy_step(backend: str) -> Callable[[], List[torch.Tensor]]:
    """Return a forward and a backward run of the toy, both branches, with all that they compute."""

    def toy(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    compiled = torch.compile(toy, backend=backend)

    def step() -> List[torch.Tensor]:
        torch.manual_seed(0)
        results = []
        for sign in (1, -1):
            a, b = torch.randn(10, requires_grad=True), (sign * torch.rand(10)).requires_grad_()
            result = compiled(a, b)
            result.sum().backward()
            assert a.grad is not None and b.grad is not None
            results += [result, a.grad, b.grad]
        return results

    return step


def gpt2_step(backend: str) -> Callable[[], List[torch.Tensor]]:
    """Return a training step of a small GPT-2 with dropout: the loss, the logits and all gradients."""
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        n_layer=1, n_embd=32, n_head=2, vocab_size=64, n_positions=32, bos_token_id=0, eos_token_id=0
    )
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(config)
    compiled = torch.compile(model, backend=backend)
    tokens = torch.randint(0, 64, (2, 8))

    def step() -> List[torch.Tensor]:
        torch.manual_seed(1)
        model.zero_grad()
        output = compiled(input_ids=tokens, labels=tokens)
        output.loss.backward()
        gradients = [each.grad.clone() for each in model.parameters() if each.grad is not None]
        assert len(gradients) > 10
        return [output.loss, output.logits, *gradients]

    return step


def equal(ones: List[torch.Tensor], others: List[torch.Tensor]) -> bool:
    """Whether all is the same, bit by bit."""
    return len(ones) == len(others) and all(torch.equal(one, other) for one, other in zip(ones, others))


@pytest.mark.parametrize("program", [toy_step, gpt2_step])
def test_computes_the_same_and_tells_every_line(program: Callable[[str], Any], tmp_path: Path) -> None:
    step = program("eager")
    expected = step()
    torch._dynamo.reset()
    made: List[CodeType] = []
    handle = versions.register_bytecode_hook(lambda _, code: made.append(code))
    assert handle is not None
    with depyf.prepare_debug(tmp_path):
        assert equal(step(), expected)
    handle.remove()

    for watch in WATCHES:
        with watch(tmp_path) as lines:
            results = step()
        assert equal(results, expected), watch.__name__
        files = {file for file, _ in lines}
        transformed = {path.name for path in tmp_path.glob("__transformed_code_*.py")}
        # Every code object that was made, and every graph, ran in its file.
        assert transformed <= files and any("Captured_Graph" in file for file in files), watch.__name__

    # On objects that record what is done to them, each line that acts is told, in order.
    assert made
    for code in made:
        for view in ("exact", "readable"):
            verdict, why = line_events.judge(code, view)
            assert verdict == "same", f"{code.co_name} ({view}): {verdict}: {why}"


def test_backward_graph_computes_the_same(tmp_path: Path) -> None:
    step = toy_step("aot_eager")
    expected = step()
    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path):
        assert equal(step(), expected)
    for watch in WATCHES:
        with watch(tmp_path) as lines, torch.autograd.set_multithreading_enabled(False):
            results = step()
        assert equal(results, expected), watch.__name__
        files = {file for file, _ in lines}
        assert {kind for file in files for kind in ("Forward", "Backward") if kind in file} == {
            "Forward",
            "Backward",
        }, watch.__name__
