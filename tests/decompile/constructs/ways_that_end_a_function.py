"""To 3.9 each written `return` has instructions of its own, and all that falls off the end meets at one more."""


def falls_off_behind_a_handler(a, b):
    if a:
        try:
            return b.f()
        except ValueError:
            pass
    elif b.g():
        return a
    else:
        return None


def falls_off_behind_a_with(a, b):
    if a:
        with b.f() as c:
            while c.g():
                a.h(c)
    else:
        return b.i()


def breaks_in_front_of_an_else_that_raises(a, b):
    for c in a:
        if c.f() == b:
            a.g(c)
            break
    else:
        raise KeyError(b)


def raises_or_falls_off(a, b):
    if a.f():
        if b.g():
            raise ValueError(a)
    else:
        return b.h()


def returns_in_the_else_alone(a, b):
    if a.f():
        if b:
            b.g()
    else:
        for c in b:
            a.h(c)
        if a:
            return
        return c


def breaks_in_front_of_an_else_that_goes_on(a, b):
    for c in a:
        if b(c):
            break
    else:
        d = c
    b.x = a
    return d


def ends_behind_an_else_with_a_test(a, b):
    while a.f():
        if b(a):
            a.g()
            break
    else:
        if a:
            a.h()
        else:
            b.h()
    return a.b(b)
