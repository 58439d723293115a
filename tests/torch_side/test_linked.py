"""Under `prepare_debug` Dynamo's own code runs, and stands in the file of the dump."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
import traceback
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest
import torch

import depyf
from depyf.torch import versions
from support import read_index

_TABLES = ("co_filename", "co_firstlineno", "co_linetable", "co_lnotab")


def toy(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def fails(x: torch.Tensor, items: Any) -> torch.Tensor:
    y = x + 1
    torch._dynamo.graph_break()
    items.append(y)
    torch._dynamo.graph_break()
    return y + len(items.missing)


def recorded(folder: Path, program: Callable[[], Any]) -> List[Tuple[CodeType, CodeType]]:
    """Run a program under `prepare_debug`; return Dynamo's code objects, each with the one that runs."""
    made: List[CodeType] = []
    before = versions.register_bytecode_hook(lambda _, code: made.append(code))
    session = depyf.prepare_debug(folder)
    running: List[CodeType] = []
    with session:
        after = versions.register_bytecode_hook(lambda _, code: running.append(code))
        program()
    for handle in (before, after):
        assert handle is not None
        handle.remove()
    assert len(made) == len(running) > 0
    return list(zip(made, running))


def toys() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(toy, backend="eager")
    for sign in (1, -1):
        compiled(torch.ones(4), sign * torch.ones(4))


def line_events(folder: Path, call: Callable[[], Any]) -> List[Tuple[str, int]]:
    """Return the lines of transformed code in the dump that are told while something is called."""
    found: List[Tuple[str, int]] = []

    def trace(frame: FrameType, event: str, _: object) -> Optional[Any]:
        if not frame.f_code.co_filename.startswith(str(folder / "__transformed_code_")):
            return None
        if event == "line":
            found.append((frame.f_code.co_filename, frame.f_lineno))
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return found


def test_only_the_place_differs(tmp_path: Path) -> None:
    for code, linked in recorded(tmp_path, toys):
        assert Path(linked.co_filename).parent == tmp_path
        for name in dir(code):
            if name.startswith("co_") and name not in _TABLES and not callable(getattr(code, name)):
                assert getattr(linked, name) == getattr(code, name), name
        assert all(one is other for one, other in zip(linked.co_consts, code.co_consts))


def test_the_file_is_there_when_the_hook_returns(tmp_path: Path) -> None:
    seen: Dict[str, str] = {}

    def look(_: CodeType, code: CodeType) -> None:
        seen[code.co_filename] = inspect.getsource(code)

    with depyf.prepare_debug(tmp_path):
        handle = versions.register_bytecode_hook(look)
        toys()
    assert handle is not None
    handle.remove()
    assert len(seen) == 3
    for filename, source in seen.items():
        # Nothing above the end of the function has changed since.
        name = Path(filename).name[: -len(".py")]
        assert source.startswith(f"def {name}(")
        assert source in Path(filename).read_text("utf-8")
        title, verdict = linecache.getlines(filename)[:2]
        assert verdict == "# verified against the bytecode\n"
        assert Path(filename).read_text("utf-8").startswith(f"{title}{verdict}\n{source}")


def test_cache_entries_hold_the_linked_code(tmp_path: Path) -> None:
    recorded(tmp_path, toys)
    entries = versions.cache_entries(toy.__code__)
    assert entries is not None
    assert [Path(entry.code.co_filename).name for entry in entries] == ["__transformed_code_0_for_toy.py"]
    assert all(entry["alive"] for frame in read_index(tmp_path)["frames"] for entry in frame["entries"])


def test_every_statement_is_told(tmp_path: Path) -> None:
    recorded(tmp_path, toys)
    compiled = torch.compile(toy, backend="eager")
    found = line_events(tmp_path, lambda: compiled(torch.ones(4), -torch.ones(4)))
    shown = [linecache.getline(filename, line).split("#")[0].strip() for filename, line in found]
    # What stands between the graph and the branch differs from torch to torch.
    wanted = [r".* = __compiled_fn_1\(", "if ", "return __resume_at_", r".* = __compiled_fn_\d\(", "return "]
    events = iter(shown)
    assert all(any(re.match(each, line) for line in events) for each in wanted), shown
    assert next(events, None) is None


def test_results_and_gradients_are_the_same_while_traced(tmp_path: Path) -> None:
    def run() -> List[torch.Tensor]:
        torch.manual_seed(0)
        a, b = (torch.randn(10, requires_grad=True) for _ in range(2))
        result = torch.compile(toy, backend="eager")(a, b)
        result.sum().backward()
        assert a.grad is not None and b.grad is not None
        return [result, a.grad, b.grad]

    torch._dynamo.reset()
    expected = run()
    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path):
        run()
        traced: List[torch.Tensor] = []
        assert line_events(tmp_path, lambda: traced.extend(run()))
    assert all(torch.equal(one, other) for one, other in zip(traced, expected))


def test_traceback_leads_to_the_dump(tmp_path: Path) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(fails, backend="eager")
    with depyf.prepare_debug(tmp_path), pytest.raises(AttributeError) as caught:
        compiled(torch.ones(2), [])
    frames = traceback.extract_tb(caught.value.__traceback__)
    *callers, last = (frame for frame in frames if frame.filename.startswith(str(tmp_path)))
    assert callers and last is frames[-1]
    assert all("return __resume_at_" in str(frame.line) for frame in callers)
    assert ".missing" in str(last.line)
    if sys.version_info >= (3, 11):
        line = linecache.getline(last.filename, last.lineno or 0)
        assert line[last.colno : last.end_colno].endswith(".missing")


def test_comments_say_the_users_lines(tmp_path: Path) -> None:
    recorded(tmp_path, toys)
    source = (tmp_path / "__transformed_code_0_for_toy.py").read_text("utf-8")
    line = toy.__code__.co_firstlineno + 2
    branch = next(each for each in source.splitlines() if "return __resume_at_" in each)
    assert branch.endswith(f"  # {os.path.basename(__file__)}:{line}")


def test_functions_defined_inside_stay_in_the_users_file(tmp_path: Path) -> None:
    def makes(x: torch.Tensor) -> Any:
        y = x + 1

        def doubled(z: torch.Tensor) -> torch.Tensor:
            return z * 2

        once = lambda z: z + 1  # noqa: E731 (what a lambda becomes is tested)
        torch._dynamo.graph_break()
        return doubled, once, y

    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path):
        made = torch.compile(makes, backend="eager")(torch.ones(2))
    text = (tmp_path / "__transformed_code_0_for_makes.py").read_text("utf-8")
    assert [function.__code__.co_filename for function in made[:2]] == [__file__, __file__]
    heads = [line for line in text.splitlines() if "def doubled(" in line or "(lambda z: z + 1)" in line]
    assert len(heads) == 2 and all("# test_linked.py:" in head for head in heads)
    assert heads[0].endswith(f":{made[0].__code__.co_firstlineno}")


def test_second_session_shows_the_users_lines_of_what_the_first_linked(tmp_path: Path) -> None:
    recorded(tmp_path / "first", toys)
    with depyf.prepare_debug(tmp_path / "second"):
        pass
    name = "__transformed_code_0_for_toy.py"
    first, second = ((tmp_path / folder / name).read_text("utf-8") for folder in ("first", "second"))
    assert first.split("\n\n\n")[0] == second.split("\n\n\n")[0]


def test_what_did_not_run_leaves_a_gap_in_the_numbers(tmp_path: Path) -> None:
    for name, signs in {"both": (1, -1), "second": (1,)}.items():
        torch._dynamo.reset()
        compiled = torch.compile(toy, backend="eager")
        with depyf.prepare_debug(tmp_path / name):
            for sign in signs:
                compiled(torch.ones(4), sign * torch.ones(4))
    both, second = (
        {path.name: path.read_text("utf-8") for path in (tmp_path / name).glob("__*.py")}
        for name in ("both", "second")
    )
    graphs = sorted(name.split(".")[0] for name in second if name.startswith("__compiled_fn_"))
    assert graphs == ["__compiled_fn_1", "__compiled_fn_3"]
    # What ran has the same name and the same code in both.
    heads = {name: (text.split("\n\n\n")[0], both[name].split("\n\n\n")[0]) for name, text in second.items()}
    resumed = next(name for name in heads if "_for_torch_dynamo_resume_in_toy" in name)
    assert heads[resumed][0] == heads[resumed][1] and "__compiled_fn_3(" in heads[resumed][0]


def test_order_of_branches_does_not_change_names(tmp_path: Path) -> None:
    dumps = []
    for number, signs in enumerate([(1, -1), (-1, 1)]):
        torch._dynamo.reset()
        compiled = torch.compile(toy, backend="eager")
        with depyf.prepare_debug(tmp_path / str(number)):
            for sign in signs:
                compiled(torch.ones(4), sign * torch.ones(4))
        found = (tmp_path / str(number)).glob("__transformed_code_*.py")
        dumps.append({path.name: path.read_text("utf-8") for path in found})
    assert dumps[0] == dumps[1]
