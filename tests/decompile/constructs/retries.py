"""Loops that try again: a `continue` in a `try` or a handler, in front of what ends the loop."""


def continues_in_a_handler_in_front_of_raise(a, b):
    for c in a.items:
        try:
            a.go(c)
        except ValueError as d:
            if a.may_wait(b):
                e = a.more(d)
                if e:
                    a.sleep()
                    continue
            raise d
    return b


def continues_in_a_handler_without_a_name(a, b):
    while a.active:
        try:
            a.go()
        except ValueError:
            if a.may_wait(b):
                c = a.more()
                if c:
                    a.sleep()
                    continue
            raise b
    return b


def breaks_behind_a_nested_test(a, b):
    while a.active:
        try:
            if a.is_retry():
                c = a.more()
                if c:
                    a.sleep()
                    continue
            break
        except ValueError as d:
            a.failed()
    return b


def breaks_behind_a_nested_test_in_finally(a, b):
    while a.active:
        try:
            if a.is_retry():
                c = a.more()
                if c:
                    a.sleep()
                    continue
            break
        except ValueError as d:
            raise d
        finally:
            a.end()
    return b


async def awaits_and_continues(a, b):
    while a.active:
        try:
            if a.is_retry():
                c = a.more()
                if c:
                    await a.sleep()
                    continue
            break
        except ValueError as d:
            if a.may_wait(b):
                c = a.more(d)
                if c:
                    await a.sleep()
                    continue
            raise d
        finally:
            a.end()
            if b:
                b -= 1
    if not c:
        raise ValueError('too often')
    return b


def breaks_in_finally_alone(a, b):
    while a.active:
        try:
            if a.is_retry():
                if a.more():
                    a.sleep()
                    continue
            break
        finally:
            a.end()
    return b


def continues_in_an_else_in_a_handler(a, b):
    for c in a:
        if c:
            try:
                b(1)
            except TypeError:
                try:
                    b('x')
                except TypeError:
                    pass
                else:
                    continue
                raise ValueError(c)
        b.g(c)


async def loops_over_what_comes_until_it_fails(a, b):
    while True:
        try:
            if not b:
                a.log()
                return
            async for c in b:
                a.r(c)
        except ValueError:
            a.log()
            break


def returns_out_of_a_loop_in_finally(a):
    try:
        while True:
            b = a.fetch()
            if not b:
                return
            for c in b:
                yield c
    finally:
        a.close()


async def loops_over_what_comes_and_closes_it(a, b):
    while True:
        try:
            if not b:
                a.log()
                return
            async for c in b:
                a.r(c)
        except ValueError:
            a.log()
            break
        finally:
            b.close()


def takes_the_first_of_others_and_closes_it(a):
    try:
        a()
    except ValueError:
        for b in a:
            try:
                with a.f(b):
                    a.g()
            finally:
                b.close()
            break
        else:
            raise


def takes_the_first_of_others(a):
    try:
        a()
    except ValueError:
        for b in a:
            with a.f(b):
                a.g()
            break
        else:
            raise


def returns_a_constant_behind_a_loop(a, b):
    try:
        while 1:
            c = a.readline()
            if not c:
                break
            if not b:
                c = a.f(c)[0]
            a.g(c)
            if b.h():
                b.flush()
        return 0
    except ValueError:
        return 0
    finally:
        a.close()


def breaks_in_a_try_with_finally_in_a_with(a, b):
    with a() as c:
        try:
            while True:
                d = b()
                if d == 'a':
                    a.e()
                    break
                if d.b:
                    if c.f:
                        continue
                    a.g()
                break
        finally:
            c.close()
            b.close()


def returns_behind_a_loop_of_attempts(a, b):
    while True:
        with a() as c:
            if c.f:
                if c.g:
                    continue
                a.f(c)
                return
            try:
                while True:
                    try:
                        d = b()
                    except StopIteration:
                        break
                    if d.b:
                        a.e()
                        break
                    if d == 'a':
                        a.g(2)
                    elif d == 'c':
                        a.g(1)
                        break
            except ValueError:
                a.c()
                raise
            finally:
                c.close()
                a.h(sum(1 for e in b.values()))
            return


def try_in_an_inner_loop_that_always_leaves_it(servers, tries, ready, D):
    for server in servers:
        for n in tries:
            if ready(server, n):
                try:
                    server(n)
                    return
                except D as e:
                    break
        else:
            break


def the_same_below_tests(servers, tries, ready, D):
    while servers():
        if ready():
            for n in tries:
                if ready(n):
                    try:
                        n()
                        return
                    except D as e:
                        break
            else:
                break
        else:
            break
    servers()


def try_of_which_each_way_leaves_the_loop(items, f, x):
    if items:
        for i in items:
            if f(i):
                with f(6):
                    f(7)
                try:
                    if f(8):
                        return x
                    else:
                        raise ValueError(f(13))
                except:
                    break
        else:
            return f(17)
    x = f(18)


def break_from_a_with_in_a_try_in_front_of_a_raise(f, E, x):
    try:
        while f(2):
            if f(3) or f(4) or f(5):
                try:
                    with f(6):
                        break
                    try:
                        f(10)
                    finally:
                        x = f(12)
                except E as e:
                    f(13)
                raise E(f(14))
        f(16)
    except E as e:
        return f(19)


def first_item_in_front_of_a_try(items, f, x):
    for i in items:
        break
    else:
        return x
    try:
        if f(4) and not f(5):
            raise ValueError(f(6))
        else:
            return f(8)
    finally:
        f(19)


def continue_in_a_handler_of_a_with_that_a_finally_follows(f, E, x):
    try:
        try:
            while f(4):
                with f(5) as w:
                    try:
                        break
                    except E:
                        return
                    except:
                        continue
        finally:
            x = f(14)
        f(15)
    finally:
        x = f(16)


def break_behind_a_finally_with_a_with_that_breaks(items, f):
    for i in items:
        try:
            for j in f(9):
                break
            with f(11) as w:
                break
        finally:
            f(12)
        break


def returns_none_in_a_handler_and_behind_the_loop(port, items):
    if port.a():
        return None
    for item in items:
        if item.port == port and item.pid:
            try:
                return port.process(item.pid)
            except OSError:
                return None
    return None


def break_behind_a_loop_that_a_handler_leaves(f, E, x):
    for i in f(2):
        while f(3):
            for j in f(5):
                try:
                    try:
                        if f(7):
                            continue
                    except E:
                        try:
                            f(9)
                        finally:
                            f(12)
                        break
                except E as e:
                    f(15)
                else:
                    x = f(16)
            break


def continue_behind_a_loop(f, x):
    while f(1):
        for i in f(2):
            if x:
                f(3)
        if f(4):
            for i in f(5):
                f(6)
            continue
        f(7)


def returns_behind_a_try_in_a_for_of_one_round_in_a_with(a, b):
    with a as c:
        for d in b:
            try:
                c.f(d)
            except ValueError as e:
                c.g(e)
            else:
                c.i(d)
            return
        c.h()


def breaks_behind_a_finally_around_a_return_in_a_with(a, b):
    for c in a:
        try:
            with b as d:
                d.f(c)
                return
        finally:
            b.g()
        break
    b.h()


def breaks_at_the_end_of_the_last_loop_of_another(a, b):
    for c in a:
        while b.f():
            if c == b.x:
                continue
            try:
                b.g(c)
                break
            finally:
                b.h()


def returns_in_a_finally_in_two_loops(a, b):
    try:
        for c in a:
            for d in c:
                try:
                    d.f()
                    return
                finally:
                    b.g()
    except ValueError:
        b.h()


def returns_behind_a_finally_in_two_loops(a, b):
    try:
        for c in a:
            for d in c:
                try:
                    d.f()
                finally:
                    b.g()
                return
    except ValueError:
        b.h()


def returns_behind_a_with_around_a_try_whose_handler_goes_on(a, b):
    for c in a:
        with b as d:
            try:
                d.f(c)
            except ValueError:
                if d.g():
                    continue
            else:
                d.h()
        return


def returns_behind_a_finally_around_a_break(a, b):
    for c in a:
        if c.x:
            continue
        try:
            with b as d:
                d.f(c)
                break
        finally:
            b.g()
        return
    b.h()


def return_in_a_handler_of_a_loop(a, b, d):
    for c in a:
        try:
            b(c)
        except ValueError as e:
            if d:
                return


def first_item_in_a_try_in_a_loop(a, b, d):
    for c in a:
        try:
            for e in c:
                b(e)
                break
        except ValueError:
            if d:
                return


def loop_behind_an_else(a, b):
    try:
        if a:
            return
    except ValueError as e:
        raise a
    else:
        a()
    for a in range:
        a()


def loops_in_and_behind_an_else(a, b):
    try:
        a.x()
    except ValueError:
        raise
    else:
        for c in range(3):
            a.y(c)
    for c in range(3):
        b.y(c)
    return b.x if a else c


def break_in_a_loop_of_one_round(a, b, c):
    while True:
        try:
            a.x()
        except KeyError:
            break
        except ValueError:
            b()
        return c
    b.y()


def break_in_front_of_a_bare_return(a, b):
    while True:
        try:
            a.x()
        except KeyError as e:
            break
        except ValueError:
            b()
        return
    a()


def breaks_to_where_the_test_leads_and_returns(a, b, c):
    while a.more():
        try:
            b.f()
            continue
        except ValueError:
            if c:
                b.g()
            else:
                break
        return c
    a.done()
    b.done()
    return


def loop_of_a_try_whose_handler_goes_on_with_the_loop_around(a, b):
    while True:
        try:
            while a:
                a.f()
        except KeyError:
            continue
        if b:
            return b


def endless_loop_in_a_try_in_front_of_a_break(a, b):
    while a:
        if b:
            while True:
                try:
                    c = b.f()
                except KeyError:
                    break
            a.f(b)
            break
    a = a.g()


def endless_loop_behind_two_tries_in_front_of_a_break(a, b, c):
    while not a.is_set():
        try:
            d = a.get(timeout=1)
        except KeyError:
            pass
        try:
            is_alive = b()
        except ValueError:
            a.warn()
            continue
        if not is_alive:
            while True:
                try:
                    d = c.get()
                except KeyError:
                    break
            a.clean(d)
            break
    a.exit()
    a.thread = None


def return_behind_a_with_in_a_loop_that_a_try_goes_on_behind(a, b):
    try:
        while True:
            if a:
                with a:
                    pass
            elif b:
                continue
            else:
                break
            return a.f()
        b.f()
    except KeyError:
        pass
    b.g()


def return_behind_a_try_in_a_loop_that_a_try_goes_on_behind(a, b):
    try:
        while 1:
            if a:
                try:
                    a.f()
                except ValueError:
                    b()
            elif b:
                continue
            else:
                break
            return a.g()
        b.f()
    except KeyError:
        pass
    b.g()


def endless_loop_of_a_loop_in_a_handler(a, b):
    try:
        a()
    except KeyError:
        while True:
            while b:
                if b.f():
                    return b
            a.f()


def loop_of_one_round_that_a_handler_breaks(a, b, c):
    while a:
        if b:
            try:
                c()
            except KeyError:
                break
        b.f()
        break
    a.f()


def raise_behind_a_with_that_goes_on_with_the_loop(a, b):
    while a:
        if b:
            break
        else:
            with a:
                continue
            raise KeyError
    a.f()
