"""Compile a function, then pause and step through what torch made of it.

usage: python examples/step_through.py [BACKEND] [FOLDER]

In an editor, start it with the configuration in examples/.vscode/launch.json.
"""

import sys

import torch

import depyf


def scaled(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main(backend: str = "eager", folder: str = "step_through_dump") -> None:
    compiled = torch.compile(scaled, backend=backend)
    a = torch.arange(4.0, requires_grad=True)
    with depyf.prepare_debug(folder):
        # Both branches, and the gradient: what is to be stepped has to be compiled.
        for b in (torch.ones(4), -torch.ones(4)):
            compiled(a, b).sum().backward()
    with depyf.debug():
        result = compiled(a, torch.ones(4))
        result.sum().backward()
    print("result", result.tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
