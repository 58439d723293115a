# python: 3.14+
def fields(a, b):
    return t"x{a.b!r:>{b}}y{a + 1}{ b }", t"z{b:02}"


def texts(a):
    return t"", t"plain", t"{{}}", t"{a=}", t"{a}" t"b"


def nested(a, b):
    return t"{t'{a}'}{f'{b}'}{a if b else 'c'!s}{(x for x in a)}"


def with_calls(a, b):
    return a.f(t"{a.g()}{b.h(1)}", t"{(x := a)}{x:{b.i()}}")


def in_order(a):
    x = a.f()
    return t"{a.g()} {x} {a.h()!a:{x}.{a.i()}}"


async def awaits(a):
    return t"{await a}{await a.b:{await a.c}}"


def texts_that_the_compiler_makes_the_same(a, b):
    return t"{[x for x in a if x if b if not x]}{f'' + a}{a not in [1, 'b', (2, 3)]!r}"
