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


def a_break_behind_an_if_in_a_try(a, b):
    for x in a:
        try:
            c = x.f()
            if c:
                c.g(b)
            break
        except ValueError as error:
            b.h(error)
    return b


def a_continue_behind_a_try(a, b):
    while not b.x:
        if a.y:
            try:
                c = a.f()
            except KeyError:
                a.g()
            except ValueError:
                a.y = None
            else:
                b.h(c)
            continue
        b.i()
    b.j()


def a_break_that_the_end_is_copied_to(a, b):
    while True:
        c = a.f()
        if c > 1:
            if not b:
                c = c.g()
            break
        if c:
            if b:
                c = a.h
            else:
                c = a.i
            break
    return c


def a_return_behind_a_try_that_returns_too(a):
    try:
        b = a.f()
        if b:
            if b.x == 0:
                return True
            elif b.y:
                a.g(b)
                if b.z:
                    return True
    except ValueError:
        pass
    return False


def a_handler_that_ends_in_a_try(a):
    try:
        b = a.f
    except AttributeError:
        a.g()
        try:
            raise ValueError from None
        except ValueError:
            a.h()
    else:
        b(a)


def a_return_in_a_handler_with_a_name(a, b):
    try:
        c = a.f()
    except ValueError as error:
        if error is not b:
            raise
        return
    for x in c:
        x.g()


def an_end_behind_a_test_in_finally(a):
    try:
        b = a.f()
    finally:
        c = a.g()
        if c:
            c.h(b)


def handlers_before_a_finally_that_ends(a, b):
    try:
        c = a.f()
    except (KeyError, ValueError):
        pass
    except Exception as error:
        b.g(error)
    else:
        b.h(c)
    finally:
        b = None


def a_call_on_several_lines_that_ends(a, b):
    a.f(
        "x",
        a.g(b["x"])
        if "x" in b else a.h,
    )


def arms_that_do_nothing(a, b):
    for x in a:
        try:
            x.f()
        except ValueError:
            if b.g(x):
                pass
            elif b.y:
                raise
            else:
                raise KeyError(x)
        if type(x) is int is type(b):
            pass
        elif x.z:
            b = x.z
        else:
            raise TypeError(x)
    return b


def a_continue_in_a_with_in_a_loop(a, b):
    for x in a:
        with x.f() as y:
            if not y.a:
                continue
            if y.b:
                continue
            if y.c:
                return b.g(y)
    return None


def a_last_arm_that_does_nothing(a, b):
    c = b
    if a.x:
        if a.y:
            c = 1
        else:
            c = 2
    elif a.z:
        c = 3
    else:
        pass
    return b, c


def one_assignment_and_two(a, b):
    if a.x:
        a.y = b
    else:
        a.y = a
    a.z = b if a.y else a


def one_target_for_each_arm(a, b):
    try:
        c = a.f()
    except ValueError:
        if a.x:
            return a.g()
        if b:
            c = a
        else:
            c = b
    return c


def one_return_and_two(a, b):
    for x in a:
        if x.y:
            if b:
                return b.f(x)
            else:
                return x
        if x.z:
            return b.g(x) if b else x


def while_in_an_if(a, b):
    if a.x:
        while b.f():
            a.g()
    return b


def while_else_that_only_follows(a, b):
    while a.f():
        if a.x:
            b.g()
            if b.y:
                b = 1
                break
        else:
            a.h()
    else:
        b = 0
        a.i()
    return b


def while_at_the_head_of_a_loop(a, b):
    while True:
        while a.f():
            if a.x:
                continue
            a.g()
        b.f()
        if b.y:
            break
        b.g()
    return b


def equal_tests_that_are_no_while(a, b):
    if b.x:
        return a.f()
    while True:
        b = a.g()
        if a.h(b):
            a.i()
        if b.x:
            return a.f()


def else_of_a_try_with_finally(a, b):
    try:
        a.f()
    except ValueError:
        a.g()
    except TypeError as e:
        b.g(e)
    else:
        a.h()
    finally:
        b = None


def finally_that_ends_in_a_test(a, b):
    try:
        a.f()
    finally:
        c = b.x
        if c:
            c.f()
            b.x = None


def conditions_in_a_handler(a, b):
    try:
        a.f()
    except TypeError as e:
        if b is not None and not b.x:
            b.g(e)
    else:
        if b is not None and not b.y:
            b.h()


def handler_that_passes_or_raises(a, b):
    try:
        a.f()
    except KeyError as e:
        if e.x == b:
            pass
        else:
            raise


def return_in_a_finally(a, b):
    try:
        a.f()
        try:
            a.g()
            return True
        finally:
            b.f()
    finally:
        b.g()


def assertion_in_an_if(a, b):
    if a is not None:
        assert b.f(a), b
    if b.x not in a:
        assert a.g()
    return b


def one_call_of_two_attributes(a, b):
    if b:
        b.f()
        return
    a.g()
    (a.x if a.y else a.z)()


def return_behind_a_finally_in_a_handler(a, b):
    try:
        return a.f(b)
    except KeyError:
        a.g()
        try:
            if a.x:
                c = b.x = False
            else:
                c = b.x = a.h()
        finally:
            a.i()
        return c


async def break_behind_an_await(a, b):
    if b.x:
        c = []
        while True:
            d = await a.f()
            if not d:
                break
            c.append(d)
        return c
    return b
