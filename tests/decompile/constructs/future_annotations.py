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
