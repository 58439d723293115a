def defaults(a, b=1, c=(1, 2), d=None):
    return a, b, c, d


def computed_defaults(x):
    def f(a=x, b=x.y, *, c=x.z, d):
        return a, b, c, d

    return f


def keyword_only(a, *, b, c=2, d):
    return a, b, c, d


def variadic(a, *args, b=1, **kwargs):
    return a, args, b, kwargs


def nested_variadic(x):
    def f(*args, **kwargs):
        return x(*args, **kwargs)

    def g(*, k=x.k):
        return k

    return f, g


def decorated(x, y):
    @x
    def f(a):
        return a

    @x.y(y)
    @y
    def g(a=x):
        return a

    return f, g


def lambdas(x):
    return lambda: x, lambda a: a, lambda a, b=x, *c, d=1, **e: (a, b, c, d, e), lambda *, a: a


def lambda_in_call(f, x):
    return f(lambda a: a + x, key=lambda b: b.c)


def lambda_conditional(x):
    return (lambda: 1 if x else 2), (lambda: 1) if x else (lambda: 2)


def lambda_of_conditions(a, b):
    return (lambda x: (a if x else b) if a else not b), (lambda x: x(1 if a else b)), lambda x: a < b < x


def lambda_with_generator(x):
    return lambda: (y for y in x)


def documented(x):
    """Says what it does.

    On several lines: "quoted", \\ and 'more'.
    """
    def inner():
        "short"
        return x

    return inner


def annotated(x):
    def f(a: x, *b: x.y, c: "text" = 1, **d: int) -> x.z:
        e: int = a
        return e

    return f


def only_docstring():
    """Nothing else."""


def nothing():
    pass


def lambdas_that_nothing_takes(a, b):
    lambda: a
    lambda x: b
    a.f(b)


def lambdas_that_return_none(a, b):
    c = lambda: a if b else None
    d = [lambda e: e.f() if e else None, lambda e: None if e else a]
    return c(), d[0](b), d[1](a)


def asks_for_constants_of_code():
    def g():
        return {z for z in range(5)}

    h = lambda x: x in {1, 2}
    return g.__code__.co_consts[1], h.__code__.co_consts[-1]


def with_messages_that_are_dropped(a):
    assert 1
    assert lambda x: x
    assert 1, lambda x: x + 1
    return lambda y: y, a


# To 3.9 the compiler folds no tuple of defaults where a line has so much code.
def defaults_behind_a_long_line():
    from a import (
        a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9,
        c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9,
        e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9,
        g0, g1, g2, g3, g4, g5, g6, g7, g8, g9,
    )

    def none(a, b=None):
        return a

    return none, lambda x=1, y="y": (x, y)
