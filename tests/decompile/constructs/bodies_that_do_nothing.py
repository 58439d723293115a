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
