"""`debug`: a pause before compiled code runs, from the cache and from the files of the dump."""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import linecache
import os
import pdb
import sys
from pathlib import Path
from types import CodeType, FrameType, MethodType, TracebackType
from typing import Any, Dict, List, Optional, Set, Tuple, Type

import torch

import depyf
from depyf.torch import session, versions
from depyf.torch.dispatch import which
from depyf.torch.safety import guarded
from depyf.torch.writers.index import INDEX_JSON

# What a step passes over, so that it leads from transformed code right into a graph, and from the pause to
# the next line of the user's. By file, for Inductor's wrappers count themselves among torch's modules.
_PASSED_OVER = (
    *(str(Path(path).parent) + os.sep for path in (torch.__file__, depyf.__file__)),
    contextlib.__file__,
)


class Debugging(contextlib.ContextDecorator):
    """The context manager that `debug` returns."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._told: Set[Any] = set()

    def _recreate_cm(self) -> Debugging:
        # Each call of a decorated function has a state of its own.
        return Debugging()

    def __enter__(self) -> Debugging:
        """Let calls run from the cache only, and pause."""
        folder = _dumped_folder()
        try:
            for context in (
                versions.run_from_cache_only(),
                versions.backward_in_this_thread(),
                versions.graphs_run_as_functions(),
                versions.misses_reported(self._tell_of_miss),
                versions.compiled_calls_reported(self._tell_of_uncompiled),
                versions.backward_compilations_reported(self._tell_of_backward),
            ):
                self._stack.enter_context(context)
            if _pauses():
                print(_message(folder), flush=True)  # noqa: T201
                _pause(sys._getframe(1))
        except BaseException:
            # The debugger raises as well, as pdb does at `q`.
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        exception_type: Optional[Type[BaseException]] = None,
        exception: Optional[BaseException] = None,
        traceback: Optional[TracebackType] = None,
    ) -> None:
        """Let torch compile again; an exception of the body goes on as it is."""
        self._stack.close()

    @guarded("telling that no cache entry fits")
    def _tell_of_miss(self) -> None:
        caller = _calling_frame()
        if caller is not None:
            self._tell((caller.f_code, caller.f_lineno), f"no cache entry fits {_place(caller)}.")

    @guarded("telling that a function is not compiled")
    def _tell_of_uncompiled(self, compiled: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        function = versions.user_function(compiled)
        function = function.__func__ if isinstance(function, MethodType) else function
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType) and not versions.has_cache_entries(code):
            self._tell(
                code, f"{code.co_name} ({code.co_filename}:{code.co_firstlineno}) has no compiled code."
            )
        elif not versions.tells_of_misses() and not _fits(compiled, args, kwargs):
            self._tell_of_miss()

    @guarded("telling that a backward graph is compiled")
    def _tell_of_backward(self) -> None:
        if "backward" not in self._told:
            self._told.add("backward")
            _say(
                "a backward graph had not run before, so torch compiles it now: nothing can stand in for it. "
                "To step through it, run it once inside depyf.prepare_debug, too."
            )

    def _tell(self, what: Any, why: str) -> None:
        if what not in self._told:
            self._told.add(what)
            _say(f"{why} The function runs as you wrote it, and nothing is compiled; depyf.which tells more.")


def debug() -> Debugging:
    """Pause, and run the block with compiled code as it is in the cache, from the files of the dump.

    The pause is a ``breakpoint()``: pdb, or whatever ``PYTHONBREAKPOINT`` or an editor put in its place; with
    ``PYTHONBREAKPOINT=0`` there is none. In it, breakpoints can be set in the files that `prepare_debug`
    wrote. In the block nothing new is compiled: a call that no cache entry fits runs the user's own function,
    and that is said once. The one exception is a backward graph that torch left for its first run.

    What is the user's stays in the user's files: a function that runs as it was written, and what is defined
    inside transformed code. There a comment on the head names the line to break at. Before torch 2.8, resume
    functions that no entry fits run as they were written without a word.

    Raises:
        RuntimeError: on entering: inside `prepare_debug`, or before any was left.

    Example::

        with depyf.prepare_debug("dump"):
            compiled(torch.randn(10))
        with depyf.debug():
            compiled(torch.randn(10))
    """
    return Debugging()


def _fits(function: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> bool:
    """Whether a cache entry fits a call, and also where that cannot be told."""
    try:
        return which(function, *args, **kwargs).entry is not None
    except TypeError:  # Not a function of Python's, or not its arguments.
        return True


def _dumped_folder() -> Path:
    active = session.active()
    if active is not None:
        raise RuntimeError(
            "depyf.debug cannot be used inside depyf.prepare_debug: the files are written when it is left. "
            f"Leave it first (it dumps to {active.folder})."
        )
    latest = session.latest_folder()
    if latest is None:
        raise RuntimeError(
            "depyf.debug needs the files of depyf.prepare_debug, and none was left in this process: "
            "wrap the first calls of compiled functions in it."
        )
    return latest


def _pauses() -> bool:
    return sys.breakpointhook is not sys.__breakpointhook__ or os.environ.get("PYTHONBREAKPOINT") != "0"


class _Pdb(pdb.Pdb):
    """The pdb of the pause."""

    def stop_here(self, frame: FrameType) -> bool:
        """Pass over torch's frames and ours, unless the user asked to go on in that very frame."""
        passed_over = _is_passed_over(frame) and frame is not self.stopframe
        return not passed_over and bool(super().stop_here(frame))


def _is_passed_over(frame: Optional[FrameType]) -> bool:
    # What `dataclasses` and `collections.namedtuple` generate belongs to who calls it.
    while frame is not None and frame.f_code.co_filename == "<string>":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_PASSED_OVER)


def _pause(frame: FrameType) -> None:
    """Call ``breakpoint()``; where that is plain pdb, in the user's frame, and passing over torch."""
    hook = sys.breakpointhook
    wanted = os.environ.get("PYTHONBREAKPOINT", "")
    if hook is not sys.__breakpointhook__ or wanted not in ("", "pdb.set_trace"):
        _breakpoint_at(frame)
        return
    # From 3.13 on, for `quit` to ask first, as it does for plain `breakpoint()`.
    has_mode = "mode" in inspect.signature(pdb.Pdb).parameters
    options: Dict[str, Any] = {"mode": "inline"} if has_mode else {}
    sys.breakpointhook = lambda *args, **kwargs: _Pdb(**options).set_trace(frame)
    try:
        breakpoint()
    finally:
        sys.breakpointhook = hook


def _breakpoint_at(frame: FrameType) -> None:
    """Call ``breakpoint()`` from a frame that has the place and the variables of another.

    Debuggers stop in the frame that calls it, and an editor's does not stop at all in one that is not the
    user's code, as ours are not.
    """
    call = ast.increment_lineno(ast.parse("breakpoint()", mode="eval"), frame.f_lineno - 1)
    code = compile(call, frame.f_code.co_filename, "eval").replace(co_name=frame.f_code.co_name)
    eval(code, frame.f_globals, {**frame.f_locals, "breakpoint": breakpoint})


def _message(folder: Path) -> str:
    first, target = _first_files(folder)
    lines = [
        "depyf.debug: paused. In this block compiled code runs from its files, and nothing new is compiled.",
        f"  files         {folder}",
        f"  open first    {folder / first}",
    ]
    if target is not None:
        lines.append(f"  in pdb        b {target[0]}:{target[1]}    and then c")
    lines.append(
        "  in an editor  set a breakpoint in a __transformed_code_*.py or __compiled_fn_*.py there, go on"
    )
    return "\n".join(lines)


@guarded("reading the index for the message", default=lambda: ("index.md", None))
def _first_files(folder: Path) -> Tuple[str, Optional[Tuple[Path, int]]]:
    """Return the file to read first, and a place for a breakpoint."""
    index = json.loads((folder / INDEX_JSON).read_text("utf-8"))
    frames: List[Dict[str, Any]] = index["frames"]
    first = next((frame["full_code"] for frame in frames), "index.md")
    for frame in frames:
        for entry in frame["entries"]:
            path = folder / entry["transformed_code"]
            line = _first_statement(path.read_text("utf-8"))
            if line is not None:
                return first, (path, line)
    return first, None


def _first_statement(text: str) -> Optional[int]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            return node.body[0].lineno
    return None


def _calling_frame() -> Optional[FrameType]:
    """Return the innermost frame that is neither torch's nor ours."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).split(".")[0] not in ("torch", "depyf"):
            return frame
        frame = frame.f_back
    return None


def _place(frame: FrameType) -> str:
    path, line = frame.f_code.co_filename, frame.f_lineno
    return f"the call at {path}:{line}, `{linecache.getline(path, line).strip()}`"


def _say(text: str) -> None:
    print(f"depyf.debug: {text}", file=sys.stderr, flush=True)  # noqa: T201
