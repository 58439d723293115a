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


def inside_expressions(a, b):
    a.c += f"{b} of {[x.d for x in a]!r:{[x for x in b][0]}}"
    return "-".join([b.name, *[f"{x}={b[x]}" for x in sorted(a)], *[x for x in b], b.key()]), a.f(*[x for x in a], b)


def several_at_once(a, x):
    p, q = [x for x in a], {x for x in a}
    r, s = x, [x for x in a if x]
    return p, q, r, s


def inside_conditions(a, b):
    while any([x for x in a]) and [x for x in b] or b.c:
        b = b[[x for x in a][0]]
    return [x for x in a] if [x for x in b] else a < [x for x in b] < b


def inside_handlers(a, b):
    try:
        return [x for x in a], b(a)
    except a.error:
        b = b(*[x for x in a], **{k: v for k, v in a})
    finally:
        a.c = [x for x in a]
    with a as b:
        return [x for x in b]


def one_item(a, b):
    return [(x, y) for x in a for y in [b(x)]], {z for x in a if x for y, z in [x] if y for w in [z + 1]}


def one_item_in_a_generator(a, b):
    return list((x, y) for x in a for y in [b(x)] if y), sum(x for x in a for x.b in [1])


def that_never_add(a):
    b = list(x for x in (y for y in a if False) if True)
    c = (y for y in a for z in y.b() if False)
    return b, c, {y for y in a if False}, [y for y in a if 0], {y: y for y in a if 0}


def nested_in_half_an_expression(a, b, c):
    d = [*[[x for x in y] for y in a], b, c]
    return b(**{x: c(**{y: z for y in x}) for x in a}), {**{x: [y for y in b] for x in a if [z for z in x]}, "d": d}


def variable_that_only_a_comprehension_binds(a, b):
    if False:
        x = 0
    [x for x in a]
    if b:
        return x
    return [lambda: x for x in a]


def free_variable_that_a_comprehension_hides(x):
    def f():
        return [lambda: x for x in x.a]

    return f


def global_of_the_name_of_a_variable(a):
    b = [j for j in a]
    return (j for c in b), (lambda: j)


def variables_that_are_cells_behind_them(a, b):
    c = [[a for i in a] for j in a]
    for i in b:
        for j in b:
            c = (i * j for d in a)
    return c


# From 3.14 on the compiler calls no builtin where a loop will do, and leaves out a value that is dropped.
def generators_whose_result_is_dropped(a, b):
    for x in a:
        any(b(y) for y in x)
        if b:
            all(b(y) for y in x)
        else:
            b()
    try:
        all(b(y) for y in a)
    except ValueError:
        b()
    any(b(y) for y in a)


# So many arguments are put into a tuple and a dict, in front of what is iterated over.
def generator_among_many_arguments(a, b, f):
    x = [1]
    f(x, a=a, b=b, c=a, d=b, e=(y for y in (a, *b)), g=a, h=b, i=a, j=b, k=a, l=b, m=a, n=b, o=a, p=b)
    return x


def condition_with_a_constant_arm(a, b, c):
    return {k: c(v, key=k) for k, v in a.items() if (b(k) if b else 1)}


def condition_that_always_holds(a, b):
    return [b(d) for c in a if (d := c.f()) or True]


def condition_with_an_arm_that_never_holds(a, b):
    return [b(c) for c in a if (b.f(c) if b else 0)]


def conditions_with_constant_arms_on_lines(a, b):
    return sum(
        b(c)
        for c in a
        if (
            b.f(c)
            if b
            else 1
        )
    )
