"""Programs: skip / disable / higher order."""

# mypy: ignore-errors

import logging
import math
import warnings

import torch
import torch._dynamo

from programs.registry import R, brk, case, comp


@case
def disabled_callee():
    @torch._dynamo.disable
    def h(x, *, k):
        return x * k

    def f(x):
        y = h(x + 1, k=3)
        return y.sin() + h(y, k=y.sum())

    comp(f)(R(3))


@case
def logging_and_warnings():
    log = logging.getLogger("zz")

    def f(x):
        log.warning("hello %s", 3)
        y = x + 1
        warnings.warn("w")
        return y * 2

    comp(f)(R(3))


@case
def unsupported_builtin_and_input():
    def f(x):
        y = x + 1
        n = id(y) % 2
        h = hash("a") % 3
        vars_ = sorted(locals())[:1]
        return y * n + h, vars_

    comp(f)(R(3))


@case
def torch_cond_hop():
    if not hasattr(torch, "cond"):
        return

    def f(x):
        return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))

    comp(f)(R(3))


@case
def allow_inline_resume_in_callee():
    def c(x):
        y = x + 1
        brk()
        return y * 2

    def b(x, k):
        z = c(x) if k else x
        return z + 1

    def f(x):
        r = b(x, True) + b(x, False)
        return r.sin()

    comp(f)(R(3))


@case
def classes_defined_inside():
    def f(x):
        class Q:
            k = 3

            def m(self, y):
                return y * self.k

        return Q().m(x)

    comp(f)(R(3))


@case
def string_ops():
    def f(x, name):
        s = "%s-%d" % (name, x.shape[0])
        t = "{:>5}|{a!r}".format(name, a=1) + name.upper()
        brk()
        return x + len(s + t), f"{s:^{len(t)}}{name=}"

    comp(f)(R(3), "ab")


@case
def complex_consts():
    def f(x):
        c = (
            1,
            2.5,
            3j,
            None,
            True,
            ...,
            b"x",
            "s",
            (1, (2, 3)),
            frozenset({1, 2}),
            -0.0,
            float("inf"),
            slice(1, 2),
        )
        brk()
        return x, c, torch.float32, torch.device("cpu"), int, math.nan

    comp(f)(R(1))


@case
def import_relative_and_type():
    def f(x):
        if (
            type(x) is torch.Tensor
            and isinstance(x, (torch.Tensor, int))
            and x.dtype in (torch.float32, torch.float64)
        ):
            y = x.to(torch.float64)
        else:
            y = x
        brk()
        return y.new_zeros(2), callable(f)

    comp(f)(R(1))


@case
def long_function():
    lines = (
        ["def f(x):"]
        + [
            f"    v{i} = {'x' if i == 0 else f'v{i - 1}'}.sin() + {i}"
            + ("\n    brk()" if i % 60 == 30 else "")
            for i in range(180)
        ]
        + ["    return [" + ", ".join(f"v{i}" for i in range(180)) + "]"]
    )
    ns = {"brk": brk}
    exec("\n".join(lines), ns)
    comp(ns["f"])(R(2))


@case
def async_def():
    async def f(x):
        brk()
        return x.sin()

    c = comp(f)(R(2))
    try:
        c.send(None)
    except StopIteration:
        pass
