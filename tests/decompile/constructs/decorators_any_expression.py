# python: 3.9+
def decorated(a):
    @a[0].b
    @(a or a.c)
    @(lambda f: a(f))
    def f():
        return a

    return f
