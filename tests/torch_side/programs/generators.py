"""Programs: generators / comprehensions."""

# mypy: ignore-errors

import torch

from programs.registry import R, brk, case, comp


@case
def comprehensions():
    def f(xs):
        a = [x.sin() for x in xs if x is not None]
        b = {i: x for i, x in enumerate(xs)}
        c = {len(xs), *(j for j in range(3))}
        brk()
        d = [[p * q for p in range(2)] for q in range(2)]
        return a, b, c, d

    comp(f)([R(2), R(2)])


@case
def comprehension_with_break():
    def f(xs):
        a = [torch.tensor(x.sum().item()) for x in xs]
        return sum(a) + 1

    comp(f)([R(2), R(2)])


@case
def generator_consumed():
    def gen(x, n):
        for i in range(n):
            yield x * i
        return 5

    def f(x):
        s = 0
        for t in gen(x, 3):
            s = s + t
        brk()
        return s + sum(gen(x, 2))

    comp(f)(R(2))


@case
def generator_returned():
    def f(x):
        y = x.sin()
        return (y + i for i in range(2))

    list(comp(f)(R(2)))


@case
def generator_is_compiled():
    def gen(x):
        y = x.sin()
        yield y
        z = yield from (y + i for i in range(2))
        yield y.cos()

    list(comp(gen)(R(2)))


@case
def iter_side_effect():
    def f(it, x):
        a = next(it)
        b = next(it)
        brk()
        return x + a + b, list(it)

    comp(f)(iter([1, 2, 3, 4]), R(2))
