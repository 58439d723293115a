# python: 3.12+
def functions(a):
    def plain[T](x: T) -> T:
        return x, a

    def bounds[T: int, U: (int, str), *Ts, **P](x: T, *r: U, k: int = a) -> T:
        return x, r, k

    def defaults[T](x: T = a, *, k=a.b) -> T:
        return x, k

    def keywords[T](*, k=a):
        return k

    return plain, bounds, defaults, keywords


def classes(a):
    class Plain[T]:
        x: T

        def method[U](self, y: U) -> T:
            return super().f(y)

    class Based[T, *Ts](a.Base[T], metaclass=a):
        pass

    @a.f
    class Unpacked[T](*a, **a.k):
        y: T = a

    return Plain, Based, Unpacked


def aliases(a):
    type Plain = a
    type Pair[T] = tuple[T, T]
    return Plain, Pair


def private(a):
    class Outer:
        def method[__T](self, __x: __T):
            type __Alias = __T
            return __x, __Alias

    return Outer


def scopes_in_classes(a):
    class Outer:
        type Plain = int
        type Own[T] = tuple[Plain, T]

        def method[T: Exception](self, x: T) -> T:
            return x

    return Outer


def texts(a):
    type Text = "int"
    type Generic[T: "int", U: ("a", "b")] = "list[T]"

    def function[T: "text"](x: T, *, k: "T" = a) -> "T":
        return x, k

    return Text, Generic, function


def cells_in_classes(a):
    class Outer:
        X = a

        def method[T: X](self, x: T, y: X = X, *, z: T = a) -> X:
            return lambda: (T, x, y, z)

        class Inner[U: X](a.Base[X]):
            y: U

            def method(self) -> U:
                return U, __class__

    return Outer


def alias_of_none():
    type Nothing = None
    type Dots = ...
    return Nothing.__value__, Dots.__value__


def bound_with_a_comprehension_of_the_parameter():
    type A[T: [lambda: T for T in (T, [1])[1]]] = [lambda: T for T in T.__name__]
    return A


def values_that_constants_choose(a):
    type chosen[*b] = b if 0 else a

    def inner[b, c: 1 or b](d):
        return a

    class Inner[b, c: (b, a) if 0 else None]:
        pass

    return chosen, inner, Inner


type ArmsAlike[T] = T if T else T
type ArmsAlikeInside[T] = T if (T if T else T) else T


def definitions_that_nothing_reaches(a, b):
    try:
        raise a
        type C[D: int] = list[D]
    finally:
        b()
