"""How readable is the source? Counts lines and temporaries of the readable view over a folder of code.

    python tools/readable_metrics.py FOLDER [--worst N] [--reference PYTHON]

FOLDER holds `.marshal` files of one code object each, made by this very Python. PYTHON is one that has
the reference package: its numbers are printed beside ours, on the functions that it can do. Every
mention of a temporary counts, assigned or read; how many there are is printed as well. Blank lines and
comments count as lines.
"""

from __future__ import annotations

import argparse
import json
import marshal
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, Optional, Tuple

# What both packages call their temporaries.
TEMPORARY = re.compile(r"\b__temp_\w+")

# Lines, mentions of temporaries, temporaries.
Counts = Dict[str, Optional[Tuple[int, int, int]]]


def count(folder: Path, keywords: Dict[str, object]) -> Counts:
    """Count lines and temporaries of each function without marks; None where it cannot be decompiled."""
    import depyf

    counts: Counts = {}
    for path in sorted(folder.glob("*.marshal")):
        if path.name.endswith(".orig.marshal"):
            continue
        try:
            source = depyf.decompile(marshal.loads(path.read_bytes()), **keywords)  # type: ignore[call-overload]
        except Exception:
            counts[path.name] = None
        else:
            mentions = TEMPORARY.findall(source)
            counts[path.name] = (len(source.rstrip("\n").split("\n")), len(mentions), len(set(mentions)))
    return counts


def total(counts: Counts) -> str:
    """One line about all functions."""
    done = [value for value in counts.values() if value is not None]
    lines, mentions, temporaries = (sum(column) for column in zip(*done)) if done else (0, 0, 0)
    return (
        f"{len(done)} of {len(counts)} functions, {lines} lines, "
        f"temporaries mentioned {mentions} times ({temporaries} of them)"
    )


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="name the N longest functions")
    parser.add_argument("--view", default="readable", choices=["readable", "exact"])
    parser.add_argument("--reference", metavar="PYTHON")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        json.dump(count(options.folder, {}), sys.stdout)
        return 0
    ours = count(options.folder, {"view": options.view, "verify": False})
    print("depyf:    ", total(ours))
    if options.reference:
        command = [options.reference, __file__, str(options.folder), "--json"]
        # PYTHONPATH may lead to this package, which has the reference's import name.
        elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=elsewhere)
        theirs: Counts = json.loads(done.stdout)
        print("reference:", total(theirs))
        both = {name: ours[name] for name, value in theirs.items() if value is not None}
        print("depyf on the same:", total(both))
    longest = [(value, name) for name, value in ours.items() if value is not None]
    for (lines, mentions, _), name in sorted(longest, reverse=True)[: options.worst]:
        print(f"  {lines:5} lines {mentions:4} mentions of temporaries  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
