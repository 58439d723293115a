"""The compiled part of depyf (crates/python); `depyf.decompiler` is what to use."""

from types import CodeType
from typing import List, Literal, Optional, Sequence, Tuple

__version__: str

# Offset, then line and column of the start, then of the end.
_Place = Tuple[int, int, int, int, int]
# Reason, offset, operation, and line of the source.
_Why = Tuple[str, int, str, Optional[int]]

def decompile(
    code: CodeType,
    view: Literal["exact", "readable"],
    source_map: bool = False,
    function_name: Optional[str] = None,
    width: Optional[int] = None,
    indent: int = 4,
    temp_prefix: Optional[str] = None,
    verify: bool = True,
    on_failure: Literal["error", "mark"] = "error",
    layout: Literal["plain", "original"] = "plain",
) -> Tuple[str, Optional[Tuple[List[_Place], List[Tuple[str, int, bool, Optional[_Why]]]]]]: ...
def link(code: CodeType, source: str, places: Sequence[_Place], first_line: int) -> bytes: ...
def verify(
    code: CodeType, source: str, function_name: Optional[str] = None
) -> List[Tuple[str, Optional[_Why]]]: ...
def constants_of(code: CodeType) -> dict[str, object]: ...
def listing(code: CodeType) -> str: ...
def cli_main(argv: Sequence[str]) -> int: ...
