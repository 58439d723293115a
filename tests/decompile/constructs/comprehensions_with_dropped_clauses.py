# Behind a condition that never holds nothing is left of a comprehension but its variables, its kind and its functions.


def asynchronous(x, y):
    return (a async for a.b in x if a if () if a if y)


def variable_of_a_dropped_clause(x, y):
    return (a for a in x if y if b if None for b in a)


def variables_of_a_dropped_clause(x, y):
    return (a for a in x if y if b and c if 0 for b, (c, *d) in a if b for d in c)


def only_dropped_clauses_are_asynchronous(x, y):
    return (a for a in x if a if '' async for b in y if b)


def shared_with_a_dropped_function(x, y):
    return (lambda: a for a in x if a if b'' for b in a if (lambda: (a, b)))


def shared_with_the_function_around(x, y, z):
    return (y for a in x if a if () if (z := a) for b in y)


def functions_that_are_dropped(x, y):
    return ((a, (c for c in x)) for a in x if a if (b for b in a) if False if (c for c in b) for b in y)


def functions_that_a_constant_decides(x, y):
    return (f((b for b in a), () and a and (c for c in a), (d for d in a), **True) for a in x if a)


def tests_that_lead_to_one_place(x, y):
    return (a for a in x if (a if y else a.b) if a or y if () for b in a)


def one_item(x, y):
    return (a for a in x for b.c in (a,) if () if b for c in b), [a for a in x for b in (y,) if b]


class Method:
    def uses_super(self, x):
        return (super().a for a in x), (super() for a in x if () if a)


def lambdas(x):
    return (lambda a: 0 and (lambda: a)), (lambda a: () and a and (yield a)), (lambda a: (b for b in a if () if b))


def binds(x):
    return [(y := a) for a in x], (lambda z: {a: (b := a) for a in z})


def empty_tuples(x, y):
    return (a for a in x(**y) if a(**y) if () if (lambda: a))
