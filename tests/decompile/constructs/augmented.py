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
