def loop_in_a_handler_in_front_of_a_conditional_return(a, b):
    try:
        a()
        return
    except TypeError:
        while 1:
            if b:
                break
            c()
    return (x if y else z)


def return_in_a_loop_in_two_tries(a, b):
    try:
        while a.f:
            if b(a):
                return
    except ValueError as e:
        b(e)
    finally:
        a.g()


def body_that_is_tried_until_it_ends(a, b):
    while True:
        try:
            a()
            break
        except ValueError:
            pass
    return b(a)


def body_that_is_tried_until_it_ends_in_a_try(a, b):
    try:
        while True:
            try:
                a()
                break
            except ValueError:
                b()
    finally:
        b(a)


def break_in_a_try_in_front_of_an_end_that_fails(n, req):
    while n:
        try:
            if r:
                if req:
                    break
            elif s:
                h()
        except A:
            return None
        sleep(3)
    else:
        h(3)
        return None
    return v


def else_of_an_end_in_a_for(a, b):
    for c in a:
        try:
            d = b.f(c)
        except KeyError:
            a.g()
        else:
            a.h(d)
            return d
    d = a.i()
    if d:
        return d
    return ''


def else_in_front_of_a_break(a, b):
    for c in a:
        if c:
            try:
                b()
            except ValueError as d:
                return
            else:
                b(c)
            break
        a.f(c)
    for e in a:
        if e:
            try:
                b(e)
            except ValueError:
                raise
            else:
                b(a)
            break
        a.g(e)


def endless_loop_in_a_try_whose_handler_goes_round(a, b):
    while True:
        try:
            while True:
                b(next(a))
        except KeyError:
            a = b.f()


def endless_loop_that_starts_with_an_endless_one(a, b):
    while True:
        while True:
            try:
                if a.f():
                    break
            except KeyError:
                pass
            b.f()
        b.g()


def what_stands_behind_a_loop_of_one_round(a, b):
    try:
        for c in a:
            break
    except ValueError:
        a.f()
    d = b


def what_stands_behind_a_loop_with_a_break(a, b):
    try:
        for c in a:
            if c:
                break
    except ValueError:
        a.f()
    d = b


def what_stands_behind_the_finally_of_a_loop(a, b):
    try:
        for c in a:
            break
    finally:
        a.f()
    d = b


def chooses_a_comprehension_in_finally(a, b):
    try:
        a()
    finally:
        c = [d.x for d in b] if a.x else 4
    return c


def chooses_a_comprehension_behind_a_handler(a, b):
    try:
        a()
    except ValueError:
        return
    finally:
        c = {d: e for d, e in b} if a.x else {}
    b(c)


def endless_loop_of_a_loop_behind_finally(a, b):
    if a:
        try:
            a()
        finally:
            b()
    while 1:
        while b():
            a()
        a.f()
