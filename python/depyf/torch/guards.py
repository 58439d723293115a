"""Guards: from the text of torch's guard tree to a Python function with comments.

The text (``+- RootGuardManager``, ``| +- GuardManager: source=L['a'], ...``) is the one form that all of
torch's ways to guards have in common: the trace has it when a function is compiled, also if the function dies
later, and a live cache entry prints it. Many guards are not Python in it. What is not becomes a comment, so
that the function always compiles.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from typing import Callable, Dict, Iterator, List, Optional, Tuple

_TYPE = re.compile(r"^(?P<check>.*\)), type=(?P<type><.*>)$")
# Torch counts the changes of each dict of the process.
_DICT_VERSION = re.compile(r"(?<=\) == )\d+$")
_ID = re.compile(r"(?P<head>, |\()(?P<id>\d{6,})(?P<tail>\))")
# Where `and` binds tighter than what stands at the top of an expression.
_LOOSE = re.compile(r"\b(?:or|if|lambda|yield)\b|:=")


@dataclasses.dataclass
class Guard:
    """One check."""

    kind: str
    check: str
    # The user's line that made Dynamo install it: ``y = x + 1  # /path/file.py:3 in f``.
    reason: str
    detail: str = ""


@dataclasses.dataclass
class GuardedSource:
    """What is looked at, such as ``L['a']``, its type, and its checks."""

    source: str
    type: str = ""
    guards: List[Guard] = dataclasses.field(default_factory=list)


def parse(text: str) -> List[GuardedSource]:
    """Parse the text of a guard tree; only sources that are checked are returned.

    A large model has thousands of lines, so each is taken apart with string methods, not with a regular
    expression.
    """
    found: List[GuardedSource] = []
    path: List[GuardedSource] = []
    last: Optional[Guard] = None
    for line in text.replace("\0", "\\0").splitlines():
        bars, mark, rest = line.partition("+- ")
        if not mark or bars.strip("| "):
            if last is not None and line.strip() and not line.startswith("Guard latency"):
                last.check += "\n" + line
            continue
        depth = len(bars) // 2
        kind, _, rest = rest.partition(": ")
        if kind.endswith("Manager"):
            node = _source(rest)
            del path[depth:]
            path.append(node)
            found.append(node)
            last = None
        elif path:
            last = _guard(kind, rest)
            if last is not None:
                path[min(depth, len(path)) - 1].guards.append(last)
    return [node for node in found if node.guards]


def _source(described: str) -> GuardedSource:
    source, _, rest = described.partition(", accessed_by=")
    _, _, typed = rest.partition(", type=")
    return GuardedSource(source[len("source=") :], _type_name(typed.partition(", tag_safe=")[0]))


def _guard(kind: str, rest: str) -> Optional[Guard]:
    check, _, reason = rest.partition("  # ")
    check = check.rstrip()
    if not check:
        # The second mention of a check of two sources.
        return None
    check, _, detail = check.partition(" against ")
    typed = _TYPE.match(check) if check.endswith(">") else None
    if typed:
        check, detail = typed.group("check"), typed.group("type")
    return Guard(kind, check, reason.strip(" #"), detail)


def _type_name(text: str) -> str:
    return text[len("<class '") : -len("'>")] if text.startswith("<class '") else text


def guard_count(sources: List[GuardedSource]) -> int:
    """Return the number of checks."""
    return sum(len(source.guards) for source in sources)


def render(name: str, sources: List[GuardedSource], clean: Callable[[str], str], about: str) -> str:
    """Write the guards as a Python function of the locals ``L`` and the globals ``G``."""
    lines = [f"def {name}(L, G):", *(f"    # {line}" for line in about.splitlines())]
    objects: Dict[str, str] = {}
    expressions: List[Tuple[str, int]] = []
    body: List[str] = []
    for source in sources:
        reasons = {guard.reason for guard in source.guards if guard.reason}
        common = reasons.pop() if len(reasons) == 1 else ""
        title = f"{source.source or 'the state of torch'}{': ' + source.type if source.type else ''}"
        body.extend(_comment(clean(title)))
        if common:
            body.extend(_comment(clean("  for: " + common)))
        for guard in source.guards:
            check = clean(_without_ids(guard, objects))
            note = "" if guard.reason in ("", common) else f"  # {clean(_one_line(guard.reason))}"
            for line in _detail(clean(guard.detail)):
                body.append(line)
            expressions.append((check, len(body)))
            body.append(note)
    if not expressions:
        return "\n".join([*lines, "    return True", ""])
    python = _which_are_python([check for check, _ in expressions])
    first = True
    for (check, place), is_python in zip(expressions, python):
        if is_python:
            shown = f"({check})" if _LOOSE.search(check) else check
            body[place] = f"        {'' if first else 'and '}{shown}{body[place]}"
            first = False
        else:
            commented = [f"        # (checked in C++) {line}" for line in check.splitlines()]
            body[place] = "\n".join(commented) + body[place]
    if first:
        body.append("        True")
    return "\n".join([*lines, "    return (", *body, "    )", ""])


def _comment(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"        # {line}"


def _detail(detail: str) -> List[str]:
    # The global state is one long line of JSON.
    if not detail.startswith("{"):
        return []
    return [f"        #   {part}" for part in re.split(r"(?<=[\]}\w]),(?=\")", detail[1:-1])]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _without_ids(guard: Guard, objects: Dict[str, str]) -> str:
    """Replace the id of a type by the type, and that of an object by a number of its own."""

    def named(match: re.Match[str]) -> str:
        if guard.kind == "TYPE_MATCH" and guard.detail:
            shown = _type_name(guard.detail)
        else:
            number = objects.setdefault(match.group("id"), f"object {len(objects) + 1}")
            shown = f"{number}, {_type_name(guard.detail)}" if guard.detail else number
        return f"{match.group('head')}{shown!r}{match.group('tail')}"

    if guard.kind == "DICT_VERSION":
        return _DICT_VERSION.sub("'the version when compiled'", guard.check)
    return _ID.sub(named, guard.check)


def _which_are_python(checks: List[str]) -> List[bool]:
    # Nearly always all but a few are, and one parse of a list of them is much faster than one of each.
    if len(checks) > 1 and _is_python("[" + "\n".join(f"({check})," for check in checks) + "]"):
        return [True] * len(checks)
    if len(checks) <= _FEW:
        return [_is_python(check) for check in checks]
    middle = len(checks) // 2
    return _which_are_python(checks[:middle]) + _which_are_python(checks[middle:])


_FEW = 4


def _is_python(text: str) -> bool:
    try:
        # In brackets, so that what ends in a comment is not taken for an expression.
        ast.parse(f"({text})", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
