"""Where the bytecode has a block, in what columns, or how it loads locals, tells where it was written."""


def behind_an_else_that_raises(a, b):
    if a.x:
        b = a.f(b)
    else:
        raise ValueError(b)
    try:
        b.g()
    except KeyError:
        b.h()
    return b


def behind_two_that_leave(a, b):
    if a.x:
        b = a.f(b)
    elif a.y:
        return b.z
    else:
        raise ValueError(b)
    b.g()
    return b.w


def an_end_between_two_tests_of_a_loop(a, b):
    while True:
        c = a.f(b)
        if c > a.x:
            raise ValueError(c)
        b.append(c)
        if len(b) > 2:
            b.append(a.y)
            return tuple(b)
        if c in (a.z, a.w):
            break
    return b


def the_end_of_a_loop_is_a_return(a, b):
    while True:
        if a.f(b):
            continue
        return a.g(b)


def a_raise_behind_the_break(a, b):
    while True:
        c = a.f(b)
        if c:
            break
        if b:
            raise ValueError(a.x)
    a.y = c
    return a.z


def a_return_that_the_end_does_as_well(a, b):
    if a.x:
        return
    b.f()
    if a.y and b.z():
        b.g()


def a_named_none_that_several_ways_return(a, b):
    if a.x and a.y:
        c = a.f(b)
        if c:
            return c.z
    return None


def else_with_handlers_of_its_own(a, b):
    try:
        c = a.f(b)
    except KeyError:
        return a.x
    else:
        try:
            raise ValueError(c)
        finally:
            b.g()


def else_that_ends_before_the_rest(a, b):
    try:
        c = a.f
    except KeyError:
        raise TypeError(a)
    else:
        c = c(b)
    if c:
        a.x = c
    return b.y


def else_behind_a_body_that_ends_in_a_test(a, b):
    try:
        if not a.x:
            a.f()
    except KeyError:
        b.f()
    except ValueError as error:
        b.g(error)
    else:
        b.h()
        a.g()


def tests_that_are_not_in(a, b):
    c = []
    if not a in b:
        c.append(1)
    if a not in b:
        c.append(2)
    if not a is b:
        c.append(3)
    if a is not b and not b in c:
        c.append(4)
    while not (a in c or b in c):
        c.append(a)
    return c


class Sub(dict):
    def names_super_only(self, a):
        return super(Sub, self).get(a)
