"""To 3.9 the jumps behind a body tell of an `else` that does nothing, or that what leaves the body skips."""


def else_that_passes(a):
    if a.f:
        a.g()
        a.h()
    else:
        pass


def chain_that_passes(a, b):
    if a.f:
        b = 2
    elif a.g:
        b = 3
    else:
        pass
    return b


def arm_that_passes_in_a_loop(a, b):
    for c in a:
        d = c.f
        if d is not None:
            if d in b:
                a.g(c)
            elif c in d.g:
                pass
            elif d.h:
                b.append(d)
            else:
                b.i(d)
        else:
            a.j()
    return b


def else_behind_a_compound_test_that_breaks(a, b):
    for c in a:
        d = b.get(c)
        if d is None or d.f(c):
            break
        else:
            b = d.g
            c = d.h
    return b, c


def else_behind_a_chain_that_breaks(a):
    while True:
        b = a()
        if b.f <= b.g < b.h:
            break
        else:
            b.i()
            if b.j:
                b.k = 1
    return b


def else_that_continues(a):
    for b in a:
        if b.f:
            if b.g:
                break
            else:
                continue
        a.h(b)
    return b


def else_that_continues_at_the_end(a, b):
    while True:
        c = a.f(b)
        if c == 1:
            if a.g or b and c:
                break
            else:
                continue
        elif c == 2:
            b += 1
        else:
            b += 2
    return b


def else_behind_a_raise_in_a_handler(a):
    try:
        a.f()
    except ValueError as error:
        if not a.g:
            raise KeyError(a) from error
        else:
            raise
    return a


def no_else_behind_an_endless_loop(a, b):
    if a.f is not None:
        while True:
            yield a.f
    for c in b:
        yield c


def else_of_a_try_that_ends_a_loop(a):
    while True:
        try:
            b = a.f()
        except ValueError:
            break
        else:
            if b:
                break
    return a


def break_in_an_else_in_front_of_an_else(a, b, f):
    while a is not None:
        if b:
            if f(a) < b:
                f(1)
            else:
                break
        else:
            f(2)
        a = a.b
    while f():
        if a:
            if f(a):
                f(1)
            else:
                continue
        else:
            f(2)
        f(3)
