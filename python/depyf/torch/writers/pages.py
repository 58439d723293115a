"""What all writers need: the names, the sanitized texts, and the list of files written so far."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Dict, List, Optional, Union

from depyf.torch import atomic
from depyf.torch.guards import GuardedSource, parse
from depyf.torch.model import KERNEL, Compilation, Frame, Graph, Recording, Source
from depyf.torch.naming import Names
from depyf.torch.sanitize import Sanitizer
from depyf.torch.writers.source import transformed_source

# Inductor keeps these graphs nowhere in its cache.
LOST_IN_CACHE = ("BEFORE_PRE_GRAD", "AFTER_PRE_GRAD", "BEFORE_POST_GRAD")


@dataclasses.dataclass
class GraphFile:
    """A file of a graph."""

    stage: str
    index: int
    name: str


@dataclasses.dataclass
class Pages:
    """One dump in the making."""

    folder: Path
    recording: Recording
    names: Names
    sanitizer: Sanitizer
    written: List[str] = dataclasses.field(default_factory=list)
    graph_files: Dict[int, List[GraphFile]] = dataclasses.field(default_factory=dict)
    _guards: Dict[int, List[GuardedSource]] = dataclasses.field(default_factory=dict)
    _by_code: Dict[int, Frame] = dataclasses.field(default_factory=dict)
    # By the code of a resume function, the names by which other frames call it, in their order.
    _resume_names: Dict[int, Dict[str, None]] = dataclasses.field(default_factory=dict)
    _roots: List[Frame] = dataclasses.field(default_factory=list)
    _owners: Dict[int, Frame] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_code = {id(frame.code): frame for frame in self.names.frames}
        for frame in self.names.frames:
            for compilation in frame.compilations:
                for resume in compilation.resumes:
                    if resume.code is not None and resume.code is not frame.code:
                        self._resume_names.setdefault(id(resume.code), {})[resume.torch_name] = None
        # A resume function whose caller is gone, or that goes on in itself by way of another, is shown alone.
        users = [frame for frame in self.names.frames if id(frame.code) not in self._resume_names]
        for frame in [*users, *self.names.frames]:
            if id(frame) not in self._owners:
                self._roots.append(frame)
                for member in self.family(frame):
                    self._owners.setdefault(id(member), frame)

    def write(self, name: str, content: Union[str, bytes]) -> None:
        """Write one file of the dump."""
        atomic.write(self.folder / name, content)
        self.written.append(name)

    def transformed_source(self, compilation: Compilation) -> Source:
        """Return the transformed code of an entry as source, made once."""
        if compilation.source is None:
            assert compilation.transformed is not None
            name = self.names.transformed(compilation)
            compilation.source = transformed_source(compilation.transformed, name, self.sanitizer)
        return compilation.source

    def guards(self, compilation: Compilation) -> List[GuardedSource]:
        """Return the guards of an entry, parsed once."""
        if id(compilation) not in self._guards:
            self._guards[id(compilation)] = parse(compilation.guard_text)
        return self._guards[id(compilation)]

    def frame_of(self, code: object) -> Optional[Frame]:
        """Return the frame of a code object, if it was compiled."""
        return self._by_code.get(id(code))

    def resume_names(self, frame: Frame) -> List[str]:
        """Return the names under which transformed code of other frames goes on in this one."""
        return [self.sanitizer.text(name) for name in self._resume_names.get(id(frame.code), ())]

    def roots(self) -> List[Frame]:
        """Return the functions of the user, without the resume functions that torch made of them."""
        return list(self._roots)

    def owner(self, frame: Frame) -> Frame:
        """Return the function in whose file a frame is shown."""
        return self._owners.get(id(frame), frame)

    def family(self, root: Frame) -> List[Frame]:
        """Return a frame and all resume functions that it reaches, in the order of the dump."""
        reached = {id(root): root}
        waiting = [root]
        for frame in waiting:
            for compilation in frame.compilations:
                for resume in compilation.resumes:
                    found = self.frame_of(resume.code)
                    if found is not None and id(found) not in reached:
                        reached[id(found)] = found
                        waiting.append(found)
        return list(reached.values())

    def stage_title(self, graph: Graph, stage: str) -> str:
        """Return the name of a file of a graph, without its number."""
        return f"{self.names.graph(graph)}.{stage}"

    def missing_stages(self, graph: Graph) -> List[str]:
        """Return the stages that came from Inductor's cache without their text."""
        stages = {artifact.stage for artifact in graph.artifacts}
        return [stage for stage in LOST_IN_CACHE if stage not in stages] if KERNEL in stages else []
