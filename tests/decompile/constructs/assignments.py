"""Assignments with several targets, and tuples that are never built."""


def chained(a, b):
    x = y = a.f()
    a.x = b[x] = b.y = y
    return x, y


def chained_constant():
    x = y = 0
    first = second = None
    return x, y, first, second


def chained_display(a):
    x = y = []
    x.append(a)
    return y


def chained_unpacking(a, b):
    whole = first, second = a.f(), b
    (x, y), z = w = a
    return whole, first, second, x, y, z, w


def chained_slices(a, b):
    a[1:2] = a[b:] = x = b.f()
    return x


def copied(a):
    x = a
    y = x
    return x, y


def swapped(a, b):
    a, b = b, a
    return a, b


def rotated(a, b, c):
    a, b, c = c, a, b
    return a, b, c


def four(a, b):
    a, b, c, d = b, a, a.x, b.y
    return a, b, c, d


def computed(a, b):
    a.x, b.y = b.f(), a.g()
    a[b.x], b = b, a.y
    return a, b


def starred(a, b):
    x, *y = a, b, a
    return x, y


def global_targets(a, b):
    global p, q
    p = q = a
    p, q = q, b


def one_name_for_several(f, g):
    _, _ = f(), g()
    f(_)
    a, _, _ = f(), g(), f
    f(a, _)
    _, _, a = f(), g(), f.x
    g(a, _)
    a, b, _, _ = f(), g(), f.x, g.x
    f(a, b, _)
    _, _, _ = f(), g(), f.x
    return a, (_, _)


class Body:
    x = y = 1
    x, y = y, x


def chained_with_displays_in_a_target(a, b, f):
    c = a.setdefault(b, {})[f.x] = f(b)
    d = a[{1: b}] = f.y = {5: c}
    e = a.x([], {b}, *c, **d)[f] = d
    return c, d, e


def chained_comprehension(a, b):
    *c, d = e = [[f for f in g if f] for g in a(b)]
    return c, d, e


def targets_that_make_functions(a, b):
    c = b[(d for d in b)] = a
    b[lambda: 1] = c = a()
    c.e = b[a(lambda: c)] = d = b
    return c, d


def comprehension_in_the_place_of_a_store(a, b, c):
    a[len([0 for d in b]), c] = c = 0
    a[[0 for d in b for e in d][0]] = a.b = None
    return c
