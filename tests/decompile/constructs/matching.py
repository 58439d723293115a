# python: 3.10+
# expect: DecompilationError: match statements are not structured yet
def sequences(a):
    match a:
        case [1, x, *rest]:
            return x, rest
        case {"k": v, **more}:
            return v, more


def classes(a):
    match a:
        case Point(x=0, y=z) if z:
            return z
