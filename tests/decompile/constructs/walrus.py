# python: 3.8+
def in_test(a):
    if (x := a.f()) > 1:
        return x
    while y := a.g():
        a.use(y)
    return x


def in_call(f, a):
    return f(x := a.b, x, y=(z := x)), z


def in_circuit(a, b):
    return (x := a) and (y := b) and (x, y)


def in_comprehension(a):
    return [y for x in a if (y := x.f())], y


def in_conditional(a):
    return (x := a.b) if a else (x := a.c), x
