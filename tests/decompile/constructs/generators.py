def plain(a):
    yield a
    yield
    yield a.b


def values(a):
    b = yield a
    c = (yield b) + 1
    a.use((yield), (yield c))
    return b


def loops(a):
    for x in a:
        if x:
            yield x
        else:
            yield x.y
    while a:
        yield a.step()


def delegating(a):
    x = yield from a
    yield from a.b
    return (yield from x)


def in_try(a):
    try:
        yield a
    except ValueError:
        yield a.handled
    finally:
        a.done()


def in_with(a):
    with a as b:
        yield b
    with a:
        yield


def in_condition(a):
    return (yield a) if a else (yield a.b)


def in_circuit(a):
    return (yield 1) and (yield 2) or (yield a)


def never(a):
    return a
    yield


def endless(a):
    while True:
        x = yield a
        if x is None:
            break
        a = x


def nested(a):
    def inner(b):
        yield a
        yield from b

    yield from inner(a)


def lambda_generator(a):
    return lambda: (yield a)


def finally_in_finally(a):
    a.x = []
    try:
        yield
    finally:
        try:
            a.f(a.x)
        finally:
            del a.x


def delegates_to_containers(a):
    yield from [x.f() for x in a]
    yield from {x: a for x in a}
    yield from [1, 2]


def yields_or_passes(a, b):
    for c in a:
        if c == b:
            yield c
        else:
            pass
    return b


def lambdas_that_choose_by_what_was_sent(x):
    return (
        lambda a, b: a if (yield a) else b,
        lambda a, b: (a if b else x) if (yield from a) else b,
        lambda a, b: a or (yield) or (b if a else x),
    )
