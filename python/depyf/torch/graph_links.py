"""Makes graphs and Inductor's wrappers run from the files in the dump.

The functions that torch generated stay the objects that they are, with the same instructions. Only the place
that their code names is another, so that breakpoints, tracebacks and line events are in the dump's files.
"""

from __future__ import annotations

import linecache
from types import CodeType, FunctionType
from typing import Dict, List, Optional, Tuple
from weakref import WeakKeyDictionary

from depyf.torch import versions
from depyf.torch.model import Graph
from depyf.torch.relocate import Match, relocate
from depyf.torch.safety import guarded, warn_once
from depyf.torch.writers.pages import GraphFile, Pages

# The code with which torch generated a function that was linked, for another session may link it anew.
_generated: WeakKeyDictionary[FunctionType, Tuple[CodeType, CodeType, str]] = WeakKeyDictionary()

# What back ends run as it is, first; a text of another stage can be the same.
_STAGES_THAT_RUN = ("kernel_", "Captured_Graph", "Forward_graph", "Backward_graph")


def link_graphs(pages: Pages) -> None:
    """Link all graphs of a dump whose functions are alive. The files must have been written."""
    for frame in pages.names.frames:
        for compilation in frame.compilations:
            graph = compilation.graph
            if graph is not None and graph.torch_name is not None and compilation.scope is not None:
                _link_graph(pages, graph, compilation.scope.get(graph.torch_name))


@guarded("linking a graph to its files")
def _link_graph(pages: Pages, graph: Graph, compiled_function: object) -> None:
    files = _in_order_of_use(pages.graph_files.get(id(graph), []))
    texts = {file.name: (pages.folder / file.name).read_text("utf-8") for file in files}
    functions = versions.generated_functions(compiled_function)
    linked = [function for function in functions if _link_function(pages, function, texts)]
    if functions and files and not linked:
        warn_once(
            "linking a graph to its files",
            f"none of {', '.join(texts)} shows the code that runs, so a debugger stops in torch's text",
        )


def _in_order_of_use(files: List[GraphFile]) -> List[GraphFile]:
    def place(file: GraphFile) -> int:
        stages = [number for number, stage in enumerate(_STAGES_THAT_RUN) if file.stage.startswith(stage)]
        return min(stages, default=len(_STAGES_THAT_RUN))

    return sorted(files, key=place)


@guarded("linking a generated function to its file", default=lambda: False)
def _link_function(pages: Pages, function: FunctionType, texts: Dict[str, str]) -> bool:
    code, compiled_text = _code_and_text(function)
    # Two modules of Inductor's may have one function in common; each has a file of its own.
    whole = pages.sanitizer.kernel(compiled_text).strip("\n")
    its_own = {name: text for name, text in texts.items() if whole in text}
    best: Optional[Match] = None
    for name, text in (its_own or texts).items():
        path = str(pages.folder / name)
        match = relocate(code, compiled_text, text, path)
        if match is not None and (best is None or _is_better(match, best)):
            best = match
        if best is not None and best.is_exact:
            break
    if best is None:
        return False
    function.__code__ = best.code
    _generated[function] = (best.code, code, compiled_text)
    linecache.checkcache(best.code.co_filename)
    return True


def _is_better(match: Match, other: Match) -> bool:
    return match.is_exact and not other.is_exact


def _code_and_text(function: FunctionType) -> Tuple[CodeType, str]:
    """Return the code as torch generated it, and the text that it was compiled from."""
    known = _generated.get(function)
    if known is not None and known[0] is function.__code__:
        return known[1:]
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    return function.__code__, "".join(lines)
