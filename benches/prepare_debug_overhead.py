"""What `depyf.prepare_debug` costs: paired cold runs with and without it, backend "eager".

    python benches/prepare_debug_overhead.py [--pairs N] [--warm-imports]

Every run is a process of its own. The clock runs from behind `import torch` and the making of the
model to the end of the context, dump included. --warm-imports also imports torch._dynamo before,
which a program's first compilation otherwise pays for: it makes the bar harder.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, ContextManager, Dict, List

ROOT = Path(__file__).resolve().parent.parent


def toy() -> None:
    """Run the toy example, with the eager backend."""
    import torch

    torch.manual_seed(0)

    @torch.compile(backend="eager")
    def toy_example(a, b):  # type: ignore[no-untyped-def]
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    for _ in range(100):
        toy_example(torch.randn(10), torch.randn(10))


def gpt2() -> None:
    """Run the training example."""
    import train_gpt2

    train_gpt2.train("eager", 3)


PROGRAMS: Dict[str, Callable[[], None]] = {"toy": toy, "gpt2": gpt2}


def work(program: str, with_context: bool, warm_imports: bool) -> None:
    """Run a program once and print the seconds."""
    import torch

    sys.path.insert(0, str(ROOT / "examples"))
    if program == "gpt2":
        import train_gpt2

        train_gpt2.tiny_gpt2()
    import depyf

    if warm_imports:
        import torch._dynamo

        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1))
        torch._dynamo.reset()
    with tempfile.TemporaryDirectory() as folder:
        context: ContextManager[object] = contextlib.nullcontext()
        start = time.perf_counter()
        if with_context:
            context = depyf.prepare_debug(folder)
        with context:
            PROGRAMS[program]()
        print(time.perf_counter() - start)


def seconds(program: str, kind: str, warm_imports: bool) -> float:
    """Run `work` in a process of its own."""
    command = [sys.executable, __file__, "--work", program, kind] + ["--warm-imports"] * warm_imports
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return float(done.stdout.split()[-1])


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--warm-imports", action="store_true")
    parser.add_argument("--work", nargs=2, metavar=("PROGRAM", "KIND"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work[0], options.work[1] == "dumped", options.warm_imports)
        return 0
    for program in PROGRAMS:
        plain: List[float] = []
        dumped: List[float] = []
        seconds(program, "plain", options.warm_imports)  # the file cache is warm for both kinds
        for number in range(options.pairs):
            # Alternating order: what drifts, such as the machine's clock, hits both kinds alike.
            for kind in ("plain", "dumped") if number % 2 == 0 else ("dumped", "plain"):
                (plain if kind == "plain" else dumped).append(seconds(program, kind, options.warm_imports))
        ratios = [with_it / without for with_it, without in zip(dumped, plain)]
        print(
            f"{program}: {statistics.median(plain):.2f} s plain, {statistics.median(dumped):.2f} s dumped,"
            f" median of the paired ratios {statistics.median(ratios):.3f}"
            f" (from {min(ratios):.3f} to {max(ratios):.3f})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
