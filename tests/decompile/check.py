"""Decompiles, recompiles and compares behaviour under the Python that runs this file.

    PYTHON check.py constructs FILE...     each function of each source file
    PYTHON check.py corpus FOLDER          each `.marshal` of the folder, both views
    PYTHON check.py verdicts FOLDER        whether each `.marshal` of the folder is verified
    PYTHON check.py mutations FOLDER       seeded damage to the code objects of the folder
    PYTHON check.py generated COUNT        functions of random nested control flow
    PYTHON check.py wide COUNT             functions in which everything stands in everything
    PYTHON check.py many COUNT             so many of both, which are verified and not run
    PYTHON check.py edited FILE...         each source file with random edits, which are verified and not run
    PYTHON check.py metrics FOLDER         lines and temporaries of their readable view

Prints one JSON object a code object: its name, a verdict and, unless it is "alike", the reason. The tests
start this once for each interpreter; it is of use by hand as well, with PYTHONPATH=python.
"""

from __future__ import annotations

import dis
import json
import marshal
import random
import re
import sys
import time
import types
from collections import Counter
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

import behaviour
import depyf
import edited_sources
import nested_flow
import wide_flow

# Behaviour is compared over so many seeds. Constructs get more: some differ only where two calls raise.
RUNS = {"constructs": 60, "corpus": 24, "generated": 40, "wide": 40}
# Decompiling what is damaged may take so many seconds, and no more.
PATIENCE = 5.0
# So many edited versions of each source are decompiled.
EDITS = 1


class Result(NamedTuple):
    """What became of one code object."""

    file: str
    function: str
    # alike, different, refused (DecompilationError), no Python (SyntaxError) or broken (any other exception)
    verdict: str
    why: str = ""


def judge(code: types.CodeType, runs: int) -> Tuple[str, str]:
    """Verdict and reason of one code object."""
    recompiled = code
    source = ""
    # Twice: what was recompiled must come out alike as well.
    for round_ in ("", "second round: "):
        before, source = source, ""
        try:
            source = depyf.decompile(recompiled)
            constants = depyf.constants_of(recompiled)
            # The same source has been run already.
            if source == before and not constants:
                break
            recompiled = behaviour.recompile(source, code)
            different = behaviour.difference(code, recompiled, runs, constants)
        except depyf.DecompilationError as error:
            return "refused", f"{round_}{error}"
        except SyntaxError as error:
            return "no Python", f"{round_}{error}\n{source}"
        except BaseException as error:
            return "broken", f"{round_}{type(error).__name__}: {error}\n{source}"
        if different:
            # What says of itself that it is not proven is refused; only what does not is an error.
            verdict = "refused" if "# unverified: " in source else "different"
            return verdict, f"{round_}{different}\n{source}"
    return "alike", ""


def judge_readable(code: types.CodeType) -> Tuple[str, str]:
    """The same of the readable view, which leaves out what Dynamo adds and nothing of other code."""
    try:
        source = depyf.decompile(code, view="readable")
        # So it is mostly, and that has been run already.
        if source == depyf.decompile(code):
            return "alike", ""
        readable = behaviour.recompile(source, code)
    except depyf.DecompilationError as error:
        return "refused", f"readable view: {error}"
    except BaseException as error:
        return "broken", f"readable view: {type(error).__name__}: {error}"
    different = behaviour.difference(code, readable, RUNS["constructs"])
    return ("different", f"readable view: {different}") if different else ("alike", "")


def is_for_this_python(text: str) -> bool:
    """Whether a source file is Python of this version: some begin with the oldest that has them."""
    oldest = re.search(r"^# python: 3\.(\d+)\+", text, re.MULTILINE)
    return oldest is None or sys.version_info[1] >= int(oldest.group(1))


def constructs(files: List[str]) -> Iterator[Result]:
    """Check source files; those for later versions are left out."""
    for file in files:
        path = Path(file)
        text = path.read_text(encoding="utf-8")
        if not is_for_this_python(text):
            continue
        module = compile(text, path.name, "exec", dont_inherit=True)
        whole = [module] if path.name.startswith("module") else []
        for code in [*whole, *behaviour.functions_of(module)]:
            verdict, why = judge(code, RUNS["constructs"])
            if verdict == "alike":
                verdict, why = judge_readable(code)
            yield Result(path.name, code.co_name, verdict, why)


def generated(count: int) -> Iterator[Result]:
    """Check random functions: the same ones under every Python."""
    for seed in range(count):
        module = compile(nested_flow.function(seed), "generated", "exec", dont_inherit=True)
        code = next(behaviour.functions_of(module))
        yield Result("generated", code.co_name, *judge(code, RUNS["generated"]))


def wide(count: int) -> Iterator[Result]:
    """Check random functions of all that this Python has."""
    for seed in range(count):
        source = wide_flow.function(seed, sys.version_info[:2])
        code = next(behaviour.functions_of(compile(source, "wide", "exec", dont_inherit=True)))
        yield Result("wide", code.co_name, *judge(code, RUNS["wide"]))


def verified(code: types.CodeType, source: str) -> Dict[str, object]:
    """Whether a code object is verified, or broken: with an exception, or after too long a time."""
    start = time.perf_counter()
    try:
        found = depyf.decompile(code, source_map=True, on_failure="mark")
        verdict, why = ("verified" if found.verified else "unverified"), ""
    except BaseException as error:
        verdict, why = "broken", f"{type(error).__name__}: {error}\n{source}"
    if time.perf_counter() - start > PATIENCE:
        verdict, why = "broken", f"took too long\n{source}"
    return {"verdict": verdict, "why": why}


def many(count: int) -> Iterator[Dict[str, object]]:
    """Decompile random functions of both kinds that `generated` and `wide` do not hold, and run none.

    One that never ends is the caller's to notice, by the time that this takes.
    """
    for seed in range(1000, 1000 + count):
        for source in (nested_flow.function(seed), wide_flow.function(seed, sys.version_info[:2])):
            code = next(behaviour.functions_of(compile(source, "many", "exec", dont_inherit=True)))
            yield {"function": code.co_name, **verified(code, source)}


def edited(files: List[str]) -> Iterator[Dict[str, object]]:
    """Decompile sources with random edits of their statements; those that are no Python are passed over."""
    for path in map(Path, sorted(files)):
        for seed in range(EDITS):
            try:
                source = edited_sources.edited(path.read_text(encoding="utf-8"), seed)
                code = compile(source, path.name, "exec", dont_inherit=True)
            except SyntaxError:
                continue
            for function in behaviour.functions_of(code):
                yield {"function": f"{path.name} {seed} {function.co_name}", **verified(function, source)}


def load(folder: str) -> Iterator[Tuple[str, types.CodeType]]:
    """The transformed code objects of a corpus folder."""
    for path in sorted(Path(folder).glob("*.marshal")):
        if not path.name.endswith(".orig.marshal"):
            yield path.name, marshal.loads(path.read_bytes())


def nested(code: types.CodeType) -> Counter[str]:
    """How many code objects of each name are in a code object; what no `def` spells counts as a lambda."""
    found: Counter[str] = Counter()
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            # Newer versions run comprehensions inside of their function.
            if not inner.co_name.endswith("comp>"):
                found[inner.co_name if inner.co_name.isidentifier() else "<lambda>"] += 1
            found += nested(inner)
    return found


def corpus(folder: str) -> Iterator[Result]:
    """Check Dynamo's code: the exact view must behave alike with all in it, the readable one be Python."""
    for name, code in load(folder):
        verdict, why = judge(code, RUNS["corpus"])
        if verdict == "alike":
            source = depyf.decompile(code)
            lost = nested(code) - nested(behaviour.recompile(source, code))
            if lost:
                verdict, why = "different", f"nested code is lost: {dict(lost)}\n{source}"
        if verdict == "alike":
            try:
                behaviour.recompile(depyf.decompile(code, view="readable"), code)
            except BaseException as error:
                verdict, why = "broken", f"readable view: {type(error).__name__}: {error}"
        yield Result(name, code.co_name, verdict, why)


def verdicts(folder: str) -> Iterator[Dict[str, object]]:
    """Tell of each of Dynamo's functions whether the verifier proves it, and all that is nested in it."""
    for name, code in load(folder):
        found = depyf.decompile(code, source_map=True, on_failure="mark")
        yield {"file": name, "verified": found.verified}


def damaged(code: types.CodeType, choices: random.Random) -> types.CodeType:
    """A copy with some arguments changed and some operations exchanged.

    Operations change places only where they own as many cache entries: CPython itself crashes on others
    when it makes the code object.
    """
    data = bytearray(code.co_code)
    offsets = [instruction.offset for instruction in dis.get_instructions(code)]
    caches = {at: following - at for at, following in zip(offsets, [*offsets[1:], len(data)])}
    for _ in range(choices.randrange(1, 4)):
        at = choices.choice(offsets)
        if choices.random() < 0.5:
            data[at + 1] = choices.randrange(256)
        else:
            other = choices.choice([place for place in offsets if caches[place] == caches[at]])
            data[at], data[other] = data[other], data[at]
    changes = {"co_code": bytes(data)}
    table = bytearray(getattr(code, "co_exceptiontable", b""))
    if table and choices.random() < 0.3:
        table[choices.randrange(len(table))] = choices.randrange(256)
        changes["co_exceptiontable"] = bytes(table)
    return code.replace(**changes)  # type: ignore[arg-type]


def mutations(folder: str) -> Iterator[Result]:
    """Damage code objects: source or DecompilationError must come of it, soon. Nothing of it is run."""
    choices = random.Random(1)
    for name, code in load(folder):
        for round_ in range(4):
            broken = damaged(code, choices)
            start = time.perf_counter()
            verdict, why = "source", ""
            try:
                behaviour.recompile(depyf.decompile(broken), broken)
            except depyf.DecompilationError as error:
                verdict = "refused"
                if not (error.message and 0 <= error.offset <= len(broken.co_code) * 2):
                    verdict, why = "broken", f"round {round_}: no place in {error!r}"
            except BaseException as error:
                verdict, why = "broken", f"round {round_}: {type(error).__name__}: {error}"
            if time.perf_counter() - start > PATIENCE:
                verdict, why = "broken", f"round {round_}: took too long"
            yield Result(name, code.co_name, verdict, why)


def metrics(folder: str) -> Iterator[Dict[str, object]]:
    """How long the readable view of each function is; see tools/readable_metrics.py."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
    from readable_metrics import count

    for name, counts in count(Path(folder), {"view": "readable", "verify": False}).items():
        # A function that cannot be decompiled must not make the numbers better.
        lines, mentions, _ = counts or (10**6, 10**6, 0)
        yield {"file": name, "lines": lines, "temporaries": mentions}


def main(arguments: List[str]) -> int:
    """Check and print."""
    # Generators that things interrupted say so when they are collected; that is of no interest.
    sys.unraisablehook = lambda unraisable: None
    mode, inputs = arguments[0], arguments[1:]
    if mode == "constructs":
        rows: Iterator[Dict[str, object]] = (result._asdict() for result in constructs(inputs))
    elif mode == "generated":
        rows = (result._asdict() for result in generated(int(inputs[0])))
    elif mode == "wide":
        rows = (result._asdict() for result in wide(int(inputs[0])))
    elif mode == "many":
        rows = many(int(inputs[0]))
    elif mode == "edited":
        rows = edited(inputs)
    elif mode == "verdicts":
        rows = verdicts(inputs[0])
    elif mode == "metrics":
        rows = metrics(inputs[0])
    else:
        check = corpus if mode == "corpus" else mutations
        rows = (result._asdict() for result in check(inputs[0]))
    for row in rows:
        print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
