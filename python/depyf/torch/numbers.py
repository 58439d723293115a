"""Numbers that tell one entry, or one graph, from another: given once, when a name is first needed.

Code that runs in the dumped file is named as soon as it is made, long before all is known. So that it does
not matter which branch of a program ran first, the resume functions of an entry get their first numbers
together with the entry, in the order in which its code names them. A number whose function never ran, or
has no graph, stays unused.
"""

from __future__ import annotations

import dataclasses
from types import CodeType
from typing import Dict, Optional

from depyf.torch.sanitize import StableNames, file_part


@dataclasses.dataclass
class _Reserved:
    # Keeps the code alive, so that no other gets its id.
    code: CodeType
    entry: Optional[int]
    graph: Optional[int]


class Numbers:
    """The numbers of one session.

    Attributes:
        globals: the stable names of the globals that Dynamo installed.
    """

    def __init__(self) -> None:
        self.globals = StableNames()
        self._entries: Dict[str, int] = {}
        self._graphs = 0
        self._known: Dict[int, _Reserved] = {}

    def reserve(self, code: CodeType) -> None:
        """Keep numbers for the first entry of a code object, and for its graph, unless it had some."""
        if id(code) not in self._known:
            self._known[id(code)] = _Reserved(code, self._next_entry(code), self._next_graph())

    def entry(self, code: CodeType) -> int:
        """Return the number of a new entry of a code object, among those of its name."""
        reserved = self._known.setdefault(id(code), _Reserved(code, None, None))
        number, reserved.entry = reserved.entry, None
        return self._next_entry(code) if number is None else number

    def graph(self, code: Optional[CodeType]) -> int:
        """Return the number of a new graph, which was captured from a code object."""
        reserved = self._known.get(id(code))
        if code is None or reserved is None or reserved.graph is None:
            return self._next_graph()
        number, reserved.graph = reserved.graph, None
        return number

    def _next_entry(self, code: CodeType) -> int:
        name = file_part(code.co_name)
        self._entries[name] = self._entries.get(name, -1) + 1
        return self._entries[name]

    def _next_graph(self) -> int:
        self._graphs += 1
        return self._graphs
