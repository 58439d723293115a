# python: 3.10+
# `match` statements of which some cases leave, and what stands behind them.


def one_case_goes_on(a, b):
    match a:
        case 1:
            b(1)
        case [c, 2]:
            return c
        case _:
            return b
    b(2)
    b(3)


def one_case_goes_on_to_a_break(a, b):
    for c in a:
        match c:
            case 1:
                b(1)
            case 2:
                continue
            case _:
                return
        break
    b(2)


def cases_that_continue_alone(a, b):
    for c in a:
        match c:
            case 1:
                b(1)
            case 2:
                pass
            case 3:
                continue
            case _:
                continue
        b(2)
    b(3)


def a_case_with_a_name_that_continues(a, b):
    for c in a:
        match c:
            case 1:
                b(1)
            case d:
                continue
        break


def body_that_only_returns_from_a_try(a, b):
    match a:
        case 0:
            try:
                return
            except b:
                a.f()


def a_constant_behind_a_match_in_a_try(a, b, c):
    try:
        match a:
            case c():
                b()
        return 1
    finally:
        c()


def a_constant_behind_a_match_of_sequences(a, b, c):
    try:
        match a:
            case [d, 0]:
                b(d)
            case [d, c(e)]:
                b(e)
        return 1
    finally:
        c()


def a_case_continues_in_front_of_what_follows(a, b):
    while a:
        match b:
            case 's':
                break
            case ['s', *c]:
                return c
            case 1 | 2 if a.f():
                continue
        a, b = b.g(), a.x


def one_case_goes_on_to_two_targets(a, b):
    while a:
        with b as c:
            match f'{c}':
                case 1:
                    match c.x:
                        case ['s', *d]:
                            return d
                        case 1:
                            continue
                case _:
                    raise ValueError(c)
            a, b = b.h(), a.x


def one_line_each(a, b):
    for c in a:
        match c:
            case 1: b.f()
            case 2: continue
            case _: b.h()


def none_alone_with_a_guard(a, b):
    for c in a:
        match c:
            case None if b:
                match b.x:
                    case a.x:
                        b.f()


def an_assert_in_the_last_case(a, b):
    for c in a:
        match c:
            case 3:
                assert b
            case [3, d] if b.f() or d:
                assert d or b.x, c


def leaves_two_managers_in_a_case(a, b):
    while 1:
        match b():
            case 4:
                if a:
                    with a, a.x:
                        break
            case 1 | 2:
                continue
        a.b(b)


def makes_what_nobody_uses(a, b):
    match lambda c=1: a:
        case None:
            return a
            return any(b for d in a)
        case c:
            b()
