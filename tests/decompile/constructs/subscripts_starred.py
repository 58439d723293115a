# python: 3.11+
def starred_keys(a, b, f):
    a[:, *b] = f(1)
    a[:, *b] /= f(2)
    a[*b, 1:] += f(3)
    return a[:, *b], a[*f(4), f(5) :]
