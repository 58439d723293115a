"""Annotations of names, parameters and results; from 3.14 on they are functions."""

first: int = 1
if first:
    sometimes: str = "x"
second: "quoted"


def functions(a):
    def annotated(x: int, *y: a.b, k: a = 1, **z: int) -> a:
        local: int = x
        return local, y, k, z

    async def waits(x: a) -> None:
        return x

    return annotated, waits


def classes(a):
    class Annotated:
        """Documented."""

        x: int
        y: a.b = a
        z = 1
        if a:
            w: a = 2
        else:
            v: a
        __private: int = 3

        def method(self, y: x = 1) -> y:
            return y

        last: a

    return Annotated


def never_come_to(a):
    class Annotated:
        if False:
            u: a.u
        v: a = 1
        if a:
            w: int
            if False:
                x: str
            y: a = 2
        if False:
            z: int

    return Annotated


def written_by_hand(a):
    def __annotate__(format, /):
        found = {}
        for x in a:
            found[x] = format
        return found

    return __annotate__


def under_conditions(a):
    class C:
        try:
            x: int = a
        except ValueError:
            y: str
        finally:
            z: a
        if a:
            w: int = 1
        else:
            w: int = 2
        while a.f():
            v: a = 1
            break

        def method(self):
            class Inner:
                if a:
                    x: a = 1

            return Inner

    return C


def positional_only(a):
    def annotated(x: a.f(), y: a.g(), /, z: a.h(), *, k: a.i() = 1):
        return x, y, z, k

    return annotated


def empty_dicts(a: {}, b: {"x": 1} = 2) -> {}:
    def f(c: {}):
        pass

    return f.__annotations__, a, b


def class_whose_last_annotation_is_conditional(a, b):
    class Holder:
        first: int
        last: a if b else b

    return Holder


def class_with_one_compared_annotation(a, b):
    class Holder:
        only: a < b < b

    return Holder


def class_with_a_comprehension_in_an_annotation(a, b):
    class Holder:
        only: [x for x in a if b]
        last: {x: 1 for x in a}

    return Holder


def comprehensions_in_annotations(a: {x: 1 for x in (1,)}, b: [x for x in (1,)], c: {x for x in (1,)} = 1) -> {x: x for x in (2,)}:
    class Inner:
        x: {y: a for y in b}

        def method(self, a: {x: y for x in b for y in x if x}):
            pass
    return Inner


class AroundAnnotationsUnderACondition:
    class Inner:
        first: int
        if len:
            second: str = 'a'
            third: 'b'

    def method(self):
        class InMethod:
            if self:
                first: int

        return InMethod
