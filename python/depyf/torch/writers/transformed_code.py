"""``__transformed_code_<i>_for_<fn>.py``: what Dynamo runs instead of a function, one file for each entry."""

from __future__ import annotations

import re
from types import CodeType
from typing import List

from depyf.torch.model import Compilation, Frame, Source
from depyf.torch.safety import guarded
from depyf.torch.writers.pages import Pages
from depyf.torch.writers.source import commented

_INTERNAL = re.compile(r"(?ms)^(?:NoneType: None|Traceback \(most recent call last\):).*")
_SITE = re.compile(r"Graph break in user code at (?P<site>.+:\d+)")
_REASON = re.compile(r"(?:Graph Break )?Reason: (?P<reason>.+)")


def write_transformed_code(pages: Pages, log_bytecode: bool) -> None:
    """Write the files of all entries."""
    for frame in pages.names.frames:
        for compilation in frame.compilations:
            _write_entry(pages, frame, compilation)
            if log_bytecode:
                _write_bytecode(pages, frame, compilation)


@guarded("writing transformed code")
def _write_entry(pages: Pages, frame: Frame, compilation: Compilation) -> None:
    notes = "".join(commented(line) for line in notes_of(pages, frame, compilation))
    source = pages.transformed_source(compilation)
    name = f"{pages.names.transformed(compilation)}.py"
    pages.write(name, f"{text_above(frame.code, source)}{source.text}\n\n{notes}")


def text_above(original: CodeType, source: Source) -> str:
    """Return what stands above the function: always so many lines, because the function runs where it is.

    The second line is the verdict, `verified against the bytecode` or `unverified:` with the reason.
    """
    place = f"{original.co_name}, {original.co_filename}:{original.co_firstlineno}"
    title = f"What Dynamo runs instead of {place}".replace("\n", " ")
    return f"{commented(title)}{commented(source.verdict)}\n"


LINES_ABOVE = 3


@guarded("writing bytecode")
def _write_bytecode(pages: Pages, frame: Frame, compilation: Compilation) -> None:
    # Dynamo's constants, such as a dtype, are beyond marshal.
    import dill

    name = f"{pages.names.transformed(compilation)}.py"
    for kind, code in (("original", frame.code), ("transformed", compilation.transformed)):
        pages.write(f"{name}.{kind}_bytecode", dill.dumps(code))


def notes_of(pages: Pages, frame: Frame, compilation: Compilation) -> List[str]:
    """Return the lines that say what an entry is, why it was made, and what it leads to."""
    lines = [
        f"Compile id {pages.names.compile_id(compilation)}",
        *why_compiled(pages, frame, compilation),
    ]
    if not compilation.alive:
        lines.append(GONE)
    for reason in break_reasons(pages, compilation):
        lines.append(f"Graph break: {reason}")
    if compilation.graph is not None:
        lines.append(
            f"Graph: {pages.names.graph(compilation.graph)} (files {pages.names.graph(compilation.graph)}.*)"
        )
    for resume in compilation.resumes:
        name = pages.sanitizer.text(resume.torch_name)
        target = pages.frame_of(resume.code)
        if target is None:
            lines.append(f"Goes on in {name}, which was not compiled while this was recorded")
        else:
            files = ", ".join(f"{pages.names.transformed(each)}.py" for each in target.compilations)
            lines.append(f"Goes on in {name}: {files}")
    lines.append(f"All of the function, with guards: {pages.names.full_code(pages.owner(frame))}.py")
    return lines


GONE = "The cache entry is gone: its function, its module or a guarded object died, or torch was reset."


def why_compiled(pages: Pages, frame: Frame, compilation: Compilation) -> List[str]:
    """Return why an entry exists: the first call, or the guards of older entries that failed."""
    if compilation.recompile_reasons:
        reasons = (
            pages.names.reason(pages.sanitizer.reason(reason)) for reason in compilation.recompile_reasons
        )
        return [f"Recompiled because: {reason}" for reason in reasons]
    if compilation is frame.compilations[0]:
        return ["Compiled because: first call"]
    if compilation.before_session:
        return ["Recompiled before prepare_debug was entered; torch keeps no reason"]
    return ["Recompiled; torch gives no reason"]


def break_reasons(pages: Pages, compilation: Compilation) -> List[str]:
    """Return the full texts of the graph breaks, without torch's own traceback and the callers' lines."""
    texts = (_INTERNAL.sub("", pages.sanitizer.text(text)).rstrip() for text in compilation.break_reasons)
    return [_from_function_on(text, compilation) for text in texts]


def _from_function_on(text: str, compilation: Compilation) -> str:
    """Cut from the user's traceback the calls that led to the function: they are another story."""
    reason, mark, stack = text.partition("User code traceback:\n")
    name = compilation.original.co_name if compilation.original is not None else compilation.name
    lines = stack.splitlines()
    starts = [
        number
        for number, line in enumerate(lines)
        if re.match(rf'  File ".*", line \d+, in {re.escape(name)}$', line)
    ]
    return "\n".join([reason + mark.rstrip("\n"), *lines[starts[-1] :]]) if starts else text


def break_summary(text: str) -> str:
    """Return the site and the reason of a graph break in one line."""
    site, reason = _SITE.search(text), _REASON.search(text)
    shown = reason.group("reason").strip() if reason else text.strip().splitlines()[0]
    return f"{shown} ({site.group('site')})" if site else shown
