def declares_global(a):
    global g, h
    g = a
    del h
    return g


def counter(a):
    total = a

    def add(b):
        nonlocal total
        total = total + b
        return total

    return add


def deep(a):
    def one(b):
        def two(c):
            nonlocal a, b
            a, b = b, c
            return a, b, c

        return two

    return one


def deleted_cell(a):
    f = lambda: a
    del a
    return f


def loop_closures(a):
    found = []
    for x in a:
        found += [lambda y: (x, y)]
    return found


def recursive(a):
    def again(n):
        return again(n.less) if n else a

    return again


def parameter_cells(a, *b, c, **d):
    return lambda: (a, b, c, d)


def same_names(x):
    def x_(x):
        return x

    def inner():
        x = 1

        def innermost():
            return x

        return innermost

    return x_, inner, x


def global_in_nested(a):
    def inner():
        global g
        g = a
        return g

    return inner


def never_compiled(a):
    b = 1

    def shares():
        nonlocal b

    if 0:

        def never():
            return a, never

    class Inner:
        def method(self):
            self.x: b = a.y
            return self

    return shares, Inner, b


def local_that_nothing_binds(a):
    if not __debug__:
        import os

        b = os
    else:
        c = 1
    return a and b, c


def cell_that_only_a_function_inside_binds(a):
    b: dict

    def bind():
        nonlocal b
        b = a

    def read():
        return b

    bind()
    return read()


def cells_of_comprehensions(a):
    i = a
    b = [lambda: i for i in a]
    c = {i: lambda: i for i in a}
    return i, b, c


def cells_and_locals_of_comprehensions(a):
    class C:
        b = [[x for x in y] for y in a]
        c = [lambda: x for x in a]

    return [x() for x in C.c], C.b, [lambda: x for x in a]


def in_what_is_dropped(a):
    if 0:
        lambda: a
    try:
        a.b()
    except KeyError as e:
        a.c = e
    a = None


def globals_that_a_variable_hides(a):
    r, w = a

    def f():
        global w
        return w

    def g():
        def h():
            global r
            return r, [r for x in a], lambda: r

        return h

    class C:
        global r
        x = r

    return f, g, C, w, r


def function_behind_a_return(a):
    x = a
    return

    def inner():
        return x


def comprehension_behind_a_return(a):
    if a:
        return [y for y in a]
        lambda: 1
    else:
        return [w for w in a]


def lambda_in_front_of_handlers_that_nothing_reaches(a):
    assert lambda b: b
    assert 1, lambda b: b + 1

    try:
        assert True
    except AssertionError as error:
        a("never")


def class_that_shares_what_only_dropped_code_reads(a, b):
    class Inner:
        "doc"
        value = 1.5 or a

        def method(self):
            return b
    return Inner


def comprehension_behind_an_endless_loop(a, g):
    while True:
        g(2)
    return {a: a for x in a}, [g for x in a]


class ReadsAGlobal:
    global read_as_a_global
    a = read_as_a_global
