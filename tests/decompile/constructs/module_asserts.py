a = 1
b = 2
c = ()
assert a
assert a, b
assert a < b < 3
assert not b < a < 3, (a, b)
assert a, b if c else a
assert a, b or c
assert a and b or c
assert a == 1 != b, a


class C:
    assert a, "text"
    assert a < b < 3, a
    x = a
