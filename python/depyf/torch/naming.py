"""The names of everything in a dump: numbers by place in the program, not by what else the process did.

Torch numbers graphs and resume functions with one counter per process, and frames in the order in which they
first ran. Here graphs are numbered in the order of their frames; and frames in torch's order, except that the
resume functions of one entry stand in the order in which its code names them. Which branch ran first, as in a
program with random inputs, then changes nothing.
"""

from __future__ import annotations

import re
from typing import Dict, List, Set, Tuple

from depyf.torch import versions
from depyf.torch.model import Compilation, Frame, Graph, Recording
from depyf.torch.sanitize import StableNames
from depyf.torch.versions import CompileKey

_MAX_NAME = 80


class Names:
    """The stable name of each frame, entry and graph of a recording.

    Attributes:
        frames: the frames that have entries, in the order of the dump.
        globals: the stable names of the globals that Dynamo installed.
    """

    def __init__(self, recording: Recording) -> None:
        self.frames = _ordered(recording.frames())
        self.globals = StableNames()
        self._frame_numbers = self._number_frames(recording)
        self._entry_names: Dict[int, Tuple[str, int]] = {}
        self._graph_names: Dict[int, str] = {}
        self._full_code_names: Dict[int, str] = {}
        self._number_entries()
        self._number_graphs(recording)

    def _number_frames(self, recording: Recording) -> Dict[int, int]:
        in_dump_order = list(
            dict.fromkeys(each.key.frame for frame in self.frames for each in frame.compilations if each.key)
        )
        # Frames that Dynamo gave up keep their place among the others.
        given_up = (each.key.frame for each in recording.without_code() if each.key)
        known = sorted({number for number in (*in_dump_order, *given_up) if number is not None})
        places = {number: place for place, number in enumerate(known)}
        compiled = [number for number in in_dump_order if number is not None]
        return {**places, **{number: places[other] for number, other in zip(compiled, sorted(compiled))}}

    def _number_entries(self) -> None:
        counts: Dict[str, int] = {}
        full_counts: Dict[str, int] = {}
        for frame in self.frames:
            name = file_part(frame.name)
            self._full_code_names[id(frame)] = f"full_code_for_{name}_{full_counts.get(name, 0)}"
            full_counts[name] = full_counts.get(name, 0) + 1
            for compilation in frame.compilations:
                self._entry_names[id(compilation)] = (name, counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1

    def _number_graphs(self, recording: Recording) -> None:
        in_frames = [each for frame in self.frames for each in frame.compilations]
        for compilation in [*in_frames, *recording.without_code()]:
            graph = compilation.graph
            if graph is None or id(graph) in self._graph_names:
                continue
            name = f"{versions.COMPILED_FUNCTION_PREFIX}_{len(self._graph_names) + 1}"
            self._graph_names[id(graph)] = name
            if graph.torch_name is not None:
                self.globals.assign(graph.torch_name, name)
        for compilation in in_frames:
            for resume in compilation.resumes:
                self.globals(resume.torch_name)

    def compile_id(self, compilation: Compilation) -> str:
        """Return the compile id of the dump: torch's, unless frames were renumbered."""
        if compilation.key is None:
            return "unknown"
        return str(self._stable_key(compilation.key))

    def _stable_key(self, key: CompileKey) -> CompileKey:
        return key if key.frame is None else key._replace(frame=self._frame_numbers.get(key.frame, key.frame))

    def reason(self, reason: str) -> str:
        """Rewrite a recompile reason, which starts with the compile id of the older entry: ``0/0: ...``."""
        match = re.match(r"(\d+)/(\d+): ", reason)
        if match is None:
            return reason
        stable = self._stable_key(CompileKey(int(match.group(1)), int(match.group(2))))
        return f"{stable}: {reason[match.end() :]}"

    def transformed(self, compilation: Compilation) -> str:
        """Return the name of an entry's transformed code: ``__transformed_code_0_for_f``."""
        name, index = self._entry_names[id(compilation)]
        return f"__transformed_code_{index}_for_{name}"

    def guard(self, compilation: Compilation) -> str:
        """Return the name of an entry's guard: ``__guard_0_for_f``."""
        name, index = self._entry_names[id(compilation)]
        return f"__guard_{index}_for_{name}"

    def graph(self, graph: Graph) -> str:
        """Return the name of a graph: ``__compiled_fn_1``."""
        return self._graph_names[id(graph)]

    def full_code(self, frame: Frame) -> str:
        """Return the name of the file that shows all of a function, without its suffix."""
        return self._full_code_names[id(frame)]


def file_part(name: str) -> str:
    """Return a function's name as a part of a file name and of an identifier."""
    return re.sub(r"\W", "_", name)[:_MAX_NAME]


def _ordered(frames: List[Frame]) -> List[Frame]:
    """Put the resume functions of each entry into the order in which its code names them."""
    by_code = {id(frame.code): frame for frame in frames}
    result = list(frames)
    done: Set[int] = set()
    for frame in frames:
        for compilation in frame.compilations:
            siblings = []
            for resume in compilation.resumes:
                sibling = by_code.get(id(resume.code))
                if sibling is not None and id(sibling) not in done:
                    siblings.append(sibling)
                    done.add(id(sibling))
            places = sorted(result.index(sibling) for sibling in siblings)
            for place, sibling in zip(places, siblings):
                result[place] = sibling
    return result
