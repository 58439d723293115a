"""`depyf.verify`: source against live code objects."""

from __future__ import annotations

from typing import Any, Iterable, List

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


def test_what_is_decompiled_is_verified(source: str) -> None:
    verdict = depyf.verify(example, source)
    assert verdict, verdict
    assert verdict.function == "example"
    assert verdict.nested and all(nested.verified for nested in verdict.nested)


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
