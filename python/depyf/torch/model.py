"""What a session collects: frames, the compilations of each, the graph of each, its artifacts."""

from __future__ import annotations

import dataclasses
from types import CodeType
from typing import Any, Dict, List, NamedTuple, Optional

from depyf.decompiler import Decompilation
from depyf.torch.numbers import Numbers
from depyf.torch.versions import CompileKey

KERNEL = "kernel"


@dataclasses.dataclass
class Artifact:
    """One text that a compiler made of a graph: the graph at a stage, or a kernel."""

    stage: str
    text: str


@dataclasses.dataclass
class Graph:
    """One graph that Dynamo captured, with all that became of it, in the order in which it was made."""

    artifacts: List[Artifact] = dataclasses.field(default_factory=list)
    # Dynamo's name for the compiled graph; with a UUID since torch 2.8.
    torch_name: Optional[str] = None
    # Its number in the dump, once it has one.
    number: Optional[int] = None

    def texts(self, stage: str) -> List[str]:
        """Return the texts of one stage, oldest first."""
        return [artifact.text for artifact in self.artifacts if artifact.stage == stage]


@dataclasses.dataclass
class Resume:
    """A function by which transformed code goes on after a graph break."""

    torch_name: str
    code: Optional[CodeType]


class Source(NamedTuple):
    """A function as text that compiles.

    Attributes:
        text: the source, ending in a newline.
        problem: why it is a listing and not source, or an empty string.
        decompilation: the function itself with its source map, where it is source.
        lines_above: the lines of `text` above the function.
    """

    text: str
    problem: str
    decompilation: Optional[Decompilation] = None
    lines_above: int = 0

    @property
    def verified(self) -> bool:
        """Whether the verifier knows that all of it does what the bytecode does."""
        return self.decompilation is not None and self.decompilation.verified

    @property
    def verdict(self) -> str:
        """What the verifier says, in one line."""
        if self.decompilation is None:
            return "unverified: it could not be decompiled, so its bytecode is listed"
        for name, _, verdict in self.decompilation.functions:
            if not verdict:
                reason = "nobody looked" if verdict is None else " ".join(verdict.reason.split())
                is_outer = name == self.decompilation.functions[0].qualname
                return f"unverified: {reason}" if is_outer else f"unverified: in {name}: {reason}"
        return (
            "verified against the bytecode" if self.decompilation.functions else "unverified: nobody looked"
        )


@dataclasses.dataclass
class Compilation:
    """One compilation of a frame; with transformed code, it is a cache entry."""

    key: Optional[CompileKey]
    original: Optional[CodeType] = None
    transformed: Optional[CodeType] = None
    # The transformed code as it runs, standing in the file of the dump, where the hook has returned that.
    linked: Optional[CodeType] = None
    # The transformed code as text, once it was made.
    source: Optional[Source] = None
    # Its number among the entries of functions of its name, once it has one.
    number: Optional[int] = None
    graph: Optional[Graph] = None
    # The globals of the function, where Dynamo puts the compiled graphs and the resume functions.
    scope: Optional[Dict[str, Any]] = None
    guard_text: str = ""
    recompile_reasons: List[str] = dataclasses.field(default_factory=list)
    break_reasons: List[str] = dataclasses.field(default_factory=list)
    resumes: List[Resume] = dataclasses.field(default_factory=list)
    # Where the frame is, for compilations that ended without code.
    name: str = ""
    filename: str = ""
    line: int = 0
    failure: str = ""
    attempt: int = 0
    started: bool = False
    before_session: bool = False
    alive: bool = True

    @property
    def running(self) -> Optional[CodeType]:
        """The code object that is in the cache entry."""
        return self.transformed if self.linked is None else self.linked

    def graph_or_new(self) -> Graph:
        """Return the graph, made now if this is the first that is heard of it."""
        if self.graph is None:
            self.graph = Graph()
        return self.graph


@dataclasses.dataclass
class Frame:
    """One code object that Dynamo compiled, with its compilations, oldest first."""

    code: CodeType
    compilations: List[Compilation] = dataclasses.field(default_factory=list)

    @property
    def name(self) -> str:
        """The function's name."""
        return self.code.co_name


@dataclasses.dataclass
class Recording:
    """All that a session collected, in the order in which it came."""

    compilations: List[Compilation] = dataclasses.field(default_factory=list)
    # Sources that FX generated for itself, when they are wanted.
    fx_sources: List[str] = dataclasses.field(default_factory=list)
    numbers: Numbers = dataclasses.field(default_factory=Numbers)
    _current: Dict[CompileKey, Compilation] = dataclasses.field(default_factory=dict)

    def start(self, key: CompileKey) -> Compilation:
        """Begin a compilation. An id that was used before is a new one: torch counts anew after a reset."""
        compilation = self._current.get(key)
        if compilation is not None and not compilation.started:
            # The reasons of a recompilation come before its start.
            compilation.started = True
            return compilation
        compilation = self._begin(key)
        compilation.started = True
        return compilation

    def _begin(self, key: CompileKey) -> Compilation:
        compilation = Compilation(key)
        self.compilations.append(compilation)
        self._current[key] = compilation
        return compilation

    def current(self, key: Optional[CompileKey]) -> Compilation:
        """Return the latest compilation with this id, begun now if it is not known."""
        if key is None:
            key = CompileKey(None, None)
        found = self._current.get(key)
        return self._begin(key) if found is None else found

    def frames(self) -> List[Frame]:
        """Group the compilations that made code by code object, in the order of first appearance."""
        frames: Dict[int, Frame] = {}
        for compilation in self.compilations:
            if compilation.original is not None and compilation.transformed is not None:
                frame = frames.setdefault(id(compilation.original), Frame(compilation.original))
                frame.compilations.append(compilation)
        return list(frames.values())

    def without_code(self) -> List[Compilation]:
        """Return the compilations that ended without code: Dynamo ran those frames as they were."""
        return [compilation for compilation in self.compilations if compilation.transformed is None]


def codes_in(code: CodeType) -> List[CodeType]:
    """Return the code objects inside a code object, itself first."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.extend(codes_in(constant))
    return found
