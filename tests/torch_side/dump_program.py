"""Run a program with or without `prepare_debug` and print what it computed.

usage: python dump_program.py toy|train_toy|gpt2 BACKEND FOLDER
FOLDER may be "-": run it without. Prints one JSON object: a digest of outputs, gradients, parameters and the
random state.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from typing import Any, Callable, Dict, Iterable

os.environ["HF_HUB_OFFLINE"] = "1"
import torch


def toy(backend: str) -> Iterable[torch.Tensor]:
    def toy_example(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    compiled = torch.compile(toy_example, backend=backend)

    # Unseeded, as in the README: which branch is compiled first differs from run to run.
    with torch.random.fork_rng():
        torch.seed()
        for _ in range(40):
            compiled(torch.randn(10), torch.randn(10))
    return [compiled(torch.randn(10), torch.randn(10)) for _ in range(10)]


def train_toy(backend: str) -> Iterable[torch.Tensor]:
    layer = torch.nn.Linear(6, 6)

    def step(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(layer(x).relu(), 0.5).sum()

    x = torch.randn(4, 6, requires_grad=True)
    loss: torch.Tensor = torch.compile(step, backend=backend)(x)
    loss.backward()
    assert x.grad is not None
    return [loss, x.grad, *(each.grad for each in layer.parameters() if each.grad is not None)]


def gpt2(backend: str) -> Iterable[torch.Tensor]:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        n_layer=1, n_embd=32, n_head=2, vocab_size=64, n_positions=32, bos_token_id=0, eos_token_id=0
    )
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters())
    compiled = torch.compile(model, backend=backend)
    tokens = torch.randint(0, 64, (2, 8))
    output = compiled(input_ids=tokens, labels=tokens)
    output.loss.backward()
    gradients = [each.grad.clone() for each in model.parameters() if each.grad is not None]
    optimizer.step()
    return [output.loss, output.logits, *gradients, *model.parameters()]


PROGRAMS: Dict[str, Callable[[str], Iterable[torch.Tensor]]] = {
    "toy": toy,
    "train_toy": train_toy,
    "gpt2": gpt2,
}


def main(program: str, backend: str, folder: str) -> None:
    torch.manual_seed(0)
    context: Any = contextlib.nullcontext()
    if folder != "-":
        import depyf

        context = depyf.prepare_debug(folder)
    with context:
        results = list(PROGRAMS[program](backend))
    digest = hashlib.sha256()
    for tensor in results:
        digest.update(tensor.detach().contiguous().numpy().tobytes())
    digest.update(torch.get_rng_state().numpy().tobytes())
    print(json.dumps({"digest": digest.hexdigest(), "tensors": len(results)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
