"""What `prepare_debug` reads of torch: the trace, hooks, cache entries, graphs and what runs them."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from types import BuiltinMethodType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import torch

from depyf.torch.versions.features import optional

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


def torch_version() -> str:
    """Return the version of torch, without the build's suffix."""
    return str(torch.__version__).split("+")[0]


@optional("the trace log")
def trace_logger() -> Optional[Any]:
    """Return the logger to which the compiler sends its structured trace."""
    from torch._logging._internal import trace_log

    return trace_log


@optional("interned strings")
def interned_string(number: int) -> Optional[str]:
    """Return the file name that a trace event refers to by a number."""
    from torch._logging.structured import INTERN_TABLE

    for text, known in INTERN_TABLE.items():
        if known == number:
            return str(text)
    return None


@optional("the bytecode hook")
def register_bytecode_hook(hook: Callable[[CodeType, CodeType], Optional[CodeType]]) -> Optional[Any]:
    """Have `hook` called with the original and the new code of each compilation; return its handle."""
    from torch._dynamo.convert_frame import register_bytecode_hook as register

    return register(hook)


@optional("the current compile id")
def current_compile_key() -> Optional[CompileKey]:
    """Return the id of the compilation that is running in this thread, if one is."""
    from torch._guards import CompileContext

    compile_id = CompileContext.current_compile_id()
    return None if compile_id is None else key_of(compile_id)


def key_of(compile_id: Any) -> CompileKey:
    """Return torch's own compile id as ours."""
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


@optional("the globals of a frame")
def compiling_globals() -> Optional[Dict[str, Any]]:
    """Return the globals of the function that is compiled; to be called from the bytecode hook.

    The hook gets only code objects, and the globals are where Dynamo puts the resume functions.
    """
    return _compiling("globals")


@optional("the locals of a frame")
def compiling_locals() -> Optional[Dict[str, Any]]:
    """Return the local variables of the frame that is compiled; to be called from the bytecode hook."""
    return _compiling("locals")


def _compiling(variables: str) -> Optional[Dict[str, Any]]:
    frame: Optional[FrameType] = sys._getframe(2)
    while frame is not None:
        if (
            frame.f_code.co_name == "_compile"
            and frame.f_globals.get("__name__") == "torch._dynamo.convert_frame"
        ):
            found = frame.f_locals.get(variables)
            return found if isinstance(found, dict) else None
        frame = frame.f_back
    return None


@optional("the log of bytecode")
def bytecode_logger() -> Optional[Any]:
    """Return the logger to which torch writes bytecode where ``TORCH_LOGS`` asks for it."""
    from torch._logging import getArtifactLogger

    return getArtifactLogger("torch._dynamo.convert_frame", "bytecode")


@optional("the codes that Dynamo has seen", list)
def seen_codes() -> List[CodeType]:
    """Return the code objects that Dynamo has looked at and that are alive, in the order it met them."""
    from torch._dynamo.convert_frame import input_codes

    return [code for code in (reference() for reference in list(input_codes.seen)) if code is not None]


@optional("the cache entries")
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
                None if compile_id is None else key_of(compile_id),
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


@optional("the graph of a compiled function")
def graph_of_compiled_function(function: Any) -> Optional[str]:
    """Return the readable source of the graph that a `__compiled_fn` runs, where it runs a graph as it is."""
    while hasattr(function, "_torchdynamo_orig_callable"):
        function = function._torchdynamo_orig_callable
    module = function if isinstance(function, torch.fx.GraphModule) else getattr(function, "__self__", None)
    return readable_graph(module) if isinstance(module, torch.fx.GraphModule) else None


# Modules of the compiler whose objects stand between a `__compiled_fn` and the code that it runs.
_COMPILER_MODULES = ("torch._functorch", "torch._inductor", "torch._dynamo", "torch.fx", "torch.autograd")
_MOST_OBJECTS = 20_000


@optional("the functions that a compiled graph runs", list)
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
            forward = forward_of(each)
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


def forward_of(module: Any) -> Optional[FunctionType]:
    """Return the function that FX generated for a graph module."""
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


@optional("lazy_format_graph_code")
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


@optional("the sources of FX", dict)
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
