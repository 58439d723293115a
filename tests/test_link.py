"""`depyf.link`: the very same code, shown in another file."""

from __future__ import annotations

import inspect
import linecache
import sys
import traceback
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Callable, List, Optional

import pytest

import depyf

needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="tables hold no columns")


def compute(values: Any, key: str) -> Any:
    total = 0
    for value in values:
        if value:
            total += value[key]
    return total


def show(function: Callable[..., Any], folder: Path, head: str = "") -> CodeType:
    """Write the source of a function to a file, below `head`, and link the function to it."""
    path = folder / "shown.py"
    found = depyf.decompile(function, source_map=True)
    path.write_text(head + found.source, "utf-8")
    linecache.checkcache(str(path))
    return depyf.link(function, path, found, first_line=1 + head.count("\n"))


def with_code(function: Any, code: CodeType) -> Any:
    return type(function)(code, function.__globals__, function.__name__)


def lines_of(function: Callable[..., Any], *arguments: object) -> List[int]:
    found: List[int] = []

    def trace(frame: FrameType, event: str, _: object) -> Optional[Any]:
        if frame.f_code is not function.__code__:
            return None
        if event == "line":
            found.append(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(None)
    return found


def test_only_the_place_changes(tmp_path: Path) -> None:
    code = compute.__code__
    linked = show(compute, tmp_path)
    assert linked.co_filename == str(tmp_path / "shown.py")
    assert linked.co_firstlineno == 1
    for name in dir(code):
        if name in ("co_filename", "co_firstlineno", "co_linetable", "co_lnotab") or name[:3] != "co_":
            continue
        if not callable(getattr(code, name)):
            assert getattr(linked, name) == getattr(code, name), name
    assert all(one is other for one, other in zip(linked.co_consts, code.co_consts))


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    linked = with_code(compute, show(compute, tmp_path, "# one\n# two\n"))
    source = (tmp_path / "shown.py").read_text("utf-8").splitlines()
    assert linked.__code__.co_firstlineno == 3
    shown = [source[line - 1].strip() for line in lines_of(linked, [{"a": 1}], "a")]
    loop, test = "for value in values:", "if value:"
    assert shown == [
        "total = 0",
        loop,
        test,
        "total += value['a']".replace("'a'", "key"),
        loop,
        "return total",
    ]


def test_getsource_shows_the_file(tmp_path: Path) -> None:
    code = show(compute, tmp_path, "# something else\n\n")
    assert inspect.getsource(code) == depyf.decompile(compute)


def test_traceback_shows_the_file(tmp_path: Path) -> None:
    linked = with_code(compute, show(compute, tmp_path))
    with pytest.raises(TypeError) as caught:
        linked([3], "a")
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.line) == (str(tmp_path / "shown.py"), "total += value[key]")


def wide(value: Any) -> Any:
    return "\u00e9\u4e2d\U0001f600", value.first, value["k"].second


@needs_columns
def test_carets_are_below_what_failed(tmp_path: Path) -> None:
    linked = with_code(compute, show(compute, tmp_path))
    with pytest.raises(TypeError) as caught:
        linked([3], "a")
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    line = (tmp_path / "shown.py").read_text("utf-8").splitlines()[last.lineno - 1]  # type: ignore[operator]
    assert line[last.colno : last.end_colno] == "value[key]"  # type: ignore[attr-defined]


@needs_columns
def test_columns_count_bytes_behind_wide_letters(tmp_path: Path) -> None:
    linked = with_code(wide, show(wide, tmp_path))

    class Value:
        first = 1

    with pytest.raises(TypeError) as caught:
        linked(Value())
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    line = (tmp_path / "shown.py").read_bytes().splitlines()[last.lineno - 1]  # type: ignore[operator]
    assert line[last.colno : last.end_colno] == b"value['k']"  # type: ignore[attr-defined]


def outer(value: Any) -> Any:
    def inner() -> Any:
        return value.missing

    return inner()


def test_nested_code_stays_in_the_users_file(tmp_path: Path) -> None:
    linked = with_code(outer, show(outer, tmp_path))
    with pytest.raises(AttributeError) as caught:
        linked(3)
    frames = traceback.extract_tb(caught.value.__traceback__)[1:]
    assert [frame.filename for frame in frames] == [str(tmp_path / "shown.py"), __file__]


def test_source_is_made_where_none_is_given() -> None:
    linked = depyf.link(compute, "there.py", first_line=7, function_name="other")
    assert linked.co_firstlineno == 7 and linked.co_filename == "there.py"
    assert lines_of(with_code(compute, linked), [], "a")[0] == 8


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="lines count from 1"):
        depyf.link(compute, "there.py", first_line=0)
    with pytest.raises(TypeError, match="has no bytecode"):
        depyf.link(len, "there.py")
    with pytest.raises(TypeError):
        depyf.link(compute, 3)  # type: ignore[arg-type]


def test_places_outside_of_the_code_do_no_harm() -> None:
    found = depyf.decompile(compute, source_map=True)
    far = depyf.SourcePosition(10_000, 9, 9, 9, 9)
    strange = depyf.SourcePosition(2, 2**32 - 1, 2**32 - 1, 1, 0)
    backward = depyf.SourcePosition(4, 2, 2**32 - 1, 1, 0)
    places = [strange, backward, far]
    linked = depyf.link(compute, "there.py", depyf.Decompilation(found.source, places), first_line=5)
    assert with_code(compute, linked)([{"a": 2}], "a") == 2
