"""What every program uses: the registry, and a torch.compile that remembers results."""

# mypy: ignore-errors

import torch
import torch._dynamo

CASES = []
RESULTS = []
R = torch.randn


def case(function):
    """Register a program."""
    CASES.append(function)
    return function


def comp(function, **options):
    """Compile, and gather in `RESULTS` what the compiled function returns."""
    options.setdefault("backend", "eager")
    compiled = torch.compile(function, **options)

    def run(*args, **kwargs):
        result = compiled(*args, **kwargs)
        RESULTS.append(result)
        return result

    run.eval = getattr(compiled, "eval", None)
    return run


def brk():
    """Break the graph."""
    torch._dynamo.graph_break()
