"""Random functions in which everything stands in everything: statements and expressions of all kinds.

They hold what the functions of `nested_flow` hold, and besides `match`, asynchronous statements, generators,
nested functions, comprehensions, lambdas, conditional expressions, assignment expressions and targets of all
forms.
The same seed gives the same function under every Python that has the statements. See `check.py wide`.
"""

from __future__ import annotations

from typing import List, Tuple

from nested_flow import DEEPEST, Writer

# So deep expressions nest, and patterns.
DEEPEST_EXPRESSION, DEEPEST_PATTERN = 3, 3
NAMES = "xyz"


class WideWriter(Writer):
    """Writes one function for a version of Python."""

    def __init__(self, seed: int, version: Tuple[int, int]) -> None:
        super().__init__(seed)
        self.version = version
        self.is_async = self.random.random() < 0.2
        self.is_generator = self.random.random() < 0.2

    def name(self) -> str:
        return self.random.choice(NAMES)

    def expression(self, depth: int = 0) -> str:
        """An expression in parentheses, if it needs them."""
        if depth >= DEEPEST_EXPRESSION or self.random.random() < 0.4:
            return self.name() if self.random.random() < 0.5 else self.call()
        first, second = self.expression(depth + 1), self.expression(depth + 1)
        forms = [
            f"({first} {self.random.choice(['and', 'or'])} {second})",
            f"({first} if {self.condition(depth + 1)} else {second})",
            f"({first} < {self.name()} is not {second})",
            f"({self.name()} := {first})",
            f"[{first}, *{second}]",
            f"{{'k': {first}, **{self.name()}}}",
            f"f({first}, *{second}, k={self.call()})",
            f"(not {first})",
            f"{self.name()}[{first}:{second}]",
            f"{self.name()}.attr",
            f"f'{{{self.name()}!r:>{{{self.name()}}}}}'",
            self.comprehension(depth + 1),
            self.comprehension(depth + 1),
        ]
        # A lambda is a function of its own.
        forms.append("(lambda: " + first.replace("await ", "not ") + ")")
        if self.is_async:
            forms.append(f"(await {first})")
        return self.random.choice(forms)

    def comprehension(self, depth: int) -> str:
        """A comprehension; its clauses read its own variables."""
        item = self.random.choice(["i", "f(i)", f"(i, {self.name()})", f"(i if i else {self.call()})"])
        clauses = f"for i in {self.random.choice([self.name(), self.call()])}"
        if self.random.random() < 0.5:
            clauses += self.random.choice(
                [" if i", f" if i and {self.call()}", f" if (i if {self.name()} else not f(i))"]
            )
        if self.random.random() < 0.2:
            clauses += " for i in i"
        brackets = self.random.choice(["[]", "{}", "f()", "any()"])
        return f"{brackets[:-1]}{item} {clauses}{brackets[-1]}"

    def condition(self, depth: int = 0) -> str:
        choice = self.random.random()
        if choice < 0.5:
            return super().condition(depth)
        if choice < 0.6:
            return f"{self.call()} < {self.name()} <= {self.call()}"
        if choice < 0.7:
            return f"({self.name()} := {self.call()})"
        if choice < 0.8:
            return f"{self.name()} is {self.random.choice(['', 'not '])}None"
        return self.expression(depth + 1)

    def target(self) -> str:
        return self.random.choice(
            ["x", "y", "z", "x.attr", f"y[{self.call()}]", "x, y", "(x, *y)", "x, (y, z)", "x[y:z]"]
        )

    def simple(self, in_loop: bool, in_finally: bool) -> List[str]:
        choice = self.random.random()
        if choice < 0.35:
            lines = super().simple(in_loop, in_finally)
            is_valued = lines[0].startswith("return ") and self.is_async and self.is_generator
            return ["return"] if is_valued else lines
        forms = [
            f"{self.target()} = {self.expression()}",
            f"{self.target()} = {self.target()} = {self.expression()}",
            f"{self.random.choice(['x', 'y.attr', 'z[x]'])} += {self.expression()}",
            f"assert {self.condition()}, {self.call()}",
            f"del {self.random.choice(['x.attr', 'y[z]'])}",
            self.expression(),
            f"x, y = {self.expression()}, {self.expression()}",
        ]
        if self.is_generator:
            forms += [f"yield {self.expression()}", f"x = yield {self.call()}"]
            if not self.is_async:
                forms.append(f"y = yield from {self.call()}")
        return [self.random.choice(forms)]

    def statement(self, depth: int, in_loop: bool, in_finally: bool) -> List[str]:
        choice = self.random.random()
        if self.left <= 1 or depth > DEEPEST or choice < 0.7:
            return super().statement(depth, in_loop, in_finally)
        self.left -= 1
        if choice < 0.76:
            head = f"for {self.target()} in {self.expression()}:"
            return self.inside(self.awaited(head), depth, True, False)
        if choice < 0.82:
            second = self.random.choice(["", f", {self.call()} as {self.name()}"])
            return self.inside(
                self.awaited(f"with {self.call()} as {self.target_of_item()}{second}:"),
                depth,
                in_loop,
                in_finally,
            )
        if choice < 0.92 and self.version >= (3, 10):
            return self.match(depth, in_loop, in_finally)
        if choice < 0.95 and self.version >= (3, 11):
            return self.exception_group(depth)
        return self.nested(depth)

    def target_of_item(self) -> str:
        """A target that `with` takes: a tuple stands in parentheses."""
        target = self.target()
        return f"({target})" if "," in target and not target.startswith("(") else target

    def awaited(self, head: str) -> str:
        return f"async {head}" if self.is_async and self.random.random() < 0.5 else head

    def exception_group(self, depth: int) -> List[str]:
        """`except*`, which no `break`, `continue` or `return` may leave."""
        lines = self.inside("try:", depth, False, True)
        for clause in self.random.choice([["E"], ["E as e"], ["E", "D as d"]]):
            lines += [f"except* {clause}:", f"    {self.call()}"]
        return lines

    def nested(self, depth: int) -> List[str]:
        """A function in the function."""
        outside = self.is_async, self.is_generator
        self.is_async = self.is_generator = False
        parameters = self.random.choice(["", "x", "x=y", "x, *y", "*, x=z", "x, **y"])
        decorator = self.random.choice([[], [], ["@f"], [f"@{self.call()}"]])
        lines = [*decorator, *self.inside(f"def nested({parameters}):", depth, False, False)]
        self.is_async, self.is_generator = outside
        return [*lines, "f(nested)"]

    def match(self, depth: int, in_loop: bool, in_finally: bool) -> List[str]:
        lines = [f"match {self.expression(1)}:"]
        for _ in range(self.random.choice([1, 2, 2, 3])):
            guard = f" if {self.condition(1)}" if self.random.random() < 0.3 else ""
            # A name alone would match all.
            case = f"case {self.pattern(1, list('pqrst'))}{guard}:"
            lines += ["    " + line for line in self.inside(case, depth + 1, in_loop, in_finally)]
        if self.random.random() < 0.4:
            lines += ["    " + line for line in self.inside("case _:", depth + 1, in_loop, in_finally)]
        return lines

    def pattern(self, depth: int, names: List[str]) -> str:
        """A pattern that may fail; `names` are those that it may still bind."""
        choice = self.random.randrange(8 if depth < DEEPEST_PATTERN else 2)
        if choice == 0:
            return self.random.choice(["1", "'s'", "None", "x.attr", "-1"])
        if choice == 1:
            return self.random.choice(["1 | 2", "'a' | None", "int()", "E()"])
        first = self.inner_pattern(depth + 1, names)
        second = self.inner_pattern(depth + 1, names)
        rest = names.pop() if names else "_"
        return [
            f"[{first}, {second}]",
            f"[{first}, *{rest}]",
            f"{{'k': {first}, **{rest}}}" if rest != "_" else f"{{'k': {first}}}",
            f"E({first}, k={second})",
            f"({self.pattern(depth + 1, [])}) as {rest}" if rest != "_" else "int()",
            f"[[{first}], 1 | 2]",
        ][choice - 2]

    def inner_pattern(self, depth: int, names: List[str]) -> str:
        choice = self.random.random()
        if choice < 0.3 and names:
            return names.pop()
        return "_" if choice < 0.4 else self.pattern(depth, names)


def function(seed: int, version: Tuple[int, int]) -> str:
    """The source of the function for a seed."""
    writer = WideWriter(seed, version)
    body = writer.block(0, False, False)
    head = f"def wide_{seed}(x, y, z, f, E, D):\n"
    if writer.is_generator:
        body.append("yield f()")
    return ("async " if writer.is_async else "") + head + "".join(f"    {line}\n" for line in body)
