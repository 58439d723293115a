"""Ninety-two small programs that take torch.compile through most of Python.

Each is a function without arguments, in `CASES`, and runs with ``backend="eager"``. What its compiled
functions return is gathered in `RESULTS`.
"""

# mypy: ignore-errors

from programs import (  # noqa: I001
    arguments,
    stack_states,
    control_flow,
    with_and_try,
    closures,
    side_effects,
    generators,
    modules,
    training,
    dynamic_shapes,
    higher_order,
)
from programs.registry import CASES, RESULTS

__all__ = ["CASES", "RESULTS", "reset"]

_MODULES = (
    arguments,
    stack_states,
    control_flow,
    with_and_try,
    closures,
    side_effects,
    generators,
    modules,
    training,
    dynamic_shapes,
    higher_order,
)


def reset() -> None:
    """Bring the globals that programs change back to where they were."""
    RESULTS.clear()
    for module in _MODULES:
        if hasattr(module, "G_LIST"):
            module.G_LIST.clear()
            module.G_COUNTER = 0
