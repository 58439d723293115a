# python: 3.8+
def positional_only(a, b=1, /):
    return a, b


def mixed(a, /, b, *, c):
    return a, b, c


def all_kinds(a, b=1, /, c=2, *d, e, f=3, **g):
    return a, b, c, d, e, f, g


def nested(x):
    def f(a, /, b=x):
        return a, b

    return f, lambda a, /: a
