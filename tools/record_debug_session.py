"""Steps through examples/step_through.py in pdb, and writes down what is typed and what comes back.

usage: python tools/record_debug_session.py > docs/debug_session.md

A test runs it again and compares. Paths are shown without what differs from machine to machine.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from pdb_session import PdbSession, line_with

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "step_through.py"
FOLDER = "step_through_dump"

HEAD = """\
# A session in pdb

This page is made by `python tools/record_debug_session.py`: it runs the program below in a terminal, types
what stands behind `(Pdb)`, and writes down the answers. A test does it again and compares. Recorded with
`backend="{backend}"`; `FOLDER` is the folder of the dump.

```python
{source}```
"""

PAUSE = """\
## The pause

`depyf.debug()` says where the files are. The first breakpoint is the one that it proposes.
"""

INTO_THE_GRAPH = """\
## Into the graph

`step` passes over what of torch lies between the call and the graph.
"""

LATER = """\
## A breakpoint in a graph that runs later

The stack leads through the resume function, in which the program goes on after the graph break.
"""


def record(backend: str = "eager") -> str:
    """Return the page."""
    source = EXAMPLE.read_text("utf-8")
    source = source[source.index("def scaled") :]
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder).resolve() / FOLDER
        parts = [HEAD.format(backend=backend, source=source)]
        with PdbSession(str(EXAMPLE), backend, FOLDER, cwd=Path(folder)) as pdb:
            graph = dump / "__compiled_fn_1.Captured_Graph.0.py"
            resume = next(dump.glob("__transformed_code_1_for_torch_dynamo_resume_in_scaled_at_*.py"))
            mul = dump / "__compiled_fn_3.Captured_Graph.0.py"
            transformed = dump / "__transformed_code_0_for_scaled.py"
            parts += [
                PAUSE,
                _told(pdb.started_with, dump),
                _typed(pdb, dump, f"break {transformed}:{line_with(transformed, '= __compiled_fn_1(')}"),
                _typed(pdb, dump, "continue", "list 3, 8"),
                INTO_THE_GRAPH,
                _typed(pdb, dump, "step", "step", f"until {line_with(graph, 'sum_1: ')}", "p x", "next"),
                LATER,
                _typed(pdb, dump, f"break {mul}:{line_with(mul, 'mul: ')}", "continue", "p l_x_"),
                _typed(pdb, dump, "up 2", f"list 3, {line_with(resume, 'return ')}", "p b"),
            ]
            parts += [
                "## To the end\n",
                _block("(Pdb) continue\n" + _clean(pdb.last_command("continue"), dump)),
            ]
    return "\n".join(parts)


def _typed(pdb: PdbSession, dump: Path, *commands: str) -> str:
    return _block("\n".join(f"(Pdb) {each}\n{pdb.command(each)}" for each in commands), dump)


def _told(text: str, dump: Path) -> str:
    # From 3.13 on the pause is in the line of the `with`, and before in the next.
    return _block(re.sub(r"(?ms)^> .*", "", text), dump)


def _block(text: str, dump: Path = ROOT) -> str:
    return f"```text\n{_clean(text, dump)}\n```\n"


def _clean(text: str, dump: Path) -> str:
    text = text.replace(str(dump), "FOLDER").replace(f"{ROOT}/", "").replace("\t", "    ")
    text = re.sub(r"(?m)[ \t]+$", "", text)
    return text.strip("\n")


if __name__ == "__main__":
    sys.stdout.write(record(*sys.argv[1:]))
