def dropped(a):
    lambda: a
    lambda b=a: b
    [a, a.b]
    (a, 1)
    {a: 1}
    a
    not a
    a is None
    a.b
    f""
    f"text"
    f"{a}"
    return a


def first_is_no_docstring(a):
    f"text"
    return a


def first_is_folded(a):
    "te" "xt" + "s"
    return a


def in_a_class(a):
    class C:
        f"no docstring"
        lambda: a
        x = a

    return C


def conditional(a):
    if a:
        lambda: a
    else:
        a
    for x in a:
        lambda: x
    return a


def constants_that_are_dropped(a, b):
    [a][0]: int
    while a(b):
        0 if 1 else 2
    a.f


def arms_that_constants_choose(a, b):
    a if 1 else b.c
    b if "s" else a
    return a


def chained_comparison_behind_an_operand(a, b, c):
    c.f() or (0 < c <= b)
    yield


def constants_that_a_test_chose(a):
    5 if 1 else 2
    0 or a(5, 3) if 0 else 3
    a()
    b"a" or a or a.b
    lambda: 2 if True else 3
    while a:
        3 if False else 3
    4 if 0 else 3


def functions_that_a_constant_decides(x, y):
    z = [{a for a in x}, () and x and {b for b in x}, {c for c in x}]
    if y and [a for a in z] and (8 or [b for b in z] or y) and [c for c in z]:
        y()
    return x and ({a for a in x} or 8 or {a: y for a in x} or z) and {b for b in x} and z


def texts_that_a_test_chose(a, b):
    "text" if 1 else a
    "text" or a
    b()
    "text" and 0
