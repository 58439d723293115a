def binary(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, a @ b, a << b, a >> b, a & b, a | b, a ^ b


def unary(a):
    return -a, +a, ~a, not a, not not a, -(-a), ~-a


def precedence(a, b, c):
    return (a + b) * c, a + b * c, (a**b) ** c, a**b**c, -(a**b), (-a) ** b, a - (b - c), (a, b)[c], (not a) + b


def comparisons(a, b):
    return a < b, a <= b, a > b, a >= b, a == b, a != b, a is b, a is not b, a in b, a not in b


def chained(a, b, c, d):
    return a < b < c, a < b <= c != d, a in b in c, (a < b) < c, a < (b < c), a is b is not c


def chained_in_test(a, b, c):
    if a < b < c:
        return 1
    while a.x < b.x <= c.x:
        a.step()
    return not (a < b < c)


def chained_with_calls(f):
    return f(1) < f(2) < f(3) < f(4)


def matmul_chain(a, b):
    a @= b
    return a @ b @ a


def truth_as_a_value(a):
    a.x = not not a.f()
    return not not a.g()
