"""Programs: autograd / training."""

# mypy: ignore-errors

import torch
from torch import nn

from programs.registry import R, brk, case, comp


@case
def backward_inside():
    m = nn.Linear(3, 1)

    def f(x):
        loss = m(x).pow(2).sum()
        loss.backward()
        return loss.detach()

    comp(f)(R(2, 3))


@case
def train_step():
    m = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
    opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)

    def step(x, y):
        opt.zero_grad()
        loss = ((m(x) - y) ** 2).mean()
        loss.backward()
        opt.step()
        return loss

    g = comp(step)
    g(R(4, 3), R(4, 1))
    g(R(4, 3), R(4, 1))
    g(R(6, 3), R(6, 1))


@case
def adam_step():
    m = nn.Linear(3, 1)
    opt = torch.optim.Adam(m.parameters())
    m(R(2, 3)).sum().backward()
    g = comp(lambda: opt.step())
    g()
    g()


@case
def custom_autograd_function():
    class Sq(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    def f(x):
        y = Sq.apply(x.sin())
        brk()
        return Sq.apply(y).sum()

    comp(f)(R(3, requires_grad=True)).backward()


@case
def tensor_hooks():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 3)
        return y.sin()

    comp(f)(R(3, requires_grad=True)).sum().backward()


@case
def checkpointing():
    from torch.utils.checkpoint import checkpoint

    m = nn.Linear(4, 4)

    def f(x):
        return checkpoint(lambda t: m(t).sin(), x, use_reentrant=False) + 1

    comp(f)(R(2, 4, requires_grad=True)).sum().backward()


@case
def vmap_grad():
    def f(x):
        return torch.func.vmap(torch.func.grad(lambda t: (t**3).sum()))(x)

    comp(f)(R(3, 2))
