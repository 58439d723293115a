def for_plain(a):
    for x in a:
        x.f()
    return a


def for_else(a):
    for x in a:
        if x:
            break
    else:
        a.none()
    return a


def for_continue(a):
    for x in a:
        if x.skip:
            continue
        if x.stop:
            break
        x.f()
    else:
        a.all()
    a.end()


def for_return(a):
    for x in a:
        if x:
            return x
    return None


def while_plain(a):
    while a:
        a.f()
    return a


def while_else(a):
    while a.more():
        if a.stop:
            break
        a.f()
    else:
        a.none()
    return a


def while_continue(a):
    while a.more():
        if a.skip:
            a.f()
            continue
        a.g()


def while_conditions(a, b):
    while a and b or a.x:
        a.f()
    while not (a.y or b):
        b.g()
    while a is not None and b.z < 3:
        a = b.next


def while_true(a):
    while True:
        if a.f():
            break
        a.g()
    return a


def while_true_return(a):
    while True:
        x = a.next()
        if x:
            return x
        if x is None:
            continue
        a.g()


def while_true_first(a):
    while 1:
        a.f()
        if a.g():
            break


def nested_for(a):
    for x in a:
        for y in x:
            if y:
                break
            if y.skip:
                continue
            y.f()
        else:
            continue
        x.found()
        break
    else:
        a.none()


def nested_while(a):
    while a.x:
        while a.y:
            if a.z:
                break
            a.f()
        else:
            a.g()
            if a.w:
                continue
        a.h()


def while_in_for(a):
    for x in a:
        while x:
            if x.stop:
                return x
            x = x.next
        if x is None:
            continue
        a.use(x)


def nested_true(a):
    while True:
        while True:
            if a.inner():
                break
            if a.outer():
                return 1
        if a.after():
            break


def break_in_else(a):
    for x in a:
        while x.y:
            x.f()
        else:
            if x.z:
                break
            x.g()
    return a


def if_chain_in_loop(a):
    for x in a:
        if x.one:
            x.f()
        elif x.two:
            continue
        elif x.three:
            break
        else:
            x.g()
        x.end()


def last_statement_if(a):
    for x in a:
        if x:
            x.f()
        else:
            x.g()


def three_deep(a):
    for x in a:
        for y in x:
            for z in y:
                if z:
                    break
                if z.skip:
                    continue
                z.f()
            else:
                y.g()
            y.h()
        x.i()


def empty_body(a):
    for _ in a:
        pass
    while a.f():
        pass


def loop_variable_after(a):
    x = None
    for x in a:
        pass
    return x


def while_with_walrus_like(a):
    x = a.first()
    while x:
        a.use(x)
        x = a.next()
    return x


def conditional_iterable(a, b):
    for x in a if b else b:
        x.f()
    for y in a or b:
        y.g()


def while_none(a):
    while a.next() is None:
        a.f()
    return a


def break_behind_a_test(a):
    while a.x > 1:
        if a.more():
            break
        a.f()
    while a.y > 1:
        if not a.more():
            break
    while True:
        if a.z or a.more():
            break
        a.g()
    return 2


def continues(a):
    for x in a:
        if x.b:
            continue
        if x.c is a:
            continue
        if x.d or x.e and (x.f or
                           x.g):
            continue
        if not (x.d and x.e):
            continue
        elif x.t or x.s:
            pass
        elif x.u:
            a.f(x)


def returns_at_the_end_of_the_body(a):
    for x in a:
        if x.b:
            return x
        x.f()
        return a


def returns_names_behind_a_test(a):
    for x in a:
        y = x.get(a)
        if y is not None:
            return y
        z = x.f()
        a[y] = z
        return z
    return None


def ends_the_body_of_a_test(a, b):
    if a:
        while b.x > 1 and b.y == 2:
            b.d()
    a.u()
    if a.v:
        while b.z:
            b.e()
    return a


def loop_that_starts_with_a_loop(a):
    while True:
        while a.f() or a.g():
            try:
                x = a.h()
            except KeyError:
                return
            if x is not None:
                a.i(x)
        yield a.j()


def loop_that_starts_with_a_loop_in_a_try(a):
    while True:
        try:
            while True:
                x = a.f()
                if x:
                    break
            if a.g():
                raise ValueError
            a.h(x)
        except KeyError as error:
            if a.i(error):
                raise


def break_out_of_two_loops_at_once(f, items):
    for row in items:
        for item in row:
            found = f(item)
            break
        else:
            continue
        break
    return found


def break_out_of_two_loops_to_a_call(f, items):
    for row in items:
        for item in row:
            f(item)
            break
        else:
            f(1)
            continue
        f(2)
        break
    else:
        f(3)
    return f(4)


def while_else_in_a_try(a, b):
    try:
        c = int(a)
        while c > 0:
            a.f()
            if b.g <= 3:
                d = b.h()
                if not d:
                    b = c
                    break
                c -= len(d)
            else:
                c -= 2
        else:
            c = 0
            a.i()
        if c + 1 == 0:
            return a.j()
    finally:
        a.k()


def while_else_that_ends_a_for(a):
    for i in range(1, len(a)):
        b = a[i - 1]
        while a[i] != a[b]:
            if b == 0:
                a[i] = 0
                break
            b = a[b - 1]
        else:
            a[i] = b + 1
    return a


def while_else_that_ends_a_with(a, b):
    c = False
    with a.f:
        while a.g == 0:
            if not b:
                break
            if b.h <= 0:
                break
            a.i(b)
        else:
            a.g -= 1
            c = True
    return c


def while_else_in_a_for(a, b):
    for c in a:
        while not c:
            c.d()
            if b:
                break
        else:
            yield c


def while_else_that_meets_the_break(a, b):
    while a:
        a.b()
        if b:
            break
    else:
        b.c(a)
    return b.d()


def endless_loop_with_two_ways_out(a, b):
    while True:
        if a:
            a.b()
            if b:
                break
        else:
            b.c(a)
            break
    return b.d()


def break_in_front_of_a_short_end(a, b, c):
    for x in b:
        if c:
            break
        c = x
    a.d = c


def compound_test_of_a_last_while(a, b):
    for i in a:
        j = i
        while b(i) and j < a:
            j += 1


def compound_test_of_a_last_while_with_or(a, b):
    for i in a:
        j = i
        while b(i) and j < a or not i:
            j += 1
    return b


def test_behind_a_store_in_a_for(a, b, c):
    for i in a:
        c += 1
        if i == b:
            if not c:
                return None
            break
        if i < b or i > c:
            return None
        c = c * i
    if not c:
        return None
    return a


def break_in_the_else_of_an_inner_loop(a, b):
    while a:
        if b:
            while b.x:
                if a(b):
                    break
                b.f()
            else:
                break
        a.g()
    b.h(a)


def break_in_the_else_of_an_inner_loop_and_behind_it(a, b):
    c = 0
    while c < b:
        if (d := a.f(c)) is not None:
            if b.x:
                c = d
            elif b.y:
                while d < b:
                    if a(d):
                        d += 2
                    elif b(d):
                        c = d
                        break
                    else:
                        d += 1
                else:
                    break
        if e := a.g(c):
            c = e.h()
        else:
            break
    return c


def endless_loop_that_starts_with_another_and_its_else(a, b):
    while True:
        while a.x < b:
            if a.y in b:
                c = a.f()
                break
            del b[a.y]
        else:
            a.g()
            raise StopIteration
        if c:
            return c


def endless_loop_in_a_try_that_starts_with_another(a, b):
    try:
        while True:
            while a < b:
                try:
                    c = a()
                except ValueError:
                    break
                b.f(c)
            if not a:
                return
            b()
    except KeyError:
        b.g()
        raise
    finally:
        a.g()


def pass_in_front_of_a_continue(a, b):
    while True:
        if a:
            pass
        else:
            b()
            continue
        b.f()


def endless_loop_that_starts_with_another_and_its_try(a, b):
    while True:
        while True:
            if a.x:
                break
            try:
                c = b()
                break
            except:
                pass
        a.f(c)


def break_in_the_else_of_a_pass(a, b):
    while a.next():
        while a:
            if b:
                pass
            else:
                a.end()
                break


def pass_behind_a_chained_comparison(a, b, c):
    while a:
        if a or (0 < b <= c) or c:
            pass
        elif b:
            yield a


def continue_of_a_while_in_a_for(a, b, c):
    for x in a:
        while not b:
            try:
                if c:
                    pass
                else:
                    continue
            except ValueError:
                pass
            else:
                a()
