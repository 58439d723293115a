"""How many single-token mutants of verified sources does `depyf.verify` reject?

usage: PYTHONPATH=python PYTHON tools/verify_mutants.py [--each 40] [--seed 7] SOURCE...

Each source is compiled by the Python that runs this. Mutants that compile to the same bytecode are not
counted. Each one that is called verified is printed: it must be one that does the same, such as another value
in a dead store.
"""

from __future__ import annotations

import argparse
import io
import keyword
import random
import sys
import tokenize
from types import CodeType
from typing import Iterator, Optional, Tuple

import depyf

# Tokens that may stand in place of one.
EXCHANGED = {
    "+": "-", "-": "+", "*": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "and": "or", "or": "and", "is": "is not", "in": "not in", "not": "", "True": "False", "False": "True",
    "None": "0", "+=": "-=", "break": "continue", "continue": "break", "return": "yield", "raise": "return",
}  # fmt: skip


def fingerprint(code: CodeType) -> Tuple[object, ...]:
    """Return all of a code object that running it depends on."""
    constants = tuple(
        fingerprint(value) if isinstance(value, CodeType) else (type(value), repr(value))
        for value in code.co_consts
    )
    table = getattr(code, "co_exceptiontable", b"")
    variables = (code.co_varnames, code.co_cellvars, code.co_freevars)
    arguments = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    return (code.co_code, code.co_names, variables, arguments, code.co_flags, table, constants)


def replacement(token: tokenize.TokenInfo, names: list[str]) -> Optional[str]:
    """Return another token for this one, or None."""
    if token.string in EXCHANGED:
        return EXCHANGED[token.string]
    if token.type == tokenize.NUMBER:
        return token.string + "1" if token.string.isdigit() and token.string != "0" else "17"
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return random.choice(names)
    return None


def mutants(text: str, each: int) -> Iterator[Tuple[str, str]]:
    """Yield mutants of a source, and what was changed."""
    kinds = (tokenize.NAME, tokenize.OP, tokenize.NUMBER)
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type in kinds]
    names = [token.string for token in tokens if token.type == tokenize.NAME]
    lines = text.split("\n")
    for token in random.sample(tokens, min(each, len(tokens))):
        new = replacement(token, names)
        if new is None or new == token.string:
            continue
        row, column = token.start
        line = lines[row - 1]
        changed = line[:column] + new + line[column + len(token.string) :]
        where = f"{row}: {line.strip()}: {token.string!r} -> {new!r}"
        yield "\n".join([*lines[: row - 1], changed, *lines[row:]]), where


def main() -> int:
    """Print the survivors and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=40, help="mutants of each source")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    random.seed(options.seed)
    rejected = survived = 0
    for path in options.sources:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        code = compile(text, path, "exec", dont_inherit=True)
        if not depyf.verify(code, text):
            print(f"{path} itself is not verified")
            continue
        original = fingerprint(code)
        for mutant, where in mutants(text, options.each):
            try:
                if fingerprint(compile(mutant, path, "exec", dont_inherit=True)) == original:
                    continue
                verified = bool(depyf.verify(code, mutant))
            except (SyntaxError, ValueError, depyf.DecompilationError):
                continue
            rejected += not verified
            survived += verified
            if verified:
                print(f"{path}:{where}")
    print(f"{rejected} mutants rejected, {survived} survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
