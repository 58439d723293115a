"""Captures the code that Dynamo makes of real models, as input for checks of the decompiler.

    python tools/capture_models.py FOLDER [--models bert,llama] [--nested-graph-breaks]

The models come from transformers, tiny and with random weights; nothing is downloaded. Each code object
becomes FOLDER/NNNN_MODEL.marshal, and the code that it was made of NNNN_MODEL.orig.marshal. A constant
that marshal refuses (a dtype, a device, a dict) becomes a string that names its type: what the code does
with it stays the same.
"""

from __future__ import annotations

import argparse
import marshal
import os
import sys
import traceback
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Dict, Iterator, List, Tuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers
from torch._dynamo.convert_frame import register_bytecode_hook

SIZES = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 37}
LAYERS = {"num_hidden_layers": 2, "num_attention_heads": 4}
Program = Callable[[], None]


def tokens(length: int = 8) -> Any:
    return torch.randint(1, 99, (2, length))


def run(model: Any, **inputs: Any) -> None:
    """Run a compiled model forward twice, with two shapes, and once backward."""
    compiled = torch.compile(model, backend="eager")
    output = compiled(**inputs)
    loss = next(value for value in output.values() if torch.is_tensor(value) and value.is_floating_point())
    loss.float().sum().backward()
    compiled(**{name: torch.cat([value, value]) for name, value in inputs.items()})


def bert() -> None:
    config = transformers.BertConfig(**SIZES, **LAYERS)
    run(transformers.BertForMaskedLM(config), input_ids=tokens(), labels=tokens())


def gpt2() -> None:
    config = transformers.GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    run(transformers.GPT2LMHeadModel(config), input_ids=tokens(), labels=tokens())


def gpt2_generate() -> None:
    config = transformers.GPT2Config(
        vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64, bos_token_id=0, eos_token_id=0
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    generate: Any = torch.compile(model.generate, backend="eager")
    generate(tokens(), max_new_tokens=4, do_sample=True, pad_token_id=0)


def llama() -> None:
    config = transformers.LlamaConfig(**SIZES, **LAYERS, num_key_value_heads=2)
    run(transformers.LlamaForCausalLM(config), input_ids=tokens(), labels=tokens())


def t5() -> None:
    config = transformers.T5Config(
        vocab_size=99, d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4, decoder_start_token_id=0
    )
    run(transformers.T5ForConditionalGeneration(config), input_ids=tokens(), labels=tokens())


def vit() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 37, "image_size": 32, "patch_size": 8}
    config = transformers.ViTConfig(**sizes, **LAYERS)
    run(transformers.ViTForImageClassification(config), pixel_values=torch.randn(2, 3, 32, 32))


PROGRAMS: Dict[str, Program] = {
    "bert": bert,
    "gpt2": gpt2,
    "gpt2_generate": gpt2_generate,
    "llama": llama,
    "t5": t5,
    "vit": vit,
}


def portable(value: Any) -> Any:
    """Return the value with everything that marshal refuses replaced by a string."""
    if isinstance(value, CodeType):
        return value.replace(co_consts=tuple(portable(item) for item in value.co_consts))
    if type(value) is tuple:
        return tuple(portable(item) for item in value)
    try:
        marshal.dumps(value)
    except ValueError:
        return f"<{type(value).__qualname__}>"
    return value


def capture(name: str) -> Iterator[Tuple[bytes, bytes]]:
    """Run a program; yield the code before and after, as marshal writes it."""
    pairs: List[Tuple[bytes, bytes]] = []

    def hook(original: CodeType, transformed: CodeType) -> None:
        pairs.append((marshal.dumps(portable(original)), marshal.dumps(portable(transformed))))

    torch._dynamo.reset()
    torch.manual_seed(0)
    handle = register_bytecode_hook(hook)
    try:
        PROGRAMS[name]()
    except Exception:
        # What was compiled up to here is as good.
        traceback.print_exc()
    finally:
        handle.remove()
    yield from pairs


def main() -> int:
    """Capture and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", default=",".join(PROGRAMS))
    parser.add_argument("--nested-graph-breaks", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.nested_graph_breaks:
        torch._dynamo.config.nested_graph_breaks = True
    number = 0
    for name in options.models.split(","):
        first = number
        for original, transformed in capture(name):
            stem = f"{number:04}_{name}"
            (options.folder / f"{stem}.orig.marshal").write_bytes(original)
            (options.folder / f"{stem}.marshal").write_bytes(transformed)
            number += 1
        print(f"{name}: {number - first} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
