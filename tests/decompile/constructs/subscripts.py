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


def slices_of_what_is_folded_late(a, b):
    return a[f"a":1000], a[0.0 and 1.5 : 1.5], a[2j:f"a"], a["a":"b"], a[1 : True or 2], a[(1 if b else 2) :], a[::f"a"]
