# A `return` in the `try` of a handler leaves that handler, too: its exception is off the stack in front of the `return`.


def in_the_try_of_a_handler(a, b, c):
    try:
        a.f()
    except b:
        try:
            a.g()
            return
        except ValueError as e:
            if c:
                a.h()
    finally:
        b.f()


def in_the_with_of_a_handler(a, b, c):
    try:
        try:
            a.f()
        except ValueError as e:
            try:
                with b as d:
                    return True
            except:
                c.f()
    finally:
        a.g()


def in_the_with_of_a_handler_without_a_name(a, b, c):
    try:
        try:
            a.f()
        except ValueError:
            try:
                with b as d:
                    return True
            except:
                c.f()
    finally:
        a.g()


def return_of_a_loop_in_a_handler_in_front_of_a_finally(a, b):
    try:
        try:
            a()
        except KeyError:
            for c in b:
                if c:
                    return
        a.f()
    finally:
        b.f()


def return_of_a_try_in_a_loop_in_a_handler_in_front_of_a_finally(a, b):
    try:
        try:
            a()
        except KeyError:
            for c in b:
                try:
                    c.f()
                except ValueError:
                    return
        a.f()
    finally:
        b.f()
