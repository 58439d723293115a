"""Stable names and sanitized texts."""

from __future__ import annotations

from types import CodeType
from typing import List, Optional

import pytest

from depyf.torch.model import Compilation, Graph, Recording, Resume
from depyf.torch.naming import Names
from depyf.torch.sanitize import Sanitizer, StableNames
from depyf.torch.versions import CompileKey

UUID = "0b1d2f3a_4b5c_6d7e_8f90_a1b2c3d4e5f6"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"__compiled_fn_7_{UUID}(a)", "__compiled_fn_1(a)"),
        (
            "__compiled_fn_7 __compiled_fn_9 __compiled_fn_7",
            "__compiled_fn_1 __compiled_fn_2 __compiled_fn_1",
        ),
        (f"__resume_at_100_8_{UUID}()", "__resume_at_100_1()"),
        ("G['__builtins_dict___33']", "G['__builtins_dict___1']"),
        ("___context_manager_0_12.__enter__()", "___context_manager_0_1.__enter__()"),
        ("___module_math_140737353982720_c3", "___module_math_1"),
        ("nested_fn_140737353982720_c12", "nested_fn_1"),
        ("__optimizer_140673113783088_140673113783099_c7", "__optimizer_1"),
        ("G['_140737353982720_c12']", "G['__installed_1']"),
        ("__import_torch_dot_foo_2 my__compiled_fn_3x layer_4 __mine_5", None),
        ("<function f at 0x7f00aa00bb00>", "<function f at 0x...>"),
        ("mask = 0x7f00aa00bb00", None),
        (f"torch_dynamo_resume_in_f_at_3_{UUID}", "torch_dynamo_resume_in_f_at_3"),
        ("a\n # graph id: 139679964342144\n", "a\n"),
    ],
)
def test_text(text: str, expected: Optional[str]) -> None:
    assert Sanitizer(StableNames()).text(text) == (text if expected is None else expected)


def test_kernel() -> None:
    sanitizer = Sanitizer(StableNames(), "/home/me/cache")
    assert sanitizer.kernel("# AOT ID: ['12_backward']\nx") == "# AOT ID: ['backward']\nx"
    assert sanitizer.kernel("# path: /home/me/cache/ab/cab.py") == "# path: <inductor cache>/ab/cab.py"
    assert sanitizer.kernel("/tmp/torchinductor_me/ab/cab.py") == "<inductor cache>/ab/cab.py"
    assert sanitizer.kernel("0x7f00aa00bb00") == "0x7f00aa00bb00"


def test_reason() -> None:
    reason = "___check_type_id(c, 140636850589344), type=<class 'dict'>"
    assert Sanitizer(StableNames()).reason(reason) == "___check_type_id(c, ...), type=<class 'dict'>"


def code(name: str) -> CodeType:
    made = compile(f"def {name}(): pass", "mine.py", "exec").co_consts[0]
    assert isinstance(made, CodeType)
    return made


def recording(order: List[int], first_frame: int = 0) -> Recording:
    """A frame with two resume functions, compiled in the given order after the frame."""
    parent, resumes = code("f"), [code("resume_a"), code("resume_b")]
    made = Recording()
    for place, original in enumerate([parent, *(resumes[number] for number in order)]):
        key = CompileKey(first_frame + place, 0)
        compilation = Compilation(key, original=original, transformed=original)
        compilation.graph = Graph(torch_name=f"__compiled_fn_{20 + 3 * place}_{UUID}")
        made.compilations.append(compilation)
    made.compilations[0].resumes = [
        Resume(f"__resume_at_10_{40 + number}", each) for number, each in enumerate(resumes)
    ]
    return made


@pytest.mark.parametrize("first_frame", [0, 5])
@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_numbers_do_not_depend_on_which_branch_ran_first(order: List[int], first_frame: int) -> None:
    names = Names(recording(order, first_frame))
    assert [frame.name for frame in names.frames] == ["f", "resume_a", "resume_b"]
    entries = [frame.compilations[0] for frame in names.frames]
    assert [names.compile_id(entry) for entry in entries] == ["0/0", "1/0", "2/0"]
    graphs = [entry.graph for entry in entries if entry.graph is not None]
    assert [names.graph(graph) for graph in graphs] == [f"__compiled_fn_{number}" for number in (1, 2, 3)]
    assert names.globals("__resume_at_10_40") == "__resume_at_10_1"
    assert names.reason(f"{first_frame}/0: why") == "0/0: why"


def test_functions_of_one_name_are_counted() -> None:
    made = Recording()
    for place in range(2):
        original = code("f")
        made.compilations.append(Compilation(CompileKey(place, 0), original=original, transformed=original))
    first = made.compilations[0]
    made.compilations.append(Compilation(CompileKey(0, 1), original=first.original, transformed=code("g")))
    names = Names(made)
    assert [names.full_code(frame) for frame in names.frames] == ["full_code_for_f_0", "full_code_for_f_1"]
    transformed = [names.transformed(entry) for frame in names.frames for entry in frame.compilations]
    assert transformed == [f"__transformed_code_{number}_for_f" for number in range(3)]
