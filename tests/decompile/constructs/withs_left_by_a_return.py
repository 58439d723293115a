# python: 3.10+
# The call of the exit function tells nothing of the word that leaves: that is told by the width of what is in front of it.


def returns_none_from_a_while_in_front_of_a_try(a, b, c):
    with a as d:
        while b:
            if c:
                d.f()
                return None
    try:
        b.f()
    except ValueError as e:
        b.g(e)


def returns_from_a_while_in_front_of_a_try(a, b, c):
    with a as d:
        while b:
            if c:
                d.f()
                return
    try:
        b.f()
    except ValueError as e:
        b.g(e)
