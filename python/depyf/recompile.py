"""From source back to a code object that can stand in for another."""

from __future__ import annotations

import ast
import os
from types import CodeType
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

# A string that no program holds stands for an object until the code is compiled.
_MARK = "\0depyf:"


def compile_like(
    source_named: Callable[[str], str],
    reference: CodeType,
    constants: Dict[str, object],
    filepath_template: Optional[str] = None,
) -> CodeType:
    """Compile the source of one function to code with the variables of `reference`.

    Args:
        source_named: gives the source with the function name that it is called with.
        reference: whose free variables and cells the result has.
        constants: the objects that stand as names in the source; the result holds the objects.
        filepath_template: where the source is kept, see `Decompiler.decompile_and_compile_like`.

    Raises:
        SyntaxError: the source does not compile, for instance in a name that is no identifier.
    """
    if filepath_template is None:
        name, filename = _identifier(reference.co_name), "noname"
        source = source_named(name)
    else:
        name, filename, source = _stored(source_named, filepath_template)
    module = ast.parse(source, filename)
    function = next(node for node in module.body if _is_function(node, name))
    _keep_variables(function, reference)
    module = ast.fix_missing_locations(_BindConstants(constants).visit(module))
    if reference.co_freevars:
        module = _enclose(module, reference.co_freevars)
    compiled = _find(compile(module, filename, "exec", dont_inherit=True), name)
    rebound: CodeType = _with_objects(compiled, constants)
    return rebound


def _identifier(name: str) -> str:
    cleaned = "".join(letter if ("_" + letter).isidentifier() else "_" for letter in name)
    return cleaned if cleaned.isidentifier() else "_" + cleaned


def _stored(source_named: Callable[[str], str], template: str) -> Tuple[str, str, str]:
    """Name, path and source of the first file that holds this source or does not exist yet."""
    count = 0
    while True:
        filename = template % count
        name = os.path.basename(filename).split(".")[0]
        source = source_named(name)
        try:
            with open(filename, "x", encoding="utf-8") as file:
                file.write(source)
            return name, filename, source
        except FileExistsError:
            with open(filename, encoding="utf-8") as file:
                if file.read() == source:
                    return name, filename, source
        count += 1


def _is_function(node: ast.stmt, name: str) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name


def _keep_variables(function: Any, reference: CodeType) -> None:
    """Add a statement that never runs but makes the compiler see the reference's cells and free names."""
    kept: List[str] = []
    if reference.co_freevars:
        kept.append("(" + ", ".join(reference.co_freevars) + ",)")
    if reference.co_cellvars:
        kept.append("lambda: (" + ", ".join(reference.co_cellvars) + ",)")
    if not kept:
        return
    names = "; ".join(kept)
    assigned = " = ".join([*reference.co_cellvars, "None"]) if reference.co_cellvars else "pass"
    function.body += ast.parse(f"if False:\n    {assigned}; {names}").body


def _enclose(module: ast.Module, names: Sequence[str]) -> ast.Module:
    """Put the function where the names are variables of an enclosing function."""
    outer = ast.parse("def outer():\n    " + " = ".join([*names, "None"]))
    enclosing: Any = outer.body[0]
    enclosing.body += module.body
    return ast.fix_missing_locations(outer)


class _BindConstants(ast.NodeTransformer):
    """Names of objects become marked strings, which the compiler keeps among the constants."""

    def __init__(self, constants: Dict[str, object]) -> None:
        self.constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.constants and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Constant(_MARK + node.id), node)
        return node


def _find(code: CodeType, name: str) -> CodeType:
    """The code of the first function with this name, outermost first."""
    level = [code]
    while level:
        for candidate in level:
            if candidate.co_name == name:
                return candidate
        level = [inner for outer in level for inner in outer.co_consts if isinstance(inner, CodeType)]
    raise ValueError(f"the source defines no function {name}")


def _with_objects(value: Any, constants: Dict[str, object]) -> Any:
    """Put the objects where their marks are, in nested code and tuples too."""
    if isinstance(value, str) and value.startswith(_MARK):
        return constants[value[len(_MARK) :]]
    if type(value) is tuple:
        return tuple(_with_objects(item, constants) for item in value)
    if isinstance(value, CodeType):
        return value.replace(co_consts=tuple(_with_objects(item, constants) for item in value.co_consts))
    return value
