"""Programs: graph breaks in odd stack states."""

# mypy: ignore-errors

import torch

from programs.registry import R, brk, case, comp


@case
def break_in_expr():
    def f(x):
        return x.sin() + (brk() or x.cos()) * 2

    comp(f)(R(3))


@case
def break_in_call_args():
    def g2(a, b, c=None):
        return a + b + c

    def f(x):
        return g2(x.sin(), torch.tensor(x.sum().item()), c=x.cos())

    comp(f)(R(3))


@case
def break_in_fstring():
    def f(x):
        y = x + 1
        s = f"mean={y.mean().item():.3f} and {x.shape!r:>10} {{}}"
        return y * len(s)

    comp(f)(R(3))


@case
def break_in_subscript_store():
    def f(x, d):
        d["a"] = x.sin()
        d["b"] = print("x") or x.cos()
        d["c"][0] = d["a"] + d["b"]
        return d

    comp(f)(R(3), {"c": [0, 1]})


@case
def break_in_cmp_chain():
    def f(x, lo, hi):
        y = x.sum()
        if lo < y < hi:
            return x + 1
        elif lo <= y.item() <= hi or y > 100:
            return x - 1
        return x * 3

    g = comp(f)
    g(R(3), -1, 1)
    g(torch.ones(3), -1, 1)
    g(torch.ones(3) * 100, -1, 1)


@case
def break_boolops():
    def f(x, a, b):
        if (a and x.sum() > 0) or (b and not x.mean() > 1):
            return x.sin()
        y = a and x or b
        return y

    g = comp(f)
    g(torch.ones(3), True, False)
    g(-torch.ones(3), True, True)
    g(-torch.ones(3), 0, 2)


@case
def break_ternary():
    def f(x):
        y = x.sin() if x.sum() > 0 else x.cos()
        z = (y if y.mean().item() > 0 else -y) + 1
        return z

    g = comp(f)
    g(torch.ones(3))
    g(-torch.ones(3))


@case
def walrus():
    def f(x):
        if (s := x.sum().item()) > 0:
            return x * s
        return x + (t := x.max()) + t

    g = comp(f)
    g(torch.ones(3))
    g(-torch.ones(3))


@case
def assert_data_dep():
    def f(x):
        assert x.sum().item() < 1000, f"bad {x.shape}"
        y = x * 2
        assert y is not None
        return y

    comp(f)(R(3))


@case
def del_and_unpack():
    def f(x):
        a, (b, *c), d = x.sin(), (x.cos(), x, x + 1), x.tan()
        del a
        brk()
        e, *_ = c
        return b + e + d

    comp(f)(R(3))


@case
def slices_and_aug():
    def f(x, n):
        y = x[1:n, ..., ::2]
        brk()
        y = y.clone()
        y[0, 0] += 1
        y[:, 1:] *= 2
        y @= torch.eye(y.shape[1])
        return y

    comp(f)(R(5, 4), 4)


@case
def sets_dicts_tuples():
    def f(x):
        s = {1, 2, 3}
        t = (x, *[x + 1, x + 2])
        d = {**{"a": x}, "b": x.sin(), **{"c": 3}}
        brk()
        l = [*t, *d.values()]
        return l, s, d, t

    comp(f)(R(2))


@case
def resume_with_null_and_method():
    def f(x):
        return torch.add(x.sin(), torch.mul(x.cos(), print("n") is None), alpha=x.sum().item())

    comp(f)(R(3))


@case
def nested_breaks_deep_stack():
    def f(x):
        return [x.sin(), (x.cos(), {"k": [x.tan(), torch.tensor([print("q") is None, 1.0]), x.exp()]})]

    comp(f)(R(2))


@case
def displays_that_are_not_complete():
    # What was filled so far is on the stack where the graph breaks.
    same = torch.compiler.disable(lambda value: value)

    def took(*args, **keywords):
        return len(args), sorted(keywords)

    def f(x, s):
        shape, rest = [2, 3], {"k": s}
        first = took(x, *shape, *same(shape), **rest, **same({"m": 1}))
        second = (x, *same(shape), s, same(s))
        third = [*shape, *same(shape), *shape]
        fourth = {**rest, "z": same(s), **same({"q": 2})}
        fifth = {s, *same(shape)}
        return x.sin(), first, second[1:], third, fourth, sorted(fifth)

    comp(f)(R(3), 2)


@case
def comprehensions_behind_a_break():
    def f(x, n):
        y = x + 1
        first = [y + k for k in range(n)]
        brk()
        second = {k: y + k for k in (1, n)}
        text = f"{n}{[(y + k).shape for k in (n,)]!s:>9}{brk()!r}"
        return first, second, text

    comp(f)(R(3), 3)
