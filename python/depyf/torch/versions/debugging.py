"""What `debug` and `which` ask of torch: stances, what is told while compiled code runs, guards."""

from __future__ import annotations

import contextlib
import functools
import sys
from types import CodeType, FunctionType, MethodType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, cast

import torch

from depyf.torch.versions.features import optional, replaced
from depyf.torch.versions.recording import CompileKey, forward_of, key_of


def run_from_cache_only() -> contextlib.AbstractContextManager[Any]:
    """Return a context in which calls of compiled functions run cached code, and otherwise the user's own.

    Raises:
        RuntimeError: entered while a compiled function is running.
    """
    stance = getattr(torch.compiler, "set_stance", None)
    if stance is not None:
        return cast(contextlib.AbstractContextManager[Any], stance("eager_on_recompile"))
    return _without_compiler()


@contextlib.contextmanager
def _without_compiler() -> Iterator[None]:
    """Do what the stance does, for torch 2.4 and 2.5, which have none."""
    from torch._dynamo import eval_frame

    name, install = _installer()
    with replaced(eval_frame, name, lambda callback: install(False if callable(callback) else callback)):
        yield


def _installer() -> Tuple[str, Callable[[Any], Any]]:
    """Return what the functions that `torch.compile` makes turn Dynamo on with, behind its name."""
    from torch._dynamo import eval_frame

    name = "_maybe_set_eval_frame" if hasattr(eval_frame, "_maybe_set_eval_frame") else "set_eval_frame"
    return name, getattr(eval_frame, name)


def tells_of_misses() -> bool:
    """Whether torch tells that a call has cache entries and none of them fits: it does so since 2.8."""
    return hasattr(torch._C._dynamo.eval_frame, "set_guard_complete_hook")


@contextlib.contextmanager
def misses_reported(report: Callable[[], None]) -> Iterator[None]:
    """Call `report` whenever a frame has cache entries and none of them fits, where torch tells of that."""
    if not tells_of_misses():
        yield
        return
    set_hook = torch._C._dynamo.eval_frame.set_guard_complete_hook

    def hook(is_hit: bool) -> bool:
        if not is_hit:
            report()
        return is_hit if prior is None else bool(prior(is_hit))

    prior = set_hook(hook)
    try:
        yield
    finally:
        set_hook(prior)


@contextlib.contextmanager
def compiled_calls_reported(report: Callable[[Any, Tuple[Any, ...], Dict[str, Any]], None]) -> Iterator[None]:
    """Call `report` with function, arguments and keyword arguments of each call of what was compiled.

    Nothing here may run code of a file that is neither torch's nor ours, for a step in pdb would stop there.
    """
    from torch._dynamo import eval_frame

    name = "_callback_from_stance"
    inner = getattr(eval_frame, name, None)
    if inner is None:
        name, inner = _installer()

    def reporting(callback: Any) -> Any:
        caller = sys._getframe(1)
        # Other functions come here too, and so does what is put back after a call; those have no arguments.
        if callable(callback) and {"fn", "args", "kwargs"} <= set(caller.f_locals):
            found = caller.f_locals
            report(found["fn"], found["args"], found["kwargs"])
        return inner(callback)

    with replaced(eval_frame, name, reporting):
        yield


@contextlib.contextmanager
def graphs_run_as_functions() -> Iterator[None]:
    """Run the function of a graph where torch would interpret it node by node, so that it can be stepped."""
    interpreter = torch.fx.Interpreter

    def as_function(interpreted: Any) -> Optional[Callable[..., Any]]:
        graph = getattr(interpreted.module, "graph", None)
        # A subclass has something of its own to do at each node.
        if type(interpreted) is not interpreter or getattr(interpreted, "graph", graph) is not graph:
            return None
        if type(getattr(graph, "_codegen", None)) is not torch.fx.graph.CodeGen:
            return None
        return functools.partial(forward_of(interpreted.module) or interpreted.module, interpreted.module)

    def run(self: Any, *args: Any, **options: Any) -> Any:
        function = None if any(options.values()) else as_function(self)
        return original_run(self, *args, **options) if function is None else function(*args)

    def boxed_run(self: Any, args_list: List[Any]) -> Any:
        function = as_function(self)
        if function is None:
            return original_boxed_run(self, args_list)
        args = list(args_list)
        args_list.clear()
        return function(*args)

    original_run, original_boxed_run = interpreter.run, interpreter.boxed_run
    with replaced(interpreter, "run", run), replaced(interpreter, "boxed_run", boxed_run):
        yield


def backward_in_this_thread() -> contextlib.AbstractContextManager[Any]:
    """Return a context in which backward runs in the thread that asks for it, where a debugger sees it."""
    return cast(contextlib.AbstractContextManager[Any], torch.autograd.set_multithreading_enabled(False))


@contextlib.contextmanager
def backward_compilations_reported(report: Callable[[], None]) -> Iterator[None]:
    """Call `report` when a backward graph is compiled at its first run, which nothing can stand in for."""
    handler = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)

    def started(arguments: Any = None) -> None:
        if "BACKWARD" in str(getattr(arguments, "callback_trigger", "")):
            report()

    if handler is None or not hasattr(handler, "register_start_callback"):
        yield
        return
    handler.register_start_callback(started)
    try:
        yield
    finally:
        handler.remove_start_callback(started)


class Verdict(NamedTuple):
    """What the guard of a cache entry says of a call."""

    code: CodeType
    key: Optional[CompileKey]
    fits: bool
    failed: List[str]


@optional("the guards of a call")
def verdicts(code: CodeType, local_variables: Dict[str, Any]) -> Optional[List[Verdict]]:
    """Try the guards of all entries of a code object, in the order in which torch tries them.

    Args:
        code: the code of the user's function.
        local_variables: what its parameters and free variables are bound to.
    """
    _debug_get_cache_entry_list = torch._C._dynamo.eval_frame._debug_get_cache_entry_list
    found = []
    for entry in _debug_get_cache_entry_list(code):
        compile_id = getattr(entry, "compile_id", None)
        guards: Any = getattr(entry, "guard_manager", None) or getattr(entry, "check_fn", None)
        result = guards.check_verbose(local_variables)
        found.append(
            Verdict(
                entry.code,
                None if compile_id is None else key_of(compile_id),
                bool(result.result),
                [] if result.result else [str(part) for part in result.verbose_code_parts],
            )
        )
    return found


@optional("the cache entries", lambda: True)
def has_cache_entries(code: CodeType) -> bool:
    """Tell whether anything is compiled for a code object; True where torch does not say."""
    return bool(torch._C._dynamo.eval_frame._debug_get_cache_entry_list(code))


def user_function(compiled: Any) -> Optional[Any]:
    """Return the function or the bound method of the user that runs when a compiled callable is called.

    Where torch compiles a wrapper of its own instead, as it does for the modules that it brings, it is that.
    """
    for _ in range(20):
        if isinstance(compiled, (FunctionType, MethodType)) and has_cache_entries(compiled.__code__):
            return compiled
        inner = getattr(compiled, "_torchdynamo_orig_callable", None)
        if isinstance(compiled, torch.nn.Module):
            # What torch made of a module also names the module's `forward`, though a wrapper may be compiled.
            is_compiled = getattr(compiled, "_orig_mod", None) is not None
            compiled = compiled.forward
            if not is_compiled and getattr(compiled, "_torchdynamo_orig_callable", None) is None:
                return compiled
        elif inner is not None:
            # Of a method that was decorated in its class: the attribute is that of the function below.
            is_bound = isinstance(compiled, MethodType) and isinstance(inner, FunctionType)
            compiled = MethodType(inner, compiled.__self__) if is_bound else inner
        elif isinstance(compiled, (FunctionType, MethodType)):
            # Torch wraps a module, or its `__call__`, in functions of its own.
            is_wrapper = str(compiled.__module__).startswith("torch.")
            wrapped = (
                getattr(compiled, "__self__", None) or _closed_over(compiled, "fn") if is_wrapper else None
            )
            if wrapped is None:
                return compiled
            compiled = wrapped
        elif isinstance(vars(type(compiled)).get("__call__"), FunctionType):
            compiled = compiled.__call__
        else:
            return None
    return None


def _closed_over(function: Any, name: str) -> Optional[Any]:
    code, closure = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    if code is None or not closure or name not in code.co_freevars:
        return None
    try:
        return closure[code.co_freevars.index(name)].cell_contents
    except ValueError:
        return None
