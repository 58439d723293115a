"""How long `depyf.decompile` takes, and how long the reference package takes for the same functions.

    python benches/decompile_speed.py [FOLDER]

FOLDER holds `.marshal` files of one code object each, made by this very Python (without it, the code
that Dynamo makes of the examples is taken). Both packages run in processes of their own, one after the
other, on the same code; each function is timed several times and its median counts. The reference is
installed into .cache/envs/reference with uv; where that fails, only this package is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import marshal
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import CodeType
from typing import Any, Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
REFERENCE = "depyf==0.20.0"
STATEMENTS = 1600


def capture(folder: Path) -> None:
    """Keep the code that Dynamo makes of the examples, as far as marshal can."""
    import torch
    from torch._dynamo.convert_frame import register_bytecode_hook

    sys.path.insert(0, str(ROOT / "examples"))
    import train_gpt2

    kept: List[bytes] = []

    def hook(_original: CodeType, transformed: CodeType) -> None:
        with contextlib.suppress(ValueError):  # it holds an object that marshal refuses
            kept.append(marshal.dumps(transformed))

    handle = register_bytecode_hook(hook)
    train_gpt2.train("eager", 2)
    torch.compile(_toy, backend="eager")(torch.ones(3), torch.ones(3))
    torch.compile(_toy, backend="eager")(torch.ones(3), -torch.ones(3))
    handle.remove()
    for number, data in enumerate(kept):
        (folder / f"{number:04}.marshal").write_bytes(data)


def _toy(a: Any, b: Any) -> Any:
    x = a / (abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def call_statements(count: int) -> CodeType:
    """Return the code of a function of `count` call statements."""
    body = "".join(f"    f{index % 7}(a, {index})\n" for index in range(count))
    namespace: Dict[str, Any] = {}
    exec(f"def many(a):\n{body}    return a\n", namespace)
    code: CodeType = namespace["many"].__code__
    return code


def microseconds(code: CodeType, repeats: int) -> Optional[float]:
    """Median time for one code object, or None where it cannot be decompiled.

    Every repetition gets a code object of its own, because the reference caches by identity.
    """
    import depyf

    times = []
    for _ in range(repeats):
        fresh = code.replace()
        start = time.perf_counter()
        try:
            depyf.decompile(fresh)
        except Exception:
            return None
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def work(folder: Path, repeats: int, statements: int) -> None:
    """Measure in this process, and print the times as JSON."""
    times = {
        path.name: microseconds(marshal.loads(path.read_bytes()), repeats)
        for path in sorted(folder.glob("*.marshal"))
        if not path.name.endswith(".orig.marshal")
    }
    times["call statements"] = microseconds(call_statements(statements), 5 if statements == STATEMENTS else 1)
    json.dump(times, sys.stdout)


def measure(
    python: str, folder: Path, repeats: int, statements: int, environ: Dict[str, str]
) -> Dict[str, Optional[float]]:
    """Run `work` in a process of its own."""
    command = [python, __file__, str(folder), "--work", str(repeats), str(statements)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environ)
    times: Dict[str, Optional[float]] = json.loads(done.stdout)
    return times


def reference_python() -> Optional[str]:
    """Return a Python that has the reference, of this very version; None where it cannot be installed."""
    import environments

    python = ROOT / ".cache" / "envs" / "reference" / "bin" / "python"
    try:
        uv = environments.uv()
        subprocess.run(
            [uv, "venv", "-q", "--allow-existing", "-p", sys.executable, python.parent.parent], check=True
        )
        subprocess.run(
            [uv, "pip", "install", "-q", "-p", python, "--no-deps", REFERENCE, "astor", "dill"], check=True
        )
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"the reference cannot be installed: {error}", file=sys.stderr)
        return None
    return str(python)


def report(ours: Dict[str, Optional[float]], theirs: Dict[str, Optional[float]], small: int) -> None:
    """Print what was measured."""
    many, their_many = ours.pop("call statements"), theirs.pop("call statements", None)
    done = {name: value for name, value in ours.items() if value is not None}
    print(f"functions: {len(ours)}, decompiled: {len(done)}")
    if done:
        slowest = max(done.values())
        print(f"median: {statistics.median(done.values()):.1f} us a function, slowest {slowest:.0f} us")
    both = {name: their for name, their in theirs.items() if their is not None and name in done}
    if both:
        ratios = [their / done[name] for name, their in both.items()]
        print(f"reference: {statistics.median(both.values()):.0f} us on the {len(both)} that it can do;")
        print(f"  ours is {statistics.median(ratios):.0f} times as fast (median; least {min(ratios):.0f})")
    if many is not None:
        print(f"{STATEMENTS} call statements: {many / 1000:.2f} ms", end="")
        print(f"; the reference for {small}: {their_many / 1000:.0f} ms" if their_many else "")


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument(
        "--reference-statements",
        type=int,
        default=200,
        help=f"call statements for the reference, whose time is quadratic ({STATEMENTS}: half a minute)",
    )
    parser.add_argument(
        "--work", nargs=2, type=int, metavar=("REPEATS", "STATEMENTS"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.work:
        work(options.folder, *options.work)
        return 0
    with tempfile.TemporaryDirectory() as captured:
        folder = options.folder
        if folder is None:
            folder = Path(captured)
            capture(folder)
        ours = measure(sys.executable, folder, options.repeats, STATEMENTS, dict(os.environ))
        python = reference_python()
        small = options.reference_statements
        # PYTHONPATH may lead to this package, which has the reference's import name.
        elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        theirs = measure(python, folder, 3, small, elsewhere) if python else {}
    report(ours, theirs, small)
    return 0


if __name__ == "__main__":
    sys.exit(main())
