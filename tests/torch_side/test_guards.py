"""Guards: from torch's text to a function that compiles."""

from __future__ import annotations

import ast
from typing import Any, Dict

import pytest

from depyf.torch.guards import guard_count, parse, render

TREE = """
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- LAMBDA_GUARD: torch.utils.top_hooks ids == None  # _dynamo/output_graph.py:1235 in init_ambient_guards
| +- GLOBAL_STATE: ___check_global_state() against {"grad_mode":true,"dtype":[15,5]}
| +- GuardManager: source=L['n'], accessed_by=FrameLocalsGuardAccessor(key='n', framelocals_idx=1), type=<class 'int'>, tag_safe=(False, False)
| | +- EQUALS_MATCH: L['n'] == 3                            # x * n  # mine.py:3 in f
| +- GuardManager: source=L['d'], accessed_by=DictGetItemGuardAccessor('d'), type=<class 'dict'>
| | +- TYPE_MATCH: ___check_type_id(L['d'], 140636850589344), type=<class 'dict'>  # d["a, b"]  # mine.py:4 in f
| | +- GuardManager: source=L['d']['a'], accessed_by=DictGetItemGuardAccessor('a'), type=<class 'list'>
| | | +- ID_MATCH: ___check_obj_id(L['d']['a'], 140636850589999)  # d["a, b"]  # mine.py:4 in f
| | | +- NO_TENSOR_ALIASING
| | +- LENGTH_CHECK: len(L['d']) == 1 or L['n'] == 3
| +- GuardManager: source=L['s'], accessed_by=DictGetItemGuardAccessor('s'), type=<class 'str'>
| | +- EQUALS_MATCH: L['s'] == 'a  # b'

Guard latency = 48.78 us
"""


def rendered() -> str:
    return render("guard", parse(TREE), lambda text: text, "about it")


def test_parse() -> None:
    sources = parse(TREE)
    assert [(each.source, each.type, len(each.guards)) for each in sources] == [
        ("", "", 2),
        ("L['n']", "int", 1),
        ("L['d']", "dict", 2),
        ("L['d']['a']", "list", 1),
        ("L['s']", "str", 1),
    ]
    assert guard_count(sources) == 7
    assert sources[1].guards[0].reason == "x * n  # mine.py:3 in f"


def test_rendered_function_decides_as_the_guards_do() -> None:
    namespace: Dict[str, Any] = {
        "___check_global_state": lambda: True,
        "___check_type_id": lambda value, name: type(value).__name__ == name,
        "___check_obj_id": lambda value, name: name == "object 1",
    }
    exec(rendered().replace("'a  # b'", "'s'"), namespace)
    guard = namespace["guard"]
    assert guard({"n": 3, "d": {"a": []}, "s": "s"}, {})
    assert not guard({"n": 4, "d": {"a": []}, "s": "s"}, {})
    assert not guard({"n": 3, "d": [], "s": "s"}, {})


def test_rendered_text() -> None:
    text = rendered()
    ast.parse(text)
    assert "140636850589" not in text and "latency" not in text
    assert "# (checked in C++) torch.utils.top_hooks ids == None" in text
    assert "# L['n']: int\n        #   for: x * n  # mine.py:3 in f\n        and L['n'] == 3" in text
    assert "and (len(L['d']) == 1 or L['n'] == 3)" in text


@pytest.mark.parametrize(
    "check",
    ["L['x'] is", "f(", "a b", "x # y", "))(", "lambda: 0", "yield", "x := 1", "'\\'", "", "\x00", "*a"],
)
def test_any_text_compiles(check: str) -> None:
    text = render("guard", parse(f"+- RootGuardManager\n| +- K: {check}\n| +- K: a == 1\n"), str, "about\nit")
    compile(text, "guard", "exec")


def test_no_guards() -> None:
    compile(render("guard", parse(""), str, ""), "guard", "exec")
