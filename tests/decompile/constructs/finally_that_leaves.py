"""Statements whose `finally` leaves, with code behind them; and returns that it takes back."""


def leaves_in_finally_in_front_of_code(a, b):
    try:
        return a
    finally:
        return
    b()


def handles_and_leaves_in_finally(a):
    try:
        a()
    except ValueError:
        return a
    finally:
        return
    return a.b


def takes_back_what_a_handler_lets_pass(z):
    try:
        return z()
    except:
        pass
    finally:
        return
    z.b()


def takes_back_inside_of_a_loop(s, z):
    for i in s:
        try:
            try:
                return z()
            except KeyError:
                z.x()
            finally:
                break
        except ValueError:
            z.t()
        z.v()
    z.u()


def leaves_a_with_in_finally(s, m, y, t):
    for i in s:
        try:
            try:
                with m:
                    return y()
            finally:
                break
        except ValueError:
            t()
    t(1)


def statement_in_finally_that_leaves(a, b, t):
    try:
        a()
    finally:
        try:
            b()
        finally:
            return
    t()


def handler_in_finally_that_leaves(a, b, h, x, t):
    try:
        b()
    except ValueError:
        h()
    finally:
        try:
            x()
        except:
            x(1)
        else:
            x(2)
        finally:
            return


def returns_from_a_handler_with_finally_in_a_loop(s, x, y, t, u):
    for i in s:
        try:
            x()
        except KeyError:
            return
        finally:
            y()
        t()
    u()


class TakesNames:
    def method(self):
        __module__ = 1

        class Inner:
            nonlocal __module__
            y = 2

        return Inner, __module__

    def whole(self):
        class Inner:
            global __module__
            x = 1

        return Inner

    def reads(self, __name__):
        class Inner:
            print(__name__)

        return Inner



def return_from_a_try_in_a_finally_body(a):
    try:
        a.first()
    finally:
        try:
            return
        finally:
            a.second()


def return_from_a_try_in_a_finally_body_that_goes_on(a, b):
    with a:
        try:
            a.first()
        finally:
            if b:
                a.second()
            else:
                try:
                    return
                except ValueError:
                    return
                finally:
                    a.third()
        a.fourth()


def break_from_a_with_statement_in_a_finally_body(a, b):
    for c in a:
        try:
            c.first()
        finally:
            with b:
                break
        c.second()


def return_from_a_with_statement_in_two_finally_bodies(a, b):
    try:
        a.first()
    finally:
        try:
            a.second()
        finally:
            with b:
                return


def return_behind_a_loop_in_a_try_in_a_finally_body(a, b):
    try:
        a.first()
    finally:
        try:
            for c in b:
                c()
            else:
                return
        finally:
            a.second()
    a.third()


def return_of_an_else_in_a_finally_body(a):
    try:
        a.first()
    finally:
        try:
            a.second()
        except ValueError:
            return
        else:
            return
        finally:
            a.third()


def may_leave_behind_an_exception(a, x):
    try:
        raise a from x
    finally:
        a.b()
        if not x:
            a.c(x)
            return None
    a()


def leaves_or_goes_on_in_finally(a, b):
    while a():
        try:
            b()
        finally:
            if a.x:
                return b
            else:
                continue


def breaks_or_goes_on_in_finally(a, b):
    for c in a:
        try:
            b(c)
        finally:
            if a.x:
                break
            continue
    return a


def returns_out_of_a_loop_in_front_of_a_finally_that_returns(a, b):
    try:
        if a:
            for c in a:
                return
        b()
    finally:
        return a


def returns_out_of_a_loop_with_a_test(a, b):
    try:
        for c in a:
            if c:
                return
        b()
    finally:
        return a
