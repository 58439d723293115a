"""Programs: with / try."""

# mypy: ignore-errors

import contextlib

import torch

from programs.registry import R, brk, case, comp

G_LIST = []
G_COUNTER = 0


@torch.compiler.disable
def same(value):
    return value


@case
def with_no_grad():
    def f(x):
        y = x * 2
        with torch.no_grad():
            z = y.sin()
            brk()
            z = z.cos()
        return y + z

    comp(f)(R(3, requires_grad=True))


@case
def with_nested():
    def f(x):
        with torch.no_grad():
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = x @ x
                print("in")
                y = y + 1
            with torch.enable_grad():
                z = x.sin()
                brk()
                z = z + 1
        return y, z

    comp(f)(R(3, 3, requires_grad=True))


@case
def with_multi_items_as():
    class CM:
        def __init__(self, v):
            self.v = v

        def __enter__(self):
            return self.v

        def __exit__(self, *a):
            return False

    def f(x):
        with CM(2) as a, CM(3) as b:
            y = x * a
            brk()
            y = y + b
        return y

    comp(f)(R(3))


@case
def with_contextlib():
    @contextlib.contextmanager
    def cm(v):
        try:
            yield v
        finally:
            G_LIST.append(v)

    def f(x):
        with cm(3) as q:
            y = x + q
            brk()
        return y.sin()

    comp(f)(R(3))


@case
def with_in_loop():
    def f(x):
        for i in range(3):
            with torch.no_grad():
                if i == 1:
                    brk()
                x = x + i
        return x

    comp(f)(R(3))


@case
def with_return_inside():
    def f(x):
        with torch.set_grad_enabled(False):
            y = x.sin()
            if y.sum() > 0:
                return y
            brk()
            return y * 2

    g = comp(f)
    g(torch.ones(3))
    g(-torch.ones(3))


@case
def try_finally():
    def f(x):
        try:
            y = x.sin()
            brk()
            y = y + 1
        finally:
            G_LIST.append(1)
        return y

    comp(f)(R(3))


@case
def try_except():
    def f(x, bad):
        try:
            y = x.sin()
            if bad:
                raise ValueError("bad")
        except ValueError as e:
            y = x.cos()
        except (TypeError, KeyError):
            y = x
        else:
            y = y + 10
        brk()
        return y

    g = comp(f)
    g(R(3), False)
    g(R(3), True)


@case
def try_except_break_inside():
    def f(x, d):
        try:
            y = x.sin()
            print("try")
            y = y + d["zz"]
        except KeyError:
            y = x.cos()
        return y

    comp(f)(R(3), {})


@case
def try_nested_raise_from():
    def f(x):
        try:
            try:
                raise KeyError("a")
            except KeyError as k:
                raise ValueError("b") from k
        except ValueError:
            x = x + 1
        finally:
            x = x * 2
        brk()
        return x

    comp(f)(R(3))


@case
def raise_after_graph():
    def f(x):
        y = x.sin()
        if y.sum() < 100:
            raise RuntimeError(f"stop {y.shape}")
        return y

    try:
        comp(f)(R(3))
    except RuntimeError:
        pass


@case
def breaks_in_nested_managers():
    # Each manager is entered again behind the break, with what was on the stack.
    def f(x, s):
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            y = (x, same(s), x.sin())
            with torch.enable_grad():
                text = f"{s} and {same(s)!r:>6}"
            y = y[0] + y[2]
        return y, text

    comp(f)(R(3), 2)


@case
def numbers_in_texts():
    def f(x, y):
        z = x + y
        print(f"loss {z.sum().item():.1f} of {x.shape}, {y.max().item()}")
        return z * 2

    comp(f)(torch.ones(3), torch.ones(3))


@case
def with_items_nested():
    def f(x):
        with torch.no_grad():
            y = x * 2
            with torch.no_grad(), torch.enable_grad():
                y = y + 1
                print(y.shape)
                y = y.cos()
            y = y + 3
        return y

    comp(f)(R(3, requires_grad=True))
