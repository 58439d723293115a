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


def generator_whose_end_raises(a):
    try:
        yield from a.f()
    finally:
        raise a.g


def returns_displays_from_a_handler(f):
    try:
        f(1)
    except ValueError:
        return [], {}, f(2), []
    with f(3):
        return {"a": f(4), "b": {}}, f(5)


def returns_a_conditional_from_a_try(f, path):
    try:
        found = f(path)
        return f(found) if found.is_file else None
    except KeyError as error:
        f(error)
        return None


def return_in_a_try_with_handlers_and_finally(a, b):
    try:
        if a.f():
            return
    except:
        return b
    finally:
        a.g()
    a.h()


def return_in_a_try_with_finally_in_a_try(a, b):
    try:
        try:
            return
        finally:
            b = a.f()
    except KeyError:
        a.g(b)
    a.h()


def return_in_a_loop_in_a_try_with_finally(a, b):
    try:
        try:
            while a.f():
                return
        finally:
            a.g()
    except:
        return b.f()
    b.g()


def handlers_that_end_in_a_test(a, b):
    try:
        x = a.f()
    except (TypeError, KeyError):
        a.g()
        return
    except ValueError as e:
        if b is not None:
            b.h(e)
    else:
        if not x:
            a.i()


def handler_that_ends_in_a_manager(a, b):
    try:
        x = a.f()
    except ValueError:
        if b:
            raise
        with a.g() as y:
            y.h()
    else:
        x.i()


def handler_that_only_raises_again(a):
    try:
        a.b()
    except ValueError:
        pass
    except:
        raise


def return_in_a_handler_in_an_endless_loop(a, b):
    with a:
        while True:
            try:
                b.c()
            except KeyError:
                return b.d()


def name_returned_by_a_try_in_a_handler(a, b):
    try:
        a.c()
    except KeyError as e:
        try:
            return e
        except ValueError:
            return b


def displays_returned_in_handlers(a, b):
    try:
        a()
    except KeyError:
        return {b.x: 1}
    except ValueError:
        return {b.x: 1}, None
    except IndexError:
        return {**b, "c": 1}
    except TypeError:
        return {b.x, 1}
    return {b.y: 2}


def handler_that_returns_a_set(a):
    try:
        pass
    except:
        return {a}


def handler_that_returns_a_dict(a, b):
    try:
        a.f()
    except ValueError as error:
        c = b.g(error)
        return {b: (c, {a: b})}, []
    return 5


def finally_with_two_managers_and_an_assert(a, b, c):
    try:
        a()
    finally:
        with a, b as c:
            assert a, b


def loop_with_else_behind_a_finally(a, b):
    try:
        b()
    finally:
        a = b
    while a:
        if b():
            break
    else:
        a()
    return b


def finally_that_ends_in_a_try_that_raises(a, b):
    try:
        a.f()
    finally:
        try:
            b.f()
        except ValueError:
            b.g()
            raise


def finally_that_ends_in_a_finally_that_raises(a, b):
    try:
        yield a
    finally:
        try:
            b.f()
        finally:
            b.g()
            if b:
                raise ValueError(b)


def finally_that_returns_what_a_return_leaves(a):
    try:
        if a:
            return a
    finally:
        return a.b


def loop_in_a_finally_behind_two_returns(a, b):
    try:
        if a:
            return b(7)
        return a
    finally:
        while True:
            if a.c():
                break


def returned_call_and_a_try_in_the_finally(a, b):
    try:
        return a()
    finally:
        try:
            del b.x
        except KeyError:
            pass


def chain_tested_in_front_of_a_return(a):
    try:
        if 0 < a.b() < 1:
            return True
        return False
    except ValueError:
        return False


def chain_tested_at_the_end_of_a_body(a):
    try:
        b = a.b()
        if a.c <= b <= a.d:
            return True
    except ValueError:
        pass
    return False


def else_and_finally_behind_a_named_handler(a):
    try:
        b = a()
    except OSError as e:
        if e.x:
            return a.f(e)
        raise
    else:
        return b
    finally:
        a.g()


def constant_behind_a_try_that_returns(a):
    try:
        if a():
            return a
    except KeyError:
        return False, "handled"
    return False, "not handled"


def negative_behind_a_try_that_returns(a):
    try:
        if a():
            return a
    except KeyError:
        return 0
    return -1


def constants_in_and_behind_a_try(a):
    try:
        if a():
            return 1, 2
        return -1
    except KeyError:
        return 1, 2


def endless_loop_that_a_test_leaves(a, b, c, m):
    try:
        while True:
            if a < b < c:
                break
    except m:
        while True:
            if a:
                break


def conditional_returned_in_a_handler(a, b):
    try:
        a()
    except OSError:
        c = b()
        return c[0] if c else None


def nested_finally_statements_that_do_nothing(a):
    try:
        try:
            a()
        finally:
            pass
    finally:
        pass


def finally_that_does_nothing_in_a_try(a):
    try:
        try:
            raise a
        finally:
            10
    except:
        12
    finally:
        14


def cause_that_a_test_chooses(a, b, c):
    if a:
        raise b(1) from c if a else None
    try:
        raise c from (a.b if a.c else b.c if b else None)
    except b as d:
        raise ValueError from (None if c and d else d)
