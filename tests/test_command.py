"""The `depyf` command, run as users run it."""

from __future__ import annotations

import dis
import json
import py_compile
import re
import subprocess
import sys
from pathlib import Path
from types import CodeType
from typing import Any, Dict, List, Tuple

import pytest

import depyf

SOURCE = "import os\n\ndef join(a, b=1):\n    return os.path.join(a, 'x', b)\n"


def depyf_command(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    words = [str(argument) for argument in arguments]
    done = subprocess.run([sys.executable, "-m", "depyf", *words], capture_output=True, input=stdin)
    stdout, stderr = (text.decode("utf-8") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, stdout, stderr)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tree with two modules and one file that only looks like one."""
    tree = tmp_path / "tree"
    (tree / "package").mkdir(parents=True)
    for name in ("first", "package/second"):
        source = tmp_path / "source.py"
        source.write_text(SOURCE, encoding="utf-8")
        py_compile.compile(str(source), cfile=str(tree / f"{name}.pyc"), doraise=True)
    (tree / "broken.pyc").write_bytes(b"\x00" * 40)
    return tree


def run_source(source: str) -> Dict[str, Any]:
    namespace: Dict[str, Any] = {}
    exec(source, namespace)
    return namespace


def test_one_file(folder: Path) -> None:
    done = depyf_command("decompile", folder / "first.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    assert run_source(done.stdout)["join"]("a", "b").endswith("b")


def test_a_tree_goes_on_behind_a_broken_file(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "sources"
    done = depyf_command("decompile", folder, "-o", output)
    assert done.returncode == 1
    assert "broken.pyc" in done.stderr
    assert "at byte 0" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(path.relative_to(output).as_posix() for path in output.rglob("*.py")) == [
        "first.py",
        "package/second.py",
    ]
    assert "join" in run_source((output / "package" / "second.py").read_text(encoding="utf-8"))


def test_json(folder: Path) -> None:
    done = depyf_command("decompile", "--json", folder)
    rows = {Path(row["path"]).name: row for row in map(json.loads, done.stdout.splitlines())}
    assert sorted(rows) == ["broken.pyc", "first.pyc", "second.pyc"]
    assert "join" in run_source(rows["first.pyc"]["source"])
    assert rows["first.pyc"]["map"]
    assert "source" not in rows["broken.pyc"]
    assert rows["broken.pyc"]["error"]["message"]


def test_original_layout(folder: Path) -> None:
    source = "import os\n\n\ndef join(a,\n         b=1): return os.path.join(a,\n  'x', b)\n"
    path = folder / "spread.py"
    path.write_text(source, encoding="utf-8")
    py_compile.compile(str(path), cfile=str(folder / "spread.pyc"), doraise=True)
    done = depyf_command("decompile", "--layout", "original", folder / "spread.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines == ["import os", "", "", "def join(a, b=1):", "return os.path.join(a,", "'x', b)"]


def compiled(source: str, folder: Path, name: str, optimize: int) -> CodeType:
    """Write a file of bytecode under the name, and return its code."""
    path = folder / "compiled.py"
    path.write_text(source, encoding="utf-8")
    py_compile.compile(str(path), cfile=str(folder / name), doraise=True, optimize=optimize)
    return compile(source, "compiled.py", "exec", dont_inherit=True, optimize=optimize)


def nested_code(code: CodeType) -> List[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def operations(code: CodeType) -> List[Tuple[str, Any]]:
    """What a code object does. A line may have a NOP of its own, and then borrow no reference (3.14)."""
    found = [(inner.opname.replace("_BORROW", ""), inner.argval) for inner in dis.get_instructions(code)]
    return [(name, None if isinstance(value, CodeType) else value) for name, value in found if name != "NOP"]


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects and all nested ones, in their order, do the same."""
    inner = nested_code(a), nested_code(b)
    alike = len(inner[0]) == len(inner[1]) and all(map(same_code, *inner))
    return alike and operations(a) == operations(b)


def test_stores_that_were_dropped_are_on_the_line_of_the_one_that_is_left(folder: Path) -> None:
    source = "def f(value):\n    (\n        _, *_, _\n    ) = value or 'text'\n    return _\n"
    code = compiled(source, folder, "dropped.pyc", 0)
    done = depyf_command("decompile", "--layout", "original", folder / "dropped.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    assert same_code(compile(done.stdout, "printed.py", "exec", dont_inherit=True, optimize=0), code)


def test_what_was_optimized_away_is_not_printed(folder: Path) -> None:
    source = "__doc__ = 'text'\n\ndef f(a):\n    if not a: raise AssertionError\n    return a\n"
    code = compiled(source, folder, "named.opt-2.pyc", 2)
    done = depyf_command("decompile", folder / "named.opt-2.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    printed = compile(done.stdout, "printed.py", "exec", dont_inherit=True, optimize=2)
    assert same_code(printed, code)
    namespace: Dict[str, Any] = {}
    exec(printed, namespace)
    assert namespace["__doc__"] == "text"
    with pytest.raises(AssertionError):
        namespace["f"](0)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns tell what was written, from 3.11 on")
def test_an_assignment_is_no_docstring(folder: Path) -> None:
    compiled("__doc__ = 'text'\na = 1\n", folder, "assigned.pyc", 0)
    assert depyf_command("decompile", folder / "assigned.pyc").stdout.startswith("__doc__ = 'text'")
    compiled("'text'\na = 1\n", folder, "documented.pyc", 0)
    assert depyf_command("decompile", folder / "documented.pyc").stdout.startswith('"""text"""')


def test_functions_that_were_optimized_away_are_no_code(folder: Path) -> None:
    kept = "    def f(self, a='', b='*'): return a, b\n"
    dropped = "    if __debug__:\n        def g(self): return 1\n"
    code = compiled(f"class A:\n    x = None\n{kept}{dropped}", folder, "class.opt-2.pyc", 2)
    done = depyf_command("decompile", folder / "class.opt-2.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    assert same_code(compile(done.stdout, "printed.py", "exec", dont_inherit=True, optimize=2), code)


def test_functions_of_a_handler_that_nothing_reaches_add_no_code(folder: Path) -> None:
    handler = "    try: pass\n    except KeyError:\n        def g(): return a\n        g()\n"
    code = compiled(f"def f(a):\n{handler}    return a + 2000\n", folder, "handler.pyc", 0)
    done = depyf_command("decompile", folder / "handler.pyc")
    assert (done.returncode, done.stderr) == (0, "")
    printed = compile(done.stdout, "printed.py", "exec", dont_inherit=True, optimize=0)
    was, now = (nested_code(module)[0] for module in (code, printed))
    assert [[g.co_name for g in nested_code(f)] for f in (was, now)] == [["g"], ["g"]]
    # An empty list is what a test of code that must be compiled, and never runs, looks at.
    assert "BUILD_LIST" not in [instruction.opname for instruction in dis.get_instructions(now)]


def test_dis(folder: Path) -> None:
    done = depyf_command("dis", folder / "first.pyc")
    assert done.returncode == 0
    assert "# join, line 3" in done.stdout
    assert "LOAD_GLOBAL" in done.stdout
    assert "(os)" in done.stdout


def test_dis_goes_on_behind_a_broken_file(folder: Path) -> None:
    done = depyf_command("dis", "--json", folder)
    assert done.returncode == 1
    assert "broken.pyc" in done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(Path(row["path"]).name, row["qualname"]) for row in rows] == [
        ("first.pyc", "<module>"),
        ("first.pyc", "join"),
        ("second.pyc", "<module>"),
        ("second.pyc", "join"),
    ]
    assert all("RETURN" in row["listing"] for row in rows)


def test_json_names_each_function(folder: Path) -> None:
    done = depyf_command("decompile", "--json", folder / "first.pyc")
    row = json.loads(done.stdout)
    assert row["python"] == "{}.{}".format(*sys.version_info)
    assert [(function["qualname"], function["line"]) for function in row["functions"]] == [
        ("<module>", 1),
        ("join", 1 + row["source"].splitlines().index("def join(a, b=1):")),
    ]
    assert row["verdict"] in {function["verdict"] for function in row["functions"]}


@pytest.mark.parametrize("verb", ["decompile", "dis"])
def test_standard_input(folder: Path, verb: str) -> None:
    done = depyf_command(verb, "-", stdin=(folder / "first.pyc").read_bytes())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == depyf_command(verb, folder / "first.pyc").stdout


def test_marshal_without_a_header(folder: Path) -> None:
    content = (folder / "first.pyc").read_bytes()[16:]
    expected = depyf_command("decompile", folder / "first.pyc").stdout
    guessed = depyf_command("decompile", "-", stdin=content)
    assert (guessed.returncode, guessed.stdout) == (0, expected)
    assert "there is no header" in guessed.stderr
    told = depyf_command("decompile", "--python", "{}.{}".format(*sys.version_info), "-", stdin=content)
    assert (told.returncode, told.stdout, told.stderr) == (0, expected, "")


def test_an_unknown_magic_number(folder: Path) -> None:
    content = b"\x07\x00" + (folder / "first.pyc").read_bytes()[2:]
    done = depyf_command("decompile", "-", stdin=content)
    assert done.returncode == 0
    assert "magic number 7" in done.stderr
    assert "join" in run_source(done.stdout)


def test_the_order_of_output_does_not_depend_on_jobs(tmp_path: Path, folder: Path) -> None:
    for number in range(40):
        (folder / f"copy{number}.pyc").write_bytes((folder / "first.pyc").read_bytes())
    one, four = (depyf_command("decompile", folder, "--jobs", jobs) for jobs in (1, 4))
    assert (one.stdout, one.stderr) == (four.stdout, four.stderr)
    assert one.stdout.count("def join") == 42


def test_a_source_is_verified(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    done = depyf_command("verify", folder / "first.pyc", source)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 of 2 code objects verified" in done.stdout
    source.write_text(SOURCE.replace("'x'", "'y'"), encoding="utf-8")
    done = depyf_command("verify", folder / "first.pyc", source)
    assert done.returncode == 1
    assert "join is unverified" in done.stderr
    assert "source.py:4" in done.stderr


def test_a_source_is_verified_for_programs(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text(SOURCE.replace("'x'", "'y'"), encoding="utf-8")
    done = depyf_command("verify", "--json", folder / "first.pyc", source)
    row = json.loads(done.stdout)
    assert (done.returncode, row["path"], row["verdict"]) == (1, str(folder / "first.pyc"), "unverified")
    assert [function["verdict"] for function in row["functions"]] == ["verified", "unverified"]
    assert row["functions"][1]["divergence"]["line"] == 4
    source.write_text("def :", encoding="utf-8")
    done = depyf_command("verify", "--json", folder / "first.pyc", source)
    assert (done.returncode, "source.py" in json.loads(done.stdout)["error"]["message"]) == (1, True)
    assert set(json.loads(done.stdout)) == {"path", "error"}


def test_a_source_that_is_none(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "wrong.py"
    source.write_text("def :", encoding="utf-8")
    done = depyf_command("verify", folder / "first.pyc", source)
    assert done.returncode == 1
    assert "wrong.py" in done.stderr


def test_verification_may_be_left_out(folder: Path) -> None:
    verdicts = [
        json.loads(depyf_command("decompile", "--json", *options, folder / "first.pyc").stdout)["verdict"]
        for options in ([], ["--no-verify"])
    ]
    assert verdicts == ["verified", "unchecked"]


def test_steps(folder: Path) -> None:
    done = depyf_command("steps", folder / "first.pyc", "--function", "join")
    assert (done.returncode, done.stderr) == (0, "")
    assert "# 0. decode: " in done.stdout
    assert "\n    return os.path" not in done.stdout, "the body alone is printed"
    assert "\nreturn os.path.join(a, 'x', b)\n" in done.stdout
    one = depyf_command("steps", folder / "first.pyc", "--function", "join", "--pass", "structure")
    assert one.stdout.startswith("# ")
    assert one.stdout.count("# ") == 1


@pytest.mark.parametrize("arguments", [["--function", "nothing"], ["--pass", "nothing"]])
def test_steps_of_what_is_not_there(folder: Path, arguments: list[str]) -> None:
    done = depyf_command("steps", folder / "first.pyc", *arguments)
    assert done.returncode == 1
    assert "nothing" in done.stderr
    assert "join" in done.stderr or "structure" in done.stderr


def test_two_sources_never_share_a_file(folder: Path, tmp_path: Path) -> None:
    done = depyf_command("decompile", folder / "first.pyc", folder / "first.pyc", "-o", tmp_path / "out")
    assert done.returncode == 1
    assert "would replace" in done.stderr


def test_no_colour_in_a_pipe(folder: Path) -> None:
    done = depyf_command("decompile", folder)
    assert "\x1b" not in done.stdout + done.stderr


def test_colour_where_it_is_asked_for(folder: Path) -> None:
    plain = depyf_command("decompile", folder / "first.pyc").stdout
    colored = depyf_command("decompile", "--color", "always", folder / "first.pyc").stdout
    assert "\x1b" in colored
    assert re.sub("\x1b\\[[0-9;]*m", "", colored) == plain


@pytest.mark.parametrize(
    "arguments", [[], ["decompile"], ["nonsense"], ["decompile", "--view", "other", "x"]]
)
def test_wrong_usage(arguments: list[str]) -> None:
    done = depyf_command(*arguments)
    assert done.returncode == 2
    assert "Usage" in done.stderr or "possible values" in done.stderr


def test_missing_file(tmp_path: Path) -> None:
    done = depyf_command("decompile", tmp_path / "nothing.pyc")
    assert done.returncode == 1
    assert "nothing.pyc" in done.stderr


def test_coverage() -> None:
    rows = [json.loads(line) for line in depyf_command("coverage", "--json").stdout.splitlines()]
    assert {row["python"] for row in rows} == {f"3.{minor}" for minor in range(8, 16)}
    compiled = [row for row in rows if row["made_by"] == "compiler"]
    assert all(way["tests"] for row in compiled for way in row["ways"])
    table = depyf_command("coverage", "--python", "3.14").stdout
    assert "LOAD_FAST_BORROW_LOAD_FAST_BORROW" in table
    assert "BINARY_ADD " not in table


def test_version() -> None:
    assert depyf_command("--version").stdout.split() == ["depyf", depyf.__version__]
