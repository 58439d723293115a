"""``full_code_for_<fn>_<i>.py``: all that became of one function, in one file.

The file reads from top to bottom as the program runs: which entry a call takes, then each entry's guard and
code, then the resume functions in the same way, then the user's own source.
"""

from __future__ import annotations

from typing import List

from depyf.torch.guards import guard_count, render
from depyf.torch.model import Compilation, Frame
from depyf.torch.safety import guarded
from depyf.torch.sanitize import file_part
from depyf.torch.writers.pages import Pages
from depyf.torch.writers.source import (
    arguments,
    commented,
    original_source,
    parameters,
    python_or_comment,
    source_of,
)
from depyf.torch.writers.transformed_code import GONE, break_reasons, break_summary, why_compiled


def write_full_code(pages: Pages) -> None:
    """Write one file for each function of the user."""
    for root in pages.roots():
        _write_function(pages, root)


@guarded("writing full code")
def _write_function(pages: Pages, root: Frame) -> None:
    pages.write(f"{pages.names.full_code(root)}.py", full_code(pages, root))


def full_code(pages: Pages, root: Frame) -> str:
    """Return all that became of one function, as text."""
    parts = [_introduction(pages, root)]
    for frame in pages.family(root):
        parts.append(_frame(pages, frame, is_root=frame is root))
    # Each part compiles by itself; a text of 200 KB, as a transformer gives, is not compiled again.
    return "\n\n".join(parts)


def _introduction(pages: Pages, root: Frame) -> str:
    code = root.code
    return commented(
        f"All that torch.compile made of {code.co_name}, {code.co_filename}:{code.co_firstlineno}\n"
        f"{_verdict_of_all(pages, root)}\n"
        "\n"
        "A call tries the entries in turn: the first whose guard holds runs its transformed code, which\n"
        "calls the compiled graphs and, after a graph break, a resume function, which is compiled like any\n"
        "other. The file is for reading. Guards see the locals as L and the globals as G; in them an id,\n"
        "which is an address, is shown as the type or as a number of the object, and what is not Python is\n"
        "a comment."
    )


def _verdict_of_all(pages: Pages, root: Frame) -> str:
    """Return one line for all transformed code in the file; each has its own below."""
    entries = [each for frame in pages.family(root) for each in frame.compilations]
    bad = [each for each in entries if not pages.transformed_source(each).verified]
    if not bad:
        return "verified against the bytecode"
    first = pages.names.transformed(bad[0])
    return f"unverified: {len(bad)} of {len(entries)} transformed codes, the first {first}"


def _frame(pages: Pages, frame: Frame, is_root: bool) -> str:
    title = (
        frame.name
        if is_root
        else f"{', '.join(pages.resume_names(frame))}, which goes on after a graph break"
    )
    parts = [commented(f"{'=' * 20} {title}")]
    parts.append(_dispatch(pages, frame))
    for compilation in frame.compilations:
        parts.append(_entry(pages, frame, compilation))
    parts.append(_original(pages, frame, is_root))
    return "\n\n".join(part.rstrip("\n") + "\n" for part in parts)


def _dispatch(pages: Pages, frame: Frame) -> str:
    code = frame.code
    local_names = code.co_varnames[: len(parameters_only(frame))]
    shown = ", ".join(f"{name!r}: {spelled}" for name, spelled in zip(local_names, parameters_only(frame)))
    cells = f"  # and its free variables: {', '.join(code.co_freevars)}" if code.co_freevars else ""
    lines = [
        f"def {_name(pages, frame)}({', '.join(parameters(code))}):",
        f"    L, G = {{{shown}}}, globals(){cells}",
    ]
    call = ", ".join(arguments(code))
    for compilation in reversed(frame.compilations):
        lines.append(
            f"    if {pages.names.guard(compilation)}(L, G):  # entry {pages.names.compile_id(compilation)}"
        )
        lines.append(f"        return {pages.names.transformed(compilation)}({call})")
    lines.append("    # No entry fits: Dynamo compiles a new one, or runs the function as it is.")
    lines.append(f"    return {_original_name(pages, frame)}({call})")
    return python_or_comment("\n".join(lines) + "\n")


def parameters_only(frame: Frame) -> List[str]:
    """Return the parameters' names, without the marks of a signature."""
    return [each.lstrip("*") for each in _in_varnames_order(frame)]


def _in_varnames_order(frame: Frame) -> List[str]:
    spelled = [each for each in parameters(frame.code) if each not in ("*", "/")]
    stars = [each for each in spelled if each.startswith("*") and not each.startswith("**")]
    return (
        [each for each in spelled if each not in stars and not each.startswith("**")]
        + stars
        + [each for each in spelled if each.startswith("**")]
    )


def _name(pages: Pages, frame: Frame) -> str:
    return next(iter(pages.resume_names(frame)), file_part(frame.name))


def _original_name(pages: Pages, frame: Frame) -> str:
    return f"__original_{_name(pages, frame).lstrip('_')}"


def _entry(pages: Pages, frame: Frame, compilation: Compilation) -> str:
    about = [
        f"The guard of entry {pages.names.compile_id(compilation)}: {_guard_summary(pages, compilation)}."
    ]
    guard = render(
        pages.names.guard(compilation), pages.guards(compilation), pages.sanitizer.text, "\n".join(about)
    )
    notes = [f"Compile id {pages.names.compile_id(compilation)}", *why_compiled(pages, frame, compilation)]
    notes += [f"Graph break: {break_summary(reason)}" for reason in break_reasons(pages, compilation)]
    if not compilation.alive:
        notes.append(GONE)
    source = pages.transformed_source(compilation)
    notes.append(source.verdict)
    return f"{guard}\n\n{''.join(commented(note) for note in notes)}{source.text}"


def _guard_summary(pages: Pages, compilation: Compilation) -> str:
    if not compilation.guard_text:
        return "torch kept no text of it"
    return f"{guard_count(pages.guards(compilation))} checks, all of which must hold"


def _original(pages: Pages, frame: Frame, is_root: bool) -> str:
    # Under its own name it would take the place of the dispatch above.
    source = original_source(frame.code, _original_name(pages, frame)) if is_root else None
    if source is not None:
        note = f"The user's own source, for reading: {frame.code.co_filename}:{frame.code.co_firstlineno}"
        return commented(note) + source
    decompiled = source_of(frame.code, _original_name(pages, frame), pages.sanitizer)
    title = f"{frame.name} as Dynamo got it, decompiled"
    return commented(title) + commented(decompiled.verdict) + decompiled.text
