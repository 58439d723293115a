def names(a, b):
    a += b
    a -= b
    a *= b
    a /= b
    a //= b
    a %= b
    a **= b
    a @= b
    a <<= b
    a >>= b
    a &= b
    a |= b
    a ^= b
    return a


def attributes(a, b):
    a.x += b
    a.y.z -= b.w
    a.f().x *= b.f()


def items(a, b):
    a[0] += b
    a[b] -= a[1]
    a[b.f()][b.g()] *= b.h()
    a[b:1] += b
    a[1, b] |= b
    a[:] += b


def global_name(a):
    global counter
    counter += a


def cell(a):
    def inner():
        nonlocal a
        a += 1
        return a

    a -= 1
    return inner


def with_condition(a, b):
    a.x += b if a else 1
    a[0] += b and a
    return a


def slices_and_keys(a, i, j, b):
    a[1:2] += b
    a[::2] -= a[1::2]
    a[i, j] *= b
    a[:, j] /= b
    a[..., i:] += b
    a[i, 1:2, j::2] += b
    a[(i, j), 1:] += b


def computed_slices(a, f):
    a[f(1) : f(2)] += f(3)
    a[f(4) :, f(5)] += f(6)
    a.b[f(7)].c[a.d : f(8) : 3, f(9)] += f(10)


def displays_in_keys(a, b, f):
    a[[1, 2]] += b
    a[[]] += b
    a[{}] -= b
    a[:, [1, 2]] += f(1)
    a[:, [b, 3], f(2), (b, 4)] *= b
    f(5).a[[f(6)], 1:] += f(7)
    {}.a += b
