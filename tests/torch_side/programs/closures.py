"""Programs: closures / functions."""

# mypy: ignore-errors

import functools
import math

import torch

from programs.registry import R, brk, case, comp

G_LIST = []
G_COUNTER = 0


@case
def closure_read():
    k = R(3)

    def f(x):
        y = x + k
        brk()
        return y * k

    comp(f)(R(3))


@case
def closure_nonlocal():
    cnt = 0
    acc = R(3)

    def f(x):
        nonlocal cnt, acc
        cnt += 1
        acc = acc + x
        brk()
        cnt += 1
        return acc * cnt

    g = comp(f)
    g(R(3))
    g(R(3))


@case
def inner_functions():
    def f(x, s):
        def g1(y):
            return y * s

        def g2(y, f=g1):
            return f(y) + x

        z = g2(x)
        brk()
        h = lambda q: q + s + z
        return h(z), g1

    comp(f)(R(3), 2.0)


@case
def return_closure():
    def f(x):
        y = x.sin()

        def inner(z, w=2):
            nonlocal y
            y = y + z * w
            return y

        return inner

    comp(f)(R(3))(1)


@case
def cell_across_break():
    def f(x):
        a = x.sin()

        def g():
            return a + 1

        brk()
        a = a * 2
        r = g()
        brk()
        return r + g()

    comp(f)(R(3))


@case
def decorators_partial():
    def deco(fn):
        @functools.wraps(fn)
        def w(*a, **k):
            return fn(*a, **k) * 2

        return w

    @deco
    def base(x, y=1):
        brk()
        return x + y

    def f(x):
        return functools.partial(base, y=3)(x) + base(x, y=x)

    comp(f)(R(3))


@case
def global_side_effects():
    def f(x):
        global G_COUNTER
        G_COUNTER += 1
        G_LIST.append(x.sum())
        brk()
        G_COUNTER = G_COUNTER * 2
        return x + G_COUNTER

    g = comp(f)
    g(R(3))
    g(R(3))


@case
def local_imports():
    def f(x):
        import math
        from torch.nn import functional as F

        y = F.relu(x) * math.pi
        brk()
        import os.path as osp

        return y + len(osp.sep)

    comp(f)(R(3))


def adder(x):
    def add(y):
        return x + y

    return add


def pair_of(x):
    def add(y):
        return x + y

    def twice(y):
        return add(add(y))

    return add, twice


@case
def closures_of_other_functions():
    # The variable that they share is called as one of the function that Dynamo makes, which it is not.
    def f(x, add):
        made = adder(x)
        first, second = pair_of(x)
        brk()
        return made(add), first(x), second(x)

    comp(f)(R(3), R(3))


@case
def nested_functions_that_call_each_other():
    def f(x):
        def g(p):
            return h(p, k(p)) + 1

        def h(p, q):
            return k(p + 1) * q

        def k(p):
            brk()
            return p * 2

        return g(x), x

    if not hasattr(torch._dynamo.config, "nested_graph_breaks"):
        return comp(f)(R(3))
    with torch._dynamo.config.patch(nested_graph_breaks=True):
        return comp(f)(R(3))
