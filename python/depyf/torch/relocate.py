"""Generated code that runs from a file of the dump: the same instructions, with the file's name and lines.

A graph runs from text that FX generated in memory, and Inductor's wrapper from a file in its cache. The dump
shows the same statements under a header, with types and comments, so the lines differ, and a boxed graph also
takes its arguments in another way. So the positions are moved statement by statement: the text that was
compiled is parsed, each of its nodes gets the place of the same node in the dump, and this tree is compiled.
If it gives the running instructions, and only then, its line table is valid for them.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


class Match(NamedTuple):
    """The place of a function in a text.

    Attributes:
        code: the function's code, in that place.
        is_exact: names and constants are the same too, and not only the shape.
    """

    code: CodeType
    is_exact: bool


def relocate(code: CodeType, compiled_text: str, dumped_text: str, path: str) -> Optional[Match]:
    """Return `code` as it would be if its function had been compiled where the dump shows it.

    Args:
        code: the code object of a function in `compiled_text`; what comes back differs from it only in the
            file's name, the first line and the line table.
        compiled_text: the module that `code` was compiled from.
        dumped_text: the text of the dump, in which names may have been made stable.
        path: the file with `dumped_text`.

    Returns:
        None if the dump does not show that function.

    Raises:
        SyntaxError: one of the texts is not Python.
    """
    source = ast.parse(compiled_text)
    chain = _chain_to(source, code)
    if chain is None:
        return None
    found: Optional[Match] = None
    for shown in _functions_called(code.co_name, _Plain().visit(ast.parse(dumped_text))):
        is_exact = _same_statements(chain[-1], shown)
        if is_exact is None or (found is not None and not is_exact):
            continue
        moved = _compiled_at(code, compiled_text, shown, path)
        if moved is not None:
            found = Match(moved, is_exact)
            if is_exact:
                break
    return found


class _Way(NamedTuple):
    """A way to place what the dump does not show in the same lines.

    Attributes:
        lines_of_prologue: the lines of the statements that take the arguments out of a list: that of the
            function's head, or also, in turn, that of the class above it.
        whole_statements: whether all of a statement stands in its first line.
    """

    lines_of_prologue: int
    whole_statements: bool


# The first that gives the running instructions is taken. Compilers from 3.13 on join instructions of one
# line, and all may put a NOP where lines change inside a statement.
_WAYS = (_Way(1, False), _Way(2, False), _Way(1, True), _Way(2, True))


class _Plain(ast.NodeTransformer):
    """Takes out annotations, for which a function runs no instruction."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Optional[ast.AST]:
        self.generic_visit(node)
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def _chain_to(tree: ast.Module, code: CodeType) -> Optional[List[Any]]:
    """Return the classes around a function, and the function."""

    def search(node: ast.AST, above: Tuple[ast.AST, ...]) -> Iterator[List[Any]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first_line = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                if child.name == code.co_name and first_line == code.co_firstlineno:
                    yield [*above, child]
            elif isinstance(child, ast.ClassDef):
                yield from search(child, (*above, child))

    return next(search(tree, ()), None)


def _functions_called(name: str, tree: ast.AST) -> Iterator[_Function]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            yield node


def _prologue_length(running: _Function, shown: _Function) -> int:
    """Return how many statements a boxed function has more: they take its arguments out of the list."""
    return len(running.body) - len(shown.body)


def _same_statements(running: _Function, shown: _Function) -> Optional[bool]:
    """Tell whether the statements are the same (True), but for names and constants (False), or not (None)."""
    body = _Plain().visit(ast.Module(body=[running], type_ignores=[])).body[0].body
    extra = _prologue_length(running, shown)
    if extra < 0 or not shown.body:
        return None
    pairs = list(zip(body[extra:], shown.body))
    if all(ast.dump(one) == ast.dump(other) for one, other in pairs):
        return True
    return False if all(_same_shape(one, other) for one, other in pairs) else None


def _same_shape(one: ast.AST, other: ast.AST) -> bool:
    pending = [(one, other)]
    while pending:
        first, second = pending.pop()
        children, others = list(ast.iter_child_nodes(first)), list(ast.iter_child_nodes(second))
        if type(first) is not type(second) or len(children) != len(others):
            return False
        pending.extend(zip(children, others))
    return True


def _compiled_at(code: CodeType, compiled_text: str, shown: _Function, path: str) -> Optional[CodeType]:
    for how in _WAYS:
        tree = _Plain().visit(ast.parse(compiled_text))
        chain = _chain_to(tree, code)
        assert chain is not None
        _move(chain[-1], shown, how)
        # The classes around it decide how private names are spelled.
        for outer, inner in zip(chain, chain[1:]):
            outer.body, outer.decorator_list, outer.bases, outer.keywords = [inner], [], [], []
        module = ast.Module(body=[chain[0]], type_ignores=[])
        compiled = _code_of(compile(module, path, "exec", dont_inherit=True), len(chain))
        moved = None if compiled is None else with_positions_of(code, compiled)
        if moved is not None:
            return moved
    return None


def _move(running: _Function, shown: _Function, how: _Way) -> None:
    """Give each node of a function the place that it has in the dump."""
    extra = _prologue_length(running, shown)
    running.decorator_list = []
    for number, node in enumerate([running.args, *running.body[:extra]]):
        line = max(1, shown.lineno - number % how.lines_of_prologue)
        for each in ast.walk(node):
            _place(each, {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 1})
    for statement, other in zip(running.body[extra:], shown.body):
        place = _place_of(other)
        place = {**place, "end_lineno": place["lineno"], "end_col_offset": place["col_offset"] + 1}
        # Both have the same shape, so both walks meet the nodes in the same order.
        for each, twin in zip(ast.walk(statement), ast.walk(other)):
            _place(each, place if how.whole_statements else _place_of(twin))
    _place(running, {**_place_of(shown), "lineno": shown.lineno})


def _place(node: ast.AST, place: Dict[str, int]) -> None:
    if "lineno" in node._attributes:
        for attribute, value in place.items():
            setattr(node, attribute, value)


def _place_of(node: ast.AST) -> Dict[str, int]:
    return {
        name: getattr(node, name) for name in node._attributes if isinstance(getattr(node, name, None), int)
    }


def _code_of(module: CodeType, depth: int) -> Optional[CodeType]:
    code: Optional[CodeType] = module
    for _ in range(depth):
        assert code is not None
        code = next((each for each in code.co_consts if isinstance(each, CodeType)), None)
    return code


def with_positions_of(code: CodeType, other: CodeType) -> Optional[CodeType]:
    """Return `code` with the file, first line and line table of `other`, which must have its instructions."""
    if code.co_code != other.co_code or len(code.co_consts) != len(other.co_consts):
        return None
    constants = []
    for constant, twin in zip(code.co_consts, other.co_consts):
        if isinstance(constant, CodeType):
            moved = with_positions_of(constant, twin) if isinstance(twin, CodeType) else None
            if moved is None:
                return None
            constants.append(moved)
        else:
            constants.append(constant)
    table = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    positions: Dict[str, Any] = {table: getattr(other, table), "co_firstlineno": other.co_firstlineno}
    return code.replace(co_filename=other.co_filename, co_consts=tuple(constants), **positions)
