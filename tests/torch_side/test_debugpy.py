"""Sessions in debugpy, the debugger of VS Code and other editors, driven as an editor does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict

import pytest

pytest.importorskip("debugpy")

from dap_client import DapClient, Message
from pdb_session import line_with
from stepped_example import EXAMPLE, EXAMPLES, ONES, RESULT, STOPS

# Python 3.9 has pdb only: debugpy is promised from 3.11 on, and works under 3.10.
pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason="not promised under this Python")


def editor_options() -> Message:
    """Return what the ready launch.json says of stepping."""
    text = (EXAMPLES / ".vscode" / "launch.json").read_text("utf-8")
    without_comments = [line for line in text.splitlines() if not line.strip().startswith("//")]
    configuration: Dict[str, Any] = json.loads("\n".join(without_comments))["configurations"][0]
    assert configuration["type"] == "debugpy" and configuration["program"] == "${file}"
    return {name: configuration[name] for name in ("justMyCode", "rules")}


def start(backend: str, folder: Path) -> DapClient:
    return DapClient(str(EXAMPLE), backend, "dump", cwd=folder, options=editor_options())


def place(frame: Message) -> Any:
    return Path(frame["source"]["path"]).name, frame["line"]


def test_breakpoints_variables_and_steps(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    transformed = dump / "__transformed_code_0_for_scaled.py"
    with start("eager", tmp_path) as editor:
        pause = editor.stopped()
        assert Path(pause["source"]["path"]) == EXAMPLE
        resume = next(dump.glob("__transformed_code_1_for_torch_dynamo_resume_in_scaled_at_*.py"))
        graph = dump / "__compiled_fn_3.Captured_Graph.0.py"
        wanted = [
            (transformed, line_with(transformed, "= __compiled_fn_1(")),
            (resume, line_with(resume, "= __compiled_fn_3(")),
            (graph, line_with(graph, "mul: ")),
        ]
        for path, line in wanted:
            (answer,) = editor.set_breakpoints(path, line)
            assert answer["verified"] and answer["line"] == line

        stop = editor.go("continue", pause)
        assert place(stop) == (transformed.name, wanted[0][1]) and stop["reason"] == "breakpoint"
        assert editor.variables(stop)["b"].startswith(ONES)
        # A step goes right into the graph, and not into torch.
        stop = editor.go("stepIn", stop)
        assert place(stop)[0] == "__compiled_fn_1.Captured_Graph.0.py" and stop["reason"] == "step"
        assert editor.variables(stop)["L_b_"].startswith(ONES)
        stop = editor.go("stepOut", stop)
        assert place(stop)[0] == transformed.name

        stop = editor.go("continue", stop)
        assert place(stop) == (resume.name, wanted[1][1])
        stop = editor.go("continue", stop)
        assert place(stop) == (graph.name, wanted[2][1])
        names = [Path(frame["source"]["path"]).name for frame in stop["frames"]]
        assert names[:4] == [graph.name, resume.name, transformed.name, EXAMPLE.name]
        stop = editor.go("next", stop)
        assert place(stop)[0] == graph.name
        assert editor.variables(stop)["mul"].startswith("tensor([0.0000, 0.5000, 0.6667, 0.7500]")
        assert RESULT in editor.run_to_the_end(stop)


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.main_only)])
def test_forward_and_backward(backend: str, tmp_path: Path) -> None:
    with start(backend, tmp_path) as editor:
        stop = editor.stopped()
        lines = []
        for wanted in STOPS[backend]:
            path = tmp_path / "dump" / wanted.file
            lines.append(line_with(path, wanted.text))
            assert editor.set_breakpoints(path, lines[-1])[0]["verified"]
        for wanted, line in zip(STOPS[backend], lines):
            stop = editor.go("continue", stop)
            assert place(stop) == (wanted.file, line) and stop["reason"] == "breakpoint"
            assert editor.variables(stop)[wanted.variable].startswith(ONES)
            stop = editor.go("next", stop)
            assert place(stop)[0] == wanted.file and stop["line"] > line
        assert RESULT in editor.run_to_the_end(stop)
