"""How the time and memory of `depyf decompile` grow with the size of one function.

    python benches/growth.py [--sizes 1000,10000,100000,1000000] [--shape NAME]

Each shape is one function (or module body) that this very Python compiles to about so many instructions.
The table holds microseconds an instruction and, for the largest size, the peak of memory. Growth is linear
where the numbers of a row stay the same; what a process costs by itself is measured with an empty function
and taken off. A shape that the compiler refuses at a size shows no number.
"""

from __future__ import annotations

import argparse
import contextlib
import dis
import importlib.util
import marshal
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent


def function(body: List[str]) -> str:
    """Return the source of a function with these lines."""
    return "def f(a, b, c):\n" + "\n".join("    " + line for line in body) + "\n"


def repeated(*lines: str) -> Callable[[int], str]:
    """Return a shape that repeats lines; `{i}` is the number of the repetition."""
    return lambda count: function([line.replace("{i}", str(i)) for i in range(count) for line in lines])


def elif_chain(count: int) -> str:
    """Return one `if` with many `elif`s."""
    arms = [line for i in range(count) for line in (f"elif a == {i}:", f"    b = g({i})")]
    return function(["if a == c:", "    b = 0", *arms, "return b"])


def nested(depth: int, head: str) -> Callable[[int], str]:
    """Return statements inside each other, again and again."""
    group = [" " * level + head for level in range(depth)] + [" " * depth + "g(a)"]
    return lambda count: function(group * max(1, count // depth))


def one_expression(start: str, item: str, end: str) -> Callable[[int], str]:
    """Return a single expression with many parts."""

    def shape(count: int) -> str:
        return f"def f(a, b, c):\n    return {start}{item.join(f'a{i % 7}' for i in range(count))}{end}\n"

    return shape


SHAPES: Dict[str, Callable[[int], str]] = {
    "calls": repeated("g(a, {i})"),
    "stores": repeated("a = b + c"),
    "attributes": repeated("a.x = b[c].y"),
    "module names": lambda count: "".join(f"x{i} = f(x{i // 2})\n" for i in range(count)),
    "temporaries": repeated("a, b = b, a + c"),
    "returns": repeated("if a == {i}: return g({i})"),
    "ifs": repeated("if a: b = g({i})"),
    "if else": repeated("if a and b:", "    g(1)", "else:", "    g(2)"),
    "elif chain": elif_chain,
    "nested ifs": nested(90, "if a:"),
    "nested loops": nested(18, "for b in a:"),
    "nested whiles": nested(18, "while a:"),
    "for loops": repeated("for b in a: g(b)"),
    "while loops": repeated("while a: a = g(b)"),
    "loops with break": repeated("for b in a:", "    if b: break", "else:", "    g(c)"),
    "one loop": lambda count: function(["for b in a:", *["    if g(b): continue"] * count]),
    "tries": repeated("try: g(a)", "except E: g(b)"),
    "try finally": repeated("try: g(a)", "finally: g(b)"),
    "nested tries": lambda count: function(
        (
            [" " * level + "try:" for level in range(15)]
            + [" " * 15 + "g(a)"]
            + [" " * level + "except E: g(b)" for level in reversed(range(15))]
        )
        * max(1, count // 15)
    ),
    "withs": repeated("with a as b: g(b)"),
    "one try": lambda count: function(["try:", *["    g(a)"] * count, "except E:", "    g(b)"]),
    "functions": repeated("def h{i}(): return a"),
    "classes": repeated("class C{i}: x = {i}"),
    "comprehensions": repeated("b = [x for x in a if x]"),
    "conditionals": repeated("b = a if c else g(b)"),
    "asserts": repeated("assert a, b"),
    "list display": one_expression("[", ", ", "]"),
    "dict display": lambda count: function(["return {" + ", ".join(f"a{i}: b" for i in range(count)) + "}"]),
    "constant list": lambda count: function(["return [" + ", ".join(map(str, range(count))) + "]"]),
    "call": one_expression("g(", ", ", ")"),
    "and chain": one_expression("", " and ", ""),
    "or chain in if": lambda count: function(["if " + " or ".join(["a"] * count) + ":", "    g(b)"]),
    "mixed chain": lambda count: function(["return " + " or ".join(["a and b"] * count)]),
    "comparison chain": one_expression("", " < ", ""),
    "f-string": lambda count: function(["return f'" + "{a}-{b!r} " * count + "'"]),
    "unpacking": lambda count: function([", ".join(f"a{i}" for i in range(count)) + " = b"]),
}


def with_operands(count: int) -> Optional[CodeType]:
    """Return a function of one expression with so many operands, too deep for any compiler."""
    template = compile("def f(a):\n    return a + a + a\n", "deep.py", "exec")
    inner = next(value for value in template.co_consts if isinstance(value, CodeType))
    found = [(i.offset, i.opname) for i in dis.get_instructions(inner)]
    loads = [offset for offset, name in found if name.startswith("LOAD_FAST")]
    ends = [offset for offset, name in found if name == "RETURN_VALUE"]
    operators = [offset for offset, name in found if name.startswith("BINARY")]
    if len(operators) != 2 or len(loads) != 3:
        return None
    unit = inner.co_code[loads[2] : ends[0]]
    code = inner.co_code[: loads[2]] + unit * count + inner.co_code[ends[0] :]
    lines: Dict[str, Any] = {"co_linetable" if sys.version_info >= (3, 10) else "co_lnotab": b""}
    deep = inner.replace(co_code=code, **lines)
    return template.replace(
        co_consts=tuple(deep if value is inner else value for value in template.co_consts)
    )


def instructions(code: CodeType) -> int:
    """Count the instructions of the largest function."""
    inner = [instructions(value) for value in code.co_consts if isinstance(value, CodeType)]
    return max([sum(1 for _ in dis.get_instructions(code)), *inner])


def compiled(shape: str, size: int) -> Optional[Tuple[bytes, int]]:
    """Return a file of about so many instructions, and how many they are."""
    try:
        if shape == "deep operators":
            made = with_operands(size // 2)
        else:
            # Constants of a display are folded into one instruction, but each of them counts.
            per_item = max(1, instructions(compile(SHAPES[shape](360), "growth.py", "exec")) / 360)
            count = max(1, int(size / per_item))
            made = compile(SHAPES[shape](count), "growth.py", "exec")
            return header(made), max(instructions(made), count)
    except (RecursionError, MemoryError, SyntaxError):
        return None
    if made is None:
        return None
    return header(made), instructions(made)


def header(code: CodeType) -> bytes:
    """Return a file that holds the code."""
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


def measure(command: List[str], path: Path, limit: float) -> Tuple[Optional[float], int, int]:
    """Return the processor time, the peak of memory in MiB, and the exit code."""
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen([*command, str(path)], stdout=nothing, stderr=nothing)
        deadline = time.monotonic() + limit
        # The peak that wait4 tells includes this interpreter, from before the exec.
        memory = 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            memory = max(memory, peak(process.pid))
            if time.monotonic() > deadline:
                process.kill()
                os.wait4(process.pid, 0)
                return None, 0, -1
            time.sleep(0.002)
    process.returncode = (
        os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status
    )
    return usage.ru_utime + usage.ru_stime, memory // 1024, process.returncode


def peak(process: int) -> int:
    """Return the peak of a running process's memory in KiB; 0 where that is not told."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--shape", action="append", help="only these")
    parser.add_argument("--depyf", default=str(ROOT / "target" / "release" / "depyf"))
    parser.add_argument("--limit", type=float, default=60, help="seconds for one file")
    parser.add_argument("options", nargs="*", help="more options of depyf decompile, behind --")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    command = [given.depyf, "decompile", "--jobs", "1", *given.options]
    print(f"Python {sys.version.split()[0]}; microseconds an instruction")
    print(f"{'shape':18}" + "".join(f"{size:>10}" for size in sizes) + "       MiB  exit")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "growth.pyc"
        path.write_bytes(compiled("calls", 1)[0])  # type: ignore[index]
        base = min(measure(command, path, given.limit)[0] or 0 for _ in range(5))
        for shape in given.shape or [*SHAPES, "deep operators"]:
            row, memory, code = f"{shape:18}", 0, 0
            for size in sizes:
                made = compiled(shape, size)
                if made is None:
                    row += f"{'-':>10}"
                    continue
                path.write_bytes(made[0])
                seconds, memory, code = measure(command, path, given.limit)
                number = "timeout" if seconds is None else f"{max(0, seconds - base) / made[1] * 1e6:.2f}"
                row += f"{number:>10}"
                if seconds is None:
                    break
            print(f"{row} {memory:>9} {code:>5}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
