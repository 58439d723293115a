"""Programs: nn.Module."""

# mypy: ignore-errors

import torch
from torch import nn

from programs.registry import R, brk, case, comp


class Blk(nn.Module):
    def __init__(self, brk_at=None):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.n = nn.LayerNorm(4)
        self.brk_at = brk_at
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        y = self.n(x)
        if self.brk_at == "print":
            print("blk")
        if self.brk_at == "data" and y.sum() > 0:
            y = y * 2
        return x + torch.relu(self.l(y))


@case
def module_plain():
    comp(nn.Sequential(Blk(), Blk()))(R(2, 4))


@case
def module_breaks():
    comp(nn.Sequential(Blk("print"), Blk("data"), Blk()))(R(2, 4))


@case
def module_hooks():
    m = Blk()
    m.register_forward_hook(lambda mod, i, o: (print("hook"), o * 2)[1])
    m.register_forward_pre_hook(lambda mod, i: (i[0] + 1,))
    m.l.register_full_backward_hook(lambda mod, gi, go: None)
    comp(m)(R(2, 4)).sum().backward()


@case
def module_list_dict_buffers():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.ls = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
            self.d = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
            self.register_buffer("c", torch.zeros(1))
            self.bn = nn.BatchNorm1d(4)

        def forward(self, x, act="a"):
            for i, l in enumerate(self.ls):
                x = self.d[act](l(x))
                if i == 0:
                    brk()
            self.c += x.mean().detach()
            self.last = x
            return self.bn(x)

    m = comp(M())
    m(R(3, 4))
    m(R(3, 4), "b")
    m.eval()
    m(R(5, 4))


@case
def module_init_inside():
    def f(x):
        m = nn.Linear(4, 2)
        return m(x)

    comp(f)(R(2, 4))


@case
def module_super_and_property():
    class A(nn.Module):
        @property
        def scale(self):
            return 2.0

        @staticmethod
        def st(x):
            return x - 1

        @classmethod
        def cl(cls, x):
            return x / 2

        def forward(self, x):
            return x * self.scale

    class B(A):
        def forward(self, x):
            y = super().forward(x)
            brk()
            return self.st(y) + self.cl(y)

    comp(B())(R(3))
