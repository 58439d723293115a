# python: 3.10+
def sequences(a):
    match a:
        case [1, x, *rest]:
            return x, rest
        case {"k": v, **more}:
            return v, more


def classes(a):
    match a:
        case Point(x=0, y=z) if z:
            return z


def values(a):
    match a.f():
        case 1:
            a.one()
        case -2.5 | 1 - 2j | "s" | b"b":
            a.many()
        case A.b.c:
            a.dotted()
        case None:
            a.none()
        case True | False:
            a.truth()
    a.end()


def captures(a):
    match a:
        case [x, y]:
            return x + y
        case [x, [y, *_] as z]:
            return x, y, z
        case x if x.f():
            return x
        case x:
            a.rest(x)


def wildcards(a):
    match a:
        case [_, _]:
            a.two()
        case [x, _, *_]:
            a.f(x)
        case [*_, x, _]:
            a.g(x)
        case [_, *_, x]:
            a.h(x)
        case [*_]:
            a.any()
        case []:
            a.empty()
        case _:
            a.none()


def stars(a):
    match a:
        case [*x]:
            return x
        case [x, *y, z]:
            return x, y, z
        case (x, *y):
            return x, y


def mappings(a, b):
    match a, b:
        case {"x": 1, "y": y}, {}:
            return y
        case {A.k: [x, y], None: z, -1: w, **rest}, {**more}:
            return x, y, z, w, rest, more
        case {"z": {"w": w}}, [{"v": v}]:
            return w, v


def class_patterns(a):
    match a:
        case P():
            a.p()
        case P(x, 1, y=2, z=[w]):
            a.q(x, w)
        case m.Q(A.b, x=None) | m.R(x=1):
            a.r()
        case str(x) | bytes(x):
            a.s(x)
        case int() | float() as n:
            a.t(n)


def alternatives(a):
    match a:
        case [1 | 2, x] | {"k": x}:
            return x
        case ([x, y] | [y, x, _]) as z:
            return x, y, z
        case (1 | 2) as x, (3 | (4 | 5) | [6 | 7]) as y:
            return x, y
        case P(x=(1 | None) as x):
            return x


def guards(a, b):
    match a:
        case [x] if x > b:
            a.f(x)
        case [x] if x and b or a.g():
            a.g(x)
        case {"k": y} if not y:
            a.h()
        case _ if b:
            a.i()
        case x if (y := x.f()) and y:
            a.j(x, y)
        case _:
            a.k()
    return b


def only_default(a):
    match a.f():
        case _:
            a.g()


def only_capture(a):
    match a.f():
        case x:
            a.g(x)


def single_guard(a):
    match a:
        case [x] if x:
            return x
    a.no()


def wildcard_guard(a, b):
    match a:
        case 1:
            a.f()
        case _ if b:
            a.g()
    a.end()


def nested(a, b):
    match a:
        case [x, y]:
            match x:
                case 1:
                    a.f()
                case [z]:
                    match y:
                        case {"k": w}:
                            return w
                case _:
                    a.g()
        case P(x=q):
            if q:
                match b:
                    case [1, 2]:
                        return q
            else:
                a.h()
    return b


def in_loop(a):
    for x in a:
        match x:
            case [1, y]:
                continue
            case {"k": y}:
                break
            case P(z) if z:
                a.f(z)
            case [y]:
                if y:
                    continue
                a.g(y)
        a.next()
    else:
        a.done()
    return a


def in_while(a):
    while a.more():
        match a.next():
            case 1 | 2:
                pass
            case [x]:
                a.f(x)
            case "stop":
                break


def in_try(a):
    try:
        match a:
            case [x]:
                x.f()
            case P(y=z):
                return z
    except ValueError:
        match a.g():
            case [w]:
                a.h(w)
    finally:
        a.close()


def try_inside(a):
    match a:
        case [x]:
            try:
                x.f()
            except ValueError as error:
                a.g(error)
        case {"k": y}:
            with y as z:
                z.h()
        case _:
            for w in a:
                w.i()
    return a


def in_with(a):
    with a as b:
        match b:
            case [x, 1]:
                return x
            case [x, 2]:
                b.f(x)
        b.g()


def if_inside(a, b):
    if b:
        match a:
            case [x]:
                a.f()
            case {"k": x}:
                a.g()
    elif a:
        match b:
            case 1:
                return 2
            case 2:
                return 3
    return x


def stores_subject(a):
    match a:
        case [a] if a.f():
            return a
        case [b, a]:
            return a, b
        case P(x=a):
            a.g()
        case _:
            a.h()


def stores_elsewhere(a):
    global g

    def inner():
        return c

    match a:
        case [c, g]:
            return inner
        case {"k": c, **g}:
            return inner
    return inner


def long_values(a):
    match a:
        case "a":
            return 1
        case "b":
            return 2
        case "c":
            return 3
        case _:
            return 4


def passes(a):
    match a:
        case [1]:
            pass
        case [2]:
            pass
        case _:
            pass
    return a


def in_generator(a):
    match (yield a):
        case [x]:
            yield x
        case {"k": x}:
            yield from x


def star_positions(a):
    match a:
        case [1, 2, *x, 3]:
            return x
        case [[1, *x], {"y": [*y, 1]}, P([z])]:
            return x, y, z


def not_matches(a, b):
    if (x := a.f()) == 1:
        return x
    b.x += 1
    c = d = a == 1
    return a == b == 1, c, d


def returns_directly(a):
    match a:
        case 1 | 2:
            return 5
        case [x] | x:
            return x


def loop_around_and_after(a):
    while True:
        match a.f():
            case [x]:
                return x
            case None:
                break
            case _:
                a.g()
    match a:
        case 1:
            a.one()
        case P(1, x=2):
            a.two()


def zeros(a):
    match a:
        case {-0 - 0j: x, 1.5 - 0j: -0.0 + 1j}:
            return x
        case -0j | 0j | -0 | 1e309:
            return a


def condition_in_the_last_case(a):
    with a.b:
        match a.c:
            case P(x=Q()):
                if a.d:
                    a.e()
            case P(y=Q()):
                if a.f() and a.g():
                    a.h()
        a.i()


def alternatives_in_the_last_alternative(a):
    match a:
        case (P(), Q(a.b | a.c) | P(x="y" | "z")):
            return True
        case _:
            return False


def rest_alone(a):
    match a:
        case {**rest}:
            return rest
    return a


def rest_and_guard(a):
    match a:
        case {"k": [x, *y], **rest} if rest:
            return x, y, rest
        case {**rest}:
            return rest


def cases_that_leave_alike(a):
    for x in a:
        match x:
            case [1, 2] | [3, 4]:
                break
            case 5 | 6:
                return
            case {"x": 1} | {"y": 2}:
                continue
            case 7 | 8 | "a":
                pass
    while a:
        match a():
            case 1 | 2:
                break
            case [1] | [2]:
                return
            case _:
                continue


def one_subject_twice(a):
    match a:
        case [1]:
            return 1
    match a:
        case [2]:
            return 1


def a_case_that_raises(a):
    match a:
        case int() | str():
            raise ValueError
        case {"a": 1} | {"b": 2}:
            return None


def displays_as_subjects(a):
    match {a}:
        case {1: 2}:
            return 3
        case [_, *_]:
            return 4
    match {a: 1}:
        case {"a": 1, **rest}:
            return rest
    match [a, 1]:
        case [1, *_]:
            return 1
        case [b, c]:
            return b, c


def guards_that_are_turned(a):
    match a:
        case None:
            a.f()
        case x if not x.y:
            yield from x
        case _:
            raise TypeError(x)


def an_error_in_a_body_and_behind(a, b):
    match a:
        case b.x:
            return 1
        case b.y:
            if b:
                raise NotImplementedError
            return b.z
        case _:
            raise NotImplementedError


def assignment_that_is_tested_before_a_match(a, b):
    assert (x := a), b
    match a or b:
        case {'k': y} if a:
            return x, y


def alternatives_that_leave_an_endless_loop(a):
    while True:
        match a:
            case int() | [_]:
                return


def with_that_ends_a_branch_of_a_case(a, b):
    match a:
        case []:
            if b:
                with a:
                    b.f()
    a.g()
    b.h()


def bodies_that_end_alike(a, b, c):
    d = a.f()
    match a.g:
        case "x":
            if b.x:
                d += b.f(c)
                d += b.g(c)
                d += b.h(c, a.x)
            else:
                d += b.i(c)
        case "y":
            d += b.f(c)
            d += b.g(c)
            d += b.h(c, a.x)
        case "z":
            d += b.f(c)
        case _:
            b(a.g)
    return d[0]


def first_case_returns_from_a_try(a, b):
    match b:
        case {'x': x}:
            try:
                a()
                return
            except ValueError:
                return
        case [x]:
            a(x)
    b()


def first_case_leaves_a_with(a, b):
    with b:
        match a:
            case [x]:
                return
            case -1:
                b()


def patterns_of_several_parts_at_the_ends_of_loops(a, b):
    with a:
        for c in b:
            match c:
                case [1, 1, 'a']:
                    a()
    while True:
        match a:
            case (int() | str()) if b:
                b()


def returned_code_behind_arms_of_a_loop(a):
    for x in a:
        if b:
            c()
        else:
            match x:
                case 1 | 2 | 3:
                    continue
        return lambda y: x


def default_behind_cases_that_leave_a_loop(a, b):
    for c in a:
        match c:
            case [1, d]:
                b(d)
                continue
            case 2:
                return c
            case _:
                a.f()
        b(c)


def match_in_the_else_of_a_try_in_a_loop(a, b, f):
    for c in a:
        try:
            f(c)
        except ValueError:
            b(1)
        else:
            match c:
                case [1, d]:
                    f(d)


def return_in_the_last_case_in_a_try(a, b):
    try:
        match a:
            case 0:
                if b:
                    b.c()
                else:
                    return
    finally:
        b.d()


def last_case_of_an_inner_match_takes_all_and_leaves(a, b, c):
    match a:
        case []:
            match b:
                case 1 | 2:
                    raise ValueError(c)
                case d:
                    return d
        case int(real=d):
            pass
    c.f()


def last_case_of_a_match_in_a_loop_takes_all(a, b, c):
    while a:
        if b:
            match a:
                case []:
                    match b:
                        case 1 | 2:
                            raise ValueError(c)
                        case d:
                            continue
                case int(real=d):
                    pass
            c.f()


def body_that_does_nothing_behind_the_last_case(a, b):
    match a:
        case b.C(c):
            b(c)
    try:
        pass
    finally:
        b.f()


def case_that_returns_out_of_a_loop_in_a_with(a, b):
    with a:
        for c in b:
            match c:
                case "s":
                    break
                case b.d:
                    return
        else:
            b.f()
        return a
