"""Sources with random edits of their statements: shapes that nobody wrote, out of code that somebody did.

A statement is put in, or takes the place of one, or a run of statements goes into a `try`, a loop, a `with`,
a test or, where the Python has it, a `match`. What such code does is of no interest: nobody runs it.
"""

from __future__ import annotations

import ast
import random
import sys
from typing import Any, Iterator, List, Tuple, Union

Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef]
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

#: A list of statements, and whether it is in a loop of its function.
Place = Tuple[List[ast.stmt], bool]

NAMES = "abcdefgh"


def edited(source: str, seed: int) -> str:
    """A source each function of which has some edits; the same ones for a seed, under one Python (3.9 on)."""
    tree = ast.parse(source)
    editor = Editor(random.Random(seed))
    for function in [node for node in ast.walk(tree) if isinstance(node, DEFINITIONS[:2])]:
        editor.edit(function)
    return ast.unparse(ast.fix_missing_locations(tree))


def places(node: ast.AST, in_loop: bool) -> Iterator[Place]:
    """The lists of statements in a statement, but for those of definitions."""
    for field, value in ast.iter_fields(node):
        if not isinstance(value, list) or not value:
            continue
        inside = in_loop or (isinstance(node, (ast.For, ast.While, ast.AsyncFor)) and field == "body")
        if isinstance(value[0], ast.stmt):
            yield value, inside
        for child in value:
            handles = isinstance(child, ast.ExceptHandler) or type(child).__name__ == "match_case"
            if handles or (isinstance(child, ast.stmt) and not isinstance(child, DEFINITIONS)):
                yield from places(child, inside)


class Editor:
    """Makes edits of its own random numbers."""

    def __init__(self, numbers: random.Random) -> None:
        self.numbers = numbers

    def edit(self, function: Definition) -> None:
        """Edits a function in place."""
        own = [node for node in ast.walk(function) if isinstance(node, (ast.Yield, ast.YieldFrom))]
        returns = not (own and isinstance(function, ast.AsyncFunctionDef))
        for _ in range(self.numbers.randrange(1, 4)):
            statements, in_loop = self.numbers.choice(list(places(function, False)))
            # Declarations stand before what they declare, and a group has no `break`.
            if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(function)):
                return
            if any(type(node).__name__ == "TryStar" for node in ast.walk(function)):
                return
            at = self.numbers.randrange(len(statements))
            if at == 0 and statements is function.body and ast.get_docstring(function) is not None:
                continue
            kind = self.numbers.randrange(6)
            if kind == 0:
                statements.insert(at, self.statement(in_loop, returns))
            elif kind == 1:
                statements[at] = self.statement(in_loop, returns)
            elif kind == 2:
                statements.insert(at + 1, self.statement(in_loop, returns))
            else:
                end = self.numbers.randrange(at, len(statements)) + 1
                statements[at:end] = [self.compound(statements[at:end], in_loop, returns)]

    def name(self, context: Any = None) -> ast.expr:
        return ast.Name(self.numbers.choice(NAMES), context or ast.Load())

    def expression(self, depth: int = 0) -> ast.expr:
        """Names, calls and attributes, in short circuits, comparisons and conditional expressions."""
        kind = self.numbers.randrange(7) if depth < 2 else 0
        if kind == 1:
            return ast.Call(self.name(), [self.name()], [])
        if kind == 2:
            operator = self.numbers.choice([ast.And(), ast.Or()])
            return ast.BoolOp(operator, [self.expression(depth + 1) for _ in range(2)])
        if kind == 3:
            test, body, orelse = (self.expression(depth + 1) for _ in range(3))
            return ast.IfExp(test, body, orelse)
        if kind == 4:
            return ast.UnaryOp(ast.Not(), self.expression(depth + 1))
        if kind == 5:
            operators = [self.numbers.choice([ast.Lt(), ast.Eq(), ast.Is(), ast.In(), ast.NotIn()])]
            return ast.Compare(self.expression(depth + 1), operators, [self.expression(depth + 1)])
        return ast.Attribute(self.name(), "x", ast.Load()) if kind == 6 else self.name()

    def statement(self, in_loop: bool, returns: bool) -> ast.stmt:
        """A statement without others in it."""
        kinds = ["call", "call", "assign", "raise", "delete", "assert"]
        kinds += ["break", "continue", "break"] if in_loop else []
        kinds += ["return", "return"] if returns else []
        kind = self.numbers.choice(kinds)
        if kind == "assign":
            return ast.Assign([self.name(ast.Store())], self.expression())
        if kind == "raise":
            return ast.Raise(self.numbers.choice([None, self.expression(1)]), None)
        if kind == "delete":
            return ast.Delete([self.name(ast.Del())])
        if kind == "assert":
            return ast.Assert(self.expression(), None)
        if kind == "break":
            return ast.Break()
        if kind == "continue":
            return ast.Continue()
        if kind == "return":
            return ast.Return(self.numbers.choice([None, self.expression()]))
        return ast.Expr(ast.Call(self.name(), [self.expression(1)], []))

    def compound(self, body: List[ast.stmt], in_loop: bool, returns: bool) -> ast.stmt:
        """A statement that holds others, and maybe some of its own."""

        def some() -> List[ast.stmt]:
            first = ast.Expr(ast.Call(self.name(), [], []))
            return [first, self.statement(in_loop, returns)] if self.numbers.random() < 0.5 else [first]

        def handler(statements: List[ast.stmt]) -> ast.ExceptHandler:
            return ast.ExceptHandler(self.name(), self.numbers.choice([None, "e"]), statements)

        kinds = ["if", "else", "while", "for", "try", "handler", "finally", "in finally", "both", "with"]
        kind = self.numbers.choice([*kinds, "match"] if sys.version_info >= (3, 10) else kinds)
        if kind == "if":
            return ast.If(self.expression(), body, self.numbers.choice([[], some()]))
        if kind == "else":
            return ast.If(self.expression(), some(), body)
        if kind == "while":
            return ast.While(self.expression(), body, [])
        if kind == "for":
            return ast.For(self.name(ast.Store()), self.expression(), body, self.numbers.choice([[], some()]))
        if kind == "try":
            return ast.Try(body, [handler(some())], self.numbers.choice([[], some()]), [])
        if kind == "handler":
            return ast.Try(some(), [handler(body)], [], [])
        if kind == "finally":
            return ast.Try(body, [], [], some())
        if kind == "in finally":
            return ast.Try(some(), [], [], body)
        if kind == "both":
            return ast.Try(body, [handler(some())], [], some())
        if kind == "with":
            target = self.numbers.choice([None, self.name(ast.Store())])
            return ast.With([ast.withitem(self.expression(1), target)], body)
        return self.match(body, some())

    def match(self, body: List[ast.stmt], other: List[ast.stmt]) -> ast.stmt:
        """`match` of some patterns, one of which has a guard."""
        new: Any = ast
        patterns = [
            new.MatchValue(ast.Constant(1)),
            new.MatchSequence([new.MatchAs(None, "p"), new.MatchStar("q")]),
            new.MatchMapping([ast.Constant("k")], [new.MatchAs(None, "v")], None),
        ]
        first, second = self.numbers.sample(patterns, 2)
        guard = self.numbers.choice([None, self.expression()])
        cases = [new.match_case(first, guard, body), new.match_case(second, None, other)]
        statement: ast.stmt = new.Match(self.expression(), cases)
        return statement
