"""``index.md`` for people and ``index.json`` for machines: how everything in the folder hangs together.

All that differs from run to run stands under ``run`` in ``index.json``: torch's own names with their UUIDs,
and torch's own compile ids.
"""

from __future__ import annotations

import json
import platform
from typing import Any, Dict, List

from depyf.torch import versions
from depyf.torch.guards import guard_count
from depyf.torch.model import KERNEL, Compilation, Frame, Graph, Source
from depyf.torch.safety import guarded
from depyf.torch.writers.pages import Pages
from depyf.torch.writers.transformed_code import (
    GONE,
    LINES_ABOVE,
    break_reasons,
    break_summary,
    why_compiled,
)

INDEX_JSON = "index.json"
INDEX_MD = "index.md"
FORMAT = 1


def write_index(pages: Pages) -> None:
    """Write both."""
    _write_json(pages)
    _write_markdown(pages)


@guarded("writing index.json")
def _write_json(pages: Pages) -> None:
    content = {
        "format": FORMAT,
        "torch": versions.torch_version(),
        "python": platform.python_version(),
        "frames": [_frame_json(pages, frame) for frame in pages.names.frames],
        "not_compiled": [_not_compiled_json(pages, each) for each in _not_compiled(pages)],
        "files": sorted([*pages.written, INDEX_JSON, INDEX_MD]),
        "run": {
            "torch_names": [
                {"name": name, "torch_name": torch_name}
                for name, torch_name in pages.names.globals.pairs()
                # Others are named after an address, which is of no use after the process.
                if name.startswith((versions.COMPILED_FUNCTION_PREFIX, versions.RESUME_PREFIX))
            ],
            "torch_compile_ids": _torch_compile_ids(pages),
        },
    }
    pages.write(INDEX_JSON, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _torch_compile_ids(pages: Pages) -> Dict[str, str]:
    return {
        pages.names.transformed(compilation): str(compilation.key)
        for frame in pages.names.frames
        for compilation in frame.compilations
        if compilation.key is not None
    }


def _frame_json(pages: Pages, frame: Frame) -> Dict[str, Any]:
    return {
        "name": frame.name,
        "qualified_name": getattr(frame.code, "co_qualname", frame.name),
        "file": frame.code.co_filename,
        "line": frame.code.co_firstlineno,
        "resume_names": pages.resume_names(frame),
        "full_code": f"{pages.names.full_code(pages.owner(frame))}.py",
        "entries": [_entry_json(pages, frame, compilation) for compilation in frame.compilations],
    }


def _entry_json(pages: Pages, frame: Frame, compilation: Compilation) -> Dict[str, Any]:
    source = pages.transformed_source(compilation)
    return {
        "compile_id": pages.names.compile_id(compilation),
        "transformed_code": f"{pages.names.transformed(compilation)}.py",
        "function": pages.names.transformed(compilation),
        "source": "listing" if source.problem else "decompiled",
        "problem": source.problem,
        "verified": source.verified,
        "verdict": source.verdict,
        "functions": _functions_json(source),
        "guard": pages.names.guard(compilation),
        "guards": guard_count(pages.guards(compilation)),
        "compiled_before_session": compilation.before_session,
        "alive": compilation.alive,
        "recompile_reasons": [
            pages.names.reason(pages.sanitizer.reason(reason)) for reason in compilation.recompile_reasons
        ],
        "graph_breaks": [
            {"summary": break_summary(text), "text": text} for text in break_reasons(pages, compilation)
        ],
        "graph": None if compilation.graph is None else _graph_json(pages, compilation.graph),
        "resume_functions": [
            {
                "name": pages.sanitizer.text(resume.torch_name),
                "entries": []
                if target is None
                else [f"{pages.names.transformed(each)}.py" for each in target.compilations],
            }
            for resume, target in ((resume, pages.frame_of(resume.code)) for resume in compilation.resumes)
        ],
    }


def _functions_json(source: Source) -> List[Dict[str, Any]]:
    """Return what is known about each function of a file, with the line where the file has it."""
    if source.decompilation is None:
        return []
    above = LINES_ABOVE + source.lines_above
    return [
        {
            "qualified_name": name,
            "line": above + line,
            "verified": verdict is not None and verdict.verified,
            "reason": "nobody looked" if verdict is None else verdict.reason,
        }
        for name, line, verdict in source.decompilation.functions
    ]


def _graph_json(pages: Pages, graph: Graph) -> Dict[str, Any]:
    return {
        "name": pages.names.graph(graph),
        "files": [{"stage": file.stage, "file": file.name} for file in pages.graph_files.get(id(graph), [])],
        "lost_in_inductor_cache": pages.missing_stages(graph),
    }


def _not_compiled(pages: Pages) -> List[Compilation]:
    return [each for each in pages.recording.without_code() if each.name or each.graph]


def _not_compiled_json(pages: Pages, compilation: Compilation) -> Dict[str, Any]:
    return {
        "compile_id": pages.names.compile_id(compilation),
        "name": compilation.name,
        "file": compilation.filename,
        "line": compilation.line,
        "reason": pages.sanitizer.text(compilation.failure),
        "graph_breaks": [break_summary(text) for text in break_reasons(pages, compilation)],
        "graph": None if compilation.graph is None else _graph_json(pages, compilation.graph),
    }


@guarded("writing index.md")
def _write_markdown(pages: Pages) -> None:
    lines = [
        "# What torch.compile made of this program",
        "",
        f"torch {versions.torch_version()}, Python {platform.python_version()}.",
        "",
        *_reading_advice(pages),
        *_overview(pages),
    ]
    for root in pages.roots():
        lines += _function_section(pages, root)
    lines += _not_compiled_section(pages)
    lines += [
        "## Names",
        "",
        "- Compile id `0/1` is compilation 1 of frame 0; frames are numbered as they were compiled.",
        "- `__compiled_fn_N` is graph N of this folder; `__resume_at_O_K` goes on at bytecode offset O.",
        "- Torch's own names and ids stand in [index.json](index.json) under `run`.",
        "",
    ]
    pages.write(INDEX_MD, "\n".join(lines))


def _reading_advice(pages: Pages) -> List[str]:
    roots = pages.roots()
    if not roots:
        return ["No function was compiled while `prepare_debug` was active, and none before.", ""]
    first = f"{pages.names.full_code(roots[0])}.py"
    return [
        f"**Read first: {_link(first)}.** It shows all of `{roots[0].name}`: which compiled version a call",
        "takes, the guards and the code of each, and your own source. Then follow the links below, from a",
        "function to its compiled versions (cache entries), to the graphs that they run, and to the kernels.",
        "",
    ]


def _overview(pages: Pages) -> List[str]:
    if not pages.roots():
        return []
    lines = [
        "| function | defined at | entries | verified | graphs | graph breaks | all of it |",
        "|---|---|---|---|---|---|---|",
    ]
    for root in pages.roots():
        entries = [each for frame in pages.family(root) for each in frame.compilations]
        verified = sum(pages.transformed_source(each).verified for each in entries)
        graphs = sum(each.graph is not None for each in entries)
        breaks = sum(len(each.break_reasons) for each in entries)
        lines.append(
            f"| [`{root.name}`](#{_anchor(pages, root)}) | {_place(root)} "
            f"| {len(entries)} | {verified} | {graphs} | {breaks} "
            f"| {_link(pages.names.full_code(root) + '.py')} |"
        )
    return [*lines, ""]


def _function_section(pages: Pages, root: Frame) -> List[str]:
    lines = [
        f'<a id="{_anchor(pages, root)}"></a>',
        "",
        f"## `{root.name}`, {_place(root)}",
        "",
        f"All of it: {_link(pages.names.full_code(root) + '.py')}",
        "",
    ]
    for frame in pages.family(root):
        if frame is not root:
            lines += [f"### Resume function `{', '.join(pages.resume_names(frame))}`, {_place(frame)}", ""]
        for compilation in frame.compilations:
            lines += _entry_lines(pages, frame, compilation)
    return lines


def _entry_lines(pages: Pages, frame: Frame, compilation: Compilation) -> List[str]:
    name = pages.names.transformed(compilation)
    lines = [f"- **{pages.names.compile_id(compilation)}**: {_link(name + '.py')}"]
    lines += [f"  - {reason}" for reason in why_compiled(pages, frame, compilation)]
    if not compilation.alive:
        lines.append(f"  - {GONE}")
    source = pages.transformed_source(compilation)
    if source.problem:
        lines.append(f"  - not decompiled, its bytecode is listed: {source.problem}")
    lines.append(f"  - {_text(source.verdict)}")
    full_code = f"{pages.names.full_code(pages.owner(frame))}.py"
    count = guard_count(pages.guards(compilation))
    lines.append(f"  - guards: {count}, in `{pages.names.guard(compilation)}` of {_link(full_code)}")
    if compilation.graph is not None:
        lines += _graph_lines(pages, compilation.graph)
    lines += [f"  - graph break: {_text(break_summary(each))}" for each in break_reasons(pages, compilation)]
    for resume in compilation.resumes:
        target = pages.frame_of(resume.code)
        links = (
            []
            if target is None
            else [_link(f"{pages.names.transformed(each)}.py") for each in target.compilations]
        )
        shown = ", ".join(links) or "not compiled while this was recorded"
        lines.append(f"  - goes on in `{pages.sanitizer.text(resume.torch_name)}`: {shown}")
    return [*lines, ""]


def _graph_lines(pages: Pages, graph: Graph) -> List[str]:
    files = pages.graph_files.get(id(graph), [])
    graphs = [f"[{file.stage}]({file.name})" for file in files if not file.stage.startswith(KERNEL)]
    kernels = [f"[{file.stage}]({file.name})" for file in files if file.stage.startswith(KERNEL)]
    lines = [f"  - graph `{pages.names.graph(graph)}`: {', '.join(graphs) or 'no text of it was recorded'}"]
    if kernels:
        lines.append(f"    - kernels: {', '.join(kernels)}")
    missing = pages.missing_stages(graph)
    if missing:
        lines.append(
            f"    - not here: {', '.join(missing)}. The graph came from Inductor's cache, which was filled "
            "without depyf and does not hold them."
        )
    return lines


def _not_compiled_section(pages: Pages) -> List[str]:
    given_up = _not_compiled(pages)
    if not given_up:
        return []
    lines = ["## Run as they are", "", "Dynamo tried these and then left them to Python.", ""]
    for each in given_up:
        reasons = [break_summary(text) for text in break_reasons(pages, each)]
        reason = pages.sanitizer.text(each.failure) or "; ".join(reasons) or "torch gives no reason"
        place = f"{each.filename}:{each.line}"
        lines.append(f"- {pages.names.compile_id(each)} `{each.name}`, {place}: {_text(reason)}")
        if each.graph is not None:
            lines += _graph_lines(pages, each.graph)
    return [*lines, ""]


def _place(frame: Frame) -> str:
    return f"{frame.code.co_filename}:{frame.code.co_firstlineno}"


def _anchor(pages: Pages, frame: Frame) -> str:
    return pages.names.full_code(frame)


def _link(name: str) -> str:
    return f"[{name}]({name})"


def _text(text: str) -> str:
    return " ".join(text.split())
