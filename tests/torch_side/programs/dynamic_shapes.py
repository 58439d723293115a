"""Programs: dynamic shapes."""

# mypy: ignore-errors

import torch
import torch._dynamo

from programs.registry import R, brk, case, comp


@case
def dynamic_shapes():
    def f(x, n):
        b, t = x.shape
        if t > 5:
            x = x[:, :5]
        brk()
        return x.reshape(b * x.shape[1]) * n, b + t

    g = comp(f)
    for s in ((2, 3), (4, 3), (4, 7), (6, 9)):
        g(R(*s), s[0])


@case
def dynamic_true():
    def f(x, y):
        return torch.cat([x, y]).view(-1, x.shape[1]).sum(0) / x.size(0)

    g = comp(f, dynamic=True)
    g(R(2, 3), R(4, 3))
    g(R(5, 3), R(4, 3))


@case
def mark_dynamic():
    def f(x):
        return x.sum(0) * x.shape[0] + (x.shape[0] % 2 == 0)

    x = R(6, 2)
    torch._dynamo.mark_dynamic(x, 0)
    comp(f)(x)


@case
def int_float_specialization():
    def f(x, i, s, flag):
        return x * i + s if flag else x - i

    g = comp(f)
    for a in ((1, 1.5, True), (2, 2.5, True), (3, 3.5, False)):
        g(R(3), *a)
