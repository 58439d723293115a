"""Operands that were there before, and conditional ones behind them at the end of a function."""


def cause_chosen_by_a_chosen_test(t, a, b, c, d, e):
    raise t from (b if (a if e else c) else d)


def cause_with_a_chain(t, a, b, d, f):
    raise t from (b if a else (a < f() < d))


def cause_that_is_kept(t, a, b, c):
    raise t from (b or (a if a else c))


def cause_of_a_chain_that_is_kept(t, a, d, f):
    raise t from (a and (f() < f(1) < d))


def deleted_by_a_chosen_test(x, a, b, e, g):
    del x[b if (b if e else g) else a]


def stored_by_a_chosen_test(x, a, b, c, y, f):
    x[f() if (b if a else c) else c] = y


def added_by_a_chosen_test(x, a, c):
    x += a if (a if a else c) else c


def many_operands_behind_a_choice_in_a_try(a, b):
    try:
        return a.f(
            c=b.x or "",
            d=1,
            e=2,
            f=3,
            g=4,
            h=5,
            i=6,
            j=7,
            k=8,
            l=9,
            m=10,
            n=11,
            o=12,
            p=13,
            q=b.x or "",
            r=15,
            s=b.y or "",
            t=17,
        )
    except ValueError as e:
        return b.f(e)
