"""`depyf.verify`: source against live code objects."""

from __future__ import annotations

import inspect
import sys
import warnings
from pathlib import Path
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


NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "64",
    "-1",
    "-7",
    "True",
    "False",
    "2147483648",
    "18446744073709551615",
    "340282366920938463463374607431768211456",
    "0.0",
    "-0.0",
    "0.5",
    "-7.5",
    "1e300",
    "1e-300",
    "1j",
    "-2j",
    "(1+2j)",
    "(0.5-3j)",
]
TEXTS = [
    "''",
    "'abc'",
    "'h\xe9\u2603\U0001f600x'",
    "b''",
    "b'abc'",
    "(1, 2, 3)",
    "()",
    "(1, 'a', (2.0, None))",
]
PLACES = [
    "0",
    "1",
    "-1",
    "2",
    "-4",
    "True",
    "1.5",
    "0:2",
    "1:",
    "-2:",
    "::2",
    "::-1",
    ":",
    "5:1",
    "2:0:-1",
    "'a'",
]
SETS = ["{1, 1.0, True}", "{0, -0.0, 0j, 'a', b'a'}", "a in {1, 1.0, 2}", "a in {(1,), (1.0,), (True, 2)}"]


def constant_expressions() -> Iterable[str]:
    """Yield what the compiler computes, and much that it leaves alone."""
    for left in NUMBERS:
        yield from (f"{sign}{left}" for sign in ("-", "+", "~", "not "))
        for operator in ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"]:
            for right in NUMBERS:
                # Logarithms and angles may differ in the last bit from one C library to the next.
                if not (operator == "**" and right[-1] in "j)"):
                    yield f"{left} {operator} {right}"
    for text in TEXTS:
        yield from (f"{text}[{place}]" for place in PLACES)
        yield from (f"{text} + {other}" for other in TEXTS)
        yield from (f"{text} * {count}" for count in NUMBERS[:9])
        yield from (f"{count} * {text}" for count in NUMBERS[:9])
    yield from SETS


def test_what_the_compiler_computed_is_verified_where_the_source_has_it_to_compute() -> None:
    expressions = list(constant_expressions())
    functions = (f"def f{at}(a):\n    return {expression}\n" for at, expression in enumerate(expressions))
    source = "".join(functions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(source, "f.py", "exec", dont_inherit=True)
    verdicts = depyf.verify(code, source).nested
    assert len(verdicts) == len(expressions)
    failed = [expression for expression, verdict in zip(expressions, verdicts) if not verdict.verified]
    assert not failed


@pytest.mark.parametrize(
    ("expression", "other"),
    [("2 ** 64 - 1", "2 ** 64 - 3"), ("b'!'[0]", "34"), ("7.5 // 2", "3.5"), ("{1, 1.0}", "{1.0, 1}")],
)
def test_another_constant_is_not_verified(expression: str, other: str) -> None:
    code = compile(f"def f():\n    return {expression}\n", "f.py", "exec", dont_inherit=True)
    assert depyf.verify(code, f"def f():\n    return {expression}\n")
    assert not depyf.verify(code, f"def f():\n    return {other}\n")


@pytest.mark.parametrize(
    "name",
    [
        "base64",
        "ipaddress",
        "random",
        "statistics",
        "fractions",
        "_pydecimal",
        "uuid",
        "tarfile",
        "inspect",
        "typing",
    ],
)
def test_the_source_that_code_was_compiled_from_is_verified(name: str) -> None:
    source = (Path(warnings.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    verdict = depyf.verify(compile(source, f"{name}.py", "exec", dont_inherit=True), source)
    assert verdict, verdict


def test_a_set_of_constants_is_found_among_the_locals_in_any_order() -> None:
    source = "def f(a):\n    known = {'split', 'host', 'port', 'x', 'y', 'z'}\n    return vars(), known\n"
    code = compile(source, "f.py", "exec", dont_inherit=True)
    assert depyf.verify(code, source)
    assert not depyf.verify(code, source.replace("'x'", "'w'"))


@pytest.mark.parametrize(
    "body",
    [
        'return f"x={a * b:{c}}"',
        'return f"{a:{b}}{c:{a}{b}}"',
        '"""Another\n\n\tdocstring\n\n        containing\n\n\ttabs\n\t\n    """\n    return a',
    ],
)
def test_other_sources_as_they_are_written(body: str) -> None:
    source = f"def f(a, b, c):\n    {body}\n"
    verdict = depyf.verify(compile(source, "f.py", "exec", dont_inherit=True), source)
    assert verdict, verdict


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
