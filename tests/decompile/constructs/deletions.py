def of_local(a):
    x = a.f()
    del x
    return x


def in_branch(a):
    x = a
    if a.f():
        del x
    return x


def stored_again(a):
    x = a
    del x
    x = a.f()
    return x


def read_by_handler(a):
    x = a
    del x
    try:
        a.f()
        x = 1
    except ValueError:
        return x
    return x


def in_loop(a):
    for x in a:
        y = x.f()
        del y, x
    return y


def of_parameter(a, b):
    del a
    b.f()
    del b


def of_global(a):
    global g
    g = a
    del g
    del a.x, a[0], a.y.z[1]


def of_nested_targets(a):
    del (a.x, [a.y, (a.z,)])
