def plain(a):
    with a:
        a.f()
    return a


def named(a):
    with a.open() as b:
        b.f()
    return b


def targets(a):
    with a as b.c:
        a.f()
    with a as a[0]:
        a.g()
    with a as (b, c):
        a.h(b, c)


def several(a, b):
    with a as x, b.f() as y, a.g():
        x.h(y)


def nested(a, b):
    with a:
        with b as x:
            x.f()
        a.g()


def returns(a):
    with a as b:
        return b.f()


def returns_constant(a):
    with a:
        return 1


def returns_in_branch(a):
    with a as b:
        if b.x:
            return b.f()
        b.g()
    return a


def in_for(a):
    for x in a:
        with x as y:
            if y.skip:
                continue
            if y.stop:
                break
            y.f()
        x.g()
    return a


def in_while(a):
    while True:
        with a as b:
            if b.f():
                break
        a.g()
    return a


def loop_inside(a):
    with a as b:
        for x in b:
            if x:
                return x
            if x.stop:
                break
        else:
            b.f()
    return a


def nested_returns(a, b):
    for x in a:
        with a:
            with b:
                if x:
                    return x.f()
                if x.y:
                    continue
                break
    return b


def try_inside(a):
    with a as b:
        try:
            b.f()
        except ValueError:
            return b.g()
        finally:
            b.h()
    return a


def inside_try(a):
    try:
        with a as b:
            b.f()
    except ValueError as error:
        with a:
            a.g(error)
    finally:
        with a:
            a.h()


def raises(a):
    with a:
        raise ValueError(a)


def conditional_manager(a, b):
    with a if b else b:
        a.f()
    with a or b as c:
        c.g()


def ends_function(a):
    with a:
        if a.x:
            a.f()
        else:
            a.g()


def empty(a):
    with a:
        pass


def tests_none_in_a_loop(a):
    with a.lock:
        while True:
            try:
                item = a.get()
            except KeyError:
                break
            if item is not None:
                item.cancel()


def return_in_with_in_finally(a):
    try:
        with a.f():
            return a
        return a.g()
    finally:
        a = a.h()


def around_a_while(a, b):
    with a:
        while a.x:
            if b:
                break
            c = a.y()
    return a, c


def items_on_one_line(a, b):
    with a.f(b) as c, c.g() as d:
        d.h()
    with a.f(b) as c:
        with c.g() as d:
            d.i()


def around_a_loop_that_returns(a, b):
    with a:
        for x in b:
            if x:
                return
    b.f()


def with_a_return_behind_in_a_loop(a, b):
    for x in b:
        for y in x:
            with a:
                y.f()
            return y.g
    return a


def with_a_break_behind(a, b):
    for x in b:
        with a:
            x.f()
        break
    b.g()


def with_a_continue_behind(a, b):
    for x in b:
        if x:
            with a:
                x.f()
            continue
        b.g(x)


def with_a_return_at_the_end_of_an_endless_loop(a, b):
    with a as c:
        while True:
            d = c.f(b)
            if d:
                return c.g()
            if b is not None:
                b = c.h()
                if b:
                    return c.i()


def with_an_endless_loop_that_starts_with_another_in_a_try(a, b):
    with a as c:
        while True:
            try:
                while True:
                    d = c.f(b)
                    if d:
                        break
                if b in d:
                    raise ValueError
                if c in d:
                    with c.g() as e:
                        e.f()
            except KeyError as error:
                if error.args:
                    raise


def chains_at_the_end(a, b, c):
    with a:
        if not b and a.x * 2 < b < c.y:
            c.z = True


def chains_in_two_at_the_end(a, b, c):
    with a, b:
        if a.x < b.y < c:
            c.z = True
    return 1


def return_behind_with_in_try(a, b):
    try:
        with a:
            b.c()
        return __name__
    except ValueError:
        return b.d()


def with_in_finally(a, b):
    try:
        a.c()
    finally:
        with b:
            a.d()
        del b


def chain_returned_by_a_manager(a):
    with a.b:
        return 0 < a.c <= a.d()


def break_of_two_tests_in_a_with(manager, a, b, f):
    with manager:
        while True:
            if f(a) if a else b:
                break
            f(b)


def short_end_behind_a_with_in_a_try(manager, a, f):
    try:
        with manager:
            f()
        a = f
    except ValueError:
        f(a)


def deletion_behind_a_with_in_a_try(manager, a, f):
    try:
        with manager:
            f(a)
        del a
    except ValueError:
        pass


def break_behind_a_test_in_a_managed_loop(a, b, c):
    with a:
        while True:
            x = b()
            if x is None:
                if c:
                    yield c
                break
            yield x


def around_an_endless_loop_with_a_compound_test(a, b):
    with a:
        while True:
            if a.f or b.f:
                break
            b()


def around_an_endless_loop_with_a_compound_test_and_more(a, b):
    with a:
        while True:
            if a.f or b.f:
                break
            b()
    a()


def endless_loop_that_a_chain_leaves(a, b, c, m):
    with m:
        while True:
            if a < b < c:
                break
    with m:
        while not a < b < c:
            pass
    with m:
        while True:
            if not a < b < c:
                break


def short_circuit_at_the_end_of_a_with(a, b):
    with a:
        a.b or b.c


def short_circuit_in_front_of_a_return_in_a_with(a, b):
    with a:
        a.b or b.c
        return b


def conditional_among_many_keywords_in_a_with(f, a):
    with a:
        f(a=1, b=a, c=a, d=a, e=a, g=a, h=a, i=a, j=a, k=a, l=a, m=a, n=a, o=a, p=a if a else 2, q=a)


def else_that_returns_out_of_a_with(a, b):
    with a as c:
        try:
            c = b(c)
        except b:
            return False
        else:
            c.f()
            return True


def displays_that_are_returned(a, b, c):
    with a:
        return [{b: 1, 'c': 3}, c.d]


def sets_that_are_returned(a, b, c):
    with a:
        return b(), {c.d, c}, a.b, {b(1): c, **a.c}


def one_target_twice_on_lines_of_their_own(a, b):
    with a() as (
        b,
        c,
        c,
        d,
    ):
        d(b, c)
    with a() as (b, c, c), b as d:
        d(c)
    for (
        b,
        c,
        c,
    ) in a:
        b(c)


def break_that_runs_a_finally_with_one(a, b):
    for c in a:
        try:
            b.f()
            if c:
                break
        finally:
            with a:
                a.h()


def break_of_a_handler_that_runs_a_finally_with_one(a, b):
    for c in a:
        try:
            b.f()
        except b:
            break
        finally:
            with a:
                a.h()


def return_behind_a_choice_in_two(a):
    with a.x():
        with a.y():
            a.z and a.x()
            return


def value_returned_behind_a_choice_in_two(a):
    with a.x():
        with a.y():
            a.z and a.x()
            return a


def pass_beside_what_leaves_the_loop_around(a, b):
    for c in a:
        with b:
            if c:
                pass
            else:
                break
    for c in a:
        with b as d, c:
            if d:
                pass
            else:
                return b.d()
    a.b()


def return_in_a_loop_in_front_of_the_end(a, b, c):
    with c as d:
        while d.x:
            if a:
                b()
                return
        d.y()
    a()


def returns_through_two_in_a_loop(a, b, c):
    with c as d, a as e:
        while d.x:
            if a:
                b(e)
                return None
            if c:
                return
        d.y()
    a()


def break_and_return_in_a_loop(a, b, c):
    for a in b:
        with c as d:
            if d == 1:
                break
            elif d:
                return
        a()


def break_and_return_in_a_loop_in_front_of_the_end(a, b, c):
    for a in b:
        with c as d, b:
            if d == 1:
                break
            if d:
                return
            d.x()
        a()
    b.x()


def loop_of_one_round_in_front_of_a_continue(a, b, c):
    for d in a:
        with b:
            if d:
                pass
            else:
                for e in c:
                    break
                continue


def loop_of_one_round_on_one_way_to_a_continue(a, b, c):
    for d in a:
        with b:
            if d:
                c()
            else:
                for e in c:
                    break
                continue
