"""``__compiled_fn_<N>.<stage>.<i>.py``: each graph at each stage, and its kernels."""

from __future__ import annotations

import re
from typing import Dict

from depyf.torch.model import KERNEL, Artifact, Compilation, Graph
from depyf.torch.safety import guarded
from depyf.torch.writers.pages import GraphFile, Pages
from depyf.torch.writers.source import commented, python_or_comment

# AOTAutograd calls the class that it prints `<lambda>`.
_NAMELESS_CLASS = re.compile(r"(?m)^(\s*class )<lambda>(?=\()")

# In the order in which a graph goes through the stages; a back end's own come after Dynamo's.
_ABOUT = {
    "Captured_Graph": "the graph as Dynamo captured it from the user's code",
    "BEFORE_PRE_GRAD": "what Inductor was given",
    "AFTER_PRE_GRAD": "after Inductor's passes on the graph before autograd",
    "Joint_graph": "forward and backward in one, as AOTAutograd traced them",
    "Forward_graph": "the forward graph, in ATen operations",
    "Backward_graph": "the backward graph, in ATen operations",
    "BEFORE_POST_GRAD": "one graph, forward or backward, before Inductor's last passes on it",
    "AFTER_POST_GRAD": "what Inductor generates code from",
    KERNEL: "the code that Inductor generated: kernels, and `call`, which runs them",
}

# Two artifacts of one stage keep the order in which they were made, which is the same on a warm cache.
_ORDER = {stage: 2 * place for place, stage in enumerate(_ABOUT)}


def write_graphs(pages: Pages) -> None:
    """Write the files of all graphs."""
    seen = set()
    compilations = [each for frame in pages.names.frames for each in frame.compilations]
    for compilation in [*compilations, *pages.recording.without_code()]:
        if compilation.graph is not None and id(compilation.graph) not in seen:
            seen.add(id(compilation.graph))
            _write_graph(pages, compilation, compilation.graph)


@guarded("writing a graph")
def _write_graph(pages: Pages, compilation: Compilation, graph: Graph) -> None:
    counts: Dict[str, int] = {}
    files = pages.graph_files.setdefault(id(graph), [])
    for artifact in sorted(graph.artifacts, key=lambda each: _ORDER.get(each.stage, 1)):
        index = counts.get(artifact.stage, 0)
        counts[artifact.stage] = index + 1
        stage = f"{KERNEL}_{index}" if artifact.stage == KERNEL else re.sub(r"\W", "_", artifact.stage)
        place = 0 if artifact.stage == KERNEL else index
        file = GraphFile(stage, place, f"{pages.stage_title(graph, stage)}.{place}.py")
        _write_artifact(pages, compilation, graph, artifact, file)
        files.append(file)


@guarded("writing the file of a graph")
def _write_artifact(
    pages: Pages, compilation: Compilation, graph: Graph, artifact: Artifact, file: GraphFile
) -> None:
    about = _ABOUT.get(artifact.stage, "a graph that the back end shows by this name")
    of = f"{compilation.original.co_name}, " if compilation.original is not None else ""
    whose = f"{pages.names.graph(graph)} of {of}compile id {pages.names.compile_id(compilation)}"
    header = commented(f"{whose}: {file.stage}, {about}.")
    clean = pages.sanitizer.kernel if artifact.stage == KERNEL else pages.sanitizer.text
    text = _NAMELESS_CLASS.sub(r"\1_lambda_", clean(artifact.text))
    pages.write(file.name, header + "\n" + python_or_comment(text.strip("\n") + "\n"))
