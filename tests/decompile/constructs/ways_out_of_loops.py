def else_that_breaks_the_loop_around(a, b, c, d, f):
    while a:
        if b:
            for x in c:
                if d:
                    break
                f(x)
            else:
                break
        if f(1):
            f(2)
        else:
            break
    return a


def comprehension_in_the_iterable_of_a_shortcut(a, b, f):
    return list(zip(tuple(f(x) for x in [a[i] for i in b]), tuple(f(x) for x in [b[i] for i in a]) + (None,)))


def step_that_is_none(a, b):
    return a[b:None:None], a[None:None], a[:b:None], a[1:2:None]


def test_whose_else_breaks_the_loop_around(a, b, c, d, f):
    for x in a:
        if b:
            while f(c):
                if d:
                    break
                f(x)
            else:
                break
        if f(1):
            break
    return a


def only_round_in_a_try(f):
    for x in f(1):
        try:
            for y in f(2):
                break
        except ValueError:
            pass
    return f(3)


def break_behind_both_arms(a, b, c):
    for d in a:
        if d == b:
            pass
        elif d == c:
            continue
        else:
            a.e(d)
        break
    return a.f()


def break_in_both_arms(a, b):
    c = 2
    while c:
        for d in a:
            if d == b:
                break
            else:
                c -= 1
                break
        else:
            break
    return c


def break_at_the_end_of_the_function(a, b):
    for c in a:
        if c == b:
            pass
        else:
            a.d(c)
        break


def break_in_front_of_a_copied_end(a, b):
    for c in a:
        break
    else:
        raise ValueError(b)
    return c


def break_at_the_end_of_a_while_in_a_with(a, b, c):
    with a:
        while b:
            if c():
                break
    return b


def break_at_the_end_of_a_while_in_a_try(a, b, c):
    try:
        while a():
            if b():
                break
        c()
        while b:
            try:
                c(b)
            except ValueError:
                continue
            if c():
                break
    except KeyError:
        pass
    return c


def break_at_the_end_of_an_endless_loop_in_a_with(a, b):
    with a:
        while True:
            if b():
                break
        a()


def return_for_two_arms_of_a_test_in_a_for(a, b, c):
    for d in a:
        c(d)
        if c or (d > b if b else c is not False):
            return


def loop_that_takes_one_item(a):
    for x in a:
        b = x.f()
        break
    else:
        return None
    for c in b:
        a.g(c)
    return b


def loops_that_take_one_item(a, b, c):
    for x in a:
        for y in b:
            for z in c:
                a.f(x, y, z)
                break
            b.f(x)


def break_of_both_loops(a, b):
    for x in a:
        for y in b:
            a(y)
            break
        break


def loops_that_take_one_item_in_front_of_a_return(a, b, c):
    for x in a:
        for y in b:
            for z in c:
                a.f(x, y, z)
                break
            break
        break
    else:
        return a
    return b


def break_where_the_body_of_a_loop_ends(a, b):
    for x in a:
        for y in b:
            if y:
                a()
            else:
                break
        break


def break_out_of_a_with_in_front_of_an_end(a, b):
    while True:
        with a():
            if b():
                break
            a.c()
    a.b = 2


def breaks_of_handlers_in_front_of_an_end(a, b, f):
    while True:
        try:
            f(a)
        except OSError:
            break
        except ValueError:
            f(b)
        if a:
            break
        b.c()
    return a.b


def chain_that_ends_what_a_loop_returns(a, b, c, d):
    for x in a:
        if x(b) or not c.d <= b.a < d.c:
            return True


def loop_whose_last_round_returns(a, b, c):
    while a.b and b.c:
        d = a.b[0]
        try:
            e = d.f(c)
        except b:
            if c:
                a.g(c)
            else:
                del a.b[0]
            continue
        try:
            f = a.h(e)
        except c:
            a.i()
            return
        if f:
            a.b[0] = f
        return


def round_of_a_loop_that_is_one_for(a, b):
    while True:
        for i in a(b):
            b(i)
            break
        else:
            break


def round_of_a_loop_that_is_one_for_in_a_try(a, b):
    try:
        while True:
            for i in a(b):
                b(i)
                break
            else:
                break
    finally:
        a()
    return b()


def a_loop_that_nothing_leaves_inside_another(x, y):
    while True:
        if y:
            if not y:
                b()
            else:
                break
        else:
            c()
        while True:
            d()
            try:
                raise
            finally:
                raise f
        for i in x:
            break


def test_and_break_lead_on_and_a_return_ends_in_a_with(a, b):
    with a:
        while b:
            if a.x:
                return
            if a.y:
                break
        c()


def test_and_break_lead_on_and_a_return_runs_a_finally(a, b):
    while a:
        if b:
            break
        try:
            if a.x:
                return
        finally:
            c()
    d()


def break_behind_an_else_that_returns(a, b):
    for x in a:
        if b(x):
            a.f()
        else:
            return
        break
    b()


def break_behind_a_test_whose_else_leaves(a, b, c):
    for x in a:
        if b(x):
            b.f()
        else:
            return
        break
    c()


def break_behind_a_test_that_else_goes_round(a, b, c):
    for x in a:
        if b(x):
            b.f()
        elif c:
            continue
        else:
            raise x
        break
    else:
        c.f()
    c()


def function_that_ends_with_an_exchange(c, d, q, x, y):
    while c:
        if d:
            break
    else:
        q()
    x, y = y, x


class EndsWithDeletion:
    while c:
        if d:
            break
    else:
        q()
    del x


def break_of_a_last_loop_in_a_try(a, b):
    try:
        if not b:
            return
        for c in a:
            if c.b == b:
                if c.x:
                    b(c)
                else:
                    b()
                break
    except ValueError as e:
        a.f(e)
        raise b()


def test_of_an_inner_loop_leaves_the_outer_one(a, b, c):
    while a:
        while b:
            if c:
                a.f()
                continue
            b.f()
            break
        else:
            break
    c.f()


def test_of_an_inner_loop_leaves_the_outer_one_that_is_last(a, b, c):
    while a:
        while b:
            if c:
                continue
            b.f()
            break
        else:
            break


def arms_that_raise_in_front_of_a_last_test(a, b, c):
    try:
        while a:
            if b:
                a.x = b.x or c
                c = a.x
            elif c:
                raise ValueError(a)
            else:
                raise KeyError(b)
            if c:
                b.f()
    except ValueError as e:
        c.f(e)


def break_to_a_value_that_is_returned_out_of_a_with(a, b):
    with a:
        for c in b:
            if c == 1:
                break
            elif c == a.b:
                return
        else:
            b.f()
        return a


def break_to_a_value_that_is_returned_out_of_a_with_behind_a_while(a, b):
    with a:
        while b.c:
            if b():
                break
            if a():
                return
        else:
            b.f()
        return a


def break_to_a_value_that_is_returned_out_of_a_with_in_front_of_more(a, b):
    with a:
        for c in b:
            if c:
                break
            if a():
                return
        else:
            b.f()
        return a
    return b
