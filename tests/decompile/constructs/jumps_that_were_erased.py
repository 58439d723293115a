"""What the bytecode of 3.8 and 3.9 tells of by what it lacks: an `else` behind a `return`, a `continue` that tests pass."""


def inner_else(a, b):
    if a.f:
        if b.g:
            return a
        else:
            return b
    else:
        return 3


def else_in_a_try(a):
    try:
        if a.f:
            return 1
        else:
            return a.g
    except ValueError:
        return 2


def else_of_a_try(a):
    try:
        a.f()
    except ValueError:
        return 1
    else:
        a.g()
        return 2


def returns_behind_an_endless_try(a):
    try:
        if a.f():
            return 1
        else:
            return 2
    except ValueError:
        a.g()
        return 3
    return True


def endless_loop_in_a_try(a):
    try:
        while True:
            a.pop()
    except IndexError:
        pass


def last_handler_in_a_loop(a):
    for x in a:
        try:
            x.f()
        except ValueError:
            x.g()
        except:
            x.h()
    return a


def continues_behind_an_if(a):
    for b in a:
        if b.f:
            b.g()
            if b.h:
                b.i()
            continue
        b.j()
        b.k()


def continues_behind_a_raise(a):
    for b in a:
        if b.f:
            if b.g:
                raise ValueError(b)
            continue
        if b.h:
            b.i()
    return a


def breaks_behind_an_if(a, b):
    while a.f():
        if b.g():
            a.h()
        else:
            if b.i():
                b.j()
            break
    return b


def returns_in_both_arms_in_a_loop(a, b):
    for c in a:
        if c.f:
            if b:
                return c.g(b)
            else:
                return c.h(b)
    return []


def else_with_an_endless_loop(a, b):
    if a.f():
        b.g()
    else:
        while True:
            if a.h():
                return b


def raises_or_tries(a):
    if not a.f:
        raise ValueError('a')
    else:
        try:
            a.g()
        except OSError:
            raise ValueError('b')


def else_that_returns_either(a):
    try:
        b = a.f()
    except ValueError:
        return 1
    else:
        return 2 if b else 3


def else_behind_two_returns(a, b):
    if a.f:
        if b:
            return 1
        else:
            return a
    else:
        b.g()
        return 3


def return_in_a_loop_that_starts_a_try(a, b):
    try:
        while a.f():
            if b:
                return
    finally:
        a.g()


def continue_that_is_the_last_way_back_to_the_head(a, b):
    while True:
        try:
            b()
        except OSError:
            a()
        if a.f():
            try:
                b.f()
                continue
            except KeyError:
                return a.g()
        return b.g()


def return_that_a_continue_leaves_out(a, b):
    for c in a:
        if b(c):
            a.f()
        elif c.f():
            continue
        return c.g()
