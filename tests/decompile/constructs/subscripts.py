def slices(x, a, b):
    return x[a:b], x[a:], x[:b], x[:], x[a:b:2], x[::a], x[::-1]


def constant_slices(x):
    return x[1:2], x[:-1], x[::2], x[1:2, ::3], x[..., None, 0]


def stores(x, a):
    x[0] = a
    x[a, 1] = a
    x[a:] = a
    x[1:2, a] = a


def deletions(x, a):
    del x[-1]
    del x[a:], x[0][1]
    del x.y, a
    return x


def nested(x, a):
    x[a[x[0]]] = x[x[a]]
    x[0].y[1].z = a
