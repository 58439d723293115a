"""The only file that knows versions of torch and its private names.

Everything under ``torch._dynamo`` and ``torch._inductor`` is private and changes without notice. Each private
thing is reached through one small function here, which asks for a feature and never for a version, and which
returns None or nothing, after one warning, where the feature is gone.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, TypeVar, cast

import torch

from depyf.torch.safety import warn_once

_F = TypeVar("_F", bound=Callable[..., Any])

# The stage that each trace event of a graph shows, over all versions from 2.4 to 2.15. Some are events of
# their own, some come as an "artifact" with a name.
GRAPH_STAGES = {
    "dynamo_output_graph": "Captured_Graph",
    "aot_joint_graph": "Joint_graph",
    "aot_forward_graph": "Forward_graph",
    "aot_inference_graph": "Forward_graph",
    "aot_backward_graph": "Backward_graph",
    "before_pre_grad_graph": "BEFORE_PRE_GRAD",
    "inductor_pre_grad_graph": "BEFORE_PRE_GRAD",
    "after_pre_grad_graph": "AFTER_PRE_GRAD",
    "before_post_grad_graph": "BEFORE_POST_GRAD",
    "after_post_grad_graph": "AFTER_POST_GRAD",
    "inductor_post_grad_graph": "AFTER_POST_GRAD",
}
KERNEL_EVENT = "inductor_output_code"

# What the prefix of a global's name says that Dynamo installs for a graph and for a resume function.
COMPILED_FUNCTION_PREFIX = "__compiled_fn"
RESUME_PREFIX = "__resume_at"
# Prefixes, as regular expressions, of the names that Dynamo numbers with its process-wide counter.
NUMBERED_GLOBAL_PREFIXES = (
    COMPILED_FUNCTION_PREFIX,
    RESUME_PREFIX + r"_\d+",
    "__builtins_dict__",
    "__warnings_warn_wrapper",
    "__gen_rand_values",
    r"___context_manager_\d+",
    r"__comprehension_\w+?_at_\d+",
)
# The name of the code object of a resume function starts with this.
RESUME_CODE_PREFIX = "torch_dynamo_resume_in"


class CompileKey(NamedTuple):
    """Torch's compile id: which frame, and which compilation of it."""

    frame: Optional[int]
    compilation: Optional[int]
    autograd: Optional[int] = None

    def __str__(self) -> str:
        """Spell it as torch's logs do: ``0/1``, or ``!2/0/1`` under compiled autograd."""
        parts = [] if self.autograd is None else [f"!{self.autograd}"]
        parts += [str(number) for number in (self.frame, self.compilation) if number is not None]
        return "/".join(parts)


class CacheEntry(NamedTuple):
    """What torch keeps for one compiled version of a frame."""

    code: CodeType
    key: Optional[CompileKey]
    guard_text: str
    globals: Optional[Dict[str, Any]]


def _optional(what: str, missing: Callable[[], Any] = lambda: None) -> Callable[[_F], _F]:
    """Return ``missing()``, after one warning, where this torch does not have what a function needs."""

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (ImportError, AttributeError, TypeError, KeyError) as error:
                reason = f"{type(error).__name__}: {error}"
                warn_once(f"reading {what} from torch {torch.__version__}", reason)
                return missing()

        return cast(_F, call)

    return decorate


def torch_version() -> str:
    """Return the version of torch, without the build's suffix."""
    return str(torch.__version__).split("+")[0]


@_optional("the trace log")
def trace_logger() -> Optional[Any]:
    """Return the logger to which the compiler sends its structured trace."""
    from torch._logging._internal import trace_log

    return trace_log


@_optional("interned strings")
def interned_string(number: int) -> Optional[str]:
    """Return the file name that a trace event refers to by a number."""
    from torch._logging.structured import INTERN_TABLE

    for text, known in INTERN_TABLE.items():
        if known == number:
            return str(text)
    return None


@_optional("the bytecode hook")
def register_bytecode_hook(hook: Callable[[CodeType, CodeType], Optional[CodeType]]) -> Optional[Any]:
    """Have `hook` called with the original and the new code of each compilation; return its handle."""
    from torch._dynamo.convert_frame import register_bytecode_hook as register

    return register(hook)


@_optional("the current compile id")
def current_compile_key() -> Optional[CompileKey]:
    """Return the id of the compilation that is running in this thread, if one is."""
    from torch._guards import CompileContext

    compile_id = CompileContext.current_compile_id()
    return None if compile_id is None else _key_of(compile_id)


def _key_of(compile_id: Any) -> CompileKey:
    return CompileKey(
        getattr(compile_id, "frame_id", None),
        getattr(compile_id, "frame_compile_id", None),
        getattr(compile_id, "compiled_autograd_id", None),
    )


def key_of_event(metadata: Dict[str, Any]) -> Optional[CompileKey]:
    """Return the compile id that a trace event carries, if it does."""
    key = CompileKey(
        metadata.get("frame_id"), metadata.get("frame_compile_id"), metadata.get("compiled_autograd_id")
    )
    return None if key == (None, None, None) else key


@_optional("the globals of a frame")
def compiling_globals() -> Optional[Dict[str, Any]]:
    """Return the globals of the function that is compiled; to be called from the bytecode hook.

    The hook gets only code objects, and the globals are where Dynamo puts the resume functions.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if (
            frame.f_code.co_name == "_compile"
            and frame.f_globals.get("__name__") == "torch._dynamo.convert_frame"
        ):
            found = frame.f_locals.get("globals")
            return found if isinstance(found, dict) else None
        frame = frame.f_back  # type: ignore[assignment]
    return None


@_optional("the codes that Dynamo has seen", list)
def seen_codes() -> List[CodeType]:
    """Return the code objects that Dynamo has looked at and that are alive, in the order it met them."""
    from torch._dynamo.convert_frame import input_codes

    return [code for code in (reference() for reference in list(input_codes.seen)) if code is not None]


@_optional("the cache entries")
def cache_entries(code: CodeType, known: Tuple[CodeType, ...] = ()) -> Optional[List[CacheEntry]]:
    """Return the cache entries of a code object, oldest first, or None where torch does not tell.

    The guards of entries whose code is in `known` are not printed: that takes milliseconds.
    """
    # Not a package in older versions, so that only attributes lead there.
    _debug_get_cache_entry_list = torch._C._dynamo.eval_frame._debug_get_cache_entry_list
    found = []
    for entry in reversed(list(_debug_get_cache_entry_list(code))):
        compile_id = getattr(entry, "compile_id", None)
        # Called `check_fn` up to 2.5.
        guards = getattr(entry, "guard_manager", None) or getattr(entry, "check_fn", None)
        is_known = any(entry.code is other for other in known)
        found.append(
            CacheEntry(
                entry.code,
                None if compile_id is None else _key_of(compile_id),
                "" if is_known or guards is None else str(guards),
                _globals_of(guards),
            )
        )
    return found


def _globals_of(guards: Any) -> Optional[Dict[str, Any]]:
    scope = getattr(guards, "global_scope", None)
    if not isinstance(scope, dict):
        return None
    # Where guards are evaluated, the globals have the name "G".
    inner = scope.get("G")
    return inner if isinstance(inner, dict) else scope


@_optional("the graph of a compiled function")
def graph_of_compiled_function(function: Any) -> Optional[str]:
    """Return the readable source of the graph that a `__compiled_fn` runs, where it runs a graph as it is."""
    while hasattr(function, "_torchdynamo_orig_callable"):
        function = function._torchdynamo_orig_callable
    module = function if isinstance(function, torch.fx.GraphModule) else getattr(function, "__self__", None)
    return readable_graph(module) if isinstance(module, torch.fx.GraphModule) else None


# Modules of the compiler whose objects stand between a `__compiled_fn` and the code that it runs.
_COMPILER_MODULES = ("torch._functorch", "torch._inductor", "torch._dynamo", "torch.fx", "torch.autograd")
_MOST_OBJECTS = 20_000


@_optional("the functions that a compiled graph runs", list)
def generated_functions(compiled_function: Any) -> List[FunctionType]:
    """Return the functions that a back end generated and that a `__compiled_fn` runs.

    They are the `forward` of graphs that run as they are, and the functions in the modules that Inductor
    wrote. A back end wraps them in closures, partial functions, objects and an autograd function, in a way
    that is its own and new in each version, so whatever can be called from there is followed.
    """
    kernels = {id(vars(module)) for module in inductor_modules()}
    found: Dict[int, FunctionType] = {}
    pending: List[Any] = [compiled_function]
    seen: Set[int] = set()
    while pending and len(seen) < _MOST_OBJECTS:
        each = pending.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, FunctionType) and id(each.__globals__) in kernels:
            found[id(each)] = each
        elif isinstance(each, torch.fx.GraphModule):
            forward = _forward_of(each)
            if forward is not None:
                found[id(forward)] = forward
        pending.extend(_called_from(each))
    return list(found.values())


def _called_from(each: Any) -> Iterator[Any]:
    """Give the objects that an object may call: what it closes over, is bound to, or holds."""
    if isinstance(each, FunctionType):
        for cell in each.__closure__ or ():
            with contextlib.suppress(ValueError):  # It is empty.
                yield cell.cell_contents
        yield from vars(each).values()
    elif isinstance(each, (MethodType, BuiltinMethodType)):
        yield getattr(each, "__func__", None)
        yield each.__self__
    elif isinstance(each, functools.partial):
        yield from (each.func, *each.args, *each.keywords.values())
    elif isinstance(each, (list, tuple)) and len(each) < 100:
        yield from each
    elif isinstance(each, (staticmethod, classmethod)):
        yield each.__func__
    elif isinstance(each, torch.fx.GraphModule):
        yield from (value for value in (*each._modules.values(), *vars(each).values()) if callable(value))
    elif isinstance(each, type):
        if each.__module__.startswith(_COMPILER_MODULES):
            yield from vars(each).values()
    elif isinstance(each, (torch.Tensor, torch.nn.Module, ModuleType)):
        return
    # A back end of somebody else may be an object that is called.
    elif type(each).__module__.startswith(_COMPILER_MODULES) or "__call__" in vars(type(each)):
        yield from getattr(each, "__dict__", {}).values()


def _forward_of(module: Any) -> Optional[FunctionType]:
    # Generated at its first call only, where the graph is lazy.
    generate = getattr(module, "real_recompile", None)
    if generate is not None:
        generate()
    forward = getattr(type(module), "forward", None)
    return forward if isinstance(forward, FunctionType) else None


def inductor_modules() -> List[ModuleType]:
    """Return the modules that Inductor wrote and loaded in this process."""
    cache = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
    found = [*getattr(cache, "modules", ()), *getattr(cache, "modules_no_attr", {}).values()]
    # A dictionary by key, up to 2.4.
    older = getattr(cache, "cache", {})
    return [*found, *(older.values() if isinstance(older, dict) else ())]


def readable_graph(module: Any) -> str:
    """Return the source of a graph module with shapes, strides and devices, as this torch can print it."""
    try:
        return str(module.print_readable(print_output=False, include_stride=True, include_device=True))
    except TypeError:
        return str(module.print_readable(print_output=False))


@_optional("lazy_format_graph_code")
def graph_formatter() -> Optional[Callable[..., Any]]:
    """Return ``lazy_format_graph_code``, which back ends call to have a graph of theirs shown by a name."""
    from torch._dynamo.utils import lazy_format_graph_code

    return lazy_format_graph_code  # type: ignore[no-any-return]


def modules_with(function: Callable[..., Any]) -> Iterator[Tuple[ModuleType, str]]:
    """Give each place from which back ends call `function`: torch's own module, and theirs that imported it.

    Torch's other modules are left alone, for what they show arrives in the trace anyway.
    """
    name = function.__name__
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith("torch.") and module_name != "torch._dynamo.utils":
            continue
        if isinstance(module, ModuleType) and vars(module).get(name) is function:
            yield module, name


@_optional("the sources of FX", dict)
def fx_sources() -> Dict[str, str]:
    """Return every source that FX has generated in this process and that it still keeps, by its file name."""
    from torch.fx.graph_module import _loader

    return dict(_loader.eval_cache)


def inductor_cache_dir() -> Optional[str]:
    """Return the folder of Inductor's cache, if this process has used Inductor."""
    for name in ("torch._inductor.runtime.cache_dir_utils", "torch._inductor.runtime.runtime_utils"):
        find = getattr(sys.modules.get(name), "cache_dir", None)
        if find is not None:
            return str(find())
    return os.environ.get("TORCHINDUCTOR_CACHE_DIR")


def rank() -> Optional[int]:
    """Return the rank of this process in a distributed job, or None."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    value = os.environ.get("RANK") or os.environ.get("LOCAL_RANK")
    return int(value) if value is not None and value.isdigit() else None


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

    def run_only(install: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda callback: install(False if callable(callback) else callback)

    with contextlib.ExitStack() as stack:
        for name in ("set_eval_frame", "_maybe_set_eval_frame"):
            install = getattr(eval_frame, name, None)
            if install is not None:
                stack.enter_context(_replaced(eval_frame, name, run_only(install)))
        yield


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)


@contextlib.contextmanager
def misses_reported(report: Callable[[], None]) -> Iterator[None]:
    """Call `report` whenever a call has cache entries and none of them fits; torch tells so since 2.8."""
    set_hook = getattr(torch._C._dynamo.eval_frame, "set_guard_complete_hook", None)
    if set_hook is None:
        yield
        return

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
def compiled_calls_reported(report: Callable[[Any], None]) -> Iterator[None]:
    """Call `report` with the user's function whenever what `torch.compile` returned is called."""
    from torch._dynamo import eval_frame

    choose = getattr(eval_frame, "_callback_from_stance", None)
    if choose is None:
        yield
        return

    def choose_and_report(callback: Any) -> Any:
        # `disable` comes here too, with None.
        if callable(callback):
            report(sys._getframe(1).f_locals.get("fn"))
        return choose(callback)

    with _replaced(eval_frame, "_callback_from_stance", choose_and_report):
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
        return functools.partial(_forward_of(interpreted.module) or interpreted.module, interpreted.module)

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
    with _replaced(interpreter, "run", run), _replaced(interpreter, "boxed_run", boxed_run):
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


@_optional("the guards of a call")
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
                None if compile_id is None else _key_of(compile_id),
                bool(result.result),
                [] if result.result else [str(part) for part in result.verbose_code_parts],
            )
        )
    return found


@_optional("the cache entries", lambda: True)
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
            compiled = inner
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
