# python: 3.15+
def displays(a, b):
    return [*x for x in a], {*x for x in b if x}, {**x for x in a.f()}


def generators(a):
    return (*x for x in a), a.f(*x for x in a if x), (*x.b for y in a for x in y)


def nested(a):
    return [*[*y for y in x] for x in a], [lambda: x for x in [*y for y in a]]


async def asynchronous(a):
    b = [*x async for x in a]
    c = {**x async for x in a if await x}
    return b, c, (*x async for x in a), [*(await x) for x in a]


def in_a_class(a):
    class C:
        b = [*x for x in a]
        c = {**x for x in a}
        d = a.f(*x for x in a)

    return C
