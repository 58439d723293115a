"""Sessions in pdb, through a pseudo-terminal, as a person would have them."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

import pytest

from pdb_session import PdbSession, line_with, stop_of
from stepped_example import EXAMPLE, ONES, RESULT, STOPS

RESUME = f"__transformed_code_1_for_torch_dynamo_resume_in_scaled_at_{line_with(EXAMPLE, 'if b.sum()')}.py"


def start(backend: str, folder: Path) -> PdbSession:
    return PdbSession(str(EXAMPLE), backend, "dump", cwd=folder)


def test_step_from_the_call_into_the_graph_and_back(tmp_path: Path) -> None:
    with start("eager", tmp_path) as pdb:
        # The pause is in the user's own frame.
        assert stop_of(pdb.started_with)[0] == EXAMPLE.name
        assert str(tmp_path / "dump" / "full_code_for_scaled_0.py") in pdb.started_with
        stops: List[Tuple[str, int, str]] = []
        # From 3.13 on the pause is in the line of the `with`, and before in the next.
        while len(stops) < 60 and (len({stop[0] for stop in stops}) < 2 or stops[-1][0] != EXAMPLE.name):
            stops.append(stop_of(pdb.command("step")))
        inside = [file for file, _, _ in stops if file != EXAMPLE.name]
        assert [*dict.fromkeys(inside), stops[-1][0]] == [
            "__transformed_code_0_for_scaled.py",
            "__compiled_fn_1.Captured_Graph.0.py",
            RESUME,
            "__compiled_fn_3.Captured_Graph.0.py",
            EXAMPLE.name,
        ]
        assert RESULT in pdb.last_command("continue")


def test_what_is_seen_in_transformed_code(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    with start("eager", tmp_path) as pdb:
        transformed = dump / "__transformed_code_0_for_scaled.py"
        resume = dump / RESUME
        graph = dump / "__compiled_fn_3.Captured_Graph.0.py"
        # The very place that the message proposes.
        proposed = pdb.started_with.split("in pdb")[1].split("b ", 1)[1].split()[0]
        assert proposed == f"{transformed}:{line_with(transformed, '= __compiled_fn_1(')}"
        assert pdb.command(f"break {proposed}").startswith("Breakpoint 1 at")
        assert pdb.command(f"break {resume}:{line_with(resume, 'return graph_out_0')}").startswith("Break")
        assert pdb.command(f"break {graph}:{line_with(graph, 'mul: ')}").startswith("Breakpoint 3 at")

        assert stop_of(pdb.command("continue"))[:2] == (transformed.name, int(proposed.rsplit(":")[-1]))
        assert pdb.command("p b").startswith(ONES)
        condition = line_with(transformed, "if graph_out_0[0]:")
        assert stop_of(pdb.command("next"))[:2] == (transformed.name, condition)
        assert pdb.command("p graph_out_0[0]") == "tensor(False)"

        assert stop_of(pdb.command("continue")) == (graph.name, line_with(graph, "mul: "), "forward")
        assert pdb.command("p l_b_").startswith(ONES)
        # One up is torch; above it is the resume function, and the whole way up is on the stack.
        assert "eval_frame.py" in pdb.command("up")
        assert resume.name in pdb.command("up")
        assert "graph_out_0 = __compiled_fn_3(x, b)" in pdb.command("list")
        stack = pdb.command("where")
        places = [stack.find(name) for name in (EXAMPLE.name, transformed.name, resume.name, graph.name)]
        assert -1 not in places and places == sorted(places)

        assert stop_of(pdb.command("continue"))[0] == resume.name
        assert pdb.command("p graph_out_0").startswith("(tensor([0.0000, 0.5000, 0.6667, 0.7500]")
        assert stop_of(pdb.command("return"))[0] == resume.name
        assert RESULT in pdb.last_command("continue")


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.main_only)])
def test_forward_and_backward_by_file_and_line(backend: str, tmp_path: Path) -> None:
    with start(backend, tmp_path) as pdb:
        lines: List[int] = []
        for stop in STOPS[backend]:
            path = tmp_path / "dump" / stop.file
            lines.append(line_with(path, stop.text))
            assert pdb.command(f"break {path}:{lines[-1]}").startswith("Breakpoint")
        for stop, line in zip(STOPS[backend], lines):
            assert stop_of(pdb.command("continue"))[:2] == (stop.file, line)
            assert pdb.command(f"p {stop.variable}").startswith(ONES)
            file, following, _ = stop_of(pdb.command("next"))
            assert file == stop.file and following > line
        assert RESULT in pdb.last_command("continue")
