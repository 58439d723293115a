def try_except(a):
    try:
        a.f()
    except:
        a.g()


def try_typed(a):
    try:
        return a.f()
    except ValueError:
        return a.g()
    except (TypeError, KeyError):
        a.h()
    return a


def try_named(a):
    try:
        a.f()
    except ValueError as error:
        a.g(error)
    except TypeError as other:
        return other
    return a


def try_else(a):
    try:
        a.f()
    except ValueError:
        a.g()
    else:
        a.h()
    return a


def try_finally(a):
    try:
        a.f()
    finally:
        a.g()
    return a


def try_everything(a):
    try:
        a.f()
    except ValueError as error:
        a.g(error)
    except KeyError:
        return 1
    else:
        a.h()
    finally:
        a.i()
    return a


def return_through_finally(a):
    try:
        return a.f()
    finally:
        a.g()


def return_from_finally(a):
    try:
        a.f()
    finally:
        return a.g()


def nested_try(a):
    try:
        try:
            a.f()
        except ValueError:
            a.g()
    except TypeError as error:
        a.h(error)


def nested_in_handler(a):
    try:
        a.f()
    except ValueError as error:
        try:
            a.g(error)
        except KeyError as inner:
            a.h(error, inner)
        a.i()


def nested_finally(a):
    try:
        try:
            a.f()
        finally:
            a.g()
    finally:
        a.h()


def try_in_finally(a):
    try:
        a.f()
    finally:
        try:
            a.g()
        except ValueError:
            a.h()


def reraise(a):
    try:
        a.f()
    except ValueError:
        a.g()
        raise
    except KeyError as error:
        if a.x:
            raise error
        raise


def raise_from(a):
    try:
        a.f()
    except ValueError as error:
        raise TypeError("x") from error
    except KeyError:
        raise TypeError from None


def raises(a):
    if a.x:
        raise ValueError
    if a.y:
        raise ValueError(a)
    raise a.z from a.w


def computed_type(a):
    try:
        a.f()
    except a.errors() as error:
        a.g(error)


def handler_with_condition(a):
    try:
        a.f()
    except ValueError:
        if a.x:
            return 1
        a.g()
    return 2


def conditional_body(a):
    try:
        if a.x:
            return a.f()
        a.g()
    except ValueError:
        pass
    return a.h()


def name_reused(a):
    error = a.first()
    try:
        a.f()
    except ValueError as error:
        pass
    return error


def captured(a):
    try:
        a.f()
    except ValueError as error:
        a.later(lambda: error)


def global_name(a):
    global error
    try:
        a.f()
    except ValueError as error:
        a.g(error)


def else_with_return(a):
    try:
        x = a.f()
    except ValueError:
        x = None
    else:
        return x
    finally:
        a.g()
    return a


def finally_with_branch(a):
    try:
        a.f()
    finally:
        if a.x:
            a.g()
        else:
            a.h()
    return a


def finally_with_loop(a):
    try:
        return a.f()
    finally:
        for x in a:
            if x:
                break


def empty_handlers(a):
    try:
        a.f()
    except ValueError:
        pass
    except TypeError:
        ...
    try:
        pass
    finally:
        a.g()


def sequence(a):
    try:
        x = a.f()
    except ValueError:
        x = 1
    try:
        y = a.g()
    except KeyError:
        y = 2
    return x, y


def finally_with_try(a):
    try:
        a.f()
    finally:
        if a.x and a.y:
            try:
                a.g()
            except ValueError:
                pass


def finally_with_return(a):
    try:
        a.f()
    finally:
        if a.x:
            return a.g()
    return a.h()


def finally_with_try_and_return(a):
    try:
        a.f()
    finally:
        if a.x:
            if a.y:
                try:
                    a.g()
                except ValueError:
                    pass
            a.z = 0
            return
        a.h()


def returns_in_handlers(a):
    try:
        return a.f()
    except ValueError:
        return -1


def return_behind_handlers(a):
    try:
        return a.f()
    except ValueError:
        pass
    return -1


def display_returned_from_named_handler(a):
    try:
        with a:
            b = a.x
    except ValueError as error:
        a.g(error)
        return {}
    return a.h(b)


def names_of_nested_handlers(a):
    b = c = None
    try:
        a.f()
    except ValueError as error:
        b = error
        try:
            a.g()
        except ValueError as error:
            c = error
    return b, c


def unpacked_in_a_handler(a, b):
    try:
        a.f()
    except ValueError as error:
        if error.x:
            return (a, *b)
        return a, b
    with a:
        return (*a.g(b),)


def empty_bodies(a):
    try:
        try:
            pass
        finally:
            a.g()
    finally:
        a.h()
    try:
        a.f()
    except ValueError:
        try:
            pass
        finally:
            a.g()
    try:
        pass
    except KeyError:
        a.h()


def empty_bodies_in_loops(a):
    for x in a:
        try:
            pass
        finally:
            a.g()
    while a.x:
        if a.y:
            try:
                pass
            finally:
                a.g()
    for x in a:
        a.h()
        try:
            break
        finally:
            a.g()


def empty_body_at_the_end(a):
    a.f()
    try:
        pass
    finally:
        a.g()


def handled_and_finally_in_finally(a):
    try:
        a.f()
    except ValueError:
        a.g()
    finally:
        try:
            a.h()
        finally:
            a.i()


def finally_among_statements_of_a_finally(a):
    try:
        a.f()
        try:
            a.g()
        finally:
            a.h()
        a.i()
    finally:
        a.j()


def finally_that_undoes_a_return(a, b):
    try:
        return a.f()
    finally:
        raise b.g


def finally_that_returns_something_else(a, b):
    try:
        return a.f()
    finally:
        b.g()
        return b.h


def finally_that_leaves_a_loop(a, b):
    for x in a:
        try:
            return x.f()
        finally:
            if b.g(x):
                break
    for x in b:
        try:
            return x.f()
        finally:
            continue
    return a


def handler_in_a_handler_of_a_finally(a, b, f):
    try:
        f()
    except ValueError:
        pass
    finally:
        try:
            f(5)
        except a:
            f(6)
            try:
                f(7)
            except b:
                f(8)
                f(9)
    try:
        f()
    finally:
        try:
            f(5)
        except a:
            try:
                f(7)
            except b:
                f(8)


def lists_in_tuples_where_locals_are_seen(a, b):
    x = {"a": ("b",), "c": ([1],)}
    for y in dir(a):
        if y in x or not b:
            continue
        b(y, locals())


def tests_in_a_handler_in_a_handler(a, b):
    try:
        a()
    except ValueError:
        try:
            b()
        except KeyError:
            if a.x:
                a(1)
            elif a.y:
                a(2)
            elif a.z:
                a(3)
    return b


def finally_body_that_is_long(a, b):
    try:
        c = a.x()
    finally:
        a.y()
        d = b(a, c=a)
        d.z("time")
        print >> a, ""
        print >> a, "a" + b
        print >> a, "b:"
        d.z(b)
        print >> a, "a" + b
        print >> a, "c:"
        d.x()
        print >> a, "a" + b
        print >> a, "d:"
        d.y()
        print >> b.x, a.x()
        a.z(a.x, b.x, c=d.x, d=d.y)
        a.z(a.y, b.y, c=d.y, d=d.z)
        a.z(a.z, b.z, c=d.z, d=d.x)
    return c


def chained_comparison_ends_a_handler(a, b, c, d):
    try:
        with a:
            b()
    except:
        c = d < a <= b


def finally_forgets_a_name(a, b):
    try:
        a()
    finally:
        b = None
        del b


def finally_forgets_the_name_of_its_handler(a, b, c):
    try:
        a()
    except c as d:
        try:
            b()
        finally:
            d = None
            del d
        c()


def break_past_a_finally_that_forgets_the_name(a, b):
    while 1:
        try:
            a(b.send(None))
        except StopIteration as c:
            try:
                d = c.args[0] if c.args else None
                break
            finally:
                c = None
                del c
    return a, d


def raises_again_behind_an_operand(x, y):
    try:
        x()
    except y:
        x and x.a and y()
        raise


def raises_again_behind_a_chain(x, y):
    try:
        x()
    except y:
        x < y() in x
        raise


def tries_around_one_that_does_nothing(a, b):
    try:
        try:
            pass
        except:
            return
    except a:
        b()
    for c in a:
        with b:
            try:
                pass
            except:
                break
            finally:
                b()
        a()
    b.c()
