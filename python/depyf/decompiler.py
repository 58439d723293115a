"""Decompiling: from a code object of the running interpreter to source.

Example::

    >>> import depyf
    >>> print(depyf.decompile(lambda a, b: a + b))
    def _lambda_(a, b):
        return a + b
"""

from __future__ import annotations

from types import CodeType
from typing import Callable, Dict, List, Literal, NamedTuple, Optional, Tuple, Union, overload

from depyf import _native
from depyf.code_owner import code_of
from depyf.errors import DecompilationError
from depyf.recompile import compile_like
from depyf.verifying import Verdict

View = Literal["exact", "readable"]
# Where statements stand.
Layout = Literal["plain", "original"]
OnFailure = Literal["error", "mark"]

__all__ = [
    "Decompilation",
    "DecompilationError",
    "Decompiler",
    "FunctionReport",
    "Layout",
    "OnFailure",
    "SourcePosition",
    "View",
    "constants_of",
    "decompile",
    "listing",
]


class SourcePosition(NamedTuple):
    """Where an instruction went.

    Attributes:
        offset: byte offset in ``co_code``.
        line: the line of the expression, or of the head of the statement, from 1.
        column: its column, in characters, from 0.
        end_line: the line of its end.
        end_column: the column behind its end.
    """

    offset: int
    line: int
    column: int
    end_line: int
    end_column: int


class FunctionReport(NamedTuple):
    """What is known about one function, class or module of the source.

    Attributes:
        qualname: its name behind those of what it is nested in, as in ``__qualname__``.
        line: the line of its ``def`` or ``class``, from 1; that of a module is 1.
        verdict: whether it does what the bytecode does, with its lambdas and comprehensions; each ``def`` and
            ``class`` in it has a report of its own. None if nobody looked.
    """

    qualname: str
    line: int
    verdict: Optional[Verdict]


class Decompilation(NamedTuple):
    """Source, and what is known about it.

    Attributes:
        source: the text.
        map: where each instruction went, sorted by offset. Those that print as nothing have no entry.
        functions: each function and class, in the order of the text, behind the module if it is one.
    """

    source: str
    map: List[SourcePosition]
    functions: Tuple[FunctionReport, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether all of it is known to do what the bytecode does."""
        return bool(self.functions) and all(function.verdict for function in self.functions)


@overload
def decompile(
    code: Union[CodeType, Callable[..., object]],
    *,
    view: View = ...,
    source_map: Literal[False] = ...,
    function_name: Optional[str] = ...,
    width: Optional[int] = ...,
    verify: bool = ...,
    on_failure: OnFailure = ...,
    layout: Layout = ...,
) -> str: ...
@overload
def decompile(
    code: Union[CodeType, Callable[..., object]],
    *,
    view: View = ...,
    source_map: Literal[True],
    function_name: Optional[str] = ...,
    width: Optional[int] = ...,
    verify: bool = ...,
    on_failure: OnFailure = ...,
    layout: Layout = ...,
) -> Decompilation: ...
def decompile(
    code: Union[CodeType, Callable[..., object]],
    *,
    view: View = "exact",
    source_map: bool = False,
    function_name: Optional[str] = None,
    width: Optional[int] = None,
    verify: bool = True,
    on_failure: OnFailure = "error",
    layout: Layout = "plain",
) -> Union[str, Decompilation]:
    """Decompile a code object or anything callable into source.

    Args:
        code: a code object, function, method, callable object, generator or frame; for what
            ``torch.compile`` returned, the function that was given to it.
        view: ``"exact"`` runs like the bytecode: the same calls, attribute reads, subscripts and
            stores in the same order. ``"readable"`` also folds Dynamo's profiler prologue to a comment.
        source_map: return a `Decompilation`, which also says where each instruction went, and which
            functions are verified.
        function_name: the name after ``def``, instead of the code's own.
        width: break lines longer than this inside brackets; never, by default.
        verify: compare the source with the bytecode, as `depyf.verify` does. A function that is not known
            to do the same gets a comment, ``# unverified:`` with the reason, and its listing. This doubles
            to triples the time; the readable view has the verdicts of the exact one.
        on_failure: what becomes of a function that cannot be written as Python: with ``"error"`` it is the
            error of the whole call, with ``"mark"`` it has that comment and a ``raise`` for a body.
        layout: ``"plain"`` has one statement a line. ``"original"`` puts statements on the lines that the
            line table records, and breaks expressions where it says so: line 7 of the text is line 7 of the
            file that was compiled, so the text of a function begins with blank lines. `width` has no effect.

    Returns:
        One ``def``, or a module for a module's code. Constants that have no literal, such as a
        ``torch.dtype``, stand as names: give those of `constants_of` to ``exec``.

    Raises:
        DecompilationError: the code cannot be written as Python; never wrong source.
        TypeError: `code` has no bytecode.
        ValueError: `view`, `on_failure` or `layout` is none of these.

    Example::

        source = depyf.decompile(function)
        namespace = {**function.__globals__, **depyf.constants_of(function)}
        exec(source, namespace)
    """
    text, found = _native.decompile(
        code_of(code),
        view,
        source_map,
        function_name,
        width,
        verify=verify,
        on_failure=on_failure,
        layout=layout,
    )
    if found is None:
        return text
    places, reports = found
    functions = (
        FunctionReport(name, line, Verdict(name, why is None, *(why or ())) if checked else None)
        for name, line, checked, why in reports
    )
    return Decompilation(text, [SourcePosition(*place) for place in places], tuple(functions))


def constants_of(code: Union[CodeType, Callable[..., object]]) -> Dict[str, object]:
    """Return the constants that have no literal, by the names that stand for them in the source.

    Dynamo puts dtypes, devices, dicts and bound methods among the constants of a code object. One
    object has one name, ``__const_0``, ``__const_1``, ..., in the order in which the code holds them.
    """
    return _native.constants_of(code_of(code))


def listing(code: Union[CodeType, Callable[..., object]]) -> str:
    """Return the bytecode as text, close to what ``dis`` prints, without addresses or caches.

    Nested code is named, not listed. The text is the same in every run, so that it can be compared.
    """
    return _native.listing(code_of(code))


class Decompiler:
    """The decompiler as an object, with the options that print source in another style."""

    def __init__(self, code: Union[CodeType, Callable[..., object]]) -> None:
        """Take a code object or anything that `decompile` takes."""
        self.code = code_of(code)

    def decompile(
        self,
        indentation: int = 4,
        temp_prefix: str = "__temp_",
        overwite_fn_name: Optional[str] = None,
        verify: bool = True,
        on_failure: OnFailure = "error",
    ) -> str:
        """Decompile it.

        Args:
            indentation: spaces of one level.
            temp_prefix: what the names of temporaries start with.
            overwite_fn_name: the name after ``def``. (The spelling is the one that callers use.)
            verify: see `depyf.decompile`.
            on_failure: see `depyf.decompile`.

        Raises:
            DecompilationError: the code cannot be written as Python.
            ValueError: `on_failure` is neither.
        """
        text, _ = _native.decompile(
            self.code,
            "exact",
            False,
            overwite_fn_name,
            None,
            indentation,
            temp_prefix,
            verify=verify,
            on_failure=on_failure,
        )
        return text

    @staticmethod
    def decompile_and_compile_like(
        code_to_decompile: CodeType,
        reference_code: CodeType,
        indentation: int = 4,
        temp_prefix: str = "__temp_",
        filepath_template: Optional[str] = None,
    ) -> CodeType:
        """Decompile code and compile the source to code that can stand in for `reference_code`.

        The result has the free variables and cells of `reference_code`, as Dynamo asks of what a
        bytecode hook returns, and holds the objects that the source can only name.

        Args:
            code_to_decompile: what the result does.
            reference_code: whose variables it has.
            indentation: spaces of one level.
            temp_prefix: what the names of temporaries start with.
            filepath_template: a path with one ``%d``, such as ``"dump/code_%d.py"``. The source is
                written to the first such file that does not exist yet, or found in one that holds
                the same source; the function is named after the file.

        Raises:
            DecompilationError: the code cannot be written as Python.
        """

        def source_named(function_name: str) -> str:
            return Decompiler(code_to_decompile).decompile(
                indentation, temp_prefix, function_name, verify=filepath_template is not None
            )

        return compile_like(source_named, reference_code, constants_of(code_to_decompile), filepath_template)
