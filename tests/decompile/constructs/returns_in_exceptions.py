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
    if b:
        raise a from (b and c if a.d else c or b(2))


def with_that_returns_in_a_finally(a, b, c):
    try:
        a.f()
    finally:
        with b:
            if c:
                return
    a.g()


def with_that_always_returns_in_a_finally(a, b):
    try:
        a.f()
    finally:
        with a:
            return
    b.g()


def return_that_a_finally_overrides(a, b):
    try:
        a.f()
    except ValueError:
        return
    except KeyError as e:
        return
    finally:
        return b or a.c


def finally_that_ends_with_pass(a, b):
    for c in a:
        try:
            a.f()
        finally:
            b.c
            pass
        b.g()
    try:
        a.h()
    finally:
        b.d
        pass
    b.i()


def values_on_several_ways_that_handlers_return(a, b, c):
    try:
        a()
    except ValueError:
        return a < b <= c
    except OSError:
        return a and b and (c if a.x else b.x)


def returned_code_behind_a_return_in_a_with(a):
    if not a:
        with b:
            return
    return sum(c for d in a if d)


def returned_code_behind_a_return_in_a_finally(a):
    if a.x == 'a':
        try:
            if b:
                return
        finally:
            c()
    return lambda: a


def returned_code_in_a_try(a):
    try:
        if a:
            b()
        elif c:
            return
        return any(d for d in a if e)
    except ValueError:
        g()


def handler_that_returns_what_is_computed_when_it_is_compiled(a, b):
    if b == "":
        return 0
    try:
        return a(b)
    except ValueError:
        return 10**9


def named_handlers_that_return_in_statements_around(a, b):
    try:
        try:
            a()
        except ValueError as c:
            return c
        else:
            b()
    except KeyError:
        pass
    try:
        try:
            a(1)
        except ValueError as d:
            return d
        else:
            b(1)
    finally:
        a(2)
    with a:
        try:
            a(3)
        except ValueError as e:
            return b
        else:
            b(e)


def named_handler_that_returns_in_front_of_a_return(a, b):
    if a:
        if b:
            try:
                a()
            except ValueError as c:
                return
            return a
    else:
        b()


def named_handler_that_returns_in_an_else(a, b):
    try:
        a()
    except KeyError:
        return
    else:
        try:
            b()
        except ValueError as c:
            return
        b(a)
        return


def return_in_a_try_in_a_named_handler(a, b):
    try:
        a()
    except ValueError as c:
        if b:
            try:
                return a.b
            except KeyError:
                pass
        return b


def raise_behind_a_test_in_a_named_handler(a, b):
    try:
        a()
    except ValueError as c:
        if c.args:
            try:
                b()
                return
            except (KeyError, AttributeError):
                return
        raise


def returns_in_front_of_the_end_of_a_try_with_finally(a, b):
    try:
        c = a.f()
        if not c:
            a.g(lambda: 1)
            return
        if not a.h:
            c = b
        a.g(lambda: c)
    except KeyError as error:
        a.g(lambda found=error: found)
    finally:
        a.i = False
        a.g(lambda: 4)


async def constants_returned_in_front_of_a_finally_that_tests(a, b):
    while a.f():
        try:
            if a.g:
                b.h(1)
            else:
                return 1
        finally:
            if b.i:
                b.h(2)
    for c in a:
        try:
            if c:
                return 2
            b.h(3)
        finally:
            if b.i:
                b.h(4)
    return 3


def value_of_operands_and_a_choice_in_one_of_the_handlers(a, b, c, d):
    try:
        a()
    except ValueError:
        return a and b and (c if d else a.f)
    except KeyError:
        return b


def returns_that_a_finally_drops(a, b, c, e):
    try:
        if b:
            return 1
    except KeyError:
        c()
    else:
        a()
    finally:
        return e


def a_return_in_a_with_that_a_finally_drops(a, b):
    try:
        with a:
            return 1
        a()
    finally:
        return b


def return_behind_a_choice_in_a_loop(a, b):
    for c in a:
        try:
            c.x()
        except ValueError as d:
            a.y and b.z(d)
            return a.z(d)
        b = c
    return b


def return_behind_a_choice_in_a_nameless_handler(a, b):
    for c in a:
        try:
            c.x()
        except ValueError:
            a.y and b.z()
            return a.z()


def return_in_a_loop_in_a_with_statement(a, b):
    with a:
        for c in b:
            try:
                return
            finally:
                c()
    a()


def return_of_a_constant_through_two_exits(a, b):
    with a, b:
        try:
            a.c()
            return 2.5
        finally:
            pass


def return_in_a_finally_body(a, b):
    try:
        a.c()
    finally:
        for d in b:
            try:
                return
            finally:
                d()
        b()


def constants_in_a_loop_with_finally_around(a):
    try:
        for b in a:
            if b:
                b.x
                return False
            b.y
            return False
    finally:
        a.z


def constants_in_two_loops_with_finally_around(a):
    try:
        for b in a:
            for c in b:
                if c:
                    c.x
                    return 0
                c.y
                return 0
            return 0
    finally:
        a.z


def breaks_in_a_loop_with_finally_around(a):
    try:
        for b in a:
            if b:
                b.x
                break
            b.y
            break
    finally:
        a.z
    return 0


def return_in_a_try_behind_two_ways(a, b):
    try:
        if b:
            a.f(b)
        else:
            a.g(b)
        return a
    except KeyError:
        return False


def return_behind_a_try_with_two_ways(a, b):
    try:
        if b:
            a.f(b)
        else:
            a.g(b)
    except KeyError:
        return False
    return True


def return_of_an_else_behind_two_ways(a, b):
    try:
        if b:
            a.f(b)
        else:
            a.g(b)
    except KeyError:
        return False
    else:
        return True


def return_of_a_handler_in_an_endless_loop(a, b):
    while True:
        try:
            c = a.pop()
        except KeyError:
            return
        b(c)


def break_of_a_handler_in_an_endless_loop(a, b):
    while True:
        try:
            c = a.pop()
        except KeyError:
            break
        b(c)


def returns_what_may_be_unbound_in_an_inner_try(a, b):
    if b:
        c = b
    try:
        if a:
            a()
        try:
            return c
        except NameError:
            pass
    except KeyError:
        c = 3
