"""Runs the decompiler over the standard libraries of this machine, for a release to be built for that work.

    python tools/train.py             runs the installed `depyf`: what `make release` does between two builds
    python tools/train.py PROGRAM...  runs PROGRAM, with a folder of `.pyc` files behind its arguments

The program is one that writes a profile as it ends (`-Cprofile-generate`). Of each library every eighth file
counts, tests aside; which ones differs from version to version, so that all of it is seen. `depyf` sees what
Dynamo makes as well.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import List, Sequence

import environments

EVERY = 8
DYNAMO = environments.ROOT / "tests" / "data" / "dynamo"
# Runs under each Python: the bytecode is its own.
COMPILE = """
import py_compile, sys, sysconfig, warnings
from pathlib import Path

warnings.simplefilter("ignore")
folder, first, every = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
library = Path(sysconfig.get_path("stdlib"))
skipped = {"test", "tests", "idle_test", "site-packages", "dist-packages", "lib2to3"}
found = (path.relative_to(library) for path in library.rglob("*.py"))
wanted = sorted(path for path in found if not skipped.intersection(path.parts))
for path in wanted[first::every]:
    target = folder / path.with_suffix(".pyc")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        py_compile.compile(str(library / path), cfile=str(target), doraise=True)
    except (py_compile.PyCompileError, OSError):
        pass  # some files of a library are none of this version, or links to nothing
"""


def runs(program: Sequence[str], folder: Path) -> List[List[str]]:
    """The commands that are run over a folder of `.pyc` files."""
    if program:
        return [[*program, str(folder)]]
    decompile = [sys.executable, "-m", "depyf", "decompile", "--jobs", "1"]
    return [[*decompile, str(folder)], [*decompile, "--no-verify", str(folder)]]


def main() -> int:
    """Compile, and run; what is printed is of no interest, an exit code of 2 is."""
    program = sys.argv[1:]
    pythons = environments.interpreters()
    if not pythons:
        print("tools/train.py: no Python from 3.8 to 3.15 is here to compile for", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        for first, (version, python) in enumerate(pythons.items()):
            folder = Path(temporary, version)
            folder.mkdir()
            subprocess.run([python, "-c", COMPILE, folder, str(first % EVERY), str(EVERY)], check=True)
        folders = [Path(temporary, version) for version in pythons]
        if not program:
            folders.append(Path(temporary, "dynamo"))
            for archive in sorted(DYNAMO.glob("*.tar.gz")):
                with tarfile.open(archive) as opened:
                    opened.extractall(folders[-1] / archive.name)
        for command in (command for folder in folders for command in runs(program, folder)):
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # 1 says that something in the folder is unverified or no bytecode.
            if done.returncode not in (0, 1):
                print(f"tools/train.py: {' '.join(command)} ended with {done.returncode}", file=sys.stderr)
                return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
