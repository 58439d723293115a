def if_only(a):
    if a:
        a.f()
    return a


def if_else(a):
    if a:
        x = 1
    else:
        x = 2
    return x


def elif_chain(a, b, c):
    if a:
        a.f()
    elif b:
        b.f()
    elif c:
        c.f()
    return a


def elif_else(a, b):
    if a:
        return 1
    elif b:
        return 2
    else:
        return 3


def nested(a, b, c):
    if a:
        if b:
            a.f()
        elif c:
            a.g()
        a.h()
    else:
        if c:
            a.i()
        if b:
            return a
    return b


def early_return(a, b):
    if a:
        return
    if not b:
        return a
    a.f()


def nested_and(a, b, c):
    if a:
        if b:
            if c:
                return 1
    if a and b and c:
        return 2


def raises(a):
    if not a:
        raise ValueError("no")
    elif a.b:
        raise TypeError
    return a


def same_ends(a, b):
    if a:
        a.f()
        return 1
    if b:
        b.f()
        return 1
    return 1


def unbound(a):
    if a:
        x = a.f()
    return x


def empty_arms(a, b):
    if a:
        pass
    else:
        b.f()
    if a:
        b.g()
    else:
        pass
    if b:
        pass


def deleted(a, x):
    if a:
        del x
    return x


def body_that_does_nothing_in_front_of_arms_that_leave(a, b):
    if a.x:
        pass
    elif a.y:
        return a
    else:
        return a.f([x for x in b])
    if b is None:
        a.g()
    return [x for x in a]


def body_that_passes_in_front_of_arms_that_leave(a, b):
    if a.b:
        pass
    elif a.c:
        return a
    else:
        return b([c for c in a])
    if b is None:
        a()
        return [c.d for c in b]
    a(b)
    return b


def arms_that_leave_in_front_of_more(a, b, c):
    if a:
        if b:
            a()
            return lambda d: d * d
        elif c:
            return lambda d: d * d * d
    else:
        return lambda d: a(d)
    c()
    return lambda d: d + 1


def more_behind_an_arm_that_leaves(a, b, c):
    for d in a:
        if b:
            if c:
                d()
                b()
        else:
            continue
        if d.a:
            return b
    return c
