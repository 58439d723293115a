"""What may be handed to `decompile`, and which code object it stands for."""

from __future__ import annotations

import functools
from typing import Any, Iterator

import pytest

from depyf.code_owner import code_of


def function(value: int) -> int:
    return value + 1


class Sample:
    def method(self) -> None: ...

    @classmethod
    def class_method(cls) -> None: ...

    @staticmethod
    def static_method() -> None: ...

    def __call__(self) -> None: ...


def generator() -> Iterator[int]:
    yield 1


def test_functions_methods_and_callables() -> None:
    instance = Sample()
    assert code_of(function) is function.__code__
    assert code_of(function.__code__) is function.__code__
    assert code_of(instance.method) is Sample.method.__code__
    assert code_of(Sample.class_method).co_name == "class_method"
    assert code_of(Sample.__dict__["static_method"]).co_name == "static_method"
    assert code_of(instance).co_name == "__call__"
    assert code_of(functools.partial(function, 1)) is function.__code__
    assert code_of(generator()) is generator.__code__


def test_what_torch_compile_returns_stands_for_the_function_it_was_given() -> None:
    def wrapper(*args: Any) -> Any: ...

    wrapper._torchdynamo_orig_callable = function  # type: ignore[attr-defined]
    assert code_of(wrapper) is function.__code__


@pytest.mark.parametrize("value", [len, int, Sample, 3, None, "text"])
def test_no_bytecode(value: object) -> None:
    with pytest.raises(TypeError, match="has no bytecode"):
        code_of(value)


def test_an_object_that_leads_back_to_itself_ends() -> None:
    class Loop:
        @property
        def __func__(self) -> Loop:
            return self

    with pytest.raises(TypeError):
        code_of(Loop())


def test_attributes_that_raise_are_passed_over() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> object:
            raise RuntimeError(name)

        def __call__(self) -> None: ...

    assert code_of(Hostile()).co_name == "__call__"
