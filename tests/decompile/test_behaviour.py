"""The comparison of behaviour must see differences: it is what the other tests here stand on."""

from __future__ import annotations

import textwrap
import types

import pytest

import behaviour


def code_of(body: str) -> types.CodeType:
    module = compile("def f(a, b):\n" + textwrap.indent(body, "    "), "<test>", "exec")
    return next(behaviour.functions_of(module))


def test_a_function_is_like_itself() -> None:
    body = "for x in a:\n    with b as c:\n        c.f(x, lambda: x)\nreturn a"
    assert behaviour.difference(code_of(body), code_of(body)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return a", "return b"),
        ("a.x; b.y", "b.y; a.x"),
        ("a.x = b", "a.y = b"),
        ("if a: b.f()", "if not a: b.f()"),
        ("a[b]", "a[b:]"),
        ("return 0.0", "return -0.0"),
        ("return 1", "return True"),
        ("a.f(b, b)", "a.f(b)"),
        ("a.f(x=b)", "a.f(y=b)"),
        ("for x in a: b.f(x)", "for x in a: b.f(x); break"),
        ("while a: b.f()", "if a: b.f()"),
        ("x, y = a\nreturn x", "y, x = a\nreturn x"),
        ("try: a.f()\nexcept ValueError: b.g()", "try: a.f()\nexcept TypeError: b.g()"),
        ("try: a.f()\nfinally: b.g()", "a.f(); b.g()"),
        ("raise ValueError from a", "raise ValueError"),
        ("try: a.f()\nexcept ValueError: pass\nb.g()", "try: a.f()\nexcept ValueError: b.g()\nelse: b.g()"),
        ("with a: b.f()", "a.__enter__(); b.f()"),
        ("return lambda: a", "return lambda: b"),
        ("return lambda x, y=a: x", "return lambda x, y=b: x"),
        ("yield a", "yield b"),
        ("x = yield a\nb.f(x)", "yield a\nb.f(None)"),
        ("yield from a", "for x in a: yield x"),
        ("global g\ng = a", "g = a"),
        ("return [x.y for x in a if x]", "return [x.y for x in a]"),
        ("import x.y as z\nreturn z", "import x.y\nreturn x"),
        ("from . import x", "from .. import x"),
        ("def g(): 'text'\nreturn g", "def g(): pass\nreturn g"),
        ("class C(a): x = b\nreturn C", "class C(a): x = a\nreturn C"),
        ("a += b\nreturn a", "a = a + b\nreturn a"),
        ("return a < b < 1", "return (a < b) < 1"),
        ("return f'{a!r}'", "return f'{a}'"),
        ("del a.x", "a.x"),
    ],
)
def test_differences_are_seen(one: str, other: str) -> None:
    assert behaviour.difference(code_of(one), code_of(other)) is not None
    assert behaviour.difference(code_of(other), code_of(one)) is not None


def test_signatures_count() -> None:
    def f(a: object, b: object) -> None: ...

    def g(a: object, *, b: object) -> None: ...

    assert behaviour.difference(f.__code__, g.__code__) is not None
