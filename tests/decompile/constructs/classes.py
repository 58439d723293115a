def plain(a):
    class C:
        """Documented."""

        x = a
        y: int = 1

        def method(self, b=a):
            return self.x, a, b

    return C


def bases(a, b):
    class C(a, b.c):
        pass

    return C


def keywords(a):
    class C(a, flag=a.x, **a.y):
        z = 1

    return C


def decorated(a):
    @a
    @a.b
    class C:
        @a.c
        def method(self):
            return super().method()

        @property
        def value(self):
            return __class__

    return C


def nested(a):
    class Outer:
        class Inner:
            x = a

        y = Inner

        def __init__(self):
            self.__private = a

    return Outer


def with_flow(a):
    class C:
        if a:
            x = 1
        else:
            x = 2
        for y in a:
            pass
        z = [w for w in a]

    return C


def unpacked_bases(a, b):
    @a.decorated(b)
    @b
    class C(a, *b, metaclass=a, **b.k):
        __slots__ = ()

        def method(self):
            return __class__, super().method()

        @property
        def x(self):
            """Documented."""
            return self

        @x.setter
        def x(self, value):
            self.y = value

    return C


def copied_ends(a):
    class C:
        try:
            x = a.b
        except AttributeError:
            pass
        else:
            y = x
            z = x

    class D:
        for x in a:
            if x:
                break
            y = x

    return C, D


def names_of_its_own():
    class C:
        __qualname__ = "C"
        x = 1

    class D:
        __module__ = "D"
        __qualname__ = "D"
        __firstlineno__ = 1

    return C.__qualname__, D.__qualname__, D.__module__


# To 3.12 only the user stores that name.
def line_of_its_own():
    class C:
        __firstlineno__ = 1

    class D:
        x = 1
        __firstlineno__ = 2

    return D.__firstlineno__


def definition_behind_arms_that_do_nothing(a):
    class B:
        if a:
            pass
        else:
            pass

        def c(self):
            return a

    return B


def definition_behind_arms_that_assign(a):
    class B:
        if a:
            b = a.c
        elif a is None:
            b = 2
        else:
            b = 3

        def d(self):
            return a

    return B


def definition_behind_arms_that_end_with_a_store(a):
    class B:
        if a:
            b = 1
        else:
            b = 2

        def c(self):
            return a

    class D:
        if a:

            def b(self):
                return 1

        else:

            def c(self):
                return 2

        def d(self):
            return 3

    return B, D


# From 3.13 on a class lists the attributes that its methods store, also where that is never compiled.
class AttributesThatAreNeverStored:
    def first(self):
        """Text."""
        self.a = 1
        if 0:
            self.b = 2
        return self.b

    def second(self, x):
        if 0:
            self.c, self.d = x
        while 0:
            self.a = self.e = x


class EndsBehindLoop:
    while depth(1):
        if depth(2):
            break
    else:
        depth(3)
    first, second = depth(4), depth(5)
