def floats(f):
    return f(1e999), f(-1e999), f(1e999 - 1e999), f(-0.0), f(0.0), f(1e100), f(5e-324), f(0.1)


def complexes(f):
    return f(1j), f(-1j), f(1 + 2j), f(-0.0 - 1j), f(-0.0 + 0j), f(1e999j), f(complex(1e999, 0))


def integers(f):
    return f(10**50), f(-(10**50)), f(2**64), f(-1), f(255), f(256), f(-5), (-1) ** 2, -(1**2)


def strings(f):
    return f(""), f("\n\t\\'\""), f("\ud800"), f("\x00"), f("\U0001f600"), f("é"), f('"""'), f("\\N{DASH}")


def byte_strings(f):
    return f(b""), f(b"\x00\xff"), f(b"'\""), f(b"a\\")


def singletons(f):
    return f(None), f(True), f(False), f(...), f(Ellipsis)


def tuples(f):
    return f(()), f((1,)), f((1, (2, (3.0, "x", b"y", None, ...)))), f((-0.0, (1e999,)))


def frozen(x):
    return x in {1, "a", None}, x in {(1, 2), -1.5}


def kinds(f):
    return f(1), f(1.0), f(True), f(1 + 0j), f((1, 1.0, True)), f((0.0, -0.0))


def numbers_that_are_none(f, x=-(1e999 - 1e999)):
    return f(-(1e999 - 1e999)), [1e999 - 1e999, -(1e999 - 1e999)], 1e999j - 1e999j, x


def complex_numbers_that_are_none(f):
    return f(1e999 * 0j), f(-(1e999j - 1e999j)), f(-(0.0 - (1e999j - 1e999j))), f(1 + (1e999j - 1e999j))
