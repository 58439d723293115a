"""Compound statements on one line, as programs have them that make others smaller."""


def stores_what_it_tests_or(a, b):
    while not a or b.f(a): a = b.g
    return a


def stores_what_it_tests_and(a, b):
    while a and b.f(a): a = b.g
    return a


def chooses_what_it_stores(a, b, c):
    while not a or b.f(a): d = b.g(c if b is None else b, a if c else d); a = b.h(d, key=c)
    return a


def stores_what_it_tests(a, b):
    while a: a = b
    return a


def loops_over_lines(a, b):
    for c in a: b = c
    for c in a: b.f(c); b = c
    return b


def tests_on_one_line(a, b):
    if a: a = b; b.f(a)
    elif b: return a
    try: a.f(); b = a
    except ValueError: b = None
    return a if b else b
