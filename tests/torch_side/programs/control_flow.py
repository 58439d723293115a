"""Programs: control flow."""

# mypy: ignore-errors

import sys

import torch

from programs.registry import R, brk, case, comp


@case
def for_loop_break_inside():
    def f(x, n):
        for i in range(n):
            x = x + i
            if i == 1:
                brk()
            x = x.sin()
        return x

    comp(f)(R(3), 3)


@case
def for_loop_data_dep():
    def f(x):
        out = []
        for i in range(4):
            if x.sum() > i:
                out.append(i)
                continue
            x = x + 1
            if x.sum() > 50:
                break
        else:
            x = x - 1
        return x, out

    comp(f)(torch.ones(3))


@case
def while_loop_data_dep():
    def f(x):
        n = 0
        while x.sum() < 10:
            x = x * 2
            n += 1
        return x, n

    comp(f)(torch.ones(3))


@case
def nested_loops_print():
    def f(x):
        for i in range(2):
            for j in range(2):
                x = x + i * j
                if i == j:
                    print(i, j)
        return x

    comp(f)(R(3))


@case
def loop_enumerate_zip_dict():
    def f(xs, d):
        tot = 0
        for i, (a, b) in enumerate(zip(xs, reversed(xs))):
            tot = tot + a * b * i
        brk()
        for k in sorted(d):
            tot = tot + d[k]
            d[k] = tot
        return tot

    comp(f)([R(2), R(2), R(2)], {"a": R(2), "b": R(2)})


@case
def recursion():
    def rec(x, n):
        if n == 0:
            brk()
            return x
        return rec(x.sin(), n - 1) + n

    comp(rec)(R(3), 3)


@case
def early_returns():
    def f(x, mode):
        if mode == 0:
            return None
        if mode == 1:
            return x, x.sin()
        if x.sum() > 0:
            return {"a": x}
        return [x.cos()]

    g = comp(f)
    g(torch.ones(3), 2)
    g(-torch.ones(3), 2)
    g(R(3), 1)
    g(R(3), 0)


@case
def match_stmt():
    src = """
def f(x, c):
    y = x.sin()
    brk()
    match c:
        case {"k": int(v), **rest}: return y + v
        case [a, b, *_] if a > b: return y * a
        case str() | None: return y - 1
        case _: return y
"""
    ns = {"brk": brk, "torch": torch}
    if sys.version_info < (3, 10):
        return
    exec(src, ns)
    g = comp(ns["f"])
    g(R(2), {"k": 3})
    g(R(2), [3, 1])
    g(R(2), None)


@case
def match_behind_a_break():
    # What stands behind the break is copied, with its jumps parted.
    src = """
def f(x, c):
    y = x.sin()
    with torch.no_grad():
        match same(c):
            case {"k": v, **rest}: y = y + v
            case complex(real=r): y = y - r
            case [a, *b]: y = y * a
    return y
"""
    if sys.version_info < (3, 10):
        return
    ns = {"same": torch.compiler.disable(lambda value: value), "torch": torch}
    exec(src, ns)
    g = comp(ns["f"])
    g(R(2), {"k": 3, "m": 4})
    g(R(2), 2j)
    g(R(2), [3, 1])
