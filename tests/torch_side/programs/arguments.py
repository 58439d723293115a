"""Programs: straight-line / args."""

# mypy: ignore-errors

import torch

from programs.registry import R, brk, case, comp


@case
def plain():
    def f(a, b):
        return torch.sin(a) + b * 2

    comp(f)(R(4), R(4))


@case
def toy_depyf():
    def toy_example(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    g = comp(toy_example)
    for _ in range(2):
        g(R(4), -torch.rand(4))
        g(R(4), torch.rand(4))


@case
def kwargs_varargs():
    def f(a, *args, k=1, **kw):
        s = a * k
        for x in args:
            s = s + x
        brk()
        for n, v in kw.items():
            s = s + v
        return s

    comp(f)(R(3), R(3), R(3), k=2.0, z=R(3), y=R(3))


@case
def posonly_defaults():
    def f(a, b=2, /, c=3, *, d=4):
        x = a + b
        brk()
        return x * c - d

    g = comp(f)
    g(R(3))
    g(R(3), 5, c=1, d=9)


@case
def call_with_star():
    def h(*a, **k):
        return sum(a) + k.get("q", 0)

    def f(xs, kw):
        y = torch.cos(xs[0])
        brk()
        print(*[1, 2], sep="")
        return h(*xs, **kw) + y

    comp(f)([R(2), R(2)], {"q": R(2)})


@case
def many_args_locals():
    def f(a, b, c, d, e, g, h, i):
        t1 = a + b
        t2 = c * d
        t3 = e - g
        t4 = h / (i.abs() + 1)
        brk()
        u1 = t1 * t2
        u2 = t3 - t4
        brk()
        return u1, u2, t1, t4

    comp(f)(*[R(2) for _ in range(8)])
