"""Runs linked code on recording objects and compares the lines of what it does with those of its source.

    PYTHON line_events.py corpus FOLDER         each `.marshal` of the folder, both views
    PYTHON line_events.py constructs FILE...    each function of each source file

The exact source that a code object is linked to is compiled as well. Both run with the same decisions;
whatever the one does at a line, the other must do at that line, and a line event must have told of it. The
readable source leaves out what Dynamo adds, so it cannot run alike: there line events must tell of the line
of whatever happens, and every line that calls something must be in the table.

Prints one JSON object a code object and view: its name, a verdict and the reason unless it is "same".
"""

from __future__ import annotations

import ast
import dis
import json
import marshal
import sys
import types
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import behaviour
import check
import depyf

# The first five go straight through, never in, at random, with exceptions and with missing values.
RUNS = 6

# A thing that happened, the line on which, and the line of the last line event before.
Event = Tuple[object, Optional[int], Optional[int]]

_TABLES = ("co_lnotab", "co_linetable", "co_filename", "co_firstlineno")


class Watch:
    """Notes line events of one code object, and on which line of it events happen."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code
        self.events: List[Event] = []
        # By frame, the line that the last line event told.
        self.told: Dict[types.FrameType, int] = {}

    def trace(self, frame: types.FrameType, event: str, arg: object) -> Optional[Any]:
        """Follow the frames of the code object only."""
        if frame.f_code is not self.code:
            return None
        if event == "line":
            self.told[frame] = frame.f_lineno
        return self.trace

    def note(self, event: object) -> None:
        """Find the frame that did something."""
        frame: Optional[types.FrameType] = sys._getframe(2)
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        if frame is not None:
            self.events.append((event, frame.f_lineno, self.told.get(frame)))


def watched(
    code: types.CodeType, reference: types.CodeType, seed: int, constants: Dict[str, object]
) -> List[Event]:
    """Run the code as `behaviour.events_of` does, and return what happened on which line."""
    watch = Watch(code)

    class Scene(behaviour.Scene):
        def note(self, *event: object) -> None:
            super().note(*event)
            if not self.over:
                watch.note(self.events[-1])

    plain, behaviour.Scene = behaviour.Scene, Scene  # type: ignore[misc]
    sys.settrace(watch.trace)
    try:
        behaviour.events_of(code, reference, seed, constants)
    finally:
        sys.settrace(None)
        behaviour.Scene = plain  # type: ignore[misc]
    return watch.events


def same_but_for_table(linked: types.CodeType, code: types.CodeType) -> Optional[str]:
    """Return which attribute differs that linking must not change."""
    for name in dir(code):
        if not name.startswith("co_") or name in _TABLES or callable(getattr(code, name)):
            continue
        one, two = getattr(linked, name), getattr(code, name)
        same = all(a is b for a, b in zip(one, two)) if name == "co_consts" else one == two
        if not same:
            return name
    return None


def judge(code: types.CodeType, view: Any) -> Tuple[str, str]:
    """Verdict and reason of one code object."""
    try:
        found = depyf.decompile(code, view=view, source_map=True)
        source = behaviour.recompile(found.source, code)
    except (depyf.DecompilationError, SyntaxError, ValueError) as error:
        return "no source", str(error)
    linked = depyf.link(code, "shown.py", found)
    changed = same_but_for_table(linked, code)
    if changed or linked.co_filename != "shown.py" or linked.co_firstlineno != 1:
        return "changed", changed or "name or first line"
    if view == "readable":
        missing = calling_lines(found.source) - set(lines_of(linked))
        if missing:
            return "missing", f"lines {sorted(missing)} of\n{number(found.source)}"
    constants = depyf.constants_of(code)
    for seed in range(RUNS):
        ours = watched(linked, code, seed, {})
        expected = ours if view == "readable" else watched(source, code, seed, constants)
        if [event for event, *_ in ours] != [event for event, *_ in expected]:
            return "different", f"seed {seed}: the source does not do what the code does"
        for at, ((event, line, told), (_, wanted, _)) in enumerate(zip(ours, expected)):
            if line != wanted and not leaves_with(event):
                shown = number(found.source)
                return "other line", f"seed {seed}, event {at}: {event} on {line}, not {wanted}\n{shown}"
            if told != line:
                shown = number(found.source)
                return "not told", f"seed {seed}, event {at}: {event} on {line} after {told}\n{shown}"
    return "same", ""


def leaves_with(event: Any) -> bool:
    """Whether this is a `with` statement's exit, which has no line of its own in Python up to 3.9.

    There the compiler leaves it on whatever line came before; linked code has it on the line of the `with`,
    as later Pythons have.
    """
    names = {("str", f"'{name}'") for name in ("exit", "__exit__", "__aexit__")}
    return sys.version_info < (3, 10) and isinstance(event, tuple) and bool(names & {event[0], event[-1]})


def calling_lines(source: str) -> Set[int]:
    """Return the lines of a function that call something, but not those of functions and classes in it."""
    found: Set[int] = set()
    work: List[ast.AST] = list(ast.parse(source).body[-1].body)  # type: ignore[attr-defined]
    while work:
        node = work.pop()
        if isinstance(node, ast.Call):
            found.add(node.lineno)
        inner = (
            ast.Lambda,
            ast.FunctionDef,
            ast.AsyncFunctionDef,
            ast.ClassDef,
            ast.GeneratorExp,
            ast.ListComp,
        )
        if not isinstance(node, inner):
            work.extend(ast.iter_child_nodes(node))
    return found


def lines_of(code: types.CodeType) -> Iterator[Optional[int]]:
    """Return the lines in the table of a code object."""
    if sys.version_info >= (3, 10):
        return (line for _, _, line in code.co_lines())
    return (line for _, line in dis.findlinestarts(code))


def number(source: str) -> str:
    """Return the source with line numbers."""
    return "\n".join(f"{at:3} {line}" for at, line in enumerate(source.splitlines(), 1))


def inputs(mode: str, names: List[str]) -> Iterator[Tuple[str, types.CodeType]]:
    """The code objects, with the files that they come from."""
    if mode == "corpus":
        yield from check.load(names[0])
        return
    for name in names:
        text = Path(name).read_text("utf-8")
        if not check.is_for_this_python(text):
            continue
        module = compile(text, name, "exec", dont_inherit=True)
        for code in behaviour.functions_of(module):
            # Through marshal, as from a file: the compiler shares constants that no file shares.
            yield Path(name).name, marshal.loads(marshal.dumps(code))


def main(arguments: List[str]) -> int:
    """Judge and print."""
    sys.unraisablehook = lambda unraisable: None
    mode, names = arguments[0], arguments[1:]
    for file, code in inputs(mode, names):
        for view in ("exact", "readable"):
            verdict, why = judge(code, view)
            row = {"file": file, "function": code.co_name, "view": view, "verdict": verdict, "why": why}
            print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
