from __future__ import annotations

name: dict[str, int] = {}


def functions(a):
    def annotated(x: list[int] | None, *y: "quoted", k: a = 1) -> (int, lambda: 3):
        return x, y, k

    return annotated


def classes(a):
    class Annotated:
        x: Unknown[int]
        y: a.b = a

    return Annotated


def local_names(a):
    class C:
        def method(self, x: C, y: a) -> C:
            return x, y

    def annotated(x: C, y: "a.b", *z: C[a]) -> other:
        return x

    other = annotated
    return C, other


def constant_tuples(a: Callable[..., None], b: Tuple[..., (..., 1)], c: d[..., e]) -> f[...]:
    g: Callable[..., None] = a
    return g


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
