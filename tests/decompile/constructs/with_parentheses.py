# python: 3.10+
def several(a, b):
    with (
        a.f() as x,
        b.g() as y,
    ):
        return x, y


def tests_behind_an_else_that_leaves_a_handler(a, b, c):
    try:
        a()
    except ValueError as d:
        if a:
            if (b):
                c = 1
            else:
                raise a
            while (c):
                if (b):
                    a(d)
        elif b:
            if (a):
                c = 2
            else:
                raise
            if ((c)):
                b(d)
        b()


def loop_behind_an_else_that_leaves_in_a_loop(a, b, c):
    while True:
        if (a):
            b()
        else:
            return c
        while (c):
            if ((b)):
                a()
        for c in (a):
            if (b):
                break
