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


def in_comprehensions(a):
    b = {(z := x): z.f for x in a}
    c = {(w := x) for x in a if x for x in x}
    return b, c, (any((v := t).ok for t in a), v), z, w


def running_total(a):
    total = 0
    return [total := total + v for v in a], total


def to_global(a):
    global seen
    return [seen := x for x in a]


def of_constants(a):
    a.f(x := 1, (y := "s"), z := None)
    return x, y, z


def of_displays(a):
    if (x := [a, a.b]) and (y := (a, 1)):
        return x, y
    return {"k": (z := {})}, z


def alone(a):
    (x := a.f())
    return x


def beside_chains(a):
    x = y = a.f()
    z = w = (v := a.g())
    a.b = c = a.h()
    a[c] = d = (e := c) + 1
    f = (g, h) = a.i()
    return x, y, z, w, v, c, d, e, f, g, h


def in_subscript(a):
    a[(x := a.f())] = x
    return a[(y := x) : (z := y)], z


def in_nested_function(a):
    def inner():
        nonlocal x
        return (x := a.f()) + x

    x = 1
    return inner, [x := x + 1 for a in a]


def in_return(a):
    return (x := a.f())


def in_fstring(a):
    return f"{(x := a.f())} {x!r:{(w := a.g())}} {w}"


def in_chained_comparison(a):
    return 1 < (x := a.f()) < (y := a.g()), x, y


def in_while_else(a):
    while (x := a.f()) is not None:
        if x:
            break
    else:
        return x
    return a


def in_assert(a):
    assert (x := a.f()), x
    return x


def until_empty(f, x):
    while chunk := f(x):
        f(chunk)


def until_empty_and_then(f, x):
    while (chunk := f(x)) and chunk:
        f(chunk)
    f(x)


def among_arguments(f, x):
    return f((y := f(x)), y, (z := [y]), z)


def a_constant(f, x):
    return f(n := 3, n) + (m := x) + m


def in_chains(f, x):
    if not 0 <= (y := f(x)) < 5 or y == x:
        return 4
    if 0 <= (z := f(y)) < 5 and z == x:
        f(z)
    return f(y)


def asked_twice(a, b, c):
    x = (y := a) and (z := b) or (w := c)
    return x, y, [(v := y) for y in a if (u := y)], v, u


def in_a_generator(a):
    return any((x := y) for y in a), x


def in_exchange(f):
    a, b = (c := f), 1
    g, h = 1, (d := f())
    i, j, k = (e := f), (l := f.x), 4
    return a, b, c, d, e, g, h, i, j, k, l


def in_tests_for_none(a, b):
    if a and (c := b(a)) is not None:
        return c
    if (a.x and (c := b(a))) is not None:
        return c
    return 0


def behind_reads_of_its_variable(a, b):
    c = a, (a := a + 1), 0
    d = [a, [a, (a := b)], a]
    while a:
        b.append((a, a := a - 1))
    return b(a, b(), (a := 2), *[x for x in b if (a := x)], a), {a: (a := 3), "d": a}, c, d


def behind_reads_in_parts_of_an_expression(a, b):
    return [a, b and (a := 1), a], a + (a := b) + a, a < (a := b) < a, f"{a}{(a := 2)}{a}"


def tested_in_a_variable_named_as_those_of_dynamo(a, b):
    if tmp_1 := a(b):
        b = tmp_1
    while ___x := b():
        a(___x)
    return b


def constants_that_are_not_folded(a, b):
    while (c := a[:-1]) is not None:
        b.append(c)
        if d := a.find(-1, 2 * 3, b[-2]):
            return d
        if e := not a in b:
            return e
    return [f for g in a if (f := g[-1])], lambda: (h := "x" "y" * 2)


def targets_that_their_values_assign(a, b, c):
    a[b] += (a := c)
    a[b] -= c(b, a, k=(b := a))
    b.x += (b := a)
    return a


def place_of_a_chained_store(a, b, c):
    a.e[(b := c(b))] = (c := a(c))
    a.e[(b := c)] = (c := 1)
    c = a[(b := c.x).y] = b
    return b, c


def target_names_its_key(self, key, val):
    self.env[(key := str(key))] = (val := str(val))
    return key, val


def targets_name_their_parts(self, key, other):
    a = self[(key := key + 1):(c := 3)] = b = self[(key := 2)].x = key
    a[(key := c)], (b := other).x = key
    return a, b
