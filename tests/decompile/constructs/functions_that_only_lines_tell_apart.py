"""To 3.10, and in 3.12, equal code objects of one line would be one constant."""


def equal_ones_on_other_lines(a, b):
    return a.f(
        x=tuple(x.y for x in a),
        y=None if b else tuple(x.y for x in b),
        z=lambda: a.z,
        w=lambda: a.z,
    )


def equal_operands(a, b):
    for x in [
        [x] for x in a
    ] + [
        [x] for x in b
    ]:
        a.f(x)


def managers(a):
    with a.f("x", lambda *args: None), \
         a.f("y", lambda *args: None):
        a.g()
    return {"t": lambda: None,
            "u": lambda: None}


def on_one_line_and_on_several(a, b):
    a.f(lambda x: 0, lambda x: 0)
    a.g(lambda x: 0,
        lambda x: 0)
    return any(x for x in a), any(x for x in a), [x for x in b] + [
        x for x in b]


def three_of_which_two_are_one(a, b, c):
    assert {d.e for d in a} == \
        {d.e for d in b} | {d.e for d in c}


class One:
    def both(self):
        a = [x.b for x in self]
        b = [x.b for x in self.c]
        return a, b


class Other:
    def both(self):
        return [x.b for x in self], [x.b for x in self.c]


def in_calls_of_a_chain(a, b):
    a = a.f(b, lambda x: x.y).f(
        lambda x: x.y
    )
    return b(b(b([x for x in a]).f(
        [x for x in a]), 1))


def operands_in_a_bracket(a, b):
    a.f([x for x in a]
        + [x for x in b])


def with_other_defaults(a):
    return {"x": lambda *b, c=False, **d: a(*b, c=c, **d),
            "y": lambda *b, c=True, **d: a(*b, c=c, **d)}


def in_parts_of_one_string(a, b):
    return a.f(
        f"x {', '.join(f'{c}_x' for c in a)} y"
        f" z {', '.join(f'{c}_x' for c in b)}", b)


def on_lines_of_one_string(a, b):
    return f"""{b}
    {''.join(f'<a x="y">{c}</a>' for c in a.b)}
    {''.join(f'<a x="y">{c}</a>' for c in a.c)}
    """


def much_text_and_little_code(a, b):
    c = [x for x in ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "aa", "ab", "ac", "ad", "ae")], a.f, [x for x in ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "aa", "ab", "ac", "ad", "ae")], b
    a.g(c)
    return a


def one_constant_on_a_last_line_of_much_code(a, b):
    a.f()
    return a.g([x for x in a.h], a.a0, a.b0, a.c0, a.d0, a.e0, a.f0, a.g0, a.h0, a.i0, a.j0, a.k0, a.l0, a.m0, a.n0, a.o0, a.p0, a.q0, a.r0, a.s0, a.t0, a.u0, a.v0, a.w0, a.x0, a.y0, a.z0, a.a1, a.b1, a.c1, a.d1, a.e1, a.f1, a.g1, a.h1, a.i1, a.j1, a.k1, a.l1, a.m1, a.n1, a.o1, a.p1, a.q1, a.r1, a.s1, a.t1, a.u1, a.v1, a.w1, a.x1, a.y1, a.z1, a.a2, a.b2, a.c2, a.d2, a.e2, a.f2, a.g2, a.h2, a.i2, a.j2, a.k2, a.l2, a.m2, a.n2, a.o2, a.p2, a.q2, a.r2, [x for x in b])


def one_constant_in_nested_code(a, b):
    c = a.f(*(a.g((x[y] for x in b)) for y in range(3)))
    d = a.h(*(a.i((x[y] for x in b)) for y in range(3)))
    return [(a.g((x[y] for x in b)), a.h((x[y] for x in b))) for y in range(3)], c, d


def defaults_on_lines_of_their_own(a):
    class C:
        def f(self,
              x=lambda y: a,
              z=lambda y: a):
            return x(z)

        def g(self, x=lambda y: a, z=lambda y: a):
            return x(z)
    return C


def one_constant_among_others(a):
    return {
        "b": lambda d: a(d), "c": a,
        "d": lambda d: a(d), "e": lambda d: a(d),
        "f": lambda d: a(d),
    }


class Short:
    def one_name(self, a):
        return a.f("<4H", *a)


class Long:
    def one_name(self, a):
        b = [a.a, a.b, a.c, a.d, a.e, a.f, a.g, a.h, a.i, a.j, a.k, a.l, a.m, a.n, a.o, a.p, a.q, a.r, a.s, a.t, a.u, a.v, a.w, a.x, a.y, a.z, a.aa, a.ab, a.ac, a.ad, a.ae, a.af, a.ag, a.ah, a.ai, a.aj, a.ak, a.al, a.am, a.an, a.ao, a.ap, a.aq, a.ar, a.at, a.au, a.av, a.aw, a.ax, a.ay]
        return a.f("<4H", *b)


def one_of_them_in_another(a, b):
    return (
        {
            c: [a(d) for d in b]
            for c, e in b
            if c
        },
        [a(d) for d in b],
        [a(d) for d in b],
    )


def in_what_another_goes_through(a, b):
    return [
        (c, d) for c, d in {
            a: b if a else a,
            b: [
                (c, d) for c, d in a if d is not None
            ],
        } if d is not None
    ]


def equal_functions_in_equal_functions(a):
    return {
        'a': lambda b: b + 1,
        'b': lambda b: b + 1,
        'c': lambda b: [c for c in b],
        'd': lambda b: [c for c in b],
        'e': lambda b: None,
        'f': lambda b: None,
    }


def equal_generators_in_a_sum(a, b, c):
    return lambda d: a(d) + 2 * sum(
        e(d) for e in b) + sum(e(d) for e in c)


def equal_generators_in_f_strings(a, b, c):
    return a(
        "a",
        b="b"
        + f"{','.join(d for d in b)}. "
        + f"c: {','.join(d for d in c)}",
    )


def one_function_in_two_statements(a, b):
    if [c.d for c in a] != b: raise ValueError([c.d for c in a])
    d = [lambda: 1]; e = [lambda: 1]; f = 2
    g = [lambda: 1]
    while (c for c in a): b(c for c in a); b([c for c in a])
    return d, e, f, g


def one_function_in_headers_and_bodies(a, b):
    if a:
        for c in (d for d in a): b(c, (d for d in a))
    elif b(lambda: 2): a = lambda: 2; b(a)
    else:
        with b(lambda: 0): a(lambda: 0)
    return b


def equal_functions_in_functions_of_other_names(a, b, c):
    return a(
        b,
        lambda: a(c, lambda: a(b < c, lambda: a(-b), lambda: 0.0)),
        lambda: a(c,
                  lambda: 0.0, lambda: b),
    )
