"""Random functions of nested control flow, the same ones for the same seed on every Python.

A function calls `f` with a number of its own in every place, so any two places are told apart; which way it
goes is left to whoever runs it. See `check.py generated`.
"""

from __future__ import annotations

import random
from typing import List

# So many statements a function has, about; and so deep they nest.
SIZE, DEEPEST = 14, 5


class Writer:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.left = SIZE
        self.places = 0

    def call(self) -> str:
        self.places += 1
        return f"f({self.places})"

    def condition(self, depth: int = 0) -> str:
        choice = self.random.random()
        if depth < 2 and choice < 0.12:
            operator = self.random.choice(["and", "or"])
            return f"{self.condition(depth + 1)} {operator} {self.condition(depth + 1)}"
        if depth < 2 and choice < 0.16:
            first, test, second = (self.condition(depth + 1) for _ in range(3))
            return f"({first} if {test} else {second})"
        if depth < 2 and choice < 0.2:
            return f"not ({self.condition(depth + 1)})"
        return "x" if choice < 0.35 else self.call()

    def block(self, depth: int, in_loop: bool, in_finally: bool) -> List[str]:
        lines: List[str] = []
        for _ in range(self.random.choice([1, 1, 2, 2, 3])):
            statement = self.statement(depth, in_loop, in_finally)
            lines += statement
            if statement[-1].split()[0] in ("break", "continue", "return", "raise") and len(statement) == 1:
                break
        return lines

    def inside(self, head: str, depth: int, in_loop: bool, in_finally: bool) -> List[str]:
        """A head with an indented block."""
        return [head, *("    " + line for line in self.block(depth + 1, in_loop, in_finally))]

    def simple(self, in_loop: bool, in_finally: bool) -> List[str]:
        choice = self.random.random()
        if choice < 0.6 or in_finally:
            return [self.call() if choice < 0.5 else f"x = {self.call()}"]
        if choice < 0.65:
            return [f"raise E({self.call()})"]
        if in_loop and choice < 0.85:
            return [self.random.choice(["break", "continue"])]
        return [self.random.choice(["return", "return x", f"return {self.call()}"])]

    def statement(self, depth: int, in_loop: bool, in_finally: bool) -> List[str]:
        self.left -= 1
        if self.left <= 0 or depth > DEEPEST or self.random.random() < 0.3:
            return self.simple(in_loop, in_finally)
        choice = self.random.random()
        otherwise = self.random.random()
        if choice < 0.32:
            lines = self.inside(f"if {self.condition()}:", depth, in_loop, in_finally)
        elif choice < 0.42:
            lines = self.inside(f"while {self.condition()}:", depth, True, False)
            otherwise *= 2
        elif choice < 0.55:
            lines = self.inside(f"for i in {self.call()}:", depth, True, False)
            otherwise *= 2
        elif choice < 0.7:
            return self.protected(depth, in_loop, in_finally)
        elif choice < 0.85:
            lines = self.inside("try:", depth, in_loop, in_finally)
            return lines + self.inside("finally:", depth, in_loop, True)
        else:
            target = self.random.choice(["", " as w"])
            return self.inside(f"with {self.call()}{target}:", depth, in_loop, in_finally)
        if otherwise < 0.4:
            lines += self.inside("else:", depth, in_loop, in_finally)
        return lines

    def protected(self, depth: int, in_loop: bool, in_finally: bool) -> List[str]:
        lines = self.inside("try:", depth, in_loop, in_finally)
        for clause in self.random.choice([["E"], ["E as e"], ["E", "D as d"], [""], ["E", ""]]):
            lines += self.inside(f"except {clause}".rstrip() + ":", depth, in_loop, in_finally)
        if self.random.random() < 0.3:
            lines += self.inside("else:", depth, in_loop, in_finally)
        if self.random.random() < 0.2:
            lines += self.inside("finally:", depth, in_loop, True)
        return lines


def function(seed: int) -> str:
    """The source of the function for a seed."""
    body = Writer(seed).block(0, False, False)
    return f"def generated_{seed}(x, f, E, D):\n" + "".join(f"    {line}\n" for line in body)
