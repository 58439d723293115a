def plain(x):
    a, b = x
    return b, a


def nested(x):
    (a, b), [c, (d,)] = x
    return d, c, b, a


def starred(x):
    a, *b = x
    *c, d = x
    e, *f, g = x
    (*h,) = x
    return a, b, c, d, e, f, g, h


def targets(x, y):
    x.a, y[0], y[x.b] = x
    x.c, (y.d, *y.e) = y
    return x


def swap(a, b, c):
    a, b = b, a
    a, b, c = c, a, b
    return a, b, c


def swap_four(a, b, c, d):
    a, b, c, d = d, c, b, a
    return a, b, c, d


def swap_items(x, i, j):
    x[i], x[j] = x[j], x[i]


def chain(x, y):
    a = b = x.f()
    c, d = y.e = x
    return a, b, c, d


def nothing(x):
    () = x
    [] = x


def in_loops(x):
    for a, (b, *c) in x:
        x.use(a, b, c)
    for x.i, x.j in x:
        pass
    for x[0] in x.y:
        x.z


def same_name_twice(a):
    width, _, _ = a
    _, *_, (_, height) = a.b
    for _, _, x in a:
        a.c(x, _)
    return width, height


def targets_that_are_stored_over(x):
    (a, _), _, _ = x
    (b, (c, _)), _ = a
    for (d, _), _, (_, _) in c:
        b(d)
    return a, _, [_ for (e, _), _ in x]


def stores_of_one_name_on_two_lines(a):
    for (
        b,
        _,
        _,
        c,
    ) in a:
        b(c)
    (b, _,
     _, *_) = a
    for b, _, _ in a:
        b(c)
    return {b: c for (
        _,
        _,
        b,
    ) in a}


def stores_that_the_next_target_overwrites(a, b):
    a, b = b = a.f()
    a, (b, *c) = c = b
    (a, a), b = b = c
    return a, b, c
