"""The names of everything in a dump: numbers by place in the program, not by what else the process did.

Torch numbers graphs and resume functions with one counter per process, and frames in the order in which they
first ran. Here everything is counted per session, and the resume functions of one entry stand in the order in
which its code names them. Which branch ran first, as in a program with random inputs, then changes nothing.
"""

from __future__ import annotations

import re
from typing import Dict, List, Set

from depyf.torch import versions
from depyf.torch.model import Compilation, Frame, Graph, Recording
from depyf.torch.sanitize import file_part
from depyf.torch.versions import CompileKey


def register(recording: Recording, compilation: Compilation) -> None:
    """Give an entry its numbers: of the entry, its graph, and the resume functions that it leads to."""
    original, graph, numbers = compilation.original, compilation.graph, recording.numbers
    if original is not None and compilation.number is None:
        compilation.number = numbers.entry(original)
    if graph is not None and graph.number is None:
        graph.number = numbers.graph(original)
    if graph is not None and graph.torch_name is not None:
        numbers.globals.assign(graph.torch_name, graph_name(graph))
    for resume in compilation.resumes:
        numbers.globals(resume.torch_name)
        if resume.code is not None:
            numbers.reserve(resume.code)


def graph_name(graph: Graph) -> str:
    """Return the name of a graph that has a number: ``__compiled_fn_1``."""
    return f"{versions.COMPILED_FUNCTION_PREFIX}_{graph.number}"


def transformed_name(compilation: Compilation) -> str:
    """Return the name of the code of an entry that has a number: ``__transformed_code_0_for_f``."""
    return _entry_name("__transformed_code", compilation)


def _entry_name(kind: str, compilation: Compilation) -> str:
    name = "" if compilation.original is None else file_part(compilation.original.co_name)
    return f"{kind}_{compilation.number}_for_{name}"


class Names:
    """The stable name of each frame, entry and graph of a recording.

    Attributes:
        frames: the frames that have entries, in the order of the dump.
        globals: the stable names of the globals that Dynamo installed.

    What the session has not named yet is named now.
    """

    def __init__(self, recording: Recording) -> None:
        self.frames = _ordered(recording.frames())
        self.globals = recording.numbers.globals
        self._frame_numbers = self._number_frames(recording)
        self._full_code_names: Dict[int, str] = {}
        for frame in self.frames:
            for compilation in frame.compilations:
                register(recording, compilation)
        for compilation in recording.without_code():
            register(recording, compilation)
        self._name_functions()

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

    def _name_functions(self) -> None:
        counts: Dict[str, int] = {}
        for frame in self.frames:
            name = file_part(frame.name)
            self._full_code_names[id(frame)] = f"full_code_for_{name}_{counts.get(name, 0)}"
            counts[name] = counts.get(name, 0) + 1

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
        return transformed_name(compilation)

    def guard(self, compilation: Compilation) -> str:
        """Return the name of an entry's guard: ``__guard_0_for_f``."""
        return _entry_name("__guard", compilation)

    def graph(self, graph: Graph) -> str:
        """Return the name of a graph: ``__compiled_fn_1``."""
        return graph_name(graph)

    def full_code(self, frame: Frame) -> str:
        """Return the name of the file that shows all of a function, without its suffix."""
        return self._full_code_names[id(frame)]


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
