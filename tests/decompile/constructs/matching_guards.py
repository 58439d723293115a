# python: 3.10+
def captures_with_guards(a, b):
    match a:
        case x if b is None or x:
            return 1
        case y if (b and y) or a:
            return 2
        case [z]:
            return z


def captures_with_guards_only(a, b):
    match a:
        case x if b:
            return 1
        case y if x:
            return 2


def alternatives_that_return_in_front_of_more(a, b):
    match a:
        case int(real=str() | bytes()):
            return
        case list():
            b = 1
    a.f(b)


def first_case_with_nothing_but_a_guard(a, b):
    match a:
        case _ if b(a):
            b()
        case []:
            a.f()
        case [x, *y] if x:
            a.g(y)
        case _:
            a.h()
    match b:
        case _ if not a:
            return b
        case [x]:
            return x


def guards_that_never_hold(f, x):
    match x:
        case 0 if False:
            y = 0
        case 0:
            y = 1
    match x:
        case 0 if False:
            return 1
        case 1 if True:
            y = 2
        case 2:
            y = 3
    f(y)


def no_guard_ever_holds(f, x):
    y = None
    match x:
        case 0 if 0:
            y = 0
        case 0 if 0:
            y = 1
    f(x, y)


def guard_in_front_of_values(f, x):
    y = z = None
    match x:
        case _ if not f(x):
            y = 0
        case 0:
            y = 1
    match x:
        case _ if x.a and x.b:
            z = 0
        case y if f(y):
            z = 1
    return y, z


def copied_subject_that_nothing_tests(f, x):
    match f:
        case _ if x:
            z = 0
        case _ as y if y == x and y:
            z = 1
        case f.x:
            z = 2
    return z


def guard_alone_in_front_of_the_default(a, b, f):
    match a:
        case {"b": c}:
            f(c)
        case _ if b:
            f(1)
        case _:
            f(2)
    match a:
        case int() as c:
            f(c)
        case _ if a < b < 3:
            f(3)
        case _:
            f(4)
    match a:
        case (1 | 2) as c:
            f(c)
        case _ if b or f(a):
            f(5)
        case _:
            f(6)


def chain_as_a_guard_in_front_of_a_return(a, b, f):
    match a:
        case str() if 0 <= b.c <= f(2):
            f(1)
        case _:
            return None
    f(3)


def chain_as_a_guard_in_a_loop(a, b, f):
    for x in a:
        match x:
            case str() if 0 <= b.c <= f(2):
                f(1)
            case _:
                return 3
    return 4


def guard_alone_in_front_of_the_default_that_returns(a, b, f):
    match a:
        case int() as c:
            return f(c)
        case _ if b is not None:
            return b
        case _:
            return f(a)


def guards_that_always_hold(f, x):
    y = None
    match x:
        case True:
            f(1)
        case y if 1:
            f(2)
        case []:
            f(3)
    match x:
        case True:
            f(4)
        case _ if 1:
            f(5)
        case []:
            f(6)
    f(y)


def guards_without_a_pattern(a, b, f):
    match a:
        case _ if f(b, 1):
            return f(1)
        case _ if f(b, 2):
            return f(2)
        case _:
            f(3)
    match a.x:
        case _ if f(b, 1):
            f(1)
        case _ if f(b, 2) or not f(b):
            f(2)
        case int():
            f(3)
        case _ if not (f(b, 3) and not f(b)):
            f(4)
        case _:
            f(5)


def guards_without_a_pattern_in_a_loop(a, b, f):
    for x in a:
        match x:
            case _ if not f(x, 1):
                f(1)
            case _ if b:
                f(2)
                continue
            case _:
                break
        f()


def guard_of_a_body_that_does_nothing(a, b):
    try:
        match a:
            case str() if b:
                pass
    finally:
        b()


def guards_in_a_try_of_cases_that_leave(a, b):
    try:
        match a:
            case 3 if b:
                return None
            case str():
                b()
            case int() if b.c:
                pass
    finally:
        a.d()


def guard_in_front_of_a_body_that_never_ends(a, b):
    match a:
        case c if b:
            while True:
                b()
        case None | True if a.d:
            b()
    a()


def guard_in_front_of_a_try_in_a_case(a, b):
    try:
        match a.c:
            case 5 if b:
                try:
                    b(3)
                finally:
                    a = b
            case str():
                pass
    finally:
        b(a)


def guard_in_front_of_a_try_behind_the_match(a, b):
    for c in a:
        match c:
            case [[*_, [1, *_]], *_] if b:
                b(1)
                continue
        try:
            b(2)
        finally:
            b(3)


def test_in_the_body_of_the_last_case(a, b):
    with b:
        match a.x:
            case int():
                b()
            case other:
                assert b, other
    match a:
        case int():
            b()
        case other:
            if b:
                a()
            other()


def test_in_the_body_of_the_only_case(a, b):
    for c in a:
        match c:
            case [x]:
                if b:
                    raise
        return


def loop_in_the_body_of_the_last_case(a, b):
    match a:
        case int():
            b()
        case other:
            while b.x:
                other()
            else:
                return


def guard_on_a_line_of_its_own(a, b):
    match a:
        case [x] if (
            x > b
        ):
            return 1
        case _:
            a()
    b()


def capture_with_a_guard_that_tests_for_none(a, b, c):
    match a:
        case x if b is not None and c:
            b(x)
        case y:
            b(2)


def capture_with_a_guard_of_several_ways(a, b, c):
    match a:
        case x if b and c or b.x and c.x:
            b(x)
        case y:
            b(2)


def test_in_the_last_case_of_a_loop(a, b, c):
    for d in a:
        match d:
            case first if b(first, a):
                a.f(1)
            case last if b(last, c):
                if c(last):
                    a.g(2)
    return b
def test_in_the_only_case_in_front_of_another_match(a, b):
    match a:
        case {'x': x}:
            if x:
                raise
    match b:
        case [x]:
            a(x)


def guard_of_the_last_case_in_a_loop_in_a_try(a, b):
    try:
        for c in a:
            match c:
                case str():
                    a()
                case d if b:
                    b(d)
    except ValueError:
        b()


def guards_of_several_tests_in_front_of_a_default(a, b):
    for c in a:
        match c:
            case "x":
                b.f(c)
            case _ if c.a and not c.b:
                b.g(c)
            case _ if c.b and not c.a:
                b.h(c)
            case _ if c.b and c.a:
                b.i(c)
            case _:
                b.j(c)
    return b


def guards_in_front_of_a_guard_behind_the_last_of_them(a, b, c):
    match a:
        case '*':
            c(0)
        case _ if b(a) and not c(a):
            c(1)
        case _ if b(a) and c(a):
            c(2)
        case _:
            c(3)


def guard_of_an_or_in_an_and_in_front_of_a_last_guard(a, b, c):
    match a:
        case _ if b(a) and (not c(a) or b(c)):
            return c(1)
        case _ if c(a):
            b(2)
        case _:
            b(3)


def test_in_the_last_case_of_a_match_that_ends_a_loop(a, b, c):
    for d in a:
        match d:
            case first if b(first):
                a.f(1)
            case last if c(last):
                if a.x or b.x:
                    a.g(2)


def tests_in_the_only_case_with_a_guard(a, b, c):
    while a:
        match b(a):
            case [x, y] if x.a == y:
                if x:
                    if not y:
                        c()


def returns_where_a_guard_would_fail(a, b):
    match a.b:
        case a.x:
            if not b.f(a):
                return
        case a.y:
            if b is not None:
                return
        case _:
            return
    return b.g(a)


def chained_guards_in_front_of_a_default(a, b):
    match b:
        case int() if 200 <= b < 300:
            return a.b
        case int() if 500 <= b < 600:
            return a.c
        case _:
            return a.d


def only_case_is_a_name_with_a_guard(a, b):
    match a:
        case c if c:
            b.f(c)
    return b


def only_case_is_a_name_with_a_guard_and_an_assertion(a, b):
    try:
        match a:
            case c if c:
                assert c.x
        b.f()
    except AttributeError:
        b.g()


def only_case_is_a_name_with_a_guard_in_a_loop(a, b):
    for c in a:
        match c:
            case d if d:
                continue
        b.f(d)
    return b


def only_case_is_anything_with_a_guard(a, b):
    match a.f():
        case _ if b:
            b.g()
    return a


def name_with_a_guard_in_front_of_a_default(a, b):
    match a:
        case a if a:
            b.f(a)
        case _:
            b.g()


def name_with_a_guard_in_front_of_a_test(a, b):
    match a:
        case c if c:
            if b:
                c.f()
    a.g()


def assertion_behind_a_guard_of_the_last_case(a, b):
    match a:
        case 1 if b:
            assert b.x or a
    return b.f()


def tests_behind_guards_of_tests(a, b, c):
    match a:
        case [1, d] if b and d:
            if c or b:
                c.f()
        case 2 if b or c:
            if not c:
                b.f()
    return c


def break_and_return_in_a_with(a, b, c):
    for a in b:
        with c as d:
            match d:
                case 1:
                    b()
                    break
                case e if e:
                    return
        a()


def case_with_a_loop_of_one_round(a, b, c):
    if a:
        match b:
            case 1:
                for d in c:
                    return d
                return
            case str() if c:
                b()
        a()
    b()


def pattern_as_wide_as_a_word(a, b, c):
    with a as d:
        for e in d:
            match e:
                case 1 | 2 if b:
                    b(e)


def break_in_front_of_an_else(a, b, c):
    for d in a:
        match d:
            case 1:
                c()
                break
            case e if e:
                b(e)
    else:
        return
    return b


def break_in_front_of_an_else_that_names_none(a, b, c):
    for d in a:
        match d:
            case 1:
                c()
                break
            case 2:
                b()
    else:
        return None
    return b


async def test_on_the_line_of_its_body_in_the_last_case(a, b):
    match a:
        case 1 if b:
            if a.b: b()
    a()


async def test_on_the_line_of_its_body_behind_a_guard_of_two(a, b, c):
    match a:
        case 1:
            c()
        case 2 if a or c:
            if b and c: b(c)
    c()


def alternatives_with_a_guard_in_front_of_a_short_case(a, b):
    match a:
        case 1 | 2 if b:
            pass
        case c:
            pass


def alternatives_with_a_guard_in_front_of_a_name(a, b):
    match a:
        case 1 | 2 if b:
            return
        case c:
            return c


def chained_guard_in_front_of_a_short_case(a, b, c):
    match a:
        case [int(real=1), *_] if b < c <= a:
            pass
        case d:
            pass
