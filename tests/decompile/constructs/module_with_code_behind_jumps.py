for a in b:
    c(a)
    if d():
        break
    continue
    e = lambda: c
while True:
    if c(a):
        f = d()

        def g():
            return f

        continue
        b = [a for a in b]
    class H:
        for i in b:
            c(i)
            break
            d = lambda: i
    c(b)


def j(a):
    return a
