# python: 3.13+
def break_of_each_loop_at_the_end(a, b):
    for x in a:
        for y in b:
            for z in x:
                if z:
                    y = 1
                b(y)
                break
            break
        break


def break_in_front_of_a_break_at_the_end(a, b):
    for x in a:
        for y in b:
            if y:
                continue
            b(y)
            break
        else:
            continue
        break
    else:
        a()


def break_in_handlers_in_front_of_a_break_at_the_end(a, b):
    for x in a:
        try:
            if x:
                continue
        except KeyError:
            continue
        else:
            for y in b:
                try:
                    if y():
                        continue
                except ValueError:
                    break
                if y:
                    continue
                break
            else:
                b()
                continue
        break
    else:
        for z in b:
            z()


def else_of_a_while_that_breaks_the_loop_around(a, b, f):
    while True:
        f()
        while a():
            if b():
                break
        else:
            break
        if f(1):
            break
    return f.a


def statements_in_front_of_a_break_in_the_else_of_a_while(a, b, f):
    if a:
        while True:
            try:
                f()
            except OSError:
                continue
            while a():
                if b():
                    f(1)
                    break
                elif b(2):
                    break
            else:
                if f(3):
                    f(2)
                break
            if f(4):
                break
    return f.a


def break_behind_a_for_that_continues_the_loop_around(a, b, f):
    for x in a:
        for y in b:
            if f(x, y):
                break
        else:
            continue
        break


def break_behind_a_with_out_of_a_loop_in_a_try(a, b, f):
    while a.x:
        f()
        try:
            for x in b:
                if f(x):
                    with a as y:
                        f(y)
                    break
        except ValueError as e:
            f(e)


def break_behind_a_try_out_of_a_loop_in_a_try(a, b, f):
    while a.x:
        try:
            for x in b:
                if f(x):
                    try:
                        f(1)
                    except KeyError:
                        f(2)
                    break
        except ValueError as e:
            f(e)


def breaks_in_front_of_another_that_ends_the_function(a, b):
    for c in a:
        for d in c:
            if d.x():
                continue
            if d is c:
                break
            d.y()
            break
        else:
            b.add(c)
            continue
        break
    else:
        b.z()


def continue_out_of_two_tries(a, b):
    for x in a:
        try:
            if x.b:
                try:
                    if x.c:
                        c = b(x)
                    else:
                        continue
                except KeyError:
                    continue
            a.f(c)
        except ValueError:
            a.g()
    return b


def continue_of_a_handler_out_of_a_try(a, b):
    for x in a:
        try:
            if x.b:
                try:
                    c = b(x)
                except KeyError:
                    continue
            a.f(c)
        except ValueError:
            a.g()
    return b


def else_of_a_loop_in_front_of_a_break(f):
    for x in f(1):
        if f(2):
            for y in f(3):
                if f(4):
                    if f(5):
                        f(6)
                    break
            else:
                if f(7):
                    f(8)
            break


def breaks_in_front_of_the_last_break(a, b):
    for c in a:
        for d in c:
            if d.x:
                break
            if d.y:
                break
            d.z()
        else:
            continue
        break
