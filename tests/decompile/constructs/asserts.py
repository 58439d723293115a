def plain(a, b):
    assert a
    assert a, b
    assert a.f(), a.g()
    return a


def conditions(a, b):
    assert a and b, "both"
    assert a or b
    assert not a
    assert not (a and b), b.message
    assert a < b < 3
    assert a is not None, "none"


def in_flow(a):
    for x in a:
        assert x
        if x.y:
            assert x.z, x
        else:
            x.w
    assert isinstance(a, (int, str)), f"wrong {a}"


def false(a):
    if a:
        assert False, "never"
    return a


def assertions_in_arms(a, b):
    if a.x:
        b.f()
    elif a.y:
        b.g()
    else:
        assert False, b
    if a is b:
        assert len(b) == 1
    return a


def on_several_lines_at_the_end_of_a_loop(a, b):
    while True:
        b()
        assert (
            a
            or b()
        )


def on_several_lines_at_the_end_of_two_loops(a, b):
    while True:
        for x in b:
            if x:
                return 2
        while True:
            if a:
                try:
                    y = b()
                except KeyError:
                    a += 1
                    continue
            else:
                y = a()
            if y:
                break
            assert (
                a != b
                or a(y)
                or any(not x.f for x in b)
            ), "several"


def behind_a_loop(a, b):
    while a:
        b()
    assert False, "never"


def memberships_in_a_negated_condition(a, b, c):
    assert not (a in b or c), "x"
    if a:
        assert not (c or a is b)
        return
    try:
        a()
    finally:
        assert not (b or c or a in c)


def operands_of_an_assertion_on_lines_of_their_own(a, b):
    for c in a:
        if not c:
            assert b, a
        assert (a is None or
                c is b), (a,
                          b)
        assert (not a or
                b)
