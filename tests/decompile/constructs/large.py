def many_arguments(a):
    return a.f(
        a.b0, a.b1, a.b2, a.b3, a.b4, a.b5, a.b6, a.b7, a.b8, a.b9, a.c0, a.c1, a.c2, a.c3, a.c4, a.c5,
        a.c6, a.c7, a.c8, a.c9, a.d0, a.d1, a.d2, a.d3, a.d4, a.d5, a.d6, a.d7, a.d8, a.d9, a.e0, a.e1,
    )


def many_locals(a):
    b0 = b1 = b2 = b3 = b4 = b5 = b6 = b7 = b8 = b9 = a.x
    c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 = b9, b8, b7, b6, b5, b4, b3, b2, b1, b0
    b0, c9 = c9, b0
    return c0, c1, c2, c3, c4, c5, c6, c7, c8, c9


def deep_expression(a, b):
    return ((((((((a + b) * a) - b) / a) ** b) // a) % b)[((((a.b.c.d(b).e).f)[a]).g(b)).h])


def deep_blocks(a):
    if a.b:
        for x in a:
            while x:
                with x as y:
                    try:
                        if y:
                            for z in y:
                                if z:
                                    return z
                        else:
                            break
                    except ValueError:
                        continue
                    finally:
                        y.done()
                x.f()
            else:
                x.g()
    return a
