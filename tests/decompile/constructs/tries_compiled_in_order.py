# Behind a `try` whose handlers all leave, or in its `else`: the numbers of names and functions tell which was compiled first.


def behind_the_handlers(a, b):
    try:
        x = a()
    except KeyError:
        return b.first
    except ValueError:
        b.f(lambda: a)
        return
    b.g(x.second)
    return lambda: b


def in_the_else(a, b):
    try:
        x = a()
    except KeyError:
        return b.first
    except ValueError:
        b.f(lambda: a)
        return
    else:
        b.g(x.second)
        return lambda: b


def definitions_behind_the_handlers(a, b):
    try:
        a.f()
    except KeyError as e:
        return
    except ValueError:
        def inner():
            return a()
        b.f(inner)
        return
    if [x for x in b if x]:
        a.g()

    def inner():
        return b.h


def else_in_a_loop_and_more_behind(a, b):
    for c in a:
        try:
            x = c()
        except KeyError as e:
            b.log(e)
            continue
        else:
            b.f(x.second)
            y = x
        b.done(y)


def behind_in_a_loop(a, b):
    for c in a:
        try:
            x = c()
        except KeyError as e:
            b.log(e)
            continue
        b.f(x.second)
        y = x
        b.done(y)
