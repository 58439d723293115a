"""The compiled part of depyf (crates/python); `depyf.decompiler` is what to use."""

from types import CodeType
from typing import List, Literal, Optional, Sequence, Tuple

__version__: str

def decompile(
    code: CodeType,
    view: Literal["exact", "readable"],
    source_map: bool = False,
    function_name: Optional[str] = None,
    width: Optional[int] = None,
    indent: int = 4,
    temp_prefix: Optional[str] = None,
) -> Tuple[str, Optional[List[Tuple[int, int, int, int, int]]]]: ...
def link(
    code: CodeType, source: str, places: Sequence[Tuple[int, int, int, int, int]], first_line: int
) -> bytes: ...
def verify(
    code: CodeType, source: str, function_name: Optional[str] = None
) -> List[Tuple[str, Optional[Tuple[str, int, str, Optional[int]]]]]: ...
def constants_of(code: CodeType) -> dict[str, object]: ...
def listing(code: CodeType) -> str: ...
def cli_main(argv: Sequence[str]) -> int: ...
