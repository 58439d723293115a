# python: 3.11+
def groups(a):
    try:
        a.f()
    except* ValueError as error:
        a.g(error)


def several(a):
    try:
        a.f()
    except* ValueError as error:
        a.g(error)
    except* (TypeError, KeyError):
        a.h()
    except* a.kind as error:
        a.i(error.exceptions)
    a.end()


def with_else(a):
    try:
        a.f()
    except* ValueError:
        a.g()
    else:
        a.h()
    return a


def with_finally(a):
    try:
        a.f()
    except* ValueError as error:
        a.g(error)
    finally:
        a.close()


def returns(a):
    try:
        return a.f()
    except* ValueError:
        a.g()
    return a.h()


def passes(a):
    try:
        a.f()
    except* ValueError:
        pass
    except* TypeError as error:
        pass
    return a


def raises(a):
    try:
        a.f()
    except* ValueError as error:
        raise
    except* TypeError as error:
        raise KeyError from error
    except* OSError:
        raise a.g()


def branches(a):
    try:
        a.f()
    except* ValueError as error:
        if error.a:
            a.g()
        elif a.b:
            a.h()
    except* (TypeError if a else KeyError):
        if a:
            a.i()
    return a


def loops_inside(a):
    try:
        a.f()
    except* ValueError as error:
        for x in error.exceptions:
            if x:
                break
            a.g(x)
        while a.more():
            a.next()
    return a


def in_loop(a):
    for x in a:
        try:
            x.f()
        except* ValueError:
            a.g()
        x.h()


def try_inside(a):
    try:
        a.f()
    except* ValueError as error:
        try:
            a.g(error)
        except TypeError as inner:
            a.h(inner)
    except* KeyError:
        with a as b:
            b.i()
    return a


def inside_handler(a):
    try:
        a.f()
    except ValueError:
        try:
            a.g()
        except* TypeError as error:
            a.h(error)
    return a


def nested(a):
    try:
        try:
            a.f()
        except* ValueError as error:
            a.g(error)
    except* TypeError as error:
        try:
            a.h(error)
        except* KeyError as inner:
            a.i(inner, error)
    return a


def error_kept(a):
    try:
        a.f()
    except* ValueError as error:
        return_later = lambda: error
        a.g(return_later)


async def awaits(a):
    try:
        await a.f()
    except* ValueError as error:
        await a.g(error)
        async for x in error:
            async with x:
                await x.y
    return a


def statement_before_and_after(a):
    a.before()
    try:
        a.f()
        a.g()
    except* ValueError:
        a.h()
        a.i()
    a.after()
    return a.j()


def that_only_pass(a, b):
    for _ in a:
        try:
            raise a.f()
        except* KeyError:
            pass
        except* ValueError:
            if b:
                pass
        else:
            a.g()
    try:
        a.h()
    except* KeyError as e:
        if b:
            pass
        else:
            a.i(e)


def groups_at_the_end_of_a_finally(a, b):
    try:
        a.f()
    finally:
        try:
            a.g()
        except* KeyError:
            b()
    a.h()
    try:
        a.f()
    finally:
        try:
            a.i()
        except* ValueError as e:
            b(e)


def return_of_the_body_and_the_same_behind(a, b):
    try:
        if a:
            return
    except* ValueError:
        b()
    return


def return_in_a_body_that_ends_the_function(a, b):
    try:
        if a:
            b.f()
        else:
            return
    except* ValueError:
        b()


def return_of_a_loop_in_the_body(a, b, c):
    while a:
        try:
            for d in a:
                if d:
                    return
            if b:
                continue
            if c:
                break
        except* ValueError:
            a.f()
        except* KeyError:
            b.f()


def all_clauses_raise_in_front_of_more(a, b):
    try:
        raise a
    except* ValueError:
        raise
    b()


def all_clauses_raise_behind_a_with(a, b):
    with a:
        pass
    try:
        raise b
    except* ValueError:
        raise


def a_with_whose_groups_are_raised(a, b):
    try:
        with a:
            pass
    except* ValueError as c:
        b()
        if c:
            raise KeyError
        raise
    except* KeyError:
        raise
    b = b = a
    return b


def return_behind_which_a_clause_raises(a):
    try:
        return
    except* ValueError:
        raise
    a.f()


def test_in_a_body_that_ends_the_function(a, b):
    try:
        if a:
            b()
    except* ValueError:
        pass


def with_in_a_body_that_ends_the_function(a, b, c):
    try:
        with a:
            b()
    except* ValueError:
        c()


def loop_in_a_body_that_ends_the_function(a, b, c):
    try:
        for d in a:
            b(d)
    except* ValueError:
        pass
    except* KeyError as e:
        c(e)


def match_in_a_body_that_ends_the_function(a, b, c):
    try:
        match a:
            case 1:
                b()
            case 2:
                c()
    except* ValueError:
        c()


def body_and_clause_leave_in_an_arm(a, b):
    if a:
        try:
            return a()
        except* ValueError:
            raise KeyError from b
    a = b.x
    return a


def clause_raises_in_an_arm_with_an_else(a, b):
    if a:
        try:
            return a()
        except* ValueError:
            raise
    else:
        b.f()
    return b or a


def clause_raises_in_a_loop(a, b):
    while a():
        try:
            raise KeyError from b
        except* ValueError:
            raise


def clause_raises_in_an_arm_of_a_handler(a, b):
    try:
        a()
    except KeyError:
        if b:
            try:
                return b(a)
            except* ValueError:
                raise
        a.f()


def subject_is_a_comprehension(a, b):
    try:
        match [x for x in a]:
            case b.C(c):
                b(c)
            case [x, y]:
                b(x, y)
    except* ValueError:
        pass
    return b


def subject_is_a_comprehension_in_a_loop(a, b):
    try:
        a.f()
    except* ValueError:
        for b in b:
            match [x for x in a]:
                case {"k": x, **rest}:
                    b(x, rest)
