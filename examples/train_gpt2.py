"""Trains a tiny GPT-2 with random weights for a few steps and dumps all that torch.compile makes of it.

    python examples/train_gpt2.py [--backend eager|aot_eager|inductor] [--dump FOLDER] [--steps N]

Then open FOLDER/index.md.
"""

from __future__ import annotations

import argparse
import os

# Random weights need nothing from the hub; do not wait for it either.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from transformers import GPT2Config, GPT2LMHeadModel

import depyf


def tiny_gpt2() -> torch.nn.Module:
    config = GPT2Config(
        vocab_size=128,
        n_positions=32,
        n_embd=64,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
        # Dropout stays in, as in real training: it draws random numbers.
    )
    return GPT2LMHeadModel(config)


def train(backend: str, steps: int) -> list[float]:
    """Run `steps` training steps and return their losses."""
    torch.manual_seed(0)
    model = tiny_gpt2()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    compiled = torch.compile(model, backend=backend)
    tokens = torch.randint(0, 128, (2, 16))
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = compiled(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--backend", default="eager", choices=["eager", "aot_eager", "inductor"])
    parser.add_argument("--dump", default="depyf_debug_dir", metavar="FOLDER")
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    with depyf.prepare_debug(options.dump):
        losses = train(options.backend, options.steps)
    print("losses:", " ".join(f"{loss:.4f}" for loss in losses))


if __name__ == "__main__":
    main()
