"""Do two code objects behave alike? Both run on recording objects, with the same seeded decisions.

Everything that the code is given is a `Thing`: parameters, globals, free variables, imported modules, and
whatever comes out of calls, attributes, operators and iterations. A thing writes down what is done to it.
Each truth, length, exception and None is drawn from the seed. Two code objects that leave the same events,
the same outcome and the same globals and cells for all seeds behave alike as far as these runs see.

Functions and generators that reach a thing, or are returned, are run as well; so closures are seen at work
and nested code needs no comparison of its own.

Runs under every Python from 3.8 on and imports nothing but the standard library.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import inspect
import random
import sys
import types
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

# After so many events a run is cut off, on both sides at the same place.
MOST_EVENTS = 300
# Functions that functions return are called up to this depth.
DEEPEST = 3

_EXCEPTIONS = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
# What is no thing but itself: exceptions, and what a class body may be made with.
_REAL = {**_EXCEPTIONS, "__build_class__": builtins.__build_class__, "locals": locals}
# Raised by the interpreter where things go wrong in other ways, so they are bad signals.
_NOT_RAISED = (StopIteration, StopAsyncIteration, GeneratorExit, UnicodeError, SystemExit)


class CutOff(BaseException):
    """Ends a run that does too much."""


class SignalError(Exception):
    """What a thing raises where the code names no exception of its own."""


class Scene:
    """One run: the decisions to come, and the events so far."""

    def __init__(self, seed: int, catchable: Sequence[type]) -> None:
        self.random = random.Random(seed)
        self.events: List[Tuple[object, ...]] = []
        self.things = 0
        self.depth = 0
        self.over = False
        # The first seeds take the straight ways through the code.
        self.truth = {0: 1.0, 1: 0.0}.get(seed, self.random.choice([0.2, 0.5, 0.8]))
        self.length = {0: 2, 1: 0}.get(seed, self.random.randrange(4))
        self.raising = self.random.choice([0.1, 0.3, 0.5]) if seed % 3 == 2 else 0.0
        self.nones = 0.3 if seed % 5 == 4 else 0.0
        self.catchable = catchable

    def note(self, *event: object) -> None:
        """Write an event down."""
        if self.over:
            return
        if len(self.events) >= MOST_EVENTS:
            raise CutOff
        self.events.append(tuple(describe(part) for part in event))

    def thing(self, kind: str) -> Thing:
        """Make a new thing; its name says where it came from."""
        self.things += 1
        return Thing(self, f"{kind}{self.things}")

    def result(self, kind: str) -> Any:
        """What an operation gives: a thing, None or an exception."""
        if self.over:
            return None
        if self.raising and self.random.random() < self.raising:
            kind_raised = self.random.choice(self.catchable)
            self.note("raises", kind_raised.__name__)
            raise kind_raised("signal")
        if self.nones and self.random.random() < self.nones:
            return None
        return self.thing(kind)

    def decide(self) -> bool:
        return not self.over and self.random.random() < self.truth

    def items(self, wanted: Optional[int]) -> Iterator[Thing]:
        if wanted is None:
            wanted = self.length if self.random.random() < 0.7 else self.random.randrange(4)
        return Items([self.thing("item") for _ in range(wanted)])

    def exercise(self, values: Sequence[object]) -> None:
        """Run the functions and generators among the values, and note what they give."""
        for value in values:
            if self.depth >= DEEPEST or self.over:
                return
            self.depth += 1
            if isinstance(value, types.FunctionType):
                self.note("played", self.call(value))
            elif isinstance(value, (types.GeneratorType, types.CoroutineType)):
                self.drain(value)
            elif isinstance(value, types.AsyncGeneratorType):
                self.drain_async(value)
            elif isinstance(value, (tuple, list)):
                self.exercise(value)
            self.depth -= 1

    def call(self, function: types.FunctionType) -> object:
        """Call a function with things, and run what it returns."""
        code = function.__code__
        positional = [
            self.thing("arg") if self.random.random() > 0.1 else None for _ in range(code.co_argcount)
        ]
        named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        keywords = {name: self.thing("keyword") for name in named}
        if code.co_flags & inspect.CO_VARARGS:
            positional += [self.thing("more") for _ in range(self.random.randrange(3))]
        if code.co_flags & inspect.CO_VARKEYWORDS and self.decide():
            keywords["further"] = self.thing("keyword")
        result = function(*positional, **keywords)
        self.exercise([result])
        return describe(result)

    def drain(self, generator: Any) -> None:
        """Step through a generator or coroutine: send and throw; close it in the end."""
        for step in range(6):
            choice = self.random.random()
            try:
                if self.raising and step and choice < self.raising:
                    value = generator.throw(self.random.choice(self.catchable)("thrown"))
                elif step and choice < 0.5:
                    value = generator.send(self.thing("sent"))
                else:
                    value = generator.send(None)
            except StopIteration as stop:
                self.note("stops", stop.value)
                return
            self.note("yields", value)
            self.exercise([value])
        generator.close()

    def drain_async(self, generator: Any) -> None:
        """Step through an asynchronous generator: each step is a coroutine."""
        for step in range(4):
            choice = self.random.random()
            if self.raising and step and choice < self.raising:
                awaited = generator.athrow(self.random.choice(self.catchable)("thrown"))
            else:
                awaited = generator.asend(self.thing("sent") if step and choice < 0.5 else None)
            try:
                for _ in range(6):
                    self.note("waits", awaited.send(None))
                awaited.close()
            except StopIteration as stop:
                self.note("yields", stop.value)
                self.exercise([stop.value])
            except StopAsyncIteration:
                self.note("stops")
                return


class Items:
    """An iterator that takes what generators take, so that `yield from` can pass it on."""

    def __init__(self, things: List[Thing]) -> None:
        self.things = things

    def __iter__(self) -> Items:
        return self

    def __next__(self) -> Thing:
        if not self.things:
            raise StopIteration
        return self.things.pop(0)

    def send(self, value: object) -> Thing:
        if self.things:
            _scene(self.things[0]).note("send", value)
        return next(self)

    def throw(self, *error: Any) -> Thing:
        raise error[0]


def _scene(thing: Thing) -> Scene:
    return object.__getattribute__(thing, "_scene")  # type: ignore[no-any-return]


class Thing:
    """A value that writes down what is done to it."""

    __slots__ = ("_name", "_scene")

    def __init__(self, scene: Scene, name: str) -> None:
        object.__setattr__(self, "_scene", scene)
        object.__setattr__(self, "_name", name)

    def __getattribute__(self, name: str) -> Any:
        _scene(self).note("get", self, name)
        if name == "keys":  # what `**thing` asks for
            return lambda: ["red", "blue"]
        if name == "__mro_entries__":  # what `class A(thing)` asks for
            return lambda bases: ()
        return _scene(self).result("attribute")

    def __setattr__(self, name: str, value: object) -> None:
        _scene(self).note("set", self, name, value)
        _scene(self).exercise([value])

    def __delattr__(self, name: str) -> None:
        _scene(self).note("delete", self, name)

    def __call__(self, *args: object, **keywords: object) -> Any:
        _scene(self).note("call", self, args, keywords)
        _scene(self).exercise([*args, *keywords.values()])
        return _scene(self).result("result")

    def __setitem__(self, key: object, value: object) -> None:
        # A class stores its line (3.13 and later), which is another one in the decompiled source.
        is_line = type(key) is str and key == "__firstlineno__"
        _scene(self).note("set item", self, key, "a line" if is_line else value)
        _scene(self).exercise([value])

    def __delitem__(self, key: object) -> None:
        _scene(self).note("delete item", self, key)

    def __bool__(self) -> bool:
        _scene(self).note("truth", self)
        return _scene(self).decide()

    def __contains__(self, item: object) -> bool:
        _scene(self).note("contains", self, item)
        return _scene(self).decide()

    def __iter__(self) -> Iterator[Thing]:
        _scene(self).note("iterate", self)
        return _scene(self).items(_unpacked(sys._getframe(1), _scene(self)))

    def __await__(self) -> Iterator[Thing]:
        _scene(self).note("await", self)
        return _scene(self).items(None)

    def __aiter__(self) -> Thing:
        _scene(self).note("iterate asynchronously", self)
        return _scene(self).thing("aiterator")

    async def __anext__(self) -> Thing:
        _scene(self).note("next", self)
        if _scene(self).random.random() < 0.4:
            raise StopAsyncIteration
        return _scene(self).thing("item")

    async def __aenter__(self) -> Thing:
        return self.__enter__()

    async def __aexit__(self, kind: Optional[type], error: object, traceback: object) -> bool:
        return self.__exit__(kind, error, traceback)

    def __enter__(self) -> Thing:
        _scene(self).note("enter", self)
        return _scene(self).thing("entered")

    def __exit__(self, kind: Optional[type], error: object, traceback: object) -> bool:
        _scene(self).note("exit", self, None if kind is None else kind.__name__)
        return kind is not None and kind is not CutOff and _scene(self).random.random() < 0.3

    def __format__(self, form: str) -> str:
        _scene(self).note("format", self, form)
        return describe(self)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        _scene(self).note("str", self)
        return describe(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        _scene(self).note("repr", self)
        return describe(self)  # type: ignore[no-any-return]

    def __index__(self) -> int:
        _scene(self).note("index", self)
        return 1

    def __hash__(self) -> int:
        # The order of a set must be that of the other run.
        return hash(len(describe(self)))


def _operator(name: str) -> Any:
    def operate(self: Thing, *others: object) -> Any:
        _scene(self).note(name, self, *others)
        return _scene(self).result("value")

    return operate


_ARITHMETIC = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor"
_OTHERS = "lt le gt ge eq ne neg pos invert getitem"
for _name in _ARITHMETIC.split():
    for _form in ("", "r", "i"):
        setattr(Thing, f"__{_form}{_name}__", _operator(_form + _name))
for _name in _OTHERS.split():
    setattr(Thing, f"__{_name}__", _operator(_name))


@functools.lru_cache(maxsize=None)
def _unpackings(code: types.CodeType) -> Dict[int, Tuple[int, bool]]:
    """Where the code unpacks: by offset, how many items it wants, and whether more are welcome."""
    found = {}
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith("UNPACK_SEQUENCE"):
            found[instruction.offset] = (instruction.arg or 0, False)
        elif instruction.opname == "UNPACK_EX":
            found[instruction.offset] = ((instruction.arg or 0) % 256 + (instruction.arg or 0) // 256, True)
    return found


def _unpacked(frame: types.FrameType, scene: Scene) -> Optional[int]:
    """How many items the instruction that iterates wants; sometimes another number."""
    wanted = _unpackings(frame.f_code).get(frame.f_lasti)
    if wanted is None or scene.random.random() < 0.1:
        return None
    count, more = wanted
    return count + (scene.random.randrange(3) if more else 0)


# Most of what events hold.
_PLAIN = frozenset({str, int, bool, type(None)})


def describe(value: object, depth: int = 0) -> Any:
    """A value as plain data that can be compared between two runs."""
    kind = type(value)
    if kind is Thing:
        return "<" + str(object.__getattribute__(value, "_name")) + ">"
    if depth > 5:
        return "..."
    if kind in _PLAIN:
        return (kind.__name__, repr(value))
    if isinstance(value, (list, tuple)):
        return (kind.__name__, *(describe(item, depth + 1) for item in value))
    if isinstance(value, dict):
        return ("dict", *((describe(k, depth + 1), describe(v, depth + 1)) for k, v in value.items()))
    if isinstance(value, (set, frozenset)):
        return (kind.__name__, *sorted(str(describe(item, depth + 1)) for item in value))
    if isinstance(value, slice):
        return ("slice", describe([value.start, value.stop, value.step], depth + 1))
    if isinstance(value, types.FunctionType):
        defaults = describe([value.__defaults__, value.__kwdefaults__], depth + 1)
        return ("function", signature(value.__code__), defaults, value.__doc__)
    if isinstance(value, types.CellType):
        try:
            return ("cell", describe(value.cell_contents, depth + 1))
        except ValueError:
            return ("cell",)
    if isinstance(value, BaseException):
        return ("exception", kind.__name__)
    if isinstance(value, type):
        if value.__module__ != "scene":
            return ("type", value.__name__)
        # What the body stored, but not what the compiler adds.
        names = [name for name in vars(value) if not name.startswith("__") or name == "__init__"]
        return ("class", value.__name__, *((name, describe(vars(value)[name], depth + 1)) for name in names))
    if isinstance(value, (int, float, complex, str, bytes, type(None), type(...))):
        return (kind.__name__, repr(value))
    return ("object", kind.__name__)


def signature(code: types.CodeType) -> Tuple[object, ...]:
    """What callers can see of a code object. Names that no source can spell count as any other."""
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    flags = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR
    flags |= inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    spelt = tuple(name if name.isidentifier() else "?" for name in names)
    # A lambda that no expression can spell becomes a `def` with a name like this.
    name = "?" if code.co_name in ("<lambda>", "__lambda") else code.co_name
    return (name, counts, code.co_flags & flags, spelt)


def names_of(code: types.CodeType) -> List[str]:
    """All global and attribute names of a code object and those nested in it, sorted."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(names_of(constant))
    return sorted(names)


def events_of(
    code: types.CodeType, reference: types.CodeType, seed: int, constants: Dict[str, object]
) -> Tuple[object, List[Tuple[object, ...]], object]:
    """Run `code` with what `reference` mentions: outcome, events, and what became of globals and cells."""
    names = names_of(reference)
    catchable = [_EXCEPTIONS[name] for name in names if name in _EXCEPTIONS]
    catchable = [kind for kind in catchable if not issubclass(kind, _NOT_RAISED)]
    scene = Scene(seed, catchable or [SignalError])

    def import_name(
        name: str, _g: object = None, _l: object = None, what: object = None, level: int = 0
    ) -> Thing:
        scene.note("import", name, what, level)
        return scene.thing("module")

    space: Dict[str, Any] = {
        "__builtins__": {"__import__": import_name, **_REAL},
        "__name__": "scene",
        **constants,
    }
    for name in names:
        if name not in space and name not in space["__builtins__"]:
            space[name] = Thing(scene, "global " + name)
    before = dict(space)
    cells = {name: types.CellType(Thing(scene, "free " + name)) for name in reference.co_freevars}
    outcome: Tuple[object, ...]
    try:
        if code.co_flags & inspect.CO_NEWLOCALS:
            closure = tuple(cells[name] for name in code.co_freevars)
            outcome = ("returns", scene.call(types.FunctionType(code, space, "f", None, closure)))
        else:
            exec(code, space)
            outcome = ("ends",)
    except CutOff:
        outcome = ("cut off",)
    except BaseException as error:
        outcome = ("raises", _lineage(error))
    scene.over = True
    stored = {
        name: describe(value)
        for name, value in space.items()
        if name not in before or value is not before[name]
    }
    stored.pop("__builtins__", None)
    for added in ("__annotations__", "__annotate__", "__conditional_annotations__"):
        stored.pop(added, None)
    deleted = sorted(name for name in before if name not in space)
    return outcome, scene.events, (stored, deleted, describe([cells[name] for name in reference.co_freevars]))


def _lineage(error: Optional[BaseException], depth: int = 0) -> object:
    """The exception with its cause and context, as far as a reader of the traceback would see them."""
    if error is None or depth > 3:
        return None
    shown = None if error.__suppress_context__ else error.__context__
    return (type(error).__name__, _lineage(error.__cause__, depth + 1), _lineage(shown, depth + 1))


# What decides how a code object runs; its constants are compared by themselves.
_RUNS = (
    *("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_exceptiontable"),
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_name"),
)


def is_same_code(one: object, other: object) -> bool:
    """Whether two constants, or two code objects but for their lines, are the same: they need no run."""
    if type(one) is not type(other):
        return False
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        attributes = all(getattr(one, name, None) == getattr(other, name, None) for name in _RUNS)
        return attributes and is_same_code(one.co_consts, other.co_consts)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_same_code, one, other))
    return repr(one) == repr(other)


def difference(
    original: types.CodeType,
    candidate: types.CodeType,
    runs: int = 24,
    constants: Optional[Dict[str, object]] = None,
) -> Optional[str]:
    """Return None where the two behave alike, else a sentence about the first difference."""
    if original.co_flags & inspect.CO_NEWLOCALS:
        if signature(original)[1:] != signature(candidate)[1:]:
            return f"signature {signature(original)}, recompiled {signature(candidate)}"
        if not set(candidate.co_freevars) <= set(original.co_freevars):
            return f"free variables {original.co_freevars}, recompiled {candidate.co_freevars}"
    if is_same_code(original, candidate):
        return None
    for seed in range(runs):
        one = events_of(original, original, seed, {})
        two = events_of(candidate, original, seed, constants or {})
        if one == two:
            continue
        for at, (first, second) in enumerate(zip(one[1], two[1])):
            if first != second:
                return f"seed {seed}, event {at}: {first}, recompiled {second}"
        if len(one[1]) != len(two[1]):
            return (
                f"seed {seed}: {len(one[1])} events, recompiled {len(two[1])}; outcome {one[0]} and {two[0]}"
            )
        return f"seed {seed}: ends with {one[0]} {one[2]}, recompiled {two[0]} {two[2]}"
    return None


def recompile(source: str, reference: types.CodeType) -> types.CodeType:
    """Compile decompiled source to the code object that stands for `reference`.

    Raises:
        SyntaxError: the source is not Python.
        ValueError: it holds no function.
    """
    if not reference.co_flags & inspect.CO_NEWLOCALS:
        return compile(source, "<decompiled>", "exec", dont_inherit=True)
    tree = ast.parse(source)
    if reference.co_freevars:
        # Free variables are those of a function around it.
        outer: Any = ast.parse("def outer():\n    " + " = ".join([*reference.co_freevars, "None"])).body[0]
        outer.body += tree.body
        tree = ast.fix_missing_locations(ast.Module([outer], []))
    code = compile(tree, "<decompiled>", "exec", dont_inherit=True)
    for _ in range(2 if reference.co_freevars else 1):
        functions = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        functions = [inner for inner in functions if inner.co_name != "__annotate__"]
        if not functions:
            raise ValueError("the source holds no function")
        code = functions[-1]
    return code


def functions_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """All functions in `code` that a source spells as a function, outermost first.

    Class bodies, comprehensions and what the compiler adds are parts of what is around them.
    """
    for constant in code.co_consts:
        if not isinstance(constant, types.CodeType) or constant.co_name == "__annotate__":
            continue
        # What computes the bound, default or value of a type parameter or alias (3.14 and later).
        if constant.co_varnames[:1] == (".format",):
            continue
        # The same in a class (3.12 and later), and what makes the type parameters of a method.
        if "__classdict__" in constant.co_freevars:
            yield from functions_of(constant)
            continue
        spelt = constant.co_name == "<lambda>" or not constant.co_name.startswith("<")
        if spelt and constant.co_flags & inspect.CO_NEWLOCALS:
            yield constant
        yield from functions_of(constant)
