def kinds(x):
    return [a for a in x], {a for a in x}, {a: a.b for a in x}


def generator(x):
    return (a for a in x)


def in_call(f, x):
    return f(a for a in x), f([a.b for a in x], {a for a in x})


def conditions(x, y):
    return [a for a in x if a], [a for a in x if a if y], [a for a in x if a and y or a.z], [a for a in x if not a]


def nested_loops(x, y):
    return [(a, b) for a in x for b in y], [b for a in x if a for b in a if b]


def nested(x):
    return [[b for b in a] for a in x], [a for a in [b for b in x]], {a: [b for b in a if a] for a in x}


def conditional_element(x, y):
    return [a if a else y for a in x], [a and y for a in x], {(a or y): (y if a else a) for a in x}


def unpacking(x):
    return [a + b for a, b in x], {a: b for a, (b, *c) in x}, [*(a for a in x)]


def closures(x, y):
    return [lambda: (a, y) for a in x], [y for a in x]


def shadowing(x, a):
    b = [a for a in x]
    return a, b


def with_result(x):
    y = [a for a in x]
    y.z = {a for a in y}
    return [a for a in x][0], len([a for a in y])


def in_test(x):
    if [a for a in x if a.b]:
        return 1
    for c in [a.d for a in x]:
        x.use(c)
    while any(a.e for a in x):
        x.step()
    return all(a.f for a in x)


def in_handler(x):
    try:
        return [a.b for a in x]
    except ValueError:
        return [a.c for a in x]


def generator_conditions(x, y):
    return ((a, b) for a in x if a for b in y if b.c and a or b.d)


def generator_nested(x):
    return ((b for b in a) for a in x)


def of_attributes(x):
    return [a for x.b in x for a in x.c]


def nested_in_element(a):
    b = [[x.f(y) for y in a.g()] for x in a]
    c = {x: {y: [z for z in y] for y in x} for x in a}
    return b, c, [{y for y in x if [z for z in y]} for x in a]


def dropped(a):
    [x.f() for x in a]
    {x: x.g() for x in a}
    return a


def three_loops(a, b):
    return [(x, y, z) for x in a.c for y in a.d(x) for z in a.e if z], {x: z for x in a for y in x for z in y.b}


def three_loops_in_a_filter(a):
    return {x for x in a if any([z for y in x for w in y for z in w])}
