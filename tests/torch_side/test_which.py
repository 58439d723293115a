"""`depyf.which`: which cache entry a call would run, and the guards that failed on the others."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import depyf


def scaled(a: torch.Tensor, b: torch.Tensor, *rest: Any, k: int = 3, **more: Any) -> torch.Tensor:
    return a * b + k


def test_entries_and_the_guards_that_failed() -> None:
    compiled = torch.compile(scaled, backend="eager", dynamic=False)
    assert depyf.which(compiled, 1, 2).entries == [] and "nothing is compiled" in str(
        depyf.which(scaled, 1, 2)
    )
    two, three = torch.ones(2), torch.ones(3)
    compiled(two, torch.ones(2))
    compiled(three, torch.ones(3))
    compiled(three, torch.ones(3), k=5)
    found = depyf.which(compiled, two, torch.ones(2))
    assert found.compile_id == "0/0" and found.entry is not None and found.entry.fits
    reasons = {entry.compile_id: entry.failed for entry in found.entries}
    assert "size mismatch" in reasons["0/1"][0] and "size mismatch" in reasons["0/2"][0]
    assert depyf.which(compiled, three, torch.ones(3), k=5).compile_id == "0/2"
    found = depyf.which(compiled, three, torch.ones(3), k=6)
    assert found.entry is None and found.compile_id is None
    assert "L['k'] == 5" in str(found) and "none of 3 cache entries fits" in str(found)
    # The same questions of the function itself.
    assert depyf.which(scaled, two, torch.ones(2)).compile_id == "0/0"


def test_asking_runs_and_compiles_nothing() -> None:
    calls = []

    def function(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return x + 1

    compiled = torch.compile(function, backend="eager", dynamic=False)
    compiled(torch.ones(2))
    before = (len(calls), dict(torch._dynamo.utils.counters["frames"]))
    for size in (2, 3):
        depyf.which(compiled, torch.ones(size))
    assert (len(calls), dict(torch._dynamo.utils.counters["frames"])) == before


def test_the_answer_is_what_then_happens() -> None:
    ran = []

    def backend(graph_module: Any, inputs: Any) -> Any:
        number = len(ran_of)
        ran_of.append(number)

        def run(*args: Any) -> Any:
            ran.append(number)
            return graph_module.forward(*args)

        return run

    ran_of: Any = []
    compiled = torch.compile(scaled, backend=backend, dynamic=False)
    cases = [
        ((torch.ones(2), torch.ones(2)), {}),
        ((torch.ones(2).double(), torch.ones(2)), {}),
        ((torch.ones(2), torch.ones(2), 1), {"z": 2}),
        ((torch.ones(4), torch.ones(4)), {"k": 4}),
    ]
    for args, kwargs in cases:
        compiled(*args, **kwargs)
    for args, kwargs in cases:
        expected = depyf.which(compiled, *args, **kwargs).compile_id
        ran.clear()
        compiled(*args, **kwargs)
        assert expected == f"0/{ran[0]}"


def test_modules_methods_and_closures() -> None:
    class Layer(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))

        def forward(self, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
            return x * self.weight * scale

    layer = Layer()
    compiled = torch.compile(layer, backend="eager", dynamic=False)
    compiled(torch.ones(2))
    assert depyf.which(compiled, torch.ones(2)).compile_id is not None
    assert depyf.which(layer, torch.ones(2), scale=2.0).compile_id is None
    linear = torch.compile(torch.nn.Linear(2, 2), backend="eager")
    linear(torch.ones(1, 2))
    assert depyf.which(linear, torch.ones(1, 2)).compile_id is not None

    factor = torch.ones(2)

    def closed(x: torch.Tensor) -> torch.Tensor:
        return x * factor

    over = torch.compile(closed, backend="eager", dynamic=False)
    over(torch.ones(2))
    assert depyf.which(over, torch.ones(2)).compile_id is not None
    factor = torch.ones(1)
    found = depyf.which(over, torch.ones(2))
    assert found.compile_id is None and "factor" in str(found)


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor, *, plus: float = 0.0) -> torch.Tensor:
        return x * self.factor + plus

    @torch.compile(backend="eager", dynamic=False)  # type: ignore[untyped-decorator, unused-ignore]
    def decorated(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor


def test_bound_and_decorated_methods() -> None:
    one, other = Scaler(2.0), Scaler(3.0)
    compiled = torch.compile(one.scale, backend="eager", dynamic=False)
    compiled(torch.ones(2))
    compiled(torch.ones(2), plus=1.0)
    found = depyf.which(compiled, torch.ones(2), plus=1.0)
    assert found.compile_id is not None and found.compile_id.endswith("/1") and len(found.entries) == 2
    assert str(depyf.which(one.scale, torch.ones(2)).compile_id).endswith("/0")
    # Another object has another factor.
    found = depyf.which(other.scale, torch.ones(2))
    assert found.entry is None and "factor" in str(found) and "none of 2 cache entries" in str(found)

    one.decorated(torch.ones(2))
    assert depyf.which(one.decorated, torch.ones(2)).entry is not None
    assert depyf.which(Scaler.decorated, one, torch.ones(2)).entry is not None
    assert depyf.which(one.decorated, torch.ones(3)).entry is None


def test_what_cannot_be_asked() -> None:
    with pytest.raises(TypeError, match="needs a Python function"):
        depyf.which(len, [])
    with pytest.raises(TypeError, match="missing a required argument"):
        depyf.which(scaled, torch.ones(1))
