"""Prints what a dump folder holds: the tree of its files, and how each function was checked.

python tools/show_dump.py FOLDER...
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator, List

# The line in a dumped function's header that says what the verifier found.
_VERDICTS = ("# verified", "# unverified")


def tree(folder: Path, prefix: str = "") -> Iterator[str]:
    """Yield the lines of a tree, files first."""
    entries = sorted(folder.iterdir(), key=lambda entry: (entry.is_dir(), entry.name))
    for entry in entries:
        last = entry is entries[-1]
        yield f"{prefix}{'└── ' if last else '├── '}{entry.name}{'/' if entry.is_dir() else ''}"
        if entry.is_dir():
            yield from tree(entry, prefix + ("    " if last else "│   "))


def verdict(file: Path) -> str:
    """Return what the header of a dumped function says of it."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            break
        if line.startswith(_VERDICTS):
            return line[2:]
    return "its header has no verdict"


def main(arguments: List[str]) -> int:
    """Print each folder; 1 where one holds no function."""
    code = 0
    for name in arguments:
        folder = Path(name)
        functions = sorted(folder.rglob("__transformed_code_*.py"))
        print(f"{folder}/")
        print("\n".join(tree(folder)))
        print(f"\n{len(functions)} functions that Dynamo made:")
        for file in functions:
            print(f"  {file.relative_to(folder)}: {verdict(file)}")
        print()
        code = code if functions else 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
