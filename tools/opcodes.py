"""Writes the opcode tables of `crates/bytecode/src/versions/tables`.

Run it under each interpreter whose table is wanted; the interpreter itself is the only source of the
numbers. It needs nothing but the standard library and works on Python 3.8 and later::

    python3.8 tools/opcodes.py            # writes tables/v3_08.rs
    python3.8 tools/opcodes.py --check    # exits with 1 where the checked-in table differs
    python3 tools/opcodes.py --mnemonics  # writes tables/mnemonic.rs from all checked-in tables
"""

import argparse
import dis
import opcode
import re
import sys
from pathlib import Path
from typing import Any, Dict, List, Set

TABLES = Path(__file__).resolve().parent.parent / "crates" / "bytecode" / "src" / "versions" / "tables"

# Bytecode that only the interpreter itself writes: it is never in `co_code`.
INTERNAL = {"ENTER_EXECUTOR", "INTERPRETER_EXIT", "RESERVED", "TRACE_RECORD", "EXIT_INIT_CHECK"}


def cache_entries(name: str, number: int) -> int:
    """Code units that follow an instruction: a list by number to 3.12, a dict by name later."""
    entries: Any = getattr(opcode, "_inline_cache_entries", {})
    if isinstance(entries, list):
        return int(entries[number]) if number < len(entries) else 0
    return int(entries.get(name, 0))


def has_argument(number: int) -> bool:
    """Whether the instruction reads its argument; the threshold alone says so to 3.11."""
    hasarg = getattr(opcode, "hasarg", None)
    return number in hasarg if hasarg is not None else number >= opcode.HAVE_ARGUMENT


def jump_kind(name: str, number: int) -> str:
    """How the argument of a jump is counted; the direction is in the names alone."""
    if number in opcode.hasjabs:
        return "absolute"
    if number not in opcode.hasjrel:
        return ""
    return "backward" if "BACKWARD" in name or name == "END_ASYNC_FOR" else "forward"


def rows() -> List[str]:
    """One line of Rust an opcode, by number."""
    lines = []
    for name, number in sorted(opcode.opmap.items(), key=lambda item: item[1]):
        if number > 255 or name in INTERNAL or name.startswith("INSTRUMENTED_"):
            continue
        line = f"    op({number}, {name})"
        if has_argument(number):
            line += ".arg()"
        if cache_entries(name, number):
            line += f".caches({cache_entries(name, number)})"
        if jump_kind(name, number):
            line += f".{jump_kind(name, number)}()"
        lines.append(line + ",")
    return lines


def runtime_rows() -> List[str]:
    """One line of Rust for each opcode that only the running interpreter writes, by number."""
    known: Dict[str, int] = getattr(dis, "_all_opmap", opcode.opmap)
    lines = []
    for name, number in sorted(known.items(), key=lambda item: item[1]):
        if number > 255:  # the compiler's own, gone before there is a code object
            continue
        if name in INTERNAL:
            lines.append(f'    (Maker::Interpreter, {number}, "{name}"),')
        elif name.startswith("INSTRUMENTED_"):
            lines.append(f'    (Maker::Monitoring, {number}, "{name}"),')
        elif name not in opcode.opmap:
            lines.append(f'    (Maker::Specializer, {number}, "{name}"),')
    return lines


def table() -> str:
    """The table of the running interpreter as a Rust file."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    maker = "Maker, " if runtime_rows() else ""
    return "\n".join(
        [
            f"//! The opcodes of Python {version}. Written by `tools/opcodes.py` under that interpreter.",
            "",
            f"use super::{{{maker}Mnemonic::*, Row, RuntimeRow, op}};",
            "",
            "#[rustfmt::skip]",
            "pub(super) const ROWS: &[Row] = &[",
            *rows(),
            "];",
            "",
            *runtime_table(),
        ]
    )


def runtime_table() -> List[str]:
    """The second table of the file; to 3.10 the interpreter writes no opcodes of its own."""
    found = runtime_rows()
    if not found:
        return ["pub(super) const RUNTIME: &[RuntimeRow] = &[];", ""]
    return ["#[rustfmt::skip]", "pub(super) const RUNTIME: &[RuntimeRow] = &[", *found, "];", ""]


def table_path() -> Path:
    """Where the table of the running interpreter is checked in."""
    return TABLES / f"v3_{sys.version_info[1]:02}.rs"


def mnemonics() -> str:
    """The names that occur in any table, as a Rust enum."""
    names: Set[str] = set()
    for path in TABLES.glob("v3_*.rs"):
        names.update(re.findall(r"op\(\d+, (\w+)\)", path.read_text(encoding="utf-8")))
    return "\n".join(
        [
            "//! Every name that an opcode has in some version. Written by `tools/opcodes.py --mnemonics`.",
            "",
            "super::mnemonics! {",
            *[f"    {name}," for name in sorted(names)],
            "}",
            "",
        ]
    )


def main() -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare with the checked-in table only")
    parser.add_argument("--mnemonics", action="store_true", help="write the enum of all names")
    arguments = parser.parse_args()
    path, text = (TABLES / "mnemonic.rs", mnemonics()) if arguments.mnemonics else (table_path(), table())
    if arguments.check:
        return 0 if path.is_file() and path.read_text(encoding="utf-8") == text else 1
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
