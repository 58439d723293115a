def try_in_for(a):
    for x in a:
        try:
            x.f()
        except ValueError:
            continue
        except KeyError:
            break
        x.g()
    return a


def try_in_while(a):
    while a.more():
        try:
            a.f()
        except ValueError:
            a.g()
        else:
            break
    else:
        a.h()


def retry(a):
    while True:
        try:
            return a.f()
        except ValueError:
            if a.stop:
                raise
            a.wait()


def retry_break(a):
    for x in a:
        try:
            y = x.f()
            break
        except ValueError as error:
            a.log(error)
    else:
        return None
    return y


def loop_in_try(a):
    try:
        for x in a:
            if x:
                break
            x.f()
        else:
            a.g()
    except ValueError:
        a.h()
    return a


def loop_in_handler(a):
    try:
        a.f()
    except ValueError:
        for x in a:
            if x:
                return x
            x.g()
    return a


def continue_through_finally(a):
    for x in a:
        try:
            if x.skip:
                continue
            if x.stop:
                break
            x.f()
        finally:
            x.g()
    return a


def return_through_finally(a):
    for x in a:
        try:
            if x:
                return x.f()
        finally:
            a.g()
    return None


def break_in_finally(a):
    for x in a:
        try:
            x.f()
        finally:
            if x.y:
                break
    return a


def while_true_finally(a):
    while True:
        try:
            if a.f():
                break
        finally:
            a.g()
    a.h()


def loop_in_finally(a):
    try:
        a.f()
    finally:
        while a.more():
            a.g()


def nested_loops(a):
    for x in a:
        try:
            for y in x:
                try:
                    y.f()
                except ValueError:
                    continue
                except KeyError:
                    return y
                if y.z:
                    break
        except TypeError:
            break
        finally:
            x.g()
    return a


def else_continue(a):
    for x in a:
        try:
            x.f()
        except ValueError:
            x.g()
        else:
            if x.y:
                continue
            x.h()
        x.i()


def handler_leaves_the_loop(a):
    while True:
        try:
            a.f()
            if a.x:
                a.g()
            else:
                a.h()
        except ValueError:
            a.end()
            break
    try:
        while True:
            a.f()
            if a.x:
                a.g()
    except ValueError:
        a.end()
    return a


def with_in_endless_loop(a):
    while True:
        try:
            with a:
                a.f()
                if a.x:
                    a.g()
        except ValueError:
            break
    with a:
        while True:
            a.h()


def break_behind_a_test_in_finally(a):
    try:
        return a.f()
    finally:
        while a.b > 0:
            if not a.more():
                break
