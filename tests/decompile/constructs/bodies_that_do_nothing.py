"""A `try` whose body does nothing: 3.11 keeps its handlers, though nothing leads there."""


def bodies_that_do_nothing(a, b):
    try:
        pass
    except ValueError:
        a()
    except KeyError as error:
        b(error)
    else:
        a.b()
    try:
        pass
    except:
        return [c for c in a]
    try:
        pass
    finally:
        b()


def body_that_does_nothing_in_front_of_a_break(a, b):
    for c in a:
        try:
            pass
        except ValueError:
            c()
        finally:
            break
    b()


def chain_in_front_of_a_body_that_does_nothing(a, b, c):
    if a < b < c:
        pass
    pass
    pass


def chain_of_a_loop_that_does_nothing(a, b, c):
    while a < b <= c:
        pass
    pass
    pass


def chains_in_front_of_bodies_that_do_nothing(a, b, c):
    if a:
        while a < b < c:
            pass
        pass
    elif a < c < b:
        pass
    pass
    pass
