def positional(f, a, b):
    return f(), f(a), f(a, b), f(a)(b)


def keywords(f, a, b):
    return f(x=a), f(a, x=b), f(a, b, x=a, y=b)


def starred(f, a, b):
    return f(*a), f(a, *b), f(*a, b), f(*a, *b), f(a, *b, *a, b)


def double_starred(f, a, b):
    return f(**a), f(x=1, **a), f(**a, x=1), f(**a, **b), f(*a, **b), f(a, *b, x=a, **b)


def methods(a, b):
    a.m()
    a.m(b)
    a.m(b, x=b)
    a.m(*b)
    a.m(**b)
    a.m.n(b).o
    return a.m(b).n(a)


def in_order(a, b):
    return a.f(b.x, y=b.z, **a.u)[b.v](a.w)


def many(f, a):
    return f(a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, k1=1, k2=2, k3=3, k4=4)


def discarded(f, a):
    f(a)
    a.x
    a[0]
    a + 1
    return None


def mappings_alone(f, x):
    f(*(1, 2), **{"a": 1})
    f(*(1, x), **{"a": x, **x})
    f(*[1, x], *x, **{"a": x})
    return f(**{"a": 1}), f(1, **{"a": x}, **x)


def many_keywords_and_a_conditional(f, a, b):
    return f(
        k1=a.x, k2=2, k3=3, k4=4, k5=5, k6=6, k7=7, k8=8, k9=9, k10=10, k11=11, k12=12, k13=13, k14=14, k15=15,
        k16=b.x if b else None, k17=b.y if b else None,
    )


def nothing_unpacked(f, a, b):
    f(**{})
    f(**{}, a=b)
    f(**{}, **a)
    f(*(), a)
    f(*(), *a)
    f(*a, *())
    return f(a, **{}), f(*[], **{})


def unpacked_displays_with_keywords(f, a, b):
    f(*(a, b), k=a)
    f(*(1, 2), k=a, j=b)
    f(a, b, k=a, **b)
    return super(f, a).b(*(a, b), k=a, j=b)


def conditional_among_many_keywords(f, a):
    x = f(a=1, b=a, c=a, d=a, e=a, g=a, h=a, i=a, j=a, k=a, l=a, m=a, n=a, o=a, p=a, q=a if a else "")


def or_among_many_keywords(f, a, b):
    x = f(a=a or b, b=a, c=a, d=a, e=a, g=a, h=a, i=a, j=a, k=a, l=a, m=a, n=a, o=a, p=a, q=b)
    b.c(x)
    return x


def many_keywords_and_an_operand_on_two_lines(a, b):
    return a(
        c=1, d=2, e=3, f=4, g=5, h=6, i=7, j=8, k=9, l=10, m=11, n=12, o=13, p=14, q=15,
        r=b
        or b(a, c=1),
        s={},
    )


def mappings_of_several_keys(f, a, b):
    f(**a, **{"%s_id" % b: 1, "%s" % b: 2})
    f(**a, **{"a b": 1, "c": 2}, **{})
    return f(k=1, **{"a": 2, b: 3}, c=4)


def keywords_that_are_no_names(a, b, c):
    a = b(a, **{"return": a, "b": b})
    a = b(*a, **{"b": b, "return": a, "c": c})
    return b(*a, **{"class": c})


def keywords_beside_an_import(a):
    b = __import__("b")
    return b.f(a, **{"return": b.c, "c_return": b.d})


def many_keywords_behind_operands_on_lines_of_their_own(a, b):
    return a(
        c=b.c or None,
        d=b.d
        or a.d
        or None,
        e=1, f=1, g=1, h=1, i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1,
        s=1,
    )


def calls_behind_a_constant(a):
    (None or foo)()
    (1 and foo)(*a, b=2)
    with (None or foo)(foo(a)) as b:
        (None or b)((None or foo)(foo))
    return (foo if 1 else bar)(1)[0]


def last_of_many_keywords_is_chosen_twice(a, b, c):
    a.x(
        b, k1=a, k2=a, k3=a, k4=a, k5=a, k6=a, k7=a, k8=a, k9=a, k10=a, k11=a, k12=a, k13=a, k14=a, k15=a,
        k=None
        if b is None
        else ("p" if c else "n"),
    )
    a.y(b)
    return a.w().x(b)
