"""Programs: containers / side effects."""

# mypy: ignore-errors

import collections
import dataclasses
import enum

import torch

from programs.registry import R, brk, case, comp


@case
def list_mutation():
    def f(x, l):
        l.append(x)
        l[0] = x + 1
        l.extend([x, x])
        l.insert(1, 5)
        l.pop()
        brk()
        l.reverse()
        del l[0]
        return l

    comp(f)(R(3), [1, 2])


@case
def dict_mutation():
    def f(x, d):
        d["n"] = x
        d.update(a=1, b=x.sin())
        d.pop("z")
        d.setdefault("q", []).append(x)
        return x + 1

    comp(f)(R(3), {"z": 1})


@case
def set_deque_defaultdict():
    def f(x, s, dq, dd):
        s.add(4)
        dq.append(x)
        dq.appendleft(1)
        dd["k"].append(x.sin())
        brk()
        s.discard(1)
        return len(s), dq.pop(), dd

    comp(f)(R(3), {1, 2}, collections.deque([0], maxlen=5), collections.defaultdict(list))


@case
def obj_attr_mutation():
    class O:
        pass

    o = O()
    o.a = 1
    o.l = []

    def f(x, o):
        o.a = x.sin()
        o.l.append(2)
        o.new = {"t": x}
        del o.l[0]
        brk()
        o.a = o.a + 1
        return o.a

    comp(f)(R(3), o)


@case
def new_object_in_graph():
    @dataclasses.dataclass
    class P:
        a: torch.Tensor
        b: int = 3
        c: list = dataclasses.field(default_factory=list)

    def f(x):
        p = P(x.sin(), c=[x])
        p.b = 7
        brk()
        p.c.append(p.a)
        return p

    comp(f)(R(3))


@case
def dataclass_input():
    @dataclasses.dataclass
    class P:
        a: torch.Tensor
        b: float

    def f(p):
        q = dataclasses.replace(p, b=p.b + 1)
        return q, p.a * q.b

    comp(f)(P(R(3), 1.0))


@case
def namedtuple_enum():
    NT = collections.namedtuple("NT", "x y")

    class E(enum.Enum):
        A = 1
        B = 2

    def f(nt, e):
        r = NT(nt.x + 1, y=nt.y) if e is E.A else nt._replace(x=0)
        brk()
        return r, e == E.B

    comp(f)(NT(R(2), 3), E.A)


@case
def tensor_output_aliasing():
    def f(x):
        y = x.view(-1)
        z = x
        x.add_(1)
        return y, z, x, [y, y], (x.t(),)

    comp(f)(R(2, 2))


@case
def tensor_data_attr():
    def f(x):
        x.foo = 3
        x.grad = None
        y = x.detach().requires_grad_(True)
        return y

    comp(f)(R(3))


@case
def random_state_and_time():
    import random

    def f(x):
        return x + random.random() + random.randint(1, 3)

    comp(f)(R(3))


@case
def numpy_code():
    import numpy as np

    def f(x):
        a = np.sin(x) + 1
        return a.reshape(2, -1).sum(axis=0)

    comp(f)(np.ones(4, dtype=np.float32))
