def empty():
    return [], {}, (), set()


def plain(a, b):
    return [a, b], (a, b), {a, b}, {a: b, b: a}, (a,)


def with_unpacking(a, b):
    return [*a], (*a,), {*a}, {**a}, [*a, b, *b], (a, *b), {a, *b}, {**a, "k": b, **b, 1: 2}


def constant(a):
    return [1, 2, 3], (1, 2, 3), {1, 2, 3}, {"a": 1, "b": 2, "c": a}, [a, 1, 2]


def membership(a):
    return a in [1, 2], a in {1, 2, 3}, a not in (1, 2)


def nested(a):
    return [[a, (a, [a])], {a: {a: [a]}}, ([], {})]


def long(a):
    return [a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34]


def order(f):
    return {f(1): f(2), f(3): f(4), **f(5)}


def taken_apart_at_once(a, b):
    a.f([a, b][0], (a.x, b)[::2], *[1, *[a], b], **{"x": 1}, y=2)
    a, [b]
    for c in {1, 2, 3}:
        a.g(*(a, c), *(), **{"k-v": b})
    return a.f(*[a, b]), a.f(*(a, b), **{}), {**{"x": a}, "y": b}, {**a, **{"x": 1}}, [c for c in {1, 2}]


def constants_that_stand_twice(f):
    return f({1, 2, 1}, {3, 3, 3}, {"x", "y", "x", "y"})


def constants_unpacked(f):
    return f([*(1, 2)], {*(1, 2)}, [*()])


def items_unpacked_between_others(a, b):
    with a:
        return [a.f(), *b.g(), a.x, *a.h(b), b.f(a)]


def constants_that_are_unpacked(f, a):
    f([1, 2, 3, *a], [*(1, 2, 3), *a], [*(1, 2, 3), a], {*(1, 2, 3), a}, (1, 2, 3, *a), f(*(1, 2, 3), *a))
    return (*(0,) * 3, a), (*(0,) * 3,), [*(0,) * 3], f(*(0,) * 3, a)


def dicts_that_unpack_and_are_unpacked(f, a, c):
    f(a, **{"d": None, **c}, m=a)
    f(a, **c, m=a, **{"d": None, **c})
    f({**{"d": None, **c}, "m": a}, {**c, "m": a}, {"m": 1, **{"n": 2}, **{"n": 3, **c}})


def displays_that_unpack_and_are_unpacked(a, b):
    return (*(*b, b, 0.0), a), {*{*a, a, 0}, a, None}, [*(*b, b), a], [*[*b, b], a, *{a, b}, *(a, b)]


def constants_that_a_decided_test_chose(f):
    a, b = (1, 1) if __debug__ else (0, "")
    c, d = 1, 2
    e, g = h, i = (1, 2)
    (j, k), l = (1, 2), 3
    return f(a, b, c, d, e, g, h, i, j, k, l)


def frozenset_of_constants_and_a_starred_in_front_of_many_keywords(a):
    b = [('memoryview',)]
    c = frozenset({'memoryview', 'slice', 'sentinel', *a.x})
    d = {'complex': dict(), 'int': dict(), 'float': dict(), 'list': dict(), 'tuple': dict(), 'str': dict(), 'bytes': dict(replace='T', rfind='Py_ssize_t', rindex='Py_ssize_t', rjust='T', rpartition='tuple[T,T,T]', rsplit='list[T]', rstrip='T', split='list[T]', splitlines='list[T]', startswith='bint', strip='T', swapcase='T', title='T', translate='T', upper='T', zfill='T'), 'bytearray': dict(), 'memoryview': dict(), 'frozenset': dict(), 'set': dict(), 'dict': dict(), 'frozendict': dict()}
    return b, c, d


def texts_one_of_which_is_empty(a):
    a += ["b", f"c", ""]
    a += [f"b{a}", ""]
    return a, [f"", "b", "c"], {f"": 1, "b": 2}


def targets_of_one_name(a):
    (b, c, c,
     c) = a
    ((d, e),
     e) = b
    (f, g), g = c
    return b, c, d, e, f, g


def displays_that_a_test_chooses_at_the_end(a, b, *c):
    return a.x(["d", *c] if a.y != "e" else ["f", "g", "d", *c])


def display_of_what_a_test_chooses(a, b, *c):
    return [a if b else b.x, *c]


def item_of_what_a_test_chooses(a, b, *c):
    return [a, *(c if b else b.x)]


def dicts_that_a_test_chooses_at_the_end(a, b, c):
    return a.x(b, {"k": a, **c} if b else {"k": b, **c})


def sets_of_unpacked_tuples(a):
    b = frozenset({*("x", "y", "z"), *("u", "v", "w")})
    c = {*("x", "y", "z")}
    return a, b, c, {"x", "y", "z", *a}, {*("x", "y"), a}, {*a, *("x", "y", "z")}


def dict_of_more_pairs_than_are_made_at_once(a, b):
    return {
        a(0): b(0),
        a(1): b(1),
        a(2): b(2),
        a(3): b(3),
        a(4): b(4),
        a(5): b(5),
        a(6): b(6),
        a(7): b(7),
        a(8): b(8),
        a(9): b(9),
        a(10): b(10),
        a(11): b(11),
        a(12): b(12),
        a(13): b(13),
        a(14): b(14),
        a(15): b(15),
        a(16): b(16),
        a(17): b(17),
        a(18): b(18),
    }


def dict_that_unpacks_behind_as_many_pairs_as_are_made_at_once(a, b, c):
    return {
        'key 0': b(0),
        'key 1': b(1),
        'key 2': b(2),
        'key 3': b(3),
        'key 4': b(4),
        'key 5': b(5),
        'key 6': b(6),
        'key 7': b(7),
        'key 8': b(8),
        'key 9': b(9),
        'key 10': b(10),
        'key 11': b(11),
        'key 12': b(12),
        'key 13': b(13),
        'key 14': b(14),
        'key 15': b(15),
        'key 16': b(16),
        **c(),
        'last': a,
    }


def call_with_more_arguments_than_lie_on_the_stack(a, b):
    return a(
        b(0),
        b(1),
        b(2),
        b(3),
        b(4),
        b(5),
        b(6),
        b(7),
        b(8),
        b(9),
        b(10),
        b(11),
        b(12),
        b(13),
        b(14),
        b(15),
        b(16),
        b(17),
        b(18),
        b(19),
        b(20),
        b(21),
        b(22),
        b(23),
        b(24),
        b(25),
        b(26),
        b(27),
        b(28),
        b(29),
        b(30),
        b(31),
        c=a,
    )
