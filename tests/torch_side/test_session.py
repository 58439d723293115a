"""`prepare_debug` as a context: how it is entered, what it leaves alone, what it finds."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import depyf
from depyf.torch import versions
from support import assert_all_compile, assert_nothing_varies, comparable, read_index


def plus_one(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def compiled(function: Any = plus_one, **options: Any) -> Any:
    torch._dynamo.reset()
    return torch.compile(function, backend="eager", **options)


def test_import_depyf_imports_no_torch() -> None:
    script = (
        "import sys, depyf\n"
        "assert 'torch' not in sys.modules\n"
        "depyf.prepare_debug\n"
        "assert 'torch' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("kind", [str, Path])
def test_folder_is_created(kind: Any, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with depyf.prepare_debug(kind(folder)):
        compiled()(torch.ones(2))
    assert "index.md" in assert_all_compile(folder)


def test_folder_must_be_a_path() -> None:
    with pytest.raises(TypeError):
        depyf.prepare_debug(3)


def test_nesting_is_an_error(tmp_path: Path) -> None:
    with depyf.prepare_debug(tmp_path / "outer"):
        with pytest.raises(RuntimeError, match="cannot be nested"), depyf.prepare_debug(tmp_path / "inner"):
            pass
        compiled()(torch.ones(2))
    assert not (tmp_path / "inner").exists()
    assert (tmp_path / "outer" / "full_code_for_plus_one_0.py").exists()


def test_by_hand_and_twice(tmp_path: Path) -> None:
    session = depyf.prepare_debug(tmp_path)
    for function in (plus_one, lambda x: x - 1):
        session.__enter__()
        compiled(function)(torch.ones(2))
        session.__exit__(None, None, None)
    with pytest.raises(RuntimeError):
        session.__exit__(None, None, None)
    assert {"full_code_for_plus_one_0.py", "full_code_for__lambda__0.py"} <= set(assert_all_compile(tmp_path))


def test_exception_passes_and_the_dump_is_written(tmp_path: Path) -> None:
    error = ValueError("from the body")
    with pytest.raises(ValueError) as caught, depyf.prepare_debug(tmp_path):
        compiled()(torch.ones(2))
        raise error
    assert caught.value is error and error.__context__ is None
    assert (tmp_path / "full_code_for_plus_one_0.py").exists()


def test_torch_is_left_as_it_was(tmp_path: Path) -> None:
    logger = versions.trace_logger()
    assert logger is not None
    convert_frame = torch._dynamo.convert_frame

    def state() -> Any:
        return [
            [each for each in logger.handlers if type(each).__name__ != "LazyTraceHandler"],
            logger.level,
            dict(convert_frame._bytecode_hooks),
            torch._dynamo.utils.lazy_format_graph_code,
            dict(torch._dynamo.config._config) if hasattr(torch._dynamo.config, "_config") else None,
        ]

    before = state()
    with depyf.prepare_debug(tmp_path):
        compiled()(torch.ones(2))
    assert state() == before


def test_other_trace_handlers_still_see_everything(tmp_path: Path) -> None:
    class Counting(logging.Handler):
        count = 0

        def emit(self, record: logging.LogRecord) -> None:
            # Torch times each bytecode hook, ours too.
            self.count += "chromium_event" not in vars(record)["metadata"]

    logger = versions.trace_logger()
    assert logger is not None
    handler = Counting()
    logger.addHandler(handler)
    try:
        # Some events come once per process.
        compiled()(torch.ones(2))
        handler.count = 0
        compiled()(torch.ones(2))
        alone, handler.count = handler.count, 0
        with depyf.prepare_debug(tmp_path):
            compiled()(torch.ones(2))
        assert handler.count == alone
    finally:
        logger.removeHandler(handler)


def test_handler_survives_set_logs(tmp_path: Path) -> None:
    function = compiled()
    with depyf.prepare_debug(tmp_path):
        function(torch.ones(2))
        torch._logging.set_logs()
        function(torch.ones(3, 3))
        function(torch.ones(4, 4, 4))
    graphs = [entry["graph"]["files"] for entry in read_index(tmp_path)["frames"][0]["entries"]]
    assert graphs[0] and graphs[-1]


def test_compiled_before_the_session(tmp_path: Path) -> None:
    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    function = compiled(broken)
    function(torch.ones(2))
    with depyf.prepare_debug(tmp_path):
        function(torch.ones(2))
    assert_all_compile(tmp_path)
    index = read_index(tmp_path)
    entries = [frame["entries"][0] for frame in index["frames"]]
    assert [frame["name"][:8] for frame in index["frames"]] == ["broken", "torch_dy"]
    assert all(entry["compiled_before_session"] and entry["guards"] > 3 for entry in entries)
    assert all(entry["graph"]["files"] for entry in entries)
    assert entries[0]["resume_functions"][0]["entries"] == [entries[1]["transformed_code"]]
    full_code = (tmp_path / "full_code_for_broken_0.py").read_text("utf-8")
    assert "check_tensor(L['x']" in full_code and "y = x + 1" in full_code


def test_module_died(tmp_path: Path) -> None:
    with depyf.prepare_debug(tmp_path):
        module = torch.nn.Linear(2, 2)
        compiled(module)(torch.ones(1, 2))
        del module
        torch._dynamo.reset()
        gc.collect()
    entry = read_index(tmp_path)["frames"][0]["entries"][0]
    assert not entry["alive"] and entry["guards"] > 3 and entry["graph"]["files"]
    assert "entry is gone" in (tmp_path / "index.md").read_text("utf-8")
    assert "entry is gone" in (tmp_path / entry["transformed_code"]).read_text("utf-8")


def test_recompile_reason(tmp_path: Path) -> None:
    with depyf.prepare_debug(tmp_path):
        function = compiled(dynamic=False)
        for size in (2, 3):
            function(torch.ones(size))
    header = (tmp_path / "__transformed_code_1_for_plus_one.py").read_text("utf-8")
    assert "Recompiled because: 0/0: tensor 'x' size mismatch" in header
    assert "Compile id 0/1" in header and f"{Path(__file__)}:" in header
    assert "size mismatch" in (tmp_path / "index.md").read_text("utf-8")


def test_frame_that_dynamo_gives_up(tmp_path: Path) -> None:
    def skipped(x: torch.Tensor) -> torch.Tensor:
        for _ in range(2):
            torch._dynamo.graph_break()
            x = x + 1
        return x

    with depyf.prepare_debug(tmp_path):
        compiled(skipped)(torch.ones(2))
    assert "`skipped`" in (tmp_path / "index.md").read_text("utf-8")
    assert any(each["name"] == "skipped" for each in read_index(tmp_path)["not_compiled"])


def test_named_graphs(tmp_path: Path) -> None:
    def backend(graph_module: Any, example_inputs: Any) -> Any:
        torch._dynamo.utils.lazy_format_graph_code("before split", graph_module)
        torch._dynamo.utils.lazy_format_graph_code("after split", graph_module)
        return graph_module.forward

    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path):
        torch.compile(plus_one, backend=backend)(torch.ones(2))
    files = assert_all_compile(tmp_path)
    assert "__compiled_fn_1.before_split.0.py" in files and "__compiled_fn_1.after_split.0.py" in files


def test_log_bytecode(tmp_path: Path) -> None:
    dill = pytest.importorskip("dill")
    with depyf.prepare_debug(tmp_path, log_bytecode=True):
        compiled()(torch.ones(2))
    name = "__transformed_code_0_for_plus_one.py"
    original = dill.loads((tmp_path / f"{name}.original_bytecode").read_bytes())
    transformed = dill.loads((tmp_path / f"{name}.transformed_bytecode").read_bytes())
    assert original == plus_one.__code__
    assert any("__compiled_fn" in each for each in transformed.co_names)


def test_fx_sources_are_kept_on_demand(tmp_path: Path) -> None:
    with depyf.prepare_debug(tmp_path / "clean"):
        compiled()(torch.ones(2))
    with depyf.prepare_debug(tmp_path / "all", clean_wild_fx_code=False):
        compiled()(torch.ones(2))
    assert not list((tmp_path / "clean").glob("fx_graph_code_*.py"))
    assert list((tmp_path / "all").glob("fx_graph_code_*.py"))
    assert_all_compile(tmp_path / "all")


def test_numbers_do_not_depend_on_what_ran_before(tmp_path: Path) -> None:
    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x + len("abc")
        print("break")
        return y * 2

    def dump(folder: Path) -> None:
        torch._dynamo.reset()
        with depyf.prepare_debug(folder):
            torch.compile(broken, backend="eager")(torch.ones(2))

    dump(tmp_path / "first")
    for _ in range(3):
        compiled()(torch.ones(2))
    dump(tmp_path / "second")
    assert comparable(tmp_path / "first") == comparable(tmp_path / "second")
    assert_nothing_varies(tmp_path / "first")
    names = {
        each["name"]: each["torch_name"] for each in read_index(tmp_path / "second")["run"]["torch_names"]
    }
    assert names["__compiled_fn_1"].startswith("__compiled_fn_") and "__compiled_fn_2" in names


def test_files_of_an_earlier_run_are_removed(tmp_path: Path) -> None:
    script = (
        "import sys, torch, depyf\n"
        "def two(x): return x + 1\n"
        "with depyf.prepare_debug(sys.argv[1]):\n"
        "    torch.compile(two, backend='eager')(torch.ones(2))\n"
    )
    (tmp_path / "full_code_for_mine.py").write_text("# not of any run\n")
    with depyf.prepare_debug(tmp_path):
        compiled()(torch.ones(2))
    assert "full_code_for_plus_one_0.py" in assert_all_compile(tmp_path)
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    files = assert_all_compile(tmp_path)
    assert "full_code_for_two_0.py" in files and "full_code_for_plus_one_0.py" not in files
    assert "full_code_for_mine.py" in files


def test_several_processes(tmp_path: Path) -> None:
    script = (
        "import sys, torch, depyf\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "import test_session\n"
        "with depyf.prepare_debug(sys.argv[1]):\n"
        "    test_session.compiled()(torch.ones(2))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), str(Path(__file__).parent)]
    with depyf.prepare_debug(tmp_path):
        # Both are alive at once, and both want the folder.
        children = [subprocess.Popen(command, env={**os.environ, "RANK": "3"}), subprocess.Popen(command)]
        assert [child.wait(300) for child in children] == [0, 0]
        compiled()(torch.ones(2))
    dumps = [assert_all_compile(folder) for folder in (tmp_path / "rank_3", tmp_path / "process_1")]
    assert dumps[0] == dumps[1] == [name for name in assert_all_compile(tmp_path) if "." in name]
    texts = [
        (folder / "full_code_for_plus_one_0.py").read_text() for folder in (tmp_path, tmp_path / "rank_3")
    ]
    assert texts[0] == texts[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_inside_the_session(tmp_path: Path) -> None:
    script = (
        "import os, sys, torch, depyf\n"
        "with depyf.prepare_debug(sys.argv[1]):\n"
        "    torch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n"
        "    child = os.fork()\n"
        "if child:\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    assert (tmp_path / "index.md").exists()
    for path in tmp_path.rglob("*.py"):
        compile(path.read_text("utf-8"), str(path), "exec")


def test_index_leads_everywhere(tmp_path: Path) -> None:
    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        print("break")
        return y * 2

    with depyf.prepare_debug(tmp_path):
        compiled(broken)(torch.ones(2))
    text = (tmp_path / "index.md").read_text("utf-8")
    files = {path.name for path in tmp_path.iterdir()}
    links = set()
    for part in text.split("](")[1:]:
        links.add(part.split(")")[0])
    assert {link for link in links if not link.startswith("#")} <= files
    assert files - links == {"index.md"}
    assert f"{Path(__file__)}:" in text and "Read first: [full_code_for_broken_0.py]" in text
    assert sorted(read_index(tmp_path)["files"]) == sorted(files)
