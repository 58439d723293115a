"""What running linked code costs, compared with the code that Dynamo made: paired, in one process.

    python benches/linked_overhead.py [--pairs N] [--calls N]

Both code objects of the toy are called in turn, with the same arguments and no debugger. Without torch, a
loop in plain Python is linked and called. The bar is a ratio of 1.02.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Callable, List, Tuple

import depyf


def toy(a: Any, b: Any) -> Any:
    """Be the toy of the README, without its graph break."""
    import torch

    x = a / (torch.abs(a) + 1)
    return x * b


def loop(values: List[int]) -> int:
    """Take some time in the interpreter, on many lines."""
    total = 0
    for value in values:
        if value % 3:
            total += value
        else:
            total -= 1
    return total


def linked_toy() -> Tuple[Callable[[], Any], Callable[[], Any]]:
    """Return calls of Dynamo's code and of the linked code."""
    import torch

    from depyf.torch import versions

    made: List[CodeType] = []
    handle = versions.register_bytecode_hook(lambda _, code: made.append(code))
    with tempfile.TemporaryDirectory() as folder:
        with depyf.prepare_debug(Path(folder)):
            torch.compile(toy, backend="eager")(torch.ones(4), torch.ones(4))
        entries = versions.cache_entries(toy.__code__)
    assert handle is not None and entries is not None
    handle.remove()
    assert made[0] is not entries[0].code
    arguments = torch.ones(4), torch.ones(4)
    plain, linked = (FunctionType(code, toy.__globals__) for code in (made[0], entries[0].code))
    return lambda: plain(*arguments), lambda: linked(*arguments)


def linked_loop() -> Tuple[Callable[[], Any], Callable[[], Any]]:
    """Return calls of a function and of its linked code."""
    values = list(range(200))
    linked = FunctionType(depyf.link(loop, "loop.py"), loop.__globals__)
    plain = FunctionType(loop.__code__.replace(), loop.__globals__)
    return lambda: plain(values), lambda: linked(values)


def seconds(call: Callable[[], Any], calls: int) -> float:
    """Return the processor time of so many calls: other processes do not count."""
    start = time.thread_time()
    for _ in range(calls):
        call()
    return time.thread_time() - start


def measure(name: str, pair: Tuple[Callable[[], Any], Callable[[], Any]], pairs: int, calls: int) -> None:
    """Call both in turn and print the median of the ratios of neighbours."""
    plain, linked = pair
    ratios = []
    for number in range(pairs + 3):
        # Which one goes first changes, so that neither profits from its place.
        both = [(plain, 0), (linked, 1)] if number % 2 else [(linked, 1), (plain, 0)]
        times = {which: seconds(call, calls) for call, which in both}
        if number >= 3:
            ratios.append(times[1] / times[0])
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"{name}: linked / plain {middle:.4f} (quartiles {low:.4f} and {high:.4f}, {pairs} pairs)")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=101)
    parser.add_argument("--calls", type=int, default=400)
    options = parser.parse_args()
    measure("loop", linked_loop(), options.pairs, options.calls)
    try:
        import torch  # noqa: F401 (only whether it is here)
    except ImportError:
        return
    measure("toy", linked_toy(), options.pairs, options.calls)


if __name__ == "__main__":
    main()
