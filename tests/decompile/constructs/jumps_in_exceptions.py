def endless_loop_of_a_try_that_goes_on_early(a, b):
    try:
        while True:
            try:
                c = a.f()
            except KeyError:
                c = b.f()
                if c is not None:
                    c.g()
                del c
                c = a.g()
            if c is not None:
                c.h()
                continue
            c = a.h()
            if c is None:
                return
            del c
    except ValueError:
        a.i()


def name_returned_by_an_inner_try(a, b):
    for x in a:
        try:
            b.c()
        except KeyError:
            try:
                return x
            except ValueError as e:
                pass
    return b


def name_returned_by_a_try_in_two_loops(a):
    for x in a:
        for y in x:
            try:
                return y
            except ValueError:
                a.b()


def chain_in_a_handler_in_an_endless_loop(a, b, c):
    while True:
        try:
            a.f()
        except ValueError as e:
            if a < b() < c:
                raise KeyError
        b.g()


def chain_at_the_end_of_a_handler(a, b, c):
    try:
        a.f()
    except ValueError as e:
        if a < b() < c:
            raise KeyError


def continue_that_unbinds_the_exception(a, b):
    while True:
        try:
            b.f()
        except OSError as error:
            if error.errno == 3:
                b.g(error)
                continue
            else:
                raise
        else:
            break
    a.f()


def continue_in_front_of_what_ends_the_loop(a, b):
    while True:
        try:
            c = a.f(b)
        except ValueError as error:
            b = a.g(b)
            continue
        if c:
            break
        if b:
            return 4
        return c
    return 5


def break_behind_an_else(a, b):
    while a.f():
        if b:
            a.g()
        else:
            try:
                b.f()
            except ValueError as error:
                if error.errno != 3:
                    raise
            else:
                b.g()
            break
        a.h()
    else:
        b.h()
    a.i()


def item_of_a_tuple_that_is_stored_over(a, b):
    for x, y in b:
        a.c[x, y] += 1
        y = False


def handler_that_returns_in_a_loop(a, b, c):
    while a:
        d = a.pop(0)
        if d == 1:
            e = None
            break
        try:
            e = b(d)
        except KeyError:
            return None
    if c:
        b(e)
    return e


def handler_that_returns_in_a_loop_in_front_of_more(a, b, c):
    while a:
        if c == 1:
            break
        try:
            e = b(c)
        except KeyError:
            return
    if c:
        b(e)


def else_that_goes_on(a, b):
    for x in a:
        try:
            b.f()
        except KeyError:
            continue
        except ValueError:
            for y in b:
                try:
                    y.f()
                except TypeError:
                    return
            b.g(x)
        else:
            continue
        b.h()
        break
    else:
        a.f()


def continue_in_body_and_handler_of_a_finally(a, b):
    while a:
        try:
            if b():
                a()
                continue
            break
        except KeyError:
            if a():
                b()
                continue
            raise
        finally:
            a(b)
            if b:
                b(a)
    return a


def continue_in_a_handler_of_a_finally(a, b):
    while a:
        try:
            b()
        except KeyError:
            if a():
                b()
                continue
            raise
        finally:
            a(b)
    return a


def endless_loop_that_a_try_breaks(a, b):
    while True:
        try:
            x = a()
            if x != b:
                break
        except KeyError:
            break
    return x


def endless_loop_in_a_try(a, b):
    try:
        while True:
            x = a()
            if x != b:
                break
    except KeyError:
        pass
    return x


def continue_behind_two_tests_in_a_test(a, b):
    try:
        for x in a:
            if x.f and x.g:
                if b(x) or x.h:
                    continue
                if a(x):
                    b(a)
    except KeyError:
        a()
    return b


async def else_that_ends_in_a_negated_test(a, b):
    async for x in a:
        try:
            b()
        except KeyError:
            a()
            if not x:
                raise
        else:
            b(x)
            if not b:
                a(x)


def break_behind_a_finally_whose_try_continues(a, b):
    while True:
        try:
            a()
        except OSError as c:
            b(c)
            continue
        finally:
            b()
        break
    return a


def break_behind_a_finally_around_a_try_that_continues(a, b):
    while True:
        try:
            try:
                a()
            except OSError:
                continue
            except ValueError as c:
                b(c)
                raise
        finally:
            if a:
                b()
        break
    return a


def try_in_an_arm_in_front_of_an_else_that_continues(a, f):
    for x in a:
        if f(x):
            y = 1
        elif x:
            try:
                if x.c:
                    continue
                y = f(2)
            except OSError:
                y = 2
        else:
            continue
        f(y)


def try_in_an_arm_whose_else_continues(a, f):
    for x in a:
        if f(x):
            f(1)
        else:
            try:
                f(x, 2)
            except OSError:
                if x:
                    continue
            else:
                continue
        f(a)


def one_round_left_through_a_finally(a):
    a.a()
    while True:
        a.b()
        try:
            a.c()
            if not a:
                break
            a.d()
        finally:
            a.e()
        a.f()
        break
    a.g()


def one_round_left_from_a_body(a):
    while True:
        try:
            a.c()
            if not a:
                break
            a.d()
        except KeyError:
            return a.e()
        a.f()
        break
    a.g()


def continue_in_an_endless_loop_that_begins_with_a_try(a, b):
    try:
        while True:
            try:
                c = a()
            except KeyError:
                break
            if not c:
                continue
            try:
                b(c)
            except ValueError:
                break
            a.d()
    finally:
        a.close()
    return b


def breaks_to_an_end_that_is_copied(a, b, c):
    while a < b:
        try:
            if not c:
                break
            a = b(c)
        except KeyError:
            pass
        if c():
            break
    return a(b)


def break_in_a_finally_in_front_of_the_end_of_a_try(a, b):
    try:
        for c in a:
            try:
                d = b(c)
                if d:
                    break
                d = 8
            finally:
                c.close()
    except KeyError:
        d = 12
    return d


def continue_in_a_handler_in_front_of_a_finally(a, b):
    while True:
        try:
            a.f()
            try:
                a.g()
            except KeyError:
                b.f()
                continue
            else:
                b.g()
                break
        finally:
            a.h()
    for c in a:
        try:
            d = c()
        except KeyError as error:
            b.append(error)
            continue
        except ValueError:
            continue
        else:
            break
        finally:
            del b[-1]
    else:
        d = None
    return d


def break_in_a_handler_with_a_name(a, b):
    while a:
        try:
            c = a()
        except OSError as error:
            if error == 1:
                continue
            elif error not in b:
                b.f(error)
            break
        else:
            b.g(c)
    while b:
        try:
            b = a()
        except OSError as error:
            a.f(error)
            break


def break_in_the_else_of_a_test_around_a_handler(a, b):
    while a:
        b.f()
        if b:
            try:
                c = b()
            except OSError as error:
                if error == 2:
                    break
                b.g(error)
                break
            else:
                a.f(c)
        else:
            break


def break_in_the_else_of_a_try_in_a_finally(a):
    try:
        a.f()
    except ValueError as error:
        a.g()
        raise error
    finally:
        while True:
            try:
                a.wait()
            except KeyError:
                pass
            else:
                break


def break_behind_a_finally_in_a_handler(f, a):
    try:
        f()
    except a:
        for i in a:
            try:
                f(i)
            finally:
                a()
            break


def break_in_front_of_a_finally_that_tests(a, b):
    for c in a:
        try:
            b(c)
            if c:
                break
        finally:
            if b is not None:
                b.f()


def break_and_handler_in_front_of_a_finally_that_tests(a, b):
    for c in range(4):
        try:
            b(c)
            break
        except Exception as e:
            a(e)
        finally:
            if b is not None:
                if not b.x:
                    b.f()
    else:
        raise OSError(a)


def continue_in_a_try_in_front_of_a_finally(a, b, c):
    for d in a:
        if not d:
            continue
        try:
            if b:
                if d.f():
                    d = d.x
                try:
                    for e in b.g(d):
                        yield e
                    continue
                except KeyError:
                    pass
            yield c.h(d)
        except ValueError as e:
            c.i(e)
            if c.j(e) or not b:
                raise
            yield b(e)
            if not c:
                break
        finally:
            if c.x:
                b.y = False
                c.x = None


def break_of_an_inner_handler_in_front_of_a_raise(a, b):
    try:
        return b(a)
    except ImportError:
        if a:
            for c in a:
                try:
                    d = b(c)
                except ImportError:
                    break
                try:
                    d.x
                except AttributeError:
                    raise KeyError(c)
        raise


def break_of_an_inner_loop_in_a_handler(a, b):
    while True:
        a.f()
        try:
            c = b(a)
        except BaseException as e:
            if e.f():
                if e.g():
                    continue
                raise b(e) from e
            raise
        if not a.x:
            return c
        while True:
            try:
                a.g()
            except b as e:
                if e.h():
                    if not e.i():
                        raise b(e) from e
                    continue
                if e.j():
                    break
                raise
            return c


def break_of_an_inner_loop_behind_a_try(a, b):
    while not a.x:
        try:
            c = a.f()
        except KeyError:
            continue
        if c is None:
            break
        while not a.x:
            try:
                d = a.g(c)
            except KeyError:
                continue
            except ValueError:
                break
            if d is not None:
                a.h(d)
            break
    a.i()


def break_behind_a_try_whose_else_tests(a, b, c):
    for d in a:
        try:
            c.f()
        except b:
            a.f()
        else:
            a.g()
            if a:
                c.g()
        break
    return a.h()


def break_behind_a_test_with_a_try_in_it(a, b, c):
    for d in a:
        if b:
            try:
                c.f()
            except b:
                a.f()
        break
    a.h(c)


def break_behind_a_finally_of_an_inner_loop(a, b):
    for c in a:
        for d in c:
            try:
                b.f(d)
            finally:
                a.f()
            break
    return c


def break_of_a_loop_whose_body_returns(a, b):
    while True:
        try:
            if a.b:
                break
        except b:
            pass
        return a.c
    raise StopIteration


def finally_body_continues(a, b):
    while a:
        try:
            b()
        finally:
            a = b
            continue


class FinallyBodyContinues:
    while len([]):
        try:
            a = 1
        finally:
            a = 2
            continue


def handler_that_continues_in_front_of_a_finally_body_that_does_nothing(a, b):
    for c in a:
        try:
            c()
        except ValueError:
            continue
        else:
            break
        finally:
            pass
    b()
