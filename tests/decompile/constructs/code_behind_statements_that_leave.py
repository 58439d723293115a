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


def break_behind_a_finally(a, b):
    for x in a:
        try:
            break
        finally:
            b()
        break


def return_behind_a_try_in_a_with(a, b):
    with a:
        try:
            raise
        finally:
            b()
        return


def continue_behind_handlers(a, b):
    for x in a:
        try:
            b()
            raise x
        except ValueError:
            return
        continue


def break_behind_handlers_that_take_all(a, b):
    while a:
        try:
            return a.f()
        except ValueError:
            return b
        except:
            raise
        break


def code_behind_handlers_that_take_all(a, b):
    try:
        return a
    except:
        raise
    b.f()


def code_behind_a_finally_that_returns(a, b):
    try:
        a()
    finally:
        return
    for x in b:
        x()


def code_behind_a_finally_in_a_finally(a, b):
    try:
        return
    finally:
        try:
            a()
        finally:
            return
        b.f()
    a.f()


def finally_that_begins_with_a_loop(a, b):
    try:
        a()
    finally:
        while b:
            b.f()
        raise


def return_in_a_try_with_a_finally_that_returns(a, b):
    try:
        return
    except ValueError:
        a()
    finally:
        return


def code_behind_unreached_code_that_leaves(a, b):
    try:
        return
    finally:
        a()
    try:
        a.f()
    finally:
        return
    b.f()


def returns_through_a_finally_that_returns_in_a_with(a, b):
    with a:
        try:
            if b:
                return
            return b.f()
        except ValueError:
            return a
        finally:
            return


def continue_behind_a_finally_in_a_try(a, b):
    for x in a:
        try:
            try:
                a()
            finally:
                b()
            continue
        except ValueError:
            a.f()
        a.g()


def a_lambda_behind_the_only_return(a, b):
    return b
    a.f(lambda: b)


def a_function_behind_a_raise(a, b):
    if a:
        raise b

        def c():
            return a

    return b


def unreached_handler_makes_a_function(a, b, d):
    try:
        for b in [v for v in b]:
            try:
                pass
            except b:
                a, b = (lambda: d)
    except b:
        return 2.5


def unreached_else_in_loops(a, b, d):
    for c in a:
        while a:
            d = lambda: a
            try:
                raise
            except a as c:
                pass
            else:
                a.x = [d for v in b if a]


def unreached_function_in_a_finally(a):
    try:
        try:
            return
        except ValueError:
            a(1)
        else:
            return lambda: a
        finally:
            e = [v for v in a if v]
    finally:
        pass


def behind_a_return_with_finally(a, b, c):
    try:
        return a()
    finally:
        a.b()
    for d in c:
        b(lambda: d)


def behind_a_return_with_finally_that_does_nothing(a, b):
    try:
        return
    finally:
        pass
    a(lambda: b)


def else_that_continues_behind_a_body_that_leaves(a, b):
    for c in a:
        try:
            break
        except ValueError:
            b()
        else:
            continue
        c()
    while True:
        try:
            return b()
        except ValueError:
            b()
        else:
            continue
        a()


def else_that_breaks_behind_a_body_that_does_nothing_in_a_handler(a, b, c):
    while a:
        if b:
            try:
                b.x = 1
            except ValueError as d:
                if d.args:
                    pass
                else:
                    break
            else:
                break
        else:
            try:
                c.x = 1
            except (TypeError, KeyError):
                if c:
                    pass
                else:
                    break
    else:
        raise c


def break_behind_an_if_that_stores_in_both_arms(a, b, c):
    for d in a:
        if b(d):
            if c(d):
                if d == 'a':
                    b = c(d, 'a')
                elif d == 'b':
                    b = c(d, 'b')
                else:
                    b = d[:-1]
            break
    return b


def parameters_of_underscores_alone(_, __, ___, a):
    return 1 + max([0, *a, *[max(b) for b in a.c()]])


def continue_behind_a_loop_in_a_with(a, b, c):
    for d in a:
        with b(d) as e:
            if not e:
                for d in c:
                    if e.a(d):
                        b(e)
                        break
                continue
            c = False
            if e.c('l'):
                c = True
