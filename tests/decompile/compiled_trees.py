"""What programs compile that make trees, under the Python that runs this file.

    PYTHON compiled_trees.py names     names that no source can have
    PYTHON compiled_trees.py places    statements at the place of the one that they stand for

Prints one JSON object a program: its name, whether it is as it should be, and its text.
"""

from __future__ import annotations

import ast
import json
import sys
import types
from typing import Dict, Iterator, List

import depyf

# Each `XX` becomes a letter that no identifier has, as those of pytest's names do.
ODD_NAMES = """
import math as math_XX
import os.path as path_XX
from os.path import basename as base_XX, join
from os.path import join as join_XX
value_XX = 3

class Box: pass

def use():
    return math_XX.floor(value_XX + 0.5), base_XX(join_XX('a', 'b')), join('c', path_XX.basename('d/e'))

def fill(box):
    box.one_XX = 1
    box.two_XX = box.one_XX + 1
    del box.one_XX
    return vars(box)
"""

ASSERTIONS = """
def test(first, second):
    found = call(first)
    assert found == 1
    assert not found.attribute, 'message'
    for item in second:
        assert item and call(item)
        if item:
            continue
        assert item
    assert second
    return found
"""


ON_ONE_PLACE = """
def kinds(self):
    kept = [entry for entry in self.entries if entry.kind == 'kept']
    return kept, tuple(entry for entry in self.entries if entry.kind == 3)

def text(self):
    return f'<{self.name} {self.value!r}' + (f' of {self.kind}' if self.kind else '') + '>'

def checked(values):
    for value in values:
        assert value
    assert values
    for value in values:
        if value:
            raise TypeError(values)
    raise TypeError(values)
"""


def with_odd_names(tree: ast.Module) -> ast.Module:
    """Rename what has `XX` in its name."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, str):
                setattr(node, field, value.replace("XX", "@"))
    return tree


class Rewriter(ast.NodeTransformer):
    """Makes four statements of each `assert`, all at its place."""

    def visit_Assert(self, node: ast.Assert) -> List[ast.stmt]:
        """Keep the test in a variable, and raise what is made of the message."""
        new = ast.parse(
            "kept = 0\nif not kept:\n    text = 1 % 2\n    raise AssertionError(text)\nkept = None"
        ).body
        assert isinstance(new[0], ast.Assign)
        new[0].value = node.test
        for statement in new:
            for part in ast.walk(statement):
                if part is not node.test:
                    ast.copy_location(part, node)
        return new


def names() -> Iterator[Dict[str, object]]:
    """Each program is Python, does what it did, and says that it has other names."""
    code = compile(with_odd_names(ast.parse(ODD_NAMES)), "odd", "exec")
    text = depyf.decompile(code, on_failure="mark")
    results = []
    for program in (code, compile(text, "text", "exec")):
        module = types.ModuleType("odd")
        exec(program, module.__dict__)
        results.append([module.use(), sorted(module.fill(module.Box()).items())])
    yield {"name": "odd names", "good": results[0] == results[1] and "# unverified: " in text, "text": text}


def places() -> Iterator[Dict[str, object]]:
    """What stood behind an `assert` stands behind its statements, and not in one of them."""
    tree = ast.fix_missing_locations(Rewriter().visit(ast.parse(ASSERTIONS)))
    found = depyf.decompile(compile(tree, "rewritten", "exec"), source_map=True)
    yield {"name": "assertions", "good": found.verified and "else" not in found.source, "text": found.source}
    tree = ast.parse(ON_ONE_PLACE)
    for node in ast.walk(tree):
        for attribute in node._attributes:
            setattr(node, attribute, 1 if "lineno" in attribute else 0)
    found = depyf.decompile(compile(tree, "one place", "exec"), source_map=True, on_failure="mark")
    good = found.verified and "match" not in found.source and "%" not in found.source
    yield {"name": "all at one place", "good": good, "text": found.source}


if __name__ == "__main__":
    for row in {"names": names, "places": places}[sys.argv[1]]():
        print(json.dumps(row))
