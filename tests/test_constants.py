"""Constants: all that have a literal survive, all others become names that are bound again."""

from __future__ import annotations

import math
import sys
from types import CodeType
from typing import Any, Callable, Tuple

import pytest

import depyf

LITERALS = [
    None,
    True,
    False,
    ...,
    0,
    -1,
    2**63 - 1,
    -(2**63),
    2**64,
    10**5000,
    -(16**300),
    0.0,
    -0.0,
    1e300,
    math.inf,
    -math.inf,
    1.5j,
    complex(-0.0, -0.0),
    "",
    "text",
    "\ud800 lone",
    "\0\n'\"\\",
    b"",
    b"\x00\xff",
    (),
    (1,),
    (1, ("a", b"b", (None, ...))),
    frozenset(),
    frozenset({1, "a", (2,)}),
]


def returning(value: object) -> CodeType:
    """The code of a function that returns the constant."""

    def function() -> object:
        return 123456789

    code = function.__code__
    constants = tuple(value if constant == 123456789 else constant for constant in code.co_consts)
    return code.replace(co_consts=constants)


def run(code: CodeType) -> object:
    namespace = depyf.constants_of(code)
    exec(depyf.decompile(code), namespace)
    function: Any = namespace[code.co_name]
    return function()


@pytest.mark.parametrize("value", LITERALS, ids=lambda value: type(value).__name__)
def test_literals_come_back(value: object) -> None:
    back = run(returning(value))
    assert type(back) is type(value)
    assert back == value
    if isinstance(value, (float, complex)):
        assert repr(back) == repr(value)
    assert depyf.constants_of(returning(value)) == {}


def test_nan_comes_back() -> None:
    back = run(returning(math.nan))
    assert isinstance(back, float)
    assert math.isnan(back)


class Size(Tuple[int, ...]):
    """A tuple that must not be printed as one."""


@pytest.mark.parametrize(
    "value",
    [int, len, {"a": 1}, [1], range(3), Size((1, 2)), object()],
    ids=lambda value: type(value).__name__,
)
def test_other_objects_are_bound_by_name(value: object) -> None:
    code = returning(value)
    assert list(depyf.constants_of(code)) == ["__const_0"]
    assert run(code) is value


def test_objects_inside_tuples_and_nested_code() -> None:
    def outer() -> Callable[[], object]:
        def inner() -> object:
            return 123456789

        return inner

    marker = object()
    inner = returning((marker, int)).replace(co_name="inner")
    # From 3.14 on the annotations are a code object too; only `inner` itself is exchanged.
    constants = tuple(
        inner if isinstance(value, CodeType) and value.co_name == "inner" else value
        for value in outer.__code__.co_consts
    )
    code = outer.__code__.replace(co_consts=constants)
    made: Any = run(code)
    assert made() == (marker, int)
    assert depyf.constants_of(code) == {"__const_0": marker, "__const_1": int}


def test_one_name_for_one_object() -> None:
    marker = object()
    assert depyf.constants_of(returning((marker, marker))) == {"__const_0": marker}


def test_names_of_the_code_itself_are_left_alone() -> None:
    code = returning(int)
    code = code.replace(co_names=(*code.co_names, "__const_0"))
    assert list(depyf.constants_of(code)) == ["__const_1"]


def test_no_repr_of_a_foreign_object_runs() -> None:
    class Loud:
        def __repr__(self) -> str:
            raise AssertionError("was called")

    assert depyf.decompile(returning(Loud()))


def test_tuples_too_deep_for_a_literal_become_names() -> None:
    value: Any = ()
    for _ in range(1000):
        value = (value,)
    code = returning(value)
    assert list(depyf.constants_of(code)) == ["__const_0"]
    assert run(code) == value


@pytest.mark.skipif(sys.version_info < (3, 14), reason="slices are constants from 3.14 on")
def test_slices_come_back() -> None:
    assert run(returning(slice(1, None, 2))) == slice(1, None, 2)
