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


def operands_that_a_jump_leads_to(f, a):
    f(("a" or "b",), (1, 2 or 3), ((1 or 2, 3), (4, 5)), [1 or 2, 3, 4], {1 or 2, 3, 4}, (not 1 or 2, 3))
    f((1 or 2) + 3, -(1 or 2), not (1 or 2), (1, 2)[0 or 1], ("a" or "b") + "c", "abc"[1 or 2], f(*(1 or 2,)))
    f(a in (1 or 2, 3), a[1 or 2, 3], a[1 or 2 : 3], (1 if a else 2) + 3, {1: 2 for a in (1 or 2, 3)})
    f({1 or 2: 3, 4: 5}, {f"a": 1, f"b": 2}, f(b=1, **{f"a": 1, f"b": 2}), {f"a", f"b", f"c"}, f"a" + "b")
    b, c = 1 or 2, 3
    f((1 or 2) and a, (0 and 1) or a, a and (0 or 1000) and f, ("" or "a") and a, (None and 1) or a, (1, 2) or a, -1 or a)
    return f(b, c, (1 or 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                    27, 28, 29, 30, 31, 32, 33))


def an_arm_that_is_folded(a):
    return -(1 if a else 2)


def defaults_that_a_jump_leads_to(f, a=1 or 2, *, b=3 or 4):
    def inner(a: "x" or "y", b: "z") -> "x":
        return lambda a=1, b=2 or 3: 0
    return inner


def sets_that_hold_some_twice(f):
    return f({"b", (), ()}, {1, (2, 3), (2, 3)}, {1, 1, 1}, {1, 2, 2})
