# python: 3.10+
def several(a, b):
    with (
        a.f() as x,
        b.g() as y,
    ):
        return x, y
