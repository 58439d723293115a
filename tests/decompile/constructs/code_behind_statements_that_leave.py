"""To 3.9 the compiler keeps what stands behind a statement that nothing leads out of."""


def else_of_a_body_that_raises(a, b):
    try:
        raise
    except ValueError as error:
        a.f(error)
    else:
        b.g()


def behind_handlers_that_return(a, b):
    try:
        raise a
    except ValueError:
        return
    b.g(lambda: a)


def behind_a_try_in_a_handler(a):
    try:
        return a.b
    except ValueError:
        try:
            return a.c
        except KeyError:
            return 0
    return a.f()


def behind_a_finally(a, b):
    try:
        a.f()
        return
    finally:
        b.g()
    a.h(b)


def else_of_an_endless_loop(a, b):
    try:
        while True:
            b.g()
    except ValueError:
        pass
    else:
        a.f()


def in_a_loop(a, b):
    for x in a:
        try:
            raise x
        except ValueError:
            continue
        if x:
            break
    return b


def statements_in_it(a, b, c):
    with a:
        try:
            raise a
        except ValueError:
            pass
        else:
            try:
                raise b
            except ValueError:
                pass
            else:
                with c:
                    return b
    a.f()


def finally_that_only_returns():
    try:
        pass
    finally:
        return 1


def finally_that_only_goes_on(a):
    for x in a:
        try:
            a.f()
        finally:
            continue
    return x


def finally_that_only_breaks(a):
    for x in a:
        try:
            a.f()
        except ValueError:
            a.b = x
        else:
            a.g()
        finally:
            break
    a.h()


def finally_that_always_leaves(a):
    while a.f():
        try:
            continue
        finally:
            break
    for x in a:
        try:
            if x:
                break
        finally:
            continue
    try:
        return a
    finally:
        return a.g()


def finally_that_leaves_from_its_arms(a, b):
    while a:
        try:
            if a.f():
                return a
            a.g()
        finally:
            if b:
                break
            else:
                return b
        a.h()
    return a


def loop_that_comes_back_behind_a_return_alone(a, b):
    for x in a:
        while x.f():
            try:
                return x
            finally:
                if b:
                    break
    return a


def code_behind_a_finally_that_is_never_left(a, b):
    try:
        raise a
    finally:
        b.f()
    return b


def return_behind_a_finally_in_an_endless_loop(a, b):
    while True:
        try:
            if a:
                continue
        finally:
            b()
        return


def code_behind_a_with_in_an_endless_loop(a, b):
    while True:
        with a:
            if b:
                continue
        a.f()
        return 5


def return_behind_a_finally_that_breaks(a, b, c):
    for x in a:
        try:
            if b:
                continue
            if c:
                break
        finally:
            x()
        return
    return 5
