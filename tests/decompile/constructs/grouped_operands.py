# From 3.14 on, what stands between the parentheses is tested where no handler sees it.
def in_a_try(a, b, c, f):
    try:
        return (f(a) and b) and f(c)
    except ValueError:
        return f(b)


def in_a_finally(a, b, c, d, f):
    try:
        x = (a or f(b)) or c
        y = (a or b or c) or d
        z = a and ((b and c) and d)
        return f(x, y, z, ((a and b) and c) and d, (a and (b and c)) and d)
    finally:
        f()


def around_other_operators(a, b, c, d, f):
    with f():
        x = (a and (b or c) and d) and a
        y = (a and (b if c else d)) and a
        z = (a if c else (b and c)) and d
        f(x, y, z, (a if c else (a and b) and c) and d)
        return (d or (a and b)) and c


def in_tests(a, b, c, d, f):
    try:
        if (a and b) and c:
            f(a)
        x = not ((a and b) and c)
        y = f((a and b) and c, d or ((a or b) or c))
        return (a and b) if ((a and b) and c) else ((d or b) or c), x, y
    finally:
        f()


def in_handlers(a, b, c, d, f):
    for x in f(a):
        try:
            f(x)
        except ValueError:
            with f(b):
                return ((a and x) and (c or d)) or f(d)
        with f(c):
            if f((a and b) and c):
                continue
        with f(c):
            return not (((a and b) and c) or d)


def generated(a, b, c, f):
    yield (a and b) and f(c)
    yield a or (b or (c or f(a)))


async def awaited(a, b, c, f):
    x = (a or b) or f(c)
    return (await f(x) or b) or c


def in_comprehensions(a, b, f):
    return [(x and f(a)) and b for x in f(b)], {(x or a) or b: 1 for x in f(a)}


def flat_operands(a, b, c, f):
    try:
        return a and b and f(c), a or b or f(c)
    finally:
        f()


def dropped_on_two_lines(a, b):
    for x in a:
        x.a() and \
            x.b()
    while a:
        (a.b() and a.c()) or \
            a.d()
        if b:
            b() or \
                a()
        else:
            (a() or b()) if x() else a.b()
    a.a() and \
        a.b()


def dropped_in_a_loop(a, b, f):
    for x in a:
        if x:
            f(a) or f(b)
            break
        try:
            f(a) and f(b)
        except ValueError:
            f(x) or f(b)


def groups_whose_value_is_used(a, b, c, f, g, h):
    f.a = (a and b or c) and g or h
    f.b = f and (a and b or c) and g or h
    f.c = f or (a and b or c or f.d) and g(a) or h
    f.d = (a and b or c) and (g and f or h) and (a or b)
    f.e = not (not a or not b) and c
    if (a and b or c) and g or h:
        f.f = 1


def groups_in_a_finally(a, b, c, f):
    try:
        f()
    finally:
        (a and b or c).close()
        f((a or b) and c, a and (b or c))
    while a:
        try:
            f(a)
        finally:
            f(a and b or c).g()


def conditionals_whose_truth_is_used(a, b, c, f, g, h):
    f.a = (a if b else c or g) and h or f.b
    f.b = (a and b if c else f.a or g) and h
    f.c = (a if b else c and g) or h
    f.d = (a or g if b else h if c else f.a or f.b) and f(a)
    if (a if b else c or g) and h or f.b:
        f.e = 1
