"""`depyf.verify`: source against live code objects."""

from __future__ import annotations

import inspect
import sys
import warnings
from types import CodeType
from typing import Any, Dict, Iterable, List, Literal

import pytest

import depyf


def example(values: Iterable[Any], limit: Any = 3) -> List[Any]:
    """Adds up."""
    total = 0
    for value in values:
        if value > limit:
            continue
        try:
            total += value
        except TypeError as error:
            raise ValueError(value) from error
    return [total, lambda x: x + total]


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.fixture(scope="module")
def source() -> str:
    return depyf.decompile(example)


# The compiler leaves the jump of such a loop unprotected where it protects the rest of a coroutine (3.14).
@pytest.mark.parametrize("body", ["if None: pass", "while [] is not (): a", "try: continue\n  except a: b"])
@pytest.mark.parametrize("head", ["def f(a):\n yield a", "async def f(a):\n await a", "async def f(a): "])
def test_a_loop_that_does_nothing_is_verified(head: str, body: str) -> None:
    space: Dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        exec(compile(f"{head}\n while True:\n  {body}\n", "f.py", "exec"), space)
    assert "# unverified" not in depyf.decompile(space["f"])


def test_what_is_decompiled_is_verified(source: str) -> None:
    verdict = depyf.verify(example, source)
    assert verdict, verdict
    assert verdict.function == "example"
    assert verdict.nested and all(nested.verified for nested in verdict.nested)


class Nest:
    """Holds functions of several depths."""

    def method(self) -> Any:
        def inner() -> Any:
            return self

        return inner


@pytest.mark.parametrize("view", ["exact", "readable"])
def test_decompile_gives_the_verdict_of_each_function(view: Literal["exact", "readable"]) -> None:
    found = depyf.decompile(Nest.method, source_map=True, view=view)
    lines = found.source.splitlines()
    assert [function.qualname for function in found.functions] == ["method", "method.<locals>.inner"]
    for function in found.functions:
        assert function.verdict and function.verdict.function == function.qualname
        assert (
            lines[function.line - 1].lstrip().startswith(f"def {function.verdict.function.split('.')[-1]}(")
        )
    assert found.verified


def test_decompile_can_do_without() -> None:
    found = depyf.decompile(example, source_map=True, verify=False)
    assert [function.verdict for function in found.functions] == [None]
    assert not found.verified
    assert found.source == depyf.decompile(example)


def test_another_name_is_no_other_function() -> None:
    found = depyf.decompile(example, source_map=True, function_name="other")
    assert [(function.qualname, bool(function.verdict)) for function in found.functions] == [("other", True)]


def unknown_to_the_compiler() -> CodeType:
    """Code that no source has: its flags say that it is both a generator and a coroutine."""
    code = changed_flags.__code__
    return code.replace(co_flags=code.co_flags | inspect.CO_GENERATOR | inspect.CO_COROUTINE)


def changed_flags(a: int) -> int:
    return a + 1


@pytest.mark.parametrize("view", ["exact", "readable"])
def test_what_is_not_verified_has_the_mark_and_its_listing(view: Literal["exact", "readable"]) -> None:
    code = unknown_to_the_compiler()
    source, positions, (function,) = depyf.decompile(code, source_map=True, view=view)
    verdict = function.verdict
    assert verdict is not None and not verdict
    lines = source.splitlines()
    assert lines[0].startswith("async def changed_flags(")
    assert lines[1].startswith(f"    # unverified: {verdict.reason}")
    assert "RETURN_VALUE" in source
    # The map counts the lines of the mark.
    shown = {lines[place.line - 1].split()[0] for place in positions}
    assert "return" in shown and "#" not in shown
    assert depyf.Decompiler(code).decompile() == depyf.decompile(code)
    assert "# unverified" not in depyf.decompile(code, verify=False)


def test_another_spelling_is_verified(source: str) -> None:
    assert depyf.verify(example, changed(source, "return [", "result = [") + "    return result\n")


@pytest.mark.parametrize(
    "old, new", [("value > limit", "value >= limit"), ("TypeError", "KeyError"), ("= 0", "= 1")]
)
def test_another_meaning_is_not(source: str, old: str, new: str) -> None:
    verdict = depyf.verify(example, changed(source, old, new))
    assert not verdict and not verdict.verified
    assert verdict.reason and verdict.line is not None


def test_a_nested_function_has_a_verdict_of_its_own(source: str) -> None:
    verdict = depyf.verify(example, changed(source, "x + total", "total + x"))
    assert verdict.verified
    assert not verdict
    (nested,) = verdict.nested
    assert (nested.function, nested.verified) == ("example.<locals>.<lambda>", False)


def test_the_function_can_be_named(source: str) -> None:
    text = "def other():\n    pass\n" + changed(source, "def example(", "def again(")
    assert depyf.verify(example, text, function_name="again")
    assert not depyf.verify(example, text, function_name="other")
    with pytest.raises(depyf.DecompilationError):
        depyf.verify(example, text)


def test_what_is_no_python_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        depyf.verify(example, "def f(:")


@pytest.mark.skipif(sys.version_info < (3, 9), reason="3.8 parses no hundred parentheses")
def test_expressions_nest_as_deep_as_the_parser_takes_them() -> None:
    text = "def nested(a, b):\n    return " + "(" * 150 + "a" + " if b else a)" * 150 + "\n"
    names: Dict[str, Any] = {}
    exec(text, names)
    assert depyf.verify(names["nested"], text)
