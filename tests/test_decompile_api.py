"""`depyf.decompile`, `depyf.Decompiler` and what they raise."""

from __future__ import annotations
import __future__

import dis
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Callable, Dict, Iterator, Tuple

import pytest

import depyf
import depyf.decompiler


def add(a: int, b: int = 2) -> int:
    return a + b


def execute(source: str, name: str) -> Callable[..., Any]:
    namespace: Dict[str, Any] = {}
    exec(source, namespace)
    return namespace[name]  # type: ignore[no-any-return]


def test_source_runs() -> None:
    assert execute(depyf.decompile(add), "add")(3, 4) == 7


def test_function_name() -> None:
    assert execute(depyf.decompile(add, function_name="other"), "other")(3, 4) == 7


def test_source_map_points_into_the_source() -> None:
    source, positions, _ = depyf.decompile(add, source_map=True)
    assert source == depyf.decompile(add)
    lines = source.splitlines()
    assert positions == sorted(positions)
    assert positions
    for position in positions:
        assert 0 <= position.offset < len(add.__code__.co_code)
        assert position.column < position.end_column <= len(lines[position.line - 1])
        assert position.line == position.end_line


def test_wrong_view_is_refused() -> None:
    with pytest.raises(ValueError, match="'exact' or 'readable'"):
        depyf.decompile(add, view="pretty")  # type: ignore[call-overload]


# fmt: off
def spread(a: Any, b: Any) -> Any:
    # A comment.
    total = a(b,
              a); rest = b  # noqa: E702

    if rest: return total  # noqa: E701
    return [
        total, a.x(
            b)]
# fmt: on


def test_original_layout_keeps_lines() -> None:
    source, positions, functions = depyf.decompile(spread, layout="original", source_map=True)
    lines = source.splitlines()
    first = spread.__code__.co_firstlineno
    assert lines[first - 1].startswith("def spread(")
    # To 3.10 nobody knows where brackets close.
    assert [line.strip().rstrip("]") for line in lines[first + 1 : first + 8]] == [
        "total = a(b,",
        "a); rest = b",
        "",
        "if rest: return total",
        "return [",
        "total, a.x(",
        "b)",
    ]
    assert all(function.verdict for function in functions)
    recorded = dict(dis.findlinestarts(spread.__code__))
    kept = [position for position in positions if position.offset in recorded]
    assert kept
    assert all(position.line == recorded[position.offset] for position in kept)


def test_wrong_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="'plain' or 'original'"):
        depyf.decompile(add, layout="pretty")  # type: ignore[call-overload]


def test_decompiler_object() -> None:
    source = depyf.Decompiler(add).decompile(indentation=2, overwite_fn_name="other")
    assert "\n  return" in source
    assert execute(source, "other")(1, 1) == 2


def broken() -> CodeType:
    """Code that no compiler makes: it takes values from an empty stack."""
    code = add.__code__
    return code.replace(co_code=bytes([dis.opmap["POP_TOP"], 0]) * (len(code.co_code) // 2))


def around_broken() -> CodeType:
    """A function with one in it that cannot be decompiled."""

    def outer() -> object:
        def inner(a: int, b: int = 2) -> int:
            return a

        return inner

    code = outer.__code__
    # From 3.14 on the annotations are a code object too; only `inner` itself is exchanged.
    constants = tuple(
        broken() if isinstance(value, CodeType) and value.co_name == "inner" else value
        for value in code.co_consts
    )
    return code.replace(co_consts=constants)


def test_what_cannot_be_decompiled_is_an_error_or_marked() -> None:
    code = around_broken()
    with pytest.raises(depyf.DecompilationError):
        depyf.decompile(code)
    with pytest.raises(ValueError, match="'error' or 'mark'"):
        depyf.decompile(code, on_failure="skip")  # type: ignore[call-overload]
    for verify in (True, False):
        source = depyf.decompile(code, on_failure="mark", verify=verify)
        assert source.count("# unverified: ") == 1
        assert "POP_TOP" in source
        with pytest.raises(NotImplementedError):
            execute(source, "outer")()(1)
    assert "# unverified: " in depyf.Decompiler(code).decompile(on_failure="mark")
    with pytest.raises(depyf.DecompilationError):
        depyf.Decompiler(code).decompile()


def test_error_says_where() -> None:
    with pytest.raises(depyf.DecompilationError) as caught:
        depyf.decompile(broken())
    error = caught.value
    assert error.function.endswith("add")
    assert error.offset == 0
    assert error.message
    assert depyf.decompiler.DecompilationError is depyf.DecompilationError
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.fixture
def small_stacks() -> Iterator[None]:
    """Threads of these tests have a tenth of the usual stack."""
    before = threading.stack_size(512 * 1024)
    yield
    threading.stack_size(before)


@pytest.mark.usefixtures("small_stacks")
def test_large_functions_do_not_need_a_deep_stack() -> None:
    depth, terms = 90, 400
    source = "def deep(x):\n" + "".join(" " * (i + 1) + f"if x > {i}:\n" for i in range(depth))
    blanks = " " * (depth + 1)
    source += f"{blanks}y = {' + '.join(['x'] * terms)}\n" * 5 + f"{blanks}return y\n return 0\n"
    function = execute(source, "deep")
    assert len(function.__code__.co_code) > 4096
    with ThreadPoolExecutor(1) as small:
        found = small.submit(depyf.decompile, function).result()
    rebuilt = execute(found, "deep")
    assert (rebuilt(100), rebuilt(5)) == (100 * terms, 0)


def closure_pair() -> Tuple[Any, Any]:
    x = 1

    def original(a: int) -> int:
        return a + x

    def transformed(a: int) -> int:
        return a * 10

    return original, transformed


def test_compile_like_has_the_reference_s_variables() -> None:
    original, transformed = closure_pair()
    code = depyf.Decompiler.decompile_and_compile_like(transformed.__code__, original.__code__)
    assert code.co_freevars == original.__code__.co_freevars
    assert FunctionType(code, {}, closure=original.__closure__)(4) == 40


def test_compile_like_keeps_cells() -> None:
    def original(a: int) -> Callable[[], int]:
        return lambda: a

    code = depyf.Decompiler.decompile_and_compile_like(add.__code__, original.__code__)
    assert "a" in code.co_cellvars
    assert FunctionType(code, {})(1, 2) == 3


def test_compile_like_holds_the_objects_themselves() -> None:
    marker = object()
    constants = tuple(marker if value == 123456789 else value for value in give.__code__.co_consts)
    code = give.__code__.replace(co_consts=constants)
    rebuilt = depyf.Decompiler.decompile_and_compile_like(code, code)
    assert FunctionType(rebuilt, {})() is marker


def give() -> object:
    return 123456789


def test_compile_like_writes_each_source_once(tmp_path: Path) -> None:
    template = str(tmp_path / "code_%d.py")

    def store(function: Callable[..., object]) -> CodeType:
        code = function.__code__
        return depyf.Decompiler.decompile_and_compile_like(code, code, filepath_template=template)

    first, again, other = store(add), store(add), store(give)
    assert first.co_filename == again.co_filename == template % 0
    assert other.co_filename == template % 1
    assert (first.co_name, other.co_name) == ("code_0", "code_1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["code_0.py", "code_1.py"]


def test_torch_is_not_imported() -> None:
    program = "import sys, depyf; depyf.decompile(depyf.decompile); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def around_code(value: CodeType) -> CodeType:
    """A function that passes a code object on, as Dynamo's does, and has variables of its own."""

    def around(call: Any, a: Any) -> object:
        return call("code", a), lambda: other

    other = 1
    constants = tuple(value if each == "code" else each for each in around.__code__.co_consts)
    return around.__code__.replace(co_consts=constants)


def test_code_of_other_functions_has_variables_of_its_own() -> None:
    def holder(a: Any, other: Any) -> Tuple[Callable[..., Any], ...]:
        def h(b: Any) -> Any:
            return a + b + other

        return h, lambda b: a(b), lambda: [each(a) for each in other], lambda: (each(a) for each in other)

    holding = holder(1, 2)
    nested = [value for code in holding for value in code.__code__.co_consts if isinstance(value, CodeType)]
    for value in [*(each.__code__ for each in holding), *nested]:
        code = around_code(value)
        done = depyf.decompile(code, source_map=True)
        assert done.verified, done.source
        namespace: Dict[str, Any] = {}
        source = done.source.replace("def around", "def outermost():\n  other = 1\n  def around")
        lines = source.splitlines()
        at = lines.index("  def around(call, a):")
        source = "\n".join([*lines[: at + 1], *("  " + line for line in lines[at + 1 :]), "  return around"])
        exec(source, namespace)
        found, _ = namespace["outermost"]()(lambda code, _: code, None)
        assert isinstance(found, CodeType)
        assert (found.co_name, found.co_freevars) == (value.co_name, value.co_freevars)
        # Dynamo keeps constants that nothing uses any more.
        kept = add.__code__.replace(co_consts=(*add.__code__.co_consts, value))
        done = depyf.decompile(kept, source_map=True)
        assert done.verified, done.source
        assert value.co_name.strip("<>") in done.source


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="annotations are deferred without the statement")
def test_annotations_of_a_module_whose_caller_imported_from_future() -> None:
    flag = __future__.annotations.compiler_flag
    code = compile("x: missing = 1\n", "m", "exec", flags=flag, dont_inherit=True)
    source = depyf.decompile(code)
    namespace: Dict[str, Any] = {}
    exec(compile(source, "m", "exec", dont_inherit=True), namespace)
    assert "unverified" not in source
    assert namespace["__annotations__"] == {"x": "missing"}


def test_a_module_declares_nothing_that_a_function_in_it_declares() -> None:
    source = (
        "a = 1\nb = 2\n\n\n"
        "def f():\n    global a\n    a = 2\n\n\n"
        "class C:\n    def g(self):\n        global b\n        del b\n\n\n"
        "print(a, b)\n"
    )
    assert depyf.decompile(compile(source, "f.py", "exec", dont_inherit=True)) == source


def test_a_module_declares_what_a_function_in_it_only_reads() -> None:
    source = "a = 1\n\n\ndef f():\n    global a\n    return a\n"
    found = depyf.decompile(compile(source, "f.py", "exec", dont_inherit=True))
    assert found == "global a\na = 1\n\n\ndef f():\n    return a\n"


@pytest.mark.parametrize("leaves", ["return e", "raise", "return"])
def test_what_is_left_of_code_that_never_runs_is_no_crash(leaves: str) -> None:
    source = f"def f(a):\n try:\n  a()\n except E as e:\n  {leaves}\n  with a:\n   return a\n"
    text = depyf.decompile(compile(source, "f.py", "exec"))
    assert "def f(a):" in text
    compile(text, "f.py", "exec")
